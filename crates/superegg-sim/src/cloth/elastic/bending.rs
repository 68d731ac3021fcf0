//! Resistance to bending across an edge, in two forms.
//!
//! **Isometric** (Bergou et al. 2006): for a sheet that is flat at rest and hardly stretches, the bending energy is a
//! quadratic form of rank one a coordinate, `E = k/2 |Σ c_j x_j|²` with cotangent weights. Instead of the scalar `C = E`
//! of the position-based literature the vector `C = Σ c_j x_j` is projected, which is linear: one exact solve, no root.
//!
//! **Dihedral** (Müller et al. 2007): `C = θ - θ0` for the angle between the two triangles, for shapes of any rest angle.

use glam::DVec3;

use super::coloured::Constraint;
use super::packed::Packed;

/// Bending of a flat sheet at an edge between particles 0 and 1, with 2 and 3 opposite.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Isometric {
    pub particles: [u32; 4],
    /// Weights of particles 1, 2 and 3; that of 0 makes their sum zero. Single precision halves the memory to be read, and
    /// its rounding changes the stiffness, not the balance of forces.
    pub weights: [f32; 3],
    /// One over the bending stiffness in newton metres.
    pub compliance: f32,
}

/// Four edges.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub(crate) struct IsometricQuad {
    weights: [[f32; 4]; 3],
    compliance: [f32; 4],
    particles: [[u32; 4]; 4],
}

impl Isometric {
    /// From rest positions; `None` where a triangle has no area.
    pub fn new(particles: [u32; 4], rest: [DVec3; 4], compliance: f64) -> Option<Isometric> {
        let [x0, x1, x2, x3] = rest;
        let cotangent = |u: DVec3, v: DVec3| u.dot(v) / u.cross(v).length();
        let edge = x1 - x0;
        let (at_0_2, at_0_3) = (cotangent(edge, x2 - x0), cotangent(edge, x3 - x0));
        let (at_1_2, at_1_3) = (cotangent(-edge, x2 - x1), cotangent(-edge, x3 - x1));
        let area = 0.5 * (edge.cross(x2 - x0).length() + edge.cross(x3 - x0).length());
        let scale = (3.0 / area).sqrt();
        let weights = [at_0_2 + at_0_3, -at_0_2 - at_1_2, -at_0_3 - at_1_3].map(|c| (c * scale) as f32);
        let sound = weights.iter().all(|c| c.is_finite()) && weights != [0.0; 3];
        sound.then_some(Isometric { particles, weights, compliance: compliance as f32 })
    }
}

impl Constraint<4> for Isometric {
    type Quad = IsometricQuad;

    fn particles(&self) -> [u32; 4] {
        self.particles
    }

    #[inline(always)]
    fn project(&self, p: &mut [Packed; 4], inverse_h_sq: f64) {
        let [c1, c2, c3] = self.weights.map(f64::from);
        let c0 = -((c1 + c2) + c3);
        let mut bent = [0.0; 3];
        for (bent, of) in bent.iter_mut().zip([|p: &Packed| p.x, |p: &Packed| p.y, |p: &Packed| p.z]) {
            let [x0, x1, x2, x3] = [0, 1, 2, 3].map(|i| of(&p[i]));
            *bent = (x1 - x0) * c1 + (x2 - x0) * c2 + (x3 - x0) * c3;
        }
        let c = [c0, c1, c2, c3];
        let weight = ((p[0].w * c0 * c0 + p[1].w * c1 * c1) + p[2].w * c2 * c2) + p[3].w * c3 * c3;
        let denominator = weight + f64::from(self.compliance) * inverse_h_sq;
        // Without weight or compliance there is nothing to move.
        let part = if denominator > 0.0 { 1.0 / denominator } else { 0.0 };
        let [x, y, z] = bent.map(|b| b * part);
        for (p, c) in p.iter_mut().zip(c) {
            let step = p.w * c;
            (p.x, p.y, p.z) = (p.x - x * step, p.y - y * step, p.z - z * step);
        }
    }

    fn quad(four: [Isometric; 4]) -> Option<IsometricQuad> {
        Some(IsometricQuad {
            weights: [0, 1, 2].map(|i| four.map(|bend| bend.weights[i])),
            compliance: four.map(|bend| bend.compliance),
            particles: [0, 1, 2, 3].map(|i| four.map(|bend| bend.particles[i])),
        })
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn project_quad(quad: &IsometricQuad, particles: *mut Packed, inverse_h_sq: f64) {
        use std::arch::x86_64::*;

        use super::packed::lanes::{Four, load, store};

        // SAFETY: the arrays are aligned to 16 bytes; the particles are the caller's care.
        unsafe {
            let wide = |four: &[f32; 4]| _mm256_cvtps_pd(_mm_load_ps(four.as_ptr()));
            let [c1, c2, c3] = [wide(&quad.weights[0]), wide(&quad.weights[1]), wide(&quad.weights[2])];
            let zero = _mm256_setzero_pd();
            let sum = _mm256_add_pd(_mm256_add_pd(c1, c2), c3);
            // The sign alone, as the scalar code does it.
            let c0 = _mm256_xor_pd(sum, _mm256_set1_pd(-0.0));
            let [p0, p1, p2, p3] = [
                load(particles, &quad.particles[0]),
                load(particles, &quad.particles[1]),
                load(particles, &quad.particles[2]),
                load(particles, &quad.particles[3]),
            ];
            let (mul, add, sub) = (|a, b| _mm256_mul_pd(a, b), |a, b| _mm256_add_pd(a, b), |a, b| _mm256_sub_pd(a, b));
            let bent = |x0, x1, x2, x3| add(add(mul(sub(x1, x0), c1), mul(sub(x2, x0), c2)), mul(sub(x3, x0), c3));
            let (x, y, z) = (bent(p0.x, p1.x, p2.x, p3.x), bent(p0.y, p1.y, p2.y, p3.y), bent(p0.z, p1.z, p2.z, p3.z));
            let square = |w, c| mul(mul(w, c), c);
            let weight = add(add(add(square(p0.w, c0), square(p1.w, c1)), square(p2.w, c2)), square(p3.w, c3));
            let denominator = add(weight, mul(wide(&quad.compliance), _mm256_set1_pd(inverse_h_sq)));
            let sound = _mm256_cmp_pd::<_CMP_GT_OQ>(denominator, zero);
            let part = _mm256_and_pd(_mm256_div_pd(_mm256_set1_pd(1.0), denominator), sound);
            let (x, y, z) = (mul(x, part), mul(y, part), mul(z, part));
            for ((p, c), indices) in [(p0, c0), (p1, c1), (p2, c2), (p3, c3)].into_iter().zip(&quad.particles) {
                let step = mul(p.w, c);
                let moved =
                    Four { x: sub(p.x, mul(x, step)), y: sub(p.y, mul(y, step)), z: sub(p.z, mul(z, step)), w: p.w };
                store(particles, indices, moved);
            }
        }
    }
}

/// The angle at an edge between particles 0 and 1, with 2 and 3 opposite.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dihedral {
    pub particles: [u32; 4],
    /// Angle between the normals at rest, in radians, positive when 2 and 3 are bent towards the side that the
    /// triangle 0, 1, 2 sees anticlockwise.
    pub rest: f64,
    /// One over the stiffness in newton metres a radian.
    pub compliance: f64,
}

impl Constraint<4> for Dihedral {
    type Quad = ();

    fn particles(&self) -> [u32; 4] {
        self.particles
    }

    fn project(&self, particles: &mut [Packed; 4], inverse_h_sq: f64) {
        let mut positions = particles.map(|p| p.position());
        self.project_points(&mut positions, particles.map(|p| p.w), inverse_h_sq);
        for (particle, position) in particles.iter_mut().zip(positions) {
            particle.set_position(position);
        }
    }

    fn quad(_: [Dihedral; 4]) -> Option<()> {
        None
    }

    #[cfg(target_arch = "x86_64")]
    unsafe fn project_quad(_: &(), _: *mut Packed, _: f64) {}
}

/// Normals shorter than this, relative to the edge's square, are of triangles without area.
const FLAT: f64 = 1e-9;

impl Dihedral {
    /// The signed angle between the two triangles' normals, zero when flat; `None` where one has no area.
    pub fn angle([x0, x1, x2, x3]: &[DVec3; 4]) -> Option<f64> {
        let edge = *x1 - *x0;
        let n1 = edge.cross(*x2 - *x0);
        let n2 = (*x3 - *x0).cross(edge);
        let length = edge.length();
        let sound = n1.length().min(n2.length()) > FLAT * length * length && length > 0.0;
        sound.then(|| n1.cross(n2).dot(edge / length).atan2(n1.dot(n2)))
    }

    fn project_points(&self, x: &mut [DVec3; 4], w: [f64; 4], inverse_h_sq: f64) {
        let Some(angle) = Dihedral::angle(x) else { return };
        let edge = x[1] - x[0];
        let length = edge.length();
        let n1 = edge.cross(x[2] - x[0]);
        let n2 = (x[3] - x[0]).cross(edge);
        // Gradients of the angle (Bridson, Marino and Fedkiw 2003).
        let (u1, u2) = (n1 / n1.length_squared(), n2 / n2.length_squared());
        let g2 = u1 * -length;
        let g3 = u2 * -length;
        let at = |p: DVec3| (p - x[0]).dot(edge) / (length * length);
        let (t2, t3) = (at(x[2]), at(x[3]));
        let g0 = -(g2 * (1.0 - t2) + g3 * (1.0 - t3));
        let g1 = -(g2 * t2 + g3 * t3);
        let gradients = [g0, g1, g2, g3];
        let weight: f64 = gradients.iter().zip(w).map(|(g, w)| w * g.length_squared()).sum();
        // The shorter way round, so that a fold past 180° is not turned back through a whole turn.
        let turn = std::f64::consts::TAU;
        let bent = angle - self.rest;
        let bent = bent - turn * (bent / turn).round();
        let denominator = weight + self.compliance * inverse_h_sq;
        if denominator > 0.0 {
            let push = bent / denominator;
            for ((point, gradient), w) in x.iter_mut().zip(gradients).zip(w) {
                *point -= gradient * (push * w);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random_points(random: &mut fastrand::Rng) -> [DVec3; 4] {
        let mut coordinate = || random.f64() - 0.5;
        let mut jitter = || DVec3::new(coordinate(), coordinate(), coordinate()) * 0.8;
        [jitter(), DVec3::X + jitter(), DVec3::new(0.5, 1.0, 0.0) + jitter(), DVec3::new(0.5, -1.0, 0.0) + jitter()]
    }

    #[test]
    fn dihedral_gradients_match_differences() {
        // A projection without compliance moves along the gradient to where the angle is the rest angle, to first order.
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..200 {
            let points = random_points(&mut random);
            let Some(angle) = Dihedral::angle(&points) else { continue };
            let wanted = 1e-6;
            let bend = Dihedral { particles: [0, 1, 2, 3], rest: angle - wanted, compliance: 0.0 };
            let mut moved = points;
            bend.project_points(&mut moved, [1.0, 2.0, 0.5, 1.0], 1.0);
            let change = angle - Dihedral::angle(&moved).unwrap();
            assert!((change / wanted - 1.0).abs() < 1e-3, "{change:e} instead of {wanted:e}");
            // No net push: the center of mass stays.
            let masses = [1.0, 0.5, 2.0, 1.0];
            let drift: DVec3 = (0..4).map(|i| (moved[i] - points[i]) * masses[i]).sum();
            assert!(drift.length() < 1e-14, "{drift}");
        }
    }

    #[test]
    fn isometric_bending_ignores_flat_shapes_wherever_they_are() {
        let rest = [DVec3::ZERO, DVec3::X, DVec3::new(0.3, 0.9, 0.0), DVec3::new(0.6, -0.7, 0.0)];
        let bend = Isometric::new([0, 1, 2, 3], rest, 0.0).unwrap();
        let turned = glam::DQuat::from_rotation_x(1.0) * glam::DQuat::from_rotation_z(2.0);
        let start = rest.map(|p| Packed::new(turned * p + DVec3::splat(30.0), 1.0));
        let mut points = start;
        bend.project(&mut points, 1.0);
        assert!(points.iter().zip(start).all(|(p, q)| p.position().distance(q.position()) < 1e-6));
        let mut folded = rest.map(|p| Packed::new(p, 1.0));
        folded[2].z += 0.3;
        bend.project(&mut folded, 1.0);
        let flat = folded.map(|p| p.position());
        assert!(Dihedral::angle(&flat).unwrap().abs() < 1e-6, "one projection makes it flat");
    }
}
