//! Points, segments and triangles: their bounds hold where directions are nearly parallel, and poses of any length of
//! quaternion are answered rightly.

use fastrand::Rng;
use superegg::query::batch::{Placed, Threads, closest_points, distances};
use superegg::query::{Options, Status, closest_point, distance, gradient, intersect};
use superegg::shape::{Point, Segment, Shape, Superellipsoid, Triangle};
use superegg::{DQuat, DVec3, Pose};
use testkit::generate::{direction, rotation, seeded};

fn segment(from: DVec3, to: DVec3) -> Shape {
    Segment::new([from, to]).unwrap().into()
}

/// Two unit segments that cross in their middles at 1e-8 rad had a "certified" lower bound of 4.87e-9: normal equations lose
/// twice the digits that the angle has.
#[test]
fn segments_that_cross_at_any_angle_touch() {
    let (mut rng, mut dice) = (seeded(1), Rng::with_seed(1));
    for power in 1..=160 {
        let angle = 10f64.powf(-0.1 * f64::from(power));
        for _ in 0..50 {
            let (u, v) = {
                let u = direction(&mut rng);
                (u, u.any_orthonormal_vector())
            };
            let turned = u * angle.cos() + v * angle.sin();
            let (before, after) = (0.1 + dice.f64(), 0.1 + dice.f64());
            let there = direction(&mut rng) * 10f64.powf(4.0 * dice.f64() - 2.0);
            let a = segment(-0.5 * u, 0.5 * u);
            let b = segment(-before * turned, after * turned);
            let pose = Pose::new(rotation(&mut rng), there).unwrap();
            let outcome = distance(&a, &pose, &b, &pose, &Options::DEFAULT).unwrap();
            let bounds = outcome.bounds.unwrap();
            // The ends are rounded to 1.1e-16 of their size, the rotation moves them together.
            assert_eq!(bounds.lower, 0.0, "{angle:e}: {bounds:?}");
            assert!(outcome.distance < 1e-14, "{angle:e}: {}", outcome.distance);
            assert_eq!(outcome.status, Status::Touching);
            assert!(!outcome.unique_normal);
            assert!(intersect(&a, &pose, &b, &pose).unwrap());
        }
    }
}

/// Segments whose distance is known by construction, at any angle and gap: the interval holds it and is narrow.
#[test]
fn gaps_of_nearly_parallel_segments_are_enclosed() {
    let mut dice = Rng::with_seed(2);
    for _ in 0..20_000 {
        let (angle, gap) = (10f64.powf(-12.0 * dice.f64()), 10f64.powf(-10.0 * dice.f64()));
        // Along the axes, so that the gap is exact.
        let turned = DVec3::new(angle.cos(), angle.sin(), 0.0);
        let (before, after) = (dice.f64(), dice.f64());
        let lift = DVec3::Z * gap;
        let a = segment(-DVec3::X, DVec3::X);
        let b = segment(lift - before * turned, lift + after * turned);
        let outcome = distance(&a, &Pose::IDENTITY, &b, &Pose::IDENTITY, &Options::DEFAULT).unwrap();
        let bounds = outcome.bounds.unwrap();
        assert!(bounds.lower <= gap && gap <= bounds.upper, "{angle:e} {gap:e}: {bounds:?}");
        assert!(bounds.upper - bounds.lower < 1e-13, "{angle:e} {gap:e}: {bounds:?}");
        assert!(outcome.normal.angle_between(DVec3::Z) < 1e-14 / gap + 1e-7, "{angle:e} {gap:e}: {}", outcome.normal);
    }
}

/// Points close to an edge or a sliver: the normal must not lose the digits that the gap is short of.
#[test]
fn points_close_to_edges_and_slivers_are_enclosed() {
    let mut dice = Rng::with_seed(3);
    for _ in 0..20_000 {
        let gap = 10f64.powf(-12.0 * dice.f64());
        let sliver = 10f64.powf(-12.0 * dice.f64());
        let part = 0.05 + 0.9 * dice.f64();
        let edge = segment(-DVec3::X, DVec3::X);
        let triangle: Shape = Triangle::new([-DVec3::X, DVec3::X, DVec3::new(0.0, sliver, 0.0)]).unwrap().into();
        let above: Shape = Point::new([DVec3::new(2.0 * part - 1.0, 0.0, gap)]).unwrap().into();
        for other in [edge, triangle] {
            let outcome = distance(&other, &Pose::IDENTITY, &above, &Pose::IDENTITY, &Options::DEFAULT).unwrap();
            let bounds = outcome.bounds.unwrap();
            assert!(bounds.lower <= gap && gap <= bounds.upper, "{gap:e} {sliver:e}: {bounds:?}");
            assert!(bounds.upper - bounds.lower < 1e-13, "{gap:e} {sliver:e}: {bounds:?}");
        }
    }
}

#[test]
fn parallel_edges_and_faces_are_not_unique() {
    let ask = |a: &Shape, b: &Shape| distance(a, &Pose::IDENTITY, b, &Pose::IDENTITY, &Options::DEFAULT).unwrap();
    let lower = segment(-DVec3::X, DVec3::X);
    let upper = segment(DVec3::Z, DVec3::new(3.0, 0.0, 1.0));
    assert!(!ask(&lower, &upper).unique_points);
    let askew = segment(DVec3::Z, DVec3::new(3.0, 1.0, 1.0));
    assert!(ask(&lower, &askew).is_differentiable());
    // Parallel, but one behind the other: the ends are the only closest points.
    assert!(ask(&lower, &segment(DVec3::new(2.0, 0.0, 1.0), DVec3::new(3.0, 0.0, 1.0))).unique_points);
    let face: Shape = Triangle::new([DVec3::ZERO, DVec3::X, DVec3::Y]).unwrap().into();
    let above: Shape = Triangle::new([DVec3::ZERO, DVec3::X, DVec3::Y].map(|p| p + DVec3::Z)).unwrap().into();
    assert!(!ask(&face, &above).unique_points);
    let point: Shape = Point::new([DVec3::new(0.2, 0.2, 1.0)]).unwrap().into();
    assert!(ask(&face, &point).is_differentiable());
}

fn with_length(pose: &Pose, length: f64) -> Pose {
    Pose { rotation: pose.rotation * length, ..*pose }
}

/// A drift of 1e-9 moved the distance of unit balls by 4e-9 with a certified width of 2e-14: a quaternion's length is no
/// part of the rotation it stands for, in any query.
#[test]
fn quaternions_of_any_length_give_the_same_answers() {
    let (mut rng, mut dice) = (seeded(4), Rng::with_seed(4));
    let shapes: [Shape; 3] = [
        Superellipsoid::new([1.0, 0.8, 1.2], [0.5, 1.3]).unwrap().into(),
        segment(DVec3::new(0.3, -0.4, 0.1), DVec3::new(-0.9, 0.2, 0.5)),
        superegg::shape::Plane::new(DVec3::new(0.3, 0.2, 0.9), 0.2).unwrap().into(),
    ];
    let close = |x: f64, y: f64| (x - y).abs() < 1e-12;
    for _ in 0..500 {
        let length = if dice.bool() { 1.0 + 2e-6 * (dice.f64() - 0.5) } else { 10f64.powf(400.0 * dice.f64() - 200.0) };
        let egg = &shapes[0];
        let unit = Pose::new(rotation(&mut rng), direction(&mut rng) * 3.5).unwrap();
        let drifted = with_length(&unit, length);
        let other = Pose::new(rotation(&mut rng), DVec3::ZERO).unwrap();
        for shape in &shapes {
            let want = distance(egg, &unit, shape, &other, &Options::DEFAULT).unwrap();
            let have = distance(egg, &drifted, shape, &with_length(&other, 1.0 / length), &Options::DEFAULT).unwrap();
            assert!(close(want.distance, have.distance), "{length:e}: {} instead of {}", have.distance, want.distance);
            assert!(want.normal.distance(have.normal) < 1e-9);
            let intersecting = intersect(egg, &drifted, shape, &other).unwrap();
            assert_eq!(intersecting, intersect(egg, &unit, shape, &other).unwrap());
        }
        let want = gradient(egg, &unit, egg, &other, &Options::DEFAULT).unwrap();
        let have = gradient(egg, &drifted, egg, &other, &Options::DEFAULT).unwrap();
        assert!(want.a.rotation.distance(have.a.rotation) < 1e-9);
        let point = direction(&mut rng) * 2.0;
        let want = closest_points(egg, &unit, &[point; 5], &Options::DEFAULT, Threads::One)[4].unwrap();
        let have = closest_points(egg, &drifted, &[point; 5], &Options::DEFAULT, Threads::One)[4].unwrap();
        assert!(close(want.distance, have.distance));
        let pair = |pose: Pose| [Placed { shape: egg.clone(), pose }, Placed { shape: egg.clone(), pose: other }];
        let want = distances(&[pair(unit), pair(unit), pair(unit)], &Options::DEFAULT, Threads::One)[2].unwrap();
        let have =
            distances(&[pair(drifted), pair(drifted), pair(drifted)], &Options::DEFAULT, Threads::One)[2].unwrap();
        // Answered one by one and in lanes, each within the tolerance of 1e-9 of the size.
        assert!((want.distance - have.distance).abs() < 5e-9);
    }
    let bad = Pose { rotation: DQuat::from_xyzw(0.0, f64::NAN, 0.0, 1.0), translation: DVec3::ZERO };
    let refused = distance(&shapes[0], &bad, &shapes[0], &Pose::IDENTITY, &Options::DEFAULT);
    assert!(refused.unwrap_err().to_string().starts_with("orientation"));
}

/// A batch took points beyond 1e60 that the single query refuses.
#[test]
fn a_batch_refuses_the_points_that_a_query_refuses() {
    let ball = Superellipsoid::new([1.0; 3], [1.0; 2]).unwrap().into();
    let mut rng = seeded(5);
    let mut points: Vec<DVec3> = (0..64).map(|_| direction(&mut rng) * 2.0).collect();
    for (index, bad) in [(3, 1e61), (17, f64::NAN), (40, f64::INFINITY), (63, -2e60)] {
        points[index].y = bad;
    }
    let answers = closest_points(&ball, &Pose::IDENTITY, &points, &Options::DEFAULT, Threads::One);
    for (point, answer) in points.iter().zip(answers) {
        let single = closest_point(&ball, &Pose::IDENTITY, *point, &Options::DEFAULT);
        assert_eq!(answer.is_err(), single.is_err(), "{point}");
        if let (Err(batch), Err(single)) = (answer, single) {
            assert_eq!(batch.to_string(), single.to_string());
        }
    }
}
