//! Stereolithography, ascii and binary, read; binary, written.

use std::collections::HashMap;
use std::io::{self, BufReader, Cursor, Write};

use glam::DVec3;

use crate::polygon::Parts;

/// Writes a mesh as a binary file, in which coordinates are single numbers.
///
/// ```
/// use superegg_io::stl::write_stl;
/// use superegg_mesh::DVec3;
/// let mut file = Vec::new();
/// write_stl(&mut file, &[DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]])?;
/// assert_eq!(file.len(), 84 + 50);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_stl(mut to: impl Write, positions: &[DVec3], triangles: &[[u32; 3]]) -> io::Result<()> {
    let facets: Vec<stl_io::Triangle> = triangles
        .iter()
        .map(|corners| {
            let [a, b, c] = corners.map(|v| positions[v as usize]);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            stl_io::Triangle {
                normal: stl_io::Normal::new(normal.as_vec3().to_array()),
                vertices: [a, b, c].map(|corner| stl_io::Vertex::new(corner.as_vec3().to_array())),
            }
        })
        .collect();
    stl_io::write_stl(&mut to, facets.iter())
}

/// The triangles of an STL file, with equal corners made one vertex, numbered as they first come.
pub(crate) fn parse(bytes: &[u8]) -> Result<Parts, String> {
    let mut reader = BufReader::new(Cursor::new(bytes));
    let facets = stl_io::create_stl_reader(&mut reader).map_err(|error| error.to_string())?;
    let mut numbers: HashMap<[u32; 3], u32> = HashMap::new();
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    for (index, facet) in facets.enumerate() {
        let facet = facet.map_err(|error| format!("facet {index}: {error}"))?;
        triangles.push(facet.vertices.map(|corner| {
            // Adding zero makes the two zeros one.
            let corner: [f32; 3] = <[f32; 3]>::from(corner).map(|x| x + 0.0);
            *numbers.entry(corner.map(f32::to_bits)).or_insert_with(|| {
                positions.push(DVec3::from_array(corner.map(f64::from)));
                positions.len() as u32 - 1
            })
        }));
    }
    Ok((positions, triangles))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square() -> Parts {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.5], [0.0, 1.0, 0.0]];
        (corners.map(DVec3::from_array).to_vec(), vec![[0, 1, 2], [0, 2, 3]])
    }

    #[test]
    fn stl_of_both_kinds_is_welded() {
        let (positions, triangles) = square();
        let mut binary = Vec::new();
        write_stl(&mut binary, &positions, &triangles).unwrap();
        assert_eq!(parse(&binary), Ok(square()));
        binary.truncate(binary.len() - 7);
        assert!(parse(&binary).is_err());
        let ascii = "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0.5\nendloop\nendfacet\n\
                     facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 1 0.5\nvertex 0 1 0\nendloop\nendfacet\nendsolid s\n";
        assert_eq!(parse(ascii.as_bytes()), Ok(square()));
    }
}
