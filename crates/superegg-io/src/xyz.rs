//! Point clouds as lines of text: three coordinates a line, separated by blanks, commas, semicolons or tabs; what follows them
//! (normals, colours) is ignored, and so are empty lines, lines that begin with `#` or `//`, and a first line that is a count or
//! a head.

use glam::DVec3;

use crate::polygon::Parts;

/// Reads the points; there are no triangles.
pub(crate) fn parse(bytes: &[u8]) -> Result<Parts, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| format!("byte {}: not UTF-8 text", error.valid_up_to()))?;
    let mut points = Vec::new();
    let mut first = true;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') || line.starts_with("//") {
            continue;
        }
        let words: Vec<&str> =
            line.split(|c: char| c.is_whitespace() || c == ',' || c == ';').filter(|w| !w.is_empty()).take(3).collect();
        let numbers: Vec<f64> = words.iter().map_while(|word| word.parse().ok()).collect();
        match numbers[..] {
            [x, y, z] => points.push(DVec3::new(x, y, z)),
            // A count of points, or the names of the columns.
            _ if first => {}
            _ if words.len() < 3 => return Err(format!("line {number}: a point has three coordinates")),
            _ => return Err(format!("line {number}: {:?} is not a number", words[numbers.len()])),
        }
        first = false;
    }
    Ok((points, Vec::new()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_comments_and_heads() {
        let text = "x,y,z,nx\n# a comment\n1,2,3,0\n\n 4\t5 6\n7; 8;9 255 0 0\n";
        let wanted = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]].map(DVec3::from_array).to_vec();
        assert_eq!(parse(text.as_bytes()), Ok((wanted.clone(), Vec::new())));
        assert_eq!(parse(b"3\n1 2 3\n4 5 6\n7 8 9\n"), Ok((wanted, Vec::new())));
    }

    #[test]
    fn errors_name_the_line() {
        assert_eq!(parse(b"1 2 3\n4 5\n").unwrap_err(), "line 2: a point has three coordinates");
        assert_eq!(parse(b"1 2 3\n4 5 six\n").unwrap_err(), "line 2: \"six\" is not a number");
        assert!(parse(b"\xff\xfe1 2 3").unwrap_err().starts_with("byte 0"));
    }
}
