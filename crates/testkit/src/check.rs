//! Properties that need no reference answer.

use glam::DVec3;
use rand::RngExt;
use superegg::query::{Bounds, Options, Outcome, Status};
use superegg::shape::Shape;

use crate::generate::{Rng, direction};
use crate::oracle::sampling::lattice;
use crate::oracle::support::Separation;
use crate::oracle::surface;
use crate::{KnownPair, Pair};

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

/// A point of a shape: of a curved body's surface, or of a hull by its weights.
fn point_of(shape: &Shape, towards: DVec3) -> DVec3 {
    let corners: &[DVec3] = match shape {
        Shape::Point(point) => point.points(),
        Shape::Segment(segment) => segment.points(),
        Shape::Triangle(triangle) => triangle.points(),
        _ => return surface::point_towards(shape, towards),
    };
    let weights = towards.abs().to_array();
    let sum: f64 = weights[..corners.len()].iter().sum();
    corners.iter().zip(weights).map(|(corner, weight)| *corner * (weight / sum)).sum()
}

/// The deepest of `count` sampled points of either body's surface inside the other one, to first order: positive where they overlap.
/// Needs no support function. Nothing is inside of a point, segment or triangle.
pub fn sampled_overlap(pair: &Pair, count: usize) -> f64 {
    let deepest = |pair: &Pair| {
        if matches!(pair.b, Shape::Point(_) | Shape::Segment(_) | Shape::Triangle(_)) {
            return f64::NEG_INFINITY;
        }
        lattice(count)
            .map(|towards| {
                let world = pair.pose_a.transform_point(point_of(&pair.a, towards));
                -surface::offset(&pair.b, pair.pose_b.inverse_transform_point(world))
            })
            .fold(f64::NEG_INFINITY, f64::max)
    };
    deepest(pair).max(deepest(&pair.swapped()))
}

/// The length by which an answer may be wrong: the tolerance times the size, but never less than what rounding leaves
/// of coordinates as large as the pair's. The factor counts the some sixty operations between input and bounds.
pub fn allowance(pair: &Pair, options: &Options) -> f64 {
    options.tolerance * pair.size() + 64.0 * pair.rounding()
}

/// How far `point_b − point_a` may deviate from `distance·normal` beyond the tolerance itself.
///
/// Where the bodies almost touch, the points hardly define a direction, and the normal is the one that proves the
/// distance: `n·w ≥ L(n) ≥ |w| − tolerance` for it, so that `|w − |w| n|² ≤ 2 |w| tolerance`. Above a millionth of the
/// size the two have to agree. In overlap the depth is stationary at the answer: a depth that is right to the tolerance
/// determines the points across the normal to the square root of tolerance times radius of curvature.
fn allowed_mismatch(pair: &Pair, distance: f64, allowed: f64) -> f64 {
    let size = pair.size();
    if distance < -allowed {
        (2.0 * size * allowed).sqrt()
    } else if distance <= 1e-6 * size {
        (2.0 * distance.abs() * allowed).sqrt()
    } else {
        0.0
    }
}

/// Whether the evaluations allowed for ended the proof of a depth: where many normals are about equally deep, and the bounds say so.
pub fn has_spent_its_evaluations(outcome: &Outcome, options: &Options) -> bool {
    outcome.distance < 0.0 && outcome.iterations + 120 >= options.max_iterations
}

/// Every way in which an answer contradicts itself or the surfaces it speaks of; none for a right one. Needs no
/// reference answer:
///
/// - all numbers are finite, the normal has unit length, and the points differ by the distance along the normal;
/// - the points lie on the surfaces;
/// - the status fits the distance;
/// - the distance lies within the bounds, which are no wider than asked for where both bodies are convex;
/// - the lower bound does not exceed the distance of the two points (which are surface points), nor does the upper bound
///   fall below `L` at the answer's normal (which every distance exceeds);
/// - moving convex bodies that overlap by the depth along the normal separates them.
pub fn contradictions(pair: &Pair, outcome: &Outcome, options: &Options) -> Vec<String> {
    let mut found = Vec::new();
    let mut expect = |right: bool, message: &dyn Fn() -> String| {
        if !right {
            found.push(message());
        }
    };
    let allowed = allowance(pair, options);
    let Outcome { distance, point_a, point_b, normal, status, bounds, .. } = *outcome;
    let finite = distance.is_finite() && point_a.is_finite() && point_b.is_finite() && normal.is_finite();
    expect(finite, &|| "a number is not finite".into());
    expect((normal.length() - 1.0).abs() < 1e-14, &|| format!("the normal's length is {:e}", normal.length()));
    let mismatch = (point_b - point_a - normal * distance).length();
    let least_mismatch = 2.0 * allowed + allowed_mismatch(pair, distance, allowed);
    expect(mismatch <= least_mismatch, &|| {
        format!("points and distance along the normal differ by {mismatch:e}, allowed {least_mismatch:e}")
    });
    for (name, shape, pose, point) in [("a", &pair.a, pair.pose_a, point_a), ("b", &pair.b, pair.pose_b, point_b)] {
        let offset = surface::offset(shape, pose.inverse_transform_point(point));
        expect(offset.abs() <= allowed, &|| format!("point_{name} is {offset:e} off its surface, allowed {allowed:e}"));
    }
    let fits = match status {
        Status::Separated => distance > 0.0,
        Status::Touching => distance.abs() <= 2.0 * allowed,
        Status::Penetrating => distance < 0.0,
        Status::NotConverged => false,
    };
    expect(fits, &|| format!("{status:?} at a distance of {distance:e}"));
    if let Some(bounds) = bounds {
        let rounding = 32.0 * pair.rounding();
        expect(bounds.lower <= distance + rounding && distance <= bounds.upper + rounding, &|| {
            format!("{distance:e} lies outside of [{:e}, {:e}]", bounds.lower, bounds.upper)
        });
        let width = bounds.upper - bounds.lower;
        let convex = pair.a.is_convex() && pair.b.is_convex();
        let open = status == Status::NotConverged || !convex || has_spent_its_evaluations(outcome, options);
        expect(open || width <= allowed + 2.0 * rounding, &|| {
            format!("the bounds are {width:e} apart, allowed {allowed:e}")
        });
        let between_points = point_a.distance(point_b);
        expect(bounds.lower <= between_points + allowed, &|| {
            format!("the lower bound exceeds the points' distance by {:e}", bounds.lower - between_points)
        });
        if !matches!((pair.a.clone(), pair.b.clone()), (Shape::Plane(_), _) | (_, Shape::Plane(_))) {
            let least = Separation::new(pair).along(normal).value;
            expect(bounds.upper >= least - rounding, &|| {
                format!("the upper bound falls below L(normal) by {:e}", least - bounds.upper)
            });
            expect(!convex || distance >= 0.0 || least >= distance - 2.0 * allowed, &|| {
                format!("moving by the depth along the normal leaves an overlap of {:e}", distance - least)
            });
        }
    }
    found
}

/// Every way in which an answer contradicts a distance known by construction: the distance itself, the bounds, the
/// status, and the normal as far as the distance determines it (a normal that is off by the angle θ gives away
/// `distance·(1 − cos θ)`).
pub fn contradictions_to_known(known: &KnownPair, outcome: &Outcome, options: &Options) -> Vec<String> {
    let mut found = contradictions(&known.pair, outcome, options);
    let allowed = allowance(&known.pair, options) + known.error;
    let error = outcome.distance - known.distance;
    if error.abs() > allowed {
        found.push(format!("the distance is wrong by {error:e}, allowed {allowed:e}"));
    }
    let Some(bounds) = outcome.bounds else {
        found.push("a convex pair has no bounds".into());
        return found;
    };
    if known.distance < bounds.lower - known.error || known.distance > bounds.upper + known.error {
        let Bounds { lower, upper, .. } = bounds;
        found.push(format!("the true distance {:e} is outside of [{lower:e}, {upper:e}]", known.distance));
    }
    // In between, touching and either side are within the tolerance of each other.
    let expected = if known.distance > 2.0 * allowed {
        Some(Status::Separated)
    } else if known.distance < -2.0 * allowed {
        Some(Status::Penetrating)
    } else {
        None
    };
    if expected.is_some_and(|expected| expected != outcome.status) {
        found.push(format!("{:?} instead of {expected:?}", outcome.status));
    }
    if known.distance > 0.0 {
        let given_away = known.distance * 0.5 * outcome.normal.distance_squared(known.normal);
        if given_away > 2.0 * allowed {
            found.push(format!("the normal gives away {given_away:e}, allowed {:e}", 2.0 * allowed));
        }
    }
    found
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
