//! What the solver needs to know of a body; superellipsoids and superovoids, which move along their position–normal graph,
//! and single points in lanes. [`hull_body`](crate::solver::body::simplex) has the rest.

pub(crate) mod any;
pub(crate) mod called;
mod inscribed;
pub(crate) mod plane_norm;
pub(crate) mod simplex;
pub(crate) mod solid;
pub(crate) mod superquadric;
pub(crate) mod supported;

use crate::solver::body::superquadric::{Curvature, Superquadric, SurfacePoint};
use crate::solver::pair::placement::{Oriented, Placement, ellipsoid_normal};
use crate::solver::simd::{Mask, Real, Sym3, V3};

/// A convex body in its own frame.
pub(crate) trait Body<R: Real>: Copy + Oriented {
    /// Whether the body has an inside.
    const SOLID: bool;
    /// Whether its support function has any curvature.
    const CURVED: bool;
    /// Whether [`Body::follow`] by the normal alone ends at just that normal.
    const MEETS_NORMAL: bool;
    /// A point of the position–normal graph.
    type Point: Copy;
    /// A first point for a common normal.
    fn start(&self, normal: V3<R>) -> Self::Point;
    /// First points for both bodies and the common normal they belong to, with this body as b.
    #[inline(always)]
    fn start_beside<A: Body<R>>(&self, a: &A, placement: &Placement<R>) -> ((A::Point, Self::Point), V3<R>) {
        let normal = ellipsoid_normal(a.radii_sq(), self.radii_sq(), placement);
        ((a.start(normal), self.start(-placement.a_to_b::<Self>(normal))), normal)
    }
    /// The point whose normal is given.
    fn with_normal(&self, normal: V3<R>) -> Self::Point;
    /// For each level, whether a step follows the target position (else the normal); see [`Superquadric::choose`].
    fn choose(
        &self,
        from: &Self::Point,
        position: V3<R>,
        normal: V3<R>,
        leads: [R::Mask; 2],
        leads_by_far: [R::Mask; 2],
    ) -> [R::Mask; 2];
    /// The point nearest to a position and normal from elsewhere, such as an earlier query.
    fn place(&self, position: V3<R>, normal: V3<R>) -> Self::Point;
    /// About [`Body::place`] at a position and normal of the surface, such as those of an earlier query, in less time: what it gives need
    /// not lie on the surface, so that nothing can be proved by it.
    #[inline(always)]
    fn recall(&self, position: V3<R>, normal: V3<R>) -> Self::Point {
        self.place(position, normal)
    }
    /// The point near the target position and normal.
    fn follow(&self, by_position: [R::Mask; 2], position: V3<R>, normal: V3<R>) -> Self::Point;
    /// Curvature of the support function.
    fn curvature(&self, at: &Self::Point) -> Curvature<R>;
    /// Position in the body's frame.
    fn position(at: &Self::Point) -> V3<R>;
    /// Unit outward normal in the body's frame.
    fn normal(at: &Self::Point) -> V3<R>;
    /// Lane by lane, one of two points.
    fn select(mask: R::Mask, yes: &Self::Point, no: &Self::Point) -> Self::Point;
    /// Squared radii of an ellipsoid of about the same size.
    fn radii_sq(&self) -> V3<R>;
    /// An upper bound of the support function at a unit normal, at most `slack` too large up to rounding; a tapered body
    /// needs for that a point whose normal is close to the given one.
    fn support_value(&self, near: &Self::Point, normal: V3<R>, slack: R) -> R;
    /// An upper bound of the support function at a unit normal at the cost of a few products; the tighter, the closer
    /// the point's own normal is to it.
    fn support_bound(&self, near: &Self::Point, normal: V3<R>) -> R;
    /// Radius of a ball about the origin of the body's frame that holds it.
    fn reach(&self) -> R;
    /// The point itself, or for a body with faces, whose ends a step may pass, the nearest one of the body.
    #[inline(always)]
    fn within(&self, point: V3<R>) -> V3<R> {
        point
    }
    /// True where the point lies strictly inside.
    fn contains(&self, point: V3<R>) -> R::Mask;
    /// Whether it has faces, edges and corners only: support points around a normal coincide there, or lie in one plane.
    #[inline(always)]
    fn is_faceted(&self) -> bool {
        false
    }
    /// Whether it is the hull of its corners, and has few of them.
    #[inline(always)]
    fn is_polytope(&self) -> bool {
        false
    }
    /// Of a polytope: unit vectors along edges, or across faces, that touch the supporting plane along a normal, up to a slope; zero where
    /// there is none, the first alone where only an edge does.
    #[inline(always)]
    fn level_edges(&self, _normal: V3<R>, _slope: R) -> [V3<R>; 2] {
        [V3::splat(R::splat(0.0)); 2]
    }
    /// Whether [`Body::inscribed`] is known.
    const INSCRIBES: bool = false;
    /// A matrix M for which the body holds all points `x + δ` with `n·δ + ½ δᵀMδ ≤ 0` whose coordinates are within `reach` of those of the
    /// surface point x with the normal n, for several reaches in lanes.
    #[inline(always)]
    fn inscribed<S: Real>(&self, _: &Self::Point, _: S) -> Sym3<S>
    where
        R: Into<f64>,
    {
        Sym3::zero().add_diagonal(S::splat(f64::MAX))
    }
}

/// A body whose nearest points are known.
pub(crate) trait Project {
    /// The nearest point of the surface to a point of the body's frame, with the curvature along the normal that leads there; `None` for
    /// one inside.
    fn nearest(&self, x: V3<f64>) -> Option<(V3<f64>, Curvature<f64>)>;
}

/// Up to two unit vectors of different directions among edges that rise by no more than a slope against a unit normal, from its highest
/// corner; zero where there are fewer.
pub(crate) fn level_directions(edges: impl Iterator<Item = V3<f64>>, normal: V3<f64>, slope: f64) -> [V3<f64>; 2] {
    /// Square of the sine of the angle between edges of different directions.
    const APART_SQ: f64 = 1e-12;
    let mut level = [V3::splat(0.0); 2];
    for edge in edges {
        let length_sq = edge.length_sq();
        let falls = -edge.dot(normal);
        if length_sq == 0.0 || falls * falls.abs() > slope * slope * length_sq {
            continue;
        }
        let along = edge * (1.0 / length_sq.sqrt());
        if level[0].length_sq() == 0.0 {
            level[0] = along;
        } else if level[0].cross(along).length_sq() > APART_SQ {
            level[1] = along;
            break;
        }
    }
    level
}

/// Newton steps from a nearby normal to the wanted one; quadratic, so that a few reach rounding.
const SUPPORT_STEPS: usize = 3;
/// Squared distance of unit normals at which they count as equal.
const SAME_NORMAL_SQ: f64 = 1e-26;

impl<R: Real, const TAPERED: bool> Superquadric<R, TAPERED> {
    /// A Newton step from a point towards the one whose normal is given.
    #[inline(always)]
    pub fn turned_to(&self, point: &SurfacePoint<R>, normal: V3<R>) -> SurfacePoint<R> {
        let target = point.position + Superquadric::curvature(self, point).apply(normal - point.normal);
        let never = R::splat(1.0).lt(R::splat(0.0));
        let by_position = Superquadric::choose(self, point, target, normal, [never; 2], [never; 2]);
        Superquadric::follow(self, by_position, target, normal)
    }
}

impl<R: Real, const TAPERED: bool> Oriented for Superquadric<R, TAPERED> {
    const TURNED: bool = true;
}

impl<R: Real, const TAPERED: bool> Body<R> for Superquadric<R, TAPERED> {
    const SOLID: bool = true;
    const CURVED: bool = true;
    const MEETS_NORMAL: bool = !TAPERED;
    type Point = SurfacePoint<R>;

    #[inline(always)]
    fn start(&self, normal: V3<R>) -> SurfacePoint<R> {
        Superquadric::start(self, normal)
    }

    /// Closed form without a taper, a 1-D search with one.
    #[inline(always)]
    fn with_normal(&self, normal: V3<R>) -> SurfacePoint<R> {
        if TAPERED { self.with_tapered_normal(normal) } else { self.with_untapered_normal(normal) }
    }

    #[inline(always)]
    fn choose(
        &self,
        from: &SurfacePoint<R>,
        position: V3<R>,
        normal: V3<R>,
        leads: [R::Mask; 2],
        leads_by_far: [R::Mask; 2],
    ) -> [R::Mask; 2] {
        Superquadric::choose(self, from, position, normal, leads, leads_by_far)
    }

    #[inline(always)]
    fn place(&self, position: V3<R>, normal: V3<R>) -> SurfacePoint<R> {
        Superquadric::place(self, position, normal)
    }

    #[inline(always)]
    fn recall(&self, position: V3<R>, normal: V3<R>) -> SurfacePoint<R> {
        if TAPERED { self.place(position, normal) } else { self.recall_untapered(position, normal) }
    }

    #[inline(always)]
    fn follow(&self, by_position: [R::Mask; 2], position: V3<R>, normal: V3<R>) -> SurfacePoint<R> {
        Superquadric::follow(self, by_position, position, normal)
    }

    #[inline(always)]
    fn curvature(&self, at: &SurfacePoint<R>) -> Curvature<R> {
        Superquadric::curvature(self, at)
    }

    #[inline(always)]
    fn position(at: &SurfacePoint<R>) -> V3<R> {
        at.position
    }

    #[inline(always)]
    fn normal(at: &SurfacePoint<R>) -> V3<R> {
        at.normal
    }

    #[inline(always)]
    fn select(mask: R::Mask, yes: &SurfacePoint<R>, no: &SurfacePoint<R>) -> SurfacePoint<R> {
        SurfacePoint::select(mask, yes, no)
    }

    #[inline(always)]
    fn radii_sq(&self) -> V3<R> {
        self.radii.times(self.radii)
    }

    /// With a taper the normal is met only approximately: the body lies below its tangent plane at the point found, and
    /// what is missing to the wanted normal is bounded by the body's extent.
    #[inline(always)]
    fn support_value(&self, near: &SurfacePoint<R>, normal: V3<R>, slack: R) -> R {
        if !TAPERED {
            return self.with_untapered_normal(normal).position.dot(normal);
        }
        let mut point = *near;
        let mut value = R::splat(f64::MAX);
        let near_enough = slack / self.extent();
        let near_enough_sq = (near_enough * near_enough).max(R::splat(SAME_NORMAL_SQ));
        for round in 0..=SUPPORT_STEPS {
            let off = normal - point.normal;
            let off_sq = off.length_sq();
            value = value.min(self.support_bound(&point, normal));
            if round == SUPPORT_STEPS || !near_enough_sq.lt(off_sq).any() {
                break;
            }
            point = self.turned_to(&point, normal);
        }
        value
    }

    /// The body lies below its tangent plane, and what is missing to the wanted normal is bounded by its extent.
    #[inline(always)]
    fn support_bound(&self, near: &SurfacePoint<R>, normal: V3<R>) -> R {
        let off_sq = (normal - near.normal).length_sq();
        off_sq.sqrt().mul_add(self.extent(), near.position.dot(normal))
    }

    #[inline(always)]
    fn reach(&self) -> R {
        R::splat(0.5) * self.extent()
    }

    #[inline(always)]
    fn contains(&self, point: V3<R>) -> R::Mask {
        Superquadric::contains(self, point)
    }

    const INSCRIBES: bool = !TAPERED;

    #[inline(always)]
    fn inscribed<S: Real>(&self, at: &SurfacePoint<R>, reach: S) -> Sym3<S>
    where
        R: Into<f64>,
    {
        let exponents = self.exponents().map(|exponent| S::splat(exponent.into()));
        inscribed::bend(self.radii.spread(), exponents, at.position.spread(), reach)
    }
}

/// Stands for the squared radius of a point: not zero, so that the ellipsoid start stays defined.
pub(crate) const POINT_RADIUS_SQ: f64 = 1e-12;

/// A single point, in lanes: no extent, no curvature, any normal.
#[derive(Clone, Copy)]
pub(crate) struct LanePoint;

impl Oriented for LanePoint {
    const TURNED: bool = false;
}

impl<R: Real> Body<R> for LanePoint {
    const SOLID: bool = false;
    const CURVED: bool = false;
    const MEETS_NORMAL: bool = true;
    /// The normal.
    type Point = V3<R>;

    #[inline(always)]
    fn start(&self, normal: V3<R>) -> V3<R> {
        normal
    }

    #[inline(always)]
    fn with_normal(&self, normal: V3<R>) -> V3<R> {
        normal * (R::splat(1.0) / normal.length_sq().max(R::splat(1e-300)).sqrt())
    }

    #[inline(always)]
    fn choose(&self, _: &V3<R>, _: V3<R>, _: V3<R>, leads: [R::Mask; 2], _: [R::Mask; 2]) -> [R::Mask; 2] {
        leads
    }

    #[inline(always)]
    fn place(&self, _: V3<R>, normal: V3<R>) -> V3<R> {
        self.with_normal(normal)
    }

    #[inline(always)]
    fn follow(&self, _: [R::Mask; 2], _: V3<R>, normal: V3<R>) -> V3<R> {
        self.with_normal(normal)
    }

    #[inline(always)]
    fn curvature(&self, _: &V3<R>) -> Curvature<R> {
        let zero = R::splat(0.0);
        Curvature { alpha: zero, t: V3::splat(zero), beta: zero, b: V3::splat(zero) }
    }

    #[inline(always)]
    fn position(_: &V3<R>) -> V3<R> {
        V3::splat(R::splat(0.0))
    }

    #[inline(always)]
    fn normal(at: &V3<R>) -> V3<R> {
        *at
    }

    #[inline(always)]
    fn select(mask: R::Mask, yes: &V3<R>, no: &V3<R>) -> V3<R> {
        V3::select(mask, *yes, *no)
    }

    #[inline(always)]
    fn radii_sq(&self) -> V3<R> {
        V3::splat(R::splat(POINT_RADIUS_SQ))
    }

    #[inline(always)]
    fn support_value(&self, _: &V3<R>, _: V3<R>, _: R) -> R {
        R::splat(0.0)
    }

    #[inline(always)]
    fn support_bound(&self, _: &V3<R>, _: V3<R>) -> R {
        R::splat(0.0)
    }

    #[inline(always)]
    fn reach(&self) -> R {
        R::splat(0.0)
    }

    #[inline(always)]
    fn contains(&self, _: V3<R>) -> R::Mask {
        let one = R::splat(1.0);
        one.lt(one)
    }
}
