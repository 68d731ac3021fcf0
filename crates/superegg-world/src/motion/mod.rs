//! When do moving bodies meet? Conservative advancement on certified bounds.
//!
//! Bodies translate at constant velocity and turn at constant angular velocity about the origin of their frame. After B.
//! Mirtich's conservative advancement, with two departures that make it converge in a few queries instead of dozens:
//! - a distance query yields a *plane* between the bodies, not only a distance. Along its fixed normal the gap is a
//!   function of time alone (`axis`), for two support values a look, and is followed to its root before the next query
//!   asks for a new plane;
//! - between two looks the gap is bounded from below by a parabola: support functions are convex, so only the turning
//!   of the normal in the body's frame bends the gap below its chord, by a second-order term in closed form.
//!
//! Every instant that is passed over is proved free, so that an impact is never reported late. How early it may be is
//! stated as a distance: at the reported time the bodies are closer than the tolerance. With a superovoid that is not
//! convex the planes separate its hull; where hulls overlap, steps are as long as the distance allows at the largest
//! speed of any surface point, and as certain as that distance.

mod advance_by_distance;
mod axis;
mod many;
mod pair;

pub use many::time_of_impact;
pub use pair::time_of_impact as time_of_impact_of_shapes;

use glam::{DQuat, DVec3};
use superegg::query::Options;
use superegg::{InvalidInput, Pose};

use crate::contact::Contact;

/// A body's motion: where it is at time zero, and how it moves from there on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// The pose at time zero.
    pub pose: Pose,
    /// Velocity of the frame's origin, in the world, in metres a second.
    pub velocity: DVec3,
    /// Angular velocity, in the world, in radians a second.
    pub angular_velocity: DVec3,
}

impl Motion {
    /// No motion at all.
    pub const fn rest(pose: Pose) -> Motion {
        Motion { pose, velocity: DVec3::ZERO, angular_velocity: DVec3::ZERO }
    }

    /// Translation alone: a linear cast.
    pub const fn linear(pose: Pose, velocity: DVec3) -> Motion {
        Motion { pose, velocity, angular_velocity: DVec3::ZERO }
    }

    /// The pose at a time.
    ///
    /// ```
    /// use std::f64::consts::FRAC_PI_2;
    /// use superegg_world::motion::Motion;
    /// use superegg_world::{DVec3, Pose};
    /// let turning =
    ///     Motion { pose: Pose::IDENTITY, velocity: DVec3::X, angular_velocity: DVec3::Z * FRAC_PI_2 };
    /// let later = turning.at(1.0);
    /// assert!((later.transform_point(DVec3::X) - DVec3::new(1.0, 1.0, 0.0)).length() < 1e-15);
    /// ```
    pub fn at(&self, time: f64) -> Pose {
        let turn = if self.angular_velocity == DVec3::ZERO {
            self.pose.rotation
        } else {
            (DQuat::from_scaled_axis(self.angular_velocity * time) * self.pose.rotation).normalize()
        };
        Pose { rotation: turn, translation: self.pose.translation + self.velocity * time }
    }

    /// Refuses poses and velocities that are not finite, and more turns within the horizon than angles can hold.
    pub fn checked(&self, horizon: f64) -> Result<Motion, InvalidInput> {
        let pose = Pose::new(self.pose.rotation, self.pose.translation)?;
        let fields = ["velocity[0]", "velocity[1]", "velocity[2]"];
        for (value, field) in self.velocity.to_array().into_iter().zip(fields) {
            InvalidInput::unless(value.abs() <= 1e60, field, value, "[-1e60, 1e60]")?;
        }
        let turn = self.angular_velocity.length() * horizon;
        let allowed = "the vectors that turn by at most 1e6 radians within the horizon";
        InvalidInput::unless(turn <= LARGEST_TURN, "angular_velocity", self.angular_velocity.length(), allowed)?;
        Ok(Motion { pose, ..*self })
    }
}

/// Largest angle, in radians: its rounding is then below 1e-10, far below any useful tolerance.
const LARGEST_TURN: f64 = 1e6;

/// How long to look ahead and how exact to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ToiOptions {
    /// Latest time that matters, in seconds.
    pub horizon: f64,
    /// Distance at which bodies count as touching, as a part of the size of the pair (the sum of the radii of the balls
    /// about their origins). An impact is reported when they are this close, never later than they touch.
    pub tolerance: f64,
    /// Bodies count as touching when they are this far apart, in metres: a skin around them.
    pub separation: f64,
    /// Largest number of distance queries a pair may cost.
    pub max_queries: u32,
}

impl ToiOptions {
    /// Looks ahead for `horizon` seconds; touching within a millionth of the size.
    pub const fn within(horizon: f64) -> ToiOptions {
        ToiOptions { horizon, tolerance: 1e-6, separation: 0.0, max_queries: 200 }
    }

    /// Refuses what is outside its range, by the name of its field.
    pub fn validate(&self) -> Result<(), InvalidInput> {
        InvalidInput::unless((0.0..=1e60).contains(&self.horizon), "horizon", self.horizon, "[0, 1e60]")?;
        let accepted = (1e-9..=1.0).contains(&self.tolerance);
        InvalidInput::unless(accepted, "options.tolerance", self.tolerance, "[1e-9, 1]")?;
        InvalidInput::unless(
            (0.0..=1e60).contains(&self.separation),
            "options.separation",
            self.separation,
            "[0, 1e60]",
        )?;
        let cap = f64::from(self.max_queries);
        InvalidInput::unless(self.max_queries > 0, "options.max_queries", cap, "[1, 4294967295]")
    }

    /// Queries are a thousand times as exact as impacts.
    fn query(&self) -> Options {
        Options { tolerance: (1e-3 * self.tolerance).min(1e-9), ..Options::DEFAULT }
    }
}

/// What becomes of two moving bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Impact {
    /// They do not meet up to the horizon.
    None,
    /// They touch or overlap at time zero.
    Already(Contact),
    /// They meet.
    At(f64, Contact),
    /// The cap on queries was reached: they do not meet up to this time at least.
    Undecided(f64),
}

impl Impact {
    /// The time up to which the bodies do not meet; infinite if they do not up to the horizon.
    pub fn free_until(&self) -> f64 {
        match self {
            Impact::None => f64::INFINITY,
            Impact::Already(_) => 0.0,
            Impact::At(time, _) | Impact::Undecided(time) => *time,
        }
    }
}

/// An impact and what it cost to find.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeOfImpact {
    /// What becomes of the bodies.
    pub impact: Impact,
    /// Distance queries asked.
    pub queries: u32,
    /// Looks along a fixed normal: two support values each.
    pub looks: u32,
}
