//! Growth distance (Ong and Gilbert 1996): the factor by which two bodies have to be scaled about their centres to touch.
//!
//! Above one apart, below one in overlap, and smooth through contact, where the signed distance changes its method. With the
//! support functions h of the bodies about their centres and c from one centre to the other it is
//! `g = max over n of n·c / (h_a(n) + h_b(-n))`: the bodies scaled by less than g are apart along some n, scaled by more they
//! overlap. Dinkelbach's method for a quotient: the bodies scaled by a lower bound s are apart; the normal of their distance gives
//! the next, higher bound, with quadratic convergence. So only distances of bodies that are apart are ever needed.
//!
//! Bodies scaled by s with their centres c apart are the bodies themselves with their centres `c/s` apart, but for a factor of s:
//! nothing is scaled but c, so that any convex shape will do, hulls and shapes of the caller's own included.
//!
//! **Bounds** follow from the certified distance: see [`certificate::growth_bounds`].
//!
//! **Derivatives** are those of the gap at the scale g over `h_a(n) + h_b(-n)`: the normal may be held fixed (the envelope theorem).
//!
//! A half-space does not grow: the other body has to reach its plane, along the plane's normal, in closed form.

use glam::DVec3;

use super::{Bounds, Options, Outcome, QueryError, Status, distance};
use crate::Pose;
use crate::shape::{Plane, Shape};
use crate::solver::certificate;
use crate::solver::params::{Kind, Params, simplex_mean, simplex_radius};
use crate::solver::polish::{self, Contact};
use crate::solver::primitive;

/// Distances asked for at most: each squares what is missing, so that a few are enough.
const MOST_ROUNDS: u32 = 24;

/// The answer of a growth query.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[must_use]
pub struct Growth {
    /// The factor by which both bodies have to be scaled about their centres to touch: above 1 apart, below 1 in overlap.
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

/// The factor by which two convex bodies have to be scaled about their centres to touch.
///
/// The centre is the origin of a superellipsoid, superovoid, box, cylinder, cone, frustum, capsule or sphere, the
/// [`Hull::centre`](crate::shape::Hull::centre) of a hull, the [`Convex::centre`](crate::shape::Convex::centre) of a shape of your own, and the
/// mean of the corners of a segment or triangle. A point does not grow, and neither does the half-space below a plane.
///
/// The tolerance is the width of the bounds, as a part of the growth or of 1, whichever is larger. Refused as
/// [`QueryError::Unsupported`] are superovoids that are not convex, and pairs of which neither holds a ball about its centre: points,
/// segments and triangles among each other and before planes, and two planes.
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
    let name = |shape: &Shape| if shape.is_convex() { shape.name() } else { "superovoid that is not convex" };
    let unsupported = || QueryError::Unsupported { operation: "growth_distance", a: name(a), b: name(b) };
    match (a, b) {
        (Shape::Plane(plane), other) => {
            let body = Growing::new(other, pose_b).filter(|body| body.inner > 0.0).ok_or_else(unsupported)?;
            above_plane(plane, a, pose_a, &body, options)
        }
        (other, Shape::Plane(plane)) => {
            let body = Growing::new(other, pose_a).filter(|body| body.inner > 0.0).ok_or_else(unsupported)?;
            Ok(above_plane(plane, b, pose_b, &body, options)?.swapped())
        }
        _ => match (Growing::new(a, pose_a), Growing::new(b, pose_b)) {
            (Some(a), Some(b)) if a.inner + b.inner > 0.0 => {
                let pair = GrowingPair { bodies: [a, b] };
                pair.solve(options).map_err(|error| error.during("growth_distance"))
            }
            _ => Err(unsupported()),
        },
    }
}

/// A body that grows about its centre.
#[derive(Clone, Copy)]
struct Growing<'a> {
    shape: &'a Shape,
    pose: &'a Pose,
    /// In its own frame.
    centre: DVec3,
    /// Radius of a ball about the centre that holds it.
    reach: f64,
    /// Radius of a ball about the centre that it holds; zero where none is known.
    inner: f64,
    /// What a support value about the centre may be off by beside the rounding of a closed form.
    error: f64,
}

impl<'a> Growing<'a> {
    /// `None` for a plane, and for a superovoid that is not convex.
    fn new(shape: &'a Shape, pose: &'a Pose) -> Option<Growing<'a>> {
        let of = |centre: DVec3, reach: f64, inner: f64, error: f64| {
            let error = error + certificate::rounding_of_lengths(centre.length());
            Some(Growing { shape, pose, centre, reach, inner: inner.max(0.0), error })
        };
        let of_radii = |params: Params| of(DVec3::ZERO, shape.reach(), certificate::inner_radius(params.radii), 0.0);
        let of_points = |points: &[DVec3]| of(simplex_mean(points), simplex_radius(points), 0.0, 0.0);
        match shape {
            Shape::Plane(_) => None,
            Shape::Point(shape) => of_points(shape.points()),
            Shape::Segment(shape) => of_points(shape.points()),
            Shape::Triangle(shape) => of_points(shape.points()),
            Shape::Superellipsoid(shape) => of_radii(shape.into()),
            Shape::Superovoid(shape) => shape.is_convex().then(|| of_radii(shape.into()))?,
            Shape::Primitive(shape) => {
                let reach = shape.reach();
                of(DVec3::ZERO, reach, certificate::at_least(shape.inner_radius(), reach), 0.0)
            }
            Shape::Hull(shape) => {
                let reach = shape.radius();
                of(shape.centre(), reach, certificate::at_least(shape.inner_radius(), reach), shape.support_error())
            }
            Shape::Custom(shape) => {
                let (body, centre) = (shape.body(), shape.body().centre());
                let around = DVec3::AXES.map(|axis| [axis, -axis].map(|unit| body.support(unit) - centre));
                let inner = certificate::inner_radius_of_points(around, body.support_error()) + shape.rounding();
                of(centre, body.reach() + shape.rounding(), inner, body.support_error())
            }
        }
    }

    /// Where its centre is in the world.
    fn place(&self) -> DVec3 {
        self.pose.translation + self.turned_centre()
    }

    fn turned_centre(&self) -> DVec3 {
        self.pose.transform_vector(self.centre)
    }

    /// The pose in which the centre lies somewhere else.
    fn moved_to(&self, place: DVec3) -> Pose {
        Pose { translation: place - self.turned_centre(), ..*self.pose }
    }

    /// The support value about the centre, along a unit vector in the world.
    fn height(&self, normal: DVec3) -> f64 {
        let local = self.pose.inverse_transform_vector(normal);
        self.shape.support_value(local) - self.centre.dot(local)
    }
}

/// A pair that is scaled.
struct GrowingPair<'a> {
    bodies: [Growing<'a>; 2],
}

impl GrowingPair<'_> {
    fn solve(&self, options: &Options) -> Result<Growth, QueryError> {
        let [a, b] = &self.bodies;
        let between = (b.pose.translation - a.pose.translation) + (b.turned_centre() - a.turned_centre());
        let Some(first) = between.try_normalize() else { return Ok(concentric(a.place())) };
        let inner = a.inner + b.inner;
        let pose_a = a.moved_to(DVec3::ZERO);
        let mut scale = self.quotient(between, first);
        if scale.is_nan() || scale <= 0.0 {
            // So close together that the quotient vanishes.
            return Ok(concentric(a.place()));
        }
        let mut bounds = certificate::UNKNOWN_GROWTH;
        let mut query = *options;
        query.warm_start = None;
        let (mut spent, mut round) = (0, 0);
        loop {
            round += 1;
            let pose_b = b.moved_to(between / scale);
            query.max_iterations = options.max_iterations.saturating_sub(spent).max(1);
            // A gap that is small beside the bodies says the growth to that part of it.
            query.tolerance = (0.5 * options.tolerance * inner / (a.reach + b.reach)).clamp(1e-15, 1.0);
            let outcome = distance(a.shape, &pose_a, b.shape, &pose_b, &query)?;
            spent += outcome.iterations;
            query.warm_start = Some(outcome.warm_start);
            if let Some(gap) = outcome.bounds {
                let width = certificate::Width {
                    value: self.width(outcome.witness),
                    reach: a.reach + b.reach,
                    inner,
                    error: a.error + b.error,
                };
                let lengths = [between, b.pose.translation - a.pose.translation, a.centre, b.centre].map(DVec3::length);
                bounds = certificate::both(bounds, certificate::growth_bounds(scale, gap, &width, lengths));
            }
            let settled = bounds.upper - bounds.lower <= options.tolerance * bounds.upper.max(1.0);
            let next = self.quotient(between, outcome.normal).max(bounds.lower);
            if settled || round == MOST_ROUNDS || spent >= options.max_iterations || next <= scale {
                let contact = refined(a.shape, &pose_a, b.shape, &pose_b, &outcome);
                let unique = outcome.is_differentiable();
                // Points about a's centre at the scale one, to the world and the scale at hand.
                let grown = |point: DVec3| a.place() + point * scale;
                let contact = Contact { point_a: grown(contact.point_a), point_b: grown(contact.point_b), ..contact };
                let width = self.width(contact.normal);
                return Ok(answer(scale, bounds, [a.pose, b.pose], contact, width, unique, settled, spent));
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
        let [a, b] = &self.bodies;
        a.height(normal) + b.height(-normal)
    }
}

/// Points and normal to their last digits.
fn refined(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, outcome: &Outcome) -> Contact {
    primitive::refine(&Kind::of(a), pose_a, &Kind::of(b), pose_b, outcome)
        .unwrap_or_else(|| polish::refine(a, pose_a, b, pose_b, outcome))
}

/// A body (b) above a plane (a).
fn above_plane(
    plane: &Plane,
    plane_shape: &Shape,
    pose_a: &Pose,
    body: &Growing,
    options: &Options,
) -> Result<Growth, QueryError> {
    let normal = pose_a.transform_vector(plane.normal());
    let place = body.place();
    let above = normal.dot(place - pose_a.translation) - plane.offset();
    if above <= 0.0 {
        // The centre lies in the half-space, at any scale.
        return Ok(concentric(place));
    }
    let width = body.height(-normal);
    let lengths =
        [place - pose_a.translation, body.pose.translation, pose_a.translation, body.centre].map(DVec3::length);
    let of_width = certificate::Width { value: width, reach: body.reach, inner: body.inner, error: body.error };
    let bounds = certificate::growth_above_plane(above, &of_width, lengths.iter().sum::<f64>() + plane.offset().abs());
    let scale = above / width;
    // Which point is lowest, and whether it is the only one, does not depend on the scale.
    let outcome = distance(plane_shape, pose_a, body.shape, body.pose, &Options { warm_start: None, ..*options })
        .map_err(|error| error.during("growth_distance"))?;
    let point_b = place + (outcome.point_b - place) * scale;
    let height = normal.dot(point_b - pose_a.translation) - plane.offset();
    let contact = Contact { point_a: point_b - normal * height, point_b, normal };
    let settled = bounds.upper - bounds.lower <= options.tolerance * bounds.upper.max(1.0);
    let poses = [pose_a, body.pose];
    Ok(answer(scale, bounds, poses, contact, width, outcome.unique_points, settled, outcome.iterations))
}

#[expect(clippy::too_many_arguments, reason = "each is one field of the answer")]
fn answer(
    scale: f64,
    bounds: Bounds,
    poses: [&Pose; 2],
    contact: Contact,
    width: f64,
    unique: bool,
    settled: bool,
    iterations: u32,
) -> Growth {
    let normal = contact.normal;
    let [a, b] = [(poses[0], contact.point_a, -1.0), (poses[1], contact.point_b, 1.0)].map(
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
    Growth {
        growth: scale.clamp(bounds.lower, bounds.upper),
        bounds,
        point: 0.5 * (contact.point_a + contact.point_b),
        normal,
        a,
        b,
        is_differentiable: unique,
        status,
        iterations,
    }
}

/// Bodies with a common centre share it at any scale.
fn concentric(centre: DVec3) -> Growth {
    let none = GrowthGradient { translation: DVec3::ZERO, rotation: DVec3::ZERO };
    Growth {
        growth: 0.0,
        bounds: certificate::NO_GROWTH,
        point: centre,
        normal: DVec3::X,
        a: none,
        b: none,
        is_differentiable: false,
        status: Status::Penetrating,
        iterations: 0,
    }
}

impl Growth {
    /// The answer with a and b exchanged.
    fn swapped(self) -> Growth {
        Growth { normal: -self.normal, a: self.b, b: self.a, ..self }
    }
}
