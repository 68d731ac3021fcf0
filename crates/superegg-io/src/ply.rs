//! The polygon file format: ascii, and binary of either byte order.
//!
//! Written here rather than taken from a crate: the crates either build a map for every vertex, which is many times
//! slower on large meshes, or allocate what the header claims. Elements and properties other than positions and face
//! corners are skipped.

use glam::DVec3;

use crate::polygon::{Parts, cut_polygon};

/// A number's type in the file.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn parse(name: &str) -> Option<Scalar> {
        Some(match name {
            "char" | "int8" => Scalar::I8,
            "uchar" | "uint8" => Scalar::U8,
            "short" | "int16" => Scalar::I16,
            "ushort" | "uint16" => Scalar::U16,
            "int" | "int32" => Scalar::I32,
            "uint" | "uint32" => Scalar::U32,
            "float" | "float32" => Scalar::F32,
            "double" | "float64" => Scalar::F64,
            _ => return None,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Encoding {
    Ascii,
    Little,
    Big,
}

#[derive(Debug)]
struct Property {
    name: String,
    /// The type of a list's length, for a list.
    length: Option<Scalar>,
    scalar: Scalar,
}

#[derive(Debug)]
struct Element {
    name: String,
    count: usize,
    properties: Vec<Property>,
}

/// Reads positions and triangles; polygons become fans.
pub(crate) fn parse(bytes: &[u8]) -> Result<Parts, String> {
    let Header { encoding, elements, body, lines } = header(bytes)?;
    let mut values = Values { encoding, rest: body, line: lines };
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    let mut corners = Vec::new();
    for element in &elements {
        let axes = match element.name.as_str() {
            "vertex" => Some(["x", "y", "z"].map(|axis| element.properties.iter().position(|p| p.name == axis))),
            _ => None,
        };
        if axes.is_some_and(|axes| axes.contains(&None)) {
            return Err("header: the element vertex lacks one of the properties x, y, z".into());
        }
        for index in 0..element.count {
            let within = |message: String| format!("{} {index}: {message}", element.name);
            let mut position = DVec3::ZERO;
            for (number, property) in element.properties.iter().enumerate() {
                let Some(length) = property.length else {
                    let value = values.next(property.scalar).map_err(within)?;
                    if let Some(axis) = axes.and_then(|axes| axes.iter().position(|&a| a == Some(number))) {
                        position[axis] = value;
                    }
                    continue;
                };
                let length = values.next(length).map_err(within)?;
                let is_face = element.name == "face" && ["vertex_indices", "vertex_index"].contains(&&*property.name);
                corners.clear();
                // The length is never used to allocate: a false one runs into the end of the file.
                for _ in 0..length as u64 {
                    let value = values.next(property.scalar).map_err(within)?;
                    if is_face {
                        if !(value >= 0.0 && value < f64::from(u32::MAX) && value.fract() == 0.0) {
                            return Err(within(format!("{value} is no vertex index")));
                        }
                        corners.push(value as u32);
                    }
                }
                if is_face {
                    if corners.len() < 3 {
                        return Err(within(format!("a face of {} vertices", corners.len())));
                    }
                    cut_polygon(&corners, &mut triangles);
                }
            }
            if element.properties.is_empty() {
                break;
            }
            if axes.is_some() {
                positions.push(position);
            }
        }
    }
    Ok((positions, triangles))
}

/// What comes before the values.
struct Header<'a> {
    encoding: Encoding,
    elements: Vec<Element>,
    /// The bytes after it.
    body: &'a [u8],
    /// How many lines it took.
    lines: usize,
}

fn header(bytes: &[u8]) -> Result<Header<'_>, String> {
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    let mut rest = bytes;
    let mut number = 0;
    loop {
        number += 1;
        let within = |message: &str| format!("line {number}: {message}");
        let end = rest.iter().position(|&b| b == b'\n').ok_or_else(|| within("the header has no end_header"))?;
        let line = std::str::from_utf8(&rest[..end]).map_err(|_| within("the header is no text"))?;
        rest = &rest[end + 1..];
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["ply"] if number == 1 => {}
            _ if number == 1 => return Err(within("the file does not begin with \"ply\"")),
            ["format", kind, "1.0"] => {
                encoding = Some(match *kind {
                    "ascii" => Encoding::Ascii,
                    "binary_little_endian" => Encoding::Little,
                    "binary_big_endian" => Encoding::Big,
                    _ => return Err(within(&format!("unknown format {kind}"))),
                });
            }
            ["comment" | "obj_info", ..] | [] => {}
            ["element", name, count] => {
                let count = count.parse().map_err(|_| within(&format!("{count:?} is no count")))?;
                elements.push(Element { name: (*name).into(), count, properties: Vec::new() });
            }
            ["property", kind @ .., name] => {
                let scalar = |name: &str| Scalar::parse(name).ok_or_else(|| within(&format!("unknown type {name}")));
                let property = match kind {
                    ["list", length, item] => {
                        Property { name: (*name).into(), length: Some(scalar(length)?), scalar: scalar(item)? }
                    }
                    [item] => Property { name: (*name).into(), length: None, scalar: scalar(item)? },
                    _ => return Err(within("malformed property")),
                };
                let element = elements.last_mut().ok_or_else(|| within("a property before any element"))?;
                element.properties.push(property);
            }
            ["end_header"] => break,
            _ => return Err(within(&format!("{line:?} is no header line"))),
        }
    }
    let encoding = encoding.ok_or("header: no format line")?;
    Ok(Header { encoding, elements, body: rest, lines: number })
}

/// Reads one number after the other.
struct Values<'a> {
    encoding: Encoding,
    rest: &'a [u8],
    line: usize,
}

impl Values<'_> {
    fn next(&mut self, scalar: Scalar) -> Result<f64, String> {
        match scalar {
            _ if self.encoding == Encoding::Ascii => self.word(),
            Scalar::I8 => self.binary(i8::from_le_bytes, i8::from_be_bytes).map(f64::from),
            Scalar::U8 => self.binary(u8::from_le_bytes, u8::from_be_bytes).map(f64::from),
            Scalar::I16 => self.binary(i16::from_le_bytes, i16::from_be_bytes).map(f64::from),
            Scalar::U16 => self.binary(u16::from_le_bytes, u16::from_be_bytes).map(f64::from),
            Scalar::I32 => self.binary(i32::from_le_bytes, i32::from_be_bytes).map(f64::from),
            Scalar::U32 => self.binary(u32::from_le_bytes, u32::from_be_bytes).map(f64::from),
            Scalar::F32 => self.binary(f32::from_le_bytes, f32::from_be_bytes).map(f64::from),
            Scalar::F64 => self.binary(f64::from_le_bytes, f64::from_be_bytes),
        }
    }

    fn binary<T, const N: usize>(&mut self, little: fn([u8; N]) -> T, big: fn([u8; N]) -> T) -> Result<T, String> {
        let (bytes, rest) = self.rest.split_first_chunk::<N>().ok_or("the file ends here")?;
        self.rest = rest;
        Ok(if self.encoding == Encoding::Big { big(*bytes) } else { little(*bytes) })
    }

    fn word(&mut self) -> Result<f64, String> {
        let start = self.rest.iter().position(|b| !b.is_ascii_whitespace()).ok_or("the file ends here")?;
        self.line += self.rest[..start].iter().filter(|&&b| b == b'\n').count();
        let rest = &self.rest[start..];
        let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let line = self.line + 1;
        self.rest = &rest[end..];
        let word = String::from_utf8_lossy(&rest[..end]);
        word.parse().map_err(|_| format!("line {line}: {word:?} is not a number"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASCII: &str = "ply\nformat ascii 1.0\ncomment a square\nelement vertex 4\nproperty float nx\nproperty double x\n\
        property float y\nproperty float z\nelement face 1\nproperty uchar flag\nproperty list uchar int vertex_indices\n\
        element edge 1\nproperty int a\nend_header\n9 0 0 0\n9 1 0 0\n9 1 1 0.5\n9 0 1 0\n7 4 0 1 2 3\n5\n";

    fn binary(
        format: &str,
        bytes4: fn(f32) -> [u8; 4],
        bytes8: fn(f64) -> [u8; 8],
        int: fn(i32) -> [u8; 4],
    ) -> Vec<u8> {
        let (head, _) = ASCII.split_once("end_header\n").unwrap();
        let mut out = format!("{}end_header\n", head.replace("ascii", format)).into_bytes();
        for [x, y, z] in [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.5], [0.0, 1.0, 0.0f32]] {
            out.extend(bytes4(9.0));
            out.extend(bytes8(x.into()));
            out.extend(bytes4(y).iter().chain(&bytes4(z)));
        }
        out.extend([7, 4]);
        (0..4).for_each(|i| out.extend(int(i)));
        out.extend(int(5));
        out
    }

    #[test]
    fn all_encodings_give_the_same_mesh() {
        let wanted: Parts = (
            [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.5], [0.0, 1.0, 0.0]].map(DVec3::from_array).to_vec(),
            vec![[0, 1, 2], [0, 2, 3]],
        );
        assert_eq!(parse(ASCII.as_bytes()), Ok(wanted.clone()));
        let little = binary("binary_little_endian", f32::to_le_bytes, f64::to_le_bytes, i32::to_le_bytes);
        let big = binary("binary_big_endian", f32::to_be_bytes, f64::to_be_bytes, i32::to_be_bytes);
        assert_eq!(parse(&little), Ok(wanted.clone()));
        assert_eq!(parse(&big), Ok(wanted));
        // Cut anywhere, a file is refused; it never panics.
        for bytes in [ASCII.as_bytes(), &little, &big] {
            for len in 0..bytes.len() - 4 {
                assert!(parse(&bytes[..len]).is_err(), "cut at {len}");
            }
        }
    }

    #[test]
    fn hostile_headers_neither_allocate_nor_hang() {
        for (text, wanted) in [
            (
                "ply\nformat ascii 1.0\nelement vertex 18446744073709551615\nproperty float x\nproperty float y\nproperty float z\nend_header\n",
                "vertex 0: the file ends here",
            ),
            (
                "ply\nformat ascii 1.0\nelement face 1\nproperty list int int vertex_indices\nend_header\n2147483647 1 2\n",
                "face 0: the file ends here",
            ),
            (
                "ply\nformat ascii 1.0\nelement face 1\nproperty list int int vertex_indices\nend_header\n3 0 1 -2\n",
                "face 0: -2 is no vertex index",
            ),
            (
                "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n",
                "header: the element vertex lacks",
            ),
            ("ply\nformat ascii 1.0\nelement junk 18446744073709551615\nend_header\n", ""),
            ("plyx\n", "line 1: the file does not begin"),
            (
                "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2\n q\n",
                "vertex 0: line 9: \"q\" is not a number",
            ),
        ] {
            match parse(text.as_bytes()) {
                Ok(parts) => assert!(wanted.is_empty() && parts.0.is_empty()),
                Err(message) => assert!(!wanted.is_empty() && message.starts_with(wanted), "{message}"),
            }
        }
    }
}
