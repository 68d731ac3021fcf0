//! The implicit function of a superquadric with its gradient and Hessian (papers 001 equations 5 and 10, 003 equations 5 to
//! 7, 004 equations 8 to 12), inside negative.
//!
//! Powers are shared: the planar gauge, its slopes and its bends come from `|X|^m` and `|Y|^m` by divisions, and those of
//! the outer power likewise, so that a Hessian costs five powers.

use superegg::{DMat3, DVec3};

use super::{Kind, Superquadric};

/// Value, gradient and Hessian at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Implicit {
    /// The function's value: negative inside, zero on the surface.
    pub value: f64,
    /// Its gradient, which points outwards.
    pub gradient: DVec3,
    /// Its second derivatives.
    pub hessian: DMat3,
}

/// Smallest magnitude by which a power is divided, in radii: keeps the infinite second derivatives on ridges finite.
const FLOOR: f64 = 1e-9;

/// A coordinate's power `|x|^m` and what is left of it when one and two factors of x are taken away.
struct Power {
    whole: f64,
    less_one: f64,
    less_two: f64,
}

impl Power {
    fn new(base: f64, exponent: f64) -> Power {
        let size = base.abs().max(FLOOR);
        let whole = if base == 0.0 { 0.0 } else { base.abs().powf(exponent) };
        // |x|^(m-1) vanishes with x, since m > 1; |x|^(m-2) is taken at the floor.
        let floored = if base.abs() < FLOOR { FLOOR.powf(exponent) } else { whole };
        Power { whole, less_one: whole / size * base.signum(), less_two: floored / (size * size) }
    }
}

/// The planar gauge's value, slopes by X and Y and bends by XX, XY and YY.
struct Planar {
    gauge: f64,
    slope: [f64; 2],
    bend: [f64; 3],
}

impl Planar {
    fn new(x: f64, y: f64, m: f64) -> Planar {
        let (px, py) = (Power::new(x, m), Power::new(y, m));
        let sum = px.whole + py.whole;
        if sum == 0.0 {
            return Planar { gauge: 0.0, slope: [0.0; 2], bend: [0.0; 3] };
        }
        let gauge = sum.powf(1.0 / m);
        let ratio = gauge / sum;
        let bend = (m - 1.0) * ratio / sum;
        Planar {
            gauge,
            slope: [px.less_one * ratio, py.less_one * ratio],
            bend: [bend * px.less_two * py.whole, -bend * px.less_one * py.less_one, bend * py.less_two * px.whole],
        }
    }
}

impl Superquadric {
    /// Scaled planar coordinates, height, widths and their slopes by the height at a point. Beyond the poles the taper stays
    /// what it is there, as in the library: the widths never vanish.
    fn scaled_coordinates(&self, point: DVec3) -> (f64, f64, f64, [f64; 2], [f64; 2]) {
        let ([a1, a2, a3], [tx, ty]) = (self.radii, self.taper);
        let height = point.z / a3;
        let at = height.clamp(-1.0, 1.0);
        let (f, g) = (1.0 + tx * at, 1.0 + ty * at);
        let slopes = if at == height { self.taper } else { [0.0; 2] };
        (point.x / (a1 * f), point.y / (a2 * g), height, [f, g], slopes)
    }

    /// Signs of the planar and of the axial power, and the constant.
    fn signs(&self) -> [f64; 3] {
        match self.kind {
            Kind::Egg | Kind::Toroid => [1.0, 1.0, -1.0],
            Kind::OneSheet => [1.0, -1.0, -1.0],
            Kind::TwoSheets => [1.0, -1.0, 1.0],
        }
    }

    /// The implicit function alone.
    pub fn value(&self, point: DVec3) -> f64 {
        let (x, y, height, ..) = self.scaled_coordinates(point);
        let (m, p) = (2.0 / self.exponents[0], 2.0 / self.exponents[1]);
        let [planar, axial, constant] = self.signs();
        let sum = x.abs().powf(m) + y.abs().powf(m);
        let ring = if self.hole == 0.0 { sum.powf(p / m) } else { (sum.powf(1.0 / m) - self.hole).abs().powf(p) };
        planar * ring + axial * height.abs().powf(p) + constant
    }

    /// The implicit function and its gradient.
    pub fn gradient(&self, point: DVec3) -> (f64, DVec3) {
        let (x, y, height, [f, g], [tx, ty]) = self.scaled_coordinates(point);
        let [a1, a2, a3] = self.radii;
        let (m, p) = (2.0 / self.exponents[0], 2.0 / self.exponents[1]);
        let [planar_sign, axial_sign, constant] = self.signs();
        let (px, py) = (Power::new(x, m), Power::new(y, m));
        let sum = px.whole + py.whole;
        let axial = Power::new(height, p);
        let (ring, slope) = if self.hole == 0.0 {
            let ring = sum.powf(p / m);
            (ring, if sum == 0.0 { 0.0 } else { p * ring / sum })
        } else {
            let gauge = sum.powf(1.0 / m);
            let offset = Power::new(gauge - self.hole, p);
            (offset.whole, if sum == 0.0 { 0.0 } else { p * offset.less_one * gauge / sum })
        };
        let (by_x, by_y) = (slope * px.less_one, slope * py.less_one);
        let taper = by_x * x * tx / f + by_y * y * ty / g;
        let gradient = DVec3::new(
            planar_sign * by_x / (a1 * f),
            planar_sign * by_y / (a2 * g),
            (axial_sign * p * axial.less_one - planar_sign * taper) / a3,
        );
        (planar_sign * ring + axial_sign * axial.whole + constant, gradient)
    }

    /// The implicit function with gradient and Hessian.
    ///
    /// ```
    /// use superegg::DVec3;
    /// use superegg_world::superquadric::Superquadric;
    /// let ring = Superquadric::toroid([0.5, 0.4, 0.3], [0.8, 1.2], 2.0)?;
    /// let (point, step) = (DVec3::new(1.0, 0.5, 0.2), DVec3::new(0.0, 1e-6, 0.0));
    /// let (before, after) = (ring.derivatives(point - step), ring.derivatives(point + step));
    /// let slope = (after.value - before.value) / 2e-6;
    /// let bend = (after.gradient - before.gradient) / 2e-6;
    /// let here = ring.derivatives(point);
    /// assert!((slope - here.gradient.y).abs() < 1e-6 * here.gradient.length());
    /// assert!((bend - here.hessian.y_axis).length() < 1e-6 * here.hessian.y_axis.length());
    /// # Ok::<(), superegg::InvalidInput>(())
    /// ```
    pub fn derivatives(&self, point: DVec3) -> Implicit {
        let (x, y, height, [f, g], [tx, ty]) = self.scaled_coordinates(point);
        let [a1, a2, a3] = self.radii;
        let (m, p) = (2.0 / self.exponents[0], 2.0 / self.exponents[1]);
        let [planar_sign, axial_sign, constant] = self.signs();
        let planar = Planar::new(x, y, m);
        let ring = Power::new(planar.gauge - self.hole, p);
        let axial = Power::new(height, p);
        let (slope, bend) = (planar_sign * p * ring.less_one, planar_sign * p * (p - 1.0) * ring.less_two);

        // By the scaled coordinates first.
        let [sx, sy] = planar.slope;
        let [bxx, bxy, byy] = planar.bend;
        let by = [slope * sx, slope * sy];
        let xx = slope * bxx + bend * sx * sx;
        let xy = slope * bxy + bend * sx * sy;
        let yy = slope * byy + bend * sy * sy;

        // Scaled coordinates by the point's: X = x/(a1 f(z)).
        let (dx, dy) = (1.0 / (a1 * f), 1.0 / (a2 * g));
        let (wx, wy) = (tx / (a3 * f), ty / (a3 * g));
        let (x_z, y_z) = (-x * wx, -y * wy);
        let (x_xz, y_yz) = (-dx * wx, -dy * wy);
        let (x_zz, y_zz) = (2.0 * x * wx * wx, 2.0 * y * wy * wy);
        let gradient =
            DVec3::new(by[0] * dx, by[1] * dy, by[0] * x_z + by[1] * y_z + axial_sign * p * axial.less_one / a3);
        let h_xx = xx * dx * dx;
        let h_xy = xy * dx * dy;
        let h_yy = yy * dy * dy;
        let h_xz = (xx * x_z + xy * y_z) * dx + by[0] * x_xz;
        let h_yz = (xy * x_z + yy * y_z) * dy + by[1] * y_yz;
        let h_zz = xx * x_z * x_z
            + 2.0 * xy * x_z * y_z
            + yy * y_z * y_z
            + by[0] * x_zz
            + by[1] * y_zz
            + axial_sign * p * (p - 1.0) * axial.less_two / (a3 * a3);
        Implicit {
            value: planar_sign * ring.whole + axial_sign * axial.whole + constant,
            gradient,
            hessian: DMat3::from_cols(
                DVec3::new(h_xx, h_xy, h_xz),
                DVec3::new(h_xy, h_yy, h_yz),
                DVec3::new(h_xz, h_yz, h_zz),
            ),
        }
    }

    /// The point where the ray from the centre meets the surface first, along with the factor of `direction`; `None` where it
    /// does not (paper 004 equation 33: the estimate on the surface).
    pub fn radial_point(&self, direction: DVec3) -> Option<DVec3> {
        let length = direction.length();
        if self.kind == Kind::Egg {
            return self.radial_on_egg(direction / length).or_else(|| self.first_crossing(direction / length));
        }
        self.first_crossing(direction / length)
    }

    /// The power e2/2 of the implicit function plus one: the factor by which the egg must grow to reach the point, exactly
    /// without taper and nearly with it.
    fn egg_gauge(&self, point: DVec3) -> f64 {
        (self.value(point) + 1.0).powf(0.5 * self.exponents[1])
    }

    /// The egg's surface point in a direction of unit length: closed form without taper, else the secant method on the
    /// gauge, which is nearly proportional to the distance from the centre.
    fn radial_on_egg(&self, unit: DVec3) -> Option<DVec3> {
        // No surface point is higher than a3, and up to there the taper stays positive.
        let highest = self.radii[2] / unit.z.abs().max(1e-12);
        let mut t = highest.min(self.largest_extent());
        let mut gauge = self.egg_gauge(unit * t);
        if self.taper == [0.0; 2] {
            return Some(unit * (t / gauge)).filter(|point| point.is_finite());
        }
        let mut next = (t / gauge).min(highest);
        for _ in 0..20 {
            let moved = self.egg_gauge(unit * next);
            if (moved - 1.0).abs() <= 1e-14 || moved == gauge {
                break;
            }
            let slope = (moved - gauge) / (next - t);
            (t, gauge) = (next, moved);
            next = (t + (1.0 - gauge) / slope).clamp(0.25 * t, (4.0 * t).min(highest));
        }
        let found = self.egg_gauge(unit * next);
        Some(unit * next).filter(|point| point.is_finite() && (found - 1.0).abs() < 1e-9)
    }

    /// The first change of sign on a walk outwards, then halving.
    fn first_crossing(&self, unit: DVec3) -> Option<DVec3> {
        let reach = 2.0 * self.largest_extent() * 3f64.sqrt();
        let at = |t: f64| self.value(unit * t);
        const STEPS: u32 = 64;
        let start = at(1e-6 * reach);
        let mut inner = 1e-6 * reach;
        for step in 1..=STEPS {
            let outer = reach * f64::from(step) / f64::from(STEPS);
            if at(outer) * start <= 0.0 {
                let (mut low, mut high) = (inner, outer);
                for _ in 0..52 {
                    let middle = 0.5 * (low + high);
                    if at(middle) * start > 0.0 { low = middle } else { high = middle }
                }
                let point = unit * (0.5 * (low + high));
                return Some(point).filter(|point| point.is_finite() && self.within_height(*point));
            }
            inner = outer;
        }
        None
    }
}
