//! Surfaces: points on them, the inside–outside function, and how far a point is from them to first order.
//!
//! A superovoid is handled by undoing its taper, `(x, y, z) → (x/(1+tx z/a3), y/(1+ty z/a3), z)`, which makes it the
//! superellipsoid with the same radii and exponents; normals are carried over by the transposed Jacobian.
//!
//! Error: points lie on the surface to a few ulp of the largest radius. [`offset`] is first order: exact in the limit of
//! a small offset, wrong by about its square times the curvature otherwise.

use glam::DVec3;
use superegg::shape::Shape;

/// What superellipsoids and superovoids have in common.
#[derive(Clone, Copy, Debug)]
struct Tapered {
    radii: DVec3,
    e1: f64,
    e2: f64,
    tx: f64,
    ty: f64,
}

impl Tapered {
    fn of(shape: &Shape) -> Option<Tapered> {
        match shape {
            Shape::Superellipsoid(body) => {
                let [e1, e2] = body.exponents();
                Some(Tapered { radii: body.radii().into(), e1, e2, tx: 0.0, ty: 0.0 })
            }
            Shape::Superovoid(body) => {
                let ([e1, e2], [tx, ty]) = (body.exponents(), body.taper());
                Some(Tapered { radii: body.radii().into(), e1, e2, tx, ty })
            }
            _ => None,
        }
    }

    fn factors(&self, s: f64) -> DVec3 {
        DVec3::new(1.0 + self.tx * s, 1.0 + self.ty * s, 1.0)
    }

    /// Inside–outside function of the untapered, unit-radius position, homogeneous of degree one, and its gradient.
    fn gauge(&self, hat: DVec3) -> (f64, DVec3) {
        let (rho, [gx, gy]) = norm(hat.x, hat.y, 2.0 / self.e1);
        let (gauge, [gr, gz]) = norm(rho, hat.z, 2.0 / self.e2);
        (gauge, DVec3::new(gr * gx, gr * gy, gz))
    }
}

/// Norm of two numbers with exponent p, and its gradient.
fn norm(u: f64, v: f64, p: f64) -> (f64, [f64; 2]) {
    let (large, small) = if u.abs() >= v.abs() { (u.abs(), v.abs()) } else { (v.abs(), u.abs()) };
    if large == 0.0 {
        return (0.0, [0.0, 0.0]);
    }
    let norm = large * ((small / large).powf(p).ln_1p() / p).exp();
    let slope = |w: f64| (w.abs() / norm).powf(p - 1.0).copysign(w);
    (norm, [slope(u), slope(v)])
}

/// The exponents of a curved body.
pub fn exponents(shape: &Shape) -> [f64; 2] {
    let body = Tapered::of(shape).expect("a superellipsoid or superovoid");
    [body.e1, body.e2]
}

/// The surface point whose untapered position, divided by the radii, points along `direction` (not zero).
///
/// # Panics
/// On shapes without a curved surface.
pub fn point_towards(shape: &Shape, direction: DVec3) -> DVec3 {
    let body = Tapered::of(shape).expect("a superellipsoid or superovoid");
    let hat = direction / direction.abs().max_element();
    let hat = hat / body.gauge(hat).0;
    body.radii * hat * body.factors(hat.z)
}

/// The outward unit normal at a surface point of a curved body.
pub fn normal_at(shape: &Shape, point: DVec3) -> DVec3 {
    let body = Tapered::of(shape).expect("a superellipsoid or superovoid");
    gradient(&body, point).1.normalize()
}

/// Inside–outside function of a curved body: below one inside, above one outside, and growing linearly on every ray
/// from the centre of the untapered body.
pub fn inside_outside(shape: &Shape, point: DVec3) -> f64 {
    let body = Tapered::of(shape).expect("a superellipsoid or superovoid");
    gradient(&body, point).0
}

fn gradient(body: &Tapered, point: DVec3) -> (f64, DVec3) {
    // Beyond the poles the taper is continued as a constant, so that its factors stay positive.
    let s = (point.z / body.radii.z).clamp(-1.0, 1.0);
    let factors = body.factors(s);
    let hat = point / (body.radii * factors);
    let (gauge, slope) = body.gauge(hat);
    let through_taper = slope.x * hat.x * body.tx / factors.x + slope.y * hat.y * body.ty / factors.y;
    (gauge, DVec3::new(slope.x / factors.x, slope.y / factors.y, slope.z - through_taper) / body.radii)
}

/// How far `point` lies outside (positive) or inside (negative) of a curved body's surface, to first order; for the
/// other shapes the exact distance (a half-space: signed).
pub fn offset(shape: &Shape, point: DVec3) -> f64 {
    match shape {
        Shape::Plane(plane) => plane.normal().dot(point) - plane.offset(),
        Shape::Point(vertex) => point.distance(vertex.points()[0]),
        Shape::Segment(segment) => {
            let [a, b] = *segment.points();
            point.distance(closest_on_segment(a, b, point))
        }
        Shape::Triangle(triangle) => point.distance(closest_on_triangle(*triangle.points(), point)),
        Shape::Primitive(_) | Shape::Hull(_) | Shape::Custom(_) => panic!("a {} is tested in other ways", shape.name()),
        Shape::Superellipsoid(_) | Shape::Superovoid(_) => {
            let body = Tapered::of(shape).expect("a curved body");
            let (gauge, gradient) = gradient(&body, point);
            (gauge - 1.0) / gradient.length()
        }
    }
}

/// The point of the segment that is closest to `point`.
pub fn closest_on_segment(a: DVec3, b: DVec3, point: DVec3) -> DVec3 {
    let edge = b - a;
    let length_sq = edge.length_squared();
    let share = if length_sq > 0.0 { ((point - a).dot(edge) / length_sq).clamp(0.0, 1.0) } else { 0.0 };
    a + edge * share
}

/// The point of the solid triangle that is closest to `point`: its foot on the plane where that is inside, else the
/// best of the three edges.
pub fn closest_on_triangle([a, b, c]: [DVec3; 3], point: DVec3) -> DVec3 {
    let normal = (b - a).cross(c - a);
    let inside = [(a, b), (b, c), (c, a)].iter().all(|&(p, q)| (q - p).cross(point - p).dot(normal) >= 0.0);
    if inside && normal.length_squared() > 0.0 {
        return point - normal * ((point - a).dot(normal) / normal.length_squared());
    }
    let candidates = [(a, b), (b, c), (c, a)].map(|(p, q)| closest_on_segment(p, q, point));
    candidates.into_iter().min_by(|p, q| p.distance(point).total_cmp(&q.distance(point))).expect("three edges")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{self, Domain};
    use superegg::shape::Superellipsoid;

    #[test]
    fn normals_are_the_gradient_and_the_support_returns_to_the_plane() {
        let mut rng = generate::seeded(11);
        let mild = Domain { exponents: 0.3..=1.6, ..Domain::WIDE };
        for _ in 0..500 {
            let shape: Shape = generate::superovoid(&mut rng, &mild).into();
            let scale = crate::pair::largest_radius(&shape);
            let point = point_towards(&shape, generate::direction(&mut rng));
            assert!(offset(&shape, point).abs() < 1e-14 * scale, "{shape:?}");
            let normal = normal_at(&shape, point);
            // Central differences of the inside–outside function across the tangent plane vanish.
            let step = 1e-7 * scale;
            let along = normal.any_orthonormal_vector();
            for tangent in [along, normal.cross(along)] {
                let change =
                    inside_outside(&shape, point + tangent * step) - inside_outside(&shape, point - tangent * step);
                let outward =
                    inside_outside(&shape, point + normal * step) - inside_outside(&shape, point - normal * step);
                assert!(change.abs() < 0.05 * outward, "{shape:?} {point:?}: {change} {outward}");
            }
        }
    }

    #[test]
    fn offset_of_a_sphere_is_exact() {
        let sphere: Shape = Superellipsoid::new([2.0; 3], [1.0; 2]).unwrap().into();
        assert!((offset(&sphere, DVec3::new(0.0, 3.0, 4.0)) - 3.0).abs() < 1e-15);
        assert!((offset(&sphere, DVec3::new(0.0, 0.3, 0.4)) + 1.5).abs() < 1e-15);
    }

    #[test]
    fn closest_points_of_a_triangle() {
        let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
        assert_eq!(closest_on_triangle(triangle, DVec3::new(0.25, 0.25, 3.0)), DVec3::new(0.25, 0.25, 0.0));
        assert_eq!(closest_on_triangle(triangle, DVec3::new(1.0, 1.0, 1.0)), DVec3::new(0.5, 0.5, 0.0));
        assert_eq!(closest_on_triangle(triangle, DVec3::new(-1.0, -1.0, 0.0)), DVec3::ZERO);
        assert_eq!(closest_on_triangle([DVec3::X; 3], DVec3::ZERO), DVec3::X);
    }
}
