//! When four linearly moving points can be coplanar: a cubic in time, with a bound on its rounding error.
//!
//! The determinant of three linearly moving vectors is written in Bernstein form. All four coefficients on one side of
//! zero, beyond the error bound, prove that the points are never coplanar: that settles nearly every query (the
//! "deforming non-penetration filter" of M. Tang, D. Manocha and R. Tong). Otherwise the roots are bracketed, each
//! bracket closed by values whose sign is certain, so that every time outside of the brackets is proved free.

use glam::DVec3;

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
    /// The determinant of three vectors that move from `start` to `end`. Every coordinate may carry one rounding and
    /// be off by another `inexact`.
    #[inline]
    pub fn determinant(start: [DVec3; 3], end: [DVec3; 3], inexact: f64) -> Cubic {
        let [u0, v0, w0] = start;
        let [u1, v1, w1] = end;
        let first = v0.cross(w0);
        let mixed = v0.cross(w1) + v1.cross(w0);
        let last = v1.cross(w1);
        let bernstein = [
            u0.dot(first),
            (u1.dot(first) + u0.dot(mixed)) * (1.0 / 3.0),
            (u0.dot(last) + u1.dot(mixed)) * (1.0 / 3.0),
            u1.dot(last),
        ];
        // Each coefficient sums six products of one x, one y and one z (means of six, for the middle ones), each
        // product with at most 13 roundings.
        // The exact coordinates, which may be much larger than the computed ones where those cancelled.
        let computed = u0.abs().max(u1.abs()).max(v0.abs()).max(v1.abs()).max(w0.abs()).max(w1.abs());
        let size = computed + DVec3::splat(inexact);
        let areas = size.x * size.y + size.y * size.z + size.z * size.x;
        let error = 96.0 * UNIT * (size.x * size.y * size.z) + 8.0 * inexact * areas + UNDERFLOW;
        Cubic { bernstein, error }
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
        let [b0, b1, b2, b3] = self.bernstein;
        let power = [b0, 3.0 * (b1 - b0), 3.0 * ((b2 - b1) - (b1 - b0)), (b3 - b0) - 3.0 * (b2 - b1)];
        let largest = b0.abs().max(b1.abs()).max(b2.abs()).max(b3.abs());
        // A value inherits the error of the coefficients once, a slope six times. Power coefficients add to at most
        // 27 times the largest Bernstein one, those of the slope to 54 times; each value takes up to ten roundings.
        let error = 8.0 * self.error + 1000.0 * UNIT * largest;
        let polynomial = Polynomial { power, error };
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
}

/// Whether Bernstein coefficients are all beyond `error` on one side of zero.
#[inline]
fn one_sided([a, b, c, d]: [f64; 4], error: f64) -> bool {
    a.min(b).min(c.min(d)) > error || a.max(b).max(c.max(d)) < -error
}

/// A cubic in power form; values on `[0, 1]` together with the slopes are computed to within `error`.
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
        let certain = self.error + backlash;
        if start.abs() > certain && end.abs() > certain {
            if start.signum() == end.signum() {
                return None;
            }
            return Some(self.isolate(left, right, start.signum(), certain));
        }
        Some([left, right])
    }

    /// Shrinks a piece whose ends have opposite certain signs; the ends of the result have them too.
    fn isolate(&self, left: f64, right: f64, sign: f64, certain: f64) -> [f64; 2] {
        let [mut low, mut high] = [left, right];
        let (at_left, at_right) = (self.value(left) * sign, self.value(right) * sign);
        let mut t = left + (right - left) * (at_left / (at_left - at_right));
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
        let mut width = 4.0 * certain / slope.abs() + 4.0 * f64::EPSILON;
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
