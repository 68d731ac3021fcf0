//! The unknowns of a fit, and how they make a superovoid.
//!
//! Twelve numbers without bounds between which any step is legal: logarithms of the radii; for each exponent
//! `e = 2/(1 + exp(-u))`; for the taper `t = 0.999 L(e2) tanh(tau)`, where `L(e2) = 2^(e2/2) (1 - e2/2)` is the largest
//! taper at which a superovoid with equal tapers is convex, so that every fit is convex; rotation and centre are
//! stepped in the body's own frame.

use glam::{DMat3, DQuat, DVec3};
use superegg::shape::Superovoid;
use superegg::{InvalidInput, Pose};

/// Unknowns, in this order: logarithms of radii, `u1`, `u2`, `tau`, rotation, centre.
pub(crate) const UNKNOWNS: usize = 12;
/// A change of the unknowns.
pub(crate) type Step = [f64; UNKNOWNS];

/// Largest magnitude of an exponent's unknown: exponents in [0.0296, 1.9704], where surfaces still bend visibly.
const MAX_U: f64 = 4.2;
/// Largest magnitude of the taper's unknown; `tanh` has saturated.
const MAX_TAU: f64 = 4.0;
/// How near the taper may come to where convexity ends.
const CONVEX_SHARE: f64 = 0.999;

/// A superovoid with equal tapers, placed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Model {
    pub log_radii: DVec3,
    pub u: [f64; 2],
    pub tau: f64,
    pub rotation: DMat3,
    pub center: DVec3,
}

/// The largest taper for which a superovoid with equal tapers is convex, and its derivative by the exponent.
pub(crate) fn largest_taper(e2: f64) -> (f64, f64) {
    let power = (0.5 * e2).exp2();
    let value = power * (1.0 - 0.5 * e2);
    (value, 0.5 * std::f64::consts::LN_2 * value - 0.5 * power)
}

impl Model {
    pub fn new(radii: DVec3, exponents: [f64; 2], taper: f64, rotation: DMat3, center: DVec3) -> Model {
        let u = exponents.map(|e| (e / (2.0 - e)).ln().clamp(-MAX_U, MAX_U));
        let mut model =
            Model { log_radii: DVec3::from_array(radii.to_array().map(f64::ln)), u, tau: 0.0, rotation, center };
        let limit = CONVEX_SHARE * largest_taper(model.exponents()[1]).0;
        model.tau = (taper / limit).clamp(-0.999, 0.999).atanh();
        model
    }

    pub fn radii(&self) -> DVec3 {
        DVec3::from_array(self.log_radii.to_array().map(f64::exp))
    }

    pub fn exponents(&self) -> [f64; 2] {
        self.u.map(|u| 2.0 / (1.0 + (-u).exp()))
    }

    pub fn taper(&self) -> f64 {
        CONVEX_SHARE * largest_taper(self.exponents()[1]).0 * self.tau.tanh()
    }

    /// Derivatives of the exponents by their unknowns, and of the taper by `tau` and by `e2`.
    pub fn chain(&self) -> ([f64; 2], f64, f64) {
        let exponents = self.exponents();
        let (limit, slope) = largest_taper(exponents[1]);
        let tanh = self.tau.tanh();
        (
            exponents.map(|e| e * (1.0 - 0.5 * e)),
            CONVEX_SHARE * limit * (1.0 - tanh * tanh),
            CONVEX_SHARE * slope * tanh,
        )
    }

    /// The model after a step, each kind of unknown moving no further than a first-order step can be trusted.
    pub fn stepped(&self, step: &Step) -> Model {
        let clamp = |value: f64, limit: f64| value.clamp(-limit, limit);
        let turn = DVec3::new(step[6], step[7], step[8]).clamp_length_max(0.6);
        let shift = DVec3::new(step[9], step[10], step[11]).clamp_length_max(0.7);
        let rotation = self.rotation * DMat3::from_quat(DQuat::from_scaled_axis(turn));
        Model {
            log_radii: (self.log_radii
                + DVec3::new(step[0], step[1], step[2]).clamp(DVec3::splat(-0.7), DVec3::splat(0.7)))
            .clamp(DVec3::splat(-12.0), DVec3::splat(12.0)),
            u: [0, 1].map(|i| clamp(self.u[i] + clamp(step[3 + i], 1.2), MAX_U)),
            tau: clamp(self.tau + clamp(step[5], 0.7), MAX_TAU),
            rotation: orthonormal(rotation),
            center: self.center + self.rotation * shift,
        }
    }

    /// A multiple of the solid: all lengths from the centre grow by a factor.
    pub fn scaled(&self, factor: f64) -> Model {
        Model { log_radii: self.log_radii + DVec3::splat(factor.ln()), ..*self }
    }

    /// The model after lengths are multiplied by `scale` and the frame is moved to `frame`.
    pub fn moved(&self, scale: f64, frame: &Pose) -> Model {
        Model {
            rotation: orthonormal(DMat3::from_quat(frame.rotation) * self.rotation),
            center: frame.transform_point(self.center * scale),
            ..self.scaled(scale)
        }
    }

    /// Shape and pose, after lengths are multiplied by `scale` and the frame is moved to `frame`.
    pub fn placed(&self, scale: f64, frame: &Pose) -> Result<(Superovoid, Pose), InvalidInput> {
        let taper = self.taper();
        let shape = Superovoid::new((self.radii() * scale).to_array(), self.exponents(), [taper; 2])?;
        let rotation = frame.rotation * DQuat::from_mat3(&self.rotation).normalize();
        Ok((shape, Pose::new(rotation, frame.transform_point(self.center * scale))?))
    }
}

/// Gram and Schmidt, so that many steps do not wear a rotation out.
fn orthonormal(m: DMat3) -> DMat3 {
    let x = m.x_axis.normalize();
    let y = (m.y_axis - x * x.dot(m.y_axis)).normalize();
    DMat3::from_cols(x, y, x.cross(y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_is_convex() {
        for i in 0..40 {
            for tau in [-9.0, -2.0, 0.0, 0.5, 9.0] {
                let mut model = Model::new(DVec3::ONE, [1.0, 1.0], 0.0, DMat3::IDENTITY, DVec3::ZERO);
                model.u = [0.3, -4.2 + 0.21 * f64::from(i)];
                model.tau = tau;
                let (shape, _) = model.placed(1.0, &Pose::IDENTITY).unwrap();
                assert!(shape.is_convex(), "{shape:?}");
            }
        }
    }

    #[test]
    fn parameters_come_back() {
        let model = Model::new(DVec3::new(1.0, 2.0, 0.5), [0.2, 1.4], -0.3, DMat3::IDENTITY, DVec3::X);
        assert!((model.radii() - DVec3::new(1.0, 2.0, 0.5)).length() < 1e-14);
        assert!((model.exponents()[0] - 0.2).abs() < 1e-14 && (model.exponents()[1] - 1.4).abs() < 1e-14);
        assert!((model.taper() + 0.3).abs() < 1e-14);
    }

    #[test]
    fn chain_is_the_derivative() {
        let model = Model::new(DVec3::ONE, [0.4, 0.9], 0.3, DMat3::IDENTITY, DVec3::ZERO);
        let (by_u, by_tau, by_e2) = model.chain();
        let h = 1e-6;
        let at = |k: usize, h: f64| {
            let mut step = [0.0; UNKNOWNS];
            step[k] = h;
            model.stepped(&step)
        };
        for (i, by_u) in by_u.into_iter().enumerate() {
            let slope = (at(3 + i, h).exponents()[i] - at(3 + i, -h).exponents()[i]) / (2.0 * h);
            assert!((slope - by_u).abs() < 1e-8);
        }
        assert!(((at(5, h).taper() - at(5, -h).taper()) / (2.0 * h) - by_tau).abs() < 1e-8);
        assert!(((at(4, h).taper() - at(4, -h).taper()) / (2.0 * h) - by_e2 * by_u[1]).abs() < 1e-8);
    }
}
