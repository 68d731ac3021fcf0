//! The meshes that a client has sent: read from their files, and held within limits.

use std::sync::Arc;

use superegg_world::obstacle::Obstacle;

use crate::limits::Limits;
use crate::protocol::{ErrorKind, MeshFacts, Refusal};

/// The meshes that one client has sent, by the names of their files.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meshes(Vec<(String, Arc<Obstacle>)>);

impl Meshes {
    /// The mesh of a file.
    pub fn find(&self, file: &str) -> Option<&Arc<Obstacle>> {
        self.0.iter().find(|(name, _)| name == file).map(|(_, mesh)| mesh)
    }

    /// Holds one more. When that is too much, those that are not in use are given up, the oldest first.
    pub fn hold(
        &mut self,
        file: &str,
        mesh: Arc<Obstacle>,
        in_use: impl Fn(&Arc<Obstacle>) -> bool,
        limits: &Limits,
    ) -> Result<Vec<MeshFacts>, Refusal> {
        let triangles = |mesh: &Obstacle| mesh.topology().triangles().len();
        let mut kept: Vec<_> = self.0.iter().filter(|(name, _)| name != file).cloned().collect();
        kept.push((file.to_owned(), mesh));
        while kept.iter().map(|(_, mesh)| triangles(mesh)).sum::<usize>() > limits.total_triangles {
            let unused = kept[..kept.len() - 1].iter().position(|(_, mesh)| !in_use(mesh));
            let Some(unused) = unused else {
                let message = format!("all meshes together have at most {} triangles", limits.total_triangles);
                return Err(Refusal { kind: ErrorKind::Limit, ..Refusal::at("mesh.file", message) });
            };
            kept.remove(unused);
        }
        self.0 = kept;
        let facts = |(file, mesh): &(String, Arc<Obstacle>)| MeshFacts {
            file: file.clone(),
            vertices: mesh.positions().len() as u32,
            triangles: triangles(mesh) as u32,
        };
        Ok(self.0.iter().map(facts).collect())
    }
}

/// Reads the file of a mesh.
pub(crate) fn read(file: &str, content: &[u8], limits: &Limits) -> Result<Arc<Obstacle>, Refusal> {
    let too_large = |message: String| Refusal { kind: ErrorKind::Limit, ..Refusal::at("mesh.file", message) };
    if content.len() > limits.mesh_bytes {
        return Err(too_large(format!("{file} is larger than {} bytes", limits.mesh_bytes)));
    }
    let mesh =
        superegg_io::parse_mesh(file.as_ref(), content).map_err(|error| Refusal::at("mesh.file", error.to_string()))?;
    let triangles = mesh.triangles().len();
    if triangles > limits.mesh_triangles {
        let message = format!("{file} has {triangles} triangles; at most {} are taken", limits.mesh_triangles);
        return Err(too_large(message));
    }
    let mesh = Obstacle::new(mesh).map_err(|error| Refusal::at("mesh.file", format!("{file}: {error}")))?;
    Ok(Arc::new(mesh))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TETRAHEDRON: &[u8] = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

    #[test]
    fn meshes_are_read_and_what_is_wrong_with_them_is_said() {
        let limits = Limits::default();
        let mesh = read("t.obj", TETRAHEDRON, &limits).unwrap();
        assert_eq!((mesh.positions().len(), mesh.topology().triangles().len()), (4, 4));
        for (file, content, wanted) in [
            ("t.txt", TETRAHEDRON, "unknown kind of mesh file"),
            ("t.obj", b"v 0 0 zero\n".as_slice(), "line 1"),
            ("t.obj", b"v 0 0 0\n", "no triangles"),
            ("t.obj", b"v 0 0 nan\nf 1 1 1\n", "finite"),
            ("t.ply", b"ply\nformat ascii 1.0\nelement vertex 4000000000\n", "t.ply"),
            ("t.stl", b"\xff\x00", "t.stl"),
        ] {
            let refusal = read(file, content, &limits).unwrap_err();
            assert!(refusal.message.contains(wanted), "{}", refusal.message);
        }
        let few = Limits { mesh_triangles: 3, ..limits.clone() };
        assert_eq!(read("t.obj", TETRAHEDRON, &few).unwrap_err().kind, ErrorKind::Limit);
        let small = Limits { mesh_bytes: 10, ..limits };
        assert_eq!(read("t.obj", TETRAHEDRON, &small).unwrap_err().kind, ErrorKind::Limit);
    }

    #[test]
    fn meshes_that_nobody_needs_make_room() {
        let limits = Limits { total_triangles: 10, ..Limits::default() };
        let mesh = || read("t.obj", TETRAHEDRON, &limits).unwrap();
        let mut meshes = Meshes::default();
        let names = |facts: Vec<MeshFacts>| facts.into_iter().map(|fact| fact.file).collect::<Vec<_>>();
        meshes.hold("a.obj", mesh(), |_| false, &limits).unwrap();
        let used = meshes.find("a.obj").cloned().unwrap();
        meshes.hold("b.obj", mesh(), |_| false, &limits).unwrap();
        let held = meshes.hold("c.obj", mesh(), |mesh| Arc::ptr_eq(mesh, &used), &limits).unwrap();
        assert_eq!(names(held), ["a.obj", "c.obj"]);
        let refusal = meshes.hold("d.obj", mesh(), |_| true, &limits).unwrap_err();
        assert!(refusal.kind == ErrorKind::Limit && meshes.find("d.obj").is_none() && meshes.find("c.obj").is_some());
        // The same name again takes the place of the old content.
        assert_eq!(names(meshes.hold("c.obj", mesh(), |_| true, &limits).unwrap()), ["a.obj", "c.obj"]);
    }
}
