//! Bounding volumes against sampled surfaces and against the distances of what they hold.

use glam::{DMat3, DQuat, DVec3};
use superegg::Pose;
use superegg::query::{Options, distance};
use superegg::shape::{Aabb, Shape, Sphere};
use superegg_world::bound::{Bound, Chain, Counters, Dop18, Link, Obb, Verdict, Volumes, gap_along};
use testkit::generate::random::{Arrangement, Spacing, superovoids};
use testkit::generate::{Domain, Rng, direction, polytope, rotation, seeded, superovoid};
use testkit::oracle::surface::point_towards;

fn shape(rng: &mut Rng, index: u32) -> Shape {
    if index.is_multiple_of(5) { polytope(rng, 1.0) } else { superovoid(rng, &Domain::WIDE).into() }
}

/// Points of a shape in its own frame, its most extreme ones among them.
fn points(rng: &mut Rng, shape: &Shape) -> Vec<DVec3> {
    match shape {
        Shape::Point(hull) => hull.points().to_vec(),
        Shape::Segment(hull) => hull.points().to_vec(),
        Shape::Triangle(hull) => hull.points().to_vec(),
        _ => (0..200).map(|_| point_towards(shape, direction(rng))).collect(),
    }
}

#[test]
fn volumes_hold_their_shapes_and_touch_them() {
    let mut rng = seeded(11);
    for index in 0..200 {
        let shape = shape(&mut rng, index);
        let pose = Pose { rotation: rotation(&mut rng), translation: direction(&mut rng) * 10.0 };
        let (obb, dop) = (Obb::of(&shape, &pose).unwrap(), Dop18::of(&shape, &pose).unwrap());
        let size = shape.reach();
        let slack = 1e-12 * (size + 10.0);
        for point in points(&mut rng, &shape) {
            assert!(point.length() <= size * (1.0 + 1e-12), "{shape:?}: {point} beyond {size}");
            let world = pose.transform_point(point);
            let local = obb.axes.transpose() * (world - obb.center);
            assert!((local.abs() - obb.half).max_element() <= slack, "{shape:?}");
            for (axis, (low, high)) in Dop18::AXES.iter().zip(dop.low.iter().zip(&dop.high)) {
                let along = axis.dot(world);
                assert!(low - slack <= along && along <= high + slack, "{shape:?}");
            }
        }
        // Each side of the 18-DOP along a coordinate axis is a side of the tight box.
        let aabb = shape.aabb(&pose);
        assert!((DVec3::new(dop.low[0], dop.low[1], dop.low[2]) - aabb.min).length() <= slack);
        assert!((DVec3::new(dop.high[0], dop.high[1], dop.high[2]) - aabb.max).length() <= slack);
    }
}

#[test]
fn the_reach_of_a_superellipsoid_is_its_farthest_point() {
    let mut rng = seeded(12);
    for _ in 0..100 {
        let egg = testkit::generate::superellipsoid(&mut rng, &Domain::WIDE);
        let exact = egg.bounding_sphere().radius;
        let found = Shape::from(egg).reach();
        assert!(found >= exact * (1.0 - 1e-12) && found <= exact * (1.0 + 1e-8), "{egg:?}: {found} {exact}");
    }
}

#[test]
fn gaps_between_volumes_are_below_the_distance() {
    let mut rng = seeded(13);
    let (mut apart, mut proved) = (0, [0; 4]);
    for index in 0..400 {
        let arrangement = Arrangement::ALL[index % 4];
        let spacing = if index % 3 == 0 { Spacing::Shallow } else { Spacing::Exactly(0.3) };
        let pair = superovoids(&mut rng, &Domain::MODERATE, arrangement, spacing);
        let exact = distance(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &Options::default()).unwrap();
        let upper = exact.bounds.map_or(exact.distance, |bounds| bounds.upper);
        let slack = 1e-9 * pair.size();
        let ball = |shape: &Shape, pose: &Pose| Sphere { center: pose.translation, radius: shape.reach() };
        let obb = [Obb::of(&pair.a, &pair.pose_a).unwrap(), Obb::of(&pair.b, &pair.pose_b).unwrap()];
        let dop = [Dop18::of(&pair.a, &pair.pose_a).unwrap(), Dop18::of(&pair.b, &pair.pose_b).unwrap()];
        let aabb = [pair.a.aabb(&pair.pose_a), pair.b.aabb(&pair.pose_b)];
        let gaps = [
            ball(&pair.a, &pair.pose_a).distance(&ball(&pair.b, &pair.pose_b)),
            aabb[0].distance(&aabb[1]),
            obb[0].distance(&obb[1]),
            dop[0].distance(&dop[1]),
        ];
        for (gap, proved) in gaps.iter().zip(&mut proved) {
            assert!(*gap <= upper.max(0.0) + slack, "{}: {gap} above {upper}", pair.to_rust());
            *proved += u32::from(*gap > 0.0);
        }
        assert_eq!(gaps[2] > 0.0, !obb[0].overlaps(&obb[1]));
        assert_eq!(gaps[3] > 0.0, !dop[0].overlaps(&dop[1]));
        let gap = gap_along(exact.normal, &pair.a, &pair.pose_a, &pair.b, &pair.pose_b);
        assert!(gap <= upper + slack);
        apart += u32::from(exact.distance > 0.0);
    }
    // Not vacuous: the volumes do prove things, the tighter ones more than the spheres.
    assert!(apart > 200 && proved[0] > 30 && proved[2] >= proved[0] && proved[3] > proved[0], "{apart} {proved:?}");
}

#[test]
fn merged_volumes_hold_both() {
    let mut rng = seeded(14);
    for index in 0..200 {
        let [a, b] = [0, 1].map(|k| shape(&mut rng, index + k));
        let [pose_a, pose_b] = [0, 1].map(|_| {
            let translation = direction(&mut rng) * 3.0;
            Pose { rotation: rotation(&mut rng), translation }
        });
        let obb = Obb::of(&a, &pose_a).unwrap().merged(&Obb::of(&b, &pose_b).unwrap());
        let dop = Dop18::of(&a, &pose_a).unwrap().merged(&Dop18::of(&b, &pose_b).unwrap());
        let aabb = a.aabb(&pose_a).merged(&b.aabb(&pose_b));
        let ball = |shape: &Shape, pose: &Pose| Sphere { center: pose.translation, radius: shape.reach() };
        let (ball_a, ball_b) = (ball(&a, &pose_a), ball(&b, &pose_b));
        let merged = ball_a.merged(&ball_b);
        for (ball, name) in [(ball_a, "a"), (ball_b, "b")] {
            let farthest = merged.center.distance(ball.center) + ball.radius;
            assert!(farthest <= merged.radius * (1.0 + 1e-14) + 1e-14, "{name}");
        }
        let slack = 1e-12 * (a.reach() + b.reach() + 3.0);
        let world: Vec<DVec3> = [(a, pose_a), (b, pose_b)]
            .iter()
            .flat_map(|(shape, pose)| {
                points(&mut rng, shape).into_iter().map(|point| pose.transform_point(point)).collect::<Vec<_>>()
            })
            .collect();
        for point in world {
            let local = obb.axes.transpose() * (point - obb.center);
            assert!((local.abs() - obb.half).max_element() <= slack);
            assert!(
                Dop18::AXES
                    .iter()
                    .enumerate()
                    .all(|(k, axis)| { (dop.low[k] - slack..=dop.high[k] + slack).contains(&axis.dot(point)) })
            );
            assert!((aabb.min - point).max_element() <= slack && (point - aabb.max).max_element() <= slack);
        }
    }
}

/// Closest points of two boxes by alternating projections, which converge to them for convex sets: an upper bound of
/// their distance, and zero in the limit exactly where they overlap.
fn box_distance(a: &Obb, b: &Obb) -> f64 {
    let onto = |obb: &Obb, point: DVec3| {
        let local = obb.axes.transpose() * (point - obb.center);
        obb.center + obb.axes * local.clamp(-obb.half, obb.half)
    };
    let mut point = a.center;
    for _ in 0..20_000 {
        point = onto(a, onto(b, point));
    }
    point.distance(onto(b, point))
}

#[test]
fn fifteen_axes_decide_overlap_also_where_axes_are_parallel() {
    let mut rng = seeded(15);
    let mut decided = [0; 2];
    for index in 0..400 {
        let mut random_box = |turn: DQuat| Obb {
            center: direction(&mut rng) * 1.2,
            axes: DMat3::from_quat(turn),
            half: (direction(&mut rng).abs() + 0.05) * 0.8,
        };
        // Free, turned about a common axis, and nearly so: the cross products are then tiny or nothing.
        let turn = match index % 4 {
            0 => DQuat::from_rotation_z(0.3),
            1 => DQuat::from_rotation_z(0.3) * DQuat::from_rotation_x(1e-9),
            2 => DQuat::IDENTITY,
            _ => rotation(&mut seeded(index)),
        };
        let (a, b) = (random_box(DQuat::IDENTITY), random_box(turn));
        let (true_distance, gap) = (box_distance(&a, &b), a.gap(&b));
        assert!(gap <= true_distance + 1e-9, "{a:?} {b:?}");
        if true_distance > 1e-3 {
            assert!(!a.overlaps(&b) && gap > 0.0, "{a:?} {b:?} are {true_distance} apart");
            decided[0] += 1;
        } else if gap < -1e-6 {
            assert!(a.overlaps(&b) && true_distance < 1e-6, "{a:?} {b:?}: {true_distance}");
            decided[1] += 1;
        }
    }
    assert!(decided[0] > 50 && decided[1] > 50, "{decided:?}");
}

#[test]
fn the_chain_agrees_with_the_exact_query_and_counts_every_pair_once() {
    let mut rng = seeded(16);
    let mut counters = Counters::default();
    let mut sent_away = 0;
    for index in 0..400 {
        let spacing = [Spacing::Exactly(0.02), Spacing::Exactly(0.5), Spacing::Shallow][index % 3];
        let pair = superovoids(&mut rng, &Domain::MODERATE, Arrangement::ALL[index % 4], spacing);
        let options = Options::default();
        let exact = distance(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &options).unwrap();
        let warm = (index % 2 == 0).then_some(&exact.warm_start);
        let margin = 0.05 * pair.size();
        // Distances of shapes that are not convex carry no certificate; different starts end a little apart.
        let slack = if exact.bounds.is_some() { 1e-8 } else { 1e-3 } * pair.size();
        let verdict = Chain::within(margin)
            .test(
                [&pair.a, &pair.b],
                [&pair.pose_a, &pair.pose_b],
                [&Volumes::of(&pair.a), &Volumes::of(&pair.b)],
                warm,
                &options,
                &mut counters,
            )
            .unwrap();
        match verdict {
            Verdict::Apart(link, lower) => {
                assert!(
                    lower > margin && lower <= exact.distance + slack,
                    "{link:?} {lower} {exact:?}: {}",
                    pair.to_rust()
                );
                sent_away += u32::from(link != Link::Exact);
            }
            Verdict::Near(outcome) => {
                assert!((outcome.distance - exact.distance).abs() <= slack);
                assert!(outcome.distance <= margin + slack);
            }
        }
    }
    assert_eq!(counters.pairs, 400);
    assert_eq!(counters.sphere + counters.obb + counters.plane + counters.exact, 400);
    assert!(sent_away > 100 && counters.plane > 10 && counters.obb > 10 && counters.sphere > 10, "{counters:?}");
}

#[test]
fn a_plane_has_no_finite_volume() {
    let plane: Shape = superegg::shape::Plane::new(DVec3::Z, 1.0).unwrap().into();
    assert_eq!((Obb::of(&plane, &Pose::IDENTITY), Dop18::of(&plane, &Pose::IDENTITY)), (None, None));
    assert_eq!(plane.reach(), f64::INFINITY);
    assert!(plane.aabb(&Pose::IDENTITY).overlaps(&Aabb { min: DVec3::ZERO, max: DVec3::ONE }));
}
