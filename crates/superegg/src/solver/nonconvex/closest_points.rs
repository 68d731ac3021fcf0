//! Closest points of two surfaces from points nearby, where a body bends inwards.
//!
//! Minimises `½|x_b - x_a|²` over both surfaces by Newton's method in their tangent planes, damped as Levenberg and Marquardt
//! do until the points come closer. The curvature of the support function, `α t tᵀ + β b bᵀ`, passes through infinity where a
//! surface begins to bend inwards; its inverse, which is what the tangent planes need, is smooth there: `1/α` along t and
//! `1/β` along b. A simplex, and any other convex body whose surface is not smooth, takes part by its nearest point.

use arrayvec::ArrayVec;

use crate::solver::body::simplex::Simplex;
use crate::solver::body::superquadric::{Superquadric, SurfacePoint};
use crate::solver::nonconvex::projection::Projection;
use crate::solver::pair::placement::{Placement, unit};
use crate::solver::separation::found::{Separation, direction_between};
use crate::solver::simd::{Mask, Real, V3};

/// Most steps, counted with those refused.
const MOST_STEPS: u32 = 60;
/// The first damping, and how it changes after a step that was taken or refused.
const DAMPING: (f64, f64, f64) = (1e-4, 0.1, 8.0);
/// Damping at which steps are too short to matter.
const STUCK: f64 = 1e8;
/// Squared sine between the line of the points and either normal at which they are closest points, and the one aimed at:
/// derivatives of the distance need the normal to more digits than the distance itself.
const ALIGNED: f64 = 1e-10;
const WELL_ALIGNED: f64 = 1e-24;
/// Part of the squared distance that a step must promise to gain for rounding to leave it visible.
const VISIBLE: f64 = 1e-14;
/// Largest curvature along a tangent, in units of the inverse size: edges of exponents near two are sharper.
const SHARPEST: f64 = 1e12;
/// Curvature, in units of the inverse size, up to which a step follows its target position, level by level; beyond it the
/// normal, which a small step changes much.
const SHARP: f64 = 3.0;
/// Distance, in units of the size, beyond which closest points are not taken for a crossing of the surfaces.
const CLEAR: f64 = 1e-7;
/// Steps of the undamped method, their largest length in units of the size, and the squared sine at which it ends.
const MOST_NEWTON_STEPS: u32 = 8;
const LONGEST_NEWTON_STEP: f64 = 0.2;
const COMMON: f64 = 1e-22;
/// Steps of the search without derivatives end at this part of the size, or after so many evaluations.
const SHORTEST_WAY: f64 = 1e-11;
const MOST_FELT: f64 = 4000.0;
/// Squared distance, in units of the size, at which a foot on the line or plane of a feature lies on the simplex.
const ON_SIMPLEX_SQ: f64 = 1e-26;
/// Most starts of [`closest_points_from`]: the corners of a simplex, and its middle.
pub(crate) const MOST_STARTS: usize = 5;
/// How far from where the surfaces meet, as parts of the size, a point inside both bodies is looked for.
const INWARD: [f64; 3] = [1e-6, 1e-4, 1e-2];

/// What closest points are looked for on.
pub(crate) enum Opposite<'a> {
    Superquadric(&'a Superquadric<f64, true>),
    Convex(&'a dyn Projection),
}

/// A point of a surface with its tangent plane, in a's frame.
#[derive(Clone, Copy)]
struct Foot<R> {
    position: V3<R>,
    normal: V3<R>,
    tangents: [V3<R>; 2],
    /// Curvature along either tangent; the two are conjugate.
    bends: [R; 2],
}

/// A body with its place.
#[derive(Clone, Copy)]
struct Surface<'a, R: Real> {
    body: &'a Superquadric<R, true>,
    /// None for body a.
    placement: Option<&'a Placement<R>>,
}

// No closures below: these would not be compiled for the CPU's vector lanes.
impl<R: Real> Surface<'_, R> {
    #[inline(always)]
    fn turned(&self, v: V3<R>) -> V3<R> {
        match self.placement {
            Some(placement) => placement.rotation.apply(v),
            None => v,
        }
    }

    #[inline(always)]
    fn back(&self, v: V3<R>) -> V3<R> {
        match self.placement {
            Some(placement) => placement.rotation.apply_transposed(v),
            None => v,
        }
    }

    #[inline(always)]
    fn local(&self, x: V3<R>) -> V3<R> {
        match self.placement {
            Some(placement) => placement.rotation.apply_transposed(x - placement.centre),
            None => x,
        }
    }

    /// A tangent, and the curvature along it.
    #[inline(always)]
    fn tangent(&self, v: V3<R>, weight: R) -> (V3<R>, R) {
        let (one, sharpest) = (R::splat(1.0), R::splat(SHARPEST));
        let length_sq = v.length_sq().max(R::splat(1e-300));
        (self.turned(v * (one / length_sq.sqrt())), (one / (weight * length_sq)).max(-sharpest).min(sharpest))
    }

    #[inline(always)]
    fn foot(&self, at: SurfacePoint<R>) -> Foot<R> {
        let curvature = self.body.curvature(&at);
        let (t, bend_t) = self.tangent(curvature.t, curvature.alpha);
        let (b, bend_b) = self.tangent(curvature.b, curvature.beta);
        let turned = self.turned(at.position);
        let position = match self.placement {
            Some(placement) => turned + placement.centre,
            None => turned,
        };
        Foot { position, normal: self.turned(at.normal), tangents: [t, b], bends: [bend_t, bend_b] }
    }

    /// The surface point near a position and normal of a's frame.
    #[inline(always)]
    fn near(&self, position: V3<R>, normal: V3<R>) -> Foot<R> {
        self.foot(self.body.place(self.local(position), self.back(normal)))
    }

    /// Moves along both tangents.
    #[inline(always)]
    fn moved(&self, from: &Foot<R>, along: [R; 2]) -> Foot<R> {
        let ([t, b], one, sharp) = (from.tangents, R::splat(1.0), R::splat(SHARP));
        let step = t * along[0] + b * along[1];
        // The normal turns by c1 t + c2 b, whose parts along t and b are bend times length.
        let (turn_t, turn_b) = (from.bends[0] * along[0], from.bends[1] * along[1]);
        let skew = t.dot(b);
        let per = one / (one - skew * skew).max(R::splat(1e-12));
        let turn = t * ((turn_t - skew * turn_b) * per) + b * ((turn_b - skew * turn_t) * per);
        let position = self.local(from.position + step);
        let normal = self.back(from.normal + turn);
        let by_position = [from.bends[0].abs().lt(sharp), from.bends[1].abs().lt(sharp)];
        self.foot(self.body.follow(by_position, position, normal))
    }
}

impl Surface<'_, f64> {
    fn contains(&self, point: V3<f64>) -> bool {
        self.body.contains(self.local(point))
    }
}

impl<R: Real> Foot<R> {
    #[inline(always)]
    fn select(mask: R::Mask, yes: &Foot<R>, no: &Foot<R>) -> Foot<R> {
        Foot {
            position: V3::select(mask, yes.position, no.position),
            normal: V3::select(mask, yes.normal, no.normal),
            tangents: [
                V3::select(mask, yes.tangents[0], no.tangents[0]),
                V3::select(mask, yes.tangents[1], no.tangents[1]),
            ],
            bends: [R::select(mask, yes.bends[0], no.bends[0]), R::select(mask, yes.bends[1], no.bends[1])],
        }
    }
}

/// Leads two points of a's frame to closest points of the bodies nearby: converged if it got there, overlapping if it came
/// upon a common point. The lower bound is left open.
pub(crate) fn closest_points(
    a: &Superquadric<f64, true>,
    b: &Opposite,
    placement: &Placement<f64>,
    (x_a, x_b): (V3<f64>, V3<f64>),
    normal: V3<f64>,
) -> Separation<f64> {
    let surface_a = Surface { body: a, placement: None };
    match b {
        Opposite::Superquadric(b) => {
            let surface_b = Surface { body: b, placement: Some(placement) };
            let (x_a, x_b) = (surface_a.near(x_a, normal), surface_b.near(x_b, -normal));
            let ([a, b], evaluations) = between_surfaces([surface_a, surface_b], [x_a, x_b]);
            between([surface_a, surface_b], [(a.position, a.normal), (b.position, b.normal)], evaluations)
        }
        Opposite::Convex(other) => to_convex(&surface_a, *other, surface_a.near(x_a, normal)),
    }
}

/// Newton's method, undamped, for points of both surfaces with a common normal along the line between them, which need not be
/// closest points: the deepest points of bodies that overlap are not. The points and the part of the line from a's to b's
/// along a's normal, or none where it does not get there.
pub(crate) fn common_normal(
    a: &Superquadric<f64, true>,
    b: &Superquadric<f64, true>,
    placement: &Placement<f64>,
    (x_a, x_b): (V3<f64>, V3<f64>),
    normal: V3<f64>,
) -> Option<CommonNormal> {
    let surfaces = [Surface { body: a, placement: None }, Surface { body: b, placement: Some(placement) }];
    let mut at = (surfaces[0].near(x_a, normal), surfaces[1].near(x_b, -normal));
    for _ in 0..MOST_NEWTON_STEPS {
        let w = at.1.position - at.0.position;
        let (system, slope) = linearised(w, &at.0, &at.1);
        let step = eliminate(system, slope)?;
        if step.iter().any(|length| length.abs() > LONGEST_NEWTON_STEP) {
            return None;
        }
        at = (surfaces[0].moved(&at.0, [step[0], step[1]]), surfaces[1].moved(&at.1, [step[2], step[3]]));
        let w = at.1.position - at.0.position;
        if misalignment(w, &[at.0.normal, at.1.normal]) <= COMMON {
            let normal = at.0.normal;
            return Some(CommonNormal { x_a: at.0.position, x_b: at.1.position, normal, along: w.dot(normal) });
        }
    }
    None
}

/// The same for a simplex. b's point moves on the feature that is nearest once the simplex has been pushed out by `shift`.
pub(crate) fn common_normal_with_simplex(
    a: &Superquadric<f64, true>,
    simplex: &Simplex,
    centre: V3<f64>,
    (x_a, x_b): (V3<f64>, V3<f64>),
    normal: V3<f64>,
    shift: V3<f64>,
) -> Option<CommonNormal> {
    let surface = Surface { body: a, placement: None };
    let (_, feature) = simplex.closest(x_a - centre - shift);
    // The foot on the line or plane of the feature.
    let opposite = |x: V3<f64>| x - simplex.across(feature, x - x_b);
    let mut at = surface.near(x_a, normal);
    for _ in 0..MOST_NEWTON_STEPS {
        let across = |motion: V3<f64>| simplex.across(feature, motion);
        let (system, slope) = linearised_to_nearest(opposite(at.position) - at.position, &at, across);
        let step = eliminate(system, slope)?;
        if step.iter().any(|length| length.abs() > LONGEST_NEWTON_STEP) {
            return None;
        }
        at = surface.moved(&at, step);
        let x_b = opposite(at.position);
        let w = x_b - at.position;
        if misalignment(w, &[at.normal]) <= COMMON {
            let off_sq = (simplex.closest(x_b - centre).0 + centre - x_b).length_sq();
            let found = CommonNormal { x_a: at.position, x_b, normal: at.normal, along: w.dot(at.normal) };
            return (off_sq <= ON_SIMPLEX_SQ).then_some(found);
        }
    }
    None
}

/// Points with a common normal.
pub(crate) struct CommonNormal {
    pub x_a: V3<f64>,
    pub x_b: V3<f64>,
    /// Unit, of a.
    pub normal: V3<f64>,
    /// Distance from a's point to b's along it, negative in overlap.
    pub along: f64,
}

/// The second derivative of `½|w|²` in both tangent planes, and minus its gradient.
#[inline(always)]
fn linearised<R: Real>(w: V3<R>, a: &Foot<R>, b: &Foot<R>) -> ([[R; 4]; 4], [R; 4]) {
    let (lambda_a, lambda_b) = (w.dot(a.normal), -w.dot(b.normal));
    let (t_a, t_b) = (a.tangents, b.tangents);
    let mut system = [[R::splat(0.0); 4]; 4];
    let mut slope = [R::splat(0.0); 4];
    for i in 0..2 {
        for j in 0..2 {
            system[i][j] = t_a[i].dot(t_a[j]);
            system[i + 2][j + 2] = t_b[i].dot(t_b[j]);
            system[i][j + 2] = -t_a[i].dot(t_b[j]);
            system[j + 2][i] = system[i][j + 2];
        }
        system[i][i] = system[i][i] + lambda_a * a.bends[i];
        system[i + 2][i + 2] = system[i + 2][i + 2] + lambda_b * b.bends[i];
        slope[i] = w.dot(t_a[i]);
        slope[i + 2] = -w.dot(t_b[i]);
    }
    (system, slope)
}

/// The same over a's tangent plane alone, b's point being the nearest, which follows a motion but for what is `across` it.
fn linearised_to_nearest(w: V3<f64>, a: &Foot<f64>, across: impl Fn(V3<f64>) -> V3<f64>) -> ([[f64; 2]; 2], [f64; 2]) {
    let [t, b] = a.tangents;
    let across = a.tangents.map(across);
    let (lambda, mixed) = (w.dot(a.normal), t.dot(across[1]));
    let system = [[t.dot(across[0]) + lambda * a.bends[0], mixed], [mixed, b.dot(across[1]) + lambda * a.bends[1]]];
    (system, a.tangents.map(|tangent| w.dot(tangent)))
}

/// The closest points of two surfaces near given ones, as far as the descent gets, and the evaluations spent, lane by lane.
#[inline(always)]
fn between_surfaces<R: Real>([a, b]: [Surface<R>; 2], start: [Foot<R>; 2]) -> ([Foot<R>; 2], R) {
    let (zero, one) = (R::splat(0.0), R::splat(1.0));
    let mut at = start;
    let mut damping = R::splat(DAMPING.0);
    let mut evaluations = one;
    let mut ended = one.lt(zero);
    for _ in 0..MOST_STEPS {
        let w = at[1].position - at[0].position;
        let off = misalignment(w, &[at[0].normal, at[1].normal]);
        ended = ended | !R::splat(WELL_ALIGNED).lt(off) | R::splat(STUCK).lt(damping);
        if !(!ended).any() {
            break;
        }
        let (system, slope) = linearised(w, &at[0], &at[1]);
        let (step, definite) = solve(&system, damping, slope);
        let tried = definite & !ended;
        let mut taken = tried;
        if tried.any() {
            evaluations = R::select(tried, evaluations + one, evaluations);
            let next = [a.moved(&at[0], [step[0], step[1]]), b.moved(&at[1], [step[2], step[3]])];
            let next_w = next[1].position - next[0].position;
            let straighter = misalignment(next_w, &[next[0].normal, next[1].normal]).lt(off);
            let progress = judge(w, next_w, &slope, &step, straighter);
            taken = tried & progress.closer;
            ended = ended | (tried & progress.end);
            at = [Foot::select(taken, &next[0], &at[0]), Foot::select(taken, &next[1], &at[1])];
        }
        let eased = (damping * R::splat(DAMPING.1)).max(R::splat(1e-15));
        damping = R::select(taken, eased, damping * R::splat(DAMPING.2));
    }
    (at, evaluations)
}

/// What was found between two surfaces, by positions and normals of the points.
fn between([a, b]: [Surface<f64>; 2], [at_a, at_b]: [(V3<f64>, V3<f64>); 2], evaluations: f64) -> Separation<f64> {
    let (x, normals) = ([at_a.0, at_b.0], [at_a.1, at_b.1]);
    let middle = (x[0] + x[1]) * 0.5;
    let inward = -unit(normals[0] + normals[1]);
    let common = |point: V3<f64>| a.contains(point) && b.contains(point);
    let w = x[1] - x[0];
    // Points along their normals with nothing in between need no further look.
    let clear = w.dot(normals[0]) > CLEAR && face_each_other(w, &normals);
    let overlapping =
        !clear && (b.contains(x[0]) || a.contains(x[1]) || INWARD.iter().any(|&far| common(middle + inward * far)));
    ending((x[0], x[1]), &normals, overlapping, evaluations)
}

/// [`closest_points`] of two superquadrics from several starts at once, in lanes where the CPU has them; else none.
pub(crate) fn closest_points_from(
    a: &Superquadric<f64, true>,
    b: &Superquadric<f64, true>,
    placement: &Placement<f64>,
    starts: &[(V3<f64>, V3<f64>)],
    normal: V3<f64>,
) -> Option<ArrayVec<Separation<f64>, MOST_STARTS>> {
    #[cfg(target_arch = "x86_64")]
    {
        let width = crate::solver::simd::Width::widest()?;
        let surfaces = [Surface { body: a, placement: None }, Surface { body: b, placement: Some(placement) }];
        let mut found = ArrayVec::new();
        for group in starts.chunks(width.count()) {
            let ends = vectorised::descend(width, [a, b], placement, group, normal);
            found.extend(ends.into_iter().map(|(at, evaluations)| between(surfaces, at, evaluations)));
        }
        Some(found)
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = (a, b, placement, starts, normal);
        None
    }
}

/// Positions and normals of two points, and the evaluations spent.
#[cfg(target_arch = "x86_64")]
type End = ([(V3<f64>, V3<f64>); 2], f64);

#[cfg(target_arch = "x86_64")]
mod vectorised {
    use super::*;
    use crate::solver::simd::{Lanes, MOST_LANES, lane_query, vector_of};

    lane_query! {
        /// See [`descend_lanes`].
        pub(super) fn descend(
            bodies: [&Superquadric<f64, true>; 2],
            placement: &Placement<f64>,
            starts: &[(V3<f64>, V3<f64>)],
            normal: V3<f64>,
        ) -> ArrayVec<End, MOST_LANES>,
        descend_lanes
    }

    /// Leads two points to closest points from a start in each lane.
    #[inline(always)]
    fn descend_lanes<R: Lanes>(
        [a, b]: [&Superquadric<f64, true>; 2],
        placement: &Placement<f64>,
        starts: &[(V3<f64>, V3<f64>)],
        normal: V3<f64>,
    ) -> ArrayVec<End, MOST_LANES> {
        let (a, b, placement): (_, _, Placement<R>) = (a.spread(), b.spread(), placement.spread());
        let surfaces = [Surface { body: &a, placement: None }, Surface { body: &b, placement: Some(&placement) }];
        // The last start fills the lanes that are left.
        let x_a = V3::gather(|lane| starts[lane.min(starts.len() - 1)].0.into());
        let x_b = V3::gather(|lane| starts[lane.min(starts.len() - 1)].1.into());
        let start = [surfaces[0].near(x_a, normal.spread()), surfaces[1].near(x_b, (-normal).spread())];
        let ([a, b], evaluations) = between_surfaces(surfaces, start);
        let (position_a, normal_a) = (a.position.to_arrays(), a.normal.to_arrays());
        let (position_b, normal_b) = (b.position.to_arrays(), b.normal.to_arrays());
        let evaluations = evaluations.to_array();
        let mut ends = ArrayVec::new();
        for lane in 0..starts.len() {
            let at_a = (vector_of(&position_a, lane).into(), vector_of(&normal_a, lane).into());
            let at_b = (vector_of(&position_b, lane).into(), vector_of(&normal_b, lane).into());
            ends.push(([at_a, at_b], evaluations[lane]));
        }
        ends
    }
}

/// Closest points of a body and a convex one where Newton's method is stuck at a ridge or tip, whose curvature is infinite: by steps to
/// all sides that are halved when none leads closer, from the point given.
pub(crate) fn closest_points_by_feeling(
    a: &Superquadric<f64, true>,
    other: &dyn Projection,
    (x_a, normal): (V3<f64>, V3<f64>),
) -> Separation<f64> {
    // A point inside is its own nearest one.
    let project = |x: V3<f64>| other.nearest(x).map_or(x, |nearest| nearest.point);
    let place = |x: V3<f64>, normal: V3<f64>| a.follow([true; 2], x, normal);
    let mut at = place(x_a, normal);
    let mut least = (project(at.position) - at.position).length_sq();
    let (mut way, mut evaluations) = (LONGEST_NEWTON_STEP, 1.0);
    while way > SHORTEST_WAY {
        let (u, v) = glam::DVec3::from(at.normal).any_orthonormal_pair();
        let closer = (0..8).find_map(|side| {
            let (sine, cosine) = (f64::from(side) * std::f64::consts::FRAC_PI_4).sin_cos();
            let next = place(at.position + V3::from(u * cosine + v * sine) * way, at.normal);
            let distance_sq = (project(next.position) - next.position).length_sq();
            evaluations += 1.0;
            (distance_sq < least).then_some((next, distance_sq))
        });
        match closer {
            Some(next) => (at, least) = next,
            None => way *= 0.5,
        }
        if evaluations > MOST_FELT {
            break;
        }
    }
    let x_b = project(at.position);
    let overlapping = a.contains(x_b) || other.nearest(at.position).is_none();
    let mut end = ending((at.position, x_b), &[at.normal], overlapping, evaluations);
    end.converged = !end.overlapping && way <= SHORTEST_WAY;
    end
}

fn to_convex(a: &Surface<f64>, other: &dyn Projection, mut at: Foot<f64>) -> Separation<f64> {
    let mut damping = DAMPING.0;
    let mut evaluations = 1.0;
    let inside = |at: &Foot<f64>, evaluations: f64| ending((at.position, at.position), &[at.normal], true, evaluations);
    let Some(mut nearest) = other.nearest(at.position) else { return inside(&at, evaluations) };
    for _ in 0..MOST_STEPS {
        let w = nearest.point - at.position;
        let off = misalignment(w, &[at.normal]);
        if off <= WELL_ALIGNED || damping > STUCK {
            break;
        }
        let (system, slope) = linearised_to_nearest(w, &at, |motion| nearest.across(motion));
        let (step, definite) = solve(&system, damping, slope);
        if !definite {
            damping *= DAMPING.2;
            continue;
        }
        evaluations += 1.0;
        let next = a.moved(&at, step);
        let Some(next_nearest) = other.nearest(next.position) else { return inside(&next, evaluations) };
        let next_w = next_nearest.point - next.position;
        let progress = judge(w, next_w, &slope, &step, misalignment(next_w, &[next.normal]) < off);
        if progress.closer {
            (at, nearest) = (next, next_nearest);
            damping = (damping * DAMPING.1).max(1e-15);
        } else if progress.end {
            break;
        } else {
            damping *= DAMPING.2;
        }
    }
    ending((at.position, nearest.point), &[at.normal], a.contains(nearest.point), evaluations)
}

/// What a step came to: it counts, or there is nothing left to gain; else it was too long.
struct Progress<M> {
    closer: M,
    end: M,
}

/// Whether a step counts: it brings the points closer or, where rounding hides that, straightens the line between them.
#[inline(always)]
fn judge<R: Real, const N: usize>(
    w: V3<R>,
    next_w: V3<R>,
    slope: &[R; N],
    step: &[R; N],
    straighter: R::Mask,
) -> Progress<R::Mask> {
    let mut promised = R::splat(0.0);
    for i in 0..N {
        promised = promised + slope[i] * step[i];
    }
    let visible = (R::splat(VISIBLE) * w.length_sq()).lt(promised.abs());
    let closer = next_w.length_sq().lt(w.length_sq());
    Progress { closer: (visible & closer) | (!visible & straighter), end: !visible & !straighter }
}

fn ending(points: (V3<f64>, V3<f64>), normals: &[V3<f64>], overlapping: bool, evaluations: f64) -> Separation<f64> {
    let w = points.1 - points.0;
    let normal = direction_between(points.0, points.1, normals[0]);
    Separation {
        x_a: points.0,
        x_b: points.1,
        witness: normal,
        normal,
        unique_points: true,
        lower: f64::NEG_INFINITY,
        upper: w.length_sq().sqrt(),
        converged: !overlapping && face_each_other(w, normals),
        overlapping,
        evaluations,
    }
}

/// Whether a line leads along a's normal and against b's, if it has one: a point of b inside a has closest points, too, with a
/// normal the other way.
fn face_each_other(w: V3<f64>, normals: &[V3<f64>]) -> bool {
    let outwards = w.dot(normals[0]) > 0.0 && normals.get(1).is_none_or(|normal| w.dot(*normal) < 0.0);
    outwards && misalignment(w, normals) <= ALIGNED
}

/// Squared sine between a line and normals, whichever is largest.
#[inline(always)]
fn misalignment<R: Real>(w: V3<R>, normals: &[V3<R>]) -> R {
    let mut largest = R::splat(0.0);
    for normal in normals {
        largest = largest.max((w - *normal * w.dot(*normal)).length_sq());
    }
    largest / w.length_sq()
}

/// Solves `(matrix + damping diag(matrix)) x = right` by Cholesky's decomposition, and whether that is positive definite.
#[inline(always)]
fn solve<R: Real, const N: usize>(matrix: &[[R; N]; N], damping: R, right: [R; N]) -> ([R; N], R::Mask) {
    let (zero, one) = (R::splat(0.0), R::splat(1.0));
    let mut definite = zero.lt(one);
    let mut lower = [[zero; N]; N];
    for i in 0..N {
        for j in 0..=i {
            let mut left = matrix[i][j];
            if i == j {
                left = left + damping * (one + left.abs());
            }
            for (of_i, of_j) in lower[i].iter().zip(&lower[j]).take(j) {
                left = left - *of_i * *of_j;
            }
            lower[i][j] = if i == j {
                // Not a number is not positive either.
                definite = definite & zero.lt(left);
                left.max(R::splat(1e-300)).sqrt()
            } else {
                left / lower[j][j]
            };
        }
    }
    let mut x = right;
    for i in 0..N {
        for k in 0..i {
            x[i] = x[i] - lower[i][k] * x[k];
        }
        x[i] = x[i] / lower[i][i];
    }
    for i in (0..N).rev() {
        for (k, row) in lower.iter().enumerate().skip(i + 1) {
            x[i] = x[i] - row[i] * x[k];
        }
        x[i] = x[i] / lower[i][i];
    }
    (x, definite)
}

/// Solves a system by elimination with pivots; `None` where it is singular.
fn eliminate<const N: usize>(mut matrix: [[f64; N]; N], mut right: [f64; N]) -> Option<[f64; N]> {
    for column in 0..N {
        let pivot = (column..N).max_by(|&i, &j| matrix[i][column].abs().total_cmp(&matrix[j][column].abs()))?;
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        let top = matrix[column];
        if top[column].is_nan() || top[column].abs() <= 1e-14 {
            return None;
        }
        for row in column + 1..N {
            let factor = matrix[row][column] / top[column];
            for k in column..N {
                matrix[row][k] -= factor * top[k];
            }
            right[row] -= factor * right[column];
        }
    }
    for row in (0..N).rev() {
        let known: f64 = (row + 1..N).map(|k| matrix[row][k] * right[k]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    Some(right)
}
