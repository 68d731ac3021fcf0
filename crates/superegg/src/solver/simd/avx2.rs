//! [`Real`] for four `f64` in an AVX2 register with fused multiply-add.
//!
//! The wrappers are only reached from functions that were entered after the CPU was asked for AVX2 and FMA (see
//! [`available`]); everything is inlined into them.

use std::arch::x86_64::*;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

use super::{Lanes, Mask, Real, Several};

/// Number of lanes.
pub(crate) const LANES: usize = 4;

/// Whether this CPU can run the four-lane code.
pub(crate) fn available() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

/// Four numbers.
#[derive(Clone, Copy)]
pub(crate) struct F64x4(__m256d);

/// Four truth values, all bits of a lane set or clear.
#[derive(Clone, Copy)]
pub(crate) struct Mask4(__m256d);

impl F64x4 {
    #[inline(always)]
    pub fn from_array(values: [f64; LANES]) -> F64x4 {
        // SAFETY: the unaligned load reads exactly the array's 32 bytes; AVX is present, see the module's header.
        F64x4(unsafe { _mm256_loadu_pd(values.as_ptr()) })
    }

    #[inline(always)]
    pub fn to_array(self) -> [f64; LANES] {
        let mut values = [0.0; LANES];
        // SAFETY: the unaligned store writes exactly the array's 32 bytes; AVX is present, see the module's header.
        unsafe { _mm256_storeu_pd(values.as_mut_ptr(), self.0) };
        values
    }
}

impl Several for F64x4 {
    const COUNT: usize = 4;

    #[inline(always)]
    fn load(values: &[f64]) -> F64x4 {
        F64x4::gather(|lane| values[lane.min(values.len() - 1)])
    }

    #[inline(always)]
    fn greatest(self) -> f64 {
        let [a, b, c, d] = self.to_array();
        a.max(b).max(c.max(d))
    }
}

impl Lanes for F64x4 {
    const COUNT: usize = LANES;
    type Array = [f64; LANES];

    #[inline(always)]
    fn gather(value: impl Fn(usize) -> f64) -> F64x4 {
        // Not `from_fn`, which would not be inlined.
        F64x4::from_array([value(0), value(1), value(2), value(3)])
    }

    #[inline(always)]
    fn to_array(self) -> [f64; LANES] {
        F64x4::to_array(self)
    }

    #[inline(always)]
    fn bits(mask: Mask4) -> u32 {
        mask.bits() as u32
    }
}

/// Wraps intrinsics that need nothing but the CPU features.
macro_rules! intrinsic {
    ($expression:expr) => {{
        // SAFETY: register arithmetic; AVX2 and FMA are present, see the module's header.
        unsafe { $expression }
    }};
}

macro_rules! operator {
    ($type:ident, $trait:ident, $method:ident, $intrinsic:ident) => {
        impl $trait for $type {
            type Output = $type;
            #[inline(always)]
            fn $method(self, other: $type) -> $type {
                $type(intrinsic!($intrinsic(self.0, other.0)))
            }
        }
    };
}
operator!(F64x4, Add, add, _mm256_add_pd);
operator!(F64x4, Sub, sub, _mm256_sub_pd);
operator!(F64x4, Mul, mul, _mm256_mul_pd);
operator!(F64x4, Div, div, _mm256_div_pd);
operator!(Mask4, BitAnd, bitand, _mm256_and_pd);
operator!(Mask4, BitOr, bitor, _mm256_or_pd);

impl Neg for F64x4 {
    type Output = F64x4;
    #[inline(always)]
    fn neg(self) -> F64x4 {
        F64x4(intrinsic!(_mm256_xor_pd(self.0, _mm256_set1_pd(-0.0))))
    }
}

impl Not for Mask4 {
    type Output = Mask4;
    #[inline(always)]
    fn not(self) -> Mask4 {
        Mask4(intrinsic!(_mm256_xor_pd(self.0, _mm256_castsi256_pd(_mm256_set1_epi64x(-1)))))
    }
}

impl Mask4 {
    /// The lanes as the low four bits.
    #[inline(always)]
    pub fn bits(self) -> i32 {
        intrinsic!(_mm256_movemask_pd(self.0))
    }
}

impl Mask for Mask4 {
    #[inline(always)]
    fn any(self) -> bool {
        self.bits() != 0
    }

    #[inline(always)]
    fn unanimous(self) -> Option<bool> {
        match self.bits() {
            0 => Some(false),
            0b1111 => Some(true),
            _ => None,
        }
    }
}

impl Real for F64x4 {
    type Mask = Mask4;

    #[inline(always)]
    fn splat(value: f64) -> F64x4 {
        F64x4(intrinsic!(_mm256_set1_pd(value)))
    }

    #[inline(always)]
    fn mul_add(self, factor: F64x4, term: F64x4) -> F64x4 {
        F64x4(intrinsic!(_mm256_fmadd_pd(self.0, factor.0, term.0)))
    }

    #[inline(always)]
    fn abs(self) -> F64x4 {
        F64x4(intrinsic!(_mm256_andnot_pd(_mm256_set1_pd(-0.0), self.0)))
    }

    #[inline(always)]
    fn sqrt(self) -> F64x4 {
        F64x4(intrinsic!(_mm256_sqrt_pd(self.0)))
    }

    #[inline(always)]
    fn max(self, other: F64x4) -> F64x4 {
        // The instruction gives its second operand when either is NaN.
        F64x4(intrinsic!(_mm256_max_pd(self.0, other.0)))
    }

    #[inline(always)]
    fn min(self, other: F64x4) -> F64x4 {
        F64x4(intrinsic!(_mm256_min_pd(self.0, other.0)))
    }

    #[inline(always)]
    fn copysign(self, sign: F64x4) -> F64x4 {
        let sign_bit = F64x4::splat(-0.0);
        F64x4(intrinsic!(_mm256_or_pd(_mm256_andnot_pd(sign_bit.0, self.0), _mm256_and_pd(sign_bit.0, sign.0))))
    }

    #[inline(always)]
    fn lt(self, other: F64x4) -> Mask4 {
        Mask4(intrinsic!(_mm256_cmp_pd::<_CMP_LT_OQ>(self.0, other.0)))
    }

    #[inline(always)]
    fn select(mask: Mask4, yes: F64x4, no: F64x4) -> F64x4 {
        F64x4(intrinsic!(_mm256_blendv_pd(no.0, yes.0, mask.0)))
    }

    #[inline(always)]
    fn split(self) -> (F64x4, F64x4) {
        intrinsic!({
            let bits = _mm256_castpd_si256(self.0);
            let offset = _mm256_sub_epi64(bits, _mm256_set1_epi64x(0x3fe6_a09e_667f_3bcd));
            let exponent_bits = _mm256_and_si256(offset, _mm256_set1_epi64x(0xfff << 52));
            let mantissa = _mm256_castsi256_pd(_mm256_sub_epi64(bits, exponent_bits));
            // The signed 12-bit exponent field, turned into a float by planting it in the mantissa of 1.5 * 2^52: the
            // arithmetic shift that AVX2 lacks is had by biasing the field to be positive.
            let biased = _mm256_srli_epi64::<52>(_mm256_add_epi64(exponent_bits, _mm256_set1_epi64x(0x400 << 52)));
            let planted = _mm256_or_si256(biased, _mm256_set1_epi64x(0x4330_0000_0000_0000));
            let exponent = _mm256_sub_pd(_mm256_castsi256_pd(planted), _mm256_set1_pd(4503599627370496.0 + 1024.0));
            (F64x4(mantissa), F64x4(exponent))
        })
    }

    #[inline(always)]
    fn scale(self, exponent: F64x4) -> F64x4 {
        intrinsic!({
            // Adding 1.5 * 2^52 leaves the integer in the low bits.
            let planted = _mm256_castpd_si256(_mm256_add_pd(exponent.0, _mm256_set1_pd(6755399441055744.0)));
            let shifted = _mm256_slli_epi64::<52>(planted);
            F64x4(_mm256_castsi256_pd(_mm256_add_epi64(_mm256_castpd_si256(self.0), shifted)))
        })
    }
}
