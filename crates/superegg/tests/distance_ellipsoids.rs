//! Ellipsoids, which have a method of their own, against the general one: with an exponent of `1 + 1e-13` a body is no ellipsoid any
//! more, but differs from it by less than 1e-13 of its size. The general method is itself proved to the tolerance.

use superegg::query::batch::TrackedPair;
use superegg::query::batch::{Placed, Threads, distances, tracked_distances};
use superegg::query::{Options, Outcome, Status, distance};
use superegg::shape::{Shape, Superellipsoid};
use superegg::{DQuat, Pose};
use testkit::generate::random::{Arrangement, Spacing, placed};
use testkit::generate::{self, Domain, Rng, direction, log_uniform, rotation};
use testkit::{Pair, check};

const SPACINGS: [Spacing; 4] = [Spacing::Apart, Spacing::Exactly(1e-3), Spacing::Exactly(-1e-3), Spacing::Shallow];

fn ellipsoid(rng: &mut Rng, aspect: f64) -> Shape {
    let domain = Domain { exponents: 1.0..=1.0, aspect, size: 0.01..=1.0, ..Domain::WIDE };
    generate::superellipsoid(rng, &domain).into()
}

/// The pair to within 1e-13 of its size, for the general method.
fn nearly(pair: &Pair) -> Pair {
    let nudged = |shape: &Shape| match shape {
        Shape::Superellipsoid(body) => Superellipsoid::new(body.radii(), [1.0, 1.0 + 1e-13]).expect("valid").into(),
        other => other.clone(),
    };
    Pair { a: nudged(&pair.a), b: nudged(&pair.b), ..pair.clone() }
}

fn solve(pair: &Pair, options: &Options) -> Outcome {
    distance(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, options).expect("a valid pair")
}

fn bodies(pair: &Pair) -> [Placed; 2] {
    [Placed { shape: pair.a.clone(), pose: pair.pose_a }, Placed { shape: pair.b.clone(), pose: pair.pose_b }]
}

#[test]
fn the_general_method_agrees() {
    let mut apart = 0;
    for seed in 0..20_000u64 {
        let mut rng = generate::seeded(seed);
        // Balls to needles and discs.
        let aspect = log_uniform(&mut rng, 1.0..=1e3);
        let (a, b) = (ellipsoid(&mut rng, aspect), ellipsoid(&mut rng, aspect));
        let arrangement = Arrangement::ALL[(seed / 4) as usize % 4];
        let pair = placed(&mut rng, a, b, arrangement, SPACINGS[seed as usize % 4]);
        let pair = pair.moved(&Pose { rotation: rotation(&mut rng), translation: direction(&mut rng) });
        let (own, general) = (solve(&pair, &Options::DEFAULT), solve(&nearly(&pair), &Options::DEFAULT));
        let allowed = 2.0 * check::allowance(&pair, &Options::DEFAULT) + 1e-12 * pair.size();
        if own.status == Status::NotConverged || general.status == Status::NotConverged {
            continue;
        }
        let off = (own.distance - general.distance).abs();
        assert!(off <= allowed, "seed {seed}: {} and {}: {}", own.distance, general.distance, pair.to_rust());
        if own.distance > 1e-6 * pair.size() {
            apart += 1;
            let w = own.point_b - own.point_a;
            assert!((w - own.normal * own.distance).length() <= allowed, "seed {seed}: {}", pair.to_rust());
            assert!(own.bounds.is_some_and(|bounds| bounds.upper - bounds.lower <= allowed), "seed {seed}");
        }
    }
    assert!(apart > 8_000, "only {apart} apart");
}

#[test]
fn batches_and_warm_starts_agree() {
    let mut rng = generate::seeded(1);
    let pairs: Vec<Pair> = (0..2_000)
        .map(|index| {
            let (a, b) = (ellipsoid(&mut rng, 100.0), ellipsoid(&mut rng, 100.0));
            placed(&mut rng, a, b, Arrangement::ALL[index % 4], Spacing::Exactly(10f64.powi(-(index as i32 % 7))))
        })
        .collect();
    let options = Options::DEFAULT;
    let placed: Vec<[Placed; 2]> = pairs.iter().map(bodies).collect();
    let first = distances(&placed, &options, Threads::One);
    let mut moved = Vec::new();
    for (pair, batched) in pairs.iter().zip(first) {
        let (single, batched) = (solve(pair, &options), batched.expect("a valid pair"));
        assert!((single.distance - batched.distance).abs() <= 1e-9 * pair.size(), "{}", pair.to_rust());
        assert!((single.normal - batched.normal).length() <= 1e-6, "{}", pair.to_rust());
        let turned = DQuat::from_scaled_axis(direction(&mut rng) * 0.01) * pair.pose_b.rotation;
        let pose_b = Pose { rotation: turned.normalize(), ..pair.pose_b };
        moved.push((Pair { pose_b, ..pair.clone() }, single.warm_start));
    }
    let tracked: Vec<TrackedPair> =
        moved.iter().map(|(pair, start)| TrackedPair { pair: bodies(pair), warm_start: Some(*start) }).collect();
    for ((pair, start), batched) in moved.iter().zip(tracked_distances(&tracked, &options, Threads::One)) {
        let cold = solve(pair, &options);
        let warm = solve(pair, &Options { warm_start: Some(*start), ..options });
        let batched = batched.expect("a valid pair");
        for other in [warm, batched] {
            assert!((cold.distance - other.distance).abs() <= 1e-9 * pair.size(), "{}", pair.to_rust());
            assert_eq!(cold.status, other.status, "{}", pair.to_rust());
        }
    }
}
