//! Second derivatives of the signed distance by both poses, and first derivatives of the closest points and the normal.
//!
//! `distance = n·(t_b - t_a) - h_a(n) - h_b(-n)`, stationary in the unit normal n, with the support functions h of the turned
//! bodies about their own origins; their gradients are the contact points, `x_a = t_a + ∇h_a(n)` and `x_b = t_b + ∇h_b(-n)`, and
//! their second derivatives `H_a`, `H_b` say how these move as the normal turns. Stationary means that `x_b - x_a` is along n:
//!
//! - At a fixed normal, a motion (a translation v and a rotation vector ω, with r the contact point from the body's origin)
//!   moves a's point by `v + ω×r - H_a(ω×n)` and b's by `v + ω×r + H_b(ω×n)`. Let δw be the change of `x_b - x_a`.
//! - The normal turns so that the points are in line with it again (the implicit function theorem, in the plane across n):
//!   `(H_a + H_b + distance) δn = δw`. Then `x_a` moves by a further `H_a δn` and `x_b` by `-H_b δn`.
//! - The first derivatives are `±n` by the translations and `±r×n` by the rotations: their changes are the second ones.
//!
//! The derivative of the derivative by a rotation vector is not symmetric, as rotations do not commute; the second derivative by a
//! rotation vector, `∂²/∂ω∂ω` of `exp(ω) R`, is its symmetric part.

use glam::DVec3;

use super::gradient::with_contact;
use super::{BodyGradient, Gradient, Options, Outcome, QueryError};
use crate::Pose;
use crate::shape::Shape;
use crate::solver::polish::Contact;
use crate::solver::second_order::{SupportCurvature, support_curvature};

/// The parameters of two poses: translation of a, rotation vector of a, translation of b, rotation vector of b; three components
/// each, in world coordinates. A rotation vector turns a body about its own origin.
pub const POSE_PARAMETERS: usize = 12;

/// Part of the larger curvature radius below which the sum `H_a + H_b + distance` counts as singular.
const SINGULAR: f64 = 1e-12;

/// The answer of a query for second derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[must_use]
pub struct SecondDerivatives {
    /// What [`gradient`](super::gradient()) answers.
    pub gradient: Gradient,
    /// Second derivatives of the signed distance: a symmetric matrix.
    pub hessian: [[f64; POSE_PARAMETERS]; POSE_PARAMETERS],
    /// How the point of a moves with each parameter.
    pub point_a: [DVec3; POSE_PARAMETERS],
    /// How the point of b moves with each parameter.
    pub point_b: [DVec3; POSE_PARAMETERS],
    /// How the normal turns with each parameter.
    pub normal: [DVec3; POSE_PARAMETERS],
    /// False where the distance has no second derivatives, as far as is known: points or normal are not unique, or both bodies are flat
    /// along the same direction. The numbers are finite there too: those of a turn of the normal that is as small as possible.
    pub is_smooth: bool,
    /// False where a radius of curvature is infinite, as on a plane, a flat face or along an edge. Distance and normal still have
    /// their derivatives, and the points move with the body; how they slide along the face is known roughly only.
    pub is_curved: bool,
}

impl SecondDerivatives {
    /// The first derivatives, in the order of the parameters.
    pub fn first(&self) -> [f64; POSE_PARAMETERS] {
        let parts = |body: &BodyGradient| [body.translation.to_array(), body.rotation.to_array()];
        let ([ta, ra], [tb, rb]) = (parts(&self.gradient.a), parts(&self.gradient.b));
        let all = [ta, ra, tb, rb];
        std::array::from_fn(|index| all[index / 3][index % 3])
    }
}

/// Signed distance of two placed shapes, its first and second derivatives by both poses, and the derivatives of the closest points
/// and the normal.
///
/// ```
/// use superegg::query::{Options, second_derivatives};
/// use superegg::shape::Superellipsoid;
/// use superegg::{DVec3, Pose};
/// // Two unit balls 3 apart: |t_b - t_a| has the second derivative 1/3 across the line between them, none along it.
/// let ball = Superellipsoid::new([1.0; 3], [1.0; 2])?.into();
/// let there = Pose::from_translation(DVec3::X * 3.0);
/// let found = second_derivatives(&ball, &Pose::IDENTITY, &ball, &there, &Options::DEFAULT)?;
/// assert!(found.is_smooth);
/// let [along, across] = [found.hessian[6][6], found.hessian[7][7]];
/// assert!(along.abs() < 1e-9 && (across - 1.0 / 3.0).abs() < 1e-9);
/// assert!((found.normal[7] - DVec3::Y / 3.0).length() < 1e-9); // the normal follows b
/// # Ok::<(), superegg::query::QueryError>(())
/// ```
pub fn second_derivatives(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    options: &Options,
) -> Result<SecondDerivatives, QueryError> {
    let (pose_a, pose_b) = (&pose_a.normalized()?, &pose_b.normalized()?);
    let (gradient, contact) =
        with_contact(a, pose_a, b, pose_b, options).map_err(|error| error.during("second_derivatives"))?;
    let Some(Contact { point_a, point_b, normal }) = contact else { return Ok(SecondDerivatives::none(gradient)) };
    let sides = Sides {
        a: Side::of(a, pose_a, point_a, normal),
        b: Side::of(b, pose_b, point_b, -normal),
        normal,
        distance: (point_b - point_a).dot(normal),
    };
    Ok(sides.derivatives(gradient))
}

/// A small motion of one body.
#[derive(Clone, Copy, Default)]
struct Motion {
    translation: DVec3,
    rotation: DVec3,
}

impl Motion {
    /// Of the parameter with this index, of a and of b.
    fn of_parameter(index: usize) -> [Motion; 2] {
        let mut motions = [Motion::default(); 2];
        let body = &mut motions[index / 6];
        let part = if index % 6 < 3 { &mut body.translation } else { &mut body.rotation };
        part[index % 3] = 1.0;
        motions
    }
}

/// One body at its contact point.
struct Side {
    /// Contact point from the body's origin, in world coordinates.
    arm: DVec3,
    /// Outward normal.
    outward: DVec3,
    curvature: Option<SupportCurvature>,
    pose: Pose,
}

impl Side {
    fn of(shape: &Shape, pose: &Pose, point: DVec3, outward: DVec3) -> Side {
        let (local, normal) = (pose.inverse_transform_point(point), pose.inverse_transform_vector(outward));
        Side { arm: point - pose.translation, outward, curvature: support_curvature(shape, local, normal), pose: *pose }
    }

    /// The change of the support point that belongs to a change of the outward normal, in world coordinates; zero for a plane.
    fn bend(&self, turn: DVec3) -> DVec3 {
        self.curvature.map_or(DVec3::ZERO, |curvature| {
            self.pose.transform_vector(curvature.matrix * self.pose.inverse_transform_vector(turn))
        })
    }

    /// How the support point moves with the body while the normal of the pair turns.
    fn moved(&self, motion: &Motion, turn: DVec3) -> DVec3 {
        let relative = turn - motion.rotation.cross(self.outward);
        motion.translation + motion.rotation.cross(self.arm) + self.bend(relative)
    }
}

/// Both bodies at their contact.
struct Sides {
    a: Side,
    b: Side,
    /// From a to b.
    normal: DVec3,
    distance: f64,
}

impl Sides {
    fn derivatives(&self, gradient: Gradient) -> SecondDerivatives {
        let mut found = SecondDerivatives::none(gradient);
        let inverse = self.response();
        let is_curved = |side: &Side| side.curvature.is_some_and(|curvature| curvature.finite);
        found.is_curved = is_curved(&self.a) && is_curved(&self.b);
        found.is_smooth = inverse.is_some_and(|(_, regular)| regular) && gradient.outcome.is_differentiable();
        let first = found.first();
        let mut by_motion = [[0.0; POSE_PARAMETERS]; POSE_PARAMETERS];
        for parameter in 0..POSE_PARAMETERS {
            let motions @ [motion_a, motion_b] = Motion::of_parameter(parameter);
            let turn = match &inverse {
                Some((inverse, _)) => self.turn(&motions, inverse),
                // The normal is the plane's.
                None if self.a.curvature.is_none() => motion_a.rotation.cross(self.normal),
                None => motion_b.rotation.cross(self.normal),
            };
            let (mut move_a, mut move_b) = (self.a.moved(&motion_a, turn), self.b.moved(&motion_b, -turn));
            // A plane's point is opposite that of the other body.
            let apart = self.normal * first[parameter] + turn * self.distance;
            if self.a.curvature.is_none() {
                move_a = move_b - apart;
            } else if self.b.curvature.is_none() {
                move_b = move_a + apart;
            }
            (found.point_a[parameter], found.point_b[parameter]) = (move_a, move_b);
            found.normal[parameter] = turn;
            let arm_a = (move_a - motion_a.translation).cross(self.normal) + self.a.arm.cross(turn);
            let arm_b = (move_b - motion_b.translation).cross(self.normal) + self.b.arm.cross(turn);
            let changes = [-turn, -arm_a, turn, arm_b];
            for (row, second) in by_motion.iter_mut().enumerate() {
                second[parameter] = changes[row / 3][row % 3];
            }
        }
        found.hessian = std::array::from_fn(|row| {
            std::array::from_fn(|column| 0.5 * (by_motion[row][column] + by_motion[column][row]))
        });
        found
    }

    /// How the normal turns to stay in line with the points.
    fn turn(&self, [motion_a, motion_b]: &[Motion; 2], inverse: &Response) -> DVec3 {
        let still = DVec3::ZERO;
        inverse.apply(self.b.moved(motion_b, still) - self.a.moved(motion_a, still))
    }

    /// The inverse of `H_a + H_b + distance` across the normal, and whether it exists; `None` where a plane takes part.
    fn response(&self) -> Option<(Response, bool)> {
        self.a.curvature.and(self.b.curvature)?;
        let u = self.normal.any_orthonormal_vector();
        let v = self.normal.cross(u);
        let apply = |w: DVec3| self.a.bend(w) + self.b.bend(w) + w * self.distance;
        let (along_u, along_v) = (apply(u), apply(v));
        let (p, q, r) = (along_u.dot(u), 0.5 * (along_u.dot(v) + along_v.dot(u)), along_v.dot(v));
        // Eigenvalues and eigenvectors of the symmetric 2×2 matrix: by the angle that makes it diagonal.
        let angle = 0.5 * (2.0 * q).atan2(p - r);
        let (sine, cosine) = angle.sin_cos();
        let axes = [u * cosine + v * sine, v * cosine - u * sine];
        let (middle, radius) = (0.5 * (p + r), (0.5 * (p - r)).hypot(q));
        let values = [middle + radius, middle - radius];
        let scale = self.a.arm.length() + self.b.arm.length() + self.distance.abs();
        let regular = values.map(|value| value.abs() > SINGULAR * scale && value.is_finite());
        let inverses = [0, 1].map(|axis| if regular[axis] { 1.0 / values[axis] } else { 0.0 });
        Some((Response { axes, inverses }, regular[0] && regular[1]))
    }
}

/// A symmetric map of the plane across the normal, by its eigenvectors.
#[derive(Clone, Copy)]
struct Response {
    axes: [DVec3; 2],
    inverses: [f64; 2],
}

impl Response {
    fn apply(&self, v: DVec3) -> DVec3 {
        self.axes[0] * (self.inverses[0] * self.axes[0].dot(v))
            + self.axes[1] * (self.inverses[1] * self.axes[1].dot(v))
    }
}

impl SecondDerivatives {
    /// Nothing changes: bodies without an inside that meet.
    fn none(gradient: Gradient) -> SecondDerivatives {
        SecondDerivatives {
            gradient,
            hessian: [[0.0; POSE_PARAMETERS]; POSE_PARAMETERS],
            point_a: [DVec3::ZERO; POSE_PARAMETERS],
            point_b: [DVec3::ZERO; POSE_PARAMETERS],
            normal: [DVec3::ZERO; POSE_PARAMETERS],
            is_smooth: false,
            is_curved: false,
        }
    }

    /// What [`distance`](super::distance) answers.
    pub fn outcome(&self) -> &Outcome {
        &self.gradient.outcome
    }
}
