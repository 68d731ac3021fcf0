//! Penetration depth against branch and bound, which proves the global minimum.
//!
//! The reference returns an interval of at most 2e-6 of the size that holds the depth; the answer is a miss where it
//! lies below that interval. There is none.

use superegg::query::{Options, Outcome, Status, distance};
use testkit::generate::random::{Arrangement, Spacing, superellipsoids};
use testkit::generate::{self, Domain};
use testkit::oracle::certified;
use testkit::{Pair, check};

fn solve(pair: &Pair) -> Outcome {
    distance(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &Options::DEFAULT).expect("a valid pair")
}

fn expect_global_minimum(domain: &Domain, spacing: Spacing, count: u64, known: usize) {
    let (mut misses, mut contradicted) = (Vec::new(), Vec::new());
    let mut judged = 0u64;
    for seed in 0..count {
        let mut rng = generate::seeded(seed);
        let arrangement = Arrangement::ALL[seed as usize % 4];
        let pair = superellipsoids(&mut rng, domain, arrangement, spacing);
        let outcome = solve(&pair);
        let size = pair.size();
        let mut contradictions = check::contradictions(&pair, &outcome, &Options::DEFAULT);
        if seed % 20 == 0 && outcome.distance < 0.0 {
            // Without support functions: moved by the depth, no surface point of one body is inside the other.
            let moved = pair.with_b_moved(outcome.normal * (2e-9 * size - outcome.distance));
            let remaining = check::sampled_overlap(&moved, 2_000);
            if remaining > 0.0 {
                contradictions.push(format!("after moving by the depth, {remaining:e} of overlap remain"));
            }
        }
        if !contradictions.is_empty() {
            contradicted.push(format!("seed {seed}: {}: {}", contradictions.join("; "), pair.to_rust()));
        }
        let truth = certified::signed_distance(&pair, 1e-6 * size, 20_000);
        assert!(outcome.distance <= truth.upper + 1e-9 * size, "seed {seed}: depth too small: {}", pair.to_rust());
        if truth.upper < 0.0 {
            assert_ne!(outcome.status, Status::Separated, "seed {seed}: {}", pair.to_rust());
        }
        if truth.width() <= 2e-6 * size {
            judged += 1;
            if outcome.distance < truth.lower - 1e-9 * size {
                let relative = (truth.lower - outcome.distance) / size;
                misses.push(format!("seed {seed}: {relative:e} of the size too deep: {}", pair.to_rust()));
            }
        }
    }
    let report = |what: &str, list: &[String]| {
        let shown = list.iter().take(5).cloned().collect::<Vec<_>>().join("\n");
        format!("{} of {judged} {what}, such as\n{shown}\n", list.len())
    };
    let report = report("missed the global minimum", &misses) + &report("contradict themselves", &contradicted);
    assert!(judged >= count * 9 / 10, "the reference settled only {judged} of {count}");
    // Pairs whose proof does not end within the evaluations: one of 2,000 deep ones. It may only come down.
    assert!(contradicted.len() <= known && misses.len() <= known, "{report}");
}

#[test]
fn shallow_with_the_papers_exponents() {
    let domain = Domain { aspect: 3.0, ..Domain::PAPER };
    expect_global_minimum(&domain, Spacing::Shallow, 2_000, 0);
}

#[test]
fn deep_with_the_papers_exponents() {
    let domain = Domain { aspect: 3.0, ..Domain::PAPER };
    expect_global_minimum(&domain, Spacing::Deep, 2_000, 0);
}

#[test]
fn shallow_with_ordinary_proportions() {
    expect_global_minimum(&Domain::MODERATE, Spacing::Shallow, 2_000, 0);
}

#[test]
fn deep_with_ordinary_proportions() {
    expect_global_minimum(&Domain::MODERATE, Spacing::Deep, 2_000, 1);
}
