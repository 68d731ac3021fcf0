//! What a body can be made of, and the questions that bodies of every kind answer: how far apart two of them are, whether they
//! share a point, which contacts they have within a margin, and where a ray meets one.
//!
//! Shapes are the library's, compounds go by their nearest parts, meshes by their nearest triangles (`collision_mesh`,
//! `mesh_pair`), superhyperboloids and supertoroids by branch and bound (`surface_query`).

use std::borrow::Cow;
use std::sync::Arc;

use superegg::query::{
    Options, Outcome, Ray, RayHit, Status, WarmStart, distance as shape_distance, intersect as shape_intersect,
    ray as shape_ray,
};
use superegg::shape::{Aabb, Custom, Hull, Plane, Primitive, Shape, Superellipsoid, Superovoid};
use superegg::{DVec3, Pose};

use crate::WorldError;
use crate::certificate::bounds;
use crate::collision_mesh::{CollisionMesh, MeshContact};
use crate::compound::{Compound, Nearest, Part};
pub use crate::contact::Contact;
use crate::mesh_pair;
use crate::placement::{normalised, placed};
use crate::superquadric::Superquadric;
use crate::surface_query;

/// A body in its own frame. Compounds and meshes are shared, not copied.
#[derive(Clone, Debug)]
pub enum Geometry {
    /// A single shape.
    Shape(Shape),
    /// A superhyperboloid or supertoroid.
    Superquadric(Superquadric),
    /// Several shapes on one frame.
    Compound(Arc<Compound>),
    /// A surface of triangles.
    Mesh(Arc<CollisionMesh>),
}

/// Meshes are equal if they are the same one.
impl PartialEq for Geometry {
    fn eq(&self, other: &Geometry) -> bool {
        match (self, other) {
            (Geometry::Shape(one), Geometry::Shape(other)) => one == other,
            (Geometry::Superquadric(one), Geometry::Superquadric(other)) => one == other,
            (Geometry::Compound(one), Geometry::Compound(other)) => one.parts() == other.parts(),
            (Geometry::Mesh(one), Geometry::Mesh(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

impl Geometry {
    /// The name of the type in messages and files.
    pub fn name(&self) -> &'static str {
        match self {
            Geometry::Shape(shape) => shape.name(),
            Geometry::Superquadric(surface) => surface.name(),
            Geometry::Compound(_) => "compound",
            Geometry::Mesh(_) => "mesh",
        }
    }

    /// Radius of a ball about the origin of the body's frame that holds it; infinite for a plane.
    pub fn reach(&self) -> f64 {
        match self {
            Geometry::Shape(shape) => shape.reach(),
            Geometry::Superquadric(surface) => surface.reach(),
            Geometry::Compound(compound) => compound.reach(),
            Geometry::Mesh(mesh) => mesh.reach(),
        }
    }

    /// The smallest box along the world's axes that holds the posed body; infinite for a plane.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let pose = &normalised(pose);
        match self {
            Geometry::Shape(shape) => shape.aabb(pose),
            Geometry::Superquadric(surface) => {
                let high =
                    DVec3::from(DVec3::AXES.map(|axis| surface.support_value(pose.inverse_transform_vector(axis))));
                // Superhyperboloids and supertoroids are their own mirror images.
                Aabb { min: pose.translation - high, max: pose.translation + high }
            }
            Geometry::Compound(compound) => compound.aabb(pose),
            Geometry::Mesh(mesh) => mesh.aabb(pose),
        }
    }

    /// The library's shape, where it is a single one.
    pub fn shape(&self) -> Option<&Shape> {
        match self {
            Geometry::Shape(shape) => Some(shape),
            Geometry::Superquadric(_) | Geometry::Compound(_) | Geometry::Mesh(_) => None,
        }
    }

    /// The superquadric, where it is a single one.
    pub fn superquadric(&self) -> Option<Superquadric> {
        match self {
            Geometry::Shape(shape) => Superquadric::from_shape(shape),
            Geometry::Superquadric(surface) => Some(*surface),
            Geometry::Compound(_) | Geometry::Mesh(_) => None,
        }
    }

    /// A point of the body that is farthest in a direction, in its frame; `None` for a plane.
    pub fn support_point(&self, direction: DVec3) -> Option<DVec3> {
        let farthest = |points: &mut dyn Iterator<Item = DVec3>| {
            points.max_by(|p, q| direction.dot(*p).total_cmp(&direction.dot(*q)))
        };
        match self {
            Geometry::Shape(shape) => shape.support(direction),
            Geometry::Superquadric(surface) => Some(surface.farthest(direction)),
            Geometry::Compound(compound) => farthest(&mut compound.parts().iter().filter_map(|part| {
                let local = part.pose.inverse_transform_vector(direction);
                Some(part.pose.transform_point(part.shape.support(local)?))
            })),
            Geometry::Mesh(mesh) => farthest(&mut mesh.positions().iter().copied()),
        }
    }

    /// The parts of a body that is made of shapes.
    pub(crate) fn parts(&self) -> Option<Cow<'_, [Part]>> {
        match self {
            Geometry::Shape(shape) => Some(Cow::Owned(vec![Part { shape: shape.clone(), pose: Pose::IDENTITY }])),
            Geometry::Compound(compound) => Some(Cow::Borrowed(compound.parts())),
            Geometry::Superquadric(_) | Geometry::Mesh(_) => None,
        }
    }

    fn as_compound(&self) -> Option<Result<Cow<'_, Compound>, WorldError>> {
        match self {
            Geometry::Shape(Shape::Plane(_)) | Geometry::Superquadric(_) | Geometry::Mesh(_) => None,
            Geometry::Shape(shape) => Some(Compound::of(shape.clone()).map(Cow::Owned)),
            Geometry::Compound(compound) => Some(Ok(Cow::Borrowed(compound))),
        }
    }

    fn is_plane(&self) -> bool {
        matches!(self, Geometry::Shape(Shape::Plane(_)))
    }
}

impl From<Shape> for Geometry {
    fn from(shape: Shape) -> Geometry {
        Geometry::Shape(shape)
    }
}

impl From<Superellipsoid> for Geometry {
    fn from(shape: Superellipsoid) -> Geometry {
        Geometry::Shape(shape.into())
    }
}

impl From<Superovoid> for Geometry {
    fn from(shape: Superovoid) -> Geometry {
        Geometry::Shape(shape.into())
    }
}

impl From<Primitive> for Geometry {
    fn from(shape: Primitive) -> Geometry {
        Geometry::Shape(shape.into())
    }
}

/// A superellipsoid or superovoid becomes the library's shape.
impl From<Hull> for Geometry {
    fn from(shape: Hull) -> Geometry {
        Geometry::Shape(shape.into())
    }
}

impl From<Custom> for Geometry {
    fn from(shape: Custom) -> Geometry {
        Geometry::Shape(shape.into())
    }
}

impl From<Superquadric> for Geometry {
    fn from(surface: Superquadric) -> Geometry {
        surface.to_shape().map_or(Geometry::Superquadric(surface), Geometry::Shape)
    }
}

impl From<Plane> for Geometry {
    fn from(shape: Plane) -> Geometry {
        Geometry::Shape(shape.into())
    }
}

impl From<Compound> for Geometry {
    fn from(compound: Compound) -> Geometry {
        Geometry::Compound(Arc::new(compound))
    }
}

impl From<CollisionMesh> for Geometry {
    fn from(mesh: CollisionMesh) -> Geometry {
        Geometry::Mesh(Arc::new(mesh))
    }
}

/// The nearest parts of two placed bodies, or the deepest in each other, and how many exact queries it took.
///
/// Bodies of many parts that overlap have the bounds that hold for all of them: no less than the depth of the deepest pair frees
/// them, and the shift that parts their hulls does.
///
/// ```
/// use superegg::query::{Options, Status};
/// use superegg::shape::{Segment, Shape};
/// use superegg::{DVec3, Pose};
/// use superegg_world::geometry::{Geometry, distance};
/// use superegg_world::superquadric::Superquadric;
/// // A needle through the hole of a ring: 2.5 - 0.5 - 1 from its inside.
/// let ring = Geometry::from(Superquadric::toroid([0.5; 3], [1.0; 2], 5.0)?);
/// let needle: Shape = Segment::new([DVec3::new(1.0, 0.0, -3.0), DVec3::new(1.0, 0.0, 3.0)])?.into();
/// let here = Pose::IDENTITY;
/// let outcome = distance(&ring, &here, &needle.into(), &here, &Options::DEFAULT)?.contact.outcome;
/// assert_eq!(outcome.status, Status::Separated);
/// assert!((outcome.distance - 1.0).abs() < 1e-9);
/// let bounds = outcome.bounds.unwrap();
/// assert!(bounds.lower > 0.9 && bounds.lower <= 1.0 && bounds.upper >= 1.0 && bounds.upper < 1.0 + 1e-9);
/// # Ok::<(), superegg_world::WorldError>(())
/// ```
pub fn distance(
    a: &Geometry,
    pose_a: &Pose,
    b: &Geometry,
    pose_b: &Pose,
    options: &Options,
) -> Result<Nearest, WorldError> {
    let [pose_a, pose_b] = [placed(pose_a)?, placed(pose_b)?];
    let (a, b) = (as_shape_if_one(a), as_shape_if_one(b));
    let (a, b, pose_a, pose_b) = (a.as_ref(), b.as_ref(), &pose_a, &pose_b);
    let single = |contact: Contact| Ok(Nearest { contact, queries: 1 });
    let mut nearest = match (a, b) {
        (Geometry::Shape(shape_a), Geometry::Shape(shape_b)) => {
            let outcome = shape_distance(shape_a, pose_a, shape_b, pose_b, options)?;
            return single(Contact { part_a: 0, part_b: 0, outcome });
        }
        (Geometry::Superquadric(surface), _) => return to_surface(surface, pose_a, b, pose_b, options),
        (_, Geometry::Superquadric(surface)) => {
            return to_surface(surface, pose_b, a, pose_a, options).map(swapped_nearest);
        }
        (Geometry::Mesh(mesh_a), Geometry::Mesh(mesh_b)) => {
            return single(mesh_pair::distance(mesh_a, pose_a, mesh_b, pose_b, options.tolerance));
        }
        (Geometry::Mesh(mesh), _) => {
            nearest_of_parts(b, pose_b, a, |part, pose| Ok(of_mesh(&mesh.distance(pose_a, part, pose, options)?)))
                .map(swapped_nearest)
        }
        (_, Geometry::Mesh(mesh)) => {
            nearest_of_parts(a, pose_a, b, |part, pose| Ok(of_mesh(&mesh.distance(pose_b, part, pose, options)?)))
        }
        _ => match (a.as_compound(), b.as_compound()) {
            (Some(compound_a), Some(compound_b)) => compound_a?.distance(pose_a, compound_b?.as_ref(), pose_b, options),
            (Some(_), None) => nearest_to_shape(a, pose_a, b, pose_b, options),
            _ => nearest_to_shape(b, pose_b, a, pose_a, options).map(swapped_nearest),
        },
    }?;
    // The shift that takes the deepest part out of a half-space takes the others out as well. For other bodies it need not.
    if nearest.contact.outcome.distance < 0.0 && !a.is_plane() && !b.is_plane() {
        bound_by_hulls(&mut nearest.contact.outcome, a, pose_a, b, pose_b);
    }
    Ok(nearest)
}

/// Whether two placed bodies share a point; touching within the default tolerance counts.
pub fn intersect(a: &Geometry, pose_a: &Pose, b: &Geometry, pose_b: &Pose) -> Result<bool, WorldError> {
    if let (Some(shape_a), Some(shape_b)) = (a.shape(), b.shape()) {
        let [pose_a, pose_b] = [placed(pose_a)?, placed(pose_b)?];
        return Ok(shape_intersect(shape_a, &pose_a, shape_b, &pose_b)?);
    }
    let outcome = distance(a, pose_a, b, pose_b, &Options::DEFAULT)?.contact.outcome;
    match (outcome.status, outcome.bounds) {
        (Status::NotConverged, Some(bounds)) if bounds.lower > 0.0 => Ok(false),
        (Status::NotConverged, Some(bounds)) if bounds.upper <= 0.0 => Ok(true),
        (Status::NotConverged, _) => Err(WorldError::Undecided { operation: "intersect", a: a.name(), b: b.name() }),
        (status, _) => Ok(outcome.distance <= 0.0 || status == Status::Touching),
    }
}

/// Where a ray first meets a placed body, and on which part or triangle of it.
pub fn ray(body: &Geometry, pose: &Pose, line: &Ray) -> Result<Option<(u32, RayHit)>, WorldError> {
    let pose = &placed(pose)?;
    match as_shape_if_one(body).as_ref() {
        Geometry::Shape(shape) => Ok(shape_ray(shape, pose, line)?.map(|hit| (0, hit))),
        Geometry::Superquadric(surface) => Ok(surface_query::ray(surface, pose, line).map(|hit| (0, hit))),
        Geometry::Mesh(mesh) => mesh.ray(pose, line),
        Geometry::Compound(compound) => {
            let mut first: Option<(u32, RayHit)> = None;
            for (index, part) in (0u32..).zip(compound.parts()) {
                if let Some(hit) = shape_ray(&part.shape, &pose.compose(&part.pose), line)?
                    && first.is_none_or(|(_, best)| hit.t < best.t)
                {
                    first = Some((index, hit));
                }
            }
            Ok(first)
        }
    }
}

/// All contacts of two placed bodies within a margin; `warm` may know where to start a pair of parts. Two meshes, and bodies of
/// which one is a superhyperboloid or supertoroid, have at most one: where they are nearest or deepest.
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
    let [pose_a, pose_b] = [placed(pose_a)?, placed(pose_b)?];
    let (pose_a, pose_b) = (&pose_a, &pose_b);
    let within =
        |contact: &Contact| contact.outcome.bounds.map_or(contact.outcome.distance, |bounds| bounds.lower) <= margin;
    match (a, b) {
        (Geometry::Superquadric(_), _) | (_, Geometry::Superquadric(_)) | (Geometry::Mesh(_), Geometry::Mesh(_)) => {
            // Their bounds may be wide: the distance itself decides.
            let contact = distance(a, pose_a, b, pose_b, options)?.contact;
            Ok(if contact.outcome.distance <= margin { vec![contact] } else { Vec::new() })
        }
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

/// A superquadric that is a superellipsoid or superovoid is asked as the shape it is.
fn as_shape_if_one(body: &Geometry) -> Cow<'_, Geometry> {
    match body {
        Geometry::Superquadric(surface) => match surface.to_shape() {
            Some(shape) => Cow::Owned(Geometry::Shape(shape)),
            None => Cow::Borrowed(body),
        },
        _ => Cow::Borrowed(body),
    }
}

/// A superhyperboloid or supertoroid against any body.
fn to_surface(
    surface: &Superquadric,
    pose: &Pose,
    other: &Geometry,
    other_pose: &Pose,
    options: &Options,
) -> Result<Nearest, WorldError> {
    let tolerance = options.tolerance;
    let single = |outcome: Outcome| Nearest { contact: Contact { part_a: 0, part_b: 0, outcome }, queries: 1 };
    match other {
        Geometry::Shape(shape) => Ok(single(surface_query::to_shape(surface, pose, shape, other_pose, tolerance))),
        Geometry::Superquadric(second) => {
            Ok(single(surface_query::to_surface(surface, pose, second, other_pose, tolerance)))
        }
        Geometry::Mesh(mesh) => {
            let (outcome, triangle) = surface_query::to_mesh(surface, pose, mesh, other_pose, tolerance);
            Ok(Nearest { contact: Contact { part_a: 0, part_b: triangle, outcome }, queries: 1 })
        }
        Geometry::Compound(compound) => surface_to_compound(surface, pose, compound, other_pose, tolerance),
    }
}

/// The parts in the order in which their balls may be near.
fn surface_to_compound(
    surface: &Superquadric,
    pose: &Pose,
    compound: &Compound,
    compound_pose: &Pose,
    tolerance: f64,
) -> Result<Nearest, WorldError> {
    let mut parts: Vec<(f64, u32, Pose)> = (0u32..)
        .zip(compound.parts())
        .map(|(index, part)| {
            let placed = compound_pose.compose(&part.pose);
            let apart = placed.translation.distance(pose.translation);
            (apart - surface.reach() - part.shape.reach(), index, placed)
        })
        .collect();
    parts.sort_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)));
    let mut nearest: Option<Nearest> = None;
    let mut lower = f64::INFINITY;
    for (bound, index, placed) in parts {
        // Balls say nothing about depths: only parts that are apart for sure are left out.
        if nearest.is_some_and(|best| bound > best.contact.outcome.distance.max(0.0)) {
            break;
        }
        let shape = &compound.parts()[index as usize].shape;
        let outcome = surface_query::to_shape(surface, pose, shape, &placed, tolerance);
        lower = lower.min(outcome.bounds.map_or(f64::NEG_INFINITY, |bounds| bounds.lower));
        let queries = nearest.map_or(0, |best| best.queries) + 1;
        match &mut nearest {
            Some(best) if best.contact.outcome.distance <= outcome.distance => best.queries = queries,
            _ => nearest = Some(Nearest { contact: Contact { part_a: 0, part_b: index, outcome }, queries }),
        }
    }
    let mut nearest = nearest.ok_or(WorldError::EmptyCompound)?;
    let outcome = &mut nearest.contact.outcome;
    outcome.bounds = outcome.bounds.map(|own| bounds(own.lower.min(lower), own.upper));
    Ok(nearest)
}

/// The bounds of two overlapping bodies of many parts. The deepest pair has to be freed: it bounds the depth of the whole from
/// below. A shift along any normal that parts the hulls frees them: it bounds it from above.
fn bound_by_hulls(outcome: &mut Outcome, a: &Geometry, pose_a: &Pose, b: &Geometry, pose_b: &Pose) {
    let Some(pair) = outcome.bounds else { return };
    let support = |body: &Geometry, pose: &Pose, normal: DVec3| {
        let point = body.support_point(pose.inverse_transform_vector(normal))?;
        Some(normal.dot(pose.transform_vector(point)))
    };
    let apart = pose_b.translation - pose_a.translation;
    let depth = |normal: DVec3| Some(support(a, pose_a, normal)? + support(b, pose_b, -normal)? - normal.dot(apart));
    let normals = [outcome.normal, DVec3::X, DVec3::Y, DVec3::Z, -DVec3::X, -DVec3::Y, -DVec3::Z];
    let least = normals.into_iter().filter_map(depth).fold(f64::INFINITY, f64::min);
    // Rounding of two support values and two poses.
    let rounding = 1e-13 * (a.reach() + b.reach() + pose_a.translation.length() + pose_b.translation.length());
    outcome.bounds = Some(bounds((-least - rounding).min(outcome.distance), pair.upper.max(outcome.distance)));
}

fn contacts_with_mesh(
    body: &Geometry,
    pose: &Pose,
    mesh: &CollisionMesh,
    mesh_pose: &Pose,
    margin: f64,
    options: &Options,
) -> Result<Vec<Contact>, WorldError> {
    let Some(parts) = body.parts() else {
        return Err(WorldError::Unsupported { operation: "contacts", a: body.name(), b: "mesh" });
    };
    let mut found = Vec::new();
    for (index, part) in (0u32..).zip(parts.iter()) {
        let contacts = mesh.contacts(mesh_pose, &part.shape, &pose.compose(&part.pose), margin, options)?;
        found.extend(contacts.iter().map(|contact| Contact { part_a: index, ..of_mesh(contact) }));
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
    let Some(parts) = body.parts() else { return Err(unsupported("distance", body, other)) };
    let mut nearest: Option<Nearest> = None;
    let mut lower = Some(f64::INFINITY);
    for (index, part) in (0u32..).zip(parts.iter()) {
        let contact = Contact { part_a: index, ..ask(&part.shape, &pose.compose(&part.pose))? };
        lower = contact.outcome.bounds.and_then(|bounds| Some(lower?.min(bounds.lower)));
        let queries = index + 1;
        match &mut nearest {
            Some(best) if best.contact.outcome.distance <= contact.outcome.distance => best.queries = queries,
            _ => nearest = Some(Nearest { contact, queries }),
        }
    }
    let mut nearest = nearest.ok_or(WorldError::EmptyCompound)?;
    let outcome = &mut nearest.contact.outcome;
    outcome.bounds = outcome.bounds.and_then(|own| Some(bounds(own.lower.min(lower?), own.upper)));
    Ok(nearest)
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

fn unsupported(operation: &'static str, a: &Geometry, b: &Geometry) -> WorldError {
    WorldError::Unsupported { operation, a: a.name(), b: b.name() }
}

fn swapped_nearest(nearest: Nearest) -> Nearest {
    Nearest { contact: nearest.contact.swapped(), ..nearest }
}

/// A mesh's contact, with the body as a.
fn of_mesh(contact: &MeshContact) -> Contact {
    Contact { part_a: 0, part_b: contact.triangle, outcome: contact.outcome }
}
