//! Penetration depth: the shortest translation that separates two overlapping convex bodies.
//!
//! The depth is the least `σ(n) = h_a(n) + h_b(-n) - n·c` over unit normals, a problem with several local minima. Many
//! directions are scored by `σ` itself; the best are refined by the Newton step of [`super::separate`] with a negative
//! separation, four at a time where the CPU has vector lanes. Any direction gives an upper bound of the depth, so the
//! answer is never too small a translation; that it is the least one rests on the starts and is tested by sampling.

use super::body::Body;
use super::gjk::gjk;
use super::graph::{Curvature, Egg};
use super::placement::{Placement, unit};
use super::separate::{Goal, separate};
use super::starts::{Known, MOST_STARTS, Starts};
use super::step::{Relation, Step};
use crate::lanes::{Mask, Real, Sym3, V3};

/// A translation that separates the bodies.
#[derive(Clone, Copy)]
pub(crate) struct Candidate {
    /// Unit normal from a to b, in a's frame: b has to move this way.
    pub normal: V3<f64>,
    /// By how much.
    pub depth: f64,
    /// Deepest point of a in b, in a's frame.
    pub x_a: V3<f64>,
    /// Deepest point of b in a, in a's frame.
    pub x_b: V3<f64>,
    /// How far both points are from having a common normal.
    residual: f64,
    /// Whether the descent has come to its end.
    settled: bool,
    /// Surface evaluations spent.
    pub evaluations: f64,
}

impl Candidate {
    /// A point of each surface, the depth apart along the normal, if the search came to a common normal.
    fn common_points<A: Body<f64>, B: Body<f64>>(
        &self,
        body_b: &B,
        placement: &Placement<f64>,
    ) -> Option<(V3<f64>, V3<f64>)> {
        let across = self.normal * self.depth;
        if B::SOLID {
            let middle = (self.x_a + self.x_b) * 0.5;
            return (self.residual < STRAIGHT).then_some((middle + across * 0.5, middle - across * 0.5));
        }
        // Without an inside, b's point has to stay on b.
        let opposite = placement.a_to_b::<B>(self.x_a - across - placement.centre);
        let on_b = B::position(&body_b.place(opposite, -placement.a_to_b::<B>(self.normal)));
        let x_b = placement.centre + placement.b_to_a::<B>(on_b);
        ((x_b - self.x_a + across).length_sq() < STRAIGHT).then_some((self.x_a, x_b))
    }

    /// A point of each surface, the depth apart along the normal; a's point and what lies opposite where that fails.
    pub fn points<A: Body<f64>, B: Body<f64>>(
        &mut self,
        body_a: &A,
        body_b: &B,
        placement: &Placement<f64>,
        tolerance: f64,
    ) -> (V3<f64>, V3<f64>) {
        self.common_points::<A, B>(body_b, placement)
            .or_else(|| self.pushed_apart(body_a, body_b, placement, tolerance))
            .unwrap_or((self.x_a, self.x_a - self.normal * self.depth))
    }

    /// The points, and the last digits of normal and depth, where the search has not come to a common normal: on corners
    /// too sharp to be resolved and on flat faces.
    ///
    /// b is pushed out along the normal a little farther than the depth. The distance of the bodies is then a convex
    /// problem, its closest points are the ones wanted, and a distance greater than the push comes with a better normal.
    pub fn pushed_apart<A: Body<f64>, B: Body<f64>>(
        &mut self,
        body_a: &A,
        body_b: &B,
        placement: &Placement<f64>,
        tolerance: f64,
    ) -> Option<(V3<f64>, V3<f64>)> {
        for _ in 0..MOST_PUSHES {
            let (push, tolerance) =
                if self.depth > tolerance { (PUSH, tolerance) } else { (0.3 * tolerance, 0.1 * tolerance) };
            let shift = self.normal * (self.depth + push);
            let pushed = Placement { centre: placement.centre + shift, ..*placement };
            let start = at_normal(body_a, body_b, placement, self.normal);
            let mut found = separate(body_a, body_b, &pushed, start, tolerance, FINE, Goal::Distance);
            self.evaluations += found.evaluations;
            if !found.converged {
                found = gjk(body_a, body_b, &pushed, self.normal, tolerance, MOST_PUSHED_EVALUATIONS);
                self.evaluations += found.evaluations;
            }
            if !found.converged {
                return None;
            }
            let better = -placement.gap_along(body_a, body_b, found.normal);
            if better >= self.depth - SAME_DEPTH {
                return Some((found.x_a, found.x_b - shift));
            }
            (self.normal, self.depth) = (found.normal, better);
        }
        None
    }
}

/// Directions refined together.
const GROUP: usize = 4;
/// Groups of starts that are looked into at most, and the score (as a multiple of the best depth so far) up to which a
/// group is worth it.
const MOST_GROUPS: usize = 6;
const WORTHWHILE_SCORE: f64 = 2.0;
/// Rounds for the best group, for a look into a further one, and for the winner.
const ROUGH: u32 = 8;
const GLANCE: u32 = 3;
const FINE: u32 = 40;
/// After a glance, candidates up to this multiple of the best depth are followed further.
const PROMISING: f64 = 1.25;
/// Keeps the turn of the normal in one step below about a third of a radian.
const TURN_LIMIT: f64 = 3.0;
/// Part of the smaller curvature that the negative separation may use up, so that the system stays definite.
const DEFINITE: f64 = 0.98;

/// Depths within this part of the size are taken for equal.
const SAME_DEPTH: f64 = 1e-12;
/// Residual below which moving both points onto one line leaves them on their surfaces to rounding.
const STRAIGHT: f64 = 1e-18;
/// How far a body is pushed beyond the depth, as a part of the size, how often, and evaluations of the fallback there.
const PUSH: f64 = 1e-4;
const MOST_PUSHES: u32 = 6;
const MOST_PUSHED_EVALUATIONS: u32 = 200;
/// Part of the depth below which a curvature radius is taken for smaller.
const CLEARLY: f64 = 0.9999;
/// How far, in radians, a search is pushed off the saddles it meets, one after the other.
const ASIDE: [f64; 4] = [0.06, 0.02, 0.006, 0.002];
const MOST_WOBBLES: f64 = ASIDE.len() as f64;
/// Residual below which two normals count as common.
const COMMON_NORMAL: f64 = 1e-13;

/// Scores and refines directions in groups.
pub(crate) trait Search {
    /// `σ` for each normal, without the support value that is known.
    fn score(&self, normals: &[V3<f64>; GROUP], known: Known) -> [f64; GROUP];
    /// Descends from each normal towards a local minimum of `σ`, for at most so many rounds.
    fn refine(&self, normals: &[V3<f64>; GROUP], rounds: u32) -> [Candidate; GROUP];
}

/// One direction after the other: for bodies without a vector form and CPUs without vector lanes.
pub(crate) struct OneByOne<'a, A, B> {
    pub body_a: &'a A,
    pub body_b: &'a B,
    pub placement: &'a Placement<f64>,
    pub tolerance: f64,
}

impl<A: Body<f64>, B: Body<f64>> Search for OneByOne<'_, A, B> {
    fn score(&self, normals: &[V3<f64>; GROUP], known: Known) -> [f64; GROUP] {
        normals.map(|n| partial_score(self.body_a, self.body_b, self.placement, n, known))
    }

    fn refine(&self, normals: &[V3<f64>; GROUP], rounds: u32) -> [Candidate; GROUP] {
        normals.map(|n| {
            let start = at_normal(self.body_a, self.body_b, self.placement, n);
            let found = refine(self.body_a, self.body_b, self.placement, start, self.tolerance, rounds);
            Candidate {
                normal: found.normal,
                depth: found.depth,
                x_a: found.x_a,
                x_b: found.x_b,
                residual: found.residual,
                settled: found.settled,
                evaluations: found.evaluations,
            }
        })
    }
}

/// Four directions in the lanes of a vector register.
#[cfg(target_arch = "x86_64")]
pub(crate) mod four_lanes {
    use super::*;
    use crate::lanes::avx2::{F64x4, LANES};

    /// A pair of eggs spread over all lanes. Only to be used when [`crate::lanes::avx2::available`].
    pub(crate) struct FourLanes<const TAPERED: bool> {
        body_a: Egg<F64x4, TAPERED>,
        body_b: Egg<F64x4, TAPERED>,
        placement: Placement<F64x4>,
        tolerance: F64x4,
    }

    fn gather(normals: &[V3<f64>; LANES]) -> V3<F64x4> {
        V3::new(
            F64x4::from_array(normals.map(|n| n.x)),
            F64x4::from_array(normals.map(|n| n.y)),
            F64x4::from_array(normals.map(|n| n.z)),
        )
    }

    impl<const TAPERED: bool> FourLanes<TAPERED> {
        /// # Safety
        /// The CPU must have AVX2 and FMA.
        #[target_feature(enable = "avx2,fma")]
        pub unsafe fn new(
            body_a: &Egg<f64, TAPERED>,
            body_b: &Egg<f64, TAPERED>,
            placement: &Placement<f64>,
            tolerance: f64,
        ) -> FourLanes<TAPERED> {
            FourLanes {
                body_a: body_a.spread(),
                body_b: body_b.spread(),
                placement: placement.spread(),
                tolerance: F64x4::splat(tolerance),
            }
        }

        #[target_feature(enable = "avx2,fma")]
        fn score_lanes(&self, normals: &[V3<f64>; LANES], known: Known) -> [f64; LANES] {
            partial_score(&self.body_a, &self.body_b, &self.placement, gather(normals), known).to_array()
        }

        #[target_feature(enable = "avx2,fma")]
        fn refine_lanes(&self, normals: &[V3<f64>; LANES], rounds: u32) -> [Candidate; LANES] {
            let start = at_normal(&self.body_a, &self.body_b, &self.placement, gather(normals));
            let found = refine(&self.body_a, &self.body_b, &self.placement, start, self.tolerance, rounds);
            let (normal, x_a, x_b) = (found.normal.lanes(), found.x_a.lanes(), found.x_b.lanes());
            let (depth, residual) = (found.depth.to_array(), found.residual.to_array());
            let (evaluations, settled) = (found.evaluations.to_array(), found.settled.bits());
            std::array::from_fn(|i| Candidate {
                normal: normal[i],
                depth: depth[i],
                x_a: x_a[i],
                x_b: x_b[i],
                residual: residual[i],
                settled: settled >> i & 1 == 1,
                evaluations: evaluations[i],
            })
        }
    }

    impl<const TAPERED: bool> Search for FourLanes<TAPERED> {
        fn score(&self, normals: &[V3<f64>; GROUP], known: Known) -> [f64; GROUP] {
            // SAFETY: whoever called `new` vouched for AVX2 and FMA.
            unsafe { self.score_lanes(normals, known) }
        }

        fn refine(&self, normals: &[V3<f64>; GROUP], rounds: u32) -> [Candidate; GROUP] {
            // SAFETY: whoever called `new` vouched for AVX2 and FMA.
            unsafe { self.refine_lanes(normals, rounds) }
        }
    }
}

/// A local minimum of `σ`, lane by lane.
pub(crate) struct Refined<R: Real> {
    pub normal: V3<R>,
    pub depth: R,
    pub x_a: V3<R>,
    x_b: V3<R>,
    residual: R,
    /// Lanes that reached a common normal.
    pub settled: R::Mask,
    pub evaluations: R,
}

/// `σ` without the support value that is known.
#[inline(always)]
fn partial_score<R: Real, A: Body<R>, B: Body<R>>(
    body_a: &A,
    body_b: &B,
    placement: &Placement<R>,
    normal: V3<R>,
    known: Known,
) -> R {
    let exactly = R::splat(0.0);
    let mut score = -normal.dot(placement.centre);
    if known != Known::OfA {
        score = score + body_a.support_value(&body_a.with_normal(normal), normal, exactly);
    }
    if known != Known::OfB {
        let in_b = -placement.a_to_b::<B>(normal);
        score = score + body_b.support_value(&body_b.with_normal(in_b), in_b, exactly);
    }
    score
}

/// Both bodies at a common normal.
#[inline(always)]
fn at_normal<R: Real, A: Body<R>, B: Body<R>>(
    body_a: &A,
    body_b: &B,
    placement: &Placement<R>,
    normal: V3<R>,
) -> (A::Point, B::Point) {
    (body_a.with_normal(normal), body_b.with_normal(-placement.a_to_b::<B>(normal)))
}

/// Newton's method on the common-normal condition from given points with a common normal, as a descent: a step counts
/// when it lowers `σ`, or when it brings the normals closer together without raising `σ`. After repeated refusals the
/// search goes back to the best normal and leans more on the gradient.
#[inline(always)]
pub(crate) fn refine<R: Real, A: Body<R>, B: Body<R>>(
    body_a: &A,
    body_b: &B,
    placement: &Placement<R>,
    start: (A::Point, B::Point),
    tolerance: R,
    most: u32,
) -> Refined<R> {
    let zero = R::splat(0.0);
    let one = R::splat(1.0);
    let none = one.lt(zero);
    let (mut a, mut b) = start;
    let (mut from_a, mut from_b) = start;
    let mut step: Option<Step<R>> = None;
    let mut best = Refined {
        normal: A::normal(&a),
        depth: R::splat(f64::MAX),
        x_a: V3::splat(zero),
        x_b: V3::splat(zero),
        residual: R::splat(f64::MAX),
        settled: none,
        evaluations: one,
    };
    let mut least_residual = R::splat(f64::MAX);
    // The depth at the points that the step leaves, where it is exact.
    let (mut from_depth, mut from_exact) = (zero, none);
    let mut t = one;
    let mut refusals = zero;
    let mut caution = zero;
    let mut wobbles = zero;
    let mut done = none;
    for round in 0..most {
        let relation = Relation::new::<A, B>(placement, &a, &b);
        let due = R::splat(0.01) * t;
        // `-along` is at most `σ`, and the same at a common normal. The exact value is only needed when the normals do
        // not come closer, and at the end.
        let straighter =
            relation.residual.lt(least_residual * (one - due)) & (-relation.along).lt(best.depth + tolerance);
        let settled = straighter & relation.residual.lt(R::splat(COMMON_NORMAL));
        let exact = B::CURVED && round > 0 && (round + 1 == most || ((!straighter | settled) & !done).any());
        let depth = if exact { -placement.gap_along(body_a, body_b, relation.mid) } else { -relation.along };
        let trusted = if exact || round == 0 || !B::CURVED { !none } else { none };
        let deeper = trusted & depth.lt(best.depth - R::splat(1e-12)) & !done;
        let accept = (deeper | straighter) & !done;
        best.normal = V3::select(deeper, relation.mid, best.normal);
        best.depth = R::select(deeper, depth, best.depth);
        least_residual = R::select(deeper, relation.residual, least_residual.min(relation.residual));
        from_a = A::select(accept, &a, &from_a);
        from_b = B::select(accept, &b, &from_b);
        from_depth = R::select(accept, depth, from_depth);
        from_exact = (accept & trusted) | (!accept & from_exact);
        let new_step = Step::towards_common_normal::<A, B>(
            (body_a, &a),
            (body_b, &b),
            placement,
            &relation,
            |smaller_curvature| {
                let definite = relation.along.max(-(R::splat(DEFINITE) * smaller_curvature));
                let limit = R::splat(TURN_LIMIT) * relation.across_sq.sqrt() - smaller_curvature;
                definite.max(limit) + caution
            },
        );
        let merged = match &step {
            Some(old) => Step::select(accept, &new_step, old),
            None => new_step,
        };
        let common = accept & relation.residual.lt(R::splat(COMMON_NORMAL));
        let stationary = common & new_step.gain.abs().lt(R::splat(0.1) * tolerance);
        // Where the depth exceeds the curvature radius, a common normal is a saddle or a maximum; where they are equal, as
        // on the axis of a round body, it is one of many minima.
        let saddle = common
            & new_step.smaller_curvature.lt(-(R::splat(CLEARLY) * relation.along))
            & wobbles.lt(R::splat(MOST_WOBBLES));
        done = done | (stationary & !saddle);
        step = Some(merged);
        // The last round looks at points; there is nobody left to look at further ones.
        if !(!done).any() || round + 1 == most {
            break;
        }
        t = R::select(accept, one, t * R::splat(0.35));
        refusals = R::select(accept, zero, refusals + one);
        caution = R::select(accept, caution * R::splat(0.1), caution);
        let (new_a, new_b) = merged.apply::<A, B>((body_a, &from_a), (body_b, &from_b), placement, t);
        a = A::select(done, &a, &new_a);
        b = B::select(done, &b, &new_b);
        best.evaluations = R::select(done, best.evaluations, best.evaluations + one);
        if saddle.any() {
            // Less far each time: where the surface is ridged, the minimum is close to the saddle.
            let push = R::splat(ASIDE[3]);
            let push = R::select(wobbles.lt(R::splat(2.5)), R::splat(ASIDE[2]), push);
            let push = R::select(wobbles.lt(R::splat(1.5)), R::splat(ASIDE[1]), push);
            let push = R::select(wobbles.lt(R::splat(0.5)), R::splat(ASIDE[0]), push);
            let aside = softest_turn((body_a, &from_a), (body_b, &from_b), placement, relation.mid);
            let (aside_a, aside_b) = at_normal(body_a, body_b, placement, unit(aside.mul_add(push, relation.mid)));
            a = A::select(saddle, &aside_a, &a);
            b = B::select(saddle, &aside_b, &b);
            least_residual = R::select(saddle, R::splat(f64::MAX), least_residual);
            wobbles = R::select(saddle, wobbles + one, wobbles);
        }
        let back = R::splat(2.5).lt(refusals) & !done;
        if back.any() {
            let (best_a, best_b) = at_normal(body_a, body_b, placement, best.normal);
            let relation = Relation::new::<A, B>(placement, &best_a, &best_b);
            let more = R::splat(4.0) * caution + R::splat(0.1);
            caution = R::select(back, more, caution);
            let gradient = relation.w - relation.mid * relation.along;
            let turned = unit(best.normal + gradient * (one / (more + relation.along.abs() + relation.w_sq.sqrt())));
            let (turned_a, turned_b) = at_normal(body_a, body_b, placement, turned);
            a = A::select(back, &turned_a, &a);
            b = B::select(back, &turned_b, &b);
            refusals = R::select(back, zero, refusals);
        }
    }
    // The last points taken belong to the last normal, not always to the best one.
    let relation = Relation::new::<A, B>(placement, &from_a, &from_b);
    let depth = match B::CURVED {
        true if (!from_exact).any() => -placement.gap_along(body_a, body_b, relation.mid),
        true => from_depth,
        false => -relation.along,
    };
    let last = depth.lt(best.depth + R::splat(SAME_DEPTH));
    best.settled = done & last;
    best.x_a = relation.x_a;
    best.x_b = relation.x_a + relation.w;
    best.residual = relation.residual;
    if (!last).any() {
        let (a, b) = at_normal(body_a, body_b, placement, best.normal);
        let there = Relation::new::<A, B>(placement, &a, &b);
        best.x_a = V3::select(last, best.x_a, there.x_a);
        best.x_b = V3::select(last, best.x_b, there.x_a + there.w);
        best.residual = R::select(last, best.residual, there.residual);
    }
    best.normal = V3::select(last, relation.mid, best.normal);
    best.depth = R::select(last, depth, best.depth);
    best
}

/// The unit direction across the normal in which both bodies together are curved most, so that a depth that exceeds the
/// curvature radius falls fastest: what is left of any other direction without its part along the flattest one.
#[inline(always)]
fn softest_turn<R: Real, A: Body<R>, B: Body<R>>(
    (body_a, a): (&A, &A::Point),
    (body_b, b): (&B, &B::Point),
    placement: &Placement<R>,
    normal: V3<R>,
) -> V3<R> {
    let (curve_a, local_b) = (body_a.curvature(a), body_b.curvature(b));
    let curve_b = Curvature { t: placement.b_to_a::<B>(local_b.t), b: placement.b_to_a::<B>(local_b.b), ..local_b };
    let h = Sym3::zero()
        .add_outer(curve_a.t, curve_a.alpha)
        .add_outer(curve_a.b, curve_a.beta)
        .add_outer(curve_b.t, curve_b.alpha)
        .add_outer(curve_b.b, curve_b.beta);
    let (trace, minors) = (h.trace(), h.minors());
    let larger = R::splat(0.5) * (trace + (trace * trace - R::splat(4.0) * minors).max(R::splat(0.0)).sqrt());
    // Two directions across the normal that do not depend on the surfaces: one of them has a part along the wanted one.
    let other = V3::new(R::splat(0.48), R::splat(0.6), R::splat(0.64));
    let u = unit(other - normal * other.dot(normal));
    let v = normal.cross(u);
    let left = |direction: V3<R>| curve_a.apply(direction) + curve_b.apply(direction) - direction * larger;
    let (from_u, from_v) = (left(u), left(v));
    let softest = V3::select(from_u.length_sq().lt(from_v.length_sq()), from_v, from_u);
    // Equally curved in all directions: any will do.
    let round = softest.length_sq().lt(R::splat(1e-24) * larger * larger);
    unit(V3::select(round, u, softest))
}

/// A number that sorts starts by their scores: the bits of the score in ascending order, the last ones replaced by the
/// start's index. Sorting whole numbers takes half the time of sorting indices by what they stand for.
fn ascending_key(score: f64, start: usize) -> u64 {
    let bits = score.to_bits();
    let ascending = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
    ascending & !START_BITS | start as u64
}

/// The start that a key belongs to.
fn start_of(key: u64) -> usize {
    (key & START_BITS) as usize
}

/// Bits of a key that hold a start's index.
const START_BITS: u64 = (MOST_STARTS.next_power_of_two() - 1) as u64;

/// The least translation among the local minima near the best starts.
pub(crate) fn deepest(search: &impl Search, starts: &Starts) -> Candidate {
    let mut scores = [f64::INFINITY; MOST_STARTS];
    let mut evaluations = 0.0;
    let mut first = 0;
    while first < starts.count {
        let known = starts.known[first];
        let same = (first..starts.count).take(GROUP).take_while(|&i| starts.known[i] == known).count();
        let normals: [_; GROUP] = std::array::from_fn(|i| starts.normals[first + i.min(same - 1)]);
        let partial = search.score(&normals, known);
        for (offset, score) in partial.into_iter().take(same).enumerate() {
            scores[first + offset] = score + starts.supports[first + offset];
        }
        evaluations += GROUP as f64;
        first += same;
    }
    let mut keys: [u64; MOST_STARTS] = std::array::from_fn(|i| ascending_key(scores[i], i));
    let order = &mut keys[..starts.count];
    order.sort_unstable();
    let normals_of = |keys: &[u64]| -> [V3<f64>; GROUP] {
        std::array::from_fn(|i| starts.normals[start_of(keys[i.min(keys.len() - 1)])])
    };
    let mut groups = order.chunks(GROUP);
    let mut best = Candidate {
        normal: starts.normals[start_of(order[0])],
        depth: f64::MAX,
        x_a: V3::splat(0.0),
        x_b: V3::splat(0.0),
        residual: f64::MAX,
        settled: false,
        evaluations: 0.0,
    };
    let mut offer = |best: &mut Candidate, found: Candidate| {
        evaluations += found.evaluations;
        // Depths that differ by less than rounding are equal; then the better common normal wins.
        let lead = best.depth - found.depth;
        if lead > SAME_DEPTH || (lead > -SAME_DEPTH && found.residual < best.residual) {
            *best = found;
        }
    };
    if let Some(group) = groups.next() {
        for found in search.refine(&normals_of(group), ROUGH) {
            offer(&mut best, found);
        }
    }
    let mut promising = [best; GROUP];
    let mut count = 0;
    for group in groups.take(MOST_GROUPS - 1) {
        if scores[start_of(group[0])] > WORTHWHILE_SCORE * best.depth {
            break;
        }
        for found in search.refine(&normals_of(group), GLANCE) {
            let same = promising[..count].iter().any(|other| other.normal.dot(found.normal) > 0.9999);
            if same || found.depth > PROMISING * best.depth {
                continue;
            }
            if count < GROUP {
                promising[count] = found;
                count += 1;
            } else if let Some(worst) = promising.iter_mut().max_by(|a, b| a.depth.total_cmp(&b.depth))
                && found.depth < worst.depth
            {
                *worst = found;
            }
        }
    }
    if count > 0 {
        let normals = std::array::from_fn(|i| promising[i.min(count - 1)].normal);
        for found in search.refine(&normals, ROUGH) {
            offer(&mut best, found);
        }
    }
    if !best.settled {
        let [polished, ..] = search.refine(&[best.normal; GROUP], FINE);
        offer(&mut best, polished);
    }
    Candidate { evaluations, ..best }
}
