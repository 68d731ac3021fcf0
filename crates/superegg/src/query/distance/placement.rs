//! Where body b lies as seen from body a, and the dual bounds of the distance along a normal.

use super::body::Body;
use super::step::Relation;
use crate::lanes::{M3, Mask, Real, Sym3, V3};

/// Body b as seen from body a.
#[derive(Clone, Copy)]
pub(crate) struct Placement<R> {
    /// Columns: b's axes in a's frame.
    pub rotation: M3<R>,
    /// b's origin in a's frame.
    pub centre: V3<R>,
}

impl<R: Real> Placement<R> {
    /// A direction of a's frame in b's frame.
    #[inline(always)]
    pub fn a_to_b<B: Body<R>>(&self, v: V3<R>) -> V3<R> {
        if B::TURNED { self.rotation.apply_transposed(v) } else { v }
    }

    /// A direction of b's frame in a's frame.
    #[inline(always)]
    pub fn b_to_a<B: Body<R>>(&self, v: V3<R>) -> V3<R> {
        if B::TURNED { self.rotation.apply(v) } else { v }
    }

    /// The dual bound: both bodies are at least this far apart along the unit normal.
    #[inline(always)]
    pub fn gap_along<A: Body<R>, B: Body<R>>(&self, body_a: &A, body_b: &B, normal: V3<R>) -> R {
        let (a, b) = (body_a.with_normal(normal), body_b.with_normal(-self.a_to_b::<B>(normal)));
        self.gap_near((body_a, &a), (body_b, &b), normal, R::splat(0.0))
    }

    /// The dual bound by way of points whose normals are close to the given one, at most twice the `slack` too small.
    #[inline(always)]
    pub fn gap_near<A: Body<R>, B: Body<R>>(
        &self,
        (body_a, a): (&A, &A::Point),
        (body_b, b): (&B, &B::Point),
        normal: V3<R>,
        slack: R,
    ) -> R {
        let in_b = -self.a_to_b::<B>(normal);
        normal.dot(self.centre) - body_a.support_value(a, normal, slack) - body_b.support_value(b, in_b, slack)
    }

    /// The dual bound along the present normal of a where `by_a`, else of b, for lanes `among`: that body's own point is
    /// its support point (as an egg's is), so that only the other body is evaluated.
    #[inline(always)]
    pub fn gap_at_own_normal<A: Body<R>, B: Body<R>>(
        &self,
        (body_a, a): (&A, &A::Point),
        (body_b, b): (&B, &B::Point),
        relation: &Relation<R>,
        by_a: R::Mask,
        among: R::Mask,
        slack: R,
    ) -> (V3<R>, R) {
        let normal = V3::select(by_a, relation.n_a, -relation.n_b);
        let in_b = -self.a_to_b::<B>(normal);
        let mut h_a = A::position(a).dot(normal);
        let mut h_b = B::position(b).dot(in_b);
        if (among & !by_a).any() {
            h_a = R::select(by_a, h_a, body_a.support_value(a, normal, slack));
        }
        if (among & by_a).any() {
            h_b = R::select(by_a, body_b.support_value(b, in_b, slack), h_b);
        }
        (normal, normal.dot(self.centre) - h_a - h_b)
    }

    /// A lower bound of the distance from two points alone, without another surface evaluation: the dual bound along a
    /// unit normal close to theirs, widened by how far theirs are off.
    #[inline(always)]
    pub fn gap_bound<A: Body<R>, B: Body<R>>(
        &self,
        (body_a, a): (&A, &A::Point),
        (body_b, b): (&B, &B::Point),
        normal: V3<R>,
    ) -> R {
        normal.dot(self.centre) - body_a.support_bound(a, normal) - body_b.support_bound(b, -self.a_to_b::<B>(normal))
    }
}

impl Placement<f64> {
    /// The same placement in every lane.
    #[inline(always)]
    #[cfg(target_arch = "x86_64")]
    pub fn spread<S: Real>(&self) -> Placement<S> {
        let M3 { x, y, z } = self.rotation;
        Placement { rotation: M3 { x: x.spread(), y: y.spread(), z: z.spread() }, centre: self.centre.spread() }
    }
}

#[inline(always)]
pub(crate) fn unit<R: Real>(v: V3<R>) -> V3<R> {
    v * (R::splat(1.0) / v.length_sq().max(R::splat(1e-300)).sqrt())
}

/// Direction of the common normal of two ellipsoids with the bodies' radii: two fixed-point steps from the centre line.
#[inline(always)]
pub(crate) fn ellipsoid_normal<R: Real>(a_sq: V3<R>, b_sq: V3<R>, placement: &Placement<R>) -> V3<R> {
    let m = &placement.rotation;
    let zero = R::splat(0.0);
    let concentric = placement.centre.length_sq().lt(R::splat(1e-60));
    let c = V3::select(concentric, V3::new(R::splat(1.0), zero, zero), placement.centre);
    let mut n = c;
    for _ in 0..2 {
        let n_b = m.apply_transposed(n);
        let h_a = a_sq.times(n).dot(n).sqrt();
        let h_b = b_sq.times(n_b).dot(n_b).sqrt();
        let per_length = R::splat(1.0) / n.length_sq().sqrt();
        let gap = ((c.dot(n) - h_a - h_b) * per_length).max(R::splat(1e-2) * (h_a + h_b) * per_length);
        let (k_a, k_b) = (R::splat(1.0) / (h_a * per_length), R::splat(1.0) / (h_b * per_length));
        let system = Sym3::diagonal(a_sq * k_a)
            .add_diagonal(gap)
            .add_outer(m.x, b_sq.x * k_b)
            .add_outer(m.y, b_sq.y * k_b)
            .add_outer(m.z, b_sq.z * k_b);
        n = system.solve(c);
    }
    unit(n)
}
