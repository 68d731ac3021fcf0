//! How much a superellipsoid bends at most about one of its points: a paraboloid-like piece that it holds.
//!
//! With `y = x/a`, `p = 2/e` and `β = p2/p1` the body is where `G(y) = (|y1|^p1 + |y2|^p1)^β + |y3|^p2 ≤ 1`. About a point of the surface
//! each power is bounded from above by its tangent and a parabola, `φ(y + η) ≤ φ(y) + φ'(y) η + ½ K η²` for `|η| ≤ h`:
//! K is the greatest mean of φ'' on the way from y, weighted by `2(1 - s)` at the part s of it ([`Parabola::above`]). The outer power of the sum
//! `s = s0 + Δ` with `L ≤ Δ ≤ L + Q`, L linear and Q quadratic in η, is bounded in the same way by a parabola in Δ. Where it bends upwards
//! (β > 1), `Δ² ≤ (|L| + Q)² ≤ L² + (2 max|L| + max Q) Q`; where it bends downwards, `Δ² ≥ L² - 2 max|L| Q`, whether L + Q is negative or not.
//! So `G ≤ 1 + g·η + ½ ηᵀKη`, and what satisfies `n·δ + ½ δᵀMδ ≤ 0` with `M = K/|g|` lies in the body. Without a reach M is the curvature
//! of the surface.

use crate::solver::simd::{Real, Sym3, V3, exp2, log2};

/// Powers and sums are right to about 50u; this much is added to every bend.
const ROUNDING: f64 = 1e-12;
/// Coordinates below this count as this.
const SMALLEST: f64 = 1e-60;

/// A parabola above `φ(t) = |t|^p` about some `y ≥ 0`.
struct Parabola<R> {
    value: R,
    slope: R,
    /// K.
    bend: R,
}

impl<R: Real> Parabola<R> {
    /// The one that is above φ for all `|t - y| ≤ h`.
    ///
    /// `φ'' = p(p-1)|t|^(p-2)` is even. For `p ≥ 2` it grows with |t|, so that the mean is greatest towards `y + h`: where φ'' is
    /// convex (`p ≥ 3`) it is at most two thirds of φ'' here and one third of φ'' there, where it is concave at most φ'' at a third of
    /// the way. For `p < 2` it is greatest towards `y - h`, where φ'' is convex again before the way passes zero; and never more
    /// than `p y^(p-2)`, which it is on the way to -y.
    #[inline(always)]
    fn above(p: R, y: R, h: R) -> Parabola<R> {
        let (zero, one, two, third) = (R::splat(0.0), R::splat(1.0), R::splat(2.0), R::splat(1.0 / 3.0));
        let y = y.max(R::splat(SMALLEST));
        let (ridged, concave) = (p.lt(two), p.lt(R::splat(3.0)));
        let power = p - two;
        let here = exp2(power * log2(y));
        let there = R::select(ridged, y - h, R::select(concave, h.mul_add(third, y), y + h));
        let there = exp2(power * log2(there.max(R::splat(SMALLEST))));
        let mean = third.mul_add(there, (third + third) * here);
        let factor = p * (p - one);
        let flat = factor * R::select(concave, there, mean);
        let ridge = (p * here).min(factor * mean);
        let bend = R::select(ridged, ridge, flat).max(zero);
        Parabola { value: y * y * here, slope: p * y * here, bend }
    }
}

/// The matrix of [`crate::solver::body::Body::inscribed`] at a point of the surface.
#[inline(always)]
pub(super) fn bend<R: Real>(radii: V3<R>, exponents: [R; 2], position: V3<R>, reach: R) -> Sym3<R> {
    let (zero, half, one, two) = (R::splat(0.0), R::splat(0.5), R::splat(1.0), R::splat(2.0));
    let [p1, p2] = [two / exponents[0], two / exponents[1]];
    let per = V3::new(one / radii.x, one / radii.y, one / radii.z);
    let (y, h) = (position.times(per), per * reach);
    let first = Parabola::above(p1, y.x.abs(), h.x);
    let second = Parabola::above(p1, y.y.abs(), h.y);
    let third = Parabola::above(p2, y.z.abs(), h.z);
    let sum = (first.value + second.value).max(R::splat(SMALLEST));
    let most_linear = first.slope.mul_add(h.x, second.slope * h.y);
    let most_quadratic = half * (first.bend * h.x).mul_add(h.x, second.bend * h.y * h.y);
    let beta = p2 / p1;
    let rate = beta * exp2((beta - one) * log2(sum));
    let convex = one.lt(beta);
    let most = most_linear + most_quadratic;
    // Where it bends downwards, it does so least towards the greatest sum, and its second derivative is concave: at most that at a third
    // of the way.
    let downwards = beta * (beta - one) * exp2((beta - two) * log2(most.mul_add(R::splat(1.0 / 3.0), sum)));
    let outer = R::select(convex, Parabola::above(beta, sum, most).bend, downwards);
    let inner = rate + outer.abs() * most_linear + half * outer.max(zero) * most_quadratic;
    let along = V3::new(first.slope.copysign(y.x) * per.x, second.slope.copysign(y.y) * per.y, zero);
    let steepness = (along * rate) + V3::new(zero, zero, third.slope.copysign(y.z) * per.z);
    let diagonal =
        V3::new(inner * first.bend * per.x * per.x, inner * second.bend * per.y * per.y, third.bend * per.z * per.z);
    let scale = R::splat(1.0 + ROUNDING) / steepness.length_sq().max(R::splat(SMALLEST)).sqrt();
    Sym3::diagonal(diagonal * scale).add_outer(along, outer * scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Superellipsoid;

    /// Points of the piece, drawn all over it, lie in the body by the shape's own gauge, which is right to 1e-14.
    #[test]
    fn the_piece_lies_within_the_body() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut between = |low: f64, high: f64| low + (high - low) * random.f64();
        let mut held = 0;
        for _ in 0..20_000 {
            let radii = [between(0.1, 1.0), between(0.1, 1.0), between(0.1, 1.0)];
            let exponents = [between(0.1, 1.9), between(0.1, 1.9)];
            let shape = Superellipsoid::new(radii, exponents).unwrap();
            let normal = glam::DVec3::new(between(-1.0, 1.0), between(-1.0, 1.0), between(-1.0, 1.0)).normalize();
            let x = shape.support(normal);
            let reach = 10f64.powf(between(-3.0, 0.0));
            let m = bend(V3::new(radii[0], radii[1], radii[2]), exponents, x.into(), reach);
            for _ in 0..20 {
                let mut delta = glam::DVec3::new(between(-1.0, 1.0), between(-1.0, 1.0), between(-1.0, 1.0)) * reach;
                // As far out as the piece allows: `n·δ + ½ δᵀMδ = 0`, or less.
                let d: V3<f64> = delta.into();
                let form = m.form(d, d);
                let fall = delta.dot(normal) + 0.5 * form;
                if fall > 0.0 {
                    // Shorter by the factor f: `f n·δ + ½ f² δᵀMδ ≤ 0`.
                    if delta.dot(normal) >= 0.0 {
                        continue;
                    }
                    delta *= -2.0 * delta.dot(normal) / form;
                }
                held += 1;
                let gauge = shape.gauge(x + delta);
                assert!(gauge <= 1.0 + 1e-13, "{shape:?} {normal:?} {reach}: {gauge} at {delta:?}");
            }
        }
        assert!(held > 100_000, "{held}");
    }
}
