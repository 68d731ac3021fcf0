//! Convex pairs: scaling, starts, and the order in which the methods are tried.
//!
//! Newton's method first; where it does not settle, the support-mapping fallback; where a common point is found, the
//! least separating translation by an expanding polytope.

use std::cell::Cell;

use glam::DVec3;

use crate::Pose;
use crate::outcome::{Options, Outcome};
use crate::solver::body::Body;
use crate::solver::body::any::AnyBody;
use crate::solver::body::called::Called;
use crate::solver::body::simplex::Simplex;
use crate::solver::body::superquadric::Superquadric;
use crate::solver::certificate;
use crate::solver::pair::frame::{Found, Frame};
use crate::solver::params::{Params, simplex_mean, simplex_radius};
use crate::solver::penetration::candidate::Candidate;
use crate::solver::penetration::difference::OneByOne;
use crate::solver::penetration::memory::Memory;
use crate::solver::penetration::{self, Penetration, Wanted};
use crate::solver::separation::found::{SLIDE, Separation};
use crate::solver::separation::gjk::gjk;
use crate::solver::separation::newton::{Goal, Recalled, recall, separate, separate_lanes};
use crate::solver::separation::polytopes::between_polytopes;
use crate::solver::separation::step::{Relation, Turn};
use crate::solver::simd::{Real, V3};

/// Evaluations kept for normal and points of a depth.
const SETTLING: u32 = 80;
/// Evaluations that a search must have been allowed for a minimum to count as the least where the proof did not end.
const THOROUGH: u32 = 200;
/// How far bodies that nearly touch are pushed to be plainly apart, in tolerances, and the parts of the tolerance that the
/// distance is then asked for to, one after the other.
const CLEAR_PUSH: f64 = 1e4;
const CLEAR_TOLERANCES: [f64; 2] = [1.0, 0.3];
/// Part of the tolerance that the search for a depth aims at: the polished normal may be a little deeper.
const AIM: f64 = 0.8;
/// Most steps of false position to a surface.
const MOST_SECANTS: u32 = 30;
/// Evaluations of Newton's method before the fallback takes over; the 99th percentile is 20 in the hardest class.
pub(crate) const NEWTON_EVALUATIONS: u32 = 24;

pub(crate) fn solve_superquadrics<const TAPERED: bool>(
    shapes: [&Params; 2],
    frame: &Frame,
    options: &Options,
    mut memory: Option<&mut Memory>,
) -> Outcome
where
    AnyBody<'static>: From<Superquadric<f64, TAPERED>>,
{
    let found = newton::<TAPERED>(shapes, frame, options);
    if found.converged {
        return frame.separated(&found, options);
    }
    let [a, b] = &shapes.map(|shape| scaled::<f64, TAPERED>(shape, frame.size));
    // Without an evaluation an overlap is found at the points of an earlier query alone.
    let warm = options.warm_start.filter(|_| !TAPERED && found.overlapping && found.evaluations == 0.0);
    let earlier = warm.map(|warm| frame.earlier(&warm));
    let mut depth = |wanted: &Wanted| {
        let wanted = &Wanted { earlier, ..*wanted };
        penetration::of_superquadrics(a, b, &frame.placement, wanted, memory.as_deref_mut())
    };
    if TAPERED {
        frame.conclude(&AnyBody::from(*a), &AnyBody::from(*b), found, options, &mut depth)
    } else {
        frame.conclude(&Called(*a), &Called(*b), found, options, &mut depth)
    }
}

/// Newton's method for two superquadrics as if they were convex.
pub(crate) fn newton<const TAPERED: bool>(shapes: [&Params; 2], frame: &Frame, options: &Options) -> Separation<f64> {
    #[cfg(target_arch = "x86_64")]
    if crate::solver::simd::avx2::available() {
        // SAFETY: the CPU was just asked for AVX2 and FMA.
        return unsafe { fused_newton::<TAPERED>(shapes, frame, options) };
    }
    let [a, b] = &shapes.map(|shape| scaled::<f64, TAPERED>(shape, frame.size));
    let (start, _) = frame.start(a, b, options);
    separate(a, b, &frame.placement, start, frame.tolerance(options), newton_evaluations(options), Goal::Distance)
}

/// Newton's method with fused multiply-add: about a quarter fewer instructions than without.
///
/// # Safety
/// The CPU must have AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn fused_newton<const TAPERED: bool>(shapes: [&Params; 2], frame: &Frame, options: &Options) -> Separation<f64> {
    use crate::solver::simd::fused::Fused;
    let a = scaled::<Fused, TAPERED>(shapes[0], frame.size);
    let b = scaled::<Fused, TAPERED>(shapes[1], frame.size);
    let placement = frame.placement.spread();
    let tolerance = Fused(frame.tolerance(options));
    let mut recalled = Recalled::Nowhere;
    if let Some(warm) = options.warm_start.filter(|warm| !TAPERED && warm.is_usable()) {
        let [x_a, n_a, x_b, n_b] = frame.earlier(&warm).map(V3::spread);
        recalled = recall(&a, &b, &placement, (a.recall(x_a, n_a), b.recall(x_b, n_b)), tolerance);
    }
    let start = match recalled {
        Recalled::Overlapping(found) => return found.plain(),
        Recalled::Next(a, b) => (a, b),
        Recalled::Nowhere if TAPERED => frame.start_in(&a, &b, &placement, options).0,
        Recalled::Nowhere => b.start_beside(&a, &placement).0,
    };
    separate_lanes(&a, &b, &placement, start, tolerance, newton_evaluations(options), Goal::Distance).plain()
}

/// Evaluations that Newton's method may spend.
pub(crate) fn newton_evaluations(options: &Options) -> u32 {
    options.max_iterations.min(NEWTON_EVALUATIONS)
}

pub(crate) fn solve_superquadric_and_simplex<const TAPERED: bool>(
    superquadric: &Superquadric<f64, TAPERED>,
    hull: &Simplex,
    frame: &Frame,
    options: &Options,
) -> Outcome
where
    AnyBody<'static>: From<Superquadric<f64, TAPERED>>,
{
    let (start, _) = frame.start(superquadric, hull, options);
    let (tolerance, most) = (frame.tolerance(options), newton_evaluations(options));
    let found = separate(superquadric, hull, &frame.placement, start, tolerance, most, Goal::Distance);
    frame.conclude(&AnyBody::from(*superquadric), hull, found, options, &mut |wanted| {
        penetration::of_superquadric_and_simplex(superquadric, hull, &frame.placement, wanted)
    })
}

/// Each superquadric in its own orientation, about its own origin.
pub(crate) fn frame_of_superquadrics<'a>(a: &Params, pose_a: &'a Pose, b: &Params, pose_b: &'a Pose) -> Frame<'a> {
    let reach = a.reach_factor().max(b.reach_factor());
    Frame::of_superquadrics(pose_a, pose_b, [a.largest_radius(), b.largest_radius()], reach)
}

/// The hull in a's orientation, about its own mean.
pub(crate) fn frame_with_simplex<'a>(
    a: &Params,
    pose_a: &'a Pose,
    b: &[DVec3],
    pose_b: &'a Pose,
) -> (Frame<'a>, Simplex) {
    let radii = [a.largest_radius(), simplex_radius(b)];
    let frame = Frame::with_simplex(pose_a, pose_b, radii, simplex_mean(b), a.reach_factor());
    let simplex = simplex_in(&frame, b, pose_b);
    (frame, simplex)
}

/// A simplex about its mean in a frame that was made for it.
pub(crate) fn simplex_in(frame: &Frame, points: &[DVec3], pose: &Pose) -> Simplex {
    let mean = simplex_mean(points);
    let mut vertices = [V3::splat(0.0); 3];
    for (vertex, point) in vertices.iter_mut().zip(points) {
        let world = pose.transform_vector(*point - mean);
        *vertex = (frame.pose_a.inverse_transform_vector(world) * (1.0 / frame.size)).into();
    }
    Simplex::new(&vertices[..points.len()])
}

/// Any two convex bodies, one evaluation after the other; `symmetric` where both are so about their origins.
pub(crate) fn solve<A: Body<f64>, B: Body<f64>>(
    body_a: &A,
    body_b: &B,
    frame: &Frame,
    symmetric: bool,
    options: &Options,
) -> Outcome {
    let (tolerance, placement) = (frame.tolerance(options), &frame.placement);
    let polytopes = body_a.is_polytope() && body_b.is_polytope();
    let mut found = if polytopes {
        let normal = frame.start_normal(body_a, body_b, options);
        between_polytopes(body_a, body_b, placement, normal, tolerance, options.max_iterations, Goal::Distance)
    } else {
        let (start, _) = frame.start(body_a, body_b, options);
        separate(body_a, body_b, placement, start, tolerance, newton_evaluations(options), Goal::Distance)
    };
    if found.converged && !polytopes {
        let in_b = body_b.within(placement.a_to_b::<B>(found.x_b - placement.centre));
        (found.x_a, found.x_b) = (body_a.within(found.x_a), placement.centre + placement.b_to_a::<B>(in_b));
    }
    let difference = OneByOne { body_a, body_b, placement, symmetric, round_part: 0.0 };
    let mut outcome =
        frame.conclude(body_a, body_b, found, options, &mut |wanted| penetration::of_bodies(&difference, wanted));
    if outcome.distance > 0.0 && !polytopes {
        // Support points tell nothing of faces and edges that lie along each other.
        let there = Options { warm_start: Some(outcome.warm_start), ..*options };
        let ((a, b), _) = frame.start(body_a, body_b, &there);
        let relation = Relation::new::<A, B>(placement, &a, &b);
        let turn = Turn::towards_common_normal((body_a, &a), (body_b, &b), placement, &relation, |_| relation.along);
        outcome.unique_points &= !turn.slides(SLIDE, tolerance);
    }
    outcome
}

/// A superquadric in units of the pair's size.
#[inline(always)]
pub(crate) fn scaled<R: Real, const TAPERED: bool>(superquadric: &Params, size: f64) -> Superquadric<R, TAPERED> {
    let per_size = 1.0 / size;
    let [x, y, z] = superquadric.radii;
    let radii = V3::new(x * per_size, y * per_size, z * per_size).spread();
    let [e1, e2] = superquadric.exponents;
    let [tx, ty] = superquadric.taper;
    Superquadric::new(radii, [R::splat(e1), R::splat(e2)], [R::splat(tx), R::splat(ty)])
}

/// Whether two points of overlapping bodies lie opposite each other along a normal, the depth apart.
fn in_line((x_a, x_b): (V3<f64>, V3<f64>), normal: V3<f64>, depth: f64, tolerance: f64) -> bool {
    let apart = x_a - x_b;
    let along = apart.dot(normal);
    let across_sq = (apart - normal * along).length_sq();
    (along - depth).abs() <= tolerance && across_sq <= tolerance * (along.abs() + tolerance)
}

/// Leads a point along a normal to a surface, which takes points in along the ray from its centre. That may lead far aside: so
/// first the height, then the place.
fn across_to(x: V3<f64>, normal: V3<f64>, on_surface: impl Fn(V3<f64>) -> V3<f64>) -> V3<f64> {
    on_surface(x + normal * normal.dot(on_surface(x) - x))
}

/// Where the line from a point inside a body to one outside leaves it: false position (Illinois) for the height above the
/// surface, which takes points in along the ray from its centre.
fn way_out(inside: V3<f64>, outside: V3<f64>, on_surface: impl Fn(V3<f64>) -> V3<f64>) -> V3<f64> {
    let at = |part: f64| (outside - inside).mul_add(part, inside);
    let height = |x: V3<f64>| x.length_sq().sqrt() - on_surface(x).length_sq().sqrt();
    let (mut low, mut high) = ((0.0, height(inside)), (1.0, height(outside)));
    // On the surface already, or not as it should be.
    if !(low.1 < 0.0 && high.1 > 0.0) {
        return inside;
    }
    for _ in 0..MOST_SECANTS {
        let part = low.0 + (high.0 - low.0) * (low.1 / (low.1 - high.1));
        let there = (part, height(at(part)));
        if there.1 < 0.0 {
            (low, high.1) = (there, 0.5 * high.1);
        } else {
            (high, low.1) = (there, 0.5 * low.1);
        }
        if there.1.abs() <= f64::EPSILON {
            break;
        }
    }
    on_surface(at(low.0))
}

impl Frame<'_> {
    /// Goes on from where Newton's method ended. All methods together spend at most `max_iterations` evaluations.
    fn conclude<A: Body<f64>, B: Body<f64>>(
        &self,
        body_a: &A,
        body_b: &B,
        mut found: Separation<f64>,
        options: &Options,
        penetration: &mut dyn FnMut(&Wanted) -> Penetration,
    ) -> Outcome {
        let tolerance = self.tolerance(options);
        let left = |spent: f64| options.max_iterations.saturating_sub(spent as u32);
        if !found.converged && !found.overlapping && left(found.evaluations) > 0 {
            let newton = found;
            let (_, normal) = self.start(body_a, body_b, options);
            found = gjk(body_a, body_b, &self.placement, normal, tolerance, left(newton.evaluations).div_ceil(2));
            found.evaluations += newton.evaluations;
            found.improve(newton.lower, newton.witness, newton.upper, (newton.x_a, newton.x_b));
            found.converged |= !found.overlapping && found.upper - found.lower <= tolerance;
            if found.converged && left(found.evaluations) >= 2 * MOST_SECANTS {
                self.onto_surfaces(body_a, body_b, &mut found);
            }
        }
        if found.converged {
            return self.separated(&found, options);
        }
        if found.overlapping || found.upper <= tolerance {
            let most = left(found.evaluations);
            let reserve = if most > 2 * SETTLING { SETTLING } else { 0 };
            let wanted = Wanted {
                earlier: None,
                tolerance: AIM * tolerance,
                most: most - reserve,
                near: found.normal,
                points: (found.x_a, found.x_b),
            };
            let mut deep = if most > 0 { penetration(&wanted) } else { self.unsearched(body_a, body_b, &found) };
            // Other methods may end without a common point where the polytope has a ball of them.
            let overlapping = found.overlapping || deep.proved > self.rounding;
            let points_agree = in_line((deep.x_a, deep.x_b), deep.normal, deep.depth, tolerance);
            if overlapping && !(deep.settled && points_agree) && deep.evaluations + SETTLING <= most {
                self.settle(body_a, body_b, &mut deep, tolerance);
            }
            if overlapping && !in_line((deep.x_a, deep.x_b), deep.normal, deep.depth, tolerance) {
                let opposite = self.opposite(body_a, body_b, (deep.x_a, deep.x_b), deep.normal);
                let better = opposite.into_iter().find(|points| in_line(*points, deep.normal, deep.depth, tolerance));
                (deep.x_a, deep.x_b) = better.unwrap_or((deep.x_a, deep.x_b));
            }
            found.evaluations += f64::from(deep.evaluations);
            if overlapping {
                return self.overlapping(&deep, found.evaluations, options);
            }
            // No common point was shown: the points are what bounds the distance from above.
            found.improve(-deep.depth, deep.witness, found.upper, (found.x_a, found.x_b));
            found.converged = found.upper - found.lower <= tolerance;
        }
        // Half of what is left, for a look at the pair from the other side.
        let most = left(found.evaluations).div_ceil(2);
        if !found.converged && most > 0 {
            self.creep_up(body_a, body_b, &mut found, tolerance, most);
        }
        self.separated(&found, options)
    }

    /// Moves points that lie between support points, and so within their bodies, along the line between them to the surfaces: below
    /// tips and ridges they may lie deeper than the tolerance. What is proved stays with the points that were found.
    fn onto_surfaces<A: Body<f64>, B: Body<f64>>(&self, body_a: &A, body_b: &B, found: &mut Separation<f64>) {
        let (placement, normal) = (&self.placement, found.normal);
        let (mut x_a, mut x_b) = (found.x_a, found.x_b);
        let evaluations = Cell::new(0.0f64);
        let counted = |x: V3<f64>| {
            evaluations.update(|count| count + 1.0);
            x
        };
        if A::SOLID {
            x_a = way_out(x_a, x_b, |x| counted(A::position(&body_a.follow([true; 2], x, normal))));
        }
        if B::SOLID {
            let into_b = |x: V3<f64>| placement.a_to_b::<B>(x - placement.centre);
            let normal_b = -placement.a_to_b::<B>(normal);
            let on_b = |x| counted(B::position(&body_b.follow([true; 2], x, normal_b)));
            x_b = placement.centre + placement.b_to_a::<B>(way_out(into_b(x_b), into_b(x_a), on_b));
        }
        // Each is of one body only.
        found.evaluations += (0.5 * evaluations.get()).ceil();
        let apart = (x_b - x_a).length_sq().sqrt();
        if apart <= found.upper {
            (found.x_a, found.x_b) = (x_a, x_b);
        }
    }

    /// Leads normal and points of a depth to a common normal nearby, where the polytope's search has not: the depth along it
    /// is a minimum, and no deeper than what was found.
    fn settle<A: Body<f64>, B: Body<f64>>(&self, body_a: &A, body_b: &B, deep: &mut Penetration, tolerance: f64) {
        let mut near = Candidate::near(body_a, body_b, &self.placement, deep.normal, tolerance, SETTLING / 2);
        let left = SETTLING.saturating_sub(near.evaluations as u32);
        let points = near.common_points(body_b, &self.placement);
        let points = points.or_else(|| near.pushed_apart(body_a, body_b, &self.placement, tolerance, left));
        deep.evaluations += near.evaluations as u32;
        if let Some(points) = points
            && near.depth <= deep.depth + 0.1 * tolerance
            && in_line(points, near.normal, near.depth, tolerance)
        {
            (deep.depth, deep.witness, deep.normal) = (near.depth, near.normal, near.normal);
            (deep.x_a, deep.x_b, deep.settled) = (points.0, points.1, true);
        }
    }

    /// The last digits where the other methods stopped: flat faces or sharp corners that nearly touch.
    ///
    /// The least `σ` near the normal at hand is also the greatest dual bound; closest points are those after b has been
    /// pushed away a little: first from the points at hand, then from where the normal touches.
    fn creep_up<A: Body<f64>, B: Body<f64>>(
        &self,
        body_a: &A,
        body_b: &B,
        found: &mut Separation<f64>,
        tolerance: f64,
        most: u32,
    ) {
        let mut left = most;
        for normal in [found.normal, found.witness] {
            let mut near = Candidate::near(body_a, body_b, &self.placement, normal, tolerance, left);
            found.improve(-near.depth, near.normal, found.upper, (found.x_a, found.x_b));
            let at_hand = (found.x_a, found.x_b);
            for part in CLEAR_TOLERANCES.into_iter().map(Some).chain([None]) {
                let rest = left.saturating_sub(near.evaluations as u32);
                if found.upper - found.lower <= tolerance || rest == 0 {
                    break;
                }
                let (push, placement) = (CLEAR_PUSH * tolerance, &self.placement);
                let points = match part {
                    Some(part) => near.pushed_clear(body_a, body_b, placement, at_hand, push, part * tolerance, rest),
                    None => near.pushed_apart(body_a, body_b, placement, tolerance, rest),
                };
                for (x_a, x_b) in
                    points.into_iter().flat_map(|points| self.opposite(body_a, body_b, points, near.normal))
                {
                    found.improve(-near.depth, near.normal, (x_b - x_a).length_sq().sqrt(), (x_a, x_b));
                }
            }
            found.converged = found.upper - found.lower <= tolerance;
            found.evaluations += near.evaluations;
            left = left.saturating_sub(near.evaluations as u32);
            if found.converged || left == 0 {
                break;
            }
        }
    }

    /// Points of both surfaces opposite each other, one of each pair near one of those given. Bodies that are flat there have
    /// closest points all over the place, and those found may lie beside each other.
    fn opposite<A: Body<f64>, B: Body<f64>>(
        &self,
        body_a: &A,
        body_b: &B,
        (x_a, x_b): (V3<f64>, V3<f64>),
        normal: V3<f64>,
    ) -> [(V3<f64>, V3<f64>); 2] {
        let (x_a, x_b) = (self.on_a(body_a, x_a, normal), self.on_b(body_b, x_b, normal));
        [(x_a, self.on_b(body_b, x_a, normal)), (self.on_a(body_a, x_b, normal), x_b)]
    }

    /// The point of a's surface above or below a point along a normal.
    fn on_a<A: Body<f64>>(&self, body_a: &A, x: V3<f64>, normal: V3<f64>) -> V3<f64> {
        across_to(x, normal, |x| A::position(&body_a.follow([true; 2], x, normal)))
    }

    /// The same of b's surface, with a's normal.
    fn on_b<B: Body<f64>>(&self, body_b: &B, x: V3<f64>, normal: V3<f64>) -> V3<f64> {
        let placement = &self.placement;
        let normal_b = -placement.a_to_b::<B>(normal);
        across_to(x, normal, |x| {
            let at = body_b.follow([true; 2], placement.a_to_b::<B>(x - placement.centre), normal_b);
            placement.centre + placement.b_to_a::<B>(B::position(&at))
        })
    }

    /// What is known of an overlap before any search: along the line between the origins the bodies reach no farther
    /// towards each other than their bounding balls do.
    fn unsearched<A: Body<f64>, B: Body<f64>>(&self, body_a: &A, body_b: &B, found: &Separation<f64>) -> Penetration {
        let centre = self.placement.centre;
        let apart = centre.length_sq().sqrt();
        let normal = if apart > 0.0 { centre * (1.0 / apart) } else { found.normal };
        Penetration {
            depth: body_a.reach() + body_b.reach() - apart,
            witness: normal,
            proved: 0.0,
            normal,
            x_a: found.x_a,
            x_b: found.x_b,
            unique_points: false,
            unique_normal: false,
            settled: false,
            evaluations: 0,
        }
    }

    /// The answer for bodies that overlap: either bound of the depth is proved.
    fn overlapping(&self, deep: &Penetration, evaluations: f64, options: &Options) -> Outcome {
        let (depth, proved) = (deep.depth.max(0.0), deep.proved.max(0.0));
        let answer = Found {
            distance: -depth,
            x_a: deep.x_a,
            x_b: deep.x_b,
            normal: deep.normal,
            bounds: Some(certificate::depth_bounds(depth, proved, self.rounding, self.size)),
            witness: deep.witness,
            unique_points: deep.unique_points,
            unique_normal: deep.unique_normal,
            // A minimum that could not be proved to be the least within the budget is told as such by the bounds.
            converged: depth - proved <= self.tolerance(options) || (deep.settled && options.max_iterations > THOROUGH),
            evaluations,
        };
        self.answer(&answer, options)
    }

    /// Whether the bodies overlap: a plane between them or a point inside both, whichever turns up first.
    pub fn overlap<A: Body<f64>, B: Body<f64>>(
        &self,
        body_a: &A,
        body_b: &B,
        convex: bool,
        otherwise: impl Fn() -> Option<bool>,
    ) -> Option<bool> {
        let rounding = self.rounding;
        let reach = body_a.reach() + body_b.reach() + rounding;
        if self.placement.centre.length_sq() > reach * reach {
            return Some(false);
        }
        if !convex {
            return otherwise();
        }
        let options = &Options::DEFAULT;
        let found = if body_a.is_polytope() && body_b.is_polytope() {
            let normal = self.start_normal(body_a, body_b, options);
            let most = options.max_iterations;
            between_polytopes(body_a, body_b, &self.placement, normal, rounding, most, Goal::Side)
        } else {
            let (start, _) = self.start(body_a, body_b, options);
            let tolerance = self.tolerance(options);
            separate(body_a, body_b, &self.placement, start, tolerance, NEWTON_EVALUATIONS, Goal::Side)
        };
        (found.overlapping || found.lower > rounding).then_some(found.overlapping)
    }
}
