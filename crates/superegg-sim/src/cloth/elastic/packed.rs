//! Particles as the constraints see them: position and inverse mass side by side, one vector register each.

use glam::DVec3;

/// Position in x, y, z, inverse mass in w.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct Packed {
    pub x: f64,
    pub y: f64,
    pub z: f64,
    pub w: f64,
}

impl Packed {
    #[inline(always)]
    pub fn new(position: DVec3, inverse_mass: f64) -> Packed {
        Packed { x: position.x, y: position.y, z: position.z, w: inverse_mass }
    }

    #[inline(always)]
    pub fn position(&self) -> DVec3 {
        DVec3::new(self.x, self.y, self.z)
    }

    #[inline(always)]
    pub fn set_position(&mut self, position: DVec3) {
        *self = Packed::new(position, self.w);
    }
}

/// Four particles at a time, coordinate by coordinate. Everything is multiplied and added in the same order as in the
/// scalar code and never fused, so both give the same bits.
#[cfg(target_arch = "x86_64")]
pub(crate) mod lanes {
    use std::arch::x86_64::*;

    use super::Packed;

    /// Four particles, a register a coordinate.
    #[derive(Clone, Copy)]
    pub struct Four {
        pub x: __m256d,
        pub y: __m256d,
        pub z: __m256d,
        pub w: __m256d,
    }

    /// # Safety
    /// The CPU has AVX2, and the indices are within the particles.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub unsafe fn load(particles: *const Packed, indices: &[u32; 4]) -> Four {
        // SAFETY: in range by the caller; `Packed` is 32 bytes, aligned to 32.
        let [a, b, c, d] = indices.map(|i| unsafe { _mm256_load_pd(particles.add(i as usize).cast()) });
        let (ab_xz, ab_yw) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
        let (cd_xz, cd_yw) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
        Four {
            x: _mm256_permute2f128_pd::<0x20>(ab_xz, cd_xz),
            y: _mm256_permute2f128_pd::<0x20>(ab_yw, cd_yw),
            z: _mm256_permute2f128_pd::<0x31>(ab_xz, cd_xz),
            w: _mm256_permute2f128_pd::<0x31>(ab_yw, cd_yw),
        }
    }

    /// # Safety
    /// The CPU has AVX2, the indices are within the particles, and nobody else uses these.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub unsafe fn store(particles: *mut Packed, indices: &[u32; 4], four: Four) {
        let (ab_lo, ab_hi) = (_mm256_unpacklo_pd(four.x, four.y), _mm256_unpackhi_pd(four.x, four.y));
        let (cd_lo, cd_hi) = (_mm256_unpacklo_pd(four.z, four.w), _mm256_unpackhi_pd(four.z, four.w));
        let rows = [
            _mm256_permute2f128_pd::<0x20>(ab_lo, cd_lo),
            _mm256_permute2f128_pd::<0x20>(ab_hi, cd_hi),
            _mm256_permute2f128_pd::<0x31>(ab_lo, cd_lo),
            _mm256_permute2f128_pd::<0x31>(ab_hi, cd_hi),
        ];
        for (&i, row) in indices.iter().zip(rows) {
            // SAFETY: in range by the caller; `Packed` is 32 bytes, aligned to 32.
            unsafe { _mm256_store_pd(particles.add(i as usize).cast(), row) };
        }
    }
}
