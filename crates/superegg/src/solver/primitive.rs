//! Pairs in which a box, frustum, capsule, sphere, hull or a shape of the caller's own takes part: the signed distance of what is
//! rounded, less what rounds it.
//!
//! A ball around a body adds the same to its support function along every normal, so that both bounds of the distance, apart and
//! in penetration, shift by its radius, and neither normal nor witness changes.

use glam::DVec3;

use crate::Pose;
use crate::outcome::{Options, Outcome, Status, WarmStart, status_of};
use crate::shape::Core;
use crate::solver::body::any::AnyBody;
use crate::solver::body::solid::Solid;
use crate::solver::body::supported::{Source, Supported};
use crate::solver::body::{Body, Project};
use crate::solver::certificate;
use crate::solver::closed_form::{footing, simplices};
use crate::solver::convex::{scaled, simplex_in, solve};
use crate::solver::dispatch::superquadric_and_simplex;
use crate::solver::nonconvex;
use crate::solver::pair::frame::Frame;
use crate::solver::params::{Kind, Params, simplex_mean, simplex_radius};
use crate::solver::polish::{self, Contact};

/// How far a core reaches from its origin at most, as a multiple of its largest radius: it lies in the box of its radii.
const REACH_FACTOR: f64 = 1.733;

/// What is left of a shape without its rounding.
#[derive(Clone, Copy)]
pub(crate) enum Bare<'a> {
    Simplex(&'a [DVec3]),
    Superquadric(&'a Params),
    Solid(Core),
    Supported(Source<'a>),
}

impl<'a> Bare<'a> {
    /// Where the solver's frame of the body has its origin.
    fn centre(&self) -> DVec3 {
        match self {
            Bare::Supported(source) => source.centre(),
            Bare::Simplex(_) | Bare::Superquadric(_) | Bare::Solid(_) => DVec3::ZERO,
        }
    }

    /// The pose of that frame.
    fn frame(&self, pose: &Pose) -> Pose {
        match self.centre() {
            DVec3::ZERO => *pose,
            centre => Pose { translation: pose.transform_point(centre), ..*pose },
        }
    }

    fn largest_radius(&self) -> f64 {
        match self {
            Bare::Simplex(points) => simplex_radius(points),
            Bare::Superquadric(params) => params.largest_radius(),
            Bare::Solid(core) => core.largest_radius(),
            Bare::Supported(source) => source.reach(),
        }
    }

    /// How far it reaches from its centre at most, as a multiple of the largest radius.
    fn reach_factor(&self) -> f64 {
        match self {
            Bare::Solid(_) => REACH_FACTOR,
            Bare::Superquadric(params) => params.reach_factor(),
            Bare::Simplex(_) | Bare::Supported(_) => 1.0,
        }
    }

    /// What its support points may be off by, and its centre's place, in metres.
    fn support_error(&self) -> f64 {
        match self {
            Bare::Supported(source) => {
                source.support_error() + certificate::rounding_of_lengths(source.centre().length())
            }
            Bare::Simplex(_) | Bare::Superquadric(_) | Bare::Solid(_) => 0.0,
        }
    }

    /// The solver's body in units of the pair's size; `None` without an inside, and for a superovoid that is not convex.
    fn body(&self, size: f64) -> Option<AnyBody<'a>> {
        match *self {
            Bare::Simplex(_) => None,
            Bare::Superquadric(params) if !params.convex => None,
            Bare::Superquadric(params) if params.is_tapered() => Some(AnyBody::Superovoid(scaled(params, size))),
            Bare::Superquadric(params) => Some(AnyBody::Superellipsoid(scaled(params, size))),
            Bare::Solid(core) => Some(AnyBody::Solid(Solid::new(&core, size))),
            Bare::Supported(source) => Some(AnyBody::Supported(Supported::new(source, size))),
        }
    }
}

/// The ends of a segment along z, or the point that it is.
pub(crate) struct Ends([DVec3; 2]);

impl Ends {
    fn of(half_height: f64) -> Ends {
        Ends([DVec3::Z * half_height, DVec3::Z * -half_height])
    }

    fn points(&self) -> &[DVec3] {
        if self.0[0] == self.0[1] { &self.0[..1] } else { &self.0 }
    }
}

/// A shape as a bare one and the radius around it; `None` for a plane.
pub(crate) fn with_bare<R>(kind: &Kind, then: impl FnOnce(Bare, f64) -> R) -> Option<R> {
    Some(match kind {
        Kind::Plane(_) => return None,
        Kind::Simplex(points) => then(Bare::Simplex(points), 0.0),
        Kind::Superquadric(params) => then(Bare::Superquadric(params), 0.0),
        Kind::Primitive(primitive) => match primitive.core() {
            Core::Segment { half_height } => then(Bare::Simplex(Ends::of(half_height).points()), primitive.rounding()),
            core => then(Bare::Solid(core), primitive.rounding()),
        },
        Kind::Supported(source, rounding) => then(Bare::Supported(*source), *rounding),
    })
}

/// Two shapes, at least one of them a primitive, a hull or a caller's own, and none a plane.
pub(crate) fn distance(a: &Kind, pose_a: &Pose, b: &Kind, pose_b: &Pose, options: &Options) -> Option<Outcome> {
    let rounded = |bare_a: Bare, radius_a: f64| {
        with_bare(b, |bare_b, radius_b| {
            let pair = Rounded { bare: [bare_a, bare_b], radii: [radius_a, radius_b], poses: [pose_a, pose_b] };
            pair.distance(options)
        })
    };
    with_bare(a, rounded)??
}

struct Rounded<'a> {
    bare: [Bare<'a>; 2],
    radii: [f64; 2],
    poses: [&'a Pose; 2],
}

impl Rounded<'_> {
    fn distance(&self, options: &Options) -> Option<Outcome> {
        let [radius_a, radius_b] = self.radii;
        let radius = radius_a + radius_b;
        let bare_size: f64 = self.bare.iter().map(Bare::largest_radius).sum();
        let size = bare_size + radius;
        // The tolerance is a part of the whole pair's size.
        let tolerance = if bare_size > 0.0 { (options.tolerance * size / bare_size).min(1.0) } else { 1.0 };
        let centres = self.bare.map(|bare| bare.centre());
        let warm_start = options.warm_start.map(|warm| rounded_start(warm, [-radius_a, -radius_b]));
        let warm_start = warm_start.map(|warm| moved_start(warm, centres.map(|centre| -centre)));
        let frames = [self.bare[0].frame(self.poses[0]), self.bare[1].frame(self.poses[1])];
        let bare_options = Options { tolerance, warm_start, ..*options };
        let mut outcome = bare_distance(self.bare, [&frames[0], &frames[1]], &bare_options)?;
        outcome.warm_start = moved_start(outcome.warm_start, centres);
        if radius == 0.0 {
            return Some(outcome);
        }
        outcome.distance -= radius;
        // Each radius was added up and taken away once, beside lengths whose own rounding is in the bounds already.
        let rounding = certificate::rounding_of_lengths(radius);
        outcome.bounds = outcome.bounds.map(|bounds| certificate::shifted(bounds, -radius, rounding));
        outcome.point_a += outcome.normal * radius_a;
        outcome.point_b -= outcome.normal * radius_b;
        outcome.warm_start = rounded_start(outcome.warm_start, self.radii);
        let settled = outcome.status != Status::NotConverged;
        outcome.status = status_of(outcome.distance, settled, options.tolerance * size);
        Some(outcome)
    }
}

fn bare_distance(bare: [Bare; 2], [pose_a, pose_b]: [&Pose; 2], options: &Options) -> Option<Outcome> {
    let swapped = || bare_distance([bare[1], bare[0]], [pose_b, pose_a], &options.swapped()).map(Outcome::swapped);
    Some(match bare {
        [Bare::Simplex(a), Bare::Simplex(b)] => simplices::signed_distance(a, pose_a, b, pose_b, options),
        [Bare::Superquadric(a), Bare::Simplex(b)] => superquadric_and_simplex(a, pose_a, b, pose_b, options),
        [Bare::Solid(a), Bare::Simplex([point])] => footing::distance(&a, pose_a, *point, pose_b, options),
        [Bare::Superquadric(a), b @ (Bare::Solid(_) | Bare::Supported(_))] if !a.convex => {
            return beside_nonconvex(a, b, [pose_a, pose_b], |b, by_projection, frame| {
                nonconvex::superquadric_and_body(a, b, by_projection, frame, options)
            });
        }
        [Bare::Solid(_) | Bare::Supported(_), Bare::Superquadric(b)] if !b.convex => return swapped(),
        [Bare::Supported(_), _] | [Bare::Solid(_), Bare::Simplex(_) | Bare::Superquadric(_) | Bare::Solid(_)] => {
            return with_bodies(bare, [pose_a, pose_b], Solve { options });
        }
        [Bare::Superquadric(_), Bare::Superquadric(_)] => unreachable!("no primitive takes part"),
        [Bare::Simplex(_), _] | [Bare::Superquadric(_), Bare::Solid(_)] | [_, Bare::Supported(_)] => return swapped(),
    })
}

/// What is done with two bodies in their frame.
trait Task {
    type Output;
    fn run<A: Body<f64>, B: Body<f64>>(self, a: &A, b: &B, frame: &Frame, symmetric: bool) -> Self::Output;
}

/// A solid or a body by its support points, and another body, in their frame. `None` for a superovoid that is not convex.
fn with_bodies<T: Task>([a, b]: [Bare; 2], [pose_a, pose_b]: [&Pose; 2], task: T) -> Option<T::Output> {
    let radii = [a.largest_radius(), b.largest_radius()];
    if let Bare::Simplex(points) = b {
        let mut frame = Frame::with_simplex(pose_a, pose_b, radii, simplex_mean(points), a.reach_factor());
        frame.allow(a.support_error());
        let (a, simplex) = (a.body(frame.size)?, simplex_in(&frame, points, pose_b));
        let symmetric = a.is_symmetric() && simplex.is_symmetric();
        return Some(task.run(&a, &simplex, &frame, symmetric));
    }
    let mut frame = Frame::of_superquadrics(pose_a, pose_b, radii, a.reach_factor().max(b.reach_factor()));
    frame.allow(a.support_error() + b.support_error());
    // A test of two of them takes so few operations that finding out what they are would count.
    if let (Bare::Solid(a), Bare::Solid(b)) = (a, b) {
        let (a, b) = (Solid::new(&a, frame.size), Solid::new(&b, frame.size));
        return Some(task.run(&a, &b, &frame, a.is_symmetric() && b.is_symmetric()));
    }
    let (a, b) = (a.body(frame.size)?, b.body(frame.size)?);
    Some(task.run(&a, &b, &frame, a.is_symmetric() && b.is_symmetric()))
}

struct Solve<'a> {
    options: &'a Options,
}

impl Task for Solve<'_> {
    type Output = Outcome;

    fn run<A: Body<f64>, B: Body<f64>>(self, a: &A, b: &B, frame: &Frame, symmetric: bool) -> Outcome {
        solve(a, b, frame, symmetric, self.options)
    }
}

/// A superovoid that is not convex and a solid or a body by its support points, given as both, in their frame.
fn beside_nonconvex<T>(
    a: &Params,
    b: Bare,
    poses: [&Pose; 2],
    task: impl FnOnce(&AnyBody, &dyn Project, &Frame) -> T,
) -> Option<T> {
    let radii = [a.largest_radius(), b.largest_radius()];
    let mut frame = Frame::of_superquadrics(poses[0], poses[1], radii, a.reach_factor().max(b.reach_factor()));
    frame.allow(b.support_error());
    match b {
        Bare::Solid(core) => {
            let solid = Solid::new(&core, frame.size);
            Some(task(&AnyBody::Solid(solid), &solid, &frame))
        }
        Bare::Supported(source) => {
            let supported = Supported::new(source, frame.size);
            Some(task(&AnyBody::Supported(supported), &supported, &frame))
        }
        Bare::Simplex(_) | Bare::Superquadric(_) => None,
    }
}

struct Overlap;

impl Task for Overlap {
    type Output = Option<bool>;

    fn run<A: Body<f64>, B: Body<f64>>(self, a: &A, b: &B, frame: &Frame, _: bool) -> Option<bool> {
        frame.overlap(a, b, true, || None)
    }
}

/// Whether two shapes, one of them a primitive and none a plane, overlap, where that takes less than their distance does.
pub(crate) fn overlap(a: &Kind, pose_a: &Pose, b: &Kind, pose_b: &Pose) -> Option<bool> {
    let of_pair = |bare: [Bare; 2], radius: f64| {
        let nonconvex_overlap = |a: &Params, b: Bare, poses: [&Pose; 2]| {
            let task = |b: &AnyBody, by_projection: &dyn Project, frame: &Frame| {
                nonconvex::superquadric_and_body_overlap(a, b, by_projection, frame)
            };
            beside_nonconvex(a, b, poses, task).flatten()
        };
        let reach = |bare: &Bare| match bare {
            Bare::Simplex(points) => points.iter().map(|point| point.length()).fold(0.0, f64::max),
            Bare::Superquadric(params) => params.largest_radius() * params.reach_factor(),
            Bare::Solid(core) => core.reach(),
            Bare::Supported(source) => source.reach(),
        };
        let frames = [bare[0].frame(pose_a), bare[1].frame(pose_b)];
        let apart = (frames[1].translation - frames[0].translation).length();
        if apart * (1.0 - 1e-12) > (reach(&bare[0]) + reach(&bare[1]) + radius) * (1.0 + 1e-12) {
            return Some(false);
        }
        // Bodies that are rounded may meet though their cores are apart.
        match bare {
            _ if radius > 0.0 => None,
            [Bare::Superquadric(a), b @ (Bare::Solid(_) | Bare::Supported(_))] if !a.convex => {
                nonconvex_overlap(a, b, [&frames[0], &frames[1]])
            }
            [a @ (Bare::Solid(_) | Bare::Supported(_)), Bare::Superquadric(b)] if !b.convex => {
                nonconvex_overlap(b, a, [&frames[1], &frames[0]])
            }
            [Bare::Supported(_), _] | [Bare::Solid(_), Bare::Simplex(_) | Bare::Superquadric(_) | Bare::Solid(_)] => {
                with_bodies(bare, [&frames[0], &frames[1]], Overlap).flatten()
            }
            [a, b] => with_bodies([b, a], [&frames[1], &frames[0]], Overlap).flatten(),
        }
    };
    with_bare(a, |bare_a, radius_a| {
        with_bare(b, |bare_b, radius_b| of_pair([bare_a, bare_b], radius_a + radius_b)).flatten()
    })
    .flatten()
}

struct Refine<'a> {
    outcome: &'a Outcome,
}

impl Task for Refine<'_> {
    type Output = Contact;

    fn run<A: Body<f64>, B: Body<f64>>(self, a: &A, b: &B, frame: &Frame, _: bool) -> Contact {
        polish::newton(a, b, frame, self.outcome)
    }
}

/// The contact of an outcome, refined where a curved body without a closed form takes part in it; `None` elsewhere.
pub(crate) fn refine(a: &Kind, pose_a: &Pose, b: &Kind, pose_b: &Pose, outcome: &Outcome) -> Option<Contact> {
    let of_pair = |bare: [Bare; 2], [radius_a, radius_b]: [f64; 2]| {
        let mut cores = unrounded(outcome, [radius_a, radius_b]);
        cores.warm_start = moved_start(cores.warm_start, bare.map(|bare| -bare.centre()));
        let frames = [bare[0].frame(pose_a), bare[1].frame(pose_b)];
        let contact = match bare {
            [Bare::Superquadric(a), Bare::Simplex(b)] => {
                Some(polish::superquadric_and_simplex(a, pose_a, b, pose_b, &cores))
            }
            [Bare::Simplex(a), Bare::Superquadric(b)] => {
                Some(polish::superquadric_and_simplex(b, pose_b, a, pose_a, &cores.swapped()).swapped())
            }
            [Bare::Solid(_), Bare::Superquadric(_) | Bare::Solid(_)]
            | [Bare::Supported(_), Bare::Superquadric(_) | Bare::Solid(_) | Bare::Supported(_) | Bare::Simplex(_)] => {
                with_bodies(bare, [&frames[0], &frames[1]], Refine { outcome: &cores })
            }
            [Bare::Superquadric(_) | Bare::Solid(_) | Bare::Simplex(_), Bare::Supported(_)]
            | [Bare::Superquadric(_), Bare::Solid(_)] => {
                let swapped = cores.swapped();
                with_bodies([bare[1], bare[0]], [&frames[1], &frames[0]], Refine { outcome: &swapped })
                    .map(Contact::swapped)
            }
            _ => None,
        };
        contact.map(|contact| Contact {
            point_a: contact.point_a + contact.normal * radius_a,
            point_b: contact.point_b - contact.normal * radius_b,
            normal: contact.normal,
        })
    };
    with_bare(a, |bare_a, radius_a| with_bare(b, |bare_b, radius_b| of_pair([bare_a, bare_b], [radius_a, radius_b])))
        .flatten()
        .flatten()
}

/// The outcome of the cores, from that of the rounded bodies.
fn unrounded(outcome: &Outcome, [radius_a, radius_b]: [f64; 2]) -> Outcome {
    Outcome {
        distance: outcome.distance + radius_a + radius_b,
        point_a: outcome.point_a - outcome.normal * radius_a,
        point_b: outcome.point_b + outcome.normal * radius_b,
        warm_start: rounded_start(outcome.warm_start, [-radius_a, -radius_b]),
        ..*outcome
    }
}

/// A start with its points moved.
fn moved_start(warm: WarmStart, [by_a, by_b]: [DVec3; 2]) -> WarmStart {
    WarmStart { point_a: warm.point_a + by_a, point_b: warm.point_b + by_b, ..warm }
}

/// A start with its points moved out along their normals.
fn rounded_start(warm: WarmStart, [radius_a, radius_b]: [f64; 2]) -> WarmStart {
    WarmStart {
        point_a: warm.point_a + warm.normal_a * radius_a,
        point_b: warm.point_b + warm.normal_b * radius_b,
        ..warm
    }
}
