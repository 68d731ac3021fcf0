//! Wavefront OBJ files, written.

use std::io::{self, Write};

use glam::DVec3;

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
            writeln!(to, "v {:.6} {:.6} {:.6}", p.x, p.y, p.z)?;
        }
        for triangle in object.triangles {
            let [a, b, c] = triangle.map(|v| v as usize + first);
            writeln!(to, "f {a} {b} {c}")?;
        }
        first += object.positions.len();
    }
    Ok(())
}
