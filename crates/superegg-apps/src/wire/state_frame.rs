//! State frames: what changes at every step of a live session. A client that is too slow gets fewer of them, never old ones.
//!
//! | offset | type | field |
//! |---|---|---|
//! | 0 | 4 bytes | `SEGG` |
//! | 4 | u8 | version |
//! | 5 | u8 | 5: state frame |
//! | 6 | u16 | number of blocks |
//! | 8 | u32 | sequence, which grows |
//! | 12 | u32 | sequence of the input that is in it |
//! | 16 | u32 | revision of the last edit in it |
//! | 20 | u32 | steps since the session began |
//! | 24 | f32 | simulated seconds in a second |
//! | 28 | u32 | microseconds of the last step |
//! | 32 | blocks | u8 kind, u8 encoding, u16 flags, u32 object, u32 count, u32 bytes, content |
//!
//! | kind | encoding | content of one |
//! |---|---|---|
//! | 1 positions | 0: 3 × f32; 1: 3 × u16 in 65535ths of a box of 6 × f32 (corner, extent) that comes first | a vertex |
//! | 3 poses | 0: u32 id, 3 × f32 position, 4 × i16 quaternion in 32767ths | a body |
//! | 4 scalars | 0: f32 | a number |

use glam::{DQuat, DVec3};

use super::{MAGIC, VERSION, pad};

/// Bytes before the first block.
pub const HEADER: usize = 32;
/// Steps of a box that the shortest edge has at least, or positions are sent as they are.
const FINEST: f64 = 256.0;

/// A part of a state frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    kind: u8,
    encoding: u8,
    object: u32,
    count: u32,
    content: Vec<u8>,
}

impl Block {
    /// Vertices. `shortest` is the length of the shortest edge between them: where 16 bits in the box of all are too coarse
    /// for it, they are sent as `f32`.
    pub fn positions(object: u32, positions: &[DVec3], shortest: f64) -> Block {
        let mut corners = positions.iter().copied();
        let first = corners.next().unwrap_or(DVec3::ZERO);
        let (low, high) = corners.fold((first, first), |(low, high), at| (low.min(at), high.max(at)));
        let extent = high - low;
        let fine = extent.max_element() / 65535.0 * FINEST <= shortest;
        let mut content = Vec::with_capacity(24 + positions.len() * if fine { 6 } else { 12 });
        if fine {
            for corner in [low, extent] {
                put_floats(&mut content, corner);
            }
            let scale = extent.map(|length| if length > 0.0 { 65535.0 / length } else { 0.0 });
            for at in positions {
                let part = (*at - low) * scale;
                for component in part.to_array() {
                    content.extend_from_slice(&(component.round() as u16).to_le_bytes());
                }
            }
        } else {
            for at in positions {
                put_floats(&mut content, *at);
            }
        }
        Block { kind: 1, encoding: u8::from(fine), object, count: positions.len() as u32, content }
    }

    /// Where bodies are.
    pub fn poses(object: u32, poses: &[(u32, DVec3, DQuat)]) -> Block {
        let mut content = Vec::with_capacity(24 * poses.len());
        for (id, position, rotation) in poses {
            content.extend_from_slice(&id.to_le_bytes());
            put_floats(&mut content, *position);
            for component in rotation.normalize().to_array() {
                content.extend_from_slice(&((component * 32767.0).round() as i16).to_le_bytes());
            }
        }
        Block { kind: 3, encoding: 0, object, count: poses.len() as u32, content }
    }

    /// Numbers.
    pub fn scalars(object: u32, values: &[f64]) -> Block {
        let content = values.iter().flat_map(|value| (*value as f32).to_le_bytes()).collect();
        Block { kind: 4, encoding: 0, object, count: values.len() as u32, content }
    }
}

fn put_floats(content: &mut Vec<u8>, vector: DVec3) {
    for component in vector.to_array() {
        content.extend_from_slice(&(component as f32).to_le_bytes());
    }
}

/// What a frame says about itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Head {
    /// Grows with every frame.
    pub sequence: u32,
    /// The newest input that is in it.
    pub input: u32,
    /// The last edit that is in it.
    pub revision: u32,
    /// Steps since the session began.
    pub tick: u32,
    /// Simulated seconds in a second.
    pub speed: f32,
    /// Microseconds of the last step.
    pub step: u32,
}

/// The bytes of a frame.
pub fn write(head: Head, blocks: &[Block]) -> Vec<u8> {
    let size: usize = blocks.iter().map(|block| 20 + block.content.len()).sum();
    let mut bytes = Vec::with_capacity(HEADER + size);
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&[VERSION as u8, 5]);
    bytes.extend_from_slice(&(blocks.len() as u16).to_le_bytes());
    for number in [head.sequence, head.input, head.revision, head.tick, head.speed.to_bits(), head.step] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    for block in blocks {
        bytes.extend_from_slice(&[block.kind, block.encoding, 0, 0]);
        for number in [block.object, block.count, block.content.len() as u32] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&block.content);
        pad(&mut bytes);
    }
    bytes
}

/// The head of a frame, for clients that are programs.
pub fn read_head(bytes: &[u8]) -> Option<Head> {
    let header = bytes.get(..HEADER)?;
    if header[..4] != MAGIC || header[5] != 5 {
        return None;
    }
    let word = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    Some(Head {
        sequence: word(8),
        input: word(12),
        revision: word(16),
        tick: word(20),
        speed: f32::from_bits(word(24)),
        step: word(28),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_has_the_documented_layout() {
        let blocks = [
            Block::positions(7, &[DVec3::ZERO, DVec3::new(2.0, 1.0, 0.0)], 1.0),
            Block::scalars(8, &[0.5, -1.0]),
            Block::poses(9, &[(3, DVec3::X, DQuat::from_xyzw(0.0, 0.0, 1.0, 0.0))]),
        ];
        let head = Head { sequence: 1, input: 2, revision: 3, tick: 4, speed: 0.5, step: 6 };
        let bytes = write(head, &blocks);
        assert_eq!(read_head(&bytes), Some(head));
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!((&bytes[32..36], word(36), word(40), word(44)), (b"\x01\x01\0\0".as_slice(), 7, 2, 36));
        let half = |at: usize| u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap());
        assert_eq!([half(72), half(78), half(80), half(82)], [0, 65535, 65535, 0]);
        let second = 32 + 16 + 36;
        assert_eq!((bytes[second], word(second + 8), f32::from_bits(word(second + 16))), (4, 2, 0.5));
        let third = second + 16 + 8;
        assert_eq!((bytes[third], word(third + 16), f32::from_bits(word(third + 20))), (3, 3, 1.0));
        assert_eq!(bytes.len(), third + 16 + 24);
    }

    #[test]
    fn positions_are_exact_enough_for_their_edges() {
        let line: Vec<DVec3> =
            (0..200).map(|k| DVec3::new(f64::from(k) * 0.01, (f64::from(k) * 0.1).sin(), 0.3)).collect();
        let fine = Block::positions(0, &line, 0.01);
        assert_eq!((fine.encoding, fine.content.len()), (1, 24 + 6 * 200));
        // An edge of less than 256 steps of the box.
        let coarse = Block::positions(0, &line, 0.005);
        assert_eq!((coarse.encoding, coarse.content.len()), (0, 12 * 200));
    }
}
