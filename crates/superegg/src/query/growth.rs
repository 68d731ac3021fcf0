//! Growth distance (Ong and Gilbert 1996): the factor by which two bodies have to be scaled about their centres to touch.
//!
//! Above one apart, below one in overlap, and smooth through contact, where the signed distance changes its method. With the
//! support functions h of the bodies about their centres and c from one centre to the other it is
//! `g = max over n of n·c / (h_a(n) + h_b(-n))`: the bodies scaled by less than g are apart along some n, scaled by more they
//! overlap. Bodies scaled by s with their centres c apart are the bodies themselves with their centres `c/s` apart, but for a factor of s:
//! nothing is scaled but c.
//!
//! **Superquadrics**: Newton's method for the place where the grown bodies touch ([`crate::solver::separation::growth`]).
//!
//! **All others**, and what does not settle there: Dinkelbach's method for a quotient. The bodies scaled by a lower bound s are apart; the
//! normal of their distance gives the next, higher bound, with quadratic convergence. So only distances of bodies that are apart
//! are ever needed, and any convex shape will do, hulls and shapes of the caller's own included.
//!
//! **Bounds** follow from the certified distance: see [`certificate::growth_bounds`].
//!
//! **Derivatives** are those of the gap at the scale g over `h_a(n) + h_b(-n)`: the normal may be held fixed (the envelope theorem).
//!
//! A half-space does not grow: the other body has to reach its plane, along the plane's normal, in closed form.

use glam::DVec3;

use super::{Bounds, Options, Outcome, QueryError, Status, WarmStart, distance};
use crate::Pose;
use crate::shape::{Plane, Shape};
use crate::solver::certificate;
use crate::solver::convex::frame_of_superquadrics;
use crate::solver::growth::grown;
use crate::solver::params::{Kind, Params, simplex_mean, simplex_radius};
use crate::solver::polish::{self, Contact};
use crate::solver::primitive;
use crate::solver::simd::V3;

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
    /// Start for the next query on the same two shapes: where they touch, at their own scale.
    pub warm_start: WarmStart,
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
/// The tolerance is the width of the bounds, as a part of the growth or of 1, whichever is larger. A warm start is that of an earlier growth
/// ([`Growth::warm_start`]) or distance of the same two shapes. Refused as
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
                GrowingPair::new([a, b], options).solve().map_err(|error| error.during("growth_distance"))
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
        let of_radii = |params: Params| of(DVec3::ZERO, params.reach(), certificate::inner_radius(&params), 0.0);
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
    /// From a's centre to b's, in the world.
    between: DVec3,
    options: &'a Options,
}

/// What is known of a growth.
struct Known {
    bounds: Bounds,
    spent: u32,
}

impl<'a> GrowingPair<'a> {
    fn new(bodies: [Growing<'a>; 2], options: &'a Options) -> GrowingPair<'a> {
        let [a, b] = &bodies;
        let between = (b.pose.translation - a.pose.translation) + (b.turned_centre() - a.turned_centre());
        GrowingPair { bodies, between, options }
    }

    fn solve(&self) -> Result<Growth, QueryError> {
        let mut known = Known { bounds: certificate::UNKNOWN_GROWTH, spent: 0 };
        match [&self.bodies[0], &self.bodies[1]].map(|body| Kind::of(body.shape)) {
            [Kind::Superquadric(a), Kind::Superquadric(b)] => match self.touch([&a, &b], &mut known) {
                Some(growth) => Ok(growth),
                None => self.by_distances(known),
            },
            _ => self.by_distances(known),
        }
    }

    /// Newton's method for the place where two superquadrics touch; `None` where it does not settle.
    fn touch(&self, shapes: [&Params; 2], known: &mut Known) -> Option<Growth> {
        let ([a, b], options) = (&self.bodies, self.options);
        let frame = frame_of_superquadrics(shapes[0], a.pose, shapes[1], b.pose);
        let touch = grown(shapes, &frame, self.gap_tolerance(), options);
        known.spent += touch.evaluations as u32;
        if !touch.converged {
            return None;
        }
        let scale = touch.scale;
        let centre = frame.placement.centre * (1.0 / scale);
        let reach = shapes.map(Params::reach_factor).into_iter().fold(0.0, f64::max);
        let rounding = certificate::rounding(centre, shapes[1].largest_radius() / frame.size, reach);
        let gap = certificate::bounds(touch.lower, touch.upper, rounding, frame.size);
        let width = touch.witness.dot(centre) * frame.size - gap.lower;
        self.notice(known, scale, gap, width, gap.upper - gap.lower);
        if !self.is_settled(known) {
            return None;
        }
        let (x_a, y) = (touch.x_a * frame.size, touch.y * frame.size);
        let normal = frame.to_world_direction(touch.normal);
        let contact = Contact {
            point_a: a.pose.translation + frame.to_world_direction(x_a * scale),
            point_b: b.pose.translation - frame.to_world_direction(y * scale),
            normal,
        };
        let own = |v: V3<f64>| -frame.placement.rotation.apply_transposed(v);
        let warm_start = WarmStart::from([x_a, touch.normal, own(y), own(touch.normal)].map(DVec3::from));
        let width = normal.dot(self.between) / scale;
        let poses = [a.pose, b.pose];
        Some(answer(scale, known.bounds, poses, contact, width, touch.unique_points, true, known.spent, warm_start))
    }

    /// Dinkelbach's method around certified distances.
    fn by_distances(&self, mut known: Known) -> Result<Growth, QueryError> {
        let ([a, b], options) = (&self.bodies, self.options);
        let Some(first) = self.between.try_normalize() else { return Ok(concentric(a.place())) };
        let pose_a = a.moved_to(DVec3::ZERO);
        let mut scale = self.quotient(first).max(known.bounds.lower);
        let mut query = Options { tolerance: self.gap_tolerance(), ..*options };
        if let Some(warm) = options.warm_start.filter(WarmStart::is_usable) {
            scale = scale.max(self.quotient(a.pose.transform_vector(warm.normal_a).normalize_or_zero()));
        }
        if scale.is_nan() || scale <= 0.0 {
            // So close together that the quotient vanishes.
            return Ok(concentric(a.place()));
        }
        let mut round = 0;
        loop {
            round += 1;
            let pose_b = b.moved_to(self.between / scale);
            query.max_iterations = options.max_iterations.saturating_sub(known.spent).max(1);
            let outcome = distance(a.shape, &pose_a, b.shape, &pose_b, &query)?;
            known.spent += outcome.iterations;
            query.warm_start = Some(outcome.warm_start);
            if let Some(gap) = outcome.bounds {
                self.notice(&mut known, scale, gap, self.width(outcome.witness), 0.0);
            }
            let settled = self.is_settled(&known);
            let next = self.quotient(outcome.normal).max(known.bounds.lower);
            if settled || round == MOST_ROUNDS || known.spent >= options.max_iterations || next <= scale {
                let contact = refined(a.shape, &pose_a, b.shape, &pose_b, &outcome);
                let unique = outcome.is_differentiable();
                // Points about a's centre at the scale one, to the world and the scale at hand.
                let grown = |point: DVec3| a.place() + point * scale;
                let contact = Contact { point_a: grown(contact.point_a), point_b: grown(contact.point_b), ..contact };
                let width = self.width(contact.normal);
                let (poses, warm_start) = ([a.pose, b.pose], outcome.warm_start);
                let Known { bounds, spent } = known;
                return Ok(answer(scale, bounds, poses, contact, width, unique, settled, spent, warm_start));
            }
            scale = next;
        }
    }

    /// Takes up what the bounds of a gap at a scale prove, in metres; `error` is what the width may be off by beside what
    /// [`certificate::Width`] counts.
    fn notice(&self, known: &mut Known, scale: f64, gap: Bounds, width: f64, error: f64) {
        let [a, b] = &self.bodies;
        let (reach, inner) = (a.reach + b.reach, a.inner + b.inner);
        let width = certificate::Width { value: width, reach, inner, error: a.error + b.error + error };
        let lengths = [self.between, b.pose.translation - a.pose.translation, a.centre, b.centre].map(DVec3::length);
        known.bounds = certificate::both(known.bounds, certificate::growth_bounds(scale, gap, &width, lengths));
    }

    fn is_settled(&self, known: &Known) -> bool {
        let Bounds { lower, upper } = known.bounds;
        upper - lower <= self.options.tolerance * upper.max(1.0)
    }

    /// The tolerance of a distance, as a part of the size: a gap that is small beside the bodies says the growth to that part of it.
    fn gap_tolerance(&self) -> f64 {
        let [a, b] = &self.bodies;
        (0.5 * self.options.tolerance * (a.inner + b.inner) / (a.reach + b.reach)).clamp(1e-15, 1.0)
    }

    /// `n·c / (h_a(n) + h_b(-n))`: a lower bound of the growth, up to rounding.
    fn quotient(&self, normal: DVec3) -> f64 {
        (normal.dot(self.between) / self.width(normal)).max(0.0)
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
    let (unique, warm_start) = (outcome.unique_points, outcome.warm_start);
    Ok(answer(scale, bounds, poses, contact, width, unique, settled, outcome.iterations, warm_start))
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
    warm_start: WarmStart,
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
        warm_start,
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
        warm_start: WarmStart::from([DVec3::ZERO; 4]),
    }
}

impl Growth {
    /// The answer with a and b exchanged.
    fn swapped(self) -> Growth {
        Growth { normal: -self.normal, a: self.b, b: self.a, warm_start: self.warm_start.swapped(), ..self }
    }
}
