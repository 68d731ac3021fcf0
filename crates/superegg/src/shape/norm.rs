//! The planar norms that super-shapes are made of, and their duals.
//!
//! A superellipse of exponent `e` is the unit curve of the norm `‖(x, y)‖_p` with `p = 2/e`; its support function is the
//! dual norm `‖(u, v)‖_q` with `q = 2/(2-e)`. Each is the other with `e` replaced by `2 - e`, and the gradient of one
//! maps onto the unit curve of the other: the gradient of the support norm is the point with that normal, the gradient
//! of the position norm is the (scaled) normal at that point. So one function serves both ways.
//!
//! Everything is computed from the ratio of the smaller to the larger component, so no power overflows and exact zeros
//! need no special case.

/// A planar norm and its gradient at a point of the closed first quadrant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NormGradient {
    /// `‖(u, v)‖_q`, zero only at the origin.
    pub norm: f64,
    /// Derivative of the norm by `u`, in [0, 1].
    pub u: f64,
    /// Derivative of the norm by `v`, in [0, 1].
    pub v: f64,
}

/// The norm with exponent `q = 2/(2-e)` of `(u, v)`, both ≥ 0, and its gradient, which satisfies
/// `gradient.u^(2/e) + gradient.v^(2/e) = 1`. At the origin, where the norm has a corner, the gradient is `(1, 0)`.
///
/// Costs two powers: with `ρ` the ratio of the components and `D = 1 + ρ^q`, the norm is `max · D^(1-e/2)` and the
/// gradient is `D^(-e/2)` times `1` and `ρ^(q-1)`.
#[inline]
pub(crate) fn norm_gradient(u: f64, v: f64, e: f64) -> NormGradient {
    let (large, small) = if u >= v { (u, v) } else { (v, u) };
    let ratio = if large > 0.0 { small / large } else { 0.0 };
    let ratio_dual = ratio.powf(e / (2.0 - e));
    let sum = 1.0 + ratio_dual * ratio;
    let gradient_large = sum.powf(-0.5 * e);
    let gradient_small = ratio_dual * gradient_large;
    let norm = large * (sum * gradient_large);
    if u >= v {
        NormGradient { norm, u: gradient_large, v: gradient_small }
    } else {
        NormGradient { norm, u: gradient_small, v: gradient_large }
    }
}

/// Only the norm with exponent `q = 2/(2-e)` of `(u, v)`, both ≥ 0.
#[inline]
pub(crate) fn norm(u: f64, v: f64, e: f64) -> f64 {
    let (large, small) = if u >= v { (u, v) } else { (v, u) };
    let ratio = if large > 0.0 { small / large } else { 0.0 };
    large * (1.0 + ratio.powf(2.0 / (2.0 - e))).powf(1.0 - 0.5 * e)
}
