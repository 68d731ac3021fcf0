//! Directions scored and refined in groups of four: in the lanes of a vector register, or one after the other.

use super::body::Body;
use super::candidate::Candidate;
use super::descent::{at_normal, refine};
use super::graph::Egg;
use super::placement::Placement;
use super::starts::Known;
use crate::lanes::{Real, V3};

/// Directions refined together.
pub(super) const GROUP: usize = 4;

/// Scores and refines directions in groups.
pub(crate) trait Search {
    /// About `σ` for each normal, without the support value that is known.
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

/// About `σ`, without the support value that is known.
#[inline(always)]
fn partial_score<R: Real, A: Body<R>, B: Body<R>>(
    body_a: &A,
    body_b: &B,
    placement: &Placement<R>,
    normal: V3<R>,
    known: Known,
) -> R {
    let mut score = -normal.dot(placement.centre);
    if known != Known::OfA {
        score = score + body_a.support_estimate(normal);
    }
    if known != Known::OfB {
        score = score + body_b.support_estimate(-placement.a_to_b::<B>(normal));
    }
    score
}
