//! Another chart of superhyperboloids and supertoroids than their angles, made for searching.
//!
//! Angles crowd where exponents are small: with e = 0.2 a billionth of a radian moves a surface point by a sixtieth of a
//! radius. Here a superellipse is its square, projected from the centre: `q/‖q‖` with q on the square's boundary; the profile
//! of a hyperboloid is a graph over its height (one sheet) or over its width (two sheets). Nothing crowds, first derivatives
//! are bounded, and within a cell of whole numbers every coordinate is monotone, so that the box of its corners holds it.

use superegg::DVec3;

use super::{Kind, Superquadric};

/// Where a surface point is in the chart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    /// Of two sheets, the upper (1) or the lower one (-1); 1 for the others.
    pub sheet: f64,
    /// Around z, of period 8: 0 at x, 2 at y.
    pub s: f64,
    /// Along the profile: of period 8 for a toroid, the height in radii for one sheet, the width for two.
    pub t: f64,
}

/// A part of the chart in which every coordinate is monotone by s and by t.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    pub sheet: f64,
    pub s: [f64; 2],
    pub t: [f64; 2],
}

impl Cell {
    pub fn middle(&self) -> Place {
        Place { sheet: self.sheet, s: 0.5 * (self.s[0] + self.s[1]), t: 0.5 * (self.t[0] + self.t[1]) }
    }

    /// Whether it is longer along s than along t, by the derivatives in its middle.
    pub fn is_longer_by_s(&self, [by_s, by_t]: &[DVec3; 2]) -> bool {
        (self.s[1] - self.s[0]) * by_s.length() >= (self.t[1] - self.t[0]) * by_t.length()
    }

    /// Two halves, across s or across t.
    pub fn halves(&self, across_s: bool) -> [Cell; 2] {
        let Place { s, t, .. } = self.middle();
        if across_s {
            [Cell { s: [self.s[0], s], ..*self }, Cell { s: [s, self.s[1]], ..*self }]
        } else {
            [Cell { t: [self.t[0], t], ..*self }, Cell { t: [t, self.t[1]], ..*self }]
        }
    }
}

/// `‖(x, y)‖` of a power, without overflow.
fn norm(x: f64, y: f64, power: f64) -> f64 {
    let (large, small) = if x.abs() >= y.abs() { (x.abs(), y.abs()) } else { (y.abs(), x.abs()) };
    if large == 0.0 { 0.0 } else { large * (1.0 + (small / large).powf(power)).powf(1.0 / power) }
}

/// The graph `(1 + |x|^p)^(1/p)` and its slope.
fn hyperbola(x: f64, power: f64) -> [f64; 2] {
    let value = norm(1.0, x, power);
    [value, (x.abs() / value).powf(power - 1.0).copysign(x)]
}

/// A point of the superellipse `|X|^m + |Y|^m = 1` and its derivative by the place on the square.
fn superellipse(s: f64, m: f64) -> [[f64; 2]; 2] {
    let side = ((s + 1.0) / 2.0).floor();
    let along = s - 2.0 * side;
    let [length, slope] = hyperbola(along, m);
    let (x, dx) = (1.0 / length, -slope / (length * length));
    let (y, dy) = (along * x, x + along * dx);
    match side.rem_euclid(4.0) as u8 {
        0 => [[x, y], [dx, dy]],
        1 => [[-y, x], [-dy, dx]],
        2 => [[-x, -y], [-dx, -dy]],
        _ => [[y, -x], [dy, -dx]],
    }
}

/// The support function of the superellipse with radii 1 and exponent e: the dual norm. `2 - e` is exact for e above 1.
fn support_of_superellipse(x: f64, y: f64, e: f64) -> f64 {
    norm(x, y, 2.0 / (2.0 - e))
}

/// The point of the superellipse with radii 1 and exponent e that is farthest in a direction. It is put on the curve by the ratio
/// of its coordinates, so that it stays there whatever the power loses of that, which towards e = 2 is much.
fn farthest_on_superellipse(x: f64, y: f64, e: f64) -> [f64; 2] {
    let (large, small) = (x.abs().max(y.abs()), x.abs().min(y.abs()));
    if large == 0.0 {
        return [1.0, 0.0];
    }
    let ratio = (small / large).powf(e / (2.0 - e));
    let longer = 1.0 / norm(1.0, ratio, 2.0 / e);
    let [along_x, along_y] = if x.abs() >= y.abs() { [longer, longer * ratio] } else { [longer * ratio, longer] };
    [along_x.copysign(x), along_y.copysign(y)]
}

impl Superquadric {
    fn powers(&self) -> [f64; 2] {
        self.exponents.map(|e| 2.0 / e)
    }

    /// The range of t, where it ends.
    pub(crate) fn range(&self) -> Option<[f64; 2]> {
        let reach = self.height / self.radii[2];
        match self.kind {
            Kind::Egg | Kind::Toroid => None,
            Kind::OneSheet => Some([-reach, reach]),
            Kind::TwoSheets => Some([0.0, self.rim_width()]),
        }
    }

    /// The width of a hyperboloid's rim, in radii.
    pub(super) fn rim_width(&self) -> f64 {
        let (a3, [_, p]) = (self.radii[2], self.powers());
        if self.kind == Kind::OneSheet {
            return norm(1.0, self.height / a3, p);
        }
        // (h^p - 1)^(1/p) with h = height/a3, without the cancellation next to the pole and without overflow.
        let exponent = p * ((self.height - a3) / a3).ln_1p();
        if exponent < 1.0 {
            exponent.exp_m1().powf(1.0 / p)
        } else {
            self.height / a3 * (1.0 - (-exponent).exp()).powf(1.0 / p)
        }
    }

    /// Width and height of the profile in radii, and their derivatives.
    fn outline(&self, sheet: f64, t: f64) -> [[f64; 2]; 2] {
        let [_, p] = self.powers();
        match self.kind {
            Kind::Egg | Kind::Toroid => {
                let [[x, y], slope] = superellipse(t, p);
                [[self.hole + x, y], slope]
            }
            Kind::OneSheet => {
                let [width, slope] = hyperbola(t, p);
                [[width, t], [slope, 1.0]]
            }
            Kind::TwoSheets => {
                let [height, slope] = hyperbola(t, p);
                [[t, sheet * height], [1.0, sheet * slope]]
            }
        }
    }

    /// The surface point at a place, and its derivatives by s and t.
    pub(crate) fn at(&self, place: &Place) -> (DVec3, [DVec3; 2]) {
        let radii = DVec3::from_array(self.radii);
        let [[x, y], [dx, dy]] = superellipse(place.s, self.powers()[0]);
        let [[width, height], [widening, rise]] = self.outline(place.sheet, place.t);
        let point = radii * DVec3::new(width * x, width * y, height);
        let by_s = radii * DVec3::new(width * dx, width * dy, 0.0);
        let by_t = radii * DVec3::new(widening * x, widening * y, rise);
        (point, [by_s, by_t])
    }

    /// The same place with t within its range; beyond the pole of a sheet it goes on on the other side.
    pub(crate) fn within(&self, mut place: Place) -> Place {
        if let Some([low, high]) = self.range() {
            if self.kind == Kind::TwoSheets && place.t < 0.0 {
                place = Place { s: place.s + 4.0, t: -place.t, ..place };
            }
            place.t = place.t.clamp(low, high);
        }
        place
    }

    /// The whole surface in cells; `octant` leaves only the part with no negative coordinate.
    pub(crate) fn cells(&self, octant: bool) -> Vec<Cell> {
        let sheets: &[f64] = if self.kind == Kind::TwoSheets && !octant { &[1.0, -1.0] } else { &[1.0] };
        let mut spans: Vec<[f64; 2]> = Vec::new();
        match self.range() {
            None => spans.extend((0..if octant { 4 } else { 8 }).map(|i| [f64::from(i), f64::from(i + 1)])),
            Some([low, high]) if octant => spans.push([low.max(0.0), high]),
            Some([low, high]) if low < 0.0 => spans.extend([[low, 0.0], [0.0, high]]),
            Some(span) => spans.push(span),
        }
        let around = if octant { 2 } else { 8 };
        let mut cells = Vec::with_capacity(sheets.len() * spans.len() * around);
        for &sheet in sheets {
            for &t in &spans {
                cells.extend((0..around).map(|i| Cell { sheet, s: [i as f64, i as f64 + 1.0], t }));
            }
        }
        cells
    }

    /// The corners of the box that holds a cell.
    fn box_of(&self, cell: &Cell) -> [DVec3; 2] {
        let radii = DVec3::from_array(self.radii);
        let ends = cell.s.map(|s| superellipse(s, self.powers()[0])[0]);
        let [[w0, z0], [w1, z1]] = cell.t.map(|t| self.outline(cell.sheet, t)[0]);
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for [x, y] in ends {
            for width in [w0, w1] {
                for height in [z0, z1] {
                    let corner = radii * DVec3::new(width * x, width * y, height);
                    (low, high) = (low.min(corner), high.max(corner));
                }
            }
        }
        [low, high]
    }

    /// How far a cell may reach from a point of it.
    pub(crate) fn reach_of(&self, cell: &Cell, point: DVec3) -> f64 {
        let [low, high] = self.box_of(cell);
        (point - low).max(high - point).length()
    }

    /// How large details of the surface are: a thin ring is searched by the width of its tube, not by its own.
    pub(crate) fn grain(&self) -> f64 {
        let [a1, a2, a3] = self.radii;
        self.largest_extent().min(40.0 * a1.min(a2).min(a3))
    }

    /// Radius of a ball about the centre that holds the surface. A superovoid's taper is not known here.
    pub fn reach(&self) -> f64 {
        let [x, y, z] = DVec3::AXES.map(|axis| self.support_value(axis));
        DVec3::new(x, y, z).length()
    }

    /// Whether a point lies inside, between the ends of a hyperboloid. A superovoid's taper is not known here.
    pub fn contains(&self, point: DVec3) -> bool {
        point.z.abs() <= self.height && self.contains_unbounded(point)
    }

    /// Whether a point lies inside, beyond the ends of a hyperboloid too.
    pub(crate) fn contains_unbounded(&self, point: DVec3) -> bool {
        let [gauge, height] = self.gauge_and_height(point);
        self.excess([gauge; 2], [height; 2])[1] < 0.0
    }

    /// Planar gauge and height in radii.
    fn gauge_and_height(&self, point: DVec3) -> [f64; 2] {
        let [a1, a2, a3] = self.radii;
        [norm(point.x / a1, point.y / a2, self.powers()[0]), (point.z / a3).abs()]
    }

    /// The range of a function that is negative inside, for a range of the gauge and one of the height's magnitude, in which it is
    /// monotone.
    fn excess(&self, [g0, g1]: [f64; 2], [h0, h1]: [f64; 2]) -> [f64; 2] {
        let p = self.powers()[1];
        match self.kind {
            Kind::Egg | Kind::Toroid => {
                let (low, high) = (g0 - self.hole, g1 - self.hole);
                let nearest = if low > 0.0 { low } else { (-high).max(0.0) };
                [norm(nearest, h0, p) - 1.0, norm(low.abs().max(high.abs()), h1, p) - 1.0]
            }
            Kind::OneSheet => [g0 - norm(1.0, h1, p), g1 - norm(1.0, h0, p)],
            Kind::TwoSheets => [norm(1.0, g0, p) - h1, norm(1.0, g1, p) - h0],
        }
    }

    /// Bounds of that function along a segment. Its gauge is a norm of a linear function: it is convex, and over half of the
    /// segment it falls by no more than the gauge of that half.
    pub(crate) fn gauge_range(&self, from: DVec3, to: DVec3) -> [f64; 2] {
        let [[g0, h0], [g1, h1]] = [from, to].map(|point| self.gauge_and_height(point));
        let [middle, _] = self.gauge_and_height(0.5 * (from + to));
        let [half, _] = self.gauge_and_height(0.5 * (to - from));
        let rounding = 1e-14 * (g0.max(g1) + half);
        let gauge = [(middle - half - rounding).max(0.0), g0.max(g1) + rounding];
        let height = [if from.z * to.z <= 0.0 { 0.0 } else { h0.min(h1) }, h0.max(h1)];
        let [low, high] = self.excess(gauge, height);
        [low - 1e-14 * low.abs(), high + 1e-14 * high.abs()]
    }

    /// A bound of the distance from the surface of any point inside: half of a straight way through the body.
    pub(crate) fn thickness(&self) -> f64 {
        let [a1, a2, a3] = self.radii;
        match self.kind {
            Kind::Egg => a1.min(a2).min(a3) * (1.0 + self.taper[0].abs().max(self.taper[1].abs())),
            // Along z, or outwards from z: the gauge changes by two, in steps no longer than the square's diagonal.
            Kind::Toroid => a3.min(std::f64::consts::SQRT_2 * a1.max(a2)),
            Kind::OneSheet | Kind::TwoSheets => a1.min(a2) * self.rim_width(),
        }
    }

    /// The largest `direction · x` over the surface, in closed form: a toroid's is that of its centre line plus that of its tube,
    /// a hyperboloid's that of a rim.
    pub fn support_value(&self, direction: DVec3) -> f64 {
        let scaled = DVec3::from_array(self.radii) * direction;
        let [e1, e2] = self.exponents;
        let planar = support_of_superellipse(scaled.x, scaled.y, e1);
        match self.kind {
            Kind::Egg | Kind::Toroid => self.hole * planar + support_of_superellipse(planar, scaled.z, e2),
            Kind::OneSheet | Kind::TwoSheets => self.rim_width() * planar + self.height * direction.z.abs(),
        }
    }

    /// The surface point that is farthest in a direction, in closed form. It lies on the surface to rounding; how far that is
    /// along the direction is what [`support_value`](Self::support_value) tells.
    pub fn farthest(&self, direction: DVec3) -> DVec3 {
        let ([e1, e2], radii) = (self.exponents, DVec3::from_array(self.radii));
        let scaled = radii * direction;
        let [x, y] = farthest_on_superellipse(scaled.x, scaled.y, e1);
        let [width, height] = match self.range() {
            None => {
                let planar = support_of_superellipse(scaled.x, scaled.y, e1);
                let [across, along] = farthest_on_superellipse(planar, scaled.z, e2);
                [self.hole + across, along]
            }
            Some([_, end]) => {
                let [width, height] = self.outline(1.0, end)[0];
                [width, height.copysign(scaled.z)]
            }
        };
        radii * DVec3::new(width * x, width * y, height)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn surface() -> impl Strategy<Value = Superquadric> {
        let exponent = || 0.05..1.95f64;
        ([0.2..2.0, 0.2..2.0, 0.2..2.0f64], [exponent(), exponent()], 0..3u8, 0.01..1.0f64).prop_map(
            |(radii, exponents, kind, own)| {
                let made = match kind {
                    0 => Superquadric::one_sheet(radii, exponents, radii[2] * (0.1 + 4.0 * own)),
                    1 => Superquadric::two_sheets(radii, exponents, radii[2] * (1.05 + 4.0 * own)),
                    _ => Superquadric::toroid(radii, exponents, 1.05 + 4.0 * own),
                };
                made.expect("within the domain")
            },
        )
    }

    fn inside(cell: &Cell, [i, j]: [f64; 2]) -> Place {
        let mix = |[low, high]: [f64; 2], part: f64| low + (high - low) * part;
        Place { sheet: cell.sheet, s: mix(cell.s, i), t: mix(cell.t, j) }
    }

    proptest! {
        #[test]
        fn the_chart_is_the_surface(surface in surface(), parts in [0.02..0.98, 0.02..0.98f64]) {
            let [_, p] = surface.powers();
            for cell in surface.cells(false) {
                let place = inside(&cell, parts);
                let (point, slopes) = surface.at(&place);
                // The implicit function says so too, up to what its powers do to rounding.
                let (value, gradient) = surface.gradient(point);
                prop_assert!(value.abs() <= 1e-9 * gradient.length() * surface.largest_extent() + 1e-12 * p * p, "{value}");
                let [low, high] = surface.box_of(&cell);
                prop_assert!(point.cmpge(low - 1e-9).all() && point.cmple(high + 1e-9).all());
                let h = 1e-6;
                let by_s = surface.at(&Place { s: place.s + h, ..place }).0 - surface.at(&Place { s: place.s - h, ..place }).0;
                let by_t = surface.at(&Place { t: place.t + h, ..place }).0 - surface.at(&Place { t: place.t - h, ..place }).0;
                let size = surface.largest_extent();
                for (slope, difference) in slopes.into_iter().zip([by_s, by_t]) {
                    prop_assert!((difference / (2.0 * h) - slope).length() < 2e-3 * size, "{slope} {difference}");
                }
                // A step along the gradient leaves the body.
                let step = 1e-3 * size * gradient.normalize();
                let crossed = [surface.contains(point - 0.1 * step), surface.contains(point + 0.1 * step)];
                prop_assert!(surface.range().is_some_and(|_| point.z.abs() > 0.99 * surface.height) || crossed == [true, false]
                    || surface.value(point - 0.1 * step) >= 0.0, "{crossed:?}");
            }
        }

        #[test]
        fn no_point_is_farther_than_the_farthest(surface in surface(), direction in [-1.0..1.0, -1.0..1.0, -1.0..1.0f64]) {
            let direction = DVec3::from_array(direction);
            let far = surface.farthest(direction).dot(direction);
            let mut sampled = f64::NEG_INFINITY;
            for cell in surface.cells(false) {
                for i in 0..=20 {
                    for j in 0..=20 {
                        let place = inside(&cell, [f64::from(i) / 20.0, f64::from(j) / 20.0]);
                        sampled = sampled.max(surface.at(&place).0.dot(direction));
                    }
                }
            }
            let size = surface.largest_extent() * direction.length();
            prop_assert!(far <= surface.reach() * direction.length() * (1.0 + 1e-12));
            prop_assert!(sampled <= far + 1e-12 * size && far <= sampled + 0.1 * size, "{far} {sampled}");
        }
    }
}
