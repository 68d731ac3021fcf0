//! Distance along an edge, with compliance and a limit of strain.
//!
//! `C = |x1 - x0| - rest`. Where the softened projection would leave the edge longer than its limit (Provot 1995, as told
//! in paper 000 section 2.2.1) it is shortened to that instead. Edges that are too short may have another compliance: real
//! cloth gives way by buckling at a scale that no mesh shows, and a mesh that does not store energy in folds that contacts
//! press together.

use super::coloured::Constraint;
use super::packed::Packed;

/// An edge that resists stretching.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    pub particles: [u32; 2],
    /// Rest length, in metres.
    pub rest: f64,
    /// One over the stiffness, in metres a newton.
    pub compliance: f64,
    /// The same while it is shorter than at rest.
    pub compression: f64,
    /// Longest length, in metres; infinite for none.
    pub longest: f64,
}

/// Four edges.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(crate) struct StretchQuad {
    rest: [f64; 4],
    compliance: [f64; 4],
    compression: [f64; 4],
    longest: [f64; 4],
    from: [u32; 4],
    to: [u32; 4],
}

impl Constraint<2> for Stretch {
    type Quad = StretchQuad;

    fn particles(&self) -> [u32; 2] {
        self.particles
    }

    #[inline(always)]
    fn project(&self, [a, b]: &mut [Packed; 2], inverse_h_sq: f64) {
        let (x, y, z) = (b.x - a.x, b.y - a.y, b.z - a.z);
        let length = (x * x + y * y + z * z).sqrt();
        let weight = a.w + b.w;
        if !(length > 0.0 && weight > 0.0) {
            return;
        }
        // The part of the edge by which it is to be shortened, a unit of weight.
        let compliance = if length < self.rest { self.compression } else { self.compliance };
        let mut part = (length - self.rest) / ((weight + compliance * inverse_h_sq) * length);
        if length - weight * part * length > self.longest {
            part = (length - self.longest) / (weight * length);
        }
        let (pa, pb) = (part * a.w, part * b.w);
        (a.x, a.y, a.z) = (a.x + x * pa, a.y + y * pa, a.z + z * pa);
        (b.x, b.y, b.z) = (b.x - x * pb, b.y - y * pb, b.z - z * pb);
    }

    fn quad(four: [Stretch; 4]) -> Option<StretchQuad> {
        Some(StretchQuad {
            rest: four.map(|edge| edge.rest),
            compliance: four.map(|edge| edge.compliance),
            compression: four.map(|edge| edge.compression),
            longest: four.map(|edge| edge.longest),
            from: four.map(|edge| edge.particles[0]),
            to: four.map(|edge| edge.particles[1]),
        })
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn project_quad(quad: &StretchQuad, particles: *mut Packed, inverse_h_sq: f64) {
        use std::arch::x86_64::*;

        use super::packed::lanes::{Four, load, store};

        // SAFETY: the arrays are aligned to 32 bytes; the particles are the caller's care.
        unsafe {
            let (a, b) = (load(particles, &quad.from), load(particles, &quad.to));
            let (rest, longest) = (_mm256_load_pd(quad.rest.as_ptr()), _mm256_load_pd(quad.longest.as_ptr()));
            let (x, y, z) = (_mm256_sub_pd(b.x, a.x), _mm256_sub_pd(b.y, a.y), _mm256_sub_pd(b.z, a.z));
            let length_sq = _mm256_add_pd(_mm256_add_pd(_mm256_mul_pd(x, x), _mm256_mul_pd(y, y)), _mm256_mul_pd(z, z));
            let length = _mm256_sqrt_pd(length_sq);
            let (stretch, press) =
                (_mm256_load_pd(quad.compliance.as_ptr()), _mm256_load_pd(quad.compression.as_ptr()));
            let compliance = _mm256_blendv_pd(stretch, press, _mm256_cmp_pd::<_CMP_LT_OQ>(length, rest));
            let softness = _mm256_mul_pd(compliance, _mm256_set1_pd(inverse_h_sq));
            let weight = _mm256_add_pd(a.w, b.w);
            let zero = _mm256_setzero_pd();
            let sound =
                _mm256_and_pd(_mm256_cmp_pd::<_CMP_GT_OQ>(length, zero), _mm256_cmp_pd::<_CMP_GT_OQ>(weight, zero));
            let resistance = _mm256_mul_pd(_mm256_add_pd(weight, softness), length);
            let mut part = _mm256_div_pd(_mm256_sub_pd(length, rest), resistance);
            let left = _mm256_sub_pd(length, _mm256_mul_pd(_mm256_mul_pd(weight, part), length));
            let long = _mm256_cmp_pd::<_CMP_GT_OQ>(left, longest);
            if _mm256_movemask_pd(long) != 0 {
                let cut = _mm256_div_pd(_mm256_sub_pd(length, longest), _mm256_mul_pd(weight, length));
                part = _mm256_blendv_pd(part, cut, long);
            }
            part = _mm256_and_pd(part, sound);
            let (pa, pb) = (_mm256_mul_pd(part, a.w), _mm256_mul_pd(part, b.w));
            let add = |to, step, part| _mm256_add_pd(to, _mm256_mul_pd(step, part));
            let sub = |to, step, part| _mm256_sub_pd(to, _mm256_mul_pd(step, part));
            let moved_a = Four { x: add(a.x, x, pa), y: add(a.y, y, pa), z: add(a.z, z, pa), w: a.w };
            let moved_b = Four { x: sub(b.x, x, pb), y: sub(b.y, y, pb), z: sub(b.z, z, pb), w: b.w };
            store(particles, &quad.from, moved_a);
            store(particles, &quad.to, moved_b);
        }
    }
}
