//! Parry's shapes as ours, and ours as parry's, wherever one is exactly the other.
//!
//! Parry's cylinders and cones stand along y and its capsules anywhere, ours along z about the origin: a shape comes with its pose in the
//! other's frame.

use parry3d_f64::math::Pose as ParryPose;
use parry3d_f64::shape::{ConvexPolyhedron, RoundShape, Shape as ParryShape, SharedShape, TypedShape};
use superegg::shape::{Core, Hull, Plane, Primitive, Segment, Shape, Triangle};
use superegg::{DQuat, DVec3, Pose};
use superegg_mesh::TriangleMesh;
use superegg_world::collision_mesh::CollisionMesh;
use superegg_world::compound::{Compound, Part};
use superegg_world::geometry::Geometry;

use crate::convert::{our_pose, ours, parry_pose, parrys};
use crate::{Egg, Solid};

/// The pose in which what stands along z stands along y.
fn along_y() -> Pose {
    Pose { rotation: DQuat::from_rotation_arc(DVec3::Z, DVec3::Y), translation: DVec3::ZERO }
}

/// A parry shape as one of ours, and its pose in the parry shape's frame; `None` where none of ours is exactly that: for meshes, height
/// fields and compounds (see [`geometry_of`]), rounded triangles and voxels, and where a length is outside of what we accept.
///
/// ```
/// use parry3d_f64::shape::Cylinder;
/// use superegg::{DVec3, shape::Primitive};
/// let (can, pose) = superegg_parry::shape_of(&Cylinder::new(0.5, 0.2)).unwrap();
/// assert_eq!(can, Primitive::cylinder(0.2, 0.5)?.into());
/// assert!((pose.transform_vector(DVec3::Z) - DVec3::Y).length() < 1e-15); // parry's stand along y
/// # Ok::<(), superegg::InvalidInput>(())
/// ```
pub fn shape_of(shape: &dyn ParryShape) -> Option<(Shape, Pose)> {
    let hull = |polyhedron: &ConvexPolyhedron, rounding: f64| {
        let points: Vec<DVec3> = polyhedron.points().iter().map(|point| ours(*point)).collect();
        Some((Hull::new(&points).ok()?.rounded(rounding).ok()?.into(), Pose::IDENTITY))
    };
    match shape.as_typed_shape() {
        TypedShape::ConvexPolyhedron(polyhedron) => hull(polyhedron, 0.0),
        TypedShape::RoundConvexPolyhedron(round) => hull(&round.inner_shape, round.border_radius),
        _ => simple_shape_of(shape),
    }
}

/// The same for shapes that take no more than a few numbers: those that are looked at anew in every query.
pub(crate) fn simple_shape_of(shape: &dyn ParryShape) -> Option<(Shape, Pose)> {
    let here = |shape: Shape| Some((shape, Pose::IDENTITY));
    let rounded = |shape: Primitive, radius: f64, pose: Pose| Some((shape.rounded(radius).ok()?.into(), pose));
    match shape.as_typed_shape() {
        TypedShape::Ball(ball) => here(Primitive::sphere(ball.radius).ok()?.into()),
        TypedShape::Cuboid(cuboid) => here(Primitive::cuboid(ours(cuboid.half_extents).into()).ok()?.into()),
        TypedShape::RoundCuboid(RoundShape { inner_shape, border_radius }) => {
            let sharp = Primitive::cuboid(ours(inner_shape.half_extents).into()).ok()?;
            rounded(sharp, *border_radius, Pose::IDENTITY)
        }
        TypedShape::Cylinder(can) => rounded(Primitive::cylinder(can.radius, can.half_height).ok()?, 0.0, along_y()),
        TypedShape::RoundCylinder(RoundShape { inner_shape: can, border_radius }) => {
            rounded(Primitive::cylinder(can.radius, can.half_height).ok()?, *border_radius, along_y())
        }
        TypedShape::Cone(cone) => rounded(Primitive::cone(cone.radius, cone.half_height).ok()?, 0.0, along_y()),
        TypedShape::RoundCone(RoundShape { inner_shape: cone, border_radius }) => {
            rounded(Primitive::cone(cone.radius, cone.half_height).ok()?, *border_radius, along_y())
        }
        TypedShape::Capsule(capsule) => {
            let (a, b) = (ours(capsule.segment.a), ours(capsule.segment.b));
            let along = (b - a).try_normalize().unwrap_or(DVec3::Z);
            let pose = Pose { rotation: DQuat::from_rotation_arc(DVec3::Z, along), translation: 0.5 * a + 0.5 * b };
            Some((Primitive::capsule(capsule.radius, 0.5 * a.distance(b)).ok()?.into(), pose))
        }
        TypedShape::Segment(segment) => here(Segment::new([ours(segment.a), ours(segment.b)]).ok()?.into()),
        TypedShape::Triangle(corners) => {
            here(Triangle::new([ours(corners.a), ours(corners.b), ours(corners.c)]).ok()?.into())
        }
        TypedShape::HalfSpace(half_space) => here(Plane::new(ours(half_space.normal), 0.0).ok()?.into()),
        TypedShape::Custom(_) => match (shape.as_shape::<Egg>(), shape.as_shape::<Solid>()) {
            (Some(egg), _) => here((*egg.as_superovoid()).into()),
            (_, Some(solid)) => here(solid.as_shape().clone()),
            (None, None) => None,
        },
        _ => None,
    }
}

/// A parry shape as a body of our worlds, and its pose in the parry shape's frame: what [`shape_of`] answers, triangle meshes, and compounds of
/// the former.
///
/// ```
/// use parry3d_f64::math::Vector;
/// use parry3d_f64::shape::TriMesh;
/// use superegg_world::geometry::Geometry;
/// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(|[x, y, z]| Vector::new(x, y, z));
/// let mesh = TriMesh::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap();
/// assert!(matches!(superegg_parry::geometry_of(&mesh), Some((Geometry::Mesh(_), _))));
/// ```
pub fn geometry_of(shape: &dyn ParryShape) -> Option<(Geometry, Pose)> {
    match shape.as_typed_shape() {
        TypedShape::TriMesh(mesh) => {
            let vertices = mesh.vertices().iter().map(|vertex| ours(*vertex)).collect();
            let mesh = TriangleMesh::new(vertices, mesh.indices().to_vec()).ok()?;
            Some((CollisionMesh::new(mesh).ok()?.into(), Pose::IDENTITY))
        }
        TypedShape::Compound(compound) => {
            let part = |(pose, shape): &(ParryPose, SharedShape)| {
                let (shape, local) = shape_of(&**shape)?;
                Some(Part { shape, pose: our_pose(pose).compose(&local) })
            };
            let parts: Vec<Part> = compound.shapes().iter().map(part).collect::<Option<_>>()?;
            Some((Compound::new(parts).ok()?.into(), Pose::IDENTITY))
        }
        _ => shape_of(shape).map(|(shape, pose)| (shape.into(), pose)),
    }
}

/// One of our shapes as a parry shape, and its pose in our shape's frame: parry's own where there is one that is exactly the same, else
/// [`Egg`] or [`Solid`], which need the [`EggDispatcher`](crate::EggDispatcher). `None` for a single point, and for a plane that
/// parry's direction cannot say.
///
/// ```
/// use superegg::shape::{Primitive, Shape};
/// let die = Shape::from(Primitive::cuboid([1.0, 2.0, 3.0])?);
/// let (parrys, _) = superegg_parry::parry_shape_of(&die).unwrap();
/// assert!(parrys.as_cuboid().is_some());
/// let bucket = Shape::from(Primitive::frustum([0.2, 0.3], 0.4)?);
/// assert!(superegg_parry::parry_shape_of(&bucket).unwrap().0.as_shape::<superegg_parry::Solid>().is_some());
/// # Ok::<(), superegg::InvalidInput>(())
/// ```
pub fn parry_shape_of(shape: &Shape) -> Option<(SharedShape, ParryPose)> {
    let here = |shape: SharedShape| Some((shape, ParryPose::IDENTITY));
    // What stands along z for us stands along y for parry.
    let upright = |shape: SharedShape| Some((shape, parry_pose(&along_y().inverse())));
    match shape {
        Shape::Point(_) => None,
        Shape::Plane(plane) => {
            let at = Pose::from_translation(plane.normal() * plane.offset());
            Some((SharedShape::halfspace(parrys(plane.normal())), parry_pose(&at)))
        }
        Shape::Segment(segment) => {
            let [a, b] = segment.points().map(parrys);
            here(SharedShape::segment(a, b))
        }
        Shape::Triangle(triangle) => {
            let [a, b, c] = triangle.points().map(parrys);
            here(SharedShape::triangle(a, b, c))
        }
        Shape::Superellipsoid(shape) => here(Egg::from(*shape).shared()),
        Shape::Superovoid(shape) => here(Egg::from(*shape).shared()),
        Shape::Primitive(shape) => match (shape.core(), shape.rounding()) {
            (Core::Segment { half_height: 0.0 }, radius) => here(SharedShape::ball(radius)),
            (Core::Segment { half_height }, radius) => here(SharedShape::capsule_z(half_height, radius)),
            (Core::Cuboid { half_extents: [x, y, z] }, 0.0) => here(SharedShape::cuboid(x, y, z)),
            (Core::Cuboid { half_extents: [x, y, z] }, radius) => here(SharedShape::round_cuboid(x, y, z, radius)),
            (Core::Frustum { radii: [bottom, top], half_height }, 0.0) if bottom == top => {
                upright(SharedShape::cylinder(half_height, bottom))
            }
            (Core::Frustum { radii: [bottom, top], half_height }, radius) if bottom == top => {
                upright(SharedShape::round_cylinder(half_height, bottom, radius))
            }
            (Core::Frustum { radii: [bottom, 0.0], half_height }, 0.0) => {
                upright(SharedShape::cone(half_height, bottom))
            }
            (Core::Frustum { radii: [bottom, 0.0], half_height }, radius) => {
                upright(SharedShape::round_cone(half_height, bottom, radius))
            }
            (Core::Frustum { .. }, _) => here(Solid::new((*shape).into())?.shared()),
        },
        Shape::Hull(_) | Shape::Custom(_) => here(Solid::new(shape.clone())?.shared()),
    }
}
