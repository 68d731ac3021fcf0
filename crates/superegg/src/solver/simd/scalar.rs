//! [`Real`] for a single `f64`.

use super::{Mask, Real};

impl Mask for bool {
    #[inline(always)]
    fn any(self) -> bool {
        self
    }

    #[inline(always)]
    fn unanimous(self) -> Option<bool> {
        Some(self)
    }
}

/// Bits of sqrt(1/2), the lower end of the mantissa range of [`Real::split`].
const SQRT_HALF_BITS: i64 = 0x3fe6_a09e_667f_3bcd;
const EXPONENT_BITS: i64 = 0xfff << 52;

impl Real for f64 {
    type Mask = bool;

    #[inline(always)]
    fn splat(value: f64) -> f64 {
        value
    }

    #[inline(always)]
    fn mul_add(self, factor: f64, term: f64) -> f64 {
        // Without the hardware instruction `f64::mul_add` is a slow library call.
        if cfg!(target_feature = "fma") { f64::mul_add(self, factor, term) } else { self * factor + term }
    }

    #[inline(always)]
    fn abs(self) -> f64 {
        f64::abs(self)
    }

    #[inline(always)]
    fn sqrt(self) -> f64 {
        f64::sqrt(self)
    }

    #[inline(always)]
    fn max(self, other: f64) -> f64 {
        if self > other { self } else { other }
    }

    #[inline(always)]
    fn min(self, other: f64) -> f64 {
        if self < other { self } else { other }
    }

    #[inline(always)]
    fn copysign(self, sign: f64) -> f64 {
        f64::copysign(self, sign)
    }

    #[inline(always)]
    fn lt(self, other: f64) -> bool {
        self < other
    }

    #[inline(always)]
    fn select(mask: bool, yes: f64, no: f64) -> f64 {
        if mask { yes } else { no }
    }

    #[inline(always)]
    fn split(self) -> (f64, f64) {
        let bits = self.to_bits() as i64;
        let exponent = (bits.wrapping_sub(SQRT_HALF_BITS)) & EXPONENT_BITS;
        (f64::from_bits((bits - exponent) as u64), (exponent >> 52) as f64)
    }

    #[inline(always)]
    fn scale(self, exponent: f64) -> f64 {
        f64::from_bits((self.to_bits() as i64).wrapping_add((exponent as i64) << 52) as u64)
    }
}
