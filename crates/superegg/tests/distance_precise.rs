//! Distances and certified bounds against 77-digit arithmetic.
//!
//! The reference starts from the answer under test but proves its own: an upper and a lower bound in 77 digits that are
//! no more than 1e-25 of the size apart. What it cannot prove is counted; symmetric and flat configurations, whose
//! weights are zero, belong there and are covered by construction elsewhere.

use superegg::query::{Options, Outcome, distance};
use testkit::generate::random::{Arrangement, Spacing, placed};
use testkit::generate::{self, Domain, known};
use testkit::oracle::precise::{Precise, Start, refine};
use testkit::{Pair, check};

fn solve(pair: &Pair) -> Outcome {
    distance(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &Options::DEFAULT).expect("a valid pair")
}

fn proved(pair: &Pair, outcome: &Outcome) -> Option<Precise> {
    let start = Start { point_a: outcome.point_a, point_b: outcome.point_b, normal: outcome.normal };
    refine(pair, &start).filter(|found| found.gap.is_some_and(|gap| gap <= 1e-25 * pair.size()))
}

fn expect_proof(domain: &Domain, count: u64, least_proved: u64) {
    let mut proofs = 0;
    let mut worst = 0.0f64;
    for seed in 0..count {
        let mut rng = generate::seeded(seed);
        let a = known::convex_body(&mut rng, domain, false);
        let b = known::convex_body(&mut rng, domain, seed % 4 == 0);
        let pair = placed(&mut rng, a, b, Arrangement::Random, Spacing::Apart);
        let outcome = solve(&pair);
        let Some(truth) = proved(&pair, &outcome) else { continue };
        proofs += 1;
        let bounds = outcome.bounds.expect("convex");
        let (low, high) = (truth.excess(bounds.lower), truth.excess(bounds.upper));
        assert!(
            low <= 0.0 && high >= 0.0,
            "seed {seed}: bounds miss the truth by {low:e}, {high:e}: {}",
            pair.to_rust()
        );
        let error = truth.excess(outcome.distance).abs();
        let allowed = check::allowance(&pair, &Options::DEFAULT);
        assert!(error <= allowed, "seed {seed}: wrong by {error:e}, allowed {allowed:e}: {}", pair.to_rust());
        worst = worst.max(error / pair.size().max(outcome.distance));
    }
    println!("{proofs} of {count} proved; largest relative error {worst:e}");
    assert!(proofs >= least_proved, "only {proofs} of {count} references could be proved");
}

#[test]
fn ordinary_proportions() {
    expect_proof(&Domain::MODERATE, 250, 200);
}

#[test]
fn whole_domain() {
    let domain = Domain { size: 1.0..=10.0, ..Domain::WIDE };
    expect_proof(&domain, 250, 150);
}
