//! Growth distances of superquadrics over the whole domain: exponents from 0.02 to 1.98, radii to 100:1, centres next to each other and far
//! apart, touching bodies, faces and axes in line. Bounds against certified distances of the bodies themselves with their centres
//! moved apart, which come from another solver and are wider by what they allow for rounding; ellipsoids against the
//! Perram–Wertheim potential, whose search here is right to 1e-11. Warm starts, useful and useless.

use superegg::query::{Growth, Options, Status, WarmStart, distance, growth_distance};
use superegg::shape::{Shape, Superellipsoid};
use superegg::{DMat3, DQuat, DVec3, Pose};
use testkit::Pair;
use testkit::generate::random::{Arrangement, Spacing, placed};
use testkit::generate::{self, Domain, Rng, log_uniform};

fn solve(pair: &Pair, options: &Options) -> Growth {
    growth_distance(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, options).expect("a convex pair")
}

const WIDE: Domain = Domain { exponents: 0.02..=1.98, taper: -0.4..=0.4, aspect: 100.0, size: 0.01..=1.0 };

/// Superellipsoids, every fifth pair superovoids, in all arrangements and at all distances.
fn pair(seed: u64) -> Pair {
    let mut rng = generate::seeded(seed);
    let shape = |rng: &mut Rng| -> Shape {
        if seed.is_multiple_of(5) {
            generate::convex_superovoid(rng, &WIDE).into()
        } else {
            generate::superellipsoid(rng, &WIDE).into()
        }
    };
    let (a, b) = (shape(&mut rng), shape(&mut rng));
    let near = log_uniform(&mut rng, 1e-12..=1.0) - 1.0;
    let spacing = [Spacing::Apart, Spacing::Shallow, Spacing::Deep, Spacing::Exactly(0.0), Spacing::Exactly(near)];
    placed(&mut rng, a, b, Arrangement::ALL[(seed / 25) as usize % 4], spacing[(seed / 5) as usize % 5])
}

/// Ellipsoids of all aspects to 100:1.
fn ellipsoids(seed: u64) -> ([[f64; 3]; 2], Pair) {
    let mut rng = generate::seeded(seed);
    let radii = [generate::radii(&mut rng, &WIDE), generate::radii(&mut rng, &WIDE)];
    let [a, b] = radii.map(|radii| Superellipsoid::new(radii, [1.0; 2]).expect("in the domain").into());
    let near = log_uniform(&mut rng, 1e-12..=1.0) - 1.0;
    let spacing = [Spacing::Apart, Spacing::Shallow, Spacing::Exactly(0.0), Spacing::Exactly(near)];
    (radii, placed(&mut rng, a, b, Arrangement::ALL[(seed / 4) as usize % 4], spacing[seed as usize % 4]))
}

/// Whether the bounds are certified distances' bounds too: apart at the lower scale, in contact at the upper one.
fn check(pair: &Pair, found: &Growth) {
    // At the scale s, bodies and all divided by s: the bodies as they are, with their centres c/s apart.
    let at = |scale: f64| {
        let between = pair.pose_b.translation - pair.pose_a.translation;
        let pose_a = Pose { translation: DVec3::ZERO, ..pair.pose_a };
        let pose_b = Pose { translation: between / scale, ..pair.pose_b };
        distance(&pair.a, &pose_a, &pair.b, &pose_b, &Options::DEFAULT).expect("valid").bounds.expect("convex")
    };
    let (lower, upper) = (found.bounds.lower, found.bounds.upper);
    let name = || format!("{found:?}: {}", pair.to_rust());
    assert!(lower <= found.growth && found.growth <= upper, "{}", name());
    assert!(lower == 0.0 || at(lower).upper >= 0.0, "{}", name());
    assert!(at(upper).lower <= 0.0, "{}", name());
    assert!((found.normal.length() - 1.0).abs() < 1e-12 && found.point.is_finite(), "{}", name());
    let settled = upper - lower <= 1e-9 * upper.max(1.0);
    assert_eq!(found.status != Status::NotConverged, settled, "{}", name());
}

#[test]
fn bounds_hold_everywhere() {
    let (mut open, mut newton) = (0, 0);
    for seed in 0..10_000 {
        let pair = pair(seed);
        let found = solve(&pair, &Options::DEFAULT);
        check(&pair, &found);
        open += u32::from(found.status == Status::NotConverged);
        newton += u32::from(found.iterations <= 24);
    }
    println!("{open} of 10,000 not converged, {newton} within 24 evaluations");
    assert!(open <= 10, "{open} of 10,000 not converged");
    assert!(newton > 8_500, "{newton} within 24 evaluations");
}

/// The square root of the largest `λ(1-λ) cᵀ(λA + (1-λ)B)⁻¹ c`, found by cutting the interval of λ.
fn perram_wertheim(radii: [[f64; 3]; 2], pair: &Pair) -> f64 {
    let matrix = |radii: [f64; 3], pose: &Pose| {
        let turn = DMat3::from_quat(pose.rotation.normalize());
        turn * DMat3::from_diagonal(DVec3::from(radii) * DVec3::from(radii)) * turn.transpose()
    };
    let (a, b) = (matrix(radii[0], &pair.pose_a), matrix(radii[1], &pair.pose_b));
    let c = pair.pose_b.translation - pair.pose_a.translation;
    // λ = t/(1+t), by the logarithm of t: radii of 100:1 and sizes of as much bring λ close to its ends.
    let value = |log: f64| {
        let (part, rest) = (1.0 / (1.0 + (-log).exp()), 1.0 / (1.0 + log.exp()));
        part * rest * c.dot((a * part + b * rest).inverse() * c)
    };
    let (mut low, mut high) = (-25.0f64, 25.0f64);
    for _ in 0..80 {
        let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if value(left) < value(right) { low = left } else { high = right }
    }
    value(0.5 * (low + high)).sqrt()
}

#[test]
fn ellipsoids_agree_with_their_potential() {
    for seed in 0..8_000 {
        let (radii, pair) = ellipsoids(seed);
        let found = solve(&pair, &Options::DEFAULT);
        let truth = perram_wertheim(radii, &pair);
        check(&pair, &found);
        assert_ne!(found.status, Status::NotConverged, "seed {seed}: {found:?}");
        let slack = 1e-11 * truth;
        assert!(found.bounds.lower <= truth + slack && truth - slack <= found.bounds.upper, "seed {seed}: {truth}");
        assert!((found.growth - truth).abs() <= 1e-9 * truth.max(1.0), "seed {seed}: {found:?} {truth}");
    }
}

/// An answer before a motion of a hundredth leads to the same growth, in fewer evaluations.
#[test]
fn a_warm_start_leads_to_the_same_growth() {
    let (mut cold_evaluations, mut warm_evaluations) = (0, 0);
    for seed in 0..4_000 {
        let pair = if seed % 4 == 0 { ellipsoids(seed).1 } else { pair(seed) };
        let before = solve(&pair, &Options::DEFAULT);
        let mut rng = generate::seeded(seed);
        let way = 0.01 * (pair.pose_b.translation - pair.pose_a.translation).length();
        let pose_b = Pose {
            rotation: DQuat::from_scaled_axis(generate::direction(&mut rng) * 0.01) * pair.pose_b.rotation,
            translation: pair.pose_b.translation + generate::direction(&mut rng) * way,
        };
        let moved = Pair { pose_b, ..pair };
        let cold = solve(&moved, &Options::DEFAULT);
        let warm = solve(&moved, &Options { warm_start: Some(before.warm_start), ..Options::DEFAULT });
        check(&moved, &warm);
        let overlap = warm.bounds.lower <= cold.bounds.upper && cold.bounds.lower <= warm.bounds.upper;
        assert!(overlap, "seed {seed}: {warm:?} {cold:?}: {}", moved.to_rust());
        cold_evaluations += cold.iterations;
        warm_evaluations += warm.iterations;
    }
    println!("{cold_evaluations} evaluations cold, {warm_evaluations} warm");
    assert!(4 * warm_evaluations < 3 * cold_evaluations, "{warm_evaluations} of {cold_evaluations}");
}

/// Points off the surfaces, normals of other places, numbers that are none: they may cost time, never the answer.
#[test]
fn a_useless_warm_start_proves_nothing() {
    for seed in 0..2_000 {
        let pair = if seed % 4 == 0 { ellipsoids(seed).1 } else { pair(seed) };
        let cold = solve(&pair, &Options::DEFAULT);
        let mut rng = generate::seeded(seed);
        let mut stray = cold.warm_start;
        stray.point_a *= log_uniform(&mut rng, 0.5..=2.0);
        stray.point_b *= log_uniform(&mut rng, 0.5..=2.0);
        stray.normal_a =
            (stray.normal_a + log_uniform(&mut rng, 1e-9..=0.5) * generate::direction(&mut rng)).normalize();
        let mut elsewhere = stray;
        elsewhere.normal_a = generate::direction(&mut rng);
        elsewhere.normal_b = generate::direction(&mut rng);
        elsewhere.point_a = generate::direction(&mut rng) * log_uniform(&mut rng, 1e-9..=1e9);
        let mut starts = vec![stray, elsewhere, stray.backwards()];
        if seed < 100 {
            for garbage in [DVec3::NAN, DVec3::INFINITY, DVec3::ZERO, DVec3::MAX, DVec3::splat(1e-300)] {
                let of_garbage = WarmStart { point_a: garbage, normal_a: garbage, point_b: garbage, normal_b: garbage };
                let usable = WarmStart { normal_a: DVec3::X, normal_b: DVec3::Y, ..of_garbage };
                starts.extend([of_garbage, usable]);
            }
        }
        for start in starts {
            let found = solve(&pair, &Options { warm_start: Some(start), ..Options::DEFAULT });
            check(&pair, &found);
            let overlap = found.bounds.lower <= cold.bounds.upper && cold.bounds.lower <= found.bounds.upper;
            assert!(overlap, "seed {seed}: {start:?} {found:?} {cold:?}: {}", pair.to_rust());
        }
    }
}

trait Backwards {
    fn backwards(self) -> Self;
}

impl Backwards for WarmStart {
    /// Seen from the other sides of both bodies.
    fn backwards(self) -> WarmStart {
        WarmStart { normal_a: -self.normal_a, normal_b: -self.normal_b, ..self }
    }
}

/// Exchanging the bodies changes nothing but the signs; a cap on evaluations leaves honest bounds.
#[test]
fn exchanged_and_capped() {
    for seed in 0..2_000 {
        let pair = pair(seed);
        let found = solve(&pair, &Options::DEFAULT);
        let back = solve(
            &Pair { a: pair.b.clone(), pose_a: pair.pose_b, b: pair.a.clone(), pose_b: pair.pose_a },
            &Options::DEFAULT,
        );
        let overlap = found.bounds.lower <= back.bounds.upper && back.bounds.lower <= found.bounds.upper;
        assert!(overlap, "seed {seed}: {found:?} {back:?}: {}", pair.to_rust());
        for max_iterations in [1, 3, 14] {
            check(&pair, &solve(&pair, &Options { max_iterations, ..Options::DEFAULT }));
        }
    }
}

/// Sizes and distances at the ends of what is allowed: an answer that is a number, or the common centre.
#[test]
fn numbers_of_all_magnitudes() {
    for size in [1e-60, 1e-30, 1.0, 1e30, 1e60] {
        for part in [1e-6, 0.3, 1.0] {
            for exponent in [0.02, 1.0, 1.98] {
                for away in [0.0, 1e-310, 1e-200, 1e-60, 1e-20, 1.0, 1e20, 1e59] {
                    let shape = |by: f64| -> Option<Shape> {
                        let radii = [size * by, 0.8 * size * by, 0.5 * size * by];
                        Superellipsoid::new(radii, [exponent, 0.7]).ok().map(Shape::from)
                    };
                    let (Some(a), Some(b)) = (shape(1.0), shape(part)) else { continue };
                    let pose_b = Pose {
                        rotation: DQuat::from_xyzw(0.1, 0.2, 0.3, 0.9).normalize(),
                        translation: DVec3::new(0.5, -0.7, 0.4) * away,
                    };
                    let found = growth_distance(&a, &Pose::IDENTITY, &b, &pose_b, &Options::DEFAULT).expect("valid");
                    let numbers = [found.growth, found.bounds.lower, found.a.translation.x, found.b.rotation.y];
                    let name = format!("{size} {part} {exponent} {away}: {found:?}");
                    assert!(numbers.iter().all(|number| !number.is_nan()), "{name}");
                    assert!(found.normal.is_finite() && found.point.is_finite(), "{name}");
                    assert!(found.bounds.lower <= found.growth && found.growth <= found.bounds.upper, "{name}");
                }
            }
        }
    }
}
