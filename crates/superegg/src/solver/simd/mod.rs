//! One numeric type for one query or for several at once.
//!
//! The solver is written once against [`Real`]. With `f64` it answers one query; with the types of AVX2 and AVX-512 it answers four or
//! eight in lockstep, every decision becoming a lane mask. Code that only some lanes need is guarded by [`Mask::any`], which for
//! `f64` is an ordinary branch.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(target_arch = "x86_64")]
pub(crate) mod fused;
mod power;
mod quaternion;
mod scalar;
mod vector;
#[cfg(target_arch = "x86_64")]
mod width;

use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

pub(crate) use power::{exp2, log2};
pub(crate) use quaternion::Quaternion;
#[cfg(target_arch = "x86_64")]
pub(crate) use vector::vector_of;
pub(crate) use vector::{M3, Sym3, V3};
#[cfg(target_arch = "x86_64")]
pub(crate) use width::{Width, lane_query};

/// The outcome of a comparison, one truth value a lane.
pub(crate) trait Mask: Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self> {
    /// Is any lane true?
    fn any(self) -> bool;
    /// The value that all lanes share, if they do.
    fn unanimous(self) -> Option<bool>;
}

/// Floating-point numbers in lockstep.
pub(crate) trait Real:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// What comparisons give.
    type Mask: Mask;

    /// The same number in every lane.
    fn splat(value: f64) -> Self;
    /// `self * factor + term`, fused where the hardware does it in one instruction.
    fn mul_add(self, factor: Self, term: Self) -> Self;
    fn abs(self) -> Self;
    fn sqrt(self) -> Self;
    /// The larger of both; `other` where `self` is NaN.
    fn max(self, other: Self) -> Self;
    /// The smaller of both; `other` where `self` is NaN.
    fn min(self, other: Self) -> Self;
    /// Magnitude of `self` with the sign of `sign`.
    fn copysign(self, sign: Self) -> Self;
    fn lt(self, other: Self) -> Self::Mask;
    /// `yes` where the mask is true, `no` elsewhere.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// Splits a positive normal number into mantissa and exponent, `self = mantissa * 2^exponent` with the mantissa in
    /// `[sqrt(1/2), sqrt(2)[`.
    fn split(self) -> (Self, Self);
    /// `self * 2^exponent` for an integral `exponent` in `[-1021, 1022]` and `self` in `[0.5, 2]`.
    fn scale(self, exponent: Self) -> Self;
}

/// The most lanes that a register has.
#[cfg(target_arch = "x86_64")]
pub(crate) const MOST_LANES: usize = avx512::F64x8::COUNT;

/// Numbers of several queries in one register.
#[cfg(target_arch = "x86_64")]
pub(crate) trait Lanes: Real {
    /// How many.
    const COUNT: usize;
    /// One number a lane.
    type Array: std::ops::Index<usize, Output = f64>;

    /// The number of each lane.
    fn gather(value: impl Fn(usize) -> f64) -> Self;
    fn to_array(self) -> Self::Array;
    /// The lanes of a mask, from the lowest bit on.
    fn bits(mask: Self::Mask) -> u32;
}

/// Numbers that several values of one query fill.
pub(crate) trait Several: Real {
    /// How many.
    const COUNT: usize;

    /// The first of the values, and the last one again in lanes that are left.
    fn load(values: &[f64]) -> Self;
    fn greatest(self) -> f64;
}

impl Several for f64 {
    const COUNT: usize = 1;

    #[inline(always)]
    fn load(values: &[f64]) -> f64 {
        values[0]
    }

    #[inline(always)]
    fn greatest(self) -> f64 {
        self
    }
}

/// A number that stands for a single query.
pub(crate) trait Plain: Real<Mask = bool> + Into<f64> {}

impl<R: Real<Mask = bool> + Into<f64>> Plain for R {}

/// Defines a function by a generic one, compiled for fused multiply-add where the CPU has it: about a quarter fewer instructions
/// than without.
macro_rules! single_query {
    ($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty, $generic:ident) => {
        $(#[$doc])*
        pub(crate) fn $name($($argument: $type),*) -> $result {
            #[cfg(target_arch = "x86_64")]
            if crate::solver::simd::avx2::available() {
                /// # Safety
                /// The CPU must have AVX2 and FMA.
                #[target_feature(enable = "avx2,fma")]
                unsafe fn fused($($argument: $type),*) -> $result {
                    $generic::<$crate::solver::simd::fused::Fused>($($argument),*)
                }
                // SAFETY: the CPU was just asked for AVX2 and FMA.
                return unsafe { fused($($argument),*) };
            }
            $generic::<f64>($($argument),*)
        }
    };
}
pub(crate) use single_query;
