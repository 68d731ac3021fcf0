//! The parametric form of a superquadric: position by two angles, with first and second derivatives (papers 001 equations 7
//! and 12, 003 equations 9 to 12).

use superegg::{DVec2, DVec3};

use super::{Kind, Superquadric};

/// A surface point and its derivatives by the angles u (around z) and v (along z).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patch {
    /// Position.
    pub point: DVec3,
    /// First derivatives by u and v: the papers' tangent and bitangent, not normalised.
    pub first: [DVec3; 2],
    /// Second derivatives by uu, uv and vv.
    pub second: [DVec3; 3],
}

/// Smallest cosine or sine by which a power is divided: on the axes of symmetry derivatives are zero or infinite.
const FLOOR: f64 = 1e-9;

/// A function of one angle with two derivatives.
type Jet = [f64; 3];

/// Signed powers of cosine and sine.
fn circular(angle: f64, e: f64) -> [Jet; 2] {
    let (s, c) = angle.sin_cos();
    let jet = |base: f64, other: f64, slope_sign: f64| {
        let size = base.abs().max(FLOOR);
        let value = size.powf(e).copysign(base);
        [value, slope_sign * e * other * value.abs() / size, e * value * ((e - 1.0) * (other / size).powi(2) - 1.0)]
    };
    [jet(c, s, -1.0), jet(s, c, 1.0)]
}

/// Powers of secant and of |tangent| of an angle in [0, 90°[.
fn hyperbolic(angle: f64, e: f64) -> [Jet; 2] {
    let tangent = angle.tan().max(FLOOR);
    let secant_sq = 1.0 + tangent * tangent;
    let secant = secant_sq.powf(0.5 * e);
    let power = tangent.powf(e);
    [
        [secant, e * secant * tangent, e * secant * (e * tangent * tangent + secant_sq)],
        [
            power,
            e * power / tangent * secant_sq,
            e * power / tangent * secant_sq * ((e - 1.0) * secant_sq / tangent + 2.0 * tangent),
        ],
    ]
}

/// An even function of the angle, from what it is for its magnitude.
fn even(jet: Jet, sign: f64) -> Jet {
    [jet[0], sign * jet[1], jet[2]]
}

/// An odd function of the angle, from what it is for its magnitude.
fn odd(jet: Jet, sign: f64) -> Jet {
    [sign * jet[0], jet[1], sign * jet[2]]
}

/// Product of two functions of one angle.
fn product(f: Jet, g: Jet) -> Jet {
    [f[0] * g[0], f[1] * g[0] + f[0] * g[1], f[2] * g[0] + 2.0 * f[1] * g[1] + f[0] * g[2]]
}

/// The points of a surface at a few angles v, ready for any angle u: what the quadtree asks for.
#[derive(Clone, Copy, Debug)]
pub struct Ring {
    /// Half widths along x and y.
    width: DVec2,
    height: f64,
}

impl Superquadric {
    /// Profile `(W, Z)` at an angle v.
    fn profile(&self, v: f64) -> [Jet; 2] {
        let e2 = self.exponents[1];
        let sign = 1f64.copysign(v);
        match self.kind {
            Kind::Egg => circular(v, e2),
            Kind::Toroid => {
                let [mut width, height] = circular(v, e2);
                width[0] += self.hole;
                [width, height]
            }
            Kind::OneSheet => {
                let [secant, tangent] = hyperbolic(v.abs(), e2);
                [even(secant, sign), odd(tangent, sign)]
            }
            Kind::TwoSheets => {
                let [secant, tangent] = hyperbolic(v.abs(), e2);
                [even(tangent, sign), odd(secant, sign)]
            }
        }
    }

    /// The surface point at two angles.
    pub fn point(&self, u: f64, v: f64) -> DVec3 {
        let [x, y] = self.direction(u);
        self.on_ring(&self.ring(v), [x, y])
    }

    /// The ring of surface points at the angle v.
    pub fn ring(&self, v: f64) -> Ring {
        let ([a1, a2, a3], [tx, ty]) = (self.radii, self.taper);
        let [width, height] = match self.kind {
            Kind::Egg => self.direction_of(v, self.exponents[1]),
            _ => self.profile(v).map(|jet| jet[0]),
        };
        Ring { width: DVec2::new(a1 * (1.0 + tx * height), a2 * (1.0 + ty * height)) * width, height: a3 * height }
    }

    /// Signed powers of cosine and sine of the angle u.
    pub fn direction(&self, u: f64) -> [f64; 2] {
        self.direction_of(u, self.exponents[0])
    }

    fn direction_of(&self, angle: f64, e: f64) -> [f64; 2] {
        let (s, c) = angle.sin_cos();
        [c.abs().powf(e).copysign(c), s.abs().powf(e).copysign(s)]
    }

    /// The point of a ring in a direction.
    pub fn on_ring(&self, ring: &Ring, [x, y]: [f64; 2]) -> DVec3 {
        DVec3::new(ring.width.x * x, ring.width.y * y, ring.height)
    }

    /// The surface point at two angles with its derivatives.
    ///
    /// ```
    /// use superegg_world::superquadric::Superquadric;
    /// let tube = Superquadric::one_sheet([1.0, 0.7, 0.5], [0.8, 1.3], 2.0)?;
    /// let (here, next) = (tube.patch(0.4, 0.3), tube.patch(0.4, 0.3 + 1e-7));
    /// assert!(((next.point - here.point) / 1e-7 - here.first[1]).length() < 1e-6);
    /// assert!(((next.first[1] - here.first[1]) / 1e-7 - here.second[2]).length() < 1e-5);
    /// assert!(tube.value(here.point).abs() < 1e-12);
    /// # Ok::<(), superegg::InvalidInput>(())
    /// ```
    pub fn patch(&self, u: f64, v: f64) -> Patch {
        let ([a1, a2, a3], [tx, ty]) = (self.radii, self.taper);
        let [x, y] = circular(u, self.exponents[0]);
        let [width, height] = self.profile(v);
        let tapered = |t: f64| {
            if t == 0.0 { width } else { product(width, [1.0 + t * height[0], t * height[1], t * height[2]]) }
        };
        let (wx, wy) = (tapered(tx), tapered(ty));
        let at = |i: usize, j: usize| {
            DVec3::new(a1 * x[i] * wx[j], a2 * y[i] * wy[j], if i == 0 { a3 * height[j] } else { 0.0 })
        };
        Patch { point: at(0, 0), first: [at(1, 0), at(0, 1)], second: [at(2, 0), at(1, 1), at(0, 2)] }
    }

    /// The angles of a surface point; elsewhere, of some surface point nearby.
    pub fn angles_at(&self, point: DVec3) -> [f64; 2] {
        let ([a1, a2, a3], [tx, ty], [e1, e2]) = (self.radii, self.taper, self.exponents);
        let height = (point.z / a3).clamp(-self.height / a3, self.height / a3);
        let (x, y) = (point.x / (a1 * (1.0 + tx * height)), point.y / (a2 * (1.0 + ty * height)));
        let root = |value: f64, e: f64| value.abs().powf(1.0 / e).copysign(value);
        let u = root(y, e1).atan2(root(x, e1));
        let m = 2.0 / e1;
        let gauge = (x.abs().powf(m) + y.abs().powf(m)).powf(1.0 / m);
        let v = match self.kind {
            Kind::Egg => root(height, e2).atan2(root(gauge, e2)),
            Kind::Toroid => root(height, e2).atan2(root(gauge - self.hole, e2)),
            Kind::OneSheet => root(height, e2).atan(),
            Kind::TwoSheets => root(gauge, e2).atan().copysign(point.z),
        };
        let [_, [low, high]] = self.domain();
        [u, v.clamp(low, high)]
    }
}
