//! Support functions: how far a body reaches in a direction, and a point that reaches there.
//!
//! For a superellipsoid both follow from the duality of nested norms: the position norm with exponent `2/e` has the dual
//! exponent `2/(2−e)`, and the weights `W` (the shares of the components in the norm, summing to one) are common to
//! position and normal. Normalising the weights puts the returned point on the surface to a few ulp even where the
//! weights themselves are ill-conditioned. A superovoid is sliced at height `z = a3 s`; every slice is a superellipse
//! whose support is closed form, and the maximum over `s` is found by a scan and Brent's search without derivatives.
//! For a superovoid that is not convex this is the support function of its hull.
//!
//! Error: a few ulp of the body's reach in the value. The point lies on the surface to a few ulp, and the plane through
//! it misses the value by no more than the same amount; tangentially it is only as well determined as the surface is
//! curved.

use glam::{DMat3, DVec3};
use superegg::shape::{Shape, Superellipsoid, Superovoid};

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
        Shape::Plane(_) => panic!("a half-space has no support function"),
    }
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

/// The profile of a superovoid at the position angle `psi`: `s = z/a3` and the factor of the equator's radii.
fn profile(psi: f64, e2: f64) -> (f64, f64) {
    let (sin, cos) = psi.sin_cos();
    let (s, r) = (sin.abs(), cos.max(0.0));
    let (large, small) = if s >= r { (s, r) } else { (r, s) };
    let norm = large * ((small / large).powf(2.0 / e2).ln_1p() * 0.5 * e2).exp();
    ((s / norm).copysign(sin), r / norm)
}

/// One of several peaks is enough for a convex body; more are kept for the hulls of bodies that are not.
const PEAKS: usize = 3;

fn of_superovoid(body: &Superovoid, direction: DVec3) -> Support {
    let [a1, a2, a3] = body.radii();
    let [e1, e2] = body.exponents();
    let [tx, ty] = body.taper();
    let reach = |psi: f64| {
        let (s, r) = profile(psi, e2);
        let (u, v) = (a1 * (1.0 + tx * s) * direction.x.abs(), a2 * (1.0 + ty * s) * direction.y.abs());
        a3 * direction.z * s + r * dual_norm(u, v, e1).0
    };
    const CELLS: usize = 32;
    const WIDTH: f64 = std::f64::consts::PI / CELLS as f64;
    let at = |cell: usize| -std::f64::consts::FRAC_PI_2 + WIDTH * cell as f64;
    let values: [f64; CELLS + 1] = std::array::from_fn(|cell| reach(at(cell)));
    let mut peaks = [(f64::NEG_INFINITY, 0usize); PEAKS];
    for cell in 0..=CELLS {
        let higher_than = |other: Option<&f64>| other.is_none_or(|&other| values[cell] >= other);
        if higher_than(cell.checked_sub(1).and_then(|left| values.get(left))) && higher_than(values.get(cell + 1)) {
            // Kept in falling order; the lowest drops out.
            let mut entry = (values[cell], cell);
            for peak in &mut peaks {
                if entry.0 > peak.0 {
                    std::mem::swap(&mut entry, peak);
                }
            }
        }
    }
    let scale = body_scale(body) * direction.length();
    let mut best = (f64::NEG_INFINITY, 0.0);
    for (value, cell) in peaks {
        // A peak whose grid value lies a whole tenth of the body below the best cannot win it back within one cell.
        if value == f64::NEG_INFINITY || value < best.0 - 0.1 * scale {
            continue;
        }
        let low = if cell == 0 { at(0) } else { at(cell - 1) };
        let high = if cell == CELLS { at(CELLS) } else { at(cell + 1) };
        let found = maximise(reach, low, at(cell), high);
        if found.0 > best.0 {
            best = found;
        }
    }
    let (s, r) = profile(best.1, e2);
    let (u, v) = (a1 * (1.0 + tx * s), a2 * (1.0 + ty * s));
    let (_, [wx, wy]) = dual_norm(u * direction.x.abs(), v * direction.y.abs(), e1);
    let hat = DVec3::new(u * r * wx.powf(0.5 * e1), v * r * wy.powf(0.5 * e1), a3 * s);
    let signs = sign(direction);
    Support { value: best.0, point: DVec3::new(hat.x * signs.x, hat.y * signs.y, hat.z) }
}

fn body_scale(body: &Superovoid) -> f64 {
    DVec3::from(body.radii()).max_element()
}

/// Brent's search for a maximum in `[low, high]` from the start `x`: golden sections, and parabolas where they agree.
fn maximise(f: impl Fn(f64) -> f64, mut low: f64, start: f64, mut high: f64) -> (f64, f64) {
    const GOLDEN: f64 = 0.381_966_011_250_105_1;
    /// Below this the value no longer changes: it is flat to second order.
    const ARGUMENT_TOLERANCE: f64 = 2e-9;
    let (mut x, mut w, mut v) = (start, start, start);
    let fx = f(x);
    let (mut fx, mut fw, mut fv) = (fx, fx, fx);
    let (mut step, mut before_last) = (0.0f64, 0.0f64);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if (x - middle).abs() <= 2.0 * ARGUMENT_TOLERANCE - 0.5 * (high - low) {
            break;
        }
        let mut golden = true;
        if before_last.abs() > ARGUMENT_TOLERANCE {
            let r = (x - w) * (fx - fv);
            let mut q = (x - v) * (fx - fw);
            let mut p = (x - v) * q - (x - w) * r;
            q = 2.0 * (q - r);
            if q > 0.0 {
                p = -p;
            }
            q = q.abs();
            let limit = before_last;
            before_last = step;
            if p.abs() < (0.5 * q * limit).abs() && p > q * (low - x) && p < q * (high - x) {
                step = p / q;
                golden = false;
            }
        }
        if golden {
            before_last = if x < middle { high - x } else { low - x };
            step = GOLDEN * before_last;
        }
        let moved = x + if step.abs() >= ARGUMENT_TOLERANCE { step } else { ARGUMENT_TOLERANCE.copysign(step) };
        let value = f(moved);
        if value >= fx {
            if moved < x {
                high = x;
            } else {
                low = x;
            }
            (v, fv) = (w, fw);
            (w, fw) = (x, fx);
            (x, fx) = (moved, value);
        } else {
            if moved < x {
                low = moved;
            } else {
                high = moved;
            }
            if value >= fw || w == x {
                (v, fv) = (w, fw);
                (w, fw) = (moved, value);
            } else if value >= fv || v == x || v == w {
                (v, fv) = (moved, value);
            }
        }
    }
    (fx, x)
}

/// Two convex bodies seen from the first one's centre, ready to be asked for `L(n)`.
#[derive(Clone, Copy, Debug)]
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
            a: pair.a,
            b: pair.b,
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
