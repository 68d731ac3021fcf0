//! What hands do, once an animation frame while a session is live: places in the world, never pixels.
//!
//! | offset | type | field |
//! |---|---|---|
//! | 0 | 4 bytes | `SEGG` |
//! | 4 | u8 | version |
//! | 5 | u8 | 4: input |
//! | 6 | u16 | number of records n, at most [`MOST`] |
//! | 8 | u32 | sequence, which grows |
//! | 12 | u32 | drawn: the last state frame on the screen, which acknowledges it |
//! | 16 | n × 32 bytes | records: u8 control, u8 phase, u16 flags, u32 object, 6 × f32 |

use super::{ErrorKind, MAGIC, Refusal, VERSION};

/// Most records of a message.
pub const MOST: usize = 64;
const HEADER: usize = 16;
const RECORD: usize = 32;

/// What a hand does with a control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It moved; only the latest counts.
    Move,
    /// It took hold.
    Press,
    /// It let go.
    Release,
    /// What it did since the press is taken back.
    Cancel,
}

/// One hand on one control. Numbers are as the app means them, and finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Control {
    /// Which control.
    pub control: u8,
    /// What happened.
    pub phase: Phase,
    /// As the app means them.
    pub flags: u16,
    /// Which object of the session.
    pub object: u32,
    /// A place in the world, and three more numbers.
    pub values: [f32; 6],
}

/// A message of input.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Grows.
    pub sequence: u32,
    /// The last state frame that was drawn.
    pub drawn: u32,
    /// In order.
    pub controls: Vec<Control>,
}

impl Input {
    /// Whether these bytes are meant to be input.
    pub fn claims(bytes: &[u8]) -> bool {
        bytes.len() > 5 && bytes[..4] == MAGIC && bytes[5] == 4
    }

    /// Reads a message. Records that are not finite are left out: a hand cannot be nowhere.
    pub fn read(bytes: &[u8]) -> Result<Input, Refusal> {
        let foreign = || Refusal::whole(ErrorKind::Protocol, "this is no input");
        let (header, rest) = bytes.split_at_checked(HEADER).ok_or_else(foreign)?;
        let count = usize::from(u16::from_le_bytes([header[6], header[7]]));
        if header[..4] != MAGIC || u32::from(header[4]) != VERSION || header[5] != 4 {
            return Err(foreign());
        }
        if count > MOST || rest.len() != count * RECORD {
            return Err(foreign());
        }
        let word =
            |bytes: &[u8], at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let mut controls = Vec::with_capacity(count);
        for record in rest.chunks_exact(RECORD) {
            let phase = match record[1] {
                0 => Phase::Move,
                1 => Phase::Press,
                2 => Phase::Release,
                3 => Phase::Cancel,
                _ => return Err(foreign()),
            };
            let values: [f32; 6] = std::array::from_fn(|k| f32::from_bits(word(record, 8 + 4 * k)));
            if values.iter().all(|value| value.is_finite()) {
                let flags = u16::from_le_bytes([record[2], record[3]]);
                controls.push(Control { control: record[0], phase, flags, object: word(record, 4), values });
            }
        }
        Ok(Input { sequence: word(header, 8), drawn: word(header, 12), controls })
    }

    /// The bytes of a message.
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER + RECORD * self.controls.len());
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&[VERSION as u8, 4]);
        bytes.extend_from_slice(&(self.controls.len() as u16).to_le_bytes());
        bytes.extend_from_slice(&self.sequence.to_le_bytes());
        bytes.extend_from_slice(&self.drawn.to_le_bytes());
        for control in &self.controls {
            bytes.extend_from_slice(&[control.control, control.phase as u8]);
            bytes.extend_from_slice(&control.flags.to_le_bytes());
            bytes.extend_from_slice(&control.object.to_le_bytes());
            for value in control.values {
                bytes.extend_from_slice(&value.to_le_bytes());
            }
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_is_read_as_written_and_nothing_else_is() {
        let control =
            Control { control: 2, phase: Phase::Press, flags: 3, object: 9, values: [1.0, -2.0, 0.5, 0.0, 4.0, 5.0] };
        let input = Input { sequence: 7, drawn: 5, controls: vec![control, Control { phase: Phase::Move, ..control }] };
        let bytes = input.write();
        assert_eq!(&bytes[..16], b"SEGG\x03\x04\x02\0\x07\0\0\0\x05\0\0\0");
        assert_eq!(bytes.len(), 16 + 64);
        assert_eq!(Input::read(&bytes), Ok(input.clone()));
        for length in 0..bytes.len() {
            assert!(Input::read(&bytes[..length]).is_err(), "{length}");
        }
        let mut other = bytes.clone();
        other[17] = 4;
        assert!(Input::read(&other).is_err());
        let nowhere = Control { values: [f32::NAN; 6], ..control };
        let read = Input::read(&Input { controls: vec![nowhere, control], ..input.clone() }.write()).unwrap();
        assert_eq!(read.controls, [control]);
        assert!(Input::read(&Input { controls: vec![control; MOST + 1], ..input }.write()).is_err());
    }
}
