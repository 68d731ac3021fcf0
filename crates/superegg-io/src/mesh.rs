//! Triangle meshes and point clouds from files: PLY, OBJ, STL, COLLADA, glTF and XYZ.

use std::path::Path;

use superegg_mesh::TriangleMesh;

pub use crate::conventions::{Conventions, UpAxis};
use crate::polygon::Parts;
use crate::{ReadError, dae, gltf_mesh, obj, ply, stl, xyz};

/// The mesh formats that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFormat {
    /// Polygon file format, ascii or binary of either byte order.
    Ply,
    /// Wavefront OBJ.
    Obj,
    /// Stereolithography, ascii or binary. Corners at bitwise equal positions become one vertex.
    Stl,
    /// COLLADA.
    Dae,
    /// glTF 2.0, as text or binary.
    Gltf,
    /// Points as lines of text, without triangles.
    Xyz,
}

impl MeshFormat {
    /// Guesses the format from a file name.
    pub fn of(path: &Path) -> Option<MeshFormat> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "ply" => Some(MeshFormat::Ply),
            "obj" => Some(MeshFormat::Obj),
            "stl" => Some(MeshFormat::Stl),
            "dae" => Some(MeshFormat::Dae),
            "gltf" | "glb" => Some(MeshFormat::Gltf),
            "xyz" | "txt" | "csv" => Some(MeshFormat::Xyz),
            _ => None,
        }
    }
}

/// Reads a mesh, its format told by the file name. Polygons become fans of triangles.
pub fn read_mesh(path: &Path) -> Result<TriangleMesh, ReadError> {
    Ok(read_mesh_file(path)?.0)
}

/// Reads a mesh as [`read_mesh`] does, with what the file says about its coordinates.
pub fn read_mesh_file(path: &Path) -> Result<(TriangleMesh, Conventions), ReadError> {
    // Before the file is opened, so that a wrong name is what is complained about.
    format_of(path)?;
    let bytes = std::fs::read(path).map_err(|source| ReadError::Io { path: path.into(), source })?;
    parse_mesh_file(path, &bytes)
}

/// Reads a mesh from the content of a file; its name tells the format and is named in refusals.
///
/// ```
/// use std::path::Path;
/// use superegg_io::parse_mesh;
/// let mesh = parse_mesh(Path::new("one.obj"), b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")?;
/// assert_eq!(mesh.triangles(), [[0, 1, 2]]);
/// assert!(parse_mesh(Path::new("one.doc"), b"").is_err());
/// # Ok::<(), superegg_io::ReadError>(())
/// ```
pub fn parse_mesh(name: &Path, bytes: &[u8]) -> Result<TriangleMesh, ReadError> {
    Ok(parse_mesh_file(name, bytes)?.0)
}

fn parse_mesh_file(name: &Path, bytes: &[u8]) -> Result<(TriangleMesh, Conventions), ReadError> {
    let ((positions, triangles), conventions) =
        parse(name, bytes, format_of(name)?).map_err(|message| ReadError::Format { path: name.into(), message })?;
    let mesh = TriangleMesh::new(positions, triangles);
    Ok((mesh.map_err(|source| ReadError::Mesh { path: name.into(), source })?, conventions))
}

fn format_of(path: &Path) -> Result<MeshFormat, ReadError> {
    MeshFormat::of(path).ok_or_else(|| ReadError::Format {
        path: path.into(),
        message: "unknown kind of mesh file, expected .ply, .obj, .stl, .dae, .gltf, .glb or .xyz".into(),
    })
}

fn parse(name: &Path, bytes: &[u8], format: MeshFormat) -> Result<(Parts, Conventions), String> {
    let silent = |parts| (parts, Conventions::default());
    match format {
        MeshFormat::Ply => ply::parse(bytes).map(silent),
        MeshFormat::Obj => obj::parse(bytes).map(silent),
        MeshFormat::Stl => stl::parse(bytes).map(silent),
        MeshFormat::Xyz => xyz::parse(bytes).map(silent),
        MeshFormat::Dae => dae::parse(bytes),
        MeshFormat::Gltf => gltf_mesh::parse(name, bytes),
    }
}
