//! Joints as they are described: what two bodies keep in common, how far they may turn, what drives them.

use glam::DVec3;
use superegg::InvalidInput;

use super::RigidId;
use crate::SimError;
use crate::error::require_not_negative;

/// Names a joint of a [`RigidWorld`](super::RigidWorld).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JointId(pub usize);

/// A joint as it is added to a world. Points and directions are in the world, for the bodies as they stand then; angles and
/// lengths count from there.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// The body that `b` hangs on; `None` for the world itself.
    pub a: Option<RigidId>,
    /// The other body.
    pub b: RigidId,
    /// What they have in common.
    pub kind: JointKind,
    /// Whether the two bodies meet like others. They mostly overlap at a joint, and do not.
    pub meet: bool,
}

/// What two bodies have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// A point.
    Ball {
        /// The point.
        point: DVec3,
        /// How far the joint may bend and twist.
        cone: Option<Cone>,
    },
    /// A point and an axis: a hinge, or a pivot if the axis runs along the limb.
    Hinge {
        /// A point on the axis.
        point: DVec3,
        /// Its direction.
        axis: DVec3,
        /// Of the angle about it.
        drive: Drive,
    },
    /// A point, and two axes that stay perpendicular to each other: an elbow bends about the first, which is fixed to `a`,
    /// and twists about the second, fixed to `b`.
    Elbow {
        /// Where the axes cross.
        point: DVec3,
        /// Their directions, which are perpendicular.
        axes: [DVec3; 2],
        /// Of the angles about them.
        drives: [Drive; 2],
    },
    /// Everything.
    Fixed {
        /// Where they are stuck together.
        point: DVec3,
    },
    /// How far two points are apart.
    Distance {
        /// On a and on b.
        points: [DVec3; 2],
        /// What is allowed; [`Range::Rigid`] keeps them as far apart as they are.
        range: Range,
    },
}

/// What a distance may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    /// As it is at first.
    Rigid,
    /// Driven; limits, rest lengths and speeds are distances in metres, stiffness in newtons a metre.
    Driven(Drive),
}

/// Limits of a ball joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    /// Along the limb.
    pub axis: DVec3,
    /// How far the limb may lean away from where it is, in radians, in [0, π].
    pub swing: f64,
    /// How far it may twist about its axis, in radians.
    pub twist: [f64; 2],
}

/// What acts along one freedom of a joint: an angle in radians or a distance in metres. Nothing by default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drive {
    /// The least and the most.
    pub limits: Option<[f64; 2]>,
    /// Pulls towards a value.
    pub spring: Option<Spring>,
    /// Moves at a speed.
    pub motor: Option<Motor>,
}

/// A damped spring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Where it is at rest.
    pub rest: f64,
    /// In newton metres a radian, or newtons a metre.
    pub stiffness: f64,
    /// In newton metre seconds a radian, or newton seconds a metre.
    pub damping: f64,
}

/// A motor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motor {
    /// The speed that it is to reach, in radians or metres a second.
    pub speed: f64,
    /// What it can do at most, in newton metres or newtons.
    pub strength: f64,
}

impl Joint {
    /// A joint between bodies that do not meet otherwise.
    pub fn new(a: Option<RigidId>, b: RigidId, kind: JointKind) -> Joint {
        Joint { a, b, kind, meet: false }
    }

    /// A ball joint without limits.
    pub fn ball(a: Option<RigidId>, b: RigidId, point: DVec3) -> Joint {
        Joint::new(a, b, JointKind::Ball { point, cone: None })
    }

    /// A hinge, or a pivot, without limits and drives.
    pub fn hinge(a: Option<RigidId>, b: RigidId, point: DVec3, axis: DVec3) -> Joint {
        Joint::new(a, b, JointKind::Hinge { point, axis, drive: Drive::default() })
    }

    /// A joint that lets nothing move.
    pub fn fixed(a: Option<RigidId>, b: RigidId, point: DVec3) -> Joint {
        Joint::new(a, b, JointKind::Fixed { point })
    }

    pub(super) fn validate(&self) -> Result<(), SimError> {
        let finite = |point: DVec3, field: &'static str| {
            InvalidInput::unless(point.is_finite(), field, point.length(), "the finite vectors")
        };
        let direction = |axis: DVec3| {
            let length = axis.length();
            InvalidInput::unless(length > 1e-9 && length.is_finite(), "axis", length, "lengths in ]1e-9, ∞[")
        };
        InvalidInput::unless(self.a != Some(self.b), "joint.b", self.b.0 as f64, "bodies other than joint.a")?;
        match &self.kind {
            JointKind::Ball { point, cone } => {
                finite(*point, "point")?;
                if let Some(cone) = cone {
                    direction(cone.axis)?;
                    let accepted = (0.0..=std::f64::consts::PI).contains(&cone.swing);
                    InvalidInput::unless(accepted, "swing", cone.swing, "[0, π]")?;
                    require_ordered(cone.twist)?;
                }
            }
            JointKind::Hinge { point, axis, drive } => {
                finite(*point, "point")?;
                direction(*axis)?;
                drive.validate()?;
            }
            JointKind::Elbow { point, axes, drives } => {
                finite(*point, "point")?;
                direction(axes[0])?;
                direction(axes[1])?;
                let cosine = axes[0].normalize().dot(axes[1].normalize());
                InvalidInput::unless(cosine.abs() < 1e-6, "axes", cosine, "a cosine of 0: perpendicular axes")?;
                drives[0].validate()?;
                drives[1].validate()?;
            }
            JointKind::Fixed { point } => finite(*point, "point")?,
            JointKind::Distance { points, range } => {
                finite(points[0], "points[0]")?;
                finite(points[1], "points[1]")?;
                match range {
                    Range::Rigid => {
                        let apart = points[0].distance(points[1]);
                        InvalidInput::unless(apart > 1e-9, "points", apart, "distances above 1e-9")?;
                    }
                    Range::Driven(drive) => drive.validate()?,
                }
            }
        }
        Ok(())
    }
}

fn require_ordered([low, high]: [f64; 2]) -> Result<(), InvalidInput> {
    InvalidInput::unless(low <= high && low.is_finite() && high.is_finite(), "limits", low, "[-∞, the upper limit]")
}

impl Drive {
    pub(super) fn validate(&self) -> Result<(), SimError> {
        if let Some(limits) = self.limits {
            require_ordered(limits)?;
        }
        if let Some(spring) = &self.spring {
            InvalidInput::unless(spring.rest.is_finite(), "rest", spring.rest, "the finite numbers")?;
            require_not_negative("stiffness", spring.stiffness)?;
            require_not_negative("damping", spring.damping)?;
        }
        if let Some(motor) = &self.motor {
            InvalidInput::unless(motor.speed.is_finite(), "speed", motor.speed, "the finite numbers")?;
            require_not_negative("strength", motor.strength)?;
        }
        Ok(())
    }
}
