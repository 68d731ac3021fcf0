//! Support functions: how far a body reaches in a direction, and a point that reaches there.
//!
//! For a superellipsoid both follow from the duality of nested norms: the position norm with exponent `2/e` has the dual
//! exponent `2/(2−e)`, and the weights `W` (the shares of the components in the norm, summing to one) are common to
//! position and normal. Normalising the weights puts the returned point on the surface to a few ulp even where the
//! weights themselves are ill-conditioned. A superovoid is sliced at height `z = a3 s`; every slice is a superellipse
//! whose support is closed form, and the maximum over `s` is found by a scan for sign changes of the derivative and
//! false position. For a superovoid that is not convex this is the support function of its hull.
//!
//! Error: a few ulp of the body's reach in the value. The point lies on the surface to a few ulp, and the plane through
//! it misses the value by no more than the same amount; tangentially it is only as well determined as the surface is
//! curved.

use glam::{DMat3, DVec3};
use superegg::shape::{Core, Primitive, Shape, Superellipsoid, Superovoid};

use crate::Pair;

/// How far a body reaches in a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Support {
    /// `max x·n` over the body.
    pub value: f64,
    /// A point that attains it.
    pub point: DVec3,
}

/// Support of a shape in its own frame. The direction need not be a unit vector.
///
/// # Panics
/// On a half-space, which reaches infinitely far.
pub fn support(shape: &Shape, direction: DVec3) -> Support {
    match shape {
        Shape::Point(point) => of_hull(point.points(), direction),
        Shape::Segment(segment) => of_hull(segment.points(), direction),
        Shape::Triangle(triangle) => of_hull(triangle.points(), direction),
        Shape::Superellipsoid(body) => of_superellipsoid(body, direction),
        Shape::Superovoid(body) => of_superovoid(body, direction),
        Shape::Primitive(body) => of_primitive(body, direction),
        Shape::Hull(body) => {
            let sharp = of_hull(body.vertices(), direction);
            let outward = direction.normalize() * body.rounding();
            Support { value: sharp.value + outward.dot(direction), point: sharp.point + outward }
        }
        Shape::Custom(body) => {
            let point = body.support(direction);
            Support { value: point.dot(direction), point }
        }
        Shape::Plane(_) => panic!("a half-space has no support function"),
    }
}

/// The best of all corners, or of points on both rims, moved out by the rounding.
fn of_primitive(body: &Primitive, direction: DVec3) -> Support {
    let across = DVec3::new(direction.x, direction.y, 0.0).normalize_or_zero();
    let corners: Vec<DVec3> = match body.core() {
        Core::Segment { half_height } => vec![DVec3::Z * half_height, DVec3::Z * -half_height],
        Core::Cuboid { half_extents } => (0..8)
            .map(|bits| {
                DVec3::from_array(std::array::from_fn(|i| {
                    half_extents[i] * if bits >> i & 1 == 0 { 1.0 } else { -1.0 }
                }))
            })
            .collect(),
        Core::Frustum { radii: [bottom, top], half_height } => {
            vec![across * bottom - DVec3::Z * half_height, across * top + DVec3::Z * half_height]
        }
    };
    let Support { value, point } = of_hull(&corners, direction);
    let out = direction.normalize_or_zero() * body.rounding();
    Support { value: value + out.dot(direction), point: point + out }
}

fn of_hull(points: &[DVec3], direction: DVec3) -> Support {
    let mut best = Support { value: f64::NEG_INFINITY, point: DVec3::ZERO };
    for &point in points {
        let value = point.dot(direction);
        if value > best.value {
            best = Support { value, point };
        }
    }
    best
}

/// Norm with exponent `q = 2/(2−e)` of two non-negative numbers, and the weights of both: their shares in it.
fn dual_norm(u: f64, v: f64, e: f64) -> (f64, [f64; 2]) {
    let (large, small) = if u >= v { (u, v) } else { (v, u) };
    if large == 0.0 {
        // Every direction reaches equally far; the weight goes to the first component.
        return (0.0, [1.0, 0.0]);
    }
    let ratio = (small / large).powf(2.0 / (2.0 - e));
    let norm = large * (ratio.ln_1p() * (1.0 - 0.5 * e)).exp();
    let (weight_large, weight_small) = (1.0 / (1.0 + ratio), ratio / (1.0 + ratio));
    (norm, if u >= v { [weight_large, weight_small] } else { [weight_small, weight_large] })
}

fn of_superellipsoid(body: &Superellipsoid, direction: DVec3) -> Support {
    let radii = DVec3::from(body.radii());
    let [e1, e2] = body.exponents();
    let scaled = (radii * direction).abs();
    let (inner, [wx, wy]) = dual_norm(scaled.x, scaled.y, e1);
    let (value, [wr, wz]) = dual_norm(inner, scaled.z, e2);
    let radius = wr.powf(0.5 * e2);
    let hat = DVec3::new(radius * wx.powf(0.5 * e1), radius * wy.powf(0.5 * e1), wz.powf(0.5 * e2));
    Support { value, point: radii * hat * sign(direction) }
}

/// Component-wise sign, +1 for zeros of either sign.
fn sign(v: DVec3) -> DVec3 {
    v.map(|component| if component < 0.0 { -1.0 } else { 1.0 })
}

/// A height on a superovoid: which half, and the logarithm of `|s|/r` (with `s = z/a3` and the profile radius `r`), which
/// resolves the equator and the poles alike.
#[derive(Clone, Copy)]
struct Height {
    sign: f64,
    logarithm: f64,
}

/// Beyond this logarithm the smaller of `s` and `r` is 1e-33: nothing.
const LAST_LOGARITHM: f64 = 75.0;

impl Height {
    /// `s` and `r`.
    fn profile(self, e2: f64) -> (f64, f64) {
        let small = (-self.logarithm.abs()).exp();
        let norm = (small.powf(2.0 / e2).ln_1p() * 0.5 * e2).exp();
        let (s, r) = if self.logarithm > 0.0 { (1.0, small) } else { (small, 1.0) };
        (self.sign * s / norm, r / norm)
    }
}

/// A superovoid and a direction, asked how far the slice at some height reaches.
struct Slices {
    radii: [f64; 3],
    exponents: [f64; 2],
    taper: [f64; 2],
    direction: DVec3,
    /// Heights of either half at which the scan looks.
    scanned: usize,
}

impl Slices {
    /// Reach of the slice, and its derivative by `s`.
    fn reach(&self, height: Height) -> (f64, f64) {
        let ([a1, a2, a3], [e1, e2], [tx, ty]) = (self.radii, self.exponents, self.taper);
        let (s, r) = height.profile(e2);
        let (x, y) = (a1 * self.direction.x.abs(), a2 * self.direction.y.abs());
        let (ring, [wx, wy]) = dual_norm((1.0 + tx * s) * x, (1.0 + ty * s) * y, e1);
        let ring_slope = wx.powf(0.5 * e1) * tx * x + wy.powf(0.5 * e1) * ty * y;
        // r' = −(|s|/r)^(2/e2 − 1), with the sign of s.
        let profile_slope = -height.sign * (height.logarithm * (2.0 / e2 - 1.0)).exp();
        let z = a3 * self.direction.z;
        (z * s + r * ring, z + profile_slope * ring + r * ring_slope)
    }

    /// The heights that the scan looks at, in falling order of `s`.
    fn scan(&self, index: usize) -> Height {
        let half = self.scanned;
        let (sign, index) = if index <= half { (1.0, half - index) } else { (-1.0, index - half - 1) };
        let logarithm = match index {
            0 => -LAST_LOGARITHM,
            _ if index == half => LAST_LOGARITHM,
            _ => (std::f64::consts::FRAC_PI_2 * index as f64 / half as f64).tan().ln(),
        };
        Height { sign, logarithm }
    }

    /// The height of the only maximum of a convex body, whose reach is concave in `s`: its slope changes sign once, so that halving
    /// the scanned heights finds where.
    fn only_maximum(&self) -> Height {
        let (mut falling, mut rising) = (0, 2 * self.scanned + 1);
        if self.reach(self.scan(falling)).1 > 0.0 {
            return self.scan(falling);
        }
        if self.reach(self.scan(rising)).1 <= 0.0 {
            return self.scan(rising);
        }
        while rising - falling > 1 {
            let middle = (falling + rising) / 2;
            if self.reach(self.scan(middle)).1 > 0.0 {
                rising = middle;
            } else {
                falling = middle;
            }
        }
        self.between(self.scan(rising), self.scan(falling))
    }

    /// All heights at which the reach has a maximum, in falling order of `s`.
    fn maxima(&self) -> Vec<Height> {
        let mut found = Vec::new();
        let mut above: Option<(Height, bool)> = None;
        for height in (0..2 * self.scanned + 2).map(|index| self.scan(index)) {
            let rising = self.reach(height).1 > 0.0;
            match above {
                Some((upper, false)) if rising => found.push(self.between(height, upper)),
                None if rising => found.push(height),
                _ => {}
            }
            above = Some((height, rising));
        }
        if let Some((height, false)) = above {
            found.push(height);
        }
        found
    }

    /// Finds where the derivative, positive at the lower and not positive at the upper height, changes its sign: false
    /// position with the Illinois correction, and bisection whenever that falls behind.
    fn between(&self, lower: Height, upper: Height) -> Height {
        if lower.sign != upper.sign {
            return lower;
        }
        let slope = |logarithm: f64| self.reach(Height { sign: lower.sign, logarithm }).1;
        let (mut low, mut high) = (lower.logarithm, upper.logarithm);
        let (mut at_low, mut at_high) = (slope(low), slope(high));
        let mut width = (high - low).abs();
        for round in 0..120 {
            if (high - low).abs() <= 1e-15 * low.abs().max(1.0) {
                break;
            }
            let mut middle = low + (high - low) * (at_low / (at_low - at_high));
            if round % 3 == 2 {
                if (high - low).abs() > 0.25 * width {
                    middle = 0.5 * (low + high);
                }
                width = (high - low).abs();
            }
            if !(middle > low.min(high) && middle < low.max(high)) {
                middle = 0.5 * (low + high);
            }
            let value = slope(middle);
            if value > 0.0 {
                (low, at_low, at_high) = (middle, value, 0.5 * at_high);
            } else {
                (high, at_high, at_low) = (middle, value, 0.5 * at_low);
            }
        }
        Height { sign: lower.sign, logarithm: low }
    }
}

fn of_superovoid(body: &Superovoid, direction: DVec3) -> Support {
    // A convex body has one maximum; others may have two that are close to each other.
    let scanned = if body.is_convex() { 12 } else { 300 };
    let slices = Slices { radii: body.radii(), exponents: body.exponents(), taper: body.taper(), direction, scanned };
    let best = if body.is_convex() {
        let height = slices.only_maximum();
        (slices.reach(height).0, height)
    } else {
        (slices.maxima().into_iter().map(|height| (slices.reach(height).0, height)))
            .max_by(|p, q| p.0.total_cmp(&q.0))
            .expect("the reach has a maximum")
    };
    let ([a1, a2, a3], [e1, e2], [tx, ty]) = (slices.radii, slices.exponents, slices.taper);
    let (s, r) = best.1.profile(e2);
    let (u, v) = (a1 * (1.0 + tx * s), a2 * (1.0 + ty * s));
    let (_, [wx, wy]) = dual_norm(u * direction.x.abs(), v * direction.y.abs(), e1);
    let signs = sign(direction);
    let ring = DVec3::new(u * r * wx.powf(0.5 * e1) * signs.x, v * r * wy.powf(0.5 * e1) * signs.y, 0.0);
    Support { value: best.0, point: ring + DVec3::Z * a3 * s }
}

/// Two convex bodies seen from the first one's centre, ready to be asked for `L(n)`.
#[derive(Clone, Debug)]
pub struct Separation {
    a: Shape,
    b: Shape,
    rotation_a: DMat3,
    rotation_b: DMat3,
    centre_b: DVec3,
}

/// `L(n)` and the two support points that define it, relative to the centre of a.
#[derive(Clone, Copy, Debug)]
pub struct Gap {
    /// `L(n) = n·c − hA(n) − hB(−n)`: the signed distance is at least this.
    pub value: f64,
    /// Support point of a towards n.
    pub point_a: DVec3,
    /// Support point of b towards −n.
    pub point_b: DVec3,
}

impl Separation {
    /// Prepares a pair. Neither shape may be a half-space.
    pub fn new(pair: &Pair) -> Separation {
        Separation {
            a: pair.a.clone(),
            b: pair.b.clone(),
            rotation_a: DMat3::from_quat(pair.pose_a.rotation.normalize()),
            rotation_b: DMat3::from_quat(pair.pose_b.rotation.normalize()),
            centre_b: pair.pose_b.translation - pair.pose_a.translation,
        }
    }

    /// `L(n)` for a unit vector in world coordinates.
    pub fn along(&self, normal: DVec3) -> Gap {
        let a = support(&self.a, self.rotation_a.transpose() * normal);
        let b = support(&self.b, self.rotation_b.transpose() * -normal);
        Gap {
            value: normal.dot(self.centre_b) - a.value - b.value,
            point_a: self.rotation_a * a.point,
            point_b: self.centre_b + self.rotation_b * b.point,
        }
    }

    /// Vector from the centre of a to the centre of b.
    pub fn centre_b(&self) -> DVec3 {
        self.centre_b
    }

    /// Both bodies' axes in world coordinates, and the cross products of one with the other: where boxes have their
    /// separating axes.
    pub fn special_directions(&self) -> Vec<DVec3> {
        let axes = |m: DMat3| [m.x_axis, m.y_axis, m.z_axis];
        let (a, b) = (axes(self.rotation_a), axes(self.rotation_b));
        let crosses = a.iter().flat_map(|a| b.iter().map(|b| a.cross(*b)));
        let both = a.iter().chain(&b).copied().chain(crosses);
        both.filter_map(DVec3::try_normalize).flat_map(|n| [n, -n]).collect()
    }
}

/// The distance of a pair of which exactly one shape is a half-space, which is closed form: error a few ulp.
pub fn plane_distance(pair: &Pair) -> Option<f64> {
    let (plane, pose, body, body_pose) = match (&pair.a, &pair.b) {
        (Shape::Plane(_), Shape::Plane(_)) => return None,
        (Shape::Plane(plane), body) => (plane, pair.pose_a, body, pair.pose_b),
        (body, Shape::Plane(plane)) => (plane, pair.pose_b, body, pair.pose_a),
        _ => return None,
    };
    let normal = pose.rotation.normalize() * plane.normal();
    let centre = body_pose.translation - pose.translation;
    let towards = body_pose.rotation.normalize().conjugate() * -normal;
    Some(normal.dot(centre) - plane.offset() - support(body, towards).value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{self, Domain};
    use crate::oracle::surface;

    #[test]
    fn spheres_and_ellipsoids_match_their_closed_form() {
        let mut rng = generate::seeded(1);
        for _ in 0..200 {
            let radii = generate::radii(&mut rng, &Domain::WIDE);
            let body = Superellipsoid::new(radii, [1.0, 1.0]).unwrap().into();
            let n = generate::direction(&mut rng);
            let expected = (DVec3::from(radii) * n).length();
            let found = support(&body, n);
            assert!((found.value - expected).abs() <= 4e-16 * DVec3::from(radii).max_element(), "{found:?} {expected}");
        }
    }

    #[test]
    fn the_point_lies_on_the_surface_and_attains_the_value() {
        let mut rng = generate::seeded(2);
        for index in 0..2000 {
            let shape = match index % 2 {
                0 => generate::superellipsoid(&mut rng, &Domain::WIDE).into(),
                _ => generate::superovoid(&mut rng, &Domain::WIDE).into(),
            };
            let scale = crate::pair::largest_radius(&shape);
            let n = generate::direction(&mut rng);
            let found = support(&shape, n);
            assert!((found.point.dot(n) - found.value).abs() < 2e-15 * scale, "{shape:?} {n:?} {found:?}");
            assert!(surface::offset(&shape, found.point).abs() < 1e-14 * scale, "{shape:?} {n:?} {found:?}");
        }
    }

    #[test]
    fn no_surface_point_reaches_farther() {
        let mut rng = generate::seeded(3);
        for index in 0..200 {
            let shape = match index % 2 {
                0 => generate::superellipsoid(&mut rng, &Domain::WIDE).into(),
                _ => generate::superovoid(&mut rng, &Domain::WIDE).into(),
            };
            let scale = crate::pair::largest_radius(&shape);
            let n = generate::direction(&mut rng);
            let value = support(&shape, n).value;
            let sampled = (0..2000)
                .map(|_| surface::point_towards(&shape, generate::direction(&mut rng)).dot(n))
                .fold(f64::NEG_INFINITY, f64::max);
            assert!(sampled <= value + 2e-15 * scale, "{shape:?} {n:?}: {sampled} > {value}");
            assert!(sampled >= value - 0.2 * scale, "{shape:?} {n:?}: {sampled} << {value}");
        }
    }

    #[test]
    fn the_limits_are_boxes_and_octahedra() {
        let n = DVec3::new(0.6, -0.48, 0.64);
        let near_box: Shape = Superellipsoid::new([1.0, 2.0, 3.0], [1e-9, 1e-9]).unwrap().into();
        assert!((support(&near_box, n).value - (0.6 + 0.96 + 1.92)).abs() < 1e-7);
        let near_octahedron: Shape = Superellipsoid::new([1.0, 2.0, 3.0], [2.0 - 1e-9, 2.0 - 1e-9]).unwrap().into();
        assert!((support(&near_octahedron, n).value - 1.92).abs() < 1e-7);
    }

    #[test]
    fn a_half_space_against_an_ellipsoid() {
        let pair = Pair {
            a: superegg::shape::Plane::new(DVec3::Z, 0.5).unwrap().into(),
            pose_a: superegg::Pose::IDENTITY,
            b: Superellipsoid::new([1.0, 2.0, 3.0], [1.0, 1.0]).unwrap().into(),
            pose_b: superegg::Pose::new(glam::DQuat::from_rotation_x(0.7), DVec3::new(4.0, 5.0, 6.0)).unwrap(),
        };
        let expected = 6.0 - 0.5 - (2.0f64 * 0.7f64.sin()).hypot(3.0 * 0.7f64.cos());
        assert!((plane_distance(&pair).unwrap() - expected).abs() < 1e-15 * 10.0);
        assert_eq!(plane_distance(&pair), plane_distance(&pair.swapped()));
    }
}
