//! Parry's shapes as ours and ours as parry's: both sides give the same distances, up to the 1e-4 that parry's GJK is exact to.

use parry3d_f64::math::{Pose as ParryPose, Rotation, Vector};
use parry3d_f64::query::{DefaultQueryDispatcher, PointQuery, QueryDispatcher, Ray, RayCast};
use parry3d_f64::shape::{
    Ball, Capsule, Compound, Cone, ConvexPolyhedron, Cuboid, Cylinder, HalfSpace, RoundShape, Segment, Shape as _,
    SharedShape, TriMesh, Triangle,
};
use superegg::query::{Options, distance};
use superegg::shape::{Custom, Hull, Plane, Point, Primitive, Shape, Superellipsoid};
use superegg::{DQuat, DVec3, Pose};
use superegg_parry::{EggDispatcher, Solid, geometry_of, parry_shape_of, shape_of};
use superegg_world::geometry::{Geometry, distance as nearest};
use testkit::lens::Lens;

/// What parry's distances are exact to, in metres.
const PARRY: f64 = 1e-4;

fn vector(random: &mut fastrand::Rng, size: f64) -> DVec3 {
    DVec3::new(random.f64() - 0.5, random.f64() - 0.5, random.f64() - 0.5) * (2.0 * size)
}

fn parrys(v: DVec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

fn parry_pose(pose: &Pose) -> ParryPose {
    let [x, y, z, w] = pose.rotation.to_array();
    ParryPose::from_parts(parrys(pose.translation), Rotation::from_xyzw(x, y, z, w))
}

fn random_pose(random: &mut fastrand::Rng, away: f64) -> Pose {
    let turn = DQuat::from_scaled_axis(vector(random, 3.0));
    Pose::new(turn, vector(random, 1.0).normalize() * away).unwrap()
}

/// One of each of parry's shapes that has a counterpart.
fn parry_shapes(random: &mut fastrand::Rng) -> Vec<SharedShape> {
    let mut point = || parrys(vector(random, 0.8));
    let corners: Vec<Vector> = (0..20).map(|_| point()).collect();
    let hull = ConvexPolyhedron::from_convex_hull(&corners).unwrap();
    vec![
        SharedShape::new(Ball::new(0.4)),
        SharedShape::new(Cuboid::new(Vector::new(0.3, 0.5, 0.4))),
        SharedShape::new(RoundShape { inner_shape: Cuboid::new(Vector::new(0.3, 0.5, 0.4)), border_radius: 0.1 }),
        SharedShape::new(Cylinder::new(0.5, 0.3)),
        SharedShape::new(RoundShape { inner_shape: Cylinder::new(0.5, 0.3), border_radius: 0.1 }),
        SharedShape::new(Cone::new(0.5, 0.3)),
        SharedShape::new(RoundShape { inner_shape: Cone::new(0.5, 0.3), border_radius: 0.1 }),
        SharedShape::new(Capsule::new(point(), point(), 0.2)),
        SharedShape::new(Segment::new(point(), point())),
        SharedShape::new(Triangle::new(point(), point(), point())),
        SharedShape::new(HalfSpace::new(point().normalize())),
        SharedShape::new(RoundShape { inner_shape: hull.clone(), border_radius: 0.1 }),
        SharedShape::new(hull),
    ]
}

#[test]
fn parrys_shapes_are_as_far_apart_as_ours() {
    let mut random = fastrand::Rng::with_seed(1);
    let (mut apart, mut compared) = (0, 0);
    for _ in 0..12 {
        let shapes = parry_shapes(&mut random);
        for one in &shapes {
            for other in &shapes {
                let away = 0.8 + 2.0 * random.f64();
                let pose = random_pose(&mut random, away);
                let Ok(theirs) = DefaultQueryDispatcher.distance(&parry_pose(&pose), &**one, &**other) else {
                    continue;
                };
                let ((a, local_a), (b, local_b)) = (shape_of(&**one).unwrap(), shape_of(&**other).unwrap());
                let found = distance(&a, &local_a, &b, &pose.compose(&local_b), &Options::DEFAULT).unwrap();
                let (ours, theirs) = (found.distance.max(0.0), theirs.distance);
                compared += 1;
                apart += u32::from(ours > 0.0);
                let kinds = (one.shape_type(), other.shape_type());
                assert!((ours - theirs).abs() < PARRY, "{kinds:?}: {ours} {theirs}");
            }
        }
    }
    assert!(compared > 1_500 && apart > 500, "{compared} {apart}");
}

#[test]
fn there_and_back_is_the_same_body() {
    let mut random = fastrand::Rng::with_seed(2);
    let corners: Vec<DVec3> = (0..20).map(|_| vector(&mut random, 0.8)).collect();
    let primitives = [
        Primitive::sphere(0.4).unwrap(),
        Primitive::capsule(0.2, 0.5).unwrap(),
        Primitive::cuboid([0.2, 0.3, 0.4]).unwrap(),
        Primitive::cuboid([0.2, 0.3, 0.4]).unwrap().rounded(0.1).unwrap(),
        Primitive::cylinder(0.2, 0.3).unwrap(),
        Primitive::cylinder(0.2, 0.3).unwrap().rounded(0.1).unwrap(),
        Primitive::cone(0.2, 0.3).unwrap(),
        Primitive::cone(0.2, 0.3).unwrap().rounded(0.1).unwrap(),
        Primitive::frustum([0.2, 0.4], 0.3).unwrap().rounded(0.05).unwrap(),
    ];
    let mut shapes: Vec<Shape> = primitives.into_iter().map(Shape::from).collect();
    shapes.push(Hull::new(&corners).unwrap().into());
    shapes.push(Hull::new(&corners).unwrap().rounded(0.1).unwrap().into());
    shapes.push(Superellipsoid::new([0.2, 0.3, 0.4], [0.5, 0.7]).unwrap().into());
    for shape in &shapes {
        let (parry, there) = parry_shape_of(shape).unwrap();
        let (back, home) = shape_of(&*parry).unwrap();
        // The same support function, in the same place.
        let [x, y, z, w] = there.rotation.to_array();
        let there = Pose { rotation: DQuat::from_xyzw(x, y, z, w), translation: DVec3::ZERO };
        let pose = there.compose(&home);
        for _ in 0..50 {
            let direction = vector(&mut random, 1.0).normalize();
            let (own, other) =
                (shape.support_value(direction), back.support_value(pose.inverse_transform_vector(direction)));
            assert!((own - other).abs() < 1e-12, "{}: {own} {other}", shape.name());
        }
        let mass = parry.mass_properties(2.0).mass();
        let rounded = matches!(shape, Shape::Primitive(shape) if shape.rounding() > 0.0 && shape.name() != "sphere");
        // Parry leaves the radius around its rounded shapes out of the mass.
        if !rounded || parry.as_shape::<Solid>().is_some() || shape.name() == "capsule" {
            assert!((mass - 2.0 * shape.mass_properties().unwrap().volume).abs() < 1e-9, "{}: {mass}", shape.name());
        }
    }
    assert!(parry_shape_of(&Point::new([DVec3::ZERO]).unwrap().into()).is_none());
    let plane = Plane::new(DVec3::new(1.0, 2.0, 2.0), 0.7).unwrap();
    let (half_space, at) = parry_shape_of(&plane.into()).unwrap();
    let on_it = plane.normal() * plane.offset();
    let apart = half_space.distance_to_point(&at, parrys(on_it + plane.normal() * 0.25), true);
    assert!((apart - 0.25).abs() < 1e-12, "{apart}");
}

#[test]
fn meshes_and_compounds_are_as_far_as_parrys() {
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..60 {
        let corners: Vec<Vector> = (0..12).map(|_| parrys(vector(&mut random, 1.0))).collect();
        let mesh = TriMesh::new(corners, vec![[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]).unwrap();
        let part = |shape: SharedShape, random: &mut fastrand::Rng| (parry_pose(&random_pose(random, 0.7)), shape);
        let parts = vec![
            part(SharedShape::cylinder(0.3, 0.2), &mut random),
            part(SharedShape::cuboid(0.2, 0.3, 0.1), &mut random),
            part(SharedShape::cone(0.3, 0.2), &mut random),
        ];
        let compound = Compound::new(parts);
        let ball = Ball::new(0.3);
        let pose = random_pose(&mut random, 2.5);
        let (egg, _) = geometry_of(&ball).unwrap();
        for shape in [&mesh as &dyn parry3d_f64::shape::Shape, &compound] {
            let (body, local) = geometry_of(shape).unwrap();
            assert_eq!(local, Pose::IDENTITY);
            let found = nearest(&body, &Pose::IDENTITY, &egg, &pose, &Options::DEFAULT).unwrap();
            let theirs = DefaultQueryDispatcher.distance(&parry_pose(&pose), shape, &ball).unwrap().distance;
            let ours = found.contact.outcome.distance.max(0.0);
            assert!((ours - theirs).abs() < PARRY, "{:?}: {ours} {theirs}", shape.shape_type());
        }
    }
    let flat = TriMesh::new(vec![Vector::ZERO; 3], vec![[0, 1, 2]]);
    assert!(flat.is_err() || geometry_of(&flat.unwrap()).is_none_or(|(body, _)| matches!(body, Geometry::Mesh(_))));
}

/// Frustums, hulls and a shape of one's own among parry's shapes, against parry's algorithms on the same support points.
#[test]
fn solids_meet_parrys_shapes() {
    let mut random = fastrand::Rng::with_seed(4);
    let corners: Vec<DVec3> = (0..20).map(|_| vector(&mut random, 0.8)).collect();
    let bodies: [Shape; 4] = [
        Primitive::frustum([0.3, 0.5], 0.4).unwrap().into(),
        Hull::new(&corners).unwrap().into(),
        Hull::new(&corners).unwrap().rounded(0.1).unwrap().into(),
        Custom::new(Lens::unit(0.5)).unwrap().into(),
    ];
    let mut apart = 0;
    for body in bodies {
        let solid = Solid::new(body.clone()).unwrap();
        for _ in 0..8 {
            for other in parry_shapes(&mut random) {
                let away = 0.8 + 1.8 * random.f64();
                let pose = parry_pose(&random_pose(&mut random, away));
                let ours = EggDispatcher.distance(&pose, &solid, &*other).unwrap().distance;
                let theirs = DefaultQueryDispatcher.distance(&pose, &solid, &*other).unwrap().distance;
                apart += u32::from(ours > 0.0);
                assert!((ours - theirs).abs() < PARRY, "{} {:?}: {ours} {theirs}", body.name(), other.shape_type());
                let swapped = EggDispatcher.distance(&pose.inverse(), &*other, &solid).unwrap().distance;
                assert!((ours - swapped).abs() < PARRY);
                let meets = EggDispatcher.intersection_test(&pose, &solid, &*other).unwrap().intersecting;
                assert!(meets == (ours <= 0.0) || ours.abs() < PARRY, "{} {:?}", body.name(), other.shape_type());
            }
        }
        // Rays and points, beside our own queries through another way: the surface is where the support plane touches it.
        let down = Ray::new(Vector::new(0.05, 0.03, 5.0), Vector::new(0.0, 0.0, -1.0));
        let hit = solid.cast_local_ray_and_get_normal(&down, f64::MAX, true).unwrap();
        let top = down.point_at(hit.time_of_impact);
        assert!(solid.distance_to_local_point(top, true) < 1e-7, "{}", body.name());
        assert!(solid.contains_local_point(top - Vector::new(0.0, 0.0, 1e-3)));
        let aabb = solid.compute_local_aabb();
        assert!(top.z <= aabb.maxs.z + 1e-12 && aabb.maxs.z < 2.0);
        assert!(solid.mass_properties(1.0).mass() > 0.0);
    }
    assert!(apart > 200, "{apart}");
    assert!(Solid::new(Plane::new(DVec3::Z, 0.0).unwrap().into()).is_none());
}
