//! What an implicit function says of the space around a surface: value, gradient and Hessian.

use glam::{DMat3, DVec3};

/// A function's value and first two derivatives at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Derivatives {
    /// The value.
    pub value: f64,
    /// The first derivatives.
    pub gradient: DVec3,
    /// The second derivatives. Where one is infinite (a ridge of an exponent above 1) it is the one at 1e-30 of the
    /// size beside the ridge.
    pub hessian: DMat3,
}

impl Derivatives {
    /// The derivatives of `value^power`, for `power > 1`, where this has degree one at the centre: there the Hessian
    /// passed in is that of the gauge times the gauge.
    pub(crate) fn of_power(gauge: f64, gradient: DVec3, scaled_hessian: DMat3, power: f64) -> Derivatives {
        let slope = power * gauge.powf(power - 1.0);
        let bend = power * gauge.powf(power - 2.0);
        Derivatives {
            value: gauge.powf(power),
            gradient: gradient * slope,
            hessian: (outer(gradient, gradient) * (power - 1.0) + scaled_hessian) * bend,
        }
    }
}

/// `a bᵀ`.
pub(crate) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}
