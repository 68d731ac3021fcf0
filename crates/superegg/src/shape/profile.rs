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
//! closed form. In a superovoid that is not convex φ may have several maxima, and the highest gives the support of the
//! convex hull: found by the same method in cells, each of which must be shown to bend one way only or to lie below the
//! best.

use std::f64::consts::FRAC_PI_2;

use super::convexity::equal_taper_limit;
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
    fn mirrored(self) -> Height {
        Height { s: -self.s, ..self }
    }
}

/// `ln ν` never leaves this range: beyond it ν is zero or infinite in `f64`.
const LN_SLOPE_RANGE: (f64, f64) = (-745.0, 709.0);
/// Rounding of `ln ν`.
const LN_SLOPE_RESOLUTION: f64 = 2.0 * f64::EPSILON;

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
    /// `s^p`.
    power: f64,
    /// Part of the u-term in M.
    part: f64,
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
        let mirrored = self.mirrored();
        if !convex {
            let (above, below) = (self.searched_maximum(), mirrored.searched_maximum().mirrored());
            return if above.value >= below.value { above } else { below };
        }
        let equator = self.at_equator();
        if equator.slope >= 0.0 {
            self.maximum_between(&equator, LN_SLOPE_RANGE.1).height
        } else {
            mirrored.maximum_between(&mirrored.at_equator(), LN_SLOPE_RANGE.1).height.mirrored()
        }
    }

    /// φ at s = 0, where ν = 0.
    fn at_equator(&self) -> Evaluation {
        self.evaluate(LN_SLOPE_RANGE.0, 0.0, [0.0, 0.0], 1.0, 0.0)
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
        self.evaluate(ln_nu, ln_nu.exp(), [s, (2.0 * ln_sin).exp()], (e2 * ln_cos).exp(), s_by_ln)
    }

    fn evaluate(&self, ln_nu: f64, nu: f64, [s, power]: [f64; 2], radius: f64, s_by_ln: f64) -> Evaluation {
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
            power,
            part,
        }
    }

    /// A maximum of φ between `low`, where φ' ≥ 0, and the slope `high`, where φ' ≤ 0.
    fn maximum_between(&self, low: &Evaluation, high: f64) -> Evaluation {
        let mut best = *low;
        if low.slope > 0.0 {
            // The closed form without taper: ν = (w + r M')/M at the lower end.
            let start = (low.numerator / low.width).ln();
            bracketed_root(low.ln_nu, high, start, LN_SLOPE_RESOLUTION, |ln_nu| {
                best = self.at_slope(ln_nu);
                (best.slope > 0.0, best.newton())
            });
        }
        best
    }

    /// The global maximum of φ over s ≥ 0 when φ may not be concave: whatever the coarse search finds first, every cell
    /// is then either shown to bend one way only, or to lie below the best, or divided.
    fn searched_maximum(&self) -> Height {
        if self.taper[0] == self.taper[1] {
            return self.equal_taper_maximum();
        }
        let nodes: [Evaluation; CELLS + 1] = std::array::from_fn(|k| self.at_angle(k as f64 / CELLS as f64));
        let mut best = nodes[0].height;
        for cell in nodes.windows(2) {
            self.improve(&mut best, &cell[0], &cell[1]);
        }
        for (k, cell) in nodes.windows(2).enumerate() {
            let angles = [k as f64 / CELLS as f64, (k + 1) as f64 / CELLS as f64];
            self.search(&mut best, [&cell[0], &cell[1]], angles);
        }
        best
    }

    /// The same for equal tapers, where the heights between which φ is convex are known: they solve G = 0, which with
    /// `W = s^p` and `t < 0` reads `p - 1 = -t W^(1/p) (p + 1 - 2W)`, one root on either side of W = 1/2.
    fn equal_taper_maximum(&self) -> Height {
        let (t, e2) = (self.taper[0], self.exponents[1]);
        let (equator, pole) = (self.at_equator(), self.at_slope(LN_SLOPE_RANGE.1));
        let mut best = equator.height;
        if -t <= equal_taper_limit(e2) {
            self.improve(&mut best, &equator, &pole);
            return best;
        }
        let p = 2.0 / e2;
        let inflection = |low: f64, high: f64| {
            let power = bracketed_root(low, high, 0.5 * (low + high), 0.0, |power| {
                let s = power.powf(1.0 / p);
                let g = p - 1.0 + t * s * (p + 1.0 - 2.0 * power);
                let slope = t * s * (p + 1.0) * (1.0 - 2.0 * power) / (p * power);
                ((g > 0.0) == (low == 0.0), power - g / slope)
            });
            self.at_slope(0.5 * (2.0 - e2) * (power / (1.0 - power)).ln())
        };
        self.improve(&mut best, &equator, &inflection(0.0, 0.5));
        self.improve(&mut best, &inflection(0.5, 1.0), &pole);
        best
    }

    /// φ at a part of the quarter turn in the unknown in which height and slope are both smooth: the direction of
    /// (r, s) for e2 ≤ 1, of its normal (1, ν) for e2 > 1.
    fn at_angle(&self, part: f64) -> Evaluation {
        let e2 = self.exponents[1];
        if part == 0.0 {
            return self.at_equator();
        }
        let ln_tan = (FRAC_PI_2 * part).tan().ln();
        let ln_nu = ln_tan * if e2 <= 1.0 { (2.0 - e2) / e2 } else { 1.0 };
        self.at_slope(if part == 1.0 { LN_SLOPE_RANGE.1 } else { ln_nu.clamp(LN_SLOPE_RANGE.0, LN_SLOPE_RANGE.1) })
    }

    fn search(&self, best: &mut Height, cell: [&Evaluation; 2], angles: [f64; 2]) {
        let [lower, upper] = cell;
        let slack = VALUE_ROUNDING * (self.axial.abs() + lower.width.max(upper.width));
        if self.bound(lower, upper) <= best.value + slack || self.bends_one_way(lower, upper) {
            return;
        }
        let middle = 0.5 * (angles[0] + angles[1]);
        if middle - angles[0] < SMALLEST_CELL {
            return;
        }
        let node = self.at_angle(middle);
        self.improve(best, lower, &node);
        self.improve(best, &node, upper);
        self.search(best, [lower, &node], [angles[0], middle]);
        self.search(best, [&node, upper], [middle, angles[1]]);
    }

    /// Takes the better end of a cell, or the maximum inside if the slopes at the ends enclose one.
    fn improve(&self, best: &mut Height, lower: &Evaluation, upper: &Evaluation) {
        if upper.height.value > best.value {
            *best = upper.height;
        }
        if lower.slope > 0.0 && upper.slope < 0.0 {
            let inside = self.maximum_between(lower, upper.ln_nu).height;
            if inside.value > best.value {
                *best = inside;
            }
        }
    }

    /// An upper bound of φ between two heights: M is convex, so below its chord; r is concave, so below its tangents at
    /// both ends; the product is quadratic on either side of where the tangents meet.
    fn bound(&self, lower: &Evaluation, upper: &Evaluation) -> f64 {
        let (s0, s1) = (lower.height.s, upper.height.s);
        let (nu0, nu1) = (lower.ln_nu.exp(), upper.ln_nu.exp());
        let nu0 = if s0 == 0.0 { 0.0 } else { nu0 };
        let chord = if s1 > s0 { (upper.width - lower.width) / (s1 - s0) } else { 0.0 };
        let meeting = (lower.height.radius - upper.height.radius + nu0 * s0 - nu1 * s1) / (nu0 - nu1);
        let meeting = if meeting > s0 && meeting < s1 { meeting } else { s1 };
        // (r + slope x)(M + chord x) + w (s + x), x from the given end.
        let highest = |end: &Evaluation, slope: f64, reach: f64| {
            let value =
                |x: f64| (end.height.radius + slope * x) * (end.width + chord * x) + self.axial * (end.height.s + x);
            let peak = -(slope * end.width + chord * end.height.radius + self.axial) / (2.0 * slope * chord);
            let inside = slope * chord < 0.0 && peak * reach > 0.0 && peak.abs() < reach.abs();
            let ends = value(0.0).max(value(reach));
            if inside { ends.max(value(peak)) } else { ends }
        };
        highest(lower, -nu0, meeting - s0).max(if nu1.is_finite() {
            highest(upper, -nu1, meeting - s1)
        } else {
            upper.height.value
        })
    }

    /// Whether φ is concave throughout between two heights, or convex throughout: its largest value is then known from
    /// the ends. By the sign of the convexity test's G, with each of its factors replaced by its range over the cell.
    fn bends_one_way(&self, lower: &Evaluation, upper: &Evaluation) -> bool {
        let ([e1, e2], [tx, ty]) = (self.exponents, self.taper);
        let p = 2.0 / e2;
        let heights = [lower.height.s, upper.height.s];
        let (parts, poles) = ([lower.part, upper.part], [1.0 - upper.power, 1.0 - lower.power]);
        // α and β fall with s; N'/N lies between them.
        let slope = |s: f64, part: f64| part * tx / (1.0 + tx * s) + (1.0 - part) * ty / (1.0 + ty * s);
        let slopes = [
            slope(heights[1], parts[0]).min(slope(heights[1], parts[1])),
            slope(heights[0], parts[0]).max(slope(heights[0], parts[1])),
        ];
        let leverage = [heights[0] * poles[0], heights[1] * poles[1]];
        let widening = [
            2.0 * slopes[0] * leverage[usize::from(slopes[0] < 0.0)],
            2.0 * slopes[1] * leverage[usize::from(slopes[1] > 0.0)],
        ];
        let mut bulge = [0.0, 0.0];
        if tx != ty {
            let stretch = |t: f64| [1.0 + t * heights[0], 1.0 + t * heights[1]];
            let narrow = |t: f64| stretch(t)[0].min(stretch(t)[1]);
            let wide = |t: f64| stretch(t)[0].max(stretch(t)[1]);
            let differences = [(tx - ty) / (wide(tx) * wide(ty)), (tx - ty) / (narrow(tx) * narrow(ty))];
            let products = parts.map(|part| part * (1.0 - part));
            let crosses = (parts[0] - 0.5) * (parts[1] - 0.5) <= 0.0;
            let mixed = [products[0].min(products[1]), if crosses { 0.25 } else { products[0].max(products[1]) }];
            // s^(2-p), which falls with s if p > 2.
            let flatness = |end: &Evaluation| {
                if end.power > 0.0 {
                    end.height.s * (end.height.s / end.power)
                } else if p > 2.0 {
                    f64::INFINITY
                } else {
                    0.0
                }
            };
            let flatness = if p > 2.0 { [upper, lower].map(flatness) } else { [lower, upper].map(flatness) };
            bulge = [0, 1].map(|end| {
                let factor = poles[end] * differences[end];
                e1 / (2.0 - e1) * flatness[end] * mixed[end] * factor * factor
            });
        }
        p - 1.0 + widening[0] - bulge[1] > 0.0 || p - 1.0 + widening[1] - bulge[0] < 0.0
    }
}

/// Cells of each half in which the search begins.
const CELLS: usize = 6;
/// Smallest cell, as a part of a quarter turn.
const SMALLEST_CELL: f64 = 1e-9;
/// Rounding of φ relative to its terms.
const VALUE_ROUNDING: f64 = 8.0 * f64::EPSILON;
