//! Base-2 logarithm and exponential, without tables or branches, so that they run in vector lanes.
//!
//! `log2`: mantissa in `[sqrt(1/2), sqrt(2)[`, then the odd series of `log2((1+r)/(1-r))` with near-minimax
//! coefficients (own truncation error 3.4e-18). `exp2`: nearest integer apart, degree-11 near-minimax polynomial on
//! `[-1/2, 1/2]` (own error 3.2e-18). The tests below bound the whole error against 77 digits, for one number, with fused
//! multiply-add, four and eight at a time: `log2` within 4.1 units of roundoff of max(1, |log2 x|), `exp2` within a relative 4.6 of
//! them. The certificate rests on these two figures.

use super::Real;

/// Exponents below this give `2^-1000`, so that results stay normal numbers and quotients of them finite.
const LOWEST_EXPONENT: f64 = -1000.0;
const HIGHEST_EXPONENT: f64 = 1000.0;

/// Base-2 logarithm of a positive normal number.
#[inline(always)]
pub(crate) fn log2<R: Real>(x: R) -> R {
    let (mantissa, exponent) = x.split();
    let one = R::splat(1.0);
    let r = (mantissa - one) / (mantissa + one);
    let u = r * r;
    let u2 = u * u;
    let u4 = u2 * u2;
    let c = R::splat;
    // Estrin's scheme: short dependency chains.
    let p01 = c(9.617966939259898e-1).mul_add(u, c(2.8853900817779268));
    let p23 = c(4.121985858422942e-1).mul_add(u, c(5.77078016345514e-1));
    let p45 = c(2.6233436060329546e-1).mul_add(u, c(3.205985347650481e-1));
    let p67 = c(2.1366122502798326e-1).mul_add(u, c(2.2091286734180157e-1));
    let p = p67.mul_add(u2, p45).mul_add(u4, p23.mul_add(u2, p01));
    r.mul_add(p, exponent)
}

/// Two to the power `x`, clamped to `2^±1000`.
#[inline(always)]
pub(crate) fn exp2<R: Real>(x: R) -> R {
    let x = x.max(R::splat(LOWEST_EXPONENT)).min(R::splat(HIGHEST_EXPONENT));
    // Adding 1.5 * 2^52 rounds to the nearest integer.
    let shift = R::splat(6755399441055744.0);
    let whole = (x + shift) - shift;
    let f = x - whole;
    let f2 = f * f;
    let f4 = f2 * f2;
    let c = R::splat;
    let p01 = c(std::f64::consts::LN_2).mul_add(f, c(1.0));
    let p23 = c(0.055504108664821625).mul_add(f, c(0.2402265069591016));
    let p45 = c(0.0013333558146406436).mul_add(f, c(0.00961812910758719));
    let p67 = c(1.5252733841601815e-05).mul_add(f, c(0.00015403530463808858));
    let p89 = c(1.0178057064573359e-07).mul_add(f, c(1.3215432492460394e-06));
    let pab = c(4.455822025014915e-10).mul_add(f, c(7.074202020682214e-09));
    let low = p23.mul_add(f2, p01);
    let mid = p67.mul_add(f2, p45);
    let high = pab.mul_add(f2, p89);
    high.mul_add(f4, mid).mul_add(f4, low).scale(whole)
}

#[cfg(test)]
mod tests {
    use testkit::oracle::precise::Real as Precise;

    use super::*;
    use crate::solver::certificate::UNIT;

    /// What the certificate assumes, in units of roundoff.
    const LOG2_ERROR: f64 = 4.1;
    const EXP2_ERROR: f64 = 4.6;

    /// `log2 x` and `2^y` in the kinds of numbers that this CPU has.
    fn kinds(x: f64, y: f64) -> Vec<(f64, f64)> {
        let mut results = vec![(log2(x), exp2(y))];
        #[cfg(target_arch = "x86_64")]
        if crate::solver::simd::avx2::available() {
            // SAFETY: the CPU was just asked for AVX2 and FMA.
            results.extend(unsafe { vectorised::kinds(x, y) });
        }
        #[cfg(target_arch = "x86_64")]
        if crate::solver::simd::avx512::available() {
            // SAFETY: the CPU was just asked for AVX-512.
            results.push(unsafe { vectorised::eight(x, y) });
        }
        results
    }

    #[cfg(target_arch = "x86_64")]
    mod vectorised {
        use super::super::*;
        use crate::solver::simd::Lanes;
        use crate::solver::simd::avx2::F64x4;
        use crate::solver::simd::avx512::F64x8;
        use crate::solver::simd::fused::Fused;

        /// # Safety
        /// The CPU must have AVX2 and FMA.
        #[target_feature(enable = "avx2,fma")]
        pub unsafe fn kinds(x: f64, y: f64) -> [(f64, f64); 2] {
            let four = |value: f64| F64x4::from_array([1.0, value, 3.0, 0.5]);
            let lanes = (log2(four(x)).to_array()[1], exp2(four(y)).to_array()[1]);
            [(log2(Fused(x)).0, exp2(Fused(y)).0), lanes]
        }

        /// # Safety
        /// The CPU must have AVX-512.
        #[target_feature(enable = "avx512f,avx512dq,avx2,fma")]
        pub unsafe fn eight(x: f64, y: f64) -> (f64, f64) {
            let lanes = |value: f64| F64x8::gather(|lane| if lane == 5 { value } else { 0.5 + lane as f64 });
            (log2(lanes(x)).to_array()[5], exp2(lanes(y)).to_array()[5])
        }
    }

    fn check(x: f64, y: f64) {
        let ln_2 = Precise::new(2.0).ln();
        let log_truth = Precise::new(x).ln() / &ln_2;
        let exp_truth = (Precise::new(y) * &ln_2).exp();
        for (log, exp) in kinds(x, y) {
            let error = (Precise::new(log) - &log_truth).to_f64().abs() / log_truth.to_f64().abs().max(1.0) / UNIT;
            assert!(error <= LOG2_ERROR, "log2({x:e}) is off by {error} units");
            let error = ((Precise::new(exp) - &exp_truth) / &exp_truth).to_f64().abs() / UNIT;
            assert!(error <= EXP2_ERROR, "2^{y} is off by {error} units");
        }
    }

    #[test]
    fn powers_are_as_exact_as_the_certificate_assumes() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..1500 {
            // The whole range of the logarithm, close to one, and one octave; exponents of every size and sign.
            let sign = if random.bool() { 1.0 } else { -1.0 };
            let small = sign * 10f64.powf(-15.0 * random.f64());
            check((2000.0 * random.f64() - 1000.0).exp2(), 1998.0 * random.f64() - 999.0);
            check(1.0 + 0.3 * small, 30.0 * small);
            check(0.7 + 0.8 * random.f64(), 2.0 * random.f64() - 1.0);
        }
    }

    #[test]
    fn exact_values_and_limits() {
        for (log, exp) in kinds(1.0, 0.0) {
            assert_eq!((log, exp), (0.0, 1.0));
        }
        for (log, exp) in kinds(1.0 / 32.0, -5.0) {
            assert_eq!((log, exp), (-5.0, 1.0 / 32.0));
        }
        assert_eq!(exp2(-1e9), exp2(-1000.0));
        assert_eq!(exp2(f64::INFINITY), exp2(1000.0));
    }
}
