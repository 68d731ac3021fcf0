//! Eight numbers in lockstep, of either precision: in AVX2 registers where the CPU has them, in arrays everywhere else.
//!
//! The residuals of a fit are written once against [`Lane`]. Base-2 logarithm and exponential are series without tables
//! or branches; how many terms they have depends on the precision.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
mod portable;

use std::f64::consts::LN_2;
use std::ops::{Add, Div, Mul, Sub};

pub(crate) use portable::Portable;

/// Numbers in lockstep.
pub(crate) const WIDTH: usize = 8;

/// Eight floating-point numbers.
pub(crate) trait Lane:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// What one of them is in memory.
    type Scalar: Copy;
    /// Terms of the logarithm's series that matter in this precision.
    const LOG_TERMS: usize;
    /// Terms of the exponential's series that matter in this precision.
    const EXP_TERMS: usize;

    fn splat(value: f64) -> Self;
    fn load(values: &[Self::Scalar; WIDTH]) -> Self;
    /// `self * factor + term`, fused where the hardware does it in one instruction.
    fn mul_add(self, factor: Self, term: Self) -> Self;
    fn abs(self) -> Self;
    fn sqrt(self) -> Self;
    fn max(self, other: Self) -> Self;
    fn min(self, other: Self) -> Self;
    /// Magnitude of `self` with the sign of `sign`.
    fn copysign(self, sign: Self) -> Self;
    /// `yes` where `self >= 0`, `no` elsewhere.
    fn if_not_negative(self, yes: Self, no: Self) -> Self;
    /// Mantissa in `[sqrt(1/2), sqrt(2)[` and exponent of a positive normal number.
    fn split(self) -> (Self, Self);
    /// `self * 2^exponent` for an integral exponent in [-126, 127] and `self` about one.
    fn scale(self, exponent: Self) -> Self;
    /// The nearest integer of a number of magnitude below 1000.
    fn round(self) -> Self;
    /// The eight, in double precision.
    fn to_array(self) -> [f64; WIDTH];

    /// Their sum, in double precision.
    #[inline(always)]
    fn sum(self) -> f64 {
        self.to_array().iter().sum()
    }
}

/// Base-2 logarithm of a positive normal number.
#[inline(always)]
pub(crate) fn log2<L: Lane>(x: L) -> L {
    let (mantissa, exponent) = x.split();
    let one = L::splat(1.0);
    let r = (mantissa - one) / (mantissa + one);
    let u = r * r;
    // Horner's scheme of the odd series of log2((1 + r)/(1 - r)). No closures: they would not be inlined with the
    // caller's CPU features.
    let mut sum = L::splat(0.0);
    let mut k = L::LOG_TERMS;
    while k > 0 {
        k -= 1;
        sum = sum.mul_add(u, L::splat(2.0 / (LN_2 * (2 * k + 1) as f64)));
    }
    r.mul_add(sum, exponent)
}

/// Two to the power `x`, clamped to `2^±100`.
#[inline(always)]
pub(crate) fn exp2<L: Lane>(x: L) -> L {
    let x = x.max(L::splat(-100.0)).min(L::splat(100.0));
    let whole = x.round();
    let f = x - whole;
    let mut sum = L::splat(1.0);
    // Horner's scheme of the series of exp(f ln 2).
    let mut k = L::EXP_TERMS;
    while k > 0 {
        sum = (sum * f).mul_add(L::splat(LN_2 / k as f64), L::splat(1.0));
        k -= 1;
    }
    sum.scale(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<L: Lane>(tolerance: f64, of: impl Fn(f64) -> L, first: impl Fn(L) -> f64) {
        for step in 0..4000 {
            let x = 1e-18 * 1.021_f64.powi(step);
            let x = if x > 1e15 { 1.0 + f64::from(step) * 1e-6 } else { x };
            let error = first(log2(of(x))) - x.log2();
            assert!(error.abs() < tolerance * x.log2().abs().max(1.0), "log2({x}) is off by {error}");
            let y = f64::from(step - 2000) * 0.043;
            let error = first(exp2(of(y))) / y.exp2() - 1.0;
            assert!(error.abs() < tolerance * y.abs().max(1.0), "exp2({y}) is off by {error}");
        }
        assert_eq!(first(exp2(of(0.0))), 1.0);
        assert_eq!(first(log2(of(1.0))), 0.0);
        assert_eq!(first(of(-2.5).round()), -2.0);
        assert_eq!(first(of(-2.0).if_not_negative(of(1.0), of(3.0))), 3.0);
        assert_eq!(first(of(2.0).copysign(of(-1.0))), -2.0);
        assert_eq!(of(2.0).sum(), 16.0);
    }

    #[test]
    fn powers_agree_with_the_standard_library() {
        // The inputs are rounded to the lane's precision first: a unit in the last place, which the tolerance holds.
        check(1e-15, Portable::<f64>::splat, |lane| lane.0[3]);
        check(3e-7, Portable::<f32>::splat, |lane| f64::from(lane.0[3]));
        #[cfg(target_arch = "x86_64")]
        if avx2::available() {
            check(3e-7, avx2::F32x8::splat, |lane| lane.sum() / 8.0);
            check(1e-15, avx2::F64x8::splat, |lane| lane.sum() / 8.0);
        }
    }
}
