//! How a cloth lies, as text: for each vertex three sixteen-bit parts of the box in which cloths are kept, little-endian, in
//! base 64. A step is 61 µm.

use superegg::DVec3;

use super::limits::SIDES;
use super::simulation::BOX;
use crate::wire::base64;

/// The text of places.
#[cfg(test)]
pub fn write(positions: &[DVec3]) -> String {
    let part = |at: DVec3| ((at - BOX[0]) / BOX[1]).clamp(DVec3::ZERO, DVec3::ONE) * 65535.0;
    let bytes =
        positions.iter().flat_map(|at| part(*at).to_array()).flat_map(|part| (part.round() as u16).to_le_bytes());
    base64::encode(&bytes.collect::<Vec<u8>>())
}

/// How many vertices are along a side, and the places of all, of a text that is one of a square.
pub fn read(text: &str) -> Option<(u32, Vec<DVec3>)> {
    let bytes = base64::decode(text)?;
    let side = (bytes.len() / 6).isqrt();
    if bytes.len() != 6 * side * side || !(SIDES[0]..=SIDES[1]).contains(&(side as u32)) {
        return None;
    }
    let part = |bytes: &[u8]| f64::from(u16::from_le_bytes([bytes[0], bytes[1]])) / 65535.0;
    let place = |bytes: &[u8]| DVec3::new(part(bytes), part(&bytes[2..]), part(&bytes[4..]));
    Some((side as u32, bytes.chunks_exact(6).map(|bytes| BOX[0] + BOX[1] * place(bytes)).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drape_is_read_as_it_was_written() {
        let places: Vec<DVec3> =
            (0..121).map(|k| DVec3::new(0.013 * f64::from(k) - 0.8, 0.3, 0.002 * f64::from(k))).collect();
        let (side, read_back) = read(&write(&places)).unwrap();
        assert_eq!(side, 11);
        assert!(places.iter().zip(&read_back).all(|(a, b)| a.distance(*b) < 6e-5));
        assert_eq!((read(&write(&places[..120])), read(&write(&places[..4])), read("?")), (None, None, None));
    }
}
