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
//! closed form. In a superovoid that is not convex φ may have several maxima: see [`super::hull_profile`].

use super::norm::norm_gradient;
use super::root::bracketed_root;

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

impl Height {
    pub(super) fn mirrored(self) -> Height {
        Height { s: -self.s, ..self }
    }
}

/// `ln ν` never leaves this range: beyond it ν is zero or infinite in `f64`.
pub(super) const LN_SLOPE_RANGE: (f64, f64) = (-745.0, 709.0);
/// Rounding of `ln ν`.
const LN_SLOPE_RESOLUTION: f64 = 2.0 * f64::EPSILON;

/// Everything known of φ at one slope ν.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evaluation {
    pub height: Height,
    /// ln ν.
    pub ln_nu: f64,
    /// M.
    pub width: f64,
    /// M'.
    width_slope: f64,
    /// φ' = numerator - ν M.
    pub slope: f64,
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

    /// Where to start towards a maximum above: the closed form without taper, `ν = (w + r M')/M` as it is here.
    pub fn first_guess(&self) -> f64 {
        (self.numerator / self.width).ln()
    }
}

impl Profile {
    /// The same direction seen from the other half.
    pub(super) fn mirrored(&self) -> Profile {
        Profile { taper: self.taper.map(|t| -t), axial: -self.axial, ..*self }
    }

    /// The maximum of φ over both halves of a convex superovoid; `s` is signed.
    pub fn maximum(&self) -> Height {
        let equator = self.at_equator();
        if equator.slope >= 0.0 {
            self.maximum_above(&equator).height
        } else {
            let mirrored = self.mirrored();
            mirrored.maximum_above(&mirrored.at_equator()).height.mirrored()
        }
    }

    /// The maximum of φ above a height where φ' ≥ 0, if φ is concave there.
    fn maximum_above(&self, low: &Evaluation) -> Evaluation {
        if low.slope > 0.0 { self.maximum_between([low.ln_nu, LN_SLOPE_RANGE.1], low.first_guess(), 0.0) } else { *low }
    }

    /// φ at s = 0, where ν = 0.
    pub(super) fn at_equator(&self) -> Evaluation {
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
        let part = section.u * u * stretch_x / width;
        let terms = part * (section.v * v * stretch_y);
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

    /// A maximum of φ between two values of ln ν, at the lower of which φ' > 0 and at the upper φ' < 0; ends early where φ' is
    /// `flat`.
    pub(super) fn maximum_between(&self, [low, high]: [f64; 2], start: f64, flat: f64) -> Evaluation {
        let mut best = None;
        let mut evaluate = |ln_nu: f64| {
            let at = self.at_slope(ln_nu);
            best = Some(at);
            let next = if at.slope.abs() <= flat { ln_nu } else { at.newton() };
            (at.slope > 0.0, next)
        };
        let root = bracketed_root(low, high, start, LN_SLOPE_RESOLUTION, &mut evaluate);
        best.unwrap_or_else(|| self.at_slope(root))
    }
}
