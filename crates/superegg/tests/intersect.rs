//! Intersection against the sign of the distance, and the point query against it.

use superegg::query::batch::{Placed, Threads, intersects};
use superegg::query::{Options, Outcome, QueryError, Status, closest_point, distance, intersect, tracked_intersect};
use superegg::shape::{Plane, Shape, Superellipsoid};
use superegg::{DQuat, DVec3, Pose};
use testkit::generate::random::{Arrangement, Spacing, placed};
use testkit::generate::{self, Domain, Rng, direction, known, log_uniform, rotation};
use testkit::{Pair, check};

fn solve(pair: &Pair) -> Outcome {
    distance(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &Options::DEFAULT).expect("a valid pair")
}

/// Checks a pair both ways round; false where the distance is too small to tell.
fn agrees(pair: &Pair, distance: f64, label: &str) -> bool {
    // In overlap the depth is not certified from above, but its sign is.
    if distance.abs() <= 2.0 * check::allowance(pair, &Options::DEFAULT) {
        return false;
    }
    for pair in [pair.clone(), pair.swapped()] {
        let answer = intersect(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b).expect("a valid pair");
        assert_eq!(answer, distance < 0.0, "{label}: {distance}: {}", pair.to_rust());
        // Whatever plane is remembered, and whatever pairs stand in the other lanes.
        for mut axis in [None, Some(DVec3::ZERO), Some(DVec3::NAN), Some(1e150 * DVec3::X), Some(-outward(&pair))] {
            for _ in 0..2 {
                let tracked = tracked_intersect(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &mut axis);
                assert_eq!(tracked, Ok(answer), "{label}, tracked: {distance}: {}", pair.to_rust());
            }
        }
        let body = |shape: &Shape, pose| Placed { shape: shape.clone(), pose };
        let [a, b] = [body(&pair.a, pair.pose_a), body(&pair.b, pair.pose_b)];
        let far = Pose { translation: pair.pose_b.translation + outward(&pair) * 30.0 * pair.size(), ..pair.pose_b };
        let away = body(&pair.b, far);
        let lanes = [[a.clone(), away.clone()], [a.clone(), b], [a, away]];
        let answers = intersects(&lanes, Threads::One);
        assert_eq!(answers, [Ok(false), Ok(answer), Ok(false)], "{label}, batch: {distance}: {}", pair.to_rust());
    }
    true
}

/// From the origin of a to that of b.
fn outward(pair: &Pair) -> DVec3 {
    (pair.pose_b.translation - pair.pose_a.translation).try_normalize().unwrap_or(DVec3::X)
}

fn spacing(seed: u64) -> Spacing {
    [Spacing::Apart, Spacing::Shallow, Spacing::Deep, Spacing::Exactly(0.02), Spacing::Exactly(-0.02)]
        [seed as usize % 5]
}

fn expect_agreement(count: u64, a: impl Fn(&mut Rng) -> Shape, b: impl Fn(&mut Rng) -> Shape) {
    let (mut checked, mut overlapping, mut open) = (0, 0, 0);
    for seed in 0..count {
        let mut rng = generate::seeded(seed);
        let (a, b) = (a(&mut rng), b(&mut rng));
        let pair = placed(&mut rng, a, b, Arrangement::ALL[(seed / 5) as usize % 4], spacing(seed));
        let pair = pair.moved(&Pose { rotation: rotation(&mut rng), translation: direction(&mut rng) });
        let outcome = solve(&pair);
        if outcome.status == Status::NotConverged {
            open += 1;
        } else if agrees(&pair, outcome.distance, &format!("seed {seed}")) {
            checked += 1;
            overlapping += u64::from(outcome.distance < 0.0);
        }
    }
    println!("{checked} of {count} decided, {overlapping} overlapping, {open} without a distance");
    assert!(checked * 10 >= count * 7, "only {checked} of {count} have a distance to speak of");
}

fn wide() -> Domain {
    Domain { size: 0.1..=1.0, ..Domain::WIDE }
}

fn polytope(rng: &mut Rng) -> Shape {
    let radius = log_uniform(rng, 0.1..=1.0);
    generate::polytope(rng, radius)
}

#[test]
fn superellipsoids() {
    expect_agreement(
        10_000,
        |rng| generate::superellipsoid(rng, &wide()).into(),
        |rng| generate::superellipsoid(rng, &wide()).into(),
    );
}

#[test]
fn ellipsoids() {
    let round = Domain { exponents: 1.0..=1.0, ..wide() };
    expect_agreement(
        5_000,
        |rng| generate::superellipsoid(rng, &round).into(),
        |rng| generate::superellipsoid(rng, &round).into(),
    );
}

#[test]
fn superovoids() {
    let convex = |rng: &mut Rng| Shape::from(generate::convex_superovoid(rng, &wide()));
    expect_agreement(3_000, convex, convex);
    let moderate = Domain { taper: -0.4..=0.4, exponents: 0.3..=1.1, ..wide() };
    let any = |rng: &mut Rng| Shape::from(generate::superovoid(rng, &moderate));
    expect_agreement(1_000, any, any);
}

#[test]
fn eggs_and_points_segments_triangles() {
    expect_agreement(5_000, |rng| generate::superellipsoid(rng, &wide()).into(), polytope);
    expect_agreement(2_000, |rng| generate::convex_superovoid(rng, &wide()).into(), polytope);
}

/// Segments and triangles have no inside, so overlap is contact: a distance of zero.
#[test]
fn points_segments_triangles() {
    let (mut apart, mut meeting) = (0, 0);
    for seed in 0..5_000 {
        let mut rng = generate::seeded(seed);
        let (a, b) = (polytope(&mut rng), polytope(&mut rng));
        let spacing = if seed % 2 == 0 { Spacing::Exactly(-1.0) } else { spacing(seed) };
        let pair = placed(&mut rng, a, b, Arrangement::Random, spacing);
        let outcome = solve(&pair);
        let answer = intersect(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b).expect("a valid pair");
        assert_eq!(answer, outcome.distance <= 1e-9 * pair.size(), "seed {seed}: {}", pair.to_rust());
        if answer { meeting += 1 } else { apart += 1 }
    }
    assert!(apart > 1000 && meeting > 100, "{apart} {meeting}");
}

#[test]
fn half_spaces() {
    for seed in 0..2_000 {
        let mut rng = generate::seeded(seed);
        let plane = Plane::new(direction(&mut rng), direction(&mut rng).x).expect("a unit normal");
        let other = match seed % 3 {
            0 => generate::superellipsoid(&mut rng, &wide()).into(),
            1 => generate::superovoid(&mut rng, &wide()).into(),
            _ => polytope(&mut rng),
        };
        let mut pose = || Pose { rotation: rotation(&mut rng), translation: direction(&mut rng) };
        let pair = Pair { a: other, pose_a: pose(), b: plane.into(), pose_b: pose() };
        agrees(&pair, solve(&pair).distance, &format!("seed {seed}"));
    }
}

/// Pairs whose distance is known by construction, facing each other with every kind of feature, down to 1e-6 of the size.
#[test]
fn pairs_of_known_distance() {
    let mut checked = 0;
    for seed in 0..10_000 {
        let mut rng = generate::seeded(seed);
        let known = match seed % 4 {
            0 => known::shallow_overlap(&mut rng, &Domain::WIDE),
            1 => known::flat_apart(&mut rng, &Domain::WIDE),
            2 => known::axis_aligned(&mut rng, &Domain::WIDE, false),
            _ => known::apart(&mut rng, &Domain::WIDE, false),
        };
        let sure = known.distance.abs() > known.error;
        checked += u32::from(sure && agrees(&known.pair, known.distance, &format!("seed {seed}")));
    }
    assert!(checked > 7_000, "{checked}");
}

#[test]
fn concentric_and_nested_bodies_overlap() {
    for exponents in [[0.05, 0.05], [1.0, 1.0], [1.95, 1.95], [0.1, 1.9]] {
        let large: Shape = Superellipsoid::new([1.0, 2.0, 3.0], exponents).unwrap().into();
        let small: Shape = Superellipsoid::new([0.01, 0.02, 0.01], exponents).unwrap().into();
        for turn in [DQuat::IDENTITY, DQuat::from_rotation_x(0.3)] {
            let pose = Pose { rotation: turn, translation: DVec3::ZERO };
            for (a, b) in [(&large, &large), (&large, &small), (&small, &large)] {
                assert!(intersect(a, &Pose::IDENTITY, b, &pose).unwrap(), "{exponents:?}");
            }
        }
    }
}

#[test]
fn bad_input_is_refused_by_name() {
    let ball: Shape = Superellipsoid::new([1.0; 3], [1.0; 2]).unwrap().into();
    let plane: Shape = Plane::new(DVec3::Z, 0.0).unwrap().into();
    let refused = intersect(&plane, &Pose::IDENTITY, &plane, &Pose::IDENTITY).unwrap_err();
    assert_eq!(refused, QueryError::Unsupported { operation: "intersect", a: "plane", b: "plane" });
    let nowhere = Pose::from_translation(DVec3::new(0.0, f64::NAN, 0.0));
    let refused = intersect(&ball, &Pose::IDENTITY, &ball, &nowhere).unwrap_err();
    assert!(matches!(refused, QueryError::InvalidInput(input) if input.field == "position[1]"));
    let refused = closest_point(&ball, &Pose::IDENTITY, DVec3::new(0.0, 0.0, 1e61), &Options::DEFAULT).unwrap_err();
    assert!(matches!(refused, QueryError::InvalidInput(input) if input.field == "point[2]"));
}

/// The nearest point lies on the surface and leads back to the point along the normal, from either side.
#[test]
fn closest_points_lie_on_the_surface() {
    for seed in 0..3_000 {
        let mut rng = generate::seeded(seed);
        let egg = generate::superellipsoid(&mut rng, &wide());
        let size = DVec3::from(egg.radii()).max_element();
        let normal = direction(&mut rng);
        let surface = egg.support(normal);
        let offset = log_uniform(&mut rng, 1e-6..=1e2) * size;
        let local = if seed % 2 == 0 { surface + normal * offset } else { surface * 0.999 };
        let pose = Pose { rotation: rotation(&mut rng), translation: direction(&mut rng) };
        let point = pose.transform_point(local);
        let found = closest_point(&egg.into(), &pose, point, &Options::DEFAULT).expect("a valid query");
        let error = found.point + found.normal * found.distance - point;
        assert!(error.length() < 3e-5 * size, "seed {seed}: {error}");
        let gauge = egg.gauge(pose.inverse_transform_point(found.point));
        assert!((gauge - 1.0).abs() < 1e-6, "seed {seed}: {gauge}");
        if seed % 2 == 0 {
            assert!((found.distance - offset).abs() < 2e-9 * size, "seed {seed}: {} {offset}", found.distance);
            assert_eq!(found.status, Status::Separated);
        } else {
            let radial = 0.001 * surface.length();
            assert!(found.distance < 0.0 && -found.distance < radial + 2e-9 * size, "seed {seed}: {}", found.distance);
        }
    }
}
