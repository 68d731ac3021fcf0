//! Penetration depth: the shortest translation that separates two overlapping convex bodies.
//!
//! The depth is the least `σ(n) = h_a(n) + h_b(-n) - n·c` over unit normals, a problem with several local minima. Many
//! directions are scored by `σ` itself; the best are refined by the Newton step of [`super::separate`] with a negative
//! separation, four at a time where the CPU has vector lanes. Any direction gives an upper bound of the depth, so the
//! answer is never too small a translation; that it is the least one rests on the starts and is tested by sampling.

use super::body::{Body, Hull};
use super::graph::Egg;
use super::separate::{Placement, Relation, Step, ellipsoid_normal, unit};
use crate::lanes::{Mask, Real, V3};

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
    /// Surface evaluations spent.
    pub evaluations: f64,
}

/// Directions scored, at most.
const MOST_STARTS: usize = 40;
/// Directions refined together.
const GROUP: usize = 4;
/// Groups refined at most, and the score (as a multiple of the best depth so far) up to which a group is worth it.
const MOST_GROUPS: usize = 3;
const WORTHWHILE_SCORE: f64 = 1.7;
/// Evaluations a refinement may spend.
const MOST_EVALUATIONS: u32 = 24;
/// Part of the smaller curvature that the negative separation may use up, so that the system stays definite.
const DEFINITE: f64 = 0.98;

/// Residual below which two normals count as common.
const COMMON_NORMAL: f64 = 1e-13;

/// Scores and refines directions in groups.
pub(crate) trait Search {
    /// `σ` for each normal.
    fn score(&self, normals: &[V3<f64>; GROUP]) -> [f64; GROUP];
    /// The local minimum of `σ` near each normal.
    fn refine(&self, normals: &[V3<f64>; GROUP]) -> [Candidate; GROUP];
}

/// One direction after the other: for bodies without a vector form and CPUs without vector lanes.
pub(crate) struct OneByOne<'a, A, B> {
    pub body_a: &'a A,
    pub body_b: &'a B,
    pub placement: &'a Placement<f64>,
    pub tolerance: f64,
}

impl<A: Body<f64>, B: Body<f64>> Search for OneByOne<'_, A, B> {
    fn score(&self, normals: &[V3<f64>; GROUP]) -> [f64; GROUP] {
        normals.map(|n| -self.placement.gap_along(self.body_a, self.body_b, n))
    }

    fn refine(&self, normals: &[V3<f64>; GROUP]) -> [Candidate; GROUP] {
        normals.map(|n| {
            let found = refine(self.body_a, self.body_b, self.placement, n, self.tolerance);
            Candidate {
                normal: found.normal,
                depth: found.depth,
                x_a: found.x_a,
                x_b: found.x_b,
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

    fn scatter(v: V3<F64x4>) -> [V3<f64>; LANES] {
        let (x, y, z) = (v.x.to_array(), v.y.to_array(), v.z.to_array());
        std::array::from_fn(|i| V3::new(x[i], y[i], z[i]))
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
        fn score_lanes(&self, normals: &[V3<f64>; LANES]) -> [f64; LANES] {
            (-self.placement.gap_along(&self.body_a, &self.body_b, gather(normals))).to_array()
        }

        #[target_feature(enable = "avx2,fma")]
        fn refine_lanes(&self, normals: &[V3<f64>; LANES]) -> [Candidate; LANES] {
            let found = refine(&self.body_a, &self.body_b, &self.placement, gather(normals), self.tolerance);
            let (normal, x_a, x_b) = (scatter(found.normal), scatter(found.x_a), scatter(found.x_b));
            let (depth, evaluations) = (found.depth.to_array(), found.evaluations.to_array());
            std::array::from_fn(|i| Candidate {
                normal: normal[i],
                depth: depth[i],
                x_a: x_a[i],
                x_b: x_b[i],
                evaluations: evaluations[i],
            })
        }
    }

    impl<const TAPERED: bool> Search for FourLanes<TAPERED> {
        fn score(&self, normals: &[V3<f64>; GROUP]) -> [f64; GROUP] {
            // SAFETY: whoever called `new` vouched for AVX2 and FMA.
            unsafe { self.score_lanes(normals) }
        }

        fn refine(&self, normals: &[V3<f64>; GROUP]) -> [Candidate; GROUP] {
            // SAFETY: whoever called `new` vouched for AVX2 and FMA.
            unsafe { self.refine_lanes(normals) }
        }
    }
}

/// A local minimum of `σ`, lane by lane.
struct Refined<R> {
    normal: V3<R>,
    depth: R,
    x_a: V3<R>,
    x_b: V3<R>,
    evaluations: R,
}

/// Newton's method on the common-normal condition from a given normal.
#[inline(always)]
fn refine<R: Real, A: Body<R>, B: Body<R>>(
    body_a: &A,
    body_b: &B,
    placement: &Placement<R>,
    normal: V3<R>,
    tolerance: R,
) -> Refined<R> {
    let zero = R::splat(0.0);
    let one = R::splat(1.0);
    let none = one.lt(zero);
    let mut a = body_a.with_normal(normal);
    let mut b = body_b.with_normal(-placement.into_b(normal));
    let (mut from_a, mut from_b) = (a, b);
    let mut step: Option<Step<R>> = None;
    let mut least_residual = R::splat(f64::MAX);
    let mut t = one;
    let mut refusals = zero;
    let mut done = none;
    let mut evaluations = one;
    for _ in 0..MOST_EVALUATIONS {
        let relation = Relation::new::<A, B>(placement, &a, &b);
        let due = R::splat(0.01) * t;
        let accept = (relation.residual.lt(least_residual * (one - due)) | R::splat(2.5).lt(refusals)) & !done;
        least_residual = R::select(accept, relation.residual, least_residual);
        from_a = A::select(accept, &a, &from_a);
        from_b = B::select(accept, &b, &from_b);
        let new_step =
            Step::towards_common_normal::<A, B>((body_a, &a), (body_b, &b), placement, &relation, |trace, minors| {
                let root = (trace * trace - R::splat(4.0) * minors).max(zero).sqrt();
                let smaller_curvature = (minors + minors) / (trace + root).max(R::splat(1e-300));
                relation.along.max(-(R::splat(DEFINITE) * smaller_curvature))
            });
        let merged = match &step {
            Some(old) => Step::select(accept, &new_step, old),
            None => new_step,
        };
        // The depth is stationary, so its error is the square of the residual's.
        done = done | (accept & new_step.predicted.abs().lt(tolerance) & relation.residual.lt(R::splat(COMMON_NORMAL)));
        if !(!done).any() {
            step = Some(merged);
            break;
        }
        t = R::select(accept, one, t * R::splat(0.35));
        refusals = R::select(accept, zero, refusals + one);
        let (new_a, new_b) = merged.apply::<A, B>((body_a, &from_a), (body_b, &from_b), placement, t);
        a = A::select(done, &a, &new_a);
        b = B::select(done, &b, &new_b);
        evaluations = R::select(done, evaluations, evaluations + one);
        step = Some(merged);
    }
    let relation = Relation::new::<A, B>(placement, &from_a, &from_b);
    let aimed = step.map_or(relation.mid, |step| unit(step.normal));
    let at_aim = -placement.gap_along(body_a, body_b, aimed);
    let at_mid = -placement.gap_along(body_a, body_b, relation.mid);
    let better = at_aim.lt(at_mid);
    Refined {
        normal: V3::select(better, aimed, relation.mid),
        depth: R::select(better, at_aim, at_mid),
        x_a: relation.x_a,
        x_b: relation.x_a + relation.w,
        evaluations,
    }
}

/// Directions to start from.
pub(crate) struct Starts {
    normals: [V3<f64>; MOST_STARTS],
    count: usize,
}

impl Starts {
    /// The centre line and the common normal of the ellipsoids with the same radii.
    pub fn new<A: Body<f64>, B: Body<f64>>(body_a: &A, body_b: &B, placement: &Placement<f64>) -> Starts {
        let ellipsoid = ellipsoid_normal(body_a.radii_sq(), body_b.radii_sq(), placement);
        let mut starts = Starts { normals: [ellipsoid; MOST_STARTS], count: 1 };
        starts.push(placement.centre);
        starts
    }

    fn push(&mut self, normal: V3<f64>) {
        if self.count < MOST_STARTS && normal.length_sq() > 1e-60 {
            self.normals[self.count] = unit(normal);
            self.count += 1;
        }
    }

    /// Both senses where the body tells them apart, else the one towards b.
    fn push_facing(&mut self, normal: V3<f64>, centre: V3<f64>, both: bool) {
        let sign = if normal.dot(centre) < 0.0 { -1.0 } else { 1.0 };
        self.push(normal * sign);
        if both {
            self.push(normal * -sign);
        }
    }

    /// Axes, facet and edge diagonals of an egg, whose columns of axes are given in a's frame.
    pub fn add_egg<const TAPERED: bool>(&mut self, egg: &Egg<f64, TAPERED>, axes: [V3<f64>; 3], centre: V3<f64>) {
        let [x, y, z] = axes;
        let (u, v, w) = (x * (1.0 / egg.radii.x), y * (1.0 / egg.radii.y), z * (1.0 / egg.radii.z));
        self.push_facing(x, centre, false);
        self.push_facing(y, centre, false);
        self.push_facing(z, centre, TAPERED);
        for normal in [u + v + w, u + v - w, u - v + w, u - v - w] {
            self.push_facing(normal, centre, false);
        }
        for normal in [u + v, u - v, u + w, u - w, v + w, v - w] {
            self.push_facing(normal, centre, false);
        }
    }

    /// Normals of a triangle and directions along edges, in a's frame.
    pub fn add_hull(&mut self, hull: &Hull, placement: &Placement<f64>) {
        for normal in hull.feature_normals() {
            let normal = placement.from_b(normal);
            self.push(normal);
            self.push(-normal);
        }
    }
}

/// The least translation among the local minima near the best starts.
pub(crate) fn deepest(search: &impl Search, starts: &Starts) -> Candidate {
    let mut scores = [f64::INFINITY; MOST_STARTS];
    let mut evaluations = 0.0;
    for first in (0..starts.count).step_by(GROUP) {
        let normals: [_; GROUP] = std::array::from_fn(|i| starts.normals[(first + i).min(starts.count - 1)]);
        for (offset, score) in search.score(&normals).into_iter().enumerate() {
            if first + offset < starts.count {
                scores[first + offset] = score;
            }
        }
        evaluations += GROUP as f64;
    }
    let mut order: [usize; MOST_STARTS] = std::array::from_fn(|i| i);
    order.sort_unstable_by(|&i, &j| scores[i].total_cmp(&scores[j]).then(i.cmp(&j)));
    let mut best: Option<Candidate> = None;
    for group in order[..starts.count].chunks(GROUP).take(MOST_GROUPS) {
        if best.is_some_and(|best| scores[group[0]] > WORTHWHILE_SCORE * best.depth) {
            break;
        }
        let normals: [_; GROUP] = std::array::from_fn(|i| starts.normals[group[i.min(group.len() - 1)]]);
        for found in search.refine(&normals) {
            evaluations += found.evaluations;
            if best.is_none_or(|best| found.depth < best.depth) {
                best = Some(found);
            }
        }
    }
    let fallback = || Candidate {
        normal: starts.normals[order[0]],
        depth: scores[order[0]],
        x_a: V3::splat(0.0),
        x_b: V3::splat(0.0),
        evaluations,
    };
    best.map_or_else(fallback, |best| Candidate { evaluations, ..best })
}
