//! Where body b lies as seen from body a.

use crate::solver::simd::{M3, Real, Sym3, V3};

/// A body whose frame may be turned against that of body a.
pub(crate) trait Oriented {
    /// Whether it may be; else both frames have the same axes.
    const TURNED: bool;
}

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
    pub fn a_to_b<B: Oriented>(&self, v: V3<R>) -> V3<R> {
        if B::TURNED { self.rotation.apply_transposed(v) } else { v }
    }

    /// A direction of b's frame in a's frame.
    #[inline(always)]
    pub fn b_to_a<B: Oriented>(&self, v: V3<R>) -> V3<R> {
        if B::TURNED { self.rotation.apply(v) } else { v }
    }
}

impl Placement<f64> {
    /// The same placement in every lane.
    #[inline(always)]
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
