//! What a body can be made of, and the two questions that every pair of bodies answers: how far apart, and which
//! contacts within a margin.

use std::borrow::Cow;
use std::sync::Arc;

use superegg::Pose;
use superegg::query::{Options, Outcome, WarmStart, distance as shape_distance};
use superegg::shape::{Aabb, Shape};

use crate::WorldError;
use crate::bound::reach;
use crate::compound::{Compound, Nearest, Part};
use crate::obstacle::{MeshContact, Obstacle};

/// A body in its own frame. Compounds and meshes are shared, not copied.
#[derive(Clone, Debug)]
pub enum Geometry {
    /// A single shape.
    Shape(Shape),
    /// Several shapes on one frame.
    Compound(Arc<Compound>),
    /// A surface of triangles.
    Mesh(Arc<Obstacle>),
}

/// Two bodies near, at or in each other: which parts of them, and the distance query's answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The part of a compound body or the triangle of a mesh; 0 for a single shape.
    pub part_a: u32,
    /// The same of b.
    pub part_b: u32,
    /// Distance, points and normal.
    pub outcome: Outcome,
}

impl Geometry {
    /// The name of the type in messages and files.
    pub fn name(&self) -> &'static str {
        match self {
            Geometry::Shape(shape) => shape.name(),
            Geometry::Compound(_) => "compound",
            Geometry::Mesh(_) => "mesh",
        }
    }

    /// Radius of a ball about the origin of the body's frame that holds it; infinite for a plane.
    pub fn reach(&self) -> f64 {
        match self {
            Geometry::Shape(shape) => reach(shape),
            Geometry::Compound(compound) => compound.reach(),
            Geometry::Mesh(mesh) => mesh.reach(),
        }
    }

    /// The smallest box along the world's axes that holds the posed body; infinite for a plane.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        match self {
            Geometry::Shape(shape) => shape.aabb(pose),
            Geometry::Compound(compound) => compound.aabb(pose),
            Geometry::Mesh(mesh) => mesh.aabb(pose),
        }
    }

    /// The parts of a body that is no mesh.
    pub(crate) fn parts(&self) -> Option<Cow<'_, [Part]>> {
        match self {
            Geometry::Shape(shape) => Some(Cow::Owned(vec![Part { shape: *shape, pose: Pose::IDENTITY }])),
            Geometry::Compound(compound) => Some(Cow::Borrowed(compound.parts())),
            Geometry::Mesh(_) => None,
        }
    }

    fn as_compound(&self) -> Option<Result<Cow<'_, Compound>, WorldError>> {
        match self {
            Geometry::Shape(Shape::Plane(_)) | Geometry::Mesh(_) => None,
            Geometry::Shape(shape) => Some(Compound::of(*shape).map(Cow::Owned)),
            Geometry::Compound(compound) => Some(Ok(Cow::Borrowed(compound))),
        }
    }
}

impl From<Shape> for Geometry {
    fn from(shape: Shape) -> Geometry {
        Geometry::Shape(shape)
    }
}

impl From<Compound> for Geometry {
    fn from(compound: Compound) -> Geometry {
        Geometry::Compound(Arc::new(compound))
    }
}

impl From<Obstacle> for Geometry {
    fn from(mesh: Obstacle) -> Geometry {
        Geometry::Mesh(Arc::new(mesh))
    }
}

/// The nearest parts of two placed bodies, or the deepest in each other, and how many exact queries it took. Compounds and
/// meshes that overlap have no bounds.
pub fn distance(
    a: &Geometry,
    pose_a: &Pose,
    b: &Geometry,
    pose_b: &Pose,
    options: &Options,
) -> Result<Nearest, WorldError> {
    let mut nearest = match (a, b) {
        (Geometry::Shape(shape_a), Geometry::Shape(shape_b)) => {
            let outcome = shape_distance(shape_a, pose_a, shape_b, pose_b, options)?;
            return Ok(Nearest { contact: Contact { part_a: 0, part_b: 0, outcome }, queries: 1 });
        }
        (Geometry::Mesh(mesh), _) => nearest_of_parts(b, pose_b, a, |part, pose| {
            Ok(Contact::of_mesh(&mesh.distance(pose_a, part, pose, options)?))
        })
        .map(swapped_nearest),
        (_, Geometry::Mesh(mesh)) => nearest_of_parts(a, pose_a, b, |part, pose| {
            Ok(Contact::of_mesh(&mesh.distance(pose_b, part, pose, options)?))
        }),
        _ => match (a.as_compound(), b.as_compound()) {
            (Some(compound_a), Some(compound_b)) => compound_a?.distance(pose_a, compound_b?.as_ref(), pose_b, options),
            (Some(_), None) => nearest_to_shape(a, pose_a, b, pose_b, options),
            _ => nearest_to_shape(b, pose_b, a, pose_a, options).map(swapped_nearest),
        },
    }?;
    // A shift that frees the deepest pair of parts need not free the bodies: its depth bounds nothing.
    if nearest.contact.outcome.distance < 0.0 {
        nearest.contact.outcome.bounds = None;
    }
    Ok(nearest)
}

/// All contacts of two placed bodies within a margin; `warm` may know where to start a pair of parts.
pub fn contacts(
    a: &Geometry,
    pose_a: &Pose,
    b: &Geometry,
    pose_b: &Pose,
    margin: f64,
    options: &Options,
    warm: impl Fn(u32, u32) -> Option<WarmStart>,
) -> Result<Vec<Contact>, WorldError> {
    crate::error::require_length("margin", margin)?;
    let within =
        |contact: &Contact| contact.outcome.bounds.map_or(contact.outcome.distance, |bounds| bounds.lower) <= margin;
    match (a, b) {
        (Geometry::Mesh(mesh), _) => {
            let found = contacts_with_mesh(b, pose_b, mesh, pose_a, margin, options)?;
            Ok(found.into_iter().map(Contact::swapped).collect())
        }
        (_, Geometry::Mesh(mesh)) => contacts_with_mesh(a, pose_a, mesh, pose_b, margin, options),
        (Geometry::Compound(_), Geometry::Shape(Shape::Plane(_)))
        | (Geometry::Shape(Shape::Plane(_)), Geometry::Compound(_))
        | (Geometry::Shape(_), Geometry::Shape(_)) => {
            let mut found = Vec::new();
            for (part_a, own_a) in (0u32..).zip(a.parts().iter().flat_map(|parts| parts.iter())) {
                for (part_b, own_b) in (0u32..).zip(b.parts().iter().flat_map(|parts| parts.iter())) {
                    let options = Options { warm_start: warm(part_a, part_b), ..*options };
                    let (at_a, at_b) = (pose_a.compose(&own_a.pose), pose_b.compose(&own_b.pose));
                    let outcome = shape_distance(&own_a.shape, &at_a, &own_b.shape, &at_b, &options)?;
                    found.push(Contact { part_a, part_b, outcome });
                }
            }
            found.retain(within);
            Ok(found)
        }
        _ => match (a.as_compound(), b.as_compound()) {
            (Some(compound_a), Some(compound_b)) => {
                compound_a?.contacts(pose_a, compound_b?.as_ref(), pose_b, margin, options, warm)
            }
            _ => Err(unsupported("contacts", a, b)),
        },
    }
}

fn contacts_with_mesh(
    body: &Geometry,
    pose: &Pose,
    mesh: &Obstacle,
    mesh_pose: &Pose,
    margin: f64,
    options: &Options,
) -> Result<Vec<Contact>, WorldError> {
    let pose = Pose::new(pose.rotation, pose.translation)?;
    let Some(parts) = body.parts() else {
        return Err(WorldError::Unsupported { operation: "contacts", a: "mesh", b: "mesh" });
    };
    let mut found = Vec::new();
    for (index, part) in (0u32..).zip(parts.iter()) {
        let contacts = mesh.contacts(mesh_pose, &part.shape, &pose.compose(&part.pose), margin, options)?;
        found.extend(contacts.iter().map(|contact| Contact { part_a: index, ..Contact::of_mesh(contact) }));
    }
    Ok(found)
}

/// The nearest of a body's parts to something else.
fn nearest_of_parts(
    body: &Geometry,
    pose: &Pose,
    other: &Geometry,
    mut ask: impl FnMut(&Shape, &Pose) -> Result<Contact, WorldError>,
) -> Result<Nearest, WorldError> {
    let pose = Pose::new(pose.rotation, pose.translation)?;
    let Some(parts) = body.parts() else { return Err(unsupported("distance", body, other)) };
    let mut nearest: Option<Nearest> = None;
    for (index, part) in (0u32..).zip(parts.iter()) {
        let contact = Contact { part_a: index, ..ask(&part.shape, &pose.compose(&part.pose))? };
        let queries = index + 1;
        match &mut nearest {
            Some(best) if best.contact.outcome.distance <= contact.outcome.distance => best.queries = queries,
            _ => nearest = Some(Nearest { contact, queries }),
        }
    }
    nearest.ok_or(WorldError::EmptyCompound)
}

fn nearest_to_shape(
    body: &Geometry,
    pose: &Pose,
    other: &Geometry,
    other_pose: &Pose,
    options: &Options,
) -> Result<Nearest, WorldError> {
    let Geometry::Shape(shape) = other else { return Err(unsupported("distance", body, other)) };
    nearest_of_parts(body, pose, other, |part, pose| {
        let outcome = shape_distance(part, pose, shape, other_pose, options)?;
        Ok(Contact { part_a: 0, part_b: 0, outcome })
    })
}

pub(crate) fn unsupported(operation: &'static str, a: &Geometry, b: &Geometry) -> WorldError {
    WorldError::Unsupported { operation, a: a.name(), b: b.name() }
}

fn swapped_nearest(nearest: Nearest) -> Nearest {
    Nearest { contact: nearest.contact.swapped(), ..nearest }
}

impl Contact {
    fn of_mesh(contact: &MeshContact) -> Contact {
        Contact { part_a: 0, part_b: contact.triangle, outcome: contact.outcome }
    }

    /// The same contact with a and b exchanged.
    pub fn swapped(self) -> Contact {
        let outcome = self.outcome;
        let warm = outcome.warm_start;
        let warm_start = WarmStart {
            point_a: warm.point_b,
            normal_a: warm.normal_b,
            point_b: warm.point_a,
            normal_b: warm.normal_a,
        };
        let outcome = Outcome {
            point_a: outcome.point_b,
            point_b: outcome.point_a,
            normal: -outcome.normal,
            warm_start,
            ..outcome
        };
        Contact { part_a: self.part_b, part_b: self.part_a, outcome }
    }
}
