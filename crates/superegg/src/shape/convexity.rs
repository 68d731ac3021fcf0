//! Whether a superovoid is convex: exact, derived here (papers 001 and 003 take convexity for granted).
//!
//! Convexity is affine-invariant, so the radii drop out. Let `s = z/a3`, `p = 2/e2`, `q = 2/(2-e1)`,
//! `r(s) = (1-|s|^p)^(1/p)`. The section at height s is the planar superellipse of exponent e1, scaled by
//! `r(s)·diag(1 + tx s, 1 + ty s)`. A solid with convex sections is convex exactly when the support function of its
//! sections, `φ(s) = r(s)·N(s)` with `N(s) = ‖((1 + tx s) u, (1 + ty s) v)‖_q`, is concave in s for every planar
//! direction (u, v). With `α = tx/(1 + tx s)`, `β = ty/(1 + ty s)` and `w` the part of the u-term in `N^q` (any w in
//! [0, 1] occurs at any s),
//!
//! `N'/N = wα + (1-w)β`, `N''/N = (q-1) w(1-w) (α-β)²`,
//!
//! so that for s > 0, after dividing `-φ''` by positive factors, the solid is convex exactly when
//!
//! `G(s, w) = p-1 + 2s(1-s^p)(wα + (1-w)β) - (q-1) s^(2-p) (1-s^p)² w(1-w) (α-β)² ≥ 0` for all s, w in [0, 1],
//!
//! and the same with both tapers negated (s < 0). Across s = 0 and towards the poles φ is C¹ or has an infinitely steep
//! concave end, so nothing else can fail.
//!
//! - `tx = ty = t`: the last term vanishes, the minimum lies at `s^p = 1/2`, and the condition is
//!   `|t| ≤ 2^(e2/2) (1 - e2/2)`. It is also the condition at w = 0 and w = 1, hence necessary for both tapers always.
//! - `tx ≠ ty`, e2 < 1: `s^(2-p)` is infinite at the equator: never convex, however small the difference.
//! - `tx ≠ ty`, e2 ≥ 1: G is quadratic in w. Its minimum lies inside ]0, 1[ where
//!   `s^(p-1) < ½(q-1)(1-s^p)|α-β|`, and there `G = p-1 + 2s(1-s^p) min(α, β) - (X-Y)²` with `X² = s^p/(q-1)` and
//!   `Y² = ¼(q-1) s^(2-p) (1-s^p)² (α-β)²`; outside that zone w is 0 or 1, which the first condition covers. What
//!   remains is the minimum of a function of s alone, found by a scan and golden-section searches.

/// Largest |t| for which the superovoid with tapers `[t, t]` is convex.
pub(crate) fn equal_taper_limit(e2: f64) -> f64 {
    (0.5 * e2).exp2() * (1.0 - 0.5 * e2)
}

/// Whether the superovoid with these exponents and tapers is convex: G ≥ -[`ROUNDING`] everywhere.
pub(crate) fn is_convex([e1, e2]: [f64; 2], [tx, ty]: [f64; 2]) -> bool {
    if tx.abs().max(ty.abs()) > equal_taper_limit(e2) {
        return false;
    }
    if tx == ty {
        return true;
    }
    if e2 < 1.0 {
        return false;
    }
    let upper = Half { p: 2.0 / e2, q_minus_1: e1 / (2.0 - e1), tx, ty };
    let lower = Half { tx: -tx, ty: -ty, ..upper };
    upper.is_convex() && lower.is_convex()
}

/// Error of a computed G, which is a sum of a few terms of order one.
const ROUNDING: f64 = 1e-15;
/// Lowest scanned height. Below it G falls with s, as its only terms above rounding are constant or multiples of
/// `-s^(2-p)` with `2 - p ≥ 0`.
const LOWEST: f64 = -41.5; // ln 1e-18
/// Spacing of the scan in ln s. G is a sum of powers of s with exponents from 0 to 4 and of smooth factors; over a
/// million random shapes it had at most one local minimum below s = 0.01 and one above.
const STEP: f64 = 0.25;
/// Width in ln s at which the golden-section search ends: the value at a minimum is exact to the square of it.
const GOLDEN_WIDTH: f64 = 1e-8;

/// The half s > 0 of a superovoid with e2 ≥ 1, tapers within the limit.
struct Half {
    p: f64,
    q_minus_1: f64,
    tx: f64,
    ty: f64,
}

impl Half {
    /// Scans G from the pole down to where a bound shows that it stays positive, and refines each local minimum.
    fn is_convex(&self) -> bool {
        let mut ln_s = 0.0;
        let (mut above, mut value) = (f64::INFINITY, self.smallest_over_directions(ln_s));
        while ln_s > LOWEST && !self.is_positive_below(ln_s) {
            let below = self.smallest_over_directions(ln_s - STEP);
            if below < -ROUNDING {
                return false;
            }
            if value <= above && value <= below && !self.is_positive_between(ln_s - STEP, ln_s + STEP) {
                return false;
            }
            (above, value) = (value, below);
            ln_s -= STEP;
        }
        value >= -ROUNDING
    }

    /// Whether a bound of G that falls with s is positive at this height, and so at every lower one.
    fn is_positive_below(&self, ln_s: f64) -> bool {
        let s = ln_s.exp();
        let taper = self.tx.abs().max(self.ty.abs());
        let narrowest = 1.0 - taper * s;
        let difference = (self.tx - self.ty) / (narrowest * narrowest);
        let equator_power = ((2.0 - self.p) * ln_s).exp();
        let y_sq = 0.25 * self.q_minus_1 * equator_power * difference * difference;
        self.p - 1.0 - 2.0 * s * taper / narrowest - y_sq > 0.0
    }

    /// Golden-section search for a minimum of G between two values of ln s.
    fn is_positive_between(&self, mut low: f64, mut high: f64) -> bool {
        const SECTION: f64 = 0.618_033_988_749_894_9;
        let (mut inner_low, mut inner_high) = (high - SECTION * (high - low), low + SECTION * (high - low));
        let mut value_low = self.smallest_over_directions(inner_low);
        let mut value_high = self.smallest_over_directions(inner_high);
        while high - low > GOLDEN_WIDTH {
            if value_low.min(value_high) < -ROUNDING {
                return false;
            }
            if value_low < value_high {
                (high, inner_high, value_high) = (inner_high, inner_low, value_low);
                inner_low = high - SECTION * (high - low);
                value_low = self.smallest_over_directions(inner_low);
            } else {
                (low, inner_low, value_low) = (inner_low, inner_high, value_high);
                inner_high = low + SECTION * (high - low);
                value_high = self.smallest_over_directions(inner_high);
            }
        }
        true
    }

    /// The minimum of G over w in [0, 1] at `s = exp(ln_s)`.
    fn smallest_over_directions(&self, ln_s: f64) -> f64 {
        // Golden-section brackets may reach beyond the pole, where the value at the pole is continued.
        let ln_s = ln_s.min(0.0);
        let s = ln_s.exp();
        let power = (self.p * ln_s).exp();
        let (stretch_x, stretch_y) = (1.0 + self.tx * s, 1.0 + self.ty * s);
        let height = s * (1.0 - power);
        let at_ends = self.p - 1.0 + 2.0 * height * (self.tx / stretch_x).min(self.ty / stretch_y);
        let x_sq = power / self.q_minus_1;
        // X·Y = ½ s (1-s^p) |α-β|
        let product = 0.5 * height * (self.tx - self.ty).abs() / (stretch_x * stretch_y);
        if x_sq >= product {
            return at_ends;
        }
        let x = x_sq.sqrt();
        let gap = product / x - x;
        at_ends - gap * gap
    }
}

#[cfg(test)]
mod tests {
    use super::{Half, is_convex};

    /// G written down as in the head of this file, for one direction.
    fn g(half: &Half, s: f64, w: f64) -> f64 {
        let (alpha, beta) = (half.tx / (1.0 + half.tx * s), half.ty / (1.0 + half.ty * s));
        let pole = 1.0 - s.powf(half.p);
        half.p - 1.0 + 2.0 * s * pole * (w * alpha + (1.0 - w) * beta)
            - half.q_minus_1 * s.powf(2.0 - half.p) * pole * pole * w * (1.0 - w) * (alpha - beta).powi(2)
    }

    #[test]
    fn the_minimum_over_directions_is_the_least_of_many() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..2000 {
            let half = Half {
                p: 1.0 + random.f64(),
                q_minus_1: 10f64.powf(4.0 * random.f64() - 2.0),
                tx: 1.8 * random.f64() - 0.9,
                ty: 1.8 * random.f64() - 0.9,
            };
            let s = random.f64();
            let least = half.smallest_over_directions(s.ln());
            let sampled = (0..=2000).map(|k| g(&half, s, f64::from(k) / 2000.0)).fold(f64::INFINITY, f64::min);
            // A parabola's vertex is missed by at most half a step.
            let scale = 1.0 + half.q_minus_1;
            assert!(least <= sampled + 1e-14 * scale && least > sampled - 1e-5 * scale, "{s} {least} {sampled}");
        }
    }

    /// The border found by bisection of the classifier is where the minimum over a dense scan passes zero: the coarse
    /// scan and its refinements have missed no minimum.
    #[test]
    fn the_border_is_where_a_dense_scan_turns_negative() {
        let mut random = fastrand::Rng::with_seed(2);
        let mut decided_inside = 0;
        for _ in 0..300 {
            let e2 = 1.0 + random.f64() * 10f64.powf(-6.0 * random.f64()) * 0.95;
            let exponents = [0.05 + 1.9 * random.f64(), e2];
            let taper = [2.0 * random.f64() - 1.0, 2.0 * random.f64() - 1.0];
            let scaled = |factor: f64| taper.map(|t| t * factor);
            let (mut low, mut high) = (0.0, super::equal_taper_limit(e2) / taper[0].abs().max(taper[1].abs()));
            if is_convex(exponents, scaled(high)) {
                continue;
            }
            decided_inside += 1;
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if is_convex(exponents, scaled(middle)) {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            let dense = |factor: f64| {
                let mut least = f64::INFINITY;
                for sign in [-1.0, 1.0] {
                    let [tx, ty] = scaled(sign * factor);
                    let half = Half { p: 2.0 / e2, q_minus_1: exponents[0] / (2.0 - exponents[0]), tx, ty };
                    for k in 0..8000 {
                        least = least.min(half.smallest_over_directions(-41.5 * (f64::from(k) / 8000.0).powi(2)));
                    }
                }
                least
            };
            let (inside, outside) = (dense(low * (1.0 - 1e-6)), dense(low * (1.0 + 1e-6)));
            assert!(inside > 0.0 && outside < 0.0, "{exponents:?} {taper:?} {low} {inside} {outside}");
        }
        assert!(decided_inside > 60, "{decided_inside}");
    }
}
