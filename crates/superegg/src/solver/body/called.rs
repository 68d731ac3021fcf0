//! A body whose methods are called, where they would be inlined otherwise.
//!
//! For the methods that few pairs come to, which would only make the program larger: powers and their logarithms are written out dozens of
//! times in each. [`AnyBody`](crate::solver::body::any::AnyBody) is this for all kinds at once; two superellipsoids have a copy of their
//! own, in which opposite normals certify a distance.

use crate::solver::body::Body;
use crate::solver::body::superquadric::Curvature;
use crate::solver::pair::placement::Oriented;
use crate::solver::simd::{Real, Sym3, V3};

/// The body itself, behind calls. Its answers are the same bits.
#[derive(Clone, Copy)]
pub(crate) struct Called<B>(pub B);

impl<B: Oriented> Oriented for Called<B> {
    const TURNED: bool = B::TURNED;
}

impl<R: Real, B: Body<R>> Body<R> for Called<B> {
    const SOLID: bool = B::SOLID;
    const CURVED: bool = B::CURVED;
    const MEETS_NORMAL: bool = B::MEETS_NORMAL;
    const INSCRIBES: bool = B::INSCRIBES;
    type Point = B::Point;

    #[inline(never)]
    fn start(&self, normal: V3<R>) -> B::Point {
        self.0.start(normal)
    }

    #[inline(never)]
    fn with_normal(&self, normal: V3<R>) -> B::Point {
        self.0.with_normal(normal)
    }

    #[inline(never)]
    fn choose(
        &self,
        from: &B::Point,
        position: V3<R>,
        normal: V3<R>,
        leads: [R::Mask; 2],
        leads_by_far: [R::Mask; 2],
    ) -> [R::Mask; 2] {
        self.0.choose(from, position, normal, leads, leads_by_far)
    }

    #[inline(never)]
    fn place(&self, position: V3<R>, normal: V3<R>) -> B::Point {
        self.0.place(position, normal)
    }

    #[inline(never)]
    fn follow(&self, by_position: [R::Mask; 2], position: V3<R>, normal: V3<R>) -> B::Point {
        self.0.follow(by_position, position, normal)
    }

    #[inline(never)]
    fn curvature(&self, at: &B::Point) -> Curvature<R> {
        self.0.curvature(at)
    }

    #[inline(always)]
    fn position(at: &B::Point) -> V3<R> {
        B::position(at)
    }

    #[inline(always)]
    fn normal(at: &B::Point) -> V3<R> {
        B::normal(at)
    }

    #[inline(always)]
    fn select(mask: R::Mask, yes: &B::Point, no: &B::Point) -> B::Point {
        B::select(mask, yes, no)
    }

    #[inline(always)]
    fn radii_sq(&self) -> V3<R> {
        self.0.radii_sq()
    }

    #[inline(never)]
    fn support_value(&self, near: &B::Point, normal: V3<R>, slack: R) -> R {
        self.0.support_value(near, normal, slack)
    }

    #[inline(never)]
    fn support_bound(&self, near: &B::Point, normal: V3<R>) -> R {
        self.0.support_bound(near, normal)
    }

    #[inline(always)]
    fn reach(&self) -> R {
        self.0.reach()
    }

    #[inline(always)]
    fn within(&self, point: V3<R>) -> V3<R> {
        self.0.within(point)
    }

    #[inline(never)]
    fn contains(&self, point: V3<R>) -> R::Mask {
        self.0.contains(point)
    }

    #[inline(always)]
    fn is_faceted(&self) -> bool {
        self.0.is_faceted()
    }

    #[inline(always)]
    fn is_polytope(&self) -> bool {
        self.0.is_polytope()
    }

    #[inline(never)]
    fn level_edges(&self, normal: V3<R>, slope: R) -> [V3<R>; 2] {
        self.0.level_edges(normal, slope)
    }

    #[inline(never)]
    fn inscribed<S: Real>(&self, at: &B::Point, reach: S) -> Sym3<S>
    where
        R: Into<f64>,
    {
        self.0.inscribed(at, reach)
    }
}
