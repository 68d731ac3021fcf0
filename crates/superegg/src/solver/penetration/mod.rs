//! Penetration depth: the shortest translation that separates two overlapping convex bodies, with a proof.
//!
//! The depth is the least `σ(n) = h_a(n) + h_b(-n) - n·c` over unit normals, a problem with several local minima. It is the
//! distance of the origin from the surface of the [`difference`] body; an expanding [`polytope`] of its support points
//! bounds it from below while [`expansion`] looks for the least `σ`, until both meet. [`polish`] gives normal and points
//! the digits that the depth does not need.
//!
//! [`descent`] finds a local minimum only; it serves where that is the question: points just inside a surface, in lanes,
//! and bodies so close to touching that the methods for bodies apart do not end.

pub(crate) mod candidate;
mod cap;
pub(crate) mod descent;
pub(crate) mod difference;
pub(crate) mod expansion;
pub(crate) mod memory;
mod octahedron;
pub(crate) mod polish;
pub(crate) mod polytope;

use crate::solver::body::Body;
use crate::solver::body::any::AnyBody;
use crate::solver::body::called::Called;
use crate::solver::body::simplex::Simplex;
use crate::solver::body::superquadric::Superquadric;
use crate::solver::pair::placement::Placement;
use crate::solver::penetration::difference::{Difference, OneByOne, UNKNOWN};
use crate::solver::penetration::expansion::expand;
use crate::solver::penetration::memory::Memory;
use crate::solver::penetration::polish::Bodies;
use crate::solver::simd::{Real, V3};

/// Depths within this part of the size are taken for equal.
pub(crate) const SAME_DEPTH: f64 = 1e-12;

/// A depth between two bounds, in units of the pair's size and a's frame.
#[derive(Clone, Copy)]
pub(crate) struct Penetration {
    /// `σ` along the witness normal: the depth is at most this.
    pub depth: f64,
    pub witness: V3<f64>,
    /// The depth is at least this, up to rounding; negative where no overlap was proved.
    pub proved: f64,
    /// Unit normal from a to b: b has to move this way.
    pub normal: V3<f64>,
    /// Deepest point of a in b.
    pub x_a: V3<f64>,
    /// Deepest point of b in a.
    pub x_b: V3<f64>,
    pub unique_points: bool,
    pub unique_normal: bool,
    /// Normal and points are those of a common normal; else those that the polytope happens to have.
    pub settled: bool,
    pub evaluations: u32,
}

/// What to look for: the width of the bounds that is asked for, the evaluations it may take, and a normal to begin with and points of both
/// bodies about there, in a's frame; or point and normal of a and of b from an earlier query, each in its body's own frame.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    pub tolerance: f64,
    pub most: u32,
    pub near: V3<f64>,
    pub points: (V3<f64>, V3<f64>),
    pub earlier: Option<[V3<f64>; 4]>,
}

/// The depth of two convex superquadrics.
pub(crate) fn of_superquadrics<const TAPERED: bool>(
    a: &Superquadric<f64, TAPERED>,
    b: &Superquadric<f64, TAPERED>,
    placement: &Placement<f64>,
    wanted: &Wanted,
    memory: Option<&mut Memory>,
) -> Penetration
where
    AnyBody<'static>: From<Superquadric<f64, TAPERED>>,
{
    #[cfg(target_arch = "x86_64")]
    if crate::solver::simd::avx2::available() {
        // SAFETY: the CPU was just asked for AVX2 and FMA.
        return unsafe { vectorised::of_superquadrics(a, b, placement, wanted, memory) };
    }
    let round_part = a.round_part() + b.round_part();
    if TAPERED {
        let (body_a, body_b) = (&AnyBody::from(*a), &AnyBody::from(*b));
        let difference = OneByOne { body_a, body_b, placement, symmetric: false, round_part };
        complete(body_a, body_b, placement, &difference, wanted, memory)
    } else {
        let (body_a, body_b) = (&Called(*a), &Called(*b));
        let difference = OneByOne { body_a, body_b, placement, symmetric: true, round_part };
        complete(body_a, body_b, placement, &difference, wanted, memory)
    }
}

/// The depth of a point, segment or triangle in a convex superquadric.
pub(crate) fn of_superquadric_and_simplex<const TAPERED: bool>(
    a: &Superquadric<f64, TAPERED>,
    b: &Simplex,
    placement: &Placement<f64>,
    wanted: &Wanted,
) -> Penetration
where
    AnyBody<'static>: From<Superquadric<f64, TAPERED>>,
{
    #[cfg(target_arch = "x86_64")]
    if crate::solver::simd::avx2::available() {
        // SAFETY: the CPU was just asked for AVX2 and FMA.
        return unsafe { vectorised::of_superquadric_and_simplex(a, b, placement, wanted) };
    }
    let (symmetric, round_part) = (!TAPERED && b.is_symmetric(), a.round_part());
    of_bodies(&OneByOne { body_a: &AnyBody::from(*a), body_b: b, placement, symmetric, round_part }, wanted)
}

/// The depth of two bodies, one support point after the other.
pub(crate) fn of_bodies<A: Body<f64>, B: Body<f64>>(difference: &OneByOne<A, B>, wanted: &Wanted) -> Penetration {
    complete(difference.body_a, difference.body_b, difference.placement, difference, wanted, None)
}

/// Search and polish. Without closures around evaluations: they would not be compiled for the CPU's vector lanes.
#[inline(always)]
fn complete<R: Real<Mask = bool> + Into<f64>, A: Body<R>, B: Body<R>>(
    body_a: &A,
    body_b: &B,
    placement: &Placement<R>,
    difference: &impl Difference,
    wanted: &Wanted,
    memory: Option<&mut Memory>,
) -> Penetration {
    let bodies = Bodies { body_a, body_b, placement };
    let found = expand(difference, &bodies, wanted, memory);
    let tolerance = wanted.tolerance;
    let mut evaluations = found.evaluations;
    let mut common = found.common_normal.filter(|common| common.is_deep(found.depth, tolerance));
    let left = wanted.most.saturating_sub(evaluations);
    if common.is_none() && left > 0 {
        let (other, spent) = bodies.common_normal(found.normal, found.points, None, left);
        common = other.map(|(common, _)| common).filter(|common| common.is_deep(found.depth, tolerance));
        evaluations += spent;
    }
    let mut answer = Penetration {
        depth: found.depth,
        witness: found.normal,
        proved: found.proved,
        normal: found.normal,
        x_a: found.points.0,
        x_b: found.points.1,
        unique_points: common.is_some_and(|common| common.has_unique_points(tolerance)),
        unique_normal: found.unique_normal,
        settled: false,
        evaluations,
    };
    let exact = A::MEETS_NORMAL && B::MEETS_NORMAL;
    if let Some(common) = common {
        let depth = if exact && common.normal == found.normal {
            found.depth
        } else if exact {
            common.normal.dot(difference.support_along(common.normal, UNKNOWN).p)
        } else {
            bodies.sigma(common.normal)
        };
        // On a flat face a normal that is off by little may be off by much in depth: then the polytope's is the better one.
        if depth <= found.depth + 0.1 * tolerance {
            (answer.depth, answer.witness, answer.normal) = (depth, common.normal, common.normal);
            (answer.x_a, answer.x_b, answer.settled) = (common.x_a, common.x_b, true);
            return answer;
        }
    }
    if !exact {
        // What the polytope took for the support value is that of a point whose normal is only close.
        answer.depth = bodies.sigma(found.normal).max(found.depth);
    }
    answer
}

/// The same with fused multiply-add, superquadrics in the lanes of a vector register.
#[cfg(target_arch = "x86_64")]
mod vectorised {
    use super::*;
    use crate::solver::penetration::difference::WithSimplex;
    use crate::solver::penetration::difference::four_lanes::FourLanes;
    use crate::solver::simd::fused::Fused;

    /// # Safety
    /// The CPU must have AVX2 and FMA.
    #[target_feature(enable = "avx2,fma")]
    pub(crate) unsafe fn of_superquadrics<const TAPERED: bool>(
        a: &Superquadric<f64, TAPERED>,
        b: &Superquadric<f64, TAPERED>,
        placement: &Placement<f64>,
        wanted: &Wanted,
        memory: Option<&mut Memory>,
    ) -> Penetration {
        let difference = FourLanes::new(a, b, placement);
        complete(&a.spread::<Fused>(), &b.spread::<Fused>(), &placement.spread(), &difference, wanted, memory)
    }

    /// # Safety
    /// The CPU must have AVX2 and FMA.
    #[target_feature(enable = "avx2,fma")]
    pub(crate) unsafe fn of_superquadric_and_simplex<const TAPERED: bool>(
        a: &Superquadric<f64, TAPERED>,
        b: &Simplex,
        placement: &Placement<f64>,
        wanted: &Wanted,
    ) -> Penetration {
        let difference = WithSimplex { body: a.spread::<Fused>(), simplex: b, placement };
        complete(a, b, placement, &difference, wanted, None)
    }
}
