//! [`Real`] for a single `f64` on CPUs with fused multiply-add.
//!
//! Only to be used inside functions that enable the instruction: elsewhere `mul_add` would be a slow library call.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::Real;

/// One number.
#[derive(Clone, Copy)]
pub(crate) struct Fused(pub f64);

macro_rules! operator {
    ($trait:ident, $method:ident) => {
        impl $trait for Fused {
            type Output = Fused;
            #[inline(always)]
            fn $method(self, other: Fused) -> Fused {
                Fused(self.0.$method(other.0))
            }
        }
    };
}
operator!(Add, add);
operator!(Sub, sub);
operator!(Mul, mul);
operator!(Div, div);

impl Neg for Fused {
    type Output = Fused;
    #[inline(always)]
    fn neg(self) -> Fused {
        Fused(-self.0)
    }
}

impl From<Fused> for f64 {
    #[inline(always)]
    fn from(value: Fused) -> f64 {
        value.0
    }
}

impl Real for Fused {
    type Mask = bool;

    #[inline(always)]
    fn splat(value: f64) -> Fused {
        Fused(value)
    }

    #[inline(always)]
    fn mul_add(self, factor: Fused, term: Fused) -> Fused {
        Fused(f64::mul_add(self.0, factor.0, term.0))
    }

    #[inline(always)]
    fn abs(self) -> Fused {
        Fused(self.0.abs())
    }

    #[inline(always)]
    fn sqrt(self) -> Fused {
        Fused(self.0.sqrt())
    }

    #[inline(always)]
    fn max(self, other: Fused) -> Fused {
        Fused(Real::max(self.0, other.0))
    }

    #[inline(always)]
    fn min(self, other: Fused) -> Fused {
        Fused(Real::min(self.0, other.0))
    }

    #[inline(always)]
    fn copysign(self, sign: Fused) -> Fused {
        Fused(self.0.copysign(sign.0))
    }

    #[inline(always)]
    fn lt(self, other: Fused) -> bool {
        self.0 < other.0
    }

    #[inline(always)]
    fn select(mask: bool, yes: Fused, no: Fused) -> Fused {
        if mask { yes } else { no }
    }

    #[inline(always)]
    fn split(self) -> (Fused, Fused) {
        let (mantissa, exponent) = self.0.split();
        (Fused(mantissa), Fused(exponent))
    }

    #[inline(always)]
    fn scale(self, exponent: Fused) -> Fused {
        Fused(self.0.scale(exponent.0))
    }
}
