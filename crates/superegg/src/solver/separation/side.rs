//! Whether two bodies are apart or overlap, as far as that is proved.

use crate::solver::simd::{Mask, Plain, Real, V3};

/// What is proved, lane by lane.
#[derive(Clone, Copy)]
pub(crate) struct Side<R: Real> {
    pub apart: R::Mask,
    pub overlapping: R::Mask,
    /// Where `apart`: the normal of a plane between them, from a to b, of any length.
    pub axis: V3<R>,
}

impl<R: Real> Side<R> {
    #[inline(always)]
    pub fn unknown() -> Side<R> {
        let zero = R::splat(0.0);
        let never = zero.lt(zero);
        Side { apart: never, overlapping: never, axis: V3::splat(zero) }
    }

    /// Whether all lanes are decided.
    #[inline(always)]
    pub fn is_known(&self) -> bool {
        !(!(self.apart | self.overlapping)).any()
    }

    /// A plane across a normal of any length, with the upper bounds of both bodies' support values along it.
    #[inline(always)]
    pub fn notice_gap(&mut self, centre: V3<R>, normal: V3<R>, support: [R; 2], rounding: R) {
        let gap = normal.dot(centre) - support[0] - support[1];
        let apart = (normal.length_sq().sqrt() * rounding).lt(gap) & !(self.apart | self.overlapping);
        self.axis = V3::select(apart, normal, self.axis);
        self.apart = self.apart | apart;
    }

    /// Lanes in which a point inside both bodies was seen.
    #[inline(always)]
    pub fn notice_common(&mut self, common: R::Mask) {
        self.overlapping = self.overlapping | (common & !self.apart);
    }
}

impl<R: Plain> Side<R> {
    /// The same in plain numbers.
    #[inline(always)]
    pub fn plain(&self) -> Side<f64> {
        Side { apart: self.apart, overlapping: self.overlapping, axis: self.axis.spread() }
    }
}
