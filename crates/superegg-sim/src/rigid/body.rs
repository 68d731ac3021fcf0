//! Rigid bodies: what is told of one, and what a world keeps of it.
//!
//! A body turns about its centre of mass, which for a tapered egg or a compound is not the origin of its frame.

use glam::{DMat3, DQuat, DVec3};
use superegg::shape::Shape;
use superegg::{InvalidInput, Pose};
use superegg_world::geometry::Geometry;

use super::mass::mass_of;
use super::piece::Piece;
use crate::error::require_not_negative;
use crate::{Friction, SimError};

/// Names a body of a [`RigidWorld`](super::RigidWorld).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RigidId(pub usize);

/// What a body's surface does in a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Against sliding; of two bodies the geometric mean.
    pub friction: Friction,
    /// Part of the approaching speed that is given back, in [0, 1]; of two bodies the larger.
    pub restitution: f64,
    /// Lever arm of the resistance against rolling, in metres; of two bodies the larger.
    pub rolling: f64,
    /// Lever arm of the resistance against spinning about the normal, in metres; of two bodies the larger.
    pub spinning: f64,
}

impl Default for Material {
    /// Friction of 0.5, nothing else.
    fn default() -> Material {
        Material { friction: Friction { fixed: 0.5, sliding: 0.5 }, restitution: 0.0, rolling: 0.0, spinning: 0.0 }
    }
}

impl Material {
    fn validate(&self) -> Result<(), InvalidInput> {
        self.friction.validate()?;
        let accepted = (0.0..=1.0).contains(&self.restitution);
        InvalidInput::unless(accepted, "restitution", self.restitution, "[0, 1]")?;
        require_not_negative("rolling", self.rolling)?;
        require_not_negative("spinning", self.spinning)
    }

    /// Of two surfaces in contact.
    pub(super) fn between(&self, other: &Material) -> Material {
        Material {
            friction: self.friction.between(other.friction),
            restitution: self.restitution.max(other.restitution),
            rolling: self.rolling.max(other.rolling),
            spinning: self.spinning.max(other.spinning),
        }
    }
}

/// How a rigid body moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RigidMotion {
    /// Not at all.
    Fixed,
    /// By its velocities, whatever it meets.
    Kinematic,
    /// By gravity, contacts and joints.
    Dynamic {
        /// Kilograms a cubic metre.
        density: f64,
    },
}

/// A body as it is added to a world.
#[derive(Clone, Debug)]
pub struct RigidBody {
    /// A superellipsoid or a superovoid (by its convex hull where it is not convex), a compound of these, a closed mesh; a
    /// plane or an open mesh may be fixed or kinematic. Two meshes do not meet.
    pub geometry: Geometry,
    /// Where it is.
    pub pose: Pose,
    /// Of its centre of mass, in metres a second.
    pub velocity: DVec3,
    /// In radians a second.
    pub angular_velocity: DVec3,
    /// How it moves.
    pub motion: RigidMotion,
    /// Its surface.
    pub material: Material,
}

impl RigidBody {
    /// A body that stays where it is.
    pub fn fixed(geometry: impl Into<Geometry>, pose: Pose) -> RigidBody {
        RigidBody {
            geometry: geometry.into(),
            pose,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            motion: RigidMotion::Fixed,
            material: Material::default(),
        }
    }

    /// A body of a density in kilograms a cubic metre that is at rest.
    pub fn dynamic(shape: impl Into<Shape>, pose: Pose, density: f64) -> RigidBody {
        RigidBody::fixed(shape.into(), pose).with_density(density)
    }

    /// The same body, moved by what acts on it; its density is in kilograms a cubic metre.
    pub fn with_density(self, density: f64) -> RigidBody {
        RigidBody { motion: RigidMotion::Dynamic { density }, ..self }
    }
}

/// Refuses velocities that are no numbers or beyond all reason.
pub(super) fn require_velocities(velocity: DVec3, angular: DVec3) -> Result<(), InvalidInput> {
    for (vector, field) in [(velocity, "velocity"), (angular, "angular_velocity")] {
        let accepted = vector.is_finite() && vector.length() < 1e9;
        InvalidInput::unless(accepted, field, vector.length(), "lengths below 1e9")?;
    }
    Ok(())
}

/// A body in a world. Its own frame has its origin at the centre of mass and its axes along the principal ones.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub geometry: Geometry,
    pub motion: RigidMotion,
    pub material: Material,
    /// Centre of mass and principal axes in the frame that the body was given in.
    centroid: DVec3,
    principal: DQuat,
    /// Centre of mass in the world.
    pub centre: DVec3,
    pub rotation: DQuat,
    /// The rotation as a matrix.
    pub axes: DMat3,
    pub velocity: DVec3,
    pub turning: DVec3,
    /// Zero for bodies that nothing can push.
    pub inverse_mass: f64,
    /// About the centre of mass along the body's axes.
    pub inertia: DVec3,
    /// In the world, as it was when the body was last [refreshed](State::refresh).
    pub inverse_inertia: DMat3,
    /// Radius of a ball about the centre of mass that holds the body.
    pub reach: f64,
    /// By how far any point of the body can have moved since it was added.
    pub travelled: f64,
    /// How far points of it may have moved by turning alone.
    pub swung: f64,
    /// By how much it has turned since it was last refreshed.
    pub turned: f64,
    /// For how long it has been slow.
    pub still_for: f64,
    pub asleep: bool,
}

impl State {
    /// The body with a number, and its pieces.
    pub fn new(number: u32, body: &RigidBody) -> Result<(State, Vec<Piece>), SimError> {
        let pose = Pose::new(body.pose.rotation, body.pose.translation)?;
        require_velocities(body.velocity, body.angular_velocity)?;
        body.material.validate()?;
        let mass = mass_of(&body.geometry);
        let is_dynamic = matches!(body.motion, RigidMotion::Dynamic { .. });
        let solid = matches!(body.geometry, Geometry::Shape(Shape::Plane(_)) | Geometry::Mesh(_));
        if mass.is_none() && (is_dynamic || !solid) {
            let what = body.geometry.name();
            let error = superegg_world::WorldError::Unsupported { operation: "motion", a: what, b: "world" };
            return Err(error.into());
        }
        let (centroid, principal) = mass.map_or((DVec3::ZERO, DQuat::IDENTITY), |mass| (mass.centroid, mass.principal));
        let rotation = if principal == DQuat::IDENTITY { pose.rotation } else { pose.rotation * principal };
        let own_frame = Pose { rotation: principal, translation: centroid }.inverse();
        let piece = |geometry: Geometry, pose: Pose| Piece::new(number, geometry, pose);
        let pieces: Vec<Piece> = match &body.geometry {
            Geometry::Compound(compound) => {
                let parts = compound.parts().iter();
                parts.map(|part| piece(part.shape.into(), own_frame.compose(&part.pose))).collect()
            }
            single => vec![piece(single.clone(), own_frame)],
        };
        let mut state = State {
            motion: body.motion,
            material: body.material,
            centroid,
            principal,
            centre: pose.transform_point(centroid),
            rotation,
            axes: DMat3::from_quat(rotation),
            velocity: body.velocity,
            turning: body.angular_velocity,
            inverse_mass: 0.0,
            inertia: DVec3::ONE,
            inverse_inertia: DMat3::ZERO,
            reach: pieces.iter().map(Piece::reach).fold(0.0, f64::max),
            travelled: 0.0,
            swung: 0.0,
            turned: 0.0,
            still_for: 0.0,
            asleep: false,
            geometry: body.geometry.clone(),
        };
        match (body.motion, mass) {
            (RigidMotion::Dynamic { density }, Some(mass)) => {
                InvalidInput::unless(density > 0.0 && density.is_finite(), "density", density, "]0, ∞[")?;
                state.inertia = density * mass.inertia;
                state.inverse_mass = 1.0 / (density * mass.volume);
                let sane = state.inverse_mass.is_finite() && (1.0 / state.inertia).is_finite();
                InvalidInput::unless(
                    sane && state.inverse_mass > 0.0 && state.inertia.min_element() > 0.0,
                    "density",
                    density,
                    "what gives a finite mass and inertia",
                )?;
            }
            (RigidMotion::Fixed, _) => (state.velocity, state.turning) = (DVec3::ZERO, DVec3::ZERO),
            (RigidMotion::Kinematic | RigidMotion::Dynamic { .. }, _) => {}
        }
        state.refresh();
        Ok((state, pieces))
    }

    pub fn is_dynamic(&self) -> bool {
        self.inverse_mass > 0.0
    }

    /// Whether it may have another pose after a step.
    pub fn is_moving(&self) -> bool {
        !self.asleep && (self.is_dynamic() || self.velocity != DVec3::ZERO || self.turning != DVec3::ZERO)
    }

    /// Of the frame that the body was given in.
    pub fn pose(&self) -> Pose {
        let rotation = if self.principal == DQuat::IDENTITY {
            self.rotation
        } else {
            (self.rotation * self.principal.conjugate()).normalize()
        };
        Pose { rotation, translation: self.centre - rotation * self.centroid }
    }

    /// A point given from the centre of mass along the body's axes.
    #[inline]
    pub fn place(&self, local: DVec3) -> DVec3 {
        self.centre + self.axes * local
    }

    /// The reverse of [`place`](State::place).
    #[inline]
    pub fn local(&self, point: DVec3) -> DVec3 {
        self.axes.transpose() * (point - self.centre)
    }

    /// A bound of the speed of its points.
    pub fn speed(&self) -> f64 {
        let turning = self.turning.length();
        self.velocity.length() + if turning > 0.0 { turning * self.reach } else { 0.0 }
    }

    /// Brings the inverse inertia up to date.
    pub fn refresh(&mut self) {
        self.turned = 0.0;
        if self.is_dynamic() {
            let scaled = DMat3::from_cols(
                self.axes.x_axis / self.inertia.x,
                self.axes.y_axis / self.inertia.y,
                self.axes.z_axis / self.inertia.z,
            );
            self.inverse_inertia = scaled * self.axes.transpose();
        }
    }

    /// Moves the body for a time by its velocities. The angular momentum of a free body stays what it is, and so, by the
    /// implicit midpoint rule, does its energy but for the third power of the angle.
    pub fn advance(&mut self, h: f64) {
        self.centre += self.velocity * h;
        let angle = self.turning.length() * h;
        if angle > 0.0 {
            let mut rate = self.turning;
            let precesses = self.is_dynamic() && angle > PRECESSING;
            let momentum = if precesses { self.momentum() } else { DVec3::ZERO };
            if precesses {
                for _ in 0..3 {
                    let halfway = turn_by(rate * (0.5 * h)) * self.rotation;
                    rate = halfway * ((halfway.conjugate() * momentum) / self.inertia);
                }
            }
            self.rotation = (turn_by(rate * h) * self.rotation).normalize();
            self.axes = DMat3::from_quat(self.rotation);
            if precesses {
                self.turning = self.axes * ((self.axes.transpose() * momentum) / self.inertia);
            }
        }
        self.turned += angle;
        let swing = if angle > 0.0 { angle * self.reach } else { 0.0 };
        self.swung += swing;
        self.travelled += self.velocity.length() * h + swing;
    }

    /// Angular momentum about the centre of mass; of dynamic bodies only.
    pub fn momentum(&self) -> DVec3 {
        self.axes * ((self.axes.transpose() * self.turning) * self.inertia)
    }

    /// Energy of motion.
    pub fn kinetic_energy(&self) -> f64 {
        if !self.is_dynamic() {
            return 0.0;
        }
        0.5 * (self.velocity.length_squared() / self.inverse_mass + self.turning.dot(self.momentum()))
    }
}

/// Angle of a substep below which the axis of turning is not followed, in radians.
const PRECESSING: f64 = 1e-5;

/// The rotation about an axis by its length: for the small angles of a substep by its series, to rounding.
fn turn_by(axis: DVec3) -> DQuat {
    let half_sq = 0.25 * axis.length_squared();
    if half_sq > 2.5e-3 {
        return DQuat::from_scaled_axis(axis);
    }
    let sine = 1.0 - half_sq / 6.0 * (1.0 - half_sq / 20.0 * (1.0 - half_sq / 42.0));
    let cosine = 1.0 - half_sq / 2.0 * (1.0 - half_sq / 12.0 * (1.0 - half_sq / 30.0 * (1.0 - half_sq / 56.0)));
    let vector = axis * (0.5 * sine);
    DQuat::from_xyzw(vector.x, vector.y, vector.z, cosine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_turns_are_as_exact_as_large_ones() {
        for exponent in -80..4 {
            let axis = DVec3::new(0.3, -0.5, 0.8) * 2f64.powf(0.1 * f64::from(exponent));
            let (turn, known) = (turn_by(axis), DQuat::from_scaled_axis(axis));
            assert!((turn - known).length() < 3e-16, "{axis}: {turn} is not {known}");
        }
    }
}
