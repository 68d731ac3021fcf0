//! Superovoids that are not convex against boxes, frustums, hulls and shapes of one's own.
//!
//! The reference: thousands of points of the superovoid's surface and their distances from the other body by another query (a point and a
//! convex body), refined around the nearest by halving steps. It never falls below the true distance and exceeds it by at most some 1e-6 of the size where it
//! finds the right place: a lower bound above it is wrong, and so is a distance above it by more. Points of an answer must lie on both
//! surfaces, so that it cannot be too small either.

use superegg::query::{Options, Outcome, Status, closest_point, distance, gradient, intersect};
use superegg::shape::{Custom, Hull, Primitive, Shape, Spacing, Superovoid};
use superegg::{DVec3, Pose};
use testkit::Pair;
use testkit::generate::random::{Arrangement, Spacing as Gap, placed};
use testkit::generate::{self, Domain, Rng};
use testkit::lens::Lens;

fn nonconvex(rng: &mut Rng) -> Superovoid {
    let domain = Domain { exponents: 0.3..=1.4, taper: -0.7..=0.7, aspect: 2.0, size: 0.5..=1.0 };
    loop {
        let body = generate::superovoid(rng, &domain);
        if !body.is_convex() {
            return body;
        }
    }
}

fn other(rng: &mut Rng, kind: u64) -> Shape {
    match kind % 6 {
        0 => Primitive::cuboid([0.3, 0.6, 0.4]).unwrap().into(),
        1 => Primitive::cylinder(0.4, 0.7).unwrap().into(),
        2 => Primitive::cone(0.6, 0.5).unwrap().rounded(0.05).unwrap().into(),
        3 => Hull::new(&(0..30).map(|_| generate::direction(rng) * 0.7).collect::<Vec<_>>()).unwrap().into(),
        4 => Primitive::cuboid([0.08, 0.08, 0.5]).unwrap().rounded(0.02).unwrap().into(),
        _ => Custom::new(Lens::unit(0.5)).unwrap().into(),
    }
}

fn pair(seed: u64, gap: Gap) -> Pair {
    let mut rng = generate::seeded(seed);
    let (a, b) = (nonconvex(&mut rng), other(&mut rng, seed));
    let arrangement = [Arrangement::Random, Arrangement::CentreLine, Arrangement::AxisAligned][(seed / 6) as usize % 3];
    placed(&mut rng, a.into(), b, arrangement, gap)
}

fn solve(pair: &Pair) -> Outcome {
    distance(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &Options::DEFAULT).unwrap()
}

/// Signed distance of a point from the second body.
fn from_b(pair: &Pair, point: DVec3) -> f64 {
    closest_point(&pair.b, &pair.pose_b, point, &Options::DEFAULT).unwrap().distance
}

/// The least distance of points of the superovoid from the other body.
fn sampled(pair: &Pair, body: &Superovoid) -> f64 {
    let mesh = body.tessellate(3_000, Spacing::Curvature).unwrap();
    let mut nearest: Vec<(f64, DVec3)> =
        (mesh.vertices.iter()).map(|vertex| (from_b(pair, pair.pose_a.transform_point(*vertex)), *vertex)).collect();
    nearest.sort_by(|a, b| a.0.total_cmp(&b.0));
    // With a taper the gauge is not quite proportional to the distance from the origin.
    let on_surface = |x: DVec3| (0..20).fold(x, |x, _| x / body.gauge(x));
    let mut best = nearest[0].0;
    for &(start, vertex) in nearest.iter().take(5) {
        let (mut at, mut least, mut step) = (vertex, start, 0.05);
        while step > 1e-7 {
            let tries = DVec3::AXES.into_iter().flat_map(|axis| [axis, -axis]).map(|axis| on_surface(at + axis * step));
            let closest = tries
                .map(|x| (from_b(pair, pair.pose_a.transform_point(x)), x))
                .min_by(|a, b| a.0.total_cmp(&b.0))
                .unwrap();
            if closest.0 < least { (least, at) = closest } else { step *= 0.5 }
        }
        best = best.min(least);
    }
    best
}

#[test]
fn distances_are_those_of_the_nearest_points() {
    for seed in 0..90 {
        let gap = [1e-3, 0.05, 0.4][(seed / 18) as usize % 3];
        let pair = pair(seed, Gap::Exactly(gap));
        let Shape::Superovoid(body) = &pair.a else { unreachable!() };
        let found = solve(&pair);
        let reference = sampled(&pair, body);
        if reference <= 0.0 {
            continue;
        }
        let bounds = found.bounds.unwrap();
        assert_eq!(found.status, Status::Separated, "seed {seed}: {found:?} {reference}");
        assert!(found.distance <= reference + 1e-8, "seed {seed}: {} {reference} {}", found.distance, pair.to_rust());
        assert!(found.distance >= reference - 2e-4, "seed {seed}: {} {reference} {}", found.distance, pair.to_rust());
        assert!(bounds.lower <= found.distance && found.distance <= bounds.upper + 1e-12, "seed {seed}: {found:?}");
        assert!(bounds.lower <= reference, "seed {seed}: {found:?} {reference}");
        // The points are those of the bodies, as far apart as is said.
        let local = pair.pose_a.inverse_transform_point(found.point_a);
        assert!((body.gauge(local) - 1.0).abs() < 1e-7, "seed {seed}: {}", body.gauge(local));
        assert!(from_b(&pair, found.point_b).abs() < 1e-7, "seed {seed}");
        assert!((found.point_b - found.point_a - found.normal * found.distance).length() < 1e-6, "seed {seed}");
        assert!(!intersect(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b).unwrap(), "seed {seed}");
        let swapped = distance(&pair.b, &pair.pose_b, &pair.a, &pair.pose_a, &Options::DEFAULT).unwrap();
        assert!((swapped.distance - found.distance).abs() < 1e-8, "seed {seed}: {swapped:?} {found:?}");
    }
}

/// Moved by the depth and a little more, the bodies are apart; moved by a little less, they are not.
#[test]
fn depths_part_the_bodies() {
    let mut deep = 0;
    for seed in 0..90 {
        let pair = pair(1000 + seed, Gap::Exactly(-[0.01, 0.1, 0.3][(seed / 18) as usize % 3]));
        let Shape::Superovoid(body) = &pair.a else { unreachable!() };
        let found = solve(&pair);
        let overlap = intersect(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b).unwrap();
        let reference = sampled(&pair, body);
        assert_eq!(overlap, found.distance < 0.0, "seed {seed}: {found:?}");
        if reference < -1e-6 {
            assert!(overlap, "seed {seed}: {reference} {}", pair.to_rust());
        }
        if !overlap || found.status != Status::Penetrating {
            continue;
        }
        deep += 1;
        let bounds = found.bounds.unwrap();
        assert!(bounds.lower <= found.distance && found.distance <= bounds.upper, "seed {seed}: {found:?}");
        let moved = |by: f64| {
            let pose_b = Pose { translation: pair.pose_b.translation + found.normal * by, ..pair.pose_b };
            distance(&pair.a, &pair.pose_a, &pair.b, &pose_b, &Options::DEFAULT).unwrap().distance
        };
        assert!(moved(1e-4 - found.distance) > 0.0, "seed {seed}: {found:?} {}", pair.to_rust());
        assert!(moved(-1e-3 - found.distance) < 1e-9, "seed {seed}: {found:?} {}", pair.to_rust());
    }
    assert!(deep > 30, "{deep}");
}

#[test]
fn gradients_agree_with_differences() {
    let mut compared = 0;
    for seed in 0..60 {
        let pair = pair(2000 + seed, Gap::Exactly(0.2));
        let found = gradient(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &Options::DEFAULT).unwrap();
        if !found.outcome.is_differentiable() || found.outcome.distance <= 0.0 {
            continue;
        }
        for axis in DVec3::AXES {
            let at = |step: f64| {
                let pose_b = Pose { translation: pair.pose_b.translation + axis * step, ..pair.pose_b };
                distance(&pair.a, &pair.pose_a, &pair.b, &pose_b, &Options::DEFAULT).unwrap().distance
            };
            let (rough, fine) = ((at(4e-4) - at(-4e-4)) / 8e-4, (at(1e-4) - at(-1e-4)) / 2e-4);
            if (rough - fine).abs() < 1e-4 {
                compared += 1;
                let value = found.b.translation.dot(axis);
                assert!((value - fine).abs() < 2e-4, "seed {seed}: {value} {fine} {}", pair.to_rust());
            }
        }
    }
    assert!(compared > 100, "{compared}");
}
