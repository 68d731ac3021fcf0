//! Bodies of many parts and bodies in motion as JSON.
//!
//! ```json
//! {"type":"compound","parts":[{"type":"superellipsoid",…},…],"position":[0,0,0]}
//! {"type":"mesh","file":"hand.stl","velocity":[0,0,-1],"angular_velocity":[0,0,2]}
//! ```

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use superegg::{DVec3, InvalidInput, Pose};
use superegg_io::read_mesh;
use superegg_world::WorldError;
use superegg_world::collision_mesh::CollisionMesh;
use superegg_world::compound::{Compound, Part};
use superegg_world::geometry::Geometry;
use superegg_world::motion::Motion;

use super::node::Node;
use super::shape::{AnyBody, Body, is_further, read_any_body, read_body, read_pose, vector};
use super::{Field, Kind, Refusal};

/// A body of any kind and where it is.
#[derive(Clone, Debug)]
pub struct GeneralBody {
    /// What it is made of.
    pub form: Geometry,
    /// Its frame in the world.
    pub pose: Pose,
}

/// Whether a body is of a type that only this module reads.
pub fn is_general(field: &Field) -> bool {
    has_type(field, |name| matches!(name, "compound" | "mesh"))
}

/// Whether a body is a superhyperboloid or supertoroid.
pub fn is_surface(field: &Field) -> bool {
    has_type(field, is_further)
}

fn has_type(field: &Field, wanted: impl Fn(&str) -> bool) -> bool {
    let kind = field.object().ok().and_then(|object| object.get("type"));
    kind.is_some_and(|kind| kind.text().is_ok_and(wanted))
}

/// Reads a body of any kind.
pub fn read_general_body(field: &Field) -> Result<GeneralBody, Refusal> {
    let object = field.object()?;
    let form = match object.require("type")?.text()? {
        "compound" => {
            object.allow_only("a compound", &["type", "parts", "position", "orientation"])?;
            Geometry::Compound(Arc::new(read_compound(&object.require("parts")?)?))
        }
        "mesh" => {
            object.allow_only("a mesh", &["type", "file", "position", "orientation"])?;
            Geometry::Mesh(collision_mesh(&object.require("file")?)?)
        }
        _ => {
            let AnyBody { shape, pose } = read_any_body(field)?;
            return Ok(GeneralBody { form: shape, pose });
        }
    };
    Ok(GeneralBody { form, pose: read_pose(field, &object)? })
}

/// Reads a body and how it moves.
pub fn read_moving_body(field: &Field) -> Result<(Geometry, Motion), Refusal> {
    let object = field.object()?;
    let velocity = |name| object.get(name).map_or(Ok(DVec3::ZERO), |velocity| vector(&velocity));
    let (velocity, angular_velocity) = (velocity("velocity")?, velocity("angular_velocity")?);
    // The rest of it is a body at rest. A field that comes twice stays, so that it is refused there.
    let Node::Object(entries) = field.node() else {
        return Err(field.refuse(Kind::InvalidInput, "expected an object"));
    };
    let mut rest = entries.clone();
    for name in ["velocity", "angular_velocity"] {
        if let Some(index) = rest.iter().position(|(found, _)| found == name) {
            rest.remove(index);
        }
    }
    let rest = Node::Object(rest);
    let GeneralBody { form, pose } = read_general_body(&field.with_node(&rest))?;
    Ok((form, Motion { pose, velocity, angular_velocity }))
}

fn read_compound(parts: &Field) -> Result<Compound, Refusal> {
    let mut read = Vec::new();
    for part in parts.items("bodies")? {
        let Body { shape, pose } = read_body(&part)?;
        read.push(Part { shape, pose });
    }
    Compound::new(read).map_err(|error| refuse(parts, error))
}

/// What the library refuses, under the name of a field.
pub fn refuse(field: &Field, error: WorldError) -> Refusal {
    match error {
        WorldError::Input(InvalidInput { .. }) | WorldError::Tree(_) => field.refuse(Kind::InvalidInput, error),
        WorldError::Unsupported { .. } | WorldError::Undecided { .. } | WorldError::Query(_) => {
            field.refuse(Kind::Unsupported, error)
        }
        other => field.refuse(Kind::InvalidInput, other),
    }
}

/// Meshes that are kept between queries: the last few, so that memory stays bounded.
const KEPT_MESHES: usize = 8;

/// The mesh of a file, read once while it is among the last used.
fn collision_mesh(field: &Field) -> Result<Arc<CollisionMesh>, Refusal> {
    static KEPT: Mutex<Vec<(PathBuf, Arc<CollisionMesh>)>> = Mutex::new(Vec::new());
    let path = Path::new(field.text()?);
    {
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = kept.iter().position(|(other, _)| other == path) {
            let found = kept.remove(index);
            kept.push(found.clone());
            return Ok(found.1);
        }
    }
    let mesh = read_mesh(path).map_err(|error| field.refuse(Kind::InvalidInput, error))?;
    let mesh = Arc::new(CollisionMesh::new(mesh).map_err(|error| refuse(field, error))?);
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.len() >= KEPT_MESHES {
        kept.remove(0);
    }
    kept.push((path.to_owned(), Arc::clone(&mesh)));
    Ok(mesh)
}
