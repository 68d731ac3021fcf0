//! Bodies of every kind, single or of many pieces, and the distance of any two of them.
//!
//! Convex pieces are the library's. What it has no distance for is answered here, without bounds: superhyperboloids and
//! supertoroids against each other and eggs by many starts, against what is flat by branch and bound, against compounds by the
//! nearest of their parts, and two meshes by their nearest triangles.

use std::sync::Arc;

use superegg::Pose;
use superegg::query::{Options, Outcome, Status, WarmStart};
use superegg::shape::Shape;
use superegg_world::WorldError;
use superegg_world::bound::{Obb, reach};
use superegg_world::compound::Compound;
use superegg_world::geometry::{Contact, Geometry, distance as geometry_distance};
use superegg_world::obstacle::Obstacle;

use crate::triangle::{candidates, common_point};
use crate::{Body, Method, SchemeOptions, Superquadric, flat};

/// A body in its own frame. Compounds and meshes are shared, not copied.
#[derive(Clone, Debug)]
pub enum Form {
    /// A single shape.
    Single(Body),
    /// Several shapes on one frame.
    Compound(Arc<Compound>),
    /// A surface of triangles.
    Mesh(Arc<Obstacle>),
}

impl PartialEq for Form {
    fn eq(&self, other: &Form) -> bool {
        match (self, other) {
            (Form::Single(one), Form::Single(other)) => one == other,
            (Form::Compound(one), Form::Compound(other)) => one.parts() == other.parts(),
            (Form::Mesh(one), Form::Mesh(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

impl Form {
    /// As the queries of many parts take it; `None` for the superquadrics that only the schemes know.
    pub fn geometry(&self) -> Option<Geometry> {
        match self {
            Form::Single(body) => body.shape().map(|shape| Geometry::Shape(*shape)),
            Form::Compound(compound) => Some(Geometry::Compound(compound.clone())),
            Form::Mesh(mesh) => Some(Geometry::Mesh(mesh.clone())),
        }
    }

    /// The superquadric, where it is a single one.
    pub fn surface(&self) -> Option<Superquadric> {
        match self {
            Form::Single(body) => body.surface(),
            Form::Compound(_) | Form::Mesh(_) => None,
        }
    }

    /// Radius of a ball about the origin of the body's frame that holds it; infinite for a plane.
    pub fn reach(&self) -> f64 {
        match self {
            Form::Single(Body::Plain(shape)) => reach(shape),
            Form::Single(Body::Further(surface)) => surface.reach(),
            Form::Compound(compound) => compound.reach(),
            Form::Mesh(mesh) => mesh.reach(),
        }
    }

    /// The name of the type in messages and files.
    pub fn name(&self) -> &'static str {
        match self {
            Form::Single(body) => body.name(),
            Form::Compound(_) => "compound",
            Form::Mesh(_) => "mesh",
        }
    }
}

impl From<Shape> for Form {
    fn from(shape: Shape) -> Form {
        Form::Single(shape.into())
    }
}

impl From<Geometry> for Form {
    fn from(geometry: Geometry) -> Form {
        match geometry {
            Geometry::Shape(shape) => shape.into(),
            Geometry::Compound(compound) => Form::Compound(compound),
            Geometry::Mesh(mesh) => Form::Mesh(mesh),
        }
    }
}

/// The nearest pieces of two bodies of any kind, or the deepest in each other.
///
/// ```
/// use superegg::query::{Options, Status};
/// use superegg::shape::{Segment, Shape};
/// use superegg::{DVec3, Pose};
/// use superegg_schemes::{Form, Superquadric, distance_of_forms};
/// // A needle through the hole of a ring: 2.5 - 0.5 - 1 from its inside.
/// let ring = Form::Single(Superquadric::toroid([0.5; 3], [1.0; 2], 5.0)?.into());
/// let needle: Shape = Segment::new([DVec3::new(1.0, 0.0, -3.0), DVec3::new(1.0, 0.0, 3.0)])?.into();
/// let here = Pose::IDENTITY;
/// let contact = distance_of_forms(&ring, &here, &needle.into(), &here, &Options::DEFAULT)?;
/// assert_eq!(contact.outcome.status, Status::Separated);
/// assert!((contact.outcome.distance - 1.0).abs() < 1e-9);
/// # Ok::<(), superegg_world::WorldError>(())
/// ```
pub fn distance_of_forms(
    a: &Form,
    pose_a: &Pose,
    b: &Form,
    pose_b: &Pose,
    options: &Options,
) -> Result<Contact, WorldError> {
    let pose_a = Pose::new(pose_a.rotation, pose_a.translation)?;
    let pose_b = Pose::new(pose_b.rotation, pose_b.translation)?;
    if let (Form::Mesh(mesh_a), Form::Mesh(mesh_b)) = (a, b) {
        return Ok(distance_of_meshes(mesh_a, &pose_a, mesh_b, &pose_b, options.tolerance));
    }
    if let (Some(a), Some(b)) = (a.geometry(), b.geometry()) {
        return Ok(geometry_distance(&a, &pose_a, &b, &pose_b, options)?.contact);
    }
    let scheme = SchemeOptions {
        tolerance: options.tolerance,
        max_iterations: options.max_iterations,
        warm_start: options.warm_start,
        ..Method::Default.options()
    };
    match (a, b) {
        (Form::Single(one), Form::Single(other)) => {
            let outcome = crate::distance(Method::Default, one, &pose_a, other, &pose_b, &scheme)?.outcome;
            Ok(Contact { part_a: 0, part_b: 0, outcome })
        }
        (Form::Single(Body::Further(surface)), other) => to_pieces(surface, &pose_a, other, &pose_b, &scheme),
        (other, Form::Single(Body::Further(surface))) => {
            Ok(to_pieces(surface, &pose_b, other, &pose_a, &scheme)?.swapped())
        }
        _ => Err(WorldError::Unsupported { operation: "distance", a: a.name(), b: b.name() }),
    }
}

/// A superhyperboloid or supertoroid against a body of many pieces.
fn to_pieces(
    surface: &Superquadric,
    pose: &Pose,
    other: &Form,
    other_pose: &Pose,
    options: &SchemeOptions,
) -> Result<Contact, WorldError> {
    match other {
        Form::Mesh(mesh) => {
            let (outcome, triangle) = flat::distance_to_mesh(surface, pose, mesh, other_pose, options.tolerance);
            Ok(Contact { part_a: 0, part_b: triangle, outcome })
        }
        Form::Compound(compound) => {
            let mut parts: Vec<(f64, u32, Pose)> = (0u32..)
                .zip(compound.parts())
                .map(|(index, part)| {
                    let placed = other_pose.compose(&part.pose);
                    let apart = placed.translation.distance(pose.translation);
                    (apart - surface.reach() - reach(&part.shape), index, placed)
                })
                .collect();
            parts.sort_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)));
            let mut nearest: Option<Contact> = None;
            let mut all_settled = true;
            for (bound, index, placed) in parts {
                // Balls say nothing about depths: only parts that are apart for sure are left out.
                if nearest.is_some_and(|best| bound > best.outcome.distance.max(0.0)) {
                    break;
                }
                let part = Body::Plain(compound.parts()[index as usize].shape);
                let outcome =
                    crate::distance(Method::Default, &(*surface).into(), pose, &part, &placed, options)?.outcome;
                all_settled &= outcome.status != Status::NotConverged;
                if nearest.is_none_or(|best| outcome.distance < best.outcome.distance) {
                    nearest = Some(Contact { part_a: 0, part_b: index, outcome });
                }
            }
            let mut nearest = nearest.ok_or(WorldError::EmptyCompound)?;
            if !all_settled {
                nearest.outcome.status = Status::NotConverged;
            }
            Ok(nearest)
        }
        Form::Single(_) => Err(WorldError::Unsupported { operation: "distance", a: surface.name(), b: other.name() }),
    }
}

/// The nearest triangles of two meshes. They are surfaces: where they meet the distance is zero, and a mesh within another is
/// as far from it as from its nearest triangle.
fn distance_of_meshes(a: &Obstacle, pose_a: &Pose, b: &Obstacle, pose_b: &Pose, tolerance: f64) -> Contact {
    let to_a = pose_a.inverse().compose(pose_b);
    let turn = to_a.rotation_matrix();
    let slack = 1e-14 * (a.reach() + b.reach() + to_a.translation.length());
    let corners_a = |item: u32| *a.triangle(item).points();
    let corners_b = |item: u32| b.triangle(item).points().map(|corner| to_a.transform_point(corner));
    let mut best = (f64::INFINITY, [pose_a.translation; 2], [0, 0]);
    a.tree().nearest_pair(
        b.tree(),
        |box_a, box_b| {
            let own = Obb {
                center: 0.5 * (box_a.min + box_a.max),
                axes: superegg::DMat3::IDENTITY,
                half: 0.5 * (box_a.max - box_a.min),
            };
            let other = Obb {
                center: to_a.transform_point(0.5 * (box_b.min + box_b.max)),
                axes: turn,
                half: 0.5 * (box_b.max - box_b.min),
            };
            own.gap(&other).max(0.0) - slack
        },
        |_, _| 0.0,
        |item_a, item_b| {
            let (one, other) = (corners_a(item_a), corners_b(item_b));
            if let Some(point) = common_point(&one, &other) {
                best = (0.0, [point; 2], [item_a, item_b]);
                // Nothing is nearer than meeting.
                return f64::NEG_INFINITY;
            }
            candidates(&one, &other, |points| {
                let distance = points[0].distance(points[1]);
                if distance < best.0 {
                    best = (distance, points, [item_a, item_b]);
                }
            });
            best.0
        },
    );
    let (distance, points, [part_a, part_b]) = best;
    let unit = 0.5 * (a.reach() + b.reach());
    let status = match distance {
        0.0 => Status::Penetrating,
        distance if distance <= tolerance * unit => Status::Touching,
        _ => Status::Separated,
    };
    let between = points[1] - points[0];
    let face = |[a, b, c]: [superegg::DVec3; 3]| (b - a).cross(c - a);
    let normal = between.try_normalize().unwrap_or_else(|| face(corners_a(part_a)).normalize_or(superegg::DVec3::Z));
    let [point_a, point_b] = points.map(|point| pose_a.transform_point(point));
    let world_normal = pose_a.transform_vector(normal);
    let outcome = Outcome {
        distance,
        point_a,
        point_b,
        normal: world_normal,
        status,
        iterations: 1,
        bounds: None,
        warm_start: WarmStart {
            point_a: points[0],
            normal_a: normal,
            point_b: pose_b.inverse_transform_point(point_b),
            normal_b: pose_b.inverse_transform_vector(-world_normal),
        },
    };
    Contact { part_a, part_b, outcome }
}
