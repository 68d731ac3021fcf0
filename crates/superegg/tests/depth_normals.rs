//! Normals and points of overlaps against 77-digit arithmetic.
//!
//! The reference solves for the common normal from the answer: a stationary value of the depth, to 30 digits. Where it lies
//! within the tolerance of the answer's depth, which is proved to be the least, it is the one meant. It settles for
//! regular solutions only; a case without a reference is counted.

use superegg::query::{Options, Outcome, Status, distance};
use testkit::Pair;
use testkit::generate::random::{Arrangement, Spacing, placed};
use testkit::generate::{self, Domain};
use testkit::oracle::precise::{Start, refine};
use testkit::oracle::surface;

fn solve(pair: &Pair) -> Outcome {
    distance(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &Options::DEFAULT).expect("a valid pair")
}

fn expect_exact(domain: &Domain, tapered: bool, count: u64) {
    let mut errors = Vec::new();
    let mut judged = 0;
    for seed in 0..count {
        let mut rng = generate::seeded(seed);
        let [a, b] = [0; 2].map(|_| match tapered {
            true => generate::convex_superovoid(&mut rng, domain).into(),
            false => generate::superellipsoid(&mut rng, domain).into(),
        });
        let spacing = [Spacing::Shallow, Spacing::Deep][seed as usize % 2];
        let pair = placed(&mut rng, a, b, Arrangement::Random, spacing);
        let outcome = solve(&pair);
        if outcome.status != Status::Penetrating || !outcome.is_differentiable() {
            continue;
        }
        judged += 1;
        let size = pair.size();
        for (shape, pose, point) in [(&pair.a, pair.pose_a, outcome.point_a), (&pair.b, pair.pose_b, outcome.point_b)] {
            let off = surface::offset(shape, pose.inverse_transform_point(point)).abs();
            assert!(off <= 1e-9 * size, "seed {seed}: {off:e} off the surface: {}", pair.to_rust());
        }
        let start = Start { point_a: outcome.point_a, point_b: outcome.point_b, normal: outcome.normal };
        let Some(truth) = refine(&pair, &start) else { continue };
        if truth.excess(outcome.distance).abs() <= 2e-9 * size {
            errors.push(truth.misdirection(outcome.normal).abs());
        }
    }
    errors.sort_by(f64::total_cmp);
    let at = |part: f64| errors[((errors.len() - 1) as f64 * part) as usize];
    println!(
        "{} of {judged} with a reference: median {:e}, 99 % {:e}, all {:e}",
        errors.len(),
        at(0.5),
        at(0.99),
        at(1.0)
    );
    assert!(errors.len() as u64 * 10 >= judged * 8, "only {} of {judged} references", errors.len());
    assert!(at(0.99) <= 1e-8, "{:e} at the 99th percentile", at(0.99));
}

#[test]
fn superellipsoids_of_the_papers() {
    expect_exact(&Domain { aspect: 3.0, ..Domain::PAPER }, false, 300);
}

#[test]
fn superellipsoids_of_ordinary_proportions() {
    expect_exact(&Domain::MODERATE, false, 300);
}

#[test]
fn convex_superovoids() {
    expect_exact(&Domain { aspect: 3.0, ..Domain::MODERATE }, true, 300);
}
