//! Eggs among parry's shapes: against our own queries, against parry's algorithms on the same support map, and against
//! parry's own shapes where an egg is one of them.

use parry3d_f64::math::{Pose, Rotation, Vector};
use parry3d_f64::query::{
    ContactManifold, DefaultQueryDispatcher, NonlinearRigidMotion, PersistentQueryDispatcher, PointQuery,
    QueryDispatcher, Ray, RayCast, ShapeCastStatus, details::ShapeCastOptions,
};
use parry3d_f64::shape::{
    Ball, Capsule, Compound, ConvexPolyhedron, Cuboid, HalfSpace, Segment, Shape, SharedShape, TriMesh, Triangle,
};
use superegg_parry::{Egg, EggDispatcher};

fn random_vector(random: &mut fastrand::Rng, size: f64) -> Vector {
    Vector::new(random.f64() - 0.5, random.f64() - 0.5, random.f64() - 0.5) * (2.0 * size)
}

fn random_pose(random: &mut fastrand::Rng, away: f64) -> Pose {
    let turn = random_vector(random, 3.0);
    let at = random_vector(random, 1.0).normalize() * away;
    Pose::from_parts(at, Rotation::from_scaled_axis(turn))
}

fn random_egg(random: &mut fastrand::Rng) -> Egg {
    let radii = [0; 3].map(|_| 0.3 + 0.7 * random.f64());
    let exponents = [0; 2].map(|_| 0.4 + 0.8 * random.f64());
    let taper = 0.3 * (random.f64() - 0.5);
    Egg::superovoid(radii, exponents, [taper; 2]).unwrap()
}

/// Shapes with a counterpart here, as parry's own algorithms know them too.
fn others(random: &mut fastrand::Rng) -> Vec<Box<dyn Shape>> {
    let mut vertex = || random_vector(random, 0.8);
    vec![
        Box::new(Ball::new(0.4)),
        Box::new(Capsule::new(vertex(), vertex(), 0.2)),
        Box::new(Segment::new(vertex(), vertex())),
        Box::new(Triangle::new(vertex(), vertex(), vertex())),
        Box::new(HalfSpace::new(vertex().normalize())),
        Box::new(Cuboid::new(Vector::new(0.3, 0.5, 0.4))),
    ]
}

#[test]
fn distances_and_contacts_agree_with_parrys_algorithms() {
    let mut random = fastrand::Rng::with_seed(1);
    let (mut apart, mut touching) = (0, 0);
    for _ in 0..100 {
        let egg = random_egg(&mut random);
        for other in others(&mut random) {
            let away = 0.6 + 2.0 * random.f64();
            let pose = random_pose(&mut random, away);
            let ours = EggDispatcher.distance(&pose, &egg, &*other).unwrap().distance;
            let theirs = DefaultQueryDispatcher.distance(&pose, &egg, &*other).unwrap().distance;
            assert!((ours - theirs).abs() < 1e-4, "{:?}: {ours} {theirs}", other.shape_type());
            let swapped = EggDispatcher.distance(&pose.inverse(), &*other, &egg).unwrap().distance;
            assert!((ours - swapped).abs() < 1e-4);
            let contact = EggDispatcher.contact(&pose, &egg, &*other, 10.0).unwrap().expect("within the prediction");
            if ours > 0.0 {
                apart += 1;
                assert!((contact.dist - ours).abs() < 1e-4);
                // The points are where they are said to be.
                let gap = (pose * contact.point2) - contact.point1;
                assert!((gap - contact.normal1 * contact.dist).length() < 1e-4, "{:?}", other.shape_type());
                assert!((pose.rotation * contact.normal2 + contact.normal1).length() < 1e-6);
            } else {
                touching += 1;
                assert!(contact.dist <= 1e-6);
            }
            let meets = EggDispatcher.intersection_test(&pose, &egg, &*other).unwrap().intersecting;
            assert_eq!(meets, contact.dist <= 1e-7, "{:?} {}", other.shape_type(), contact.dist);
        }
    }
    assert!(apart > 100 && touching > 100, "{apart} {touching}");
}

#[test]
fn points_and_rays_see_the_surface() {
    let mut random = fastrand::Rng::with_seed(2);
    for _ in 0..200 {
        let egg = random_egg(&mut random);
        let at = random_vector(&mut random, 1.5);
        let projected = egg.project_local_point(at, false);
        let solid = egg.as_superovoid();
        let gauge = |v: Vector| solid.gauge(superegg::DVec3::new(v.x, v.y, v.z));
        assert!((gauge(projected.point) - 1.0).abs() < 1e-6);
        assert_eq!(projected.is_inside, gauge(at) <= 1.0);
        let ray = Ray::new(at, random_vector(&mut random, 1.0));
        match egg.cast_local_ray_and_get_normal(&ray, f64::MAX, false) {
            Some(hit) => {
                assert!((gauge(ray.point_at(hit.time_of_impact)) - 1.0).abs() < 1e-9);
                assert!(hit.normal.dot(ray.dir) <= 1e-9);
            }
            None => assert!(gauge(at) > 1.0),
        }
        let solid_hit = egg.cast_local_ray(&ray, f64::MAX, true);
        assert_eq!(solid_hit == Some(0.0), gauge(at) <= 1.0);
    }
}

#[test]
fn boxes_and_mass_agree_with_a_fine_hull() {
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..5 {
        let egg = random_egg(&mut random);
        let indexed = egg.as_superovoid().tessellate(4000, superegg::shape::Spacing::Angles).unwrap();
        let points: Vec<Vector> = indexed.vertices.iter().map(|v| Vector::new(v.x, v.y, v.z)).collect();
        let hull = ConvexPolyhedron::from_convex_hull(&points).unwrap();
        let pose = random_pose(&mut random, 1.0);
        let (ours, theirs) = (egg.compute_aabb(&pose), hull.compute_aabb(&pose));
        assert!((ours.mins - theirs.mins).length() < 0.02 && (ours.maxs - theirs.maxs).length() < 0.02);
        let (ours, theirs) = (egg.mass_properties(2.0), hull.mass_properties(2.0));
        assert!((ours.mass() / theirs.mass() - 1.0).abs() < 0.01);
        assert!((ours.local_com - theirs.local_com).length() < 0.01);
        let ratio = ours.principal_inertia().element_sum() / theirs.principal_inertia().element_sum();
        assert!((ratio - 1.0).abs() < 0.02);
        let ball = egg.compute_local_bounding_sphere();
        assert!(points.iter().all(|point| point.length() <= ball.radius + 1e-9));
        let twice = egg.scale_dyn(Vector::new(2.0, 2.0, -2.0), 0).unwrap();
        let mirrored = twice.compute_local_aabb();
        let own = egg.compute_local_aabb();
        assert!(
            (mirrored.maxs.x - 2.0 * own.maxs.x).abs() < 1e-12 && (mirrored.maxs.z - 2.0 * own.maxs.z).abs() < 1e-12
        );
    }
}

fn manifolds(g1: &dyn Shape, g2: &dyn Shape, pose: &Pose) -> Vec<ContactManifold<(), ()>> {
    let mut manifolds = Vec::new();
    EggDispatcher.contact_manifolds(pose, g1, g2, 0.1, &mut manifolds, &mut None).unwrap();
    manifolds.retain(|manifold| !manifold.points.is_empty());
    manifolds
}

#[test]
fn manifolds_on_a_plane_have_one_point_or_the_rim_of_a_face() {
    let floor = HalfSpace::new(Vector::new(0.0, 0.0, 1.0));
    let up = |z: f64| Pose::from_parts(Vector::new(0.0, 0.0, z), Rotation::IDENTITY);
    let ball = Egg::superellipsoid([0.5; 3], [1.0; 2]).unwrap();
    let found = manifolds(&floor, &ball, &up(0.51));
    assert_eq!((found.len(), found[0].points.len()), (1, 1));
    assert!((found[0].points[0].dist - 0.01).abs() < 1e-9);
    assert!((found[0].local_n1 - Vector::new(0.0, 0.0, 1.0)).length() < 1e-12);
    // A die lies on its face: the first point and four of the rim, in both orders.
    let die = Egg::superellipsoid([0.5; 3], [0.1; 2]).unwrap();
    for (found, flipped) in
        [(manifolds(&floor, &die, &up(0.49)), false), (manifolds(&die, &floor, &up(0.49).inverse()), true)]
    {
        let points = &found[0].points;
        assert_eq!(points.len(), 5);
        for point in points {
            let (on_floor, on_die) =
                if flipped { (point.local_p2, point.local_p1) } else { (point.local_p1, point.local_p2) };
            assert!(on_floor.z.abs() < 1e-9);
            assert!((on_die.z + 0.49 - point.dist).abs() < 1e-9 && (point.dist + 0.01).abs() < 2e-3);
        }
        let widest = points.iter().map(|point| point.local_p1.x.abs().max(point.local_p1.y.abs())).fold(0.0, f64::max);
        assert!(widest > 0.2, "{widest}");
    }
}

#[test]
fn meshes_and_compounds_are_taken_apart() {
    let egg = Egg::superellipsoid([0.5, 0.5, 0.7], [1.0, 0.8]).unwrap();
    let vertices = [[-9.0, -9.0], [9.0, -9.0], [9.0, 9.0], [-9.0, 9.0]].map(|[x, y]| Vector::new(x, y, 0.0));
    let floor = TriMesh::new(vertices.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let above = Pose::from_parts(Vector::new(2.0, 1.0, 0.75), Rotation::IDENTITY);
    let distance = EggDispatcher.distance(&above, &floor, &egg).unwrap().distance;
    assert!((distance - 0.05).abs() < 1e-8);
    let found = manifolds(&floor, &egg, &above);
    let nearest =
        found.iter().flat_map(|manifold| &manifold.points).map(|point| point.dist).fold(f64::INFINITY, f64::min);
    assert!((nearest - 0.05).abs() < 1e-8);
    // Two eggs as one compound.
    let pair = Compound::new(vec![
        (Pose::IDENTITY, SharedShape::new(egg)),
        (Pose::from_parts(Vector::new(0.0, 0.0, 2.0), Rotation::IDENTITY), egg.shared()),
    ]);
    let higher = Pose::from_parts(Vector::new(0.0, 0.0, 3.5), Rotation::IDENTITY);
    let distance = EggDispatcher.distance(&higher, &pair, &egg).unwrap().distance;
    assert!((distance - 0.1).abs() < 1e-8, "{distance}");
    assert!(!EggDispatcher.intersection_test(&higher, &pair, &egg).unwrap().intersecting);
}

#[test]
fn casts_agree_with_parrys_balls() {
    let mut random = fastrand::Rng::with_seed(4);
    let (ball, egg) = (Ball::new(0.5), Egg::superellipsoid([0.5; 3], [1.0; 2]).unwrap());
    let mut hits = 0;
    for _ in 0..100 {
        let pose = random_pose(&mut random, 3.0);
        let velocity = random_vector(&mut random, 1.0) - pose.translation;
        let options = ShapeCastOptions::with_max_time_of_impact(5.0);
        let ours = EggDispatcher.cast_shapes(&pose, velocity, &egg, &egg, options).unwrap();
        let theirs = DefaultQueryDispatcher.cast_shapes(&pose, velocity, &ball, &ball, options).unwrap();
        // Near misses within the tolerance may be told apart differently.
        let closest =
            (pose.translation - velocity * (pose.translation.dot(velocity) / velocity.length_squared())).length();
        if (closest - 1.0).abs() < 1e-4 {
            continue;
        }
        assert_eq!(ours.is_some(), theirs.is_some());
        if let (Some(ours), Some(theirs)) = (ours, theirs) {
            assert!((ours.time_of_impact - theirs.time_of_impact).abs() < 1e-3);
            assert!((ours.normal1 - theirs.normal1).length() < 1e-2);
            hits += 1;
            // The same as a motion that also turns, about a centre that is not the origin.
            let center = Vector::new(0.3, 0.0, 0.0);
            let rest = NonlinearRigidMotion::constant_position(Pose::IDENTITY);
            let moving = NonlinearRigidMotion::new(pose, Vector::ZERO, velocity, Vector::new(1.0, 2.0, 3.0));
            let found =
                EggDispatcher.cast_shapes_nonlinear(&rest, &egg, &moving, &egg, 0.0, 5.0, true).unwrap().unwrap();
            assert!((found.time_of_impact - theirs.time_of_impact).abs() < 1e-3);
            let about = NonlinearRigidMotion::new(pose, center, velocity, Vector::new(1.0, 2.0, 3.0));
            if let Some(found) = EggDispatcher.cast_shapes_nonlinear(&rest, &egg, &about, &egg, 0.0, 5.0, true).unwrap()
            {
                let at = about.position_at_time(found.time_of_impact);
                let apart = EggDispatcher.distance(&at, &egg, &egg).unwrap().distance;
                assert!(apart < 1e-4, "{apart}");
            }
        }
    }
    assert!(hits > 20, "{hits}");
}

/// A die that spins thousands of times while it comes near: the cap on queries ends the cast. That was told as "no hit", and
/// the die passed through.
#[test]
fn a_cast_that_is_not_decided_stops_the_motion_where_it_was_last_free() {
    let die = Egg::superellipsoid([0.5; 3], [0.2; 2]).unwrap();
    let rest = NonlinearRigidMotion::constant_position(Pose::IDENTITY);
    let start = Pose::from_parts(Vector::new(1.4, 0.0, 0.0), Rotation::IDENTITY);
    let (velocity, spin) = (Vector::new(-0.05, 0.0, 0.0), Vector::new(0.0, 0.0, 1e4));
    let moving = NonlinearRigidMotion::new(start, Vector::ZERO, velocity, spin);
    // After eight seconds the middles are 1 apart: whatever their turn, dice of that size overlap by then.
    let hit = EggDispatcher.cast_shapes_nonlinear(&rest, &die, &moving, &die, 0.0, 20.0, true).unwrap();
    let hit = hit.expect("they meet");
    assert!((0.0..8.0).contains(&hit.time_of_impact), "{}", hit.time_of_impact);
    assert_eq!(hit.status, ShapeCastStatus::OutOfIterations);
    let apart = EggDispatcher.distance(&moving.position_at_time(hit.time_of_impact), &die, &die).unwrap().distance;
    assert!(apart > 0.0, "{apart}");
    assert!((hit.normal1.length() - 1.0).abs() < 1e-9 && hit.witness1.is_finite() && hit.witness2.is_finite());
}
