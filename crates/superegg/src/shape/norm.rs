//! The planar norms that super-shapes are made of, and their duals.
//!
//! A superellipse of exponent `e` is the unit curve of the norm `‖(x, y)‖_p` with `p = 2/e`; its support function is the
//! dual norm `‖(u, v)‖_q` with `q = 2/(2-e)`. Each is the other with `e` replaced by `2 - e`, and the gradient of one
//! maps onto the unit curve of the other: the gradient of the support norm is the point with that normal, the gradient
//! of the position norm is the (scaled) normal at that point. So one function serves both ways.
//!
//! Everything is computed from the ratio of the smaller to the larger component, so no power overflows and exact zeros
//! need no special case.

use glam::DVec3;

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

/// A planar norm's second derivatives times the norm (so that they have degree zero).
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScaledHessian {
    pub uu: f64,
    pub uv: f64,
    pub vv: f64,
}

/// The Hessian of the norm with exponent `q = 2/(2-e)` at `(u, v)`, both > 0, times the norm. As it has the null vector
/// `(u, v)`, all three entries follow from `uv = -(q-1) ∂u ∂v`.
#[inline]
pub(crate) fn scaled_hessian(u: f64, v: f64, e: f64) -> ScaledHessian {
    let NormGradient { u: du, v: dv, .. } = norm_gradient(u, v, e);
    let product = e / (2.0 - e) * du * dv;
    ScaledHessian { uu: product * (v / u), uv: -product, vv: product * (u / v) }
}

/// Gauge of the unit superellipsoid, and its gradient: the scaled normal, of degree zero. Nests two planar norms, x and y
/// inside. At the centre the gradient is +z.
#[inline]
pub(crate) fn scaled_gauge(scaled: DVec3, [e1, e2]: [f64; 2]) -> (f64, DVec3) {
    let size = scaled.abs();
    let inner = norm_gradient(size.x, size.y, 2.0 - e1);
    let outer = norm_gradient(size.z, inner.norm, 2.0 - e2);
    (outer.norm, DVec3::new(outer.v * inner.u, outer.v * inner.v, outer.u).copysign(scaled))
}

#[cfg(test)]
mod tests {
    use super::{norm, norm_gradient, scaled_hessian};

    /// Position norm and support norm are dual: each gradient lies on the other's unit curve and leads back.
    #[test]
    fn gradients_are_inverse_to_each_other() {
        for e in [0.05, 0.3, 1.0, 1.4, 1.95] {
            for (u, v) in [(1.0, 0.0), (0.0, 3.0), (1.0, 1.0), (0.7, 0.2), (1e-6, 1.0), (1e200, 3e200)] {
                let forward = norm_gradient(u, v, e);
                assert!((norm(forward.u, forward.v, 2.0 - e) - 1.0).abs() < 1e-15, "{e} {u} {v}");
                assert!((forward.u * u + forward.v * v - forward.norm).abs() <= 4e-16 * forward.norm);
                let back = norm_gradient(forward.u, forward.v, 2.0 - e);
                let scale = 1.0 / forward.norm;
                assert!((back.u - u * scale).abs() < 1e-13 && (back.v - v * scale).abs() < 1e-13, "{e} {u} {v}");
            }
        }
    }

    #[test]
    fn known_norms() {
        assert_eq!(norm(3.0, 4.0, 1.0), 5.0);
        assert_eq!(norm(0.0, 0.0, 0.7), 0.0);
        assert!((norm(1.0, 1.0, 1.5) - 2f64.powf(0.25)).abs() < 1e-15); // q = 4
        assert!((norm(1.0, 2.0, 1e-300) - 3.0).abs() < 1e-15); // q = 1
        assert_eq!(norm(1.0, 2.0, 2.0), 2.0); // q = ∞
        let origin = norm_gradient(0.0, 0.0, 0.7);
        assert_eq!((origin.norm, origin.u, origin.v), (0.0, 1.0, 0.0));
    }

    #[test]
    fn hessian_of_the_euclidean_norm() {
        let bend = scaled_hessian(0.6, 0.8, 1.0);
        assert!((bend.uu - 0.64).abs() < 1e-15 && (bend.vv - 0.36).abs() < 1e-15 && (bend.uv + 0.48).abs() < 1e-15);
    }
}
