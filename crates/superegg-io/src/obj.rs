//! Wavefront OBJ files, read and written.

use std::io::{self, Write};

use glam::DVec3;

use crate::polygon::{Parts, cut_polygon};

/// A named mesh.
#[derive(Clone, Copy, Debug)]
pub struct Object<'a> {
    /// Its name in the file; spaces become underscores.
    pub name: &'a str,
    /// Its vertices.
    pub positions: &'a [DVec3],
    /// Vertex indices of its triangles.
    pub triangles: &'a [[u32; 3]],
}

/// Writes several meshes to one file.
///
/// ```
/// use superegg_io::obj::{Object, write_obj};
/// use superegg_mesh::DVec3;
/// let positions = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let mut file = Vec::new();
/// write_obj(&mut file, &[Object { name: "one triangle", positions: &positions, triangles: &[[0, 1, 2]] }])?;
/// assert!(String::from_utf8(file).unwrap().ends_with("f 1 2 3\n"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_obj(mut to: impl Write, objects: &[Object]) -> io::Result<()> {
    let mut first = 1;
    for object in objects {
        writeln!(to, "o {}", object.name.replace(char::is_whitespace, "_"))?;
        for p in object.positions {
            // The shortest numbers that are read back to the same bits.
            writeln!(to, "v {} {} {}", p.x, p.y, p.z)?;
        }
        for triangle in object.triangles {
            let [a, b, c] = triangle.map(|v| v as usize + first);
            writeln!(to, "f {a} {b} {c}")?;
        }
        first += object.positions.len();
    }
    Ok(())
}

/// Positions and faces of an OBJ file; everything else in it is ignored. Read here rather than by a crate, since the
/// crates renumber the vertices and collisions are reported by their number in the file.
pub(crate) fn parse(bytes: &[u8]) -> Result<Parts, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| format!("byte {}: not UTF-8 text", error.valid_up_to()))?;
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    let mut corners = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let mut coordinate = || {
                    let word = words.next().ok_or_else(|| format!("line {number}: a vertex has three coordinates"))?;
                    word.parse::<f64>().map_err(|_| format!("line {number}: {word:?} is not a number"))
                };
                positions.push(DVec3::new(coordinate()?, coordinate()?, coordinate()?));
            }
            Some("f") => {
                corners.clear();
                for word in words {
                    corners.push(obj_index(word, positions.len()).ok_or_else(|| {
                        format!("line {number}: {word:?} names none of the {} vertices so far", positions.len())
                    })?);
                }
                if corners.len() < 3 {
                    return Err(format!("line {number}: a face of {} vertices", corners.len()));
                }
                cut_polygon(&corners, &mut triangles);
            }
            _ => {}
        }
    }
    Ok((positions, triangles))
}

/// The vertex named by `7`, `7/1`, `7/1/2` or, counted backwards from the last, `-1`.
fn obj_index(word: &str, vertices: usize) -> Option<u32> {
    let index: i64 = word.split('/').next()?.parse().ok()?;
    let vertex = if index < 0 { (vertices as i64).checked_add(index)? } else { index - 1 };
    if (0..vertices as i64).contains(&vertex) { u32::try_from(vertex).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six decimals moved vertices by up to half a micrometre, and small meshes into points.
    #[test]
    fn what_is_written_is_read_back_to_the_same_bits() {
        let positions = [DVec3::new(0.1 + 0.2, -1.0 / 3.0, 1e-9), DVec3::X * 1e17, DVec3::new(5e-324, -0.0, 1e30)];
        let mut file = Vec::new();
        write_obj(&mut file, &[Object { name: "a", positions: &positions, triangles: &[[0, 1, 2]] }]).unwrap();
        let (read, _) = parse(&file).unwrap();
        let bits =
            |points: &[DVec3]| -> Vec<u64> { points.iter().flat_map(|p| p.to_array()).map(f64::to_bits).collect() };
        assert_eq!(bits(&read), bits(&positions));
    }

    fn square() -> Parts {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.5], [0.0, 1.0, 0.0]];
        (corners.map(DVec3::from_array).to_vec(), vec![[0, 1, 2], [0, 2, 3]])
    }

    #[test]
    fn obj_polygons_and_all_ways_to_name_a_vertex() {
        let text = "# a square\nv 0 0 0\nv 1 0 0\nvn 0 0 1\nv 1 1 0.5\nv 0 1 0\nf 1/1/1 2//1 -2 4\n";
        assert_eq!(parse(text.as_bytes()), Ok(square()));
    }

    #[test]
    fn obj_errors_name_the_line() {
        for (text, wanted) in [
            ("v 0 0\n", "line 1: a vertex has three coordinates"),
            ("v 0 0 zero\n", "line 1: \"zero\" is not a number"),
            ("v 0 0 0\nf 1 1\n", "line 2: a face of 2 vertices"),
            ("v 0 0 0\nf 1 2 1\n", "line 2: \"2\" names none of the 1 vertices so far"),
            ("v 0 0 0\nf 0 1 1\n", "line 2: \"0\" names none of the 1 vertices so far"),
            ("v 0 0 0\nf 1 -9223372036854775808 1\n", "line 2: \"-9223372036854775808\" names none"),
        ] {
            let message = parse(text.as_bytes()).unwrap_err();
            assert!(message.starts_with(wanted), "{message}");
        }
    }
}
