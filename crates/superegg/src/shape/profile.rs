//! The support function of a superovoid: one 1-D maximum over the height.
//!
//! With `s = z/a3` and `r(s) = (1-|s|^p)^(1/p)`, `p = 2/e2`, the section at height s has the planar support function
//! `r(s) M(s)`, `M(s) = ‖((1 + tx s) u, (1 + ty s) v)‖_q1`, `u = a1|nx|`, `v = a2|ny|`. So the superovoid has
//!
//! `h(n) = max over s in [-1, 1] of φ(s) = w s + r(s) M(s)`, `w = a3 nz`,
//!
//! and the maximiser gives the point with normal n. In a convex superovoid φ is concave: the sign of s is the sign of
//! `φ'(0) = w + M'(0)`, and with the slope `ν = -r'(s) = (s/r)^(p-1)` as unknown, `φ' = 0` reads
//! `ν = (w + r M')/M`. It is solved for `ln ν` by Newton's method inside a bracket; without taper the first step is the
//! closed form. In a superovoid that is not convex φ may have several maxima: the heights are scanned for sign changes
//! of φ' and each is refined by the same method, so that the result is the support of the convex hull.

use super::norm::norm_gradient;

/// A direction as the half s > 0 of a superovoid sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Profile {
    /// `[e1, e2]`.
    pub exponents: [f64; 2],
    /// Tapers, negated for the half s < 0.
    pub taper: [f64; 2],
    /// `[a1|nx|, a2|ny|]`, not both zero.
    pub planar: [f64; 2],
    /// `a3 nz`, negated for the half s < 0.
    pub axial: f64,
}

/// A height of the half s ≥ 0, with what the section there contributes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Height {
    /// `z/a3`.
    pub s: f64,
    /// `r(s)`.
    pub radius: f64,
    /// Point of the section's unit superellipse with the normal `(u(1 + tx s), v(1 + ty s))`.
    pub section: [f64; 2],
    /// φ(s).
    pub value: f64,
}

/// `ln ν` never leaves this range: beyond it ν is zero or infinite in `f64`.
const LN_SLOPE_RANGE: (f64, f64) = (-745.0, 709.0);
/// Newton's method needs about five steps; the rest is for bisection on the border of convexity.
const MAX_STEPS: u32 = 100;

/// Everything known of φ at one slope ν.
#[derive(Clone, Copy, Debug)]
struct Evaluation {
    height: Height,
    /// ln ν.
    ln_nu: f64,
    /// M.
    width: f64,
    /// M'.
    width_slope: f64,
    /// φ' = numerator - ν M.
    slope: f64,
    /// w + r M'.
    numerator: f64,
    /// Derivative of the numerator by ln ν.
    numerator_by_ln: f64,
    /// Derivative of s by ln ν.
    s_by_ln: f64,
}

impl Evaluation {
    /// Where Newton's method on `ln ν = ln(numerator/M)` goes; not a number where that has no meaning.
    fn newton(&self) -> f64 {
        let residual = self.ln_nu - (self.numerator / self.width).ln();
        let derivative = 1.0 - self.numerator_by_ln / self.numerator + self.width_slope * self.s_by_ln / self.width;
        if derivative > 0.0 { self.ln_nu - residual / derivative } else { f64::NAN }
    }
}

impl Profile {
    /// The same direction seen from the other half.
    fn mirrored(&self) -> Profile {
        Profile { taper: self.taper.map(|t| -t), axial: -self.axial, ..*self }
    }

    /// The global maximum of φ over both halves; `s` is signed.
    pub fn maximum(&self, convex: bool) -> Height {
        let equator = self.at_equator();
        if convex && equator.slope >= 0.0 {
            return self.maximum_between(&equator, LN_SLOPE_RANGE.1).height;
        }
        let mirrored = self.mirrored();
        let below = if convex {
            mirrored.maximum_between(&mirrored.at_equator(), LN_SLOPE_RANGE.1).height
        } else {
            mirrored.scanned_maximum()
        };
        let below = Height { s: -below.s, ..below };
        if convex {
            return below;
        }
        let above = self.scanned_maximum();
        if above.value >= below.value { above } else { below }
    }

    /// φ at s = 0, where ν = 0.
    fn at_equator(&self) -> Evaluation {
        self.evaluate(LN_SLOPE_RANGE.0, 0.0, 0.0, 1.0, 0.0)
    }

    /// φ where `-r' = ν`: with `tan θ = ν^(1/(2-e2))`, `s = sin^e2 θ`, `r = cos^e2 θ`.
    fn at_slope(&self, ln_nu: f64) -> Evaluation {
        let e2 = self.exponents[1];
        let ln_tan = ln_nu / (2.0 - e2);
        // sin and cos from the tangent without overflow.
        let shared = -0.5 * (-2.0 * ln_tan.abs()).exp().ln_1p();
        let (ln_sin, ln_cos) = (shared + ln_tan.min(0.0), shared - ln_tan.max(0.0));
        let s = (e2 * ln_sin).exp();
        let s_by_ln = s * (2.0 * ln_cos).exp() * e2 / (2.0 - e2);
        self.evaluate(ln_nu, ln_nu.exp(), s, (e2 * ln_cos).exp(), s_by_ln)
    }

    fn evaluate(&self, ln_nu: f64, nu: f64, s: f64, radius: f64, s_by_ln: f64) -> Evaluation {
        let ([u, v], [tx, ty]) = (self.planar, self.taper);
        let (stretch_x, stretch_y) = (1.0 + tx * s, 1.0 + ty * s);
        let section = norm_gradient(u * stretch_x, v * stretch_y, self.exponents[0]);
        let width = section.norm;
        let width_slope = section.u * u * tx + section.v * v * ty;
        // M'' = (q-1) M w(1-w) (α-β)², where w M and (1-w) M are the two terms of M.
        let difference = (tx - ty) / (stretch_x * stretch_y);
        let terms = (section.u * u * stretch_x) * (section.v * v * stretch_y / width);
        let width_bend = self.exponents[0] / (2.0 - self.exponents[0]) * terms * difference * difference;
        let numerator = self.axial + radius * width_slope;
        Evaluation {
            height: Height { s, radius, section: [section.u, section.v], value: self.axial * s + radius * width },
            ln_nu,
            width,
            width_slope,
            slope: numerator - nu * width,
            numerator,
            numerator_by_ln: (radius * width_bend - nu * width_slope) * s_by_ln,
            s_by_ln,
        }
    }

    /// A maximum of φ between `low`, where φ' ≥ 0, and the slope `high`, where φ' ≤ 0.
    fn maximum_between(&self, low: &Evaluation, mut high: f64) -> Evaluation {
        if low.slope <= 0.0 {
            return *low;
        }
        let mut best = *low;
        let mut low = low.ln_nu;
        // The closed form without taper: ν = (w + r M')/M at the lower end.
        let mut next = (best.numerator / best.width).ln();
        for _ in 0..MAX_STEPS {
            if !(next > low && next < high) {
                next = 0.5 * (low + high);
            }
            let moved = (next - best.ln_nu).abs();
            best = self.at_slope(next);
            if moved <= 2.0 * f64::EPSILON * next.abs().max(1.0) {
                break;
            }
            if best.slope > 0.0 {
                low = next;
            } else {
                high = next;
            }
            next = best.newton();
        }
        best
    }

    /// The global maximum of φ over s ≥ 0 when φ may not be concave.
    fn scanned_maximum(&self) -> Height {
        let mut lower = self.at_equator();
        let mut best = lower.height;
        for index in 1..=SCAN_LOW + SCAN_HIGH {
            let ln_nu = scanned_slope(index, self.exponents[1]);
            let upper = self.at_slope(ln_nu);
            if lower.slope > 0.0 && upper.slope <= 0.0 {
                let candidate = self.maximum_between(&lower, ln_nu).height;
                if candidate.value > best.value {
                    best = candidate;
                }
            }
            lower = upper;
        }
        best
    }
}

/// Heights scanned between the equator and `s^p = 1/SCAN_HIGH`, evenly in ln s.
const SCAN_LOW: u32 = 24;
/// Heights scanned from there to the pole, evenly in `s^p`.
const SCAN_HIGH: u32 = 24;
/// Lowest scanned height in ln s; φ varies by less than rounding below it.
const SCAN_LOWEST: f64 = -36.0;

/// ln ν of a scanned height, rising with the index from 1 to `SCAN_LOW + SCAN_HIGH` (the pole).
fn scanned_slope(index: u32, e2: f64) -> f64 {
    if index >= SCAN_LOW + SCAN_HIGH {
        return LN_SLOPE_RANGE.1;
    }
    if index >= SCAN_LOW {
        let power = f64::from(index - SCAN_LOW + 1) / f64::from(SCAN_HIGH + 1);
        return 0.5 * (2.0 - e2) * (power / (1.0 - power)).ln();
    }
    let highest = 0.5 * e2 * (1.0 / f64::from(SCAN_HIGH + 1)).ln();
    let ln_s = SCAN_LOWEST + (highest - SCAN_LOWEST) * f64::from(index) / f64::from(SCAN_LOW);
    ((2.0 - e2) / e2 * ln_s).max(LN_SLOPE_RANGE.0)
}
