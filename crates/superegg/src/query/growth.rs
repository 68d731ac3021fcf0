//! Growth distance (Ong and Gilbert 1996): the factor by which two bodies have to be scaled about their centres to touch.
//!
//! Above one apart, below one in overlap, and smooth through contact, where the signed distance changes its method. With the
//! support functions h of the bodies about their centres and c from one centre to the other it is
//! `g = max over n of n·c / (h_a(n) + h_b(-n))`: the bodies scaled by less than g are apart along some n, scaled by more they
//! overlap. Dinkelbach's method for a quotient: the bodies scaled by a lower bound s are apart; the normal of their distance gives
//! the next, higher bound, with quadratic convergence. So only distances of bodies that are apart are ever needed.
//!
//! **Bounds** follow from the certified distance of the scaled bodies: see [`certificate::growth_bounds`].
//!
//! **Derivatives** are those of the gap at the scale g over `h_a(n) + h_b(-n)`: the normal may be held fixed (the envelope theorem).

use glam::DVec3;

use super::{Bounds, Options, QueryError, Status};
use crate::Pose;
use crate::shape::Shape;
use crate::solver::certificate::{self, inner_radius};
use crate::solver::dispatch;
use crate::solver::params::{Kind, Params};
use crate::solver::polish;

/// Distances asked for at most: each squares what is missing, so that a few are enough.
const MOST_ROUNDS: u32 = 24;

/// The answer of a growth query.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[must_use]
pub struct Growth {
    /// The factor by which both bodies have to be scaled about their origins to touch: above 1 apart, below 1 in overlap.
    pub growth: f64,
    /// Certified bounds of the growth.
    pub bounds: Bounds,
    /// Where the scaled bodies touch, in world coordinates.
    pub point: DVec3,
    /// Unit normal from a to b there, in world coordinates.
    pub normal: DVec3,
    /// How the growth changes with the pose of a.
    pub a: GrowthGradient,
    /// How the growth changes with the pose of b.
    pub b: GrowthGradient,
    /// False for bodies with the same centre, whose growth is zero along every normal, and where both have parallel faces or edges.
    pub is_differentiable: bool,
    /// [`Status::Separated`] above 1, [`Status::Penetrating`] below, [`Status::Touching`] where 1 lies within the bounds,
    /// [`Status::NotConverged`] where the bounds are wider than the tolerance.
    pub status: Status,
    /// Surface evaluations spent.
    pub iterations: u32,
}

/// Derivatives of the growth by one body's pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrowthGradient {
    /// By the translation, in world coordinates.
    pub translation: DVec3,
    /// By a small rotation about the body's own origin: the derivative by the rotation vector, in world coordinates.
    pub rotation: DVec3,
}

/// The factor by which two superellipsoids or convex superovoids have to be scaled about their origins to touch.
///
/// The tolerance is the width of the bounds, as a part of the growth or of 1, whichever is larger. Other shapes, and superovoids that are not
/// convex, are refused as [`QueryError::Unsupported`].
///
/// ```
/// use superegg::query::{Options, growth_distance};
/// use superegg::shape::Superellipsoid;
/// use superegg::{DVec3, Pose};
/// let ball = Superellipsoid::new([1.0; 3], [1.0; 2])?.into();
/// let there = Pose::from_translation(DVec3::X * 5.0);
/// let found = growth_distance(&ball, &Pose::IDENTITY, &ball, &there, &Options::DEFAULT)?;
/// assert!((found.growth - 2.5).abs() < 1e-9);
/// assert!(found.bounds.lower <= 2.5 && 2.5 <= found.bounds.upper);
/// assert!((found.b.translation - DVec3::X * 0.5).length() < 1e-9);
/// # Ok::<(), superegg::query::QueryError>(())
/// ```
pub fn growth_distance(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    options: &Options,
) -> Result<Growth, QueryError> {
    let (pose_a, pose_b) = (&pose_a.normalized()?, &pose_b.normalized()?);
    options.validate()?;
    let (Kind::Superquadric(of_a), Kind::Superquadric(of_b)) = (Kind::of(a), Kind::of(b)) else {
        return Err(QueryError::Unsupported { operation: "growth_distance", a: a.name(), b: b.name() });
    };
    if !(of_a.convex && of_b.convex) {
        let name = |shape: &Shape| if shape.is_convex() { shape.name() } else { "superovoid that is not convex" };
        return Err(QueryError::Unsupported { operation: "growth_distance", a: name(a), b: name(b) });
    }
    Ok(Growing { shapes: [a, b], params: [of_a, of_b], poses: [pose_a, pose_b] }.solve(options))
}

/// A pair that is scaled.
struct Growing<'a> {
    shapes: [&'a Shape; 2],
    params: [Params; 2],
    poses: [&'a Pose; 2],
}

impl Growing<'_> {
    fn solve(&self, options: &Options) -> Growth {
        let [pose_a, pose_b] = self.poses;
        let between = pose_b.translation - pose_a.translation;
        let Some(first) = between.try_normalize() else { return self.concentric() };
        let inner = self.params.iter().map(|params| inner_radius(params.radii)).sum::<f64>();
        let mut scale = self.quotient(between, first);
        let mut bounds = certificate::UNKNOWN_GROWTH;
        let mut query = *options;
        query.warm_start = None;
        let mut spent = 0;
        let mut round = 0;
        loop {
            round += 1;
            let [a, b] = self.params.map(|params| scaled(params, scale));
            query.max_iterations = options.max_iterations.saturating_sub(spent).max(1);
            // A gap that is small beside the bodies says the growth to that part of it.
            query.tolerance = (0.5 * options.tolerance * inner / self.size()).clamp(1e-15, 1.0);
            let outcome = dispatch::superquadrics(&a, pose_a, &b, pose_b, &query);
            spent += outcome.iterations;
            query.warm_start = Some(outcome.warm_start);
            if let Some(gap) = outcome.bounds {
                let proved = certificate::growth_bounds(scale, gap, self.width(outcome.witness), self.reach(), inner);
                bounds = certificate::both(bounds, proved);
            }
            let width = bounds.upper - bounds.lower;
            let settled = width <= options.tolerance * bounds.upper.max(1.0);
            let next = self.quotient(between, outcome.normal).max(bounds.lower);
            if settled || round == MOST_ROUNDS || spent >= options.max_iterations || next <= scale {
                let contact = polish::of_superquadrics(&a, pose_a, &b, pose_b, &outcome);
                let unique = outcome.is_differentiable();
                return self.answer(scale, bounds, contact, unique, settled, spent);
            }
            scale = next;
        }
    }

    /// `n·c / (h_a(n) + h_b(-n))`: a lower bound of the growth, up to rounding.
    fn quotient(&self, between: DVec3, normal: DVec3) -> f64 {
        (normal.dot(between) / self.width(normal)).max(0.0)
    }

    /// `h_a(n) + h_b(-n)`.
    fn width(&self, normal: DVec3) -> f64 {
        let [a, b] = self.shapes;
        let [pose_a, pose_b] = self.poses;
        a.support_value(pose_a.inverse_transform_vector(normal))
            + b.support_value(pose_b.inverse_transform_vector(-normal))
    }

    /// Sum of the largest radii.
    fn size(&self) -> f64 {
        self.params.iter().map(Params::largest_radius).sum()
    }

    /// How far both bodies reach from their origins at most, together.
    fn reach(&self) -> f64 {
        self.params.iter().map(|params| params.largest_radius() * params.reach_factor()).sum()
    }

    fn answer(
        &self,
        scale: f64,
        bounds: Bounds,
        contact: polish::Contact,
        unique: bool,
        settled: bool,
        iterations: u32,
    ) -> Growth {
        let growth = scale.clamp(bounds.lower, bounds.upper);
        let (normal, width) = (contact.normal, self.width(contact.normal));
        let [a, b] = [(self.poses[0], contact.point_a, -1.0), (self.poses[1], contact.point_b, 1.0)].map(
            |(pose, point, sign): (&Pose, DVec3, f64)| GrowthGradient {
                translation: normal * (sign / width),
                rotation: (point - pose.translation).cross(normal) * (sign / width),
            },
        );
        let status = match (settled, bounds) {
            (false, _) => Status::NotConverged,
            (true, Bounds { lower, .. }) if lower > 1.0 => Status::Separated,
            (true, Bounds { upper, .. }) if upper < 1.0 => Status::Penetrating,
            _ => Status::Touching,
        };
        let point = 0.5 * (contact.point_a + contact.point_b);
        Growth { growth, bounds, point, normal, a, b, is_differentiable: unique, status, iterations }
    }

    /// Bodies with the same centre share it at any scale.
    fn concentric(&self) -> Growth {
        let none = GrowthGradient { translation: DVec3::ZERO, rotation: DVec3::ZERO };
        Growth {
            growth: 0.0,
            bounds: certificate::NO_GROWTH,
            point: self.poses[0].translation,
            normal: DVec3::X,
            a: none,
            b: none,
            is_differentiable: false,
            status: Status::Penetrating,
            iterations: 0,
        }
    }
}

fn scaled(params: Params, by: f64) -> Params {
    Params { radii: params.radii.map(|radius| radius * by), ..params }
}
