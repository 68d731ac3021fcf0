//! Volume, centroid and inertia of hulls, sharp and rounded, in closed form.
//!
//! A sharp hull is a sum of tetrahedra from its centre. What a radius adds are a prism on every face, a sector of a cylinder
//! along every edge, and a part of a ball at every corner: the cone over the spherical polygon Ω of the normals there. Its moments
//! follow from those of the polygon, by Stokes' theorem on the sphere: a harmonic f of degree l has `Δf = -l(l+1) f`, so
//! that its integral over Ω is one along the great arcs around it, on which the direction across is constant.
//! With m the unit vector against an edge, θ the angle of the arc and `L = 2 sin(θ/2)` times the direction of its middle:
//! `∫ n = ½ Σ θ m`, `∫ (n nᵀ - 1/3) = ⅙ Σ (m Lᵀ + L mᵀ)`, and the area of Ω is 2π less the angles of the faces at the corner.

use std::f64::consts::TAU;

use glam::{DMat3, DVec3};

use super::{MassProperties, Polyhedron, edges};

/// `∫ 1`, `∫ x` and `∫ x xᵀ`.
#[derive(Clone, Copy)]
struct Moments {
    zeroth: f64,
    first: DVec3,
    second: DMat3,
}

fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

fn symmetric(a: DVec3, b: DVec3) -> DMat3 {
    outer(a, b) + outer(b, a)
}

impl Moments {
    const NONE: Moments = Moments { zeroth: 0.0, first: DVec3::ZERO, second: DMat3::ZERO };

    fn add(&mut self, zeroth: f64, first: DVec3, second: DMat3) {
        self.zeroth += zeroth;
        self.first += first;
        self.second += second;
    }

    fn properties(&self, centre: DVec3) -> MassProperties {
        let middle = self.first / self.zeroth;
        let about = self.second - outer(middle, middle) * self.zeroth;
        let trace = about.x_axis.x + about.y_axis.y + about.z_axis.z;
        let inertia = DMat3::from_diagonal(DVec3::splat(trace)) - about;
        MassProperties { volume: self.zeroth, centroid: centre + middle, inertia }
    }
}

pub(super) fn sharp(centre: DVec3, local: &[DVec3], triangles: &[[u32; 3]]) -> MassProperties {
    tetrahedra(local, triangles).properties(centre)
}

fn tetrahedra(local: &[DVec3], triangles: &[[u32; 3]]) -> Moments {
    let mut moments = Moments::NONE;
    for triangle in triangles {
        let [a, b, c] = triangle.map(|corner| local[corner as usize]);
        let volume = a.dot(b.cross(c)) / 6.0;
        let sum = a + b + c;
        let squares = outer(sum, sum) + outer(a, a) + outer(b, b) + outer(c, c);
        moments.add(volume, sum * (volume / 4.0), squares * (volume / 20.0));
    }
    moments
}

pub(super) fn rounded(solid: &Polyhedron, radius: f64) -> MassProperties {
    let (local, r) = (&solid.local, radius);
    let mut moments = tetrahedra(local, &solid.triangles);
    // The polygon of normals at each corner: its area, ∫ n, and ∫ (n nᵀ - 1/3).
    let mut corners = vec![(TAU, DVec3::ZERO, DMat3::ZERO); local.len()];
    for (triangle, face) in solid.triangles.iter().zip(&solid.faces) {
        let points = triangle.map(|corner| local[corner as usize]);
        let [a, b, c] = points;
        let area = 0.5 * (b - a).cross(c - a).length();
        let (sum, n) = (a + b + c, face.normal);
        let flat = (outer(sum, sum) + outer(a, a) + outer(b, b) + outer(c, c)) * (area / 12.0);
        let second = flat * r + symmetric(sum, n) * (area * r * r / 6.0) + outer(n, n) * (area * r * r * r / 3.0);
        moments.add(area * r, sum * (area * r / 3.0) + n * (0.5 * area * r * r), second);
        for side in 0..3 {
            let (u, v) = (points[(side + 1) % 3] - points[side], points[(side + 2) % 3] - points[side]);
            corners[triangle[side] as usize].0 -= u.cross(v).length().atan2(u.dot(v));
        }
    }
    for (ends, sides) in edges(&solid.triangles) {
        let [p, q] = ends.map(|corner| local[corner as usize]);
        let [n1, n2] = sides.map(|face| solid.faces[face].normal);
        let angle = n1.cross(n2).length().atan2(n1.dot(n2));
        let (length, along) = (p.distance(q), (q - p).normalize_or_zero());
        let middle = (n1 + n2).normalize_or_zero();
        let across = along.cross(middle);
        let turned = middle * (2.0 * (0.5 * angle).sin());
        let squares = outer(middle, middle) * (0.5 * (angle + angle.sin()))
            + outer(across, across) * (0.5 * (angle - angle.sin()));
        let (sum, sector) = (p + q, 0.5 * angle * r * r);
        let second = (outer(p, p) + outer(q, q) + outer(sum, sum)) * (length * sector / 6.0)
            + symmetric(sum, turned) * (length * r.powi(3) / 6.0)
            + squares * (length * r.powi(4) / 4.0);
        moments.add(length * sector, sum * (0.5 * length * sector) + turned * (length * r.powi(3) / 3.0), second);
        for (corner, against) in ends.into_iter().zip([-along, along]) {
            let (_, first, second) = &mut corners[corner as usize];
            *first += against * (0.5 * angle);
            *second += symmetric(against, turned) / 6.0;
        }
    }
    for (v, (area, first, second)) in local.iter().zip(corners) {
        let second = second + DMat3::from_diagonal(DVec3::splat(area / 3.0));
        let ball = area * r.powi(3) / 3.0;
        moments.add(
            ball,
            *v * ball + first * (r.powi(4) / 4.0),
            outer(*v, *v) * ball + symmetric(*v, first) * (r.powi(4) / 4.0) + second * (r.powi(5) / 5.0),
        );
    }
    moments.properties(solid.centre)
}
