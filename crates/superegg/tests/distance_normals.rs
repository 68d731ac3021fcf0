//! Normals of the distance against 77-digit arithmetic.
//!
//! The normal was the line between two points that are only exact to the square root of the tolerance: 6e-5 rad off at the
//! 99th percentile, 2.4e-4 close to contact. The reference proves its own distance to 25 digits of the size, so that its
//! normal is exact to 12 digits and more wherever the distance is above 1e-10 of the size.

use superegg::query::batch::{Placed, Threads, distances};
use superegg::query::{Options, Outcome, distance};
use superegg::shape::Shape;
use testkit::Pair;
use testkit::generate::random::{Arrangement, Spacing, placed};
use testkit::generate::{self, Domain, Rng};
use testkit::oracle::precise::{Start, refine};

/// Largest angle accepted at the 99th percentile, in radians.
const ACCEPTED: f64 = 1e-8;

fn misdirection(pair: &Pair, outcome: &Outcome) -> Option<f64> {
    let start = Start { point_a: outcome.point_a, point_b: outcome.point_b, normal: outcome.normal };
    let proved = refine(pair, &start).filter(|found| found.gap.is_some_and(|gap| gap <= 1e-25 * pair.size()))?;
    Some(proved.misdirection(outcome.normal))
}

/// Angles of single and batched answers, in ascending order.
fn angles(count: u64, pair_of: impl Fn(&mut Rng) -> Pair) -> Vec<f64> {
    let pairs: Vec<Pair> = (0..count).map(|seed| pair_of(&mut generate::seeded(seed))).collect();
    let placed: Vec<[Placed; 2]> = (pairs.iter())
        .map(|pair| {
            [Placed { shape: pair.a.clone(), pose: pair.pose_a }, Placed { shape: pair.b.clone(), pose: pair.pose_b }]
        })
        .collect();
    let batch = distances(&placed, &Options::DEFAULT, Threads::One);
    let mut angles = Vec::new();
    for (pair, batched) in pairs.iter().zip(batch) {
        let single = distance(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &Options::DEFAULT).unwrap();
        let found = [single, batched.unwrap()].map(|outcome| misdirection(pair, &outcome));
        angles.extend(found.into_iter().flatten());
    }
    angles.sort_by(f64::total_cmp);
    angles
}

fn expect_exact(what: &str, count: u64, pair_of: impl Fn(&mut Rng) -> Pair) {
    let angles = angles(count, pair_of);
    let at = |part: f64| angles[((angles.len() - 1) as f64 * part) as usize];
    println!("{what}: {} proved; median {:e}, 99 % {:e}, largest {:e}", angles.len(), at(0.5), at(0.99), at(1.0));
    assert!(angles.len() as u64 >= count, "{what}: only {} of {} references could be proved", angles.len(), 2 * count);
    assert!(at(0.99) <= ACCEPTED, "{what}: {:e} rad at the 99th percentile", at(0.99));
}

fn body(rng: &mut Rng, domain: &Domain, tapered: bool) -> Shape {
    if tapered { generate::convex_superovoid(rng, domain).into() } else { generate::superellipsoid(rng, domain).into() }
}

fn spaced(low: f64, high: f64, tapered: bool) -> impl Fn(&mut Rng) -> Pair {
    move |rng| {
        let gap = generate::log_uniform(rng, low..=high);
        let (a, b) = (body(rng, &Domain::MODERATE, tapered), body(rng, &Domain::MODERATE, tapered));
        placed(rng, a, b, Arrangement::Random, Spacing::Exactly(gap))
    }
}

#[test]
fn far_superellipsoids() {
    expect_exact("far", 400, spaced(1e-2, 1e2, false));
}

#[test]
fn near_superellipsoids() {
    expect_exact("near", 400, spaced(1e-10, 1e-4, false));
}

#[test]
fn convex_superovoids() {
    expect_exact("superovoids, far", 200, spaced(1e-2, 1e2, true));
    expect_exact("superovoids, near", 200, spaced(1e-10, 1e-4, true));
}

#[test]
fn points_segments_and_triangles() {
    expect_exact("simplices", 300, |rng| {
        let gap = generate::log_uniform(rng, 1e-8..=1e2);
        let (a, b) = (body(rng, &Domain::MODERATE, false), generate::polytope(rng, 0.7));
        placed(rng, a, b, Arrangement::Random, Spacing::Exactly(gap))
    });
}
