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
    /// The first and the last coefficient.
    ends: f64x2,
    /// The second and the third.
    inner: f64x2,
    error: f64,
    /// The largest coordinate of the vectors.
    reach: f64,
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
    pub const ZERO: Cubic = Cubic { ends: f64x2::ZERO, inner: f64x2::ZERO, error: 0.0, reach: 0.0 };

    /// The determinant of three moving vectors. Every coordinate may carry one rounding and be off by another
    /// `inexact`.
    #[inline]
    pub fn determinant([u, v, w]: [Ends; 3], inexact: f64) -> Cubic {
        let product = v.cross(&w);
        let crossed = v.cross(&w.reversed());
        let mixed = crossed + crossed.reversed();
        let ends = u.dot(&product);
        let inner = (u.reversed().dot(&product) + u.dot(&mixed)) * f64x2::splat(1.0 / 3.0);
        // Each coefficient sums six products of one x, one y and one z (means of six, for the middle ones), each
        // product with at most 13 roundings. The exact coordinates may be much larger than the computed ones where
        // those cancelled.
        let size = Ends::reach([&u, &v, &w]) + DVec3::splat(inexact);
        let areas = size.x * size.y + size.y * size.z + size.z * size.x;
        let error = 96.0 * UNIT * (size.x * size.y * size.z) + 8.0 * inexact * areas + UNDERFLOW;
        Cubic { ends, inner, error, reach: greater(size.x, greater(size.y, size.z)) }
    }

    /// The largest coordinate of the vectors, at either end.
    #[inline]
    pub fn reach(&self) -> f64 {
        self.reach
    }

    #[inline]
    fn bernstein(&self) -> [f64; 4] {
        let ([first, last], [second, third]) = (self.ends.to_array(), self.inner.to_array());
        [first, second, third, last]
    }

    /// Whether the cubic surely has no root in `[0, 1]`.
    #[inline]
    pub fn never_zero(&self) -> bool {
        let (above, below) = (f64x2::splat(self.error), f64x2::splat(-self.error));
        (self.ends.simd_gt(above) & self.inner.simd_gt(above)).all()
            | (self.ends.simd_lt(below) & self.inner.simd_lt(below)).all()
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
        let controls = self.bernstein();
        // Begin with the root of the parabola that has the same values at 0, 1/2 and 1.
        let [a, b, c, d] = polynomial.power;
        let (linear, square) = (b - 0.5 * d, c + 1.5 * d);
        let root = (linear * linear - 4.0 * square * a).sqrt();
        let guess = 2.0 * a / (root.copysign(a) - linear);
        changes_sign_once(controls, polynomial.error).then_some(SingleRoot {
            polynomial,
            span: [0.0, 1.0],
            ends: [controls[0], controls[3]],
            guess,
        })
    }

    /// Looks at the time before and after the extremum that is nearest zero apart, for a cubic that surely has one sign
    /// at both ends.
    #[inline]
    pub fn around_extremum(&self) -> Around {
        let polynomial = self.polynomial();
        let [b0, b1, b2, b3] = self.bernstein();
        let sign = b0.signum();
        // As if positive at both ends: where is the minimum?
        let [b, c, d] = [1, 2, 3].map(|i: usize| sign * polynomial.power[i]);
        let root = (c * c - 3.0 * d * b).sqrt();
        let t = if c > 0.0 { -b / (c + root) } else { (root - c) / (3.0 * d) };
        if !(b3 * sign > self.error && t > 0.0 && t < 1.0) {
            return Around::Unclear;
        }
        let mix = |x: f64, y: f64| x * (1.0 - t) + y * t;
        let (ab, bc, cd) = (mix(b0, b1), mix(b1, b2), mix(b2, b3));
        let (abc, bcd) = (mix(ab, bc), mix(bc, cd));
        let extremum = mix(abc, bcd);
        // Nine roundings of values no larger than the coefficients, which the error of a value covers amply.
        let error = polynomial.error;
        let [left, right] = [[b0, ab, abc, extremum], [extremum, bcd, cd, b3]];
        if one_sided(left, error) && one_sided(right, error) {
            Around::Free
        } else if changes_sign_once(left, error) && changes_sign_once(right, error) {
            // Begin with the roots of the parabolas from the extremum to either end.
            let share = |end: f64| (extremum / (extremum - end)).sqrt();
            let (before, after) = (t - t * share(b0), t + (1.0 - t) * share(b3));
            Around::Twice([
                SingleRoot { polynomial, span: [0.0, t], ends: [b0, extremum], guess: before },
                SingleRoot { polynomial, span: [t, 1.0], ends: [extremum, b3], guess: after },
            ])
        } else {
            Around::Unclear
        }
    }

    #[inline]
    fn polynomial(&self) -> Polynomial {
        let [b0, b1, b2, b3] = self.bernstein();
        let power = [b0, 3.0 * (b1 - b0), 3.0 * ((b2 - b1) - (b1 - b0)), (b3 - b0) - 3.0 * (b2 - b1)];
        let [low, high] = self.ends.abs().fast_max(self.inner.abs()).to_array();
        let largest = greater(low, high);
        // Power coefficients add to at most 27 times the largest Bernstein one; each carries up to four roundings, and
        // a value another six.
        Polynomial { power, error: self.error + 400.0 * UNIT * largest }
    }
}

/// What is known of a cubic before and after its extremum.
pub(super) enum Around {
    /// It has no root.
    Free,
    /// It has one root before and one after.
    Twice([SingleRoot; 2]),
    /// Nothing is certain.
    Unclear,
}

/// A cubic with one root in a piece of time.
#[derive(Clone, Copy)]
pub(super) struct SingleRoot {
    polynomial: Polynomial,
    span: [f64; 2],
    /// Values at the ends of the span, whose signs are certain.
    ends: [f64; 2],
    /// About where the root is.
    guess: f64,
}

impl SingleRoot {
    /// A piece of time that surely contains the root, as short as is certain.
    ///
    /// Halley's steps, as many as it takes from nearly everywhere: with no decision in between, one root need not wait
    /// for another.
    #[inline]
    pub fn enclose(&self) -> [f64; 2] {
        let SingleRoot { polynomial, span: [left, right], ends: [start, _], guess } = self;
        let mut t = *guess;
        let mut steepness = 0.0;
        for _ in 0..STEPS {
            let (value, slope, bend) = (polynomial.value(t), polynomial.slope(t), polynomial.bend(t));
            let next = t - value * slope / (slope * slope - value * bend);
            t = lesser(greater(next, *left), *right);
            steepness = slope.abs();
        }
        let width = 2.0 * polynomial.error / steepness + 4.0 * f64::EPSILON;
        let (low, high) = (greater(t - width, *left), lesser(t + width, *right));
        let sign = start.signum();
        let before = low == *left || polynomial.value(low) * sign > polynomial.error;
        let after = high == *right || polynomial.value(high) * sign < -polynomial.error;
        if before && after { [low, high] } else { polynomial.isolate(self.span, self.ends, polynomial.error) }
    }
}

/// How many steps lead to a root: each triples the number of digits.
const STEPS: usize = 3;

/// Whether Bernstein coefficients surely change their sign once and only once, so that there is one root (by Descartes'
/// rule): of the inner ones the first must not come after a change that the second takes back. The sign of the cubic
/// then tells on which side of the root a time is.
#[inline]
fn changes_sign_once([b0, b1, b2, b3]: [f64; 4], error: f64) -> bool {
    let sign = b0.signum();
    (b0 * sign > error) & (b3 * sign < -error) & ((b1 * sign > error) | (b2 * sign < -error))
}

/// Whether Bernstein coefficients are all beyond `error` on one side of zero.
#[inline]
fn one_sided(controls: [f64; 4], error: f64) -> bool {
    controls.iter().all(|&b| b > error) || controls.iter().all(|&b| b < -error)
}

/// The greater of two numbers; the second where they cannot be compared. [`f64::max`] takes five instructions for one.
#[inline]
pub(super) fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// The lesser of two numbers; the second where they cannot be compared.
#[inline]
pub(super) fn lesser(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// A cubic in power form; values on `[0, 1]` are computed to within `error`, slopes to within eight times as much.
#[derive(Clone, Copy)]
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

    /// Half the second derivative.
    fn bend(&self, t: f64) -> f64 {
        let [_, _, c, d] = self.power;
        3.0 * d * t + c
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
