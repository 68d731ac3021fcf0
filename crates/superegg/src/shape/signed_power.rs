//! Powers that keep the sign of their base: `sign(x) |x|^e`, the building block of every super-shape.

/// `sign(x) |x|^exponent` for a positive exponent; zero at zero, odd in x.
#[inline]
pub(crate) fn signed_power(base: f64, exponent: f64) -> f64 {
    base.abs().powf(exponent).copysign(base)
}

/// `|x|^exponent` for an exponent of either sign, with `|x|` floored at 1e-30 where the power would be infinite, so that
/// products with vanishing factors stay numbers.
#[inline]
pub(crate) fn floored_power(base: f64, exponent: f64) -> f64 {
    if exponent < 0.0 { base.abs().max(1e-30).powf(exponent) } else { base.abs().powf(exponent) }
}

#[cfg(test)]
mod tests {
    use super::{floored_power, signed_power};

    #[test]
    fn zero_and_signs() {
        assert_eq!(signed_power(-4.0, 0.5), -2.0);
        assert_eq!(signed_power(0.0, 0.05), 0.0);
        assert!(signed_power(-0.0, 0.05).is_sign_negative());
        assert_eq!(floored_power(0.0, 0.5), 0.0);
        assert!((floored_power(0.0, -1.0) / 1e30 - 1.0).abs() < 1e-15);
        assert_eq!(floored_power(-2.0, -1.0), 0.5);
    }
}
