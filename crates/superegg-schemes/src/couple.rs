//! Two placed surfaces as the schemes see them: in units of their size, in the frame of the first.
//!
//! The unit is the mean of both bodies' largest extents, so that the papers' absolute tolerances, meant for bodies of about a
//! metre, hold for bodies of any size.

use superegg::query::{Outcome, Status, WarmStart};
use superegg::shape::Shape;
use superegg::{DMat3, DVec3, Pose};

use crate::trace::Iterate;
use superegg_world::assembled;
use superegg_world::geometry::Geometry;
use superegg_world::superquadric::Superquadric;

/// Two surfaces, and where b is in the frame of a.
pub(crate) struct Couple<'a> {
    pub a: Superquadric,
    pub b: Superquadric,
    /// From b's axes to a's.
    pub rotation: DMat3,
    /// Centre of b.
    pub offset: DVec3,
    /// Metres in a unit.
    pub unit: f64,
    pub shapes: [Option<&'a Shape>; 2],
    pose_a: Pose,
    pose_b: Pose,
}

/// Candidates for the closest points: each in its own body's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Points {
    pub a: DVec3,
    pub b: DVec3,
}

/// How an iteration from one start ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub points: Points,
    pub settled: bool,
    pub iterations: u32,
    /// Evaluations of a surface, where the scheme counts them.
    pub evaluations: u32,
}

impl Run {
    /// Nothing done so far.
    pub fn none(couple: &Couple) -> Run {
        let points = Points { a: couple.offset, b: -couple.offset };
        Run { points, settled: false, iterations: 0, evaluations: 0 }
    }
}

impl<'a> Couple<'a> {
    pub fn new(a: &'a Geometry, pose_a: &Pose, b: &'a Geometry, pose_b: &Pose) -> Option<Couple<'a>> {
        let (surface_a, surface_b) = (a.superquadric()?, b.superquadric()?);
        let unit = 0.5 * (surface_a.largest_extent() + surface_b.largest_extent());
        let into_a = pose_a.rotation.conjugate();
        Some(Couple {
            a: surface_a.scaled(1.0 / unit),
            b: surface_b.scaled(1.0 / unit),
            rotation: DMat3::from_quat((into_a * pose_b.rotation).normalize()),
            offset: into_a * (pose_b.translation - pose_a.translation) / unit,
            unit,
            shapes: [a.shape(), b.shape()],
            pose_a: *pose_a,
            pose_b: *pose_b,
        })
    }

    /// A point of b in a's frame.
    pub fn placed(&self, point_b: DVec3) -> DVec3 {
        self.rotation * point_b + self.offset
    }

    /// A point of a's frame in b's.
    pub fn in_b(&self, point: DVec3) -> DVec3 {
        self.rotation.transpose() * (point - self.offset)
    }

    /// From an answer to an earlier query.
    pub fn warm(&self, warm: &WarmStart) -> Points {
        Points { a: warm.point_a / self.unit, b: warm.point_b / self.unit }
    }

    /// One step of an iteration, for a trace.
    pub fn iterate(&self, points: &Points, residual: f64) -> Iterate {
        let unit_normal = |surface: &Superquadric, point: DVec3| surface.gradient(point).1.normalize_or(DVec3::Z);
        Iterate {
            point_a: self.pose_a.transform_point(points.a * self.unit),
            point_b: self.pose_b.transform_point(points.b * self.unit),
            normal_a: self.pose_a.transform_vector(unit_normal(&self.a, points.a)),
            normal_b: self.pose_b.transform_vector(unit_normal(&self.b, points.b)),
            residual,
        }
    }

    /// The library's outcome for a run; `trusted` says whether its points are the answer.
    pub fn outcome(&self, run: &Run, trusted: bool, tolerance: f64) -> Outcome {
        let (points, iterations) = (&run.points, run.iterations);
        let finite = points.a.is_finite() && points.b.is_finite();
        let (points, trusted) =
            if finite { (*points, trusted) } else { (Points { a: DVec3::ZERO, b: DVec3::ZERO }, false) };
        let apart = self.placed(points.b) - points.a;
        let normal = self.a.gradient(points.a).1.normalize_or(apart.normalize_or(DVec3::Z));
        let sign = if apart.dot(normal) < 0.0 { -1.0 } else { 1.0 };
        let distance = sign * apart.length();
        // The points define the direction unless they nearly coincide.
        let normal = if distance.abs() > tolerance { apart / distance } else { normal };
        let world_normal = self.pose_a.transform_vector(normal);
        let status = match distance {
            _ if !trusted => Status::NotConverged,
            distance if distance.abs() <= tolerance => Status::Touching,
            distance if distance > 0.0 => Status::Separated,
            _ => Status::Penetrating,
        };
        let warm_start = WarmStart {
            point_a: points.a * self.unit,
            normal_a: normal,
            point_b: points.b * self.unit,
            normal_b: self.rotation.transpose() * -normal,
        };
        let ends =
            [self.pose_a.transform_point(points.a * self.unit), self.pose_b.transform_point(points.b * self.unit)];
        assembled(distance * self.unit, ends, world_normal, status, iterations, None, warm_start)
    }
}
