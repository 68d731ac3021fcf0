//! Several files as one archive (ZIP), stored as they are: meshes beside a robot's file.

use std::io::{self, Write};

/// The polynomial of ZIP's checksums, bits reversed.
const POLYNOMIAL: u32 = 0xedb8_8320;
/// The first day that the format knows, for files without a date: two bytes of time, two of day.
const NO_DATE: [u8; 4] = [0, 0, 0x21, 0];

/// Writes files by their names, in order.
///
/// ```
/// let mut bytes = vec![];
/// superegg_io::zip::write_zip(&mut bytes, &[("a.txt".to_owned(), b"egg".to_vec())])?;
/// assert!(bytes.starts_with(b"PK") && bytes.windows(3).any(|part| part == b"egg"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_zip(mut to: impl Write, files: &[(String, Vec<u8>)]) -> io::Result<()> {
    let large = || io::Error::new(io::ErrorKind::InvalidInput, "an archive holds 65,535 files and 4 GB at most");
    let count = u16::try_from(files.len()).map_err(|_| large())?;
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let [Ok(size), Ok(start)] = [content.len(), archive.len()].map(u32::try_from) else { return Err(large()) };
        let length = u16::try_from(name.len()).map_err(|_| large())?;
        // Version 2.0, names in UTF-8, stored; checksum, both sizes; lengths of the name and of nothing else.
        let mut head = vec![20, 0, 0, 8, 0, 0];
        head.extend(NO_DATE);
        [checksum(content), size, size].iter().for_each(|word| head.extend(word.to_le_bytes()));
        head.extend(length.to_le_bytes());
        head.extend([0, 0]);
        archive.extend(b"PK\x03\x04");
        archive.extend(&head);
        archive.extend(name.as_bytes());
        archive.extend(content);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&head);
        directory.extend([0; 10]);
        directory.extend(start.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let [Ok(start), Ok(length)] = [archive.len(), directory.len()].map(u32::try_from) else { return Err(large()) };
    archive.extend(directory);
    archive.extend(b"PK\x05\x06\x00\x00\x00\x00");
    [count, count].iter().for_each(|number| archive.extend(number.to_le_bytes()));
    [length, start].iter().for_each(|number| archive.extend(number.to_le_bytes()));
    archive.extend([0, 0]);
    to.write_all(&archive)
}

fn checksum(content: &[u8]) -> u32 {
    let step = |sum: u32, byte: &u8| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| if sum & 1 == 1 { (sum >> 1) ^ POLYNOMIAL } else { sum >> 1 })
    };
    !content.iter().fold(!0, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_known_one() {
        assert_eq!(checksum(b"123456789"), 0xcbf4_3926);
    }
}
