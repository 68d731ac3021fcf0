//! What must not change an answer: a common rigid motion, exchanging the bodies, scaling, the number of threads, and a
//! warm start.

use superegg::query::{Options, Outcome, distance};
use superegg::{DVec3, Pose};
use testkit::generate::random::{Arrangement, Spacing, placed};
use testkit::generate::{self, Domain, Rng, known};
use testkit::{Pair, check};

fn solve_with(pair: &Pair, options: &Options) -> Outcome {
    distance(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, options).expect("a valid pair")
}

fn solve(pair: &Pair) -> Outcome {
    solve_with(pair, &Options::DEFAULT)
}

/// Any pair: apart, shallow and deep, curved and flat.
fn any_pair(rng: &mut Rng, seed: u64) -> Pair {
    let a = known::convex_body(rng, &Domain::MODERATE, false);
    let b = known::convex_body(rng, &Domain::MODERATE, true);
    let spacing = [Spacing::Apart, Spacing::Apart, Spacing::Shallow, Spacing::Deep][seed as usize % 4];
    placed(rng, a, b, Arrangement::ALL[(seed / 4) as usize % 4], spacing)
}

/// Distances and depths have to agree.
fn expect_agreement(change: impl Fn(&Pair, &mut Rng) -> (f64, f64)) {
    const COUNT: u64 = 4_000;
    let mut other_minimum = Vec::new();
    for seed in 0..COUNT {
        let mut rng = generate::seeded(seed);
        let pair = any_pair(&mut rng, seed);
        let original = solve(&pair);
        let (changed, allowed) = change(&pair, &mut rng);
        let difference = (original.distance - changed).abs();
        if difference > allowed {
            assert!(
                original.distance < 0.0 && changed < 0.0,
                "seed {seed}: {} became {changed}: {}",
                original.distance,
                pair.to_rust()
            );
            other_minimum.push(format!("seed {seed}: {} became {changed}: {}", original.distance, pair.to_rust()));
        }
    }
    let count = other_minimum.len() as u64;
    // Where the proof of the least depth does not end within the evaluations, two settings may end at different digits.
    assert!(count * 2000 <= COUNT, "{count} of {COUNT} changed:\n{}", other_minimum.join("\n"));
}

#[test]
fn a_rigid_motion_changes_nothing() {
    expect_agreement(|pair, rng| {
        let translation = generate::direction(rng) * 10.0 * pair.size();
        let moved = pair.moved(&Pose { rotation: generate::rotation(rng), translation });
        let allowed = check::allowance(pair, &Options::DEFAULT) + check::allowance(&moved, &Options::DEFAULT);
        (solve(&moved).distance, allowed)
    });
}

#[test]
fn exchanging_the_bodies_changes_only_the_roles() {
    expect_agreement(|pair, _| {
        let swapped = solve(&pair.swapped());
        let contradictions = check::contradictions(&pair.swapped(), &swapped, &Options::DEFAULT);
        // The points of overlapping pairs are judged in `distance_overlap`.
        assert!(
            swapped.distance < 0.0 || contradictions.is_empty(),
            "{contradictions:?}: {}",
            pair.swapped().to_rust()
        );
        (swapped.distance, 2.0 * check::allowance(pair, &Options::DEFAULT))
    });
}

#[test]
fn scaling_scales() {
    expect_agreement(|pair, rng| {
        let factor = generate::log_uniform(rng, 1e-6..=1e6);
        let allowed = 2.0 * check::allowance(pair, &Options::DEFAULT);
        (solve(&pair.scaled(factor)).distance / factor, allowed)
    });
}

/// Powers of two only shift exponents, so nothing but the scale may change.
#[test]
fn scaling_by_a_power_of_two_is_exact() {
    for seed in 0..2_000 {
        let pair = any_pair(&mut generate::seeded(seed), seed);
        let (original, doubled) = (solve(&pair), solve(&pair.scaled(1024.0)));
        assert_eq!(original.distance * 1024.0, doubled.distance, "seed {seed}: {}", pair.to_rust());
        assert_eq!(original.normal, doubled.normal, "seed {seed}: {}", pair.to_rust());
        assert_eq!(original.status, doubled.status, "seed {seed}: {}", pair.to_rust());
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    const COUNT: u64 = 2_000;
    let answer = |seed: u64| solve(&any_pair(&mut generate::seeded(seed), seed));
    let alone: Vec<Outcome> = (0..COUNT).map(answer).collect();
    let together: Vec<Vec<Outcome>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4).map(|_| scope.spawn(move || (0..COUNT).rev().map(answer).collect())).collect();
        workers.into_iter().map(|worker| worker.join().expect("no panic")).collect()
    });
    for outcomes in together {
        for (seed, (there, here)) in outcomes.iter().rev().zip(&alone).enumerate() {
            // The derived comparison takes 0.0 for -0.0; the debug form does not.
            assert_eq!(format!("{there:?}"), format!("{here:?}"), "seed {seed}");
        }
    }
}

#[test]
fn a_warm_start_leads_to_the_same_distance() {
    expect_agreement(|pair, rng| {
        let before = solve(pair);
        let nudge = generate::direction(rng) * 1e-3 * pair.size();
        let earlier = solve(&pair.with_b_moved(nudge));
        let warm = Options { warm_start: Some(earlier.warm_start), ..Options::DEFAULT };
        let outcome = solve_with(pair, &warm);
        let contradictions = check::contradictions(pair, &outcome, &warm);
        assert!(outcome.distance < 0.0 || contradictions.is_empty(), "{contradictions:?}: {}", pair.to_rust());
        // At the tolerance itself, touching and separated are both right.
        if before.distance > 4.0 * check::allowance(pair, &warm) {
            assert_eq!(before.status, outcome.status, "{}", pair.to_rust());
        }
        (outcome.distance, 2.0 * check::allowance(pair, &warm))
    });
}

/// A warm start from another world may cost time, never the answer.
#[test]
fn a_useless_warm_start_does_no_harm() {
    expect_agreement(|pair, rng| {
        let mut start = solve(pair).warm_start;
        start.normal_a = generate::direction(rng);
        start.normal_b = generate::direction(rng);
        start.point_a = DVec3::splat(1e9);
        start.point_b = DVec3::ZERO;
        let warm = Options { warm_start: Some(start), ..Options::DEFAULT };
        let outcome = solve_with(pair, &warm);
        (outcome.distance, 2.0 * check::allowance(pair, &warm))
    });
}

/// Points that an earlier query is said to have found, but that lie off the surfaces, anywhere between half and twice as far out: believed,
/// they would bound the distance from above by less than it is.
#[test]
fn a_warm_start_proves_nothing() {
    expect_agreement(|pair, rng| {
        let before = solve(pair);
        let mut start = before.warm_start;
        start.point_a *= generate::log_uniform(rng, 0.5..=2.0);
        start.point_b *= generate::log_uniform(rng, 0.5..=2.0);
        start.normal_a =
            (start.normal_a + generate::log_uniform(rng, 1e-9..=0.5) * generate::direction(rng)).normalize();
        let warm = Options { warm_start: Some(start), ..Options::DEFAULT };
        let outcome = solve_with(pair, &warm);
        let contradictions = check::contradictions(pair, &outcome, &warm);
        assert!(outcome.distance < 0.0 || contradictions.is_empty(), "{contradictions:?}: {}", pair.to_rust());
        let allowance = 2.0 * check::allowance(pair, &warm);
        if let (Some(cold), Some(bounds)) = (before.bounds, outcome.bounds) {
            assert!(
                bounds.lower <= cold.upper && cold.lower <= bounds.upper,
                "{bounds:?} {cold:?}: {}",
                pair.to_rust()
            );
        }
        (outcome.distance, allowance)
    });
}
