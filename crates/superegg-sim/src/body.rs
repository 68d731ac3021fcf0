//! Bodies that particles meet: a smooth shape, where it is and how it moves.

use glam::{DQuat, DVec3};
use superegg::shape::{Aabb, Shape};
use superegg::{InvalidInput, Pose};

use crate::surface::Friction;

/// Names a body of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BodyId(pub usize);

/// How a body moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// Not at all.
    Fixed,
    /// By its velocities, whatever it meets.
    Kinematic,
}

/// A smooth body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// What it looks like. A superovoid that is not convex is met by its convex hull.
    pub shape: Shape,
    /// Where it is.
    pub pose: Pose,
    /// Of its origin, in metres a second.
    pub velocity: DVec3,
    /// About its origin, in radians a second.
    pub angular_velocity: DVec3,
    /// How it moves.
    pub motion: Motion,
    /// Against cloth.
    pub friction: Friction,
}

impl Body {
    /// A body that stays where it is.
    pub fn fixed(shape: Shape, pose: Pose) -> Body {
        Body {
            shape,
            pose,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            motion: Motion::Fixed,
            friction: Friction::default(),
        }
    }

    /// A body that moves by its velocities.
    pub fn kinematic(shape: Shape, pose: Pose, velocity: DVec3, angular_velocity: DVec3) -> Body {
        Body { velocity, angular_velocity, motion: Motion::Kinematic, ..Body::fixed(shape, pose) }
    }

    /// The velocity of the material at a point of the world.
    #[inline]
    pub fn velocity_at(&self, point: DVec3) -> DVec3 {
        match self.motion {
            Motion::Fixed => DVec3::ZERO,
            Motion::Kinematic => self.velocity + self.angular_velocity.cross(point - self.pose.translation),
        }
    }

    /// Moves the body for a time by its velocities.
    pub(crate) fn advance(&mut self, h: f64) {
        if self.motion == Motion::Kinematic {
            self.pose.translation += self.velocity * h;
            let turn = DQuat::from_scaled_axis(self.angular_velocity * h);
            self.pose.rotation = (turn * self.pose.rotation).normalize();
        }
    }

    /// How far its surface can travel in a time.
    pub(crate) fn reach(&self, time: f64) -> f64 {
        match self.motion {
            Motion::Fixed => 0.0,
            Motion::Kinematic => {
                let Aabb { min, max } = self.shape.aabb(&Pose::IDENTITY);
                let radius = min.abs().max(max.abs()).length();
                let turning = if self.angular_velocity == DVec3::ZERO { 0.0 } else { radius };
                (self.velocity.length() + self.angular_velocity.length() * turning) * time
            }
        }
    }

    pub(crate) fn validate(&self) -> Result<(), InvalidInput> {
        let solid = matches!(self.shape, Shape::Plane(_) | Shape::Superellipsoid(_) | Shape::Superovoid(_));
        InvalidInput::unless(
            solid,
            "shape",
            f64::NAN,
            "planes, superellipsoids and superovoids: only these have an inside",
        )?;
        Pose::new(self.pose.rotation, self.pose.translation)?;
        InvalidInput::unless(self.velocity.is_finite(), "velocity", self.velocity.length(), "the finite vectors")?;
        let turning = self.angular_velocity;
        InvalidInput::unless(turning.is_finite(), "angular_velocity", turning.length(), "the finite vectors")?;
        self.friction.validate()
    }
}
