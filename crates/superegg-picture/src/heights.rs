//! Heights as a picture of sixteen-bit greys, as terrain tools read them.

use std::io::{self, Write};

/// Writes rows of greys from the top, each of `width` numbers, as a PNG file.
///
/// ```
/// let mut file = Vec::new();
/// superegg_picture::write_heights(&mut file, 2, &[0, 65535, 300, 40000])?;
/// assert_eq!(file[1..4], *b"PNG");
/// assert!(superegg_picture::write_heights(&mut file, 3, &[0; 4]).is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_heights(to: impl Write, width: usize, greys: &[u16]) -> io::Result<()> {
    if width == 0 || greys.is_empty() || !greys.len().is_multiple_of(width) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("{} numbers are no rows of {width}", greys.len()),
        ));
    }
    let mut encoder = png::Encoder::new(to, width as u32, (greys.len() / width) as u32);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Sixteen);
    encoder.set_compression(png::Compression::High);
    let mut writer = encoder.write_header()?;
    let bytes: Vec<u8> = greys.iter().flat_map(|grey| grey.to_be_bytes()).collect();
    writer.write_image_data(&bytes)?;
    writer.finish()?;
    Ok(())
}
