//! When four linearly moving points can be coplanar: a cubic in time, with a bound on its rounding error.
//!
//! The determinant of three linearly moving vectors is written in Bernstein form. All four coefficients on one side of
//! zero, beyond the error bound, prove that the points are never coplanar: that settles nearly every query (the
//! "deforming non-penetration filter" of M. Tang, D. Manocha and R. Tong). Otherwise the roots are bracketed, each
//! bracket closed by values whose sign is certain, so that every time outside of the brackets is proved free.

use glam::DVec3;
use wide::f64x2;

use super::ends::Ends;

/// Half a unit in the last place of one.
const UNIT: f64 = f64::EPSILON / 2.0;

/// More than all that underflow can take from a sum of a few products.
pub(super) const UNDERFLOW: f64 = 1e-300;

/// A cubic on `[0, 1]` in Bernstein form, each coefficient within `error` of the exact one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cubic {
    bernstein: [f64; 4],
    error: f64,
}

/// Pieces of time outside of which a cubic surely has no root.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Brackets {
    spans: [[f64; 2]; 3],
    len: usize,
}

impl Brackets {
    /// The pieces in increasing order.
    pub fn iter(&self) -> impl Iterator<Item = [f64; 2]> + '_ {
        self.spans[..self.len].iter().copied()
    }

    fn push(&mut self, span: [f64; 2]) {
        self.spans[self.len] = span;
        self.len += 1;
    }
}

impl Cubic {
    /// Always zero.
    pub const ZERO: Cubic = Cubic { bernstein: [0.0; 4], error: 0.0 };

    /// The determinant of three moving vectors. Every coordinate may carry one rounding and be off by another
    /// `inexact`.
    #[inline]
    pub fn determinant([u, v, w]: [Ends; 3], inexact: f64) -> Cubic {
        let product = v.cross(&w);
        let crossed = v.cross(&w.reversed());
        let mixed = crossed + crossed.reversed();
        let [first, last] = u.dot(&product).to_array();
        let inner = (u.reversed().dot(&product) + u.dot(&mixed)) * f64x2::splat(1.0 / 3.0);
        let [second, third] = inner.to_array();
        // Each coefficient sums six products of one x, one y and one z (means of six, for the middle ones), each
        // product with at most 13 roundings. The exact coordinates may be much larger than the computed ones where
        // those cancelled.
        let size = Ends::reach([&u, &v, &w]) + DVec3::splat(inexact);
        let areas = size.x * size.y + size.y * size.z + size.z * size.x;
        let error = 96.0 * UNIT * (size.x * size.y * size.z) + 8.0 * inexact * areas + UNDERFLOW;
        Cubic { bernstein: [first, second, third, last], error }
    }

    /// Whether the cubic surely has no root in `[0, 1]`.
    #[inline]
    pub fn never_zero(&self) -> bool {
        one_sided(self.bernstein, self.error)
    }

    /// As [`Cubic::never_zero`], looking at both halves of the time interval apart.
    pub fn never_zero_in_halves(&self) -> bool {
        let [a, b, c, d] = self.bernstein;
        let (ab, bc, cd) = (0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + d));
        let (abc, bcd) = (0.5 * (ab + bc), 0.5 * (bc + cd));
        let middle = 0.5 * (abc + bcd);
        // Six roundings of values no larger than the coefficients.
        let error = self.error + 8.0 * UNIT * a.abs().max(b.abs()).max(c.abs()).max(d.abs());
        one_sided([a, ab, abc, middle], error) && one_sided([middle, bcd, cd, d], error)
    }

    /// Encloses all roots in `[0, 1]`: at most one piece between neighbouring extrema, most of them tiny.
    pub fn brackets(&self) -> Brackets {
        let polynomial = self.polynomial();
        let mut brackets = Brackets::default();
        let (cuts, len) = polynomial.extrema();
        let mut left = 0.0;
        for &right in cuts[..len].iter().chain(&[1.0]) {
            if right > left {
                if let Some(span) = polynomial.bracket(left, right) {
                    brackets.push(span);
                }
                left = right;
            }
        }
        brackets
    }

    /// The only root, if it is sure that there is just one, which most cubics of features that pass each other have.
    #[inline]
    pub fn single_root(&self) -> Option<SingleRoot> {
        let polynomial = self.polynomial();
        let [b0, b1, b2, b3] = self.bernstein;
        let error = polynomial.error;
        let sign = b0.signum();
        // By Descartes' rule: of the inner coefficients the first must not come after a change of sign that the second
        // takes back. The sign of the cubic then tells on which side of the root a time is.
        let once = b0 * sign > error && b3 * sign < -error && (b1 * sign > error || b2 * sign < -error);
        once.then_some(SingleRoot { polynomial, ends: [b0, b3] })
    }

    #[inline]
    fn polynomial(&self) -> Polynomial {
        let [b0, b1, b2, b3] = self.bernstein;
        let power = [b0, 3.0 * (b1 - b0), 3.0 * ((b2 - b1) - (b1 - b0)), (b3 - b0) - 3.0 * (b2 - b1)];
        let largest = b0.abs().max(b1.abs()).max(b2.abs()).max(b3.abs());
        // Power coefficients add to at most 27 times the largest Bernstein one; each carries up to four roundings, and
        // a value another six.
        Polynomial { power, error: self.error + 400.0 * UNIT * largest }
    }
}

/// A cubic with one root between times 0 and 1.
pub(super) struct SingleRoot {
    polynomial: Polynomial,
    ends: [f64; 2],
}

impl SingleRoot {
    /// A piece of time around the root found with little work.
    #[inline]
    pub fn roughly(&self) -> [f64; 2] {
        let SingleRoot { polynomial, ends: [start, end] } = self;
        let chord = start / (start - end);
        let step = polynomial.value(chord) / polynomial.slope(chord);
        let (guess, reach) = (chord - step, 0.5 * step.abs() + 1e-4);
        let (before, after) = (guess - reach, guess + reach);
        let sign = start.signum();
        // Beyond the interval there may be other roots.
        let inside = |t: f64| t > 0.0 && t < 1.0;
        let low = if inside(before) && polynomial.value(before) * sign > polynomial.error { before } else { 0.0 };
        let high = if inside(after) && polynomial.value(after) * sign < -polynomial.error { after } else { 1.0 };
        [low, high]
    }

    /// Shrinks a piece of time around the root as far as is certain.
    pub fn exactly(&self, [low, high]: [f64; 2]) -> [f64; 2] {
        let [start, end] = [low, high].map(|t| self.polynomial.value(t));
        // The ends themselves are certain by the coefficients there.
        let start = if low == 0.0 { self.ends[0] } else { start };
        let end = if high == 1.0 { self.ends[1] } else { end };
        self.polynomial.isolate([low, high], [start, end], self.polynomial.error)
    }
}

/// Whether Bernstein coefficients are all beyond `error` on one side of zero.
#[inline]
fn one_sided([a, b, c, d]: [f64; 4], error: f64) -> bool {
    a.min(b).min(c.min(d)) > error || a.max(b).max(c.max(d)) < -error
}

/// A cubic in power form; values on `[0, 1]` are computed to within `error`, slopes to within eight times as much.
struct Polynomial {
    power: [f64; 4],
    error: f64,
}

impl Polynomial {
    fn value(&self, t: f64) -> f64 {
        let [a, b, c, d] = self.power;
        ((d * t + c) * t + b) * t + a
    }

    fn slope(&self, t: f64) -> f64 {
        let [_, b, c, d] = self.power;
        (3.0 * d * t + 2.0 * c) * t + b
    }

    /// Approximate extrema strictly inside `[0, 1]`, in increasing order. Their accuracy is not relied upon.
    fn extrema(&self) -> ([f64; 2], usize) {
        let [_, b, c, d] = self.power;
        let (half, leading) = (c, 3.0 * d);
        let discriminant = half * half - leading * b;
        let mut found = [0.0; 2];
        let mut len = 0;
        if discriminant > 0.0 {
            let q = -(half + half.signum() * discriminant.sqrt());
            let (r, s) = (q / leading, b / q);
            for t in [r.min(s), r.max(s)] {
                // Written so that infinities and NaN are left out.
                if t > 0.0 && t < 1.0 {
                    found[len] = t;
                    len += 1;
                }
            }
        }
        (found, len)
    }

    /// Encloses the roots between two neighbouring extrema, or proves that there are none.
    fn bracket(&self, left: f64, right: f64) -> Option<[f64; 2]> {
        let [_, _, c, d] = self.power;
        let (start, end) = (self.value(left), self.value(right));
        // The extremes of the slope on the piece bound how far the cubic can run the wrong way.
        let inflection = (-c / (3.0 * d)).clamp(left, right);
        let slopes = [left, inflection, right].map(|t| self.slope(t) * (start - end).signum());
        let backlash = slopes.into_iter().fold(0.0, f64::max) * (right - left);
        let certain = 8.0 * self.error + backlash;
        if start.abs() > certain && end.abs() > certain {
            if start.signum() == end.signum() {
                return None;
            }
            return Some(self.isolate([left, right], [start, end], certain));
        }
        Some([left, right])
    }

    /// Shrinks a piece whose ends have opposite certain signs; the ends of the result have them too.
    fn isolate(&self, [mut low, mut high]: [f64; 2], [start, end]: [f64; 2], certain: f64) -> [f64; 2] {
        let sign = start.signum();
        let mut t = low + (high - low) * (start / (start - end));
        let mut slope = 0.0;
        for _ in 0..40 {
            if !(t > low && t < high) {
                t = 0.5 * (low + high);
            }
            let value = self.value(t) * sign;
            slope = self.slope(t) * sign;
            if value > certain {
                low = t;
            } else if value < -certain {
                high = t;
            } else {
                break;
            }
            let next = t - value / slope;
            if (next - t).abs() < 1e-13 || high - low < 1e-13 {
                t = if next > low && next < high { next } else { t };
                break;
            }
            t = next;
        }
        // Step off the root to both sides, just far enough to be certain.
        let mut width = 2.0 * certain / slope.abs() + 4.0 * f64::EPSILON;
        for _ in 0..6 {
            let (before, after) = (t - width, t + width);
            if before > low && self.value(before) * sign > certain {
                low = before;
            }
            if after < high && self.value(after) * sign < -certain {
                high = after;
            }
            if high - low <= 2.5 * width {
                break;
            }
            width *= 8.0;
        }
        [low, high]
    }
}
