//! Both bounds of the penetration depth against branch and bound and dense sampling, over all convex pairs.
//!
//! The references use other formulas and other methods: `certified` returns an interval that holds the signed distance,
//! `over_normals` a value that never exceeds it (by more than rounding, 1e-14 of the lengths involved). The answer's
//! interval must meet both, and be as narrow as asked for.

use superegg::query::{Options, Outcome, Status, distance};
use superegg::shape::{Point, Segment, Shape, Superellipsoid, Superovoid, Triangle};
use superegg::{DQuat, DVec3, Pose};
use testkit::generate::random::{Arrangement, Spacing, placed};
use testkit::generate::{self, Domain, Rng, known};
use testkit::oracle::{certified, sampling};
use testkit::{Pair, check};

fn solve(pair: &Pair, options: &Options) -> Outcome {
    distance(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, options).expect("a valid pair")
}

/// Panics unless the bounds hold the truth as far as the references know it.
fn expect_bounds(pair: &Pair, outcome: &Outcome, what: &str) {
    let rounding = 64.0 * pair.rounding();
    let bounds = outcome.bounds.expect("a convex pair");
    let truth = certified::signed_distance(pair, 1e-6 * pair.size(), 4_000);
    assert!(
        bounds.lower <= truth.upper + rounding && truth.lower <= bounds.upper + rounding,
        "{what}: {bounds:?} and {truth:?}: {}",
        pair.to_rust()
    );
    assert!(bounds.lower - rounding <= outcome.distance && outcome.distance <= bounds.upper + rounding, "{what}");
}

/// Pairs in overlap: the bounds are right and, but for some hard ones, as narrow as asked for.
fn expect_narrow_bounds(
    count: u64,
    least_overlaps: u64,
    allowed_open: u64,
    mut draw: impl FnMut(&mut Rng) -> [Shape; 2],
) {
    let (mut overlapping, mut open) = (0, 0);
    for seed in 0..count {
        let mut rng = generate::seeded(seed);
        let [a, b] = draw(&mut rng);
        let spacing = [Spacing::Shallow, Spacing::Deep][seed as usize % 2];
        let pair = placed(&mut rng, a, b, Arrangement::ALL[seed as usize / 2 % 4], spacing);
        let outcome = solve(&pair, &Options::DEFAULT);
        expect_bounds(&pair, &outcome, &format!("seed {seed}"));
        if seed % 10 == 0 {
            let sampled = sampling::over_normals(&pair).distance;
            let upper = outcome.bounds.expect("convex").upper;
            assert!(sampled <= upper + 64.0 * pair.rounding(), "seed {seed}: {sampled:e} above {upper:e}");
        }
        if outcome.status == Status::NotConverged || outcome.iterations + 120 >= Options::DEFAULT.max_iterations {
            open += 1;
            continue;
        }
        overlapping += u64::from(outcome.status == Status::Penetrating);
        let contradictions = check::contradictions(&pair, &outcome, &Options::DEFAULT);
        assert!(contradictions.is_empty(), "seed {seed}: {contradictions:?}: {}", pair.to_rust());
        let bounds = outcome.bounds.expect("convex");
        let (width, allowed) = (bounds.upper - bounds.lower, check::allowance(&pair, &Options::DEFAULT));
        assert!(width <= allowed + 64.0 * pair.rounding(), "seed {seed}: {width:e} wide: {}", pair.to_rust());
    }
    println!("{overlapping} of {count} overlap, {open} stay open");
    assert!(overlapping >= least_overlaps, "only {overlapping} of {count} overlap");
    assert!(open <= allowed_open, "{open} of {count} stay open");
}

#[test]
fn superellipsoids_of_ordinary_proportions() {
    let domain = Domain::MODERATE;
    expect_narrow_bounds(400, 250, 4, |rng| [0; 2].map(|_| generate::superellipsoid(rng, &domain).into()));
}

#[test]
fn superellipsoids_of_extreme_proportions() {
    let domain = Domain { exponents: 0.02..=1.98, aspect: 100.0, ..Domain::WIDE };
    expect_narrow_bounds(400, 150, 4, |rng| [0; 2].map(|_| generate::superellipsoid(rng, &domain).into()));
}

#[test]
fn convex_superovoids() {
    let domain = Domain { aspect: 4.0, ..Domain::MODERATE };
    expect_narrow_bounds(60, 30, 1, |rng| [0; 2].map(|_| generate::convex_superovoid(rng, &domain).into()));
}

#[test]
fn points_segments_and_triangles() {
    let domain = Domain { aspect: 4.0, ..Domain::MODERATE };
    let mut kind = 0;
    expect_narrow_bounds(400, 150, 4, |rng| {
        kind += 1;
        let mut vertex = || generate::direction(rng) * 0.1;
        let b: Shape = match kind % 3 {
            0 => Point::new([vertex()]).unwrap().into(),
            1 => Segment::new([vertex(), vertex()]).unwrap().into(),
            _ => Triangle::new([vertex(), vertex(), vertex()]).unwrap().into(),
        };
        [known::convex_body(rng, &domain, false), b]
    });
}

fn pair_at(a: Shape, b: Shape, offset: DVec3) -> Pair {
    Pair { a, pose_a: Pose::IDENTITY, b, pose_b: Pose::from_translation(offset) }
}

fn egg(radii: [f64; 3], exponents: [f64; 2]) -> Shape {
    Superellipsoid::new(radii, exponents).unwrap().into()
}

/// Balls are closed form; nothing about them is hard.
#[test]
fn balls_are_exact() {
    let ball = |radius: f64| egg([radius; 3], [1.0; 2]);
    for (a, b) in [(1.0, 1.0), (1.0, 0.01), (0.3, 2.0)] {
        for offset in [0.0, 1e-12, 1e-6, 0.01, 0.5, 1.0, 10.0] {
            let pair = pair_at(ball(a), ball(b), DVec3::new(0.6, 0.0, -0.8) * offset);
            let outcome = solve(&pair, &Options::DEFAULT);
            let truth = offset - a - b;
            let bounds = outcome.bounds.unwrap();
            assert!((outcome.distance - truth).abs() < 1e-15 * (a + b + offset), "{a} {b} {offset}: {outcome:?}");
            assert!(
                bounds.lower <= truth
                    && truth <= bounds.upper
                    && bounds.upper - bounds.lower < 1e-13 * (a + b + offset)
            );
            assert_eq!(outcome.unique_normal, offset > 1e-9, "{a} {b} {offset}");
            assert!(check::contradictions(&pair, &outcome, &Options::DEFAULT).is_empty(), "{outcome:?}");
        }
    }
    let triangle = |z: f64| {
        let corner = |x: f64, y: f64| DVec3::new(x, y, z);
        Shape::from(Triangle::new([corner(-2.0, -1.0), corner(3.0, -1.0), corner(0.0, 2.0)]).unwrap())
    };
    for z in [0.0, 1e-13, 1e-7, 0.2, 0.99, 1.5] {
        for other in [triangle(z), Point::new([DVec3::Z * z]).unwrap().into()] {
            let pair = pair_at(ball(1.0), other, DVec3::ZERO);
            let outcome = solve(&pair, &Options::DEFAULT);
            let bounds = outcome.bounds.unwrap();
            assert!((outcome.distance - (z - 1.0)).abs() < 1e-14, "{z}: {outcome:?}");
            assert!(bounds.lower <= z - 1.0 && z - 1.0 <= bounds.upper && bounds.upper - bounds.lower < 1e-12, "{z}");
            assert!(check::contradictions(&pair, &outcome, &Options::DEFAULT).is_empty(), "{z}: {outcome:?}");
        }
    }
}

/// Whole arcs of normals with the same depth: no polytope of a few hundred corners can prove it to nine digits. The bracket
/// holds the depth, the depth itself is right, and the status is honest.
#[test]
fn rings_end_with_a_bracket() {
    let prolate = egg([0.5, 0.5, 2.0], [1.0; 2]);
    let cylinder = egg([1.0, 1.0, 3.0], [1.0, 0.1]);
    for (a, b, depth, width) in [
        (prolate.clone(), prolate, 1.0, 3e-3),
        (cylinder.clone(), cylinder.clone(), 2.0, 3e-3),
        (cylinder, Point::new([DVec3::ZERO]).unwrap().into(), 1.0, 3e-3),
        (egg([1.0; 3], [0.3, 1.0]), egg([0.5; 3], [0.3, 1.0]), 1.5, 3e-3),
    ] {
        let pair = pair_at(a, b, DVec3::ZERO);
        let outcome = solve(&pair, &Options::DEFAULT);
        let bounds = outcome.bounds.unwrap();
        assert!((outcome.distance + depth).abs() < 1e-9 * pair.size(), "{outcome:?}");
        assert!(bounds.lower <= -depth && -depth <= bounds.upper, "{outcome:?}");
        let found = bounds.upper - bounds.lower;
        assert!(found <= width * pair.size(), "{found:e}: {outcome:?}");
        assert_eq!(outcome.status, Status::Penetrating);
        assert!(!outcome.unique_normal && outcome.iterations <= Options::DEFAULT.max_iterations, "{outcome:?}");
    }
}

/// Round bodies whose depth is about their curvature radius: the ball that is part of them is taken away first.
#[test]
fn ellipsoids_off_centre() {
    for (radii, offset) in [([1.0, 1.0, 1.01], 0.1), ([1.0, 1.1, 1.2], 0.05), ([1.0, 0.9, 0.8], 0.3)] {
        let pair = pair_at(egg(radii, [1.0; 2]), egg([0.7; 3], [1.0; 2]), DVec3::new(0.48, 0.64, 0.6) * offset);
        let outcome = solve(&pair, &Options::DEFAULT);
        assert_eq!(outcome.status, Status::Penetrating, "{radii:?} {offset}: {outcome:?}");
        expect_bounds(&pair, &outcome, "ellipsoids");
    }
}

#[test]
fn answers_that_are_not_unique_say_so() {
    // Two cubes face to face: points anywhere on the faces.
    let cube = egg([1.0; 3], [0.05; 2]);
    let outcome = solve(&pair_at(cube.clone(), cube, DVec3::new(0.1, -0.2, 1.9)), &Options::DEFAULT);
    assert!(!outcome.unique_points && outcome.unique_normal, "{outcome:?}");
    // A point in the middle of a slab: up or down.
    let slab = egg([3.0, 2.0, 0.5], [0.7, 0.8]);
    let at = |z: f64| Shape::from(Point::new([DVec3::Z * z]).unwrap());
    let middle = solve(&pair_at(slab.clone(), at(0.0), DVec3::ZERO), &Options::DEFAULT);
    assert!(!middle.unique_normal && middle.unique_points, "{middle:?}");
    let above = solve(&pair_at(slab, at(0.01), DVec3::ZERO), &Options::DEFAULT);
    assert!(above.unique_normal && above.unique_points && above.is_differentiable(), "{above:?}");
    // Ordinary pairs are unique.
    let mut rng = generate::seeded(5);
    let mut unique = 0;
    for _ in 0..200 {
        let [a, b] = [0; 2].map(|_| generate::superellipsoid(&mut rng, &Domain::PAPER).into());
        let pair = placed(&mut rng, a, b, Arrangement::Random, Spacing::Shallow);
        unique += u32::from(solve(&pair, &Options::DEFAULT).is_differentiable());
    }
    assert!(unique >= 195, "{unique} of 200");
}

/// Close to touching the interval holds the known distance, whichever side it is on: an upper bound of zero needs a common
/// point.
#[test]
fn near_touching_bounds_hold_the_distance() {
    for seed in 0..4_000 {
        let mut rng = generate::seeded(seed);
        let known = known::apart(&mut rng, &Domain::MODERATE, seed % 3 == 0);
        let size = known.pair.size();
        let gap = 10f64.powf(-8.0 - (seed % 8) as f64) * size * if seed % 2 == 0 { 1.0 } else { 0.1 };
        let pair = known.pair.with_b_moved(known.normal * (gap - known.distance));
        let outcome = solve(&pair, &Options::DEFAULT);
        let bounds = outcome.bounds.expect("convex");
        let slack = known.error + 4.0 * pair.rounding();
        assert!(
            bounds.lower <= gap + slack && gap <= bounds.upper + slack,
            "seed {seed}: {gap:e} outside of {bounds:?}: {}",
            pair.to_rust()
        );
    }
}

/// The cap holds for all methods together, and what is returned at it still brackets the truth.
#[test]
fn the_iteration_cap_holds_for_all_methods() {
    for seed in 0..600u64 {
        let mut rng = generate::seeded(seed);
        let a = known::convex_body(&mut rng, &Domain::MODERATE, false);
        let b = known::convex_body(&mut rng, &Domain::MODERATE, seed % 3 == 0);
        let spacing = [Spacing::Deep, Spacing::Shallow, Spacing::Apart, Spacing::Exactly(0.0)][seed as usize % 4];
        let pair = placed(&mut rng, a, b, Arrangement::ALL[seed as usize / 4 % 4], spacing);
        let settled = solve(&pair, &Options::DEFAULT).bounds.expect("convex");
        for cap in [1, 2, 5, 8, 13, 40, 100] {
            let outcome = solve(&pair, &Options { max_iterations: cap, ..Options::DEFAULT });
            assert!(outcome.iterations <= cap, "seed {seed}: {} of {cap}: {}", outcome.iterations, pair.to_rust());
            let bounds = outcome.bounds.expect("convex");
            assert!(
                bounds.lower <= settled.upper && settled.lower <= bounds.upper && bounds.lower <= bounds.upper,
                "seed {seed}, {cap}: {bounds:?} and {settled:?}: {}",
                pair.to_rust()
            );
            assert!(outcome.normal.is_finite() && outcome.distance.is_finite());
            let width = bounds.upper - bounds.lower;
            if outcome.status != Status::NotConverged {
                assert!(width <= 2.0 * check::allowance(&pair, &Options::DEFAULT), "seed {seed}, {cap}: {width:e}");
            }
        }
    }
}

/// A tapered pair whose least depth the search from many starts missed by 6 % of the size.
#[test]
fn superovoids_with_several_minima() {
    let mut rng = generate::seeded(77);
    let domain = Domain { exponents: 0.3..=1.1, taper: -0.3..=0.3, aspect: 3.0, size: 0.5..=1.0 };
    for _ in 0..20 {
        let [a, b]: [Superovoid; 2] = [0; 2].map(|_| generate::convex_superovoid(&mut rng, &domain));
        let pair = placed(&mut rng, a.into(), b.into(), Arrangement::Random, Spacing::Deep);
        let outcome = solve(&pair, &Options::DEFAULT);
        let sampled = sampling::over_normals(&pair).distance;
        assert!(
            outcome.distance >= sampled - 2e-9 * pair.size(),
            "{} and {sampled}: {}",
            outcome.distance,
            pair.to_rust()
        );
    }
}

#[test]
fn open_depths_are_settled() {
    // Nearly a ball about the middle of a lens with a tip: what the budget leaves open is a local minimum at least. Newton's method
    // and its fallback find no common point here; the polytope does.
    let rotation = DQuat::from_xyzw(0.5, 0.5, 0.5, 0.5);
    let pair = Pair {
        a: egg(
            [0.3070054363414041, 0.04930900668173824, 0.39527634700715547],
            [1.6305811404153931, 1.7120795873875116],
        ),
        pose_a: Pose::IDENTITY,
        b: egg([0.46183751492224895; 3], [0.999999999, 0.9975482510971173]),
        pose_b: Pose::new(rotation, DVec3::new(0.0, 0.008047471123816435, 0.0)).unwrap(),
    };
    let outcome = solve(&pair, &Options::DEFAULT);
    expect_bounds(&pair, &outcome, "nearly concentric");
    let sampled = sampling::over_normals(&pair).distance;
    assert!(outcome.distance >= sampled - 1e-9 * pair.size(), "{} and {sampled}", outcome.distance);
}

#[test]
fn tight_tolerances_do_not_contradict_loose_ones() {
    // So many facets that some of them have no area, and no normal.
    let tight = Options { tolerance: 1e-12, max_iterations: 2000, warm_start: None };
    let mut rng = generate::seeded(17);
    let mut dice = fastrand::Rng::with_seed(17);
    for _ in 0..40_000 {
        let a = generate::superellipsoid(&mut rng, &Domain::MODERATE).into();
        let corners = [(); 3].map(|()| generate::direction(&mut rng) * (0.1 + 0.9 * dice.f64()));
        let b = Triangle::new(corners).unwrap().into();
        let depth = -0.2 - 0.6 * dice.f64();
        let pair = placed(&mut rng, a, b, Arrangement::Random, Spacing::Exactly(depth));
        let (loose, tight) = (solve(&pair, &Options::DEFAULT), solve(&pair, &tight));
        let (wide, narrow) = (loose.bounds.unwrap(), tight.bounds.unwrap());
        assert!(wide.lower <= narrow.upper && narrow.lower <= wide.upper, "{wide:?} {narrow:?}: {}", pair.to_rust());
        assert!((tight.normal.length() - 1.0).abs() < 1e-12, "{tight:?}: {}", pair.to_rust());
    }
}
