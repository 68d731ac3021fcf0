//! Joints as they are described: what two bodies keep in common, how far they may go, what drives them.
//!
//! A joint is a frame on each body. Where both frames are the same, all of its positions are zero. Axes run along x of the
//! frames unless said otherwise: turn the frames for others ([`axis_frame`], [`axes_frame`]).

use glam::{DMat3, DQuat, DVec3};
use superegg::{InvalidInput, Pose};

use crate::SimError;
use crate::error::{require_finite, require_not_negative};
use crate::handle::{BodyId, JointId};

/// A joint as it is added to a world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// The body that `b` hangs on; `None` for the world itself.
    pub a: Option<BodyId>,
    /// The other body.
    pub b: BodyId,
    /// The joint's frame on `a`, or in the world.
    pub frame_a: Pose,
    /// The joint's frame on `b`.
    pub frame_b: Pose,
    /// What the frames have in common.
    pub kind: JointKind,
    /// Whether the two bodies meet like others. They mostly overlap at a joint, and do not.
    pub collide: bool,
}

/// What two bodies have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// Everything.
    Fixed,
    /// All but the angle about x, in radians: a hinge, or a pivot if x runs along the limb.
    Revolute(Axis),
    /// The same; by custom without limits.
    Continuous(Axis),
    /// All but the way along x, in metres: a slider.
    Prismatic(Axis),
    /// Frames that stay in a plane across x: the ways along y and z, and the angle about x.
    Planar([Axis; 3]),
    /// Nothing; its positions tell where `b` is, and can be set.
    Floating,
    /// The origin.
    Ball(Option<Cone>),
    /// The origin, and that x of `a` stays perpendicular to y of `b`: angles about these.
    Universal([Axis; 2]),
    /// How far the origins are apart, in metres: `None` keeps the distance that they have when the joint is added.
    Distance(Option<Axis>),
}

/// Limits of a ball joint: of the angle between both frames' x axes, and of the twist about x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    /// How far the limb may lean away, in radians, in [0, π].
    pub swing: f64,
    /// How far it may twist about its axis, in radians.
    pub twist: [f64; 2],
}

/// What acts along one freedom of a joint: an angle in radians or a length in metres. Nothing by default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Axis {
    /// The least and the most.
    pub limits: Option<[f64; 2]>,
    /// What drives it.
    pub servo: Servo,
    /// Pulls towards a position.
    pub spring: Option<Spring>,
    /// Dry friction: what it takes to move it, in newton metres or newtons.
    pub friction: f64,
    /// Viscous friction, in newton metre seconds a radian or newton seconds a metre.
    pub damping: f64,
}

/// What drives an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Servo {
    /// Nothing.
    #[default]
    Off,
    /// A position, held by a damped spring: `stiffness (target - position) + damping (velocity - speed)`.
    Position {
        /// Where it is to be.
        target: f64,
        /// How fast it is to go there.
        velocity: f64,
        /// In newton metres a radian, or newtons a metre.
        stiffness: f64,
        /// In newton metre seconds a radian, or newton seconds a metre.
        damping: f64,
        /// What it can do at most, in newton metres or newtons.
        effort: f64,
    },
    /// A speed, in radians or metres a second.
    Velocity {
        /// The speed that it is to reach.
        target: f64,
        /// What it can do at most, in newton metres or newtons.
        effort: f64,
    },
    /// A torque in newton metres, or a force in newtons.
    Effort(f64),
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

/// An axis that follows another: `position = ratio · position of the other + offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mimic {
    /// The other joint, and which of its axes.
    pub of: (JointId, usize),
    /// Gear ratio.
    pub ratio: f64,
    /// Where it is when the other is at zero.
    pub offset: f64,
}

/// Where an axis is, how fast, and what its servo does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AxisState {
    /// In radians or metres; angles count whole turns.
    pub position: f64,
    /// In radians or metres a second.
    pub velocity: f64,
    /// Of the servo in the last substep, in newton metres or newtons.
    pub effort: f64,
}

/// A frame at a point whose x runs along an axis.
pub fn axis_frame(point: DVec3, axis: DVec3) -> Result<Pose, SimError> {
    let x = direction("axis", axis)?;
    axes_frame(point, x, x.any_orthonormal_vector())
}

/// A frame at a point whose x and y run along two perpendicular axes.
pub fn axes_frame(point: DVec3, x: DVec3, y: DVec3) -> Result<Pose, SimError> {
    require_finite("point", point)?;
    let (x, y) = (direction("axis", x)?, direction("axis", y)?);
    let cosine = x.dot(y);
    InvalidInput::unless(cosine.abs() < 1e-6, "axes", cosine, "a cosine of 0: perpendicular axes")?;
    let y = (y - x * cosine).normalize();
    Ok(Pose { rotation: DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize(), translation: point })
}

fn direction(field: &'static str, axis: DVec3) -> Result<DVec3, InvalidInput> {
    let length = axis.length();
    InvalidInput::unless(length > 1e-9 && length.is_finite(), field, length, "lengths in ]1e-9, ∞[")?;
    Ok(axis / length)
}

impl Joint {
    /// A joint of two frames between bodies that do not meet otherwise.
    pub fn new(a: Option<BodyId>, frame_a: Pose, b: BodyId, frame_b: Pose, kind: JointKind) -> Joint {
        Joint { a, b, frame_a, frame_b, kind, collide: false }
    }

    pub(crate) fn validate(&self) -> Result<(), SimError> {
        InvalidInput::unless(self.a != Some(self.b), "joint.b", self.b.index() as f64, "bodies other than joint.a")?;
        for frame in [self.frame_a, self.frame_b] {
            require_finite("point", frame.translation)?;
            Pose::new(frame.rotation, frame.translation)?;
        }
        if let JointKind::Ball(Some(cone)) = &self.kind {
            let accepted = (0.0..=std::f64::consts::PI).contains(&cone.swing);
            InvalidInput::unless(accepted, "swing", cone.swing, "[0, π]")?;
            require_ordered(cone.twist)?;
        }
        self.kind.axes().iter().try_for_each(Axis::validate)
    }
}

impl JointKind {
    /// What can be driven.
    pub fn axes(&self) -> &[Axis] {
        match self {
            JointKind::Revolute(axis) | JointKind::Continuous(axis) | JointKind::Prismatic(axis) => {
                std::slice::from_ref(axis)
            }
            JointKind::Distance(Some(axis)) => std::slice::from_ref(axis),
            JointKind::Planar(axes) => axes,
            JointKind::Universal(axes) => axes,
            JointKind::Fixed | JointKind::Floating | JointKind::Ball(_) | JointKind::Distance(None) => &[],
        }
    }

    pub(crate) fn axes_mut(&mut self) -> &mut [Axis] {
        match self {
            JointKind::Revolute(axis) | JointKind::Continuous(axis) | JointKind::Prismatic(axis) => {
                std::slice::from_mut(axis)
            }
            JointKind::Distance(Some(axis)) => std::slice::from_mut(axis),
            JointKind::Planar(axes) => axes,
            JointKind::Universal(axes) => axes,
            JointKind::Fixed | JointKind::Floating | JointKind::Ball(_) | JointKind::Distance(None) => &mut [],
        }
    }
}

fn require_ordered([low, high]: [f64; 2]) -> Result<(), InvalidInput> {
    InvalidInput::unless(low <= high && low.is_finite() && high.is_finite(), "limits", low, "[-∞, the upper limit]")
}

fn require_number(field: &'static str, value: f64) -> Result<(), InvalidInput> {
    InvalidInput::unless(value.is_finite(), field, value, "the finite numbers")
}

impl Axis {
    /// An axis within limits.
    pub fn within(low: f64, high: f64) -> Axis {
        Axis { limits: Some([low, high]), ..Axis::default() }
    }

    /// An axis with a servo.
    pub fn driven(servo: Servo) -> Axis {
        Axis { servo, ..Axis::default() }
    }

    pub(crate) fn validate(&self) -> Result<(), SimError> {
        if let Some(limits) = self.limits {
            require_ordered(limits)?;
        }
        if let Some(spring) = &self.spring {
            require_number("rest", spring.rest)?;
            require_not_negative("stiffness", spring.stiffness)?;
            require_not_negative("damping", spring.damping)?;
        }
        match self.servo {
            Servo::Off => {}
            Servo::Position { target, velocity, stiffness, damping, effort } => {
                require_number("target", target)?;
                require_number("velocity", velocity)?;
                require_not_negative("stiffness", stiffness)?;
                require_not_negative("damping", damping)?;
                InvalidInput::unless(effort >= 0.0, "effort", effort, "[0, ∞]")?;
            }
            Servo::Velocity { target, effort } => {
                require_number("target", target)?;
                InvalidInput::unless(effort >= 0.0, "effort", effort, "[0, ∞]")?;
            }
            Servo::Effort(effort) => require_number("effort", effort)?,
        }
        require_not_negative("friction", self.friction)?;
        require_not_negative("damping", self.damping)?;
        Ok(())
    }
}

impl Mimic {
    pub(crate) fn validate(&self) -> Result<(), SimError> {
        require_number("ratio", self.ratio)?;
        require_number("offset", self.offset)?;
        Ok(())
    }
}
