//! [`Lane`] as plain arrays, for every CPU and both precisions.

use std::array::from_fn;
use std::ops::{Add, Div, Mul, Sub};

use super::{Lane, WIDTH};

/// Eight numbers in an array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable<S>(pub [S; WIDTH]);

macro_rules! operator {
    ($scalar:ty, $($trait:ident $method:ident),*) => {$(
        impl $trait for Portable<$scalar> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Portable(from_fn(|i| self.0[i].$method(other.0[i])))
            }
        }
    )*};
}

macro_rules! lane {
    ($scalar:ident, $int:ident, $log_terms:expr, $exp_terms:expr) => {
        operator!($scalar, Add add, Sub sub, Mul mul, Div div);

        impl Lane for Portable<$scalar> {
            type Scalar = $scalar;
            const LOG_TERMS: usize = $log_terms;
            const EXP_TERMS: usize = $exp_terms;

            #[inline(always)]
            fn splat(value: f64) -> Self {
                Portable([value as $scalar; WIDTH])
            }

            #[inline(always)]
            fn load(values: &[$scalar; WIDTH]) -> Self {
                Portable(*values)
            }

            #[inline(always)]
            fn mul_add(self, factor: Self, term: Self) -> Self {
                // Not fused: without the hardware's instruction that would be a slow call.
                self * factor + term
            }

            #[inline(always)]
            fn abs(self) -> Self {
                Portable(self.0.map(|x| x.abs()))
            }

            #[inline(always)]
            fn sqrt(self) -> Self {
                Portable(self.0.map(|x| x.sqrt()))
            }

            #[inline(always)]
            fn max(self, other: Self) -> Self {
                Portable(from_fn(|i| if self.0[i] > other.0[i] { self.0[i] } else { other.0[i] }))
            }

            #[inline(always)]
            fn min(self, other: Self) -> Self {
                Portable(from_fn(|i| if self.0[i] < other.0[i] { self.0[i] } else { other.0[i] }))
            }

            #[inline(always)]
            fn copysign(self, sign: Self) -> Self {
                Portable(from_fn(|i| self.0[i].copysign(sign.0[i])))
            }

            #[inline(always)]
            fn if_not_negative(self, yes: Self, no: Self) -> Self {
                Portable(from_fn(|i| if self.0[i] >= 0.0 { yes.0[i] } else { no.0[i] }))
            }

            #[inline(always)]
            fn split(self) -> (Self, Self) {
                const MANTISSA_BITS: u32 = $scalar::MANTISSA_DIGITS - 1;
                let low = std::f64::consts::FRAC_1_SQRT_2 as $scalar;
                let exponents: [$int; WIDTH] =
                    from_fn(|i| (self.0[i].to_bits() as $int).wrapping_sub(low.to_bits() as $int) >> MANTISSA_BITS);
                let mantissas = from_fn(|i| {
                    let bits = (self.0[i].to_bits() as $int).wrapping_sub(exponents[i] << MANTISSA_BITS);
                    $scalar::from_bits(bits as _)
                });
                (Portable(mantissas), Portable(exponents.map(|e| e as $scalar)))
            }

            #[inline(always)]
            fn scale(self, exponent: Self) -> Self {
                const MANTISSA_BITS: u32 = $scalar::MANTISSA_DIGITS - 1;
                Portable(from_fn(|i| {
                    let shift = (exponent.0[i] as $int) << MANTISSA_BITS;
                    $scalar::from_bits((self.0[i].to_bits() as $int).wrapping_add(shift) as _)
                }))
            }

            #[inline(always)]
            fn round(self) -> Self {
                // Adding 1.5 times the first number with no fraction rounds to the nearest integer, ties to even.
                const SHIFT: $scalar = 1.5 * (1u64 << ($scalar::MANTISSA_DIGITS - 1)) as $scalar;
                Portable(self.0.map(|x| (x + SHIFT) - SHIFT))
            }

            #[inline(always)]
            fn to_array(self) -> [f64; WIDTH] {
                self.0.map(f64::from)
            }
        }
    };
}

lane!(f32, i32, 4, 7);
lane!(f64, i64, 11, 13);
