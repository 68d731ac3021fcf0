//! Base-2 logarithm and exponential, without tables or branches, so that they run in vector lanes.
//!
//! `log2`: mantissa in `[sqrt(1/2), sqrt(2)[`, then the odd series of `log2((1+r)/(1-r))` with near-minimax
//! coefficients (own truncation error 3.4e-18). `exp2`: nearest integer apart, degree-11 near-minimax polynomial on
//! `[-1/2, 1/2]` (own error 3.2e-18). The tests below bound the whole error against the standard library, itself within a
//! unit in the last place: `log2` within 4.5e-16 of max(1, |log2 x|), `exp2` within a relative 5e-16.

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
    use super::*;

    #[test]
    fn log2_agrees_with_the_standard_library() {
        // The standard library's log2 is itself within one unit in the last place.
        let mut x = 1e-300;
        while x < 1e300 {
            let error = (log2(x) - f64::log2(x)).abs() / f64::log2(x).abs().max(1.0);
            assert!(error < 4.5e-16, "log2({x}) is off by {error}");
            x *= 1.000_713;
        }
        for step in -100_000..=100_000 {
            let x = 1.0 + f64::from(step) * 1e-9;
            // The subtraction is exact.
            let truth = (x - 1.0).ln_1p() * std::f64::consts::LOG2_E;
            assert!((log2(x) - truth).abs() <= 1e-15 * truth.abs() + 1e-16, "log2({x})");
        }
        assert_eq!(log2(1.0), 0.0);
    }

    #[test]
    fn exp2_agrees_with_the_standard_library_and_clamps() {
        let mut x = -999.0;
        while x < 999.0 {
            let error = (exp2(x) / f64::exp2(x) - 1.0).abs();
            assert!(error < 5e-16, "exp2({x}) is off by {error}");
            x += 0.000_371;
        }
        assert_eq!(exp2(0.0), 1.0);
        assert_eq!(exp2(-5.0), 1.0 / 32.0);
        assert_eq!(exp2(-1e9), exp2(-1000.0));
        assert_eq!(exp2(f64::INFINITY), exp2(1000.0));
    }
}
