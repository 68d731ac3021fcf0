//! The files that a client has sent: meshes, read once and held within limits.

use std::sync::Arc;

use superegg_world::collision_mesh::CollisionMesh;

use crate::limits::Limits;
use crate::wire::envelope::FileFacts;
use crate::wire::{ErrorKind, Refusal};

/// The files of one client, by their names.
#[derive(Clone, Debug, Default)]
pub struct Files(Vec<(String, Arc<CollisionMesh>)>);

impl Files {
    /// The mesh of a file.
    pub fn mesh(&self, file: &str) -> Option<&Arc<CollisionMesh>> {
        self.0.iter().find(|(name, _)| name == file).map(|(_, mesh)| mesh)
    }

    /// Reads the file of a mesh and holds it; this may take its time. When that is too much, those that no body uses are
    /// given up, the oldest first. Returns all that are held.
    pub fn take(&mut self, file: &str, content: &[u8], limits: &Limits) -> Result<Vec<FileFacts>, Refusal> {
        self.hold(file, read(file, content, limits)?, limits)
    }

    fn hold(&mut self, file: &str, mesh: Arc<CollisionMesh>, limits: &Limits) -> Result<Vec<FileFacts>, Refusal> {
        let triangles = |mesh: &CollisionMesh| mesh.topology().triangles().len();
        let all: usize = self.0.iter().filter(|(name, _)| name != file).map(|(_, mesh)| triangles(mesh)).sum();
        let mut spare = (all + triangles(&mesh)).saturating_sub(limits.total_triangles);
        let mut gone = vec![];
        for (index, (name, held)) in self.0.iter().enumerate() {
            // A body that uses a mesh shares it.
            let unused = Arc::strong_count(held) == 1;
            if name == file {
                gone.push(index);
            } else if spare > 0 && unused {
                gone.push(index);
                spare = spare.saturating_sub(triangles(held));
            }
        }
        if spare > 0 {
            let message = format!("all meshes together have at most {} triangles", limits.total_triangles);
            return Err(Refusal { kind: ErrorKind::Limit, ..Refusal::at("mesh.file", message) });
        }
        for index in gone.into_iter().rev() {
            self.0.remove(index);
        }
        self.0.push((file.to_owned(), mesh));
        let facts = |(file, mesh): &(String, Arc<CollisionMesh>)| FileFacts {
            file: file.clone(),
            vertices: mesh.positions().len() as u32,
            triangles: triangles(mesh) as u32,
        };
        Ok(self.0.iter().map(facts).collect())
    }
}

/// Reads the file of a mesh.
fn read(file: &str, content: &[u8], limits: &Limits) -> Result<Arc<CollisionMesh>, Refusal> {
    let too_large = |message: String| Refusal { kind: ErrorKind::Limit, ..Refusal::at("mesh.file", message) };
    if content.len() > limits.mesh_bytes {
        return Err(too_large(format!("{file} is larger than {} bytes", limits.mesh_bytes)));
    }
    // Such a file names others, which would be looked for on the server.
    if std::path::Path::new(file).extension().is_some_and(|end| end.eq_ignore_ascii_case("gltf")) {
        return Err(Refusal::at("mesh.file", format!("{file} may need others beside it: send it as one file (.glb)")));
    }
    let mesh =
        superegg_io::parse_mesh(file.as_ref(), content).map_err(|error| Refusal::at("mesh.file", error.to_string()))?;
    let triangles = mesh.triangles().len();
    if triangles > limits.mesh_triangles {
        let message = format!("{file} has {triangles} triangles; at most {} are taken", limits.mesh_triangles);
        return Err(too_large(message));
    }
    let mesh = CollisionMesh::new(mesh).map_err(|error| Refusal::at("mesh.file", format!("{file}: {error}")))?;
    Ok(Arc::new(mesh))
}

/// A name of a document as one of a file on any system.
pub fn plain_name(name: &str, otherwise: &str) -> String {
    let plain: String =
        name.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).take(60).collect();
    let plain = plain.trim_matches('-').to_owned();
    if plain.is_empty() { otherwise.to_owned() } else { plain }
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
            ("t.doc", TETRAHEDRON, "unknown kind of mesh file"),
            ("t.GLTF", b"{}", "send it as one file"),
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
        let mut files = Files::default();
        let names = |facts: Vec<FileFacts>| facts.into_iter().map(|fact| fact.file).collect::<Vec<_>>();
        let take = |file: &str, files: &mut Files| files.take(file, TETRAHEDRON, &limits);
        take("a.obj", &mut files).unwrap();
        let used = files.mesh("a.obj").cloned().unwrap();
        take("b.obj", &mut files).unwrap();
        assert_eq!(names(take("c.obj", &mut files).unwrap()), ["a.obj", "c.obj"]);
        let other = files.mesh("c.obj").cloned().unwrap();
        let refusal = take("d.obj", &mut files).unwrap_err();
        assert!(refusal.kind == ErrorKind::Limit && files.mesh("d.obj").is_none() && files.mesh("c.obj").is_some());
        // The same name again takes the place of the old content.
        assert_eq!(names(take("c.obj", &mut files).unwrap()), ["a.obj", "c.obj"]);
        drop((used, other));
    }

    #[test]
    fn names_of_files_are_plain() {
        assert_eq!(plain_name("Two summits", "x"), "two-summits");
        assert_eq!((plain_name("../..", "x"), plain_name("Ö/ä", "x")), ("x".to_owned(), "Ö-ä".to_owned()));
    }
}
