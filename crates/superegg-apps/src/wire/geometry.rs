//! Binary geometry frames: triangle meshes in about eleven bytes a vertex and six a triangle.
//!
//! All numbers are little-endian; every block starts at a multiple of four bytes.
//!
//! | offset | type | field |
//! |---|---|---|
//! | 0 | 4 bytes | `SEGG` |
//! | 4 | u8 | version of the protocol |
//! | 5 | u8 | 1: mesh of a body; 2: preview |
//! | 6 | u16 | bytes of an index: 2, or 4 where there are more than 65536 vertices |
//! | 8 | u32 | id of the body; for a preview, number of the request |
//! | 12 | u32 | revision of the edit; for a preview, index of the cell |
//! | 16 | u32 | number of vertices n |
//! | 20 | u32 | number of triangles m |
//! | 24 | 3 × f32 | lowest corner of the mesh's box |
//! | 36 | 3 × f32 | extent of the box |
//! | 48 | n × 3 × u16 | positions, as parts of the box in 65535ths |
//! | | n × 2 × i16 | normals, octahedral (Meyer et al., On floating-point normal vectors, 2010), in 32767ths |
//! | | m × 3 × u16 or u32 | triangles, counter-clockwise seen from outside |
//!
//! A message holds one or more frames, one after the other.

use superegg::DVec3;

use super::{MAGIC, VERSION, pad};

/// What a frame shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// The mesh of a body, with the revision of the edit that shaped it.
    Body {
        /// Which body.
        id: u32,
        /// Of the edit.
        revision: u32,
    },
    /// A cell of the parameter widget.
    Preview {
        /// Number of the request.
        request: u32,
        /// Which cell.
        cell: u32,
    },
}

/// A mesh with normals, in the body's own frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Positions in metres.
    pub vertices: Vec<DVec3>,
    /// Unit vectors.
    pub normals: Vec<DVec3>,
    /// Indices of vertices.
    pub triangles: Vec<[u32; 3]>,
}

/// Most vertices that indices of sixteen bits can name.
const MOST_SHORT: usize = 1 << 16;

/// Appends a frame to a message. A mesh with mismatched lists is shown as an empty one: it is a defect of the caller that
/// must not take a client's connection down.
pub fn write(kind: FrameKind, mesh: &Mesh, message: &mut Vec<u8>) {
    let sound = mesh.vertices.len() == mesh.normals.len();
    debug_assert!(sound, "{} vertices, {} normals", mesh.vertices.len(), mesh.normals.len());
    let empty = Mesh::default();
    let mesh = if sound { mesh } else { &empty };

    let (tag, id, index) = match kind {
        FrameKind::Body { id, revision } => (1, id, revision),
        FrameKind::Preview { request, cell } => (2, request, cell),
    };
    message.extend_from_slice(&MAGIC);
    let short = mesh.vertices.len() <= MOST_SHORT;
    message.extend_from_slice(&[VERSION as u8, tag, if short { 2 } else { 4 }, 0]);
    for number in [id, index, mesh.vertices.len() as u32, mesh.triangles.len() as u32] {
        message.extend_from_slice(&number.to_le_bytes());
    }
    let (low, high) = corners(&mesh.vertices);
    let extent = high - low;
    for corner in [low, extent] {
        for component in corner.to_array() {
            message.extend_from_slice(&(component as f32).to_le_bytes());
        }
    }
    for vertex in &mesh.vertices {
        for (offset, extent) in (*vertex - low).to_array().into_iter().zip(extent.to_array()) {
            let part = if extent > 0.0 { offset / extent } else { 0.0 };
            message.extend_from_slice(&((part * 65535.0).round() as u16).to_le_bytes());
        }
    }
    pad(message);
    for normal in &mesh.normals {
        for component in octahedral(*normal) {
            message.extend_from_slice(&((component * 32767.0).round() as i16).to_le_bytes());
        }
    }
    for corner in mesh.triangles.iter().flatten() {
        if short {
            message.extend_from_slice(&(*corner as u16).to_le_bytes());
        } else {
            message.extend_from_slice(&corner.to_le_bytes());
        }
    }
    pad(message);
}

fn corners(vertices: &[DVec3]) -> (DVec3, DVec3) {
    match vertices.split_first() {
        None => (DVec3::ZERO, DVec3::ZERO),
        Some((&first, rest)) => rest.iter().fold((first, first), |(low, high), &v| (low.min(v), high.max(v))),
    }
}

/// A unit vector folded onto the square [-1, 1]².
fn octahedral(normal: DVec3) -> [f64; 2] {
    let length = normal.abs().element_sum();
    if !(length > 0.0 && length.is_finite()) {
        return [0.0, 0.0];
    }
    let DVec3 { x, y, z } = normal / length;
    if z >= 0.0 { [x, y] } else { [(1.0 - y.abs()).copysign(x), (1.0 - x.abs()).copysign(y)] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unfold([u, v]: [f64; 2]) -> DVec3 {
        let z = 1.0 - u.abs() - v.abs();
        let flat = if z >= 0.0 { [u, v] } else { [(1.0 - v.abs()).copysign(u), (1.0 - u.abs()).copysign(v)] };
        DVec3::new(flat[0], flat[1], z).normalize()
    }

    #[test]
    fn normals_survive_folding() {
        let axes = [DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z];
        let spiral = (0..5000).map(|k| {
            let (z, turn) = (1.0 - 2.0 * (f64::from(k) + 0.5) / 5000.0, 2.399_963 * f64::from(k));
            let radius = (1.0 - z * z).sqrt();
            DVec3::new(radius * turn.cos(), radius * turn.sin(), z)
        });
        for normal in axes.into_iter().chain(spiral) {
            let rounded = octahedral(normal).map(|c| (c * 32767.0).round() / 32767.0);
            assert!(unfold(rounded).angle_between(normal) < 1e-4, "{normal}");
        }
        assert_eq!(octahedral(DVec3::NAN), [0.0, 0.0]);
    }

    #[test]
    fn a_frame_has_the_documented_layout() {
        let mesh = Mesh {
            vertices: vec![DVec3::new(-1.0, 0.0, 5.0), DVec3::new(1.0, 0.0, 5.0), DVec3::new(0.0, 3.0, 5.0)],
            normals: vec![DVec3::Z; 3],
            triangles: vec![[0, 1, 2]],
        };
        let mut message = vec![];
        write(FrameKind::Body { id: 7, revision: 9 }, &mesh, &mut message);
        assert_eq!(&message[..8], b"SEGG\x03\x01\x02\0");
        let word = |at: usize| u32::from_le_bytes(message[at..at + 4].try_into().unwrap());
        assert_eq!([word(8), word(12), word(16), word(20)], [7, 9, 3, 1]);
        let float = |at: usize| f32::from_le_bytes(message[at..at + 4].try_into().unwrap());
        assert_eq!([float(24), float(28), float(32), float(36), float(40), float(44)], [-1.0, 0.0, 5.0, 2.0, 3.0, 0.0]);
        let half = |at: usize| u16::from_le_bytes(message[at..at + 2].try_into().unwrap());
        let positions: Vec<u16> = (0..9).map(|k| half(48 + 2 * k)).collect();
        assert_eq!(positions, [0, 0, 0, 65535, 0, 0, 32768, 65535, 0]);
        // 18 bytes of positions are padded to 20; three normals take 12; three indices 6, padded to 8.
        assert_eq!([half(48 + 20 + 12), half(48 + 20 + 14), half(48 + 20 + 16)], [0, 1, 2]);
        assert_eq!(message.len(), 48 + 20 + 12 + 8);
    }

    #[test]
    fn many_vertices_have_long_indices() {
        let count = MOST_SHORT + 1;
        let mesh = Mesh {
            vertices: (0..count).map(|k| DVec3::new(k as f64, 0.0, 1.0)).collect(),
            normals: vec![DVec3::Z; count],
            triangles: vec![[0, 1, MOST_SHORT as u32]],
        };
        let mut message = vec![];
        write(FrameKind::Body { id: 1, revision: 1 }, &mesh, &mut message);
        assert_eq!(message[6], 4);
        let corners = message.len() - 12;
        assert_eq!(message[corners + 8..], (MOST_SHORT as u32).to_le_bytes());
    }
}
