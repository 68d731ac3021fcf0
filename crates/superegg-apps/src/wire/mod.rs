//! What travels between a client and its session, version [`VERSION`]; described for people in `docs/studio-protocol.md`.
//!
//! What is rare is JSON, one object with one field named after the message; what is frequent is binary and begins with
//! `SEGG`. The TypeScript side of the types is generated from them: see the test `typescript`.

pub mod base64;
pub mod envelope;
pub mod geometry;
pub mod input;
mod refusal;
pub mod state_frame;
#[cfg(test)]
mod typescript;
pub mod upload;

pub use input::{Control, Phase};
pub use refusal::{ErrorKind, Failure, Refusal, defect, read};

/// Version of the platform's messages; both sides refuse any other.
pub const VERSION: u32 = 3;
/// What every binary message begins with.
pub const MAGIC: [u8; 4] = *b"SEGG";

/// Three numbers.
pub type Vector = [f64; 3];
/// A quaternion x, y, z, w.
pub type Quaternion = [f64; 4];

fn pad(message: &mut Vec<u8>) {
    message.resize(message.len().next_multiple_of(4), 0);
}
