//! Properties that need no reference answer.

use glam::DVec3;
use rand::RngExt;
use superegg::shape::Shape;

use crate::Pair;
use crate::generate::{Rng, direction};
use crate::oracle::sampling::lattice;
use crate::oracle::support::Separation;
use crate::oracle::surface;

/// How far the midpoint of two surface points lies outside of the body at most, over `count` random pairs of points, as
/// a part of the inside–outside function. Zero for convex bodies up to rounding; a positive value proves that a body is
/// not convex.
pub fn worst_midpoint(shape: &Shape, count: usize, rng: &mut Rng) -> f64 {
    let mut worst = f64::NEG_INFINITY;
    for _ in 0..count {
        let first = direction(rng);
        // Near and far partners: slight dents show between neighbours only.
        let spread = 10f64.powf(rng.random_range(-3.0..=0.5));
        let second = (first + direction(rng) * spread).normalize();
        let middle = 0.5 * (surface::point_towards(shape, first) + surface::point_towards(shape, second));
        worst = worst.max(surface::inside_outside(shape, middle) - 1.0);
    }
    worst
}

/// How far the bodies still overlap along `normal` after b has been moved by `depth` along it: not above zero (up to
/// rounding) if that separates them. By support functions, so of the hulls.
pub fn remaining_overlap(pair: &Pair, normal: DVec3, depth: f64) -> f64 {
    -Separation::new(&pair.with_b_moved(normal * depth)).along(normal).value
}

/// The deepest of `count` sampled surface points of either curved body inside the other one, to first order: positive
/// where they overlap. Needs no support function.
pub fn sampled_overlap(pair: &Pair, count: usize) -> f64 {
    let deepest = |pair: &Pair| {
        lattice(count)
            .map(|towards| {
                let world = pair.pose_a.transform_point(surface::point_towards(&pair.a, towards));
                -surface::offset(&pair.b, pair.pose_b.inverse_transform_point(world))
            })
            .fold(f64::NEG_INFINITY, f64::max)
    };
    deepest(pair).max(deepest(&pair.swapped()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{self, Domain};
    use superegg::shape::Superovoid;

    #[test]
    fn midpoints_tell_convex_bodies_from_others() {
        let mut rng = generate::seeded(41);
        for _ in 0..100 {
            let convex: Shape = generate::convex_superovoid(&mut rng, &Domain::WIDE).into();
            let worst = worst_midpoint(&convex, 500, &mut rng);
            assert!(worst < 1e-13, "{convex:?}: {worst:e}");
        }
        let dented = Superovoid::new([1.0; 3], [1.0, 1.8], [0.5, 0.5]).unwrap().into();
        assert!(worst_midpoint(&dented, 2000, &mut rng) > 1e-3);
        let slightly = Superovoid::new([1.0; 3], [0.5, 0.5], [0.4, -0.4]).unwrap().into();
        assert!(worst_midpoint(&slightly, 20_000, &mut rng) > 1e-9);
    }

    #[test]
    fn overlap_remains_when_the_step_is_too_short() {
        let mut rng = generate::seeded(42);
        let known = generate::known::shallow_overlap(&mut rng, &Domain::MODERATE);
        let (depth, size) = (-known.distance, known.pair.size());
        assert!(remaining_overlap(&known.pair, known.normal, depth).abs() < 1e-14 * size);
        assert!((remaining_overlap(&known.pair, known.normal, 0.5 * depth) - 0.5 * depth).abs() < 1e-14 * size);
        assert!(sampled_overlap(&known.pair.with_b_moved(known.normal * depth), 5000) < 1e-14 * size);
    }
}
