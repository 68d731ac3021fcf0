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
