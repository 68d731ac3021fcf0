//! Files of meshes on their way to the session.
//!
//! | offset | type | field |
//! |---|---|---|
//! | 0 | 4 bytes | `SEGG` |
//! | 4 | u8 | version of the protocol |
//! | 5 | u8 | 3: file of a mesh |
//! | 6 | u16 | bytes of the name n |
//! | 8 | u32 | number of the request |
//! | 12 | n bytes | name of the file, UTF-8; its end (`.obj`, `.stl`, `.ply`) tells the format |
//! | 12 + n | the rest | content of the file |

use super::{ErrorKind, MAGIC, Refusal, VERSION};

/// Longest name, in bytes.
const LONGEST_NAME: usize = 200;
const HEADER: usize = 12;

/// A file of a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Upload<'a> {
    /// Repeated in the answer.
    pub request: u32,
    /// Name of the file.
    pub name: &'a str,
    /// Its content.
    pub content: &'a [u8],
}

impl Upload<'_> {
    /// Reads a binary message of a client.
    pub fn read(bytes: &[u8]) -> Result<Upload<'_>, Refusal> {
        let foreign = || Refusal::whole(ErrorKind::Protocol, "these bytes are neither input nor a file");
        let (header, rest) = bytes.split_at_checked(HEADER).ok_or_else(foreign)?;
        if header[..4] != MAGIC || u32::from(header[4]) != VERSION || header[5] != 3 {
            return Err(foreign());
        }
        let length = usize::from(u16::from_le_bytes([header[6], header[7]]));
        let request = u32::from_le_bytes([header[8], header[9], header[10], header[11]]);
        let (name, content) = rest.split_at_checked(length).ok_or_else(foreign)?;
        let name = std::str::from_utf8(name).map_err(|_| foreign())?;
        if name.is_empty() || length > LONGEST_NAME {
            let message = format!("the name of a file has 1 to {LONGEST_NAME} bytes");
            return Err(Refusal::at("mesh.file", message));
        }
        Ok(Upload { request, name, content })
    }

    /// The bytes of a message.
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER + self.name.len() + self.content.len());
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&[VERSION as u8, 3]);
        bytes.extend_from_slice(&(self.name.len() as u16).to_le_bytes());
        bytes.extend_from_slice(&self.request.to_le_bytes());
        bytes.extend_from_slice(self.name.as_bytes());
        bytes.extend_from_slice(self.content);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uploads_are_read_as_written_and_nothing_else_is() {
        let upload = Upload { request: 7, name: "würfel.obj", content: b"v 0 0 0" };
        let bytes = upload.write();
        assert_eq!(&bytes[..12], b"SEGG\x03\x03\x0b\0\x07\0\0\0");
        assert_eq!(Upload::read(&bytes), Ok(upload));
        for length in 0..12 + upload.name.len() {
            assert!(Upload::read(&bytes[..length]).is_err(), "{length}");
        }
        for at in 0..6 {
            let mut other = bytes.clone();
            other[at] ^= 0x40;
            assert!(Upload::read(&other).is_err(), "byte {at}");
        }
        assert!(Upload::read(&Upload { name: "", ..upload }.write()).is_err());
        assert!(Upload::read(&Upload { name: &"x".repeat(300), ..upload }.write()).is_err());
    }
}
