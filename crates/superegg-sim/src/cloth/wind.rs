//! Wind and air drag on triangles.
//!
//! The pressure of the air on a triangle, `½ ρ c |u·n|² A` along its normal for a relative velocity u, changes its
//! corners' velocities at the start of a step. The change is taken implicitly in the speed, so that it slows the relative
//! motion but never turns it round, however light the cloth and long the step.

use glam::DVec3;
use superegg::InvalidInput;

use super::Particles;
use super::surface::Surface;
use crate::error::require_not_negative;

/// Air in motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wind {
    /// Mean velocity, in metres a second. Zero: still air that only slows things down.
    pub velocity: DVec3,
    /// Gusts: the velocity is multiplied by `1 + gusts · g(time)` with a fixed pattern g in [-1, 1].
    pub gusts: f64,
    /// Density of the air times the drag coefficient, in kilograms a cubic metre.
    pub density: f64,
}

impl Default for Wind {
    /// Still air.
    fn default() -> Wind {
        Wind { velocity: DVec3::ZERO, gusts: 0.0, density: 1.2 }
    }
}

impl Wind {
    /// The velocity at a time.
    pub fn velocity_at(&self, time: f64) -> DVec3 {
        let pattern = 0.5 * (1.7 * time).sin() + 0.3 * (4.3 * time + 1.0).sin() + 0.2 * (9.1 * time + 2.0).sin();
        self.velocity * (1.0 + self.gusts * pattern)
    }

    pub(crate) fn validate(&self) -> Result<(), InvalidInput> {
        InvalidInput::unless(self.velocity.is_finite(), "wind.velocity", self.velocity.length(), "the finite vectors")?;
        require_not_negative("wind.gusts", self.gusts)?;
        require_not_negative("wind.density", self.density)
    }

    /// Changes the velocities of a surface's particles over a time.
    pub(crate) fn blow(&self, surface: &Surface, particles: &mut Particles, time: f64, dt: f64) {
        let air = self.velocity_at(time);
        let Particles { position, velocity, inverse_mass, .. } = particles;
        for corners in &surface.triangles {
            let [a, b, c] = corners.map(|p| p as usize);
            let across = (position[b] - position[a]).cross(position[c] - position[a]);
            let double_area = across.length();
            if double_area == 0.0 {
                continue;
            }
            let normal = across / double_area;
            let relative = air - (velocity[a] + velocity[b] + velocity[c]) / 3.0;
            let speed = relative.dot(normal);
            // A third of the force on each corner, at first order in the change that it causes.
            let push = 0.5 * self.density * (0.5 * double_area) * speed.abs() * dt / 3.0;
            for p in [a, b, c] {
                let part = push * inverse_mass[p];
                velocity[p] += normal * (speed * part / (1.0 + part));
            }
        }
    }
}
