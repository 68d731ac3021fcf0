//! Triangle meshes from PLY, OBJ and STL files.

use std::collections::HashMap;
use std::io::{BufReader, Cursor};
use std::path::Path;

use glam::DVec3;
use superegg_mesh::TriangleMesh;

use crate::{ReadError, ply};

/// The mesh formats that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFormat {
    /// Polygon file format, ascii or binary of either byte order.
    Ply,
    /// Wavefront OBJ.
    Obj,
    /// Stereolithography, ascii or binary. Corners at bitwise equal positions become one vertex.
    Stl,
}

impl MeshFormat {
    /// Guesses the format from a file name.
    pub fn of(path: &Path) -> Option<MeshFormat> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "ply" => Some(MeshFormat::Ply),
            "obj" => Some(MeshFormat::Obj),
            "stl" => Some(MeshFormat::Stl),
            _ => None,
        }
    }
}

/// Reads a mesh, its format told by the file name. Polygons become fans of triangles.
pub fn read_mesh(path: &Path) -> Result<TriangleMesh, ReadError> {
    // Before the file is opened, so that a wrong name is what is complained about.
    format_of(path)?;
    let bytes = std::fs::read(path).map_err(|source| ReadError::Io { path: path.into(), source })?;
    parse_mesh(path, &bytes)
}

/// Reads a mesh from the content of a file; its name tells the format and is named in refusals.
///
/// ```
/// use std::path::Path;
/// use superegg_io::parse_mesh;
/// let mesh = parse_mesh(Path::new("one.obj"), b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")?;
/// assert_eq!(mesh.triangles(), [[0, 1, 2]]);
/// assert!(parse_mesh(Path::new("one.txt"), b"").is_err());
/// # Ok::<(), superegg_io::ReadError>(())
/// ```
pub fn parse_mesh(name: &Path, bytes: &[u8]) -> Result<TriangleMesh, ReadError> {
    let (positions, triangles) =
        parse(bytes, format_of(name)?).map_err(|message| ReadError::Format { path: name.into(), message })?;
    TriangleMesh::new(positions, triangles).map_err(|source| ReadError::Mesh { path: name.into(), source })
}

fn format_of(path: &Path) -> Result<MeshFormat, ReadError> {
    MeshFormat::of(path).ok_or_else(|| ReadError::Format {
        path: path.into(),
        message: "unknown kind of mesh file, expected .ply, .obj or .stl".into(),
    })
}

/// Vertices and triangles, indices unchecked.
pub(crate) type Parts = (Vec<DVec3>, Vec<[u32; 3]>);

fn parse(bytes: &[u8], format: MeshFormat) -> Result<Parts, String> {
    match format {
        MeshFormat::Ply => ply::parse(bytes),
        MeshFormat::Obj => parse_obj(bytes),
        MeshFormat::Stl => parse_stl(bytes),
    }
}

/// Positions and faces of an OBJ file; everything else in it is ignored. Read here rather than by a crate, since the
/// crates renumber the vertices and collisions are reported by their number in the file.
fn parse_obj(bytes: &[u8]) -> Result<Parts, String> {
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
                fan(&corners, &mut triangles);
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

/// Cuts a polygon into triangles around its first corner.
pub(crate) fn fan(corners: &[u32], triangles: &mut Vec<[u32; 3]>) {
    triangles.extend(corners.windows(2).skip(1).map(|pair| [corners[0], pair[0], pair[1]]));
}

/// The triangles of an STL file, with equal corners made one vertex, numbered as they first come.
fn parse_stl(bytes: &[u8]) -> Result<Parts, String> {
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
    fn obj_polygons_and_all_ways_to_name_a_vertex() {
        let text = "# a square\nv 0 0 0\nv 1 0 0\nvn 0 0 1\nv 1 1 0.5\nv 0 1 0\nf 1/1/1 2//1 -2 4\n";
        assert_eq!(parse(text.as_bytes(), MeshFormat::Obj), Ok(square()));
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
            let message = parse(text.as_bytes(), MeshFormat::Obj).unwrap_err();
            assert!(message.starts_with(wanted), "{message}");
        }
    }

    #[test]
    fn stl_of_both_kinds_is_welded() {
        let (positions, triangles) = square();
        let facets: Vec<stl_io::Triangle> = triangles
            .iter()
            .map(|corners| stl_io::Triangle {
                normal: stl_io::Normal::new([0.0, 0.0, 1.0]),
                vertices: corners.map(|v| stl_io::Vertex::new(positions[v as usize].as_vec3().to_array())),
            })
            .collect();
        let mut binary = Vec::new();
        stl_io::write_stl(&mut binary, facets.iter()).unwrap();
        assert_eq!(parse(&binary, MeshFormat::Stl), Ok(square()));
        binary.truncate(binary.len() - 7);
        assert!(parse(&binary, MeshFormat::Stl).is_err());
        let ascii = "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0.5\nendloop\nendfacet\n\
                     facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 1 0.5\nvertex 0 1 0\nendloop\nendfacet\nendsolid s\n";
        assert_eq!(parse(ascii.as_bytes(), MeshFormat::Stl), Ok(square()));
    }
}
