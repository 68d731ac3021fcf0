//! [`Real`] for eight `f64` in an AVX-512 register.
//!
//! The wrappers are only reached from functions that were entered after the CPU was asked for AVX-512 F and DQ (see
//! [`available`]); everything is inlined into them.

use std::arch::x86_64::*;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

use super::{Lanes, Mask, Real};

/// Number of lanes.
const LANES: usize = 8;

/// Whether this CPU can run the eight-lane code.
pub(crate) fn available() -> bool {
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") && super::avx2::available()
}

/// Eight numbers.
#[derive(Clone, Copy)]
pub(crate) struct F64x8(__m512d);

/// Eight truth values, a bit a lane.
#[derive(Clone, Copy)]
pub(crate) struct Mask8(u8);

impl Lanes for F64x8 {
    const COUNT: usize = LANES;
    type Array = [f64; LANES];

    #[inline(always)]
    fn gather(value: impl Fn(usize) -> f64) -> F64x8 {
        // Not `from_fn`, which would not be inlined.
        let values = [value(0), value(1), value(2), value(3), value(4), value(5), value(6), value(7)];
        // SAFETY: the unaligned load reads exactly the array's 64 bytes; AVX-512 is present, see the module's header.
        F64x8(unsafe { _mm512_loadu_pd(values.as_ptr()) })
    }

    #[inline(always)]
    fn to_array(self) -> [f64; LANES] {
        let mut values = [0.0; LANES];
        // SAFETY: the unaligned store writes exactly the array's 64 bytes; AVX-512 is present, see the module's header.
        unsafe { _mm512_storeu_pd(values.as_mut_ptr(), self.0) };
        values
    }

    #[inline(always)]
    fn bits(mask: Mask8) -> u32 {
        mask.0.into()
    }
}

/// Wraps intrinsics that need nothing but the CPU features.
macro_rules! intrinsic {
    ($expression:expr) => {{
        // SAFETY: register arithmetic; AVX-512 is present, see the module's header.
        unsafe { $expression }
    }};
}

macro_rules! operator {
    ($trait:ident, $method:ident, $intrinsic:ident) => {
        impl $trait for F64x8 {
            type Output = F64x8;
            #[inline(always)]
            fn $method(self, other: F64x8) -> F64x8 {
                F64x8(intrinsic!($intrinsic(self.0, other.0)))
            }
        }
    };
}
operator!(Add, add, _mm512_add_pd);
operator!(Sub, sub, _mm512_sub_pd);
operator!(Mul, mul, _mm512_mul_pd);
operator!(Div, div, _mm512_div_pd);

impl Neg for F64x8 {
    type Output = F64x8;
    #[inline(always)]
    fn neg(self) -> F64x8 {
        F64x8(intrinsic!(_mm512_xor_pd(self.0, _mm512_set1_pd(-0.0))))
    }
}

impl BitAnd for Mask8 {
    type Output = Mask8;
    #[inline(always)]
    fn bitand(self, other: Mask8) -> Mask8 {
        Mask8(self.0 & other.0)
    }
}

impl BitOr for Mask8 {
    type Output = Mask8;
    #[inline(always)]
    fn bitor(self, other: Mask8) -> Mask8 {
        Mask8(self.0 | other.0)
    }
}

impl Not for Mask8 {
    type Output = Mask8;
    #[inline(always)]
    fn not(self) -> Mask8 {
        Mask8(!self.0)
    }
}

impl Mask for Mask8 {
    #[inline(always)]
    fn any(self) -> bool {
        self.0 != 0
    }

    #[inline(always)]
    fn unanimous(self) -> Option<bool> {
        match self.0 {
            0 => Some(false),
            u8::MAX => Some(true),
            _ => None,
        }
    }
}

impl Real for F64x8 {
    type Mask = Mask8;

    #[inline(always)]
    fn splat(value: f64) -> F64x8 {
        F64x8(intrinsic!(_mm512_set1_pd(value)))
    }

    #[inline(always)]
    fn mul_add(self, factor: F64x8, term: F64x8) -> F64x8 {
        F64x8(intrinsic!(_mm512_fmadd_pd(self.0, factor.0, term.0)))
    }

    #[inline(always)]
    fn abs(self) -> F64x8 {
        F64x8(intrinsic!(_mm512_andnot_pd(_mm512_set1_pd(-0.0), self.0)))
    }

    #[inline(always)]
    fn sqrt(self) -> F64x8 {
        F64x8(intrinsic!(_mm512_sqrt_pd(self.0)))
    }

    #[inline(always)]
    fn max(self, other: F64x8) -> F64x8 {
        // The instruction gives its second operand when either is NaN.
        F64x8(intrinsic!(_mm512_max_pd(self.0, other.0)))
    }

    #[inline(always)]
    fn min(self, other: F64x8) -> F64x8 {
        F64x8(intrinsic!(_mm512_min_pd(self.0, other.0)))
    }

    #[inline(always)]
    fn copysign(self, sign: F64x8) -> F64x8 {
        let bit = F64x8::splat(-0.0);
        F64x8(intrinsic!(_mm512_or_pd(_mm512_andnot_pd(bit.0, self.0), _mm512_and_pd(bit.0, sign.0))))
    }

    #[inline(always)]
    fn lt(self, other: F64x8) -> Mask8 {
        Mask8(intrinsic!(_mm512_cmp_pd_mask::<_CMP_LT_OQ>(self.0, other.0)))
    }

    #[inline(always)]
    fn select(mask: Mask8, yes: F64x8, no: F64x8) -> F64x8 {
        F64x8(intrinsic!(_mm512_mask_blend_pd(mask.0, no.0, yes.0)))
    }

    #[inline(always)]
    fn split(self) -> (F64x8, F64x8) {
        intrinsic!({
            let bits = _mm512_castpd_si512(self.0);
            let offset = _mm512_sub_epi64(bits, _mm512_set1_epi64(0x3fe6_a09e_667f_3bcd));
            let exponent_bits = _mm512_and_si512(offset, _mm512_set1_epi64(0xfff << 52));
            let mantissa = _mm512_castsi512_pd(_mm512_sub_epi64(bits, exponent_bits));
            (F64x8(mantissa), F64x8(_mm512_cvtepi64_pd(_mm512_srai_epi64::<52>(exponent_bits))))
        })
    }

    #[inline(always)]
    fn scale(self, exponent: F64x8) -> F64x8 {
        F64x8(intrinsic!(_mm512_scalef_pd(self.0, exponent.0)))
    }
}
