//! What the solver needs to know of a body, and the bodies that provide it.
//!
//! Superellipsoids and superovoids move along their position–normal graph. Points, segments and triangles have no
//! curvature of their own: along the features they are made of the curvature radius is infinite (here: as large as a
//! flat face's), across them it is zero.

use super::graph::{Curvature, Egg, SurfacePoint};
use super::separate::{Placement, ellipsoid_normal};
use crate::lanes::{Mask, Real, V3};

/// A convex body in its own frame.
pub(crate) trait Body<R: Real>: Copy {
    /// Whether the body has an inside.
    const SOLID: bool;
    /// Whether its support function has any curvature.
    const CURVED: bool;
    /// Whether [`Body::follow`] by the normal alone ends at just that normal.
    const MEETS_NORMAL: bool;
    /// Whether its frame may be turned against that of body a.
    const TURNED: bool;
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
    /// For each level, whether a step follows the target position (else the normal); see [`Egg::choose`].
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
    /// True where the point lies strictly inside.
    fn contains(&self, point: V3<R>) -> R::Mask;
}

/// Newton steps from a nearby normal to the wanted one; quadratic, so that a few reach rounding.
const SUPPORT_STEPS: usize = 3;
/// Squared distance of unit normals at which they count as equal.
const SAME_NORMAL_SQ: f64 = 1e-26;

impl<R: Real, const TAPERED: bool> Body<R> for Egg<R, TAPERED> {
    const SOLID: bool = true;
    const CURVED: bool = true;
    const MEETS_NORMAL: bool = !TAPERED;
    const TURNED: bool = true;
    type Point = SurfacePoint<R>;

    #[inline(always)]
    fn start(&self, normal: V3<R>) -> SurfacePoint<R> {
        Egg::start(self, normal)
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
        Egg::choose(self, from, position, normal, leads, leads_by_far)
    }

    #[inline(always)]
    fn place(&self, position: V3<R>, normal: V3<R>) -> SurfacePoint<R> {
        Egg::place(self, position, normal)
    }

    #[inline(always)]
    fn follow(&self, by_position: [R::Mask; 2], position: V3<R>, normal: V3<R>) -> SurfacePoint<R> {
        Egg::follow(self, by_position, position, normal)
    }

    #[inline(always)]
    fn curvature(&self, at: &SurfacePoint<R>) -> Curvature<R> {
        Egg::curvature(self, at)
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
            let target = point.position + Egg::curvature(self, &point).apply(off);
            let never = off_sq.lt(R::splat(-1.0));
            let by_position = Egg::choose(self, &point, target, normal, [never; 2], [never; 2]);
            point = Egg::follow(self, by_position, target, normal);
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
        Egg::contains(self, point)
    }
}

/// A single point, in lanes: no extent, no curvature, any normal.
#[derive(Clone, Copy)]
pub(crate) struct Dot;

impl<R: Real> Body<R> for Dot {
    const SOLID: bool = false;
    const CURVED: bool = false;
    const MEETS_NORMAL: bool = true;
    const TURNED: bool = false;
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

/// A point, segment or triangle: the hull of up to three vertices.
#[derive(Clone, Copy)]
pub(crate) struct Hull {
    vertices: [V3<f64>; 3],
    count: usize,
}

/// Barycentric weight below which a point counts as lying on the opposite feature: rounding must not turn an edge into
/// a face. A point that belongs inside after all is led there by its normal.
const ON_FEATURE: f64 = 1e-9;

/// Curvature radius along an edge or face, as of the flat faces of [`Egg`].
const FLAT: f64 = 1e9;

/// Stands for the squared radius of a point: not zero, so that the ellipsoid start stays defined.
const POINT_RADIUS_SQ: f64 = 1e-12;

/// A point of a hull with the vertices that span the feature it may move on.
#[derive(Clone, Copy)]
pub(crate) struct HullPoint {
    position: V3<f64>,
    normal: V3<f64>,
    /// Bit `i` set: vertex `i` belongs to the feature.
    active: u8,
}

impl Hull {
    /// The vertices in the hull's frame, one to three of them.
    pub fn new(vertices: &[V3<f64>]) -> Hull {
        let mut all = [vertices[0]; 3];
        all[..vertices.len()].copy_from_slice(vertices);
        Hull { vertices: all, count: vertices.len() }
    }

    /// Nearest point of the hull and the vertices that span its feature.
    fn project(&self, p: V3<f64>) -> (V3<f64>, u8) {
        let (point, weights) = closest_on_hull(&self.vertices[..self.count], p);
        let active = (0..self.count).filter(|&i| weights[i] > ON_FEATURE).fold(0, |bits, i| bits | 1 << i);
        (point, active)
    }

    /// Directions that span the feature.
    fn edges(&self, active: u8) -> (Option<V3<f64>>, Option<V3<f64>>) {
        let mut of = (0..self.count).filter(|i| active >> i & 1 == 1).map(|i| self.vertices[i]);
        let Some(first) = of.next() else { return (None, None) };
        let u = of.next().map(|v| v - first).filter(|u| u.length_sq() > 0.0);
        let v = of.next().map(|v| v - first).and_then(|v| match u {
            Some(u) => {
                let across = v - u * (v.dot(u) / u.length_sq());
                (across.length_sq() > 1e-24 * v.length_sq()).then_some(across)
            }
            None => Some(v).filter(|v| v.length_sq() > 0.0),
        });
        (u, v)
    }

    /// The nearest normal that is perpendicular to the feature.
    fn normal_to(&self, active: u8, normal: V3<f64>) -> V3<f64> {
        let (u, v) = self.edges(active);
        let mut n = normal;
        for edge in [u, v].into_iter().flatten() {
            n = n - edge * (n.dot(edge) / edge.length_sq());
        }
        let length_sq = n.length_sq();
        if length_sq > 1e-20 * normal.length_sq() { n * (1.0 / length_sq.sqrt()) } else { normal }
    }

    /// Directions in which the hull is thin: its face's normal, or across its edge.
    pub fn feature_normals(&self) -> impl Iterator<Item = V3<f64>> {
        let [a, b, c] = self.vertices;
        let (u, v) = (b - a, c - a);
        let face = u.cross(v);
        let sides = match self.count {
            3 => [face, face.cross(u), face.cross(v), face.cross(v - u)],
            2 => {
                let x = u.cross(V3::new(1.0, 0.0, 0.0));
                let y = u.cross(V3::new(0.0, 1.0, 0.0));
                let z = u.cross(V3::new(0.0, 0.0, 1.0));
                [x, y, z, u]
            }
            _ => [V3::splat(0.0); 4],
        };
        sides.into_iter()
    }

    fn supporting_vertices(&self, normal: V3<f64>) -> (f64, u8) {
        let heights = self.vertices.map(|v| v.dot(normal));
        let top = heights[..self.count].iter().copied().fold(f64::MIN, f64::max);
        let active = (0..self.count).filter(|&i| heights[i] == top).fold(0, |bits, i| bits | 1 << i);
        (top, active)
    }
}

impl Body<f64> for Hull {
    const SOLID: bool = false;
    const CURVED: bool = true;
    const MEETS_NORMAL: bool = false;
    const TURNED: bool = false;
    type Point = HullPoint;

    fn start(&self, normal: V3<f64>) -> HullPoint {
        self.with_normal(normal)
    }

    /// Starts where the hull is nearest to the middle of a.
    fn start_beside<A: Body<f64>>(&self, a: &A, placement: &Placement<f64>) -> ((A::Point, HullPoint), V3<f64>) {
        let (nearest, _) = self.project(-placement.a_to_b::<Self>(placement.centre));
        let there = Placement { centre: placement.centre + placement.b_to_a::<Self>(nearest), ..*placement };
        let normal = ellipsoid_normal(a.radii_sq(), V3::splat(POINT_RADIUS_SQ), &there);
        ((a.start(normal), self.place(nearest, -placement.a_to_b::<Self>(normal))), normal)
    }

    fn with_normal(&self, normal: V3<f64>) -> HullPoint {
        let (_, active) = self.supporting_vertices(normal);
        // A normal that is not a number, from a singular system, supports no vertex.
        let index = (active.trailing_zeros() as usize).min(self.count - 1);
        let normal = normal * (1.0 / normal.length_sq().max(1e-300).sqrt());
        HullPoint { position: self.vertices[index], normal, active: 1 << index }
    }

    fn choose(&self, _: &HullPoint, _: V3<f64>, _: V3<f64>, _: [bool; 2], _: [bool; 2]) -> [bool; 2] {
        [true; 2]
    }

    fn place(&self, position: V3<f64>, normal: V3<f64>) -> HullPoint {
        self.follow([true; 2], position, normal)
    }

    fn follow(&self, _: [bool; 2], position: V3<f64>, normal: V3<f64>) -> HullPoint {
        let (point, mut active) = self.project(position);
        // A vertex above the point along the normal aimed at: the feature towards it must join in.
        let height = point.dot(normal);
        let reach = 1e-14 * (height.abs() + normal.length_sq().sqrt());
        for (index, vertex) in self.vertices[..self.count].iter().enumerate() {
            if vertex.dot(normal) > height + reach {
                active |= 1 << index;
            }
        }
        HullPoint { position: point, normal: self.normal_to(active, normal), active }
    }

    fn curvature(&self, at: &HullPoint) -> Curvature<f64> {
        let (u, v) = self.edges(at.active);
        let spread = |edge: Option<V3<f64>>| match edge {
            Some(edge) => (FLAT / edge.length_sq(), edge),
            None => (0.0, V3::splat(0.0)),
        };
        let ((alpha, t), (beta, b)) = (spread(u), spread(v));
        Curvature { alpha, t, beta, b }
    }

    fn position(at: &HullPoint) -> V3<f64> {
        at.position
    }

    fn normal(at: &HullPoint) -> V3<f64> {
        at.normal
    }

    fn select(mask: bool, yes: &HullPoint, no: &HullPoint) -> HullPoint {
        if mask { *yes } else { *no }
    }

    fn radii_sq(&self) -> V3<f64> {
        let floor = V3::splat(POINT_RADIUS_SQ);
        self.vertices[..self.count].iter().fold(floor, |sum, v| sum + v.times(*v))
    }

    fn support_value(&self, _: &HullPoint, normal: V3<f64>, _: f64) -> f64 {
        self.supporting_vertices(normal).0
    }

    fn support_bound(&self, near: &HullPoint, normal: V3<f64>) -> f64 {
        self.support_value(near, normal, 0.0)
    }

    fn reach(&self) -> f64 {
        self.vertices[..self.count].iter().map(|v| v.length_sq()).fold(0.0, f64::max).sqrt()
    }

    fn contains(&self, _: V3<f64>) -> bool {
        false
    }
}

/// Nearest point of the hull of one to three points to `p`, with its barycentric weights.
pub(crate) fn closest_on_hull(points: &[V3<f64>], p: V3<f64>) -> (V3<f64>, [f64; 3]) {
    match *points {
        [a] => (a, [1.0, 0.0, 0.0]),
        [a, b] => {
            let ab = b - a;
            let along = (p - a).dot(ab);
            let t = if along <= 0.0 { 0.0 } else { (along / ab.length_sq()).min(1.0) };
            (ab.mul_add(t, a), [1.0 - t, t, 0.0])
        }
        [a, b, c] => closest_on_triangle(a, b, c, p),
        _ => unreachable!("a hull has one to three vertices"),
    }
}

/// By Voronoi regions; see Ericson, Real-Time Collision Detection, 5.1.5. A triangle without area is treated as its
/// edges.
fn closest_on_triangle(a: V3<f64>, b: V3<f64>, c: V3<f64>, p: V3<f64>) -> (V3<f64>, [f64; 3]) {
    let (ab, ac) = (b - a, c - a);
    let n = ab.cross(ac);
    let n_sq = n.length_sq();
    let inside = |u: V3<f64>, v: V3<f64>| u.cross(v).dot(n) >= 0.0;
    if n_sq > 1e-28 * ab.length_sq() * ac.length_sq() {
        let (pa, pb, pc) = (p - a, p - b, p - c);
        if inside(ab, pa) && inside(c - b, pb) && inside(a - c, pc) {
            let wa = (c - b).cross(pb).dot(n) / n_sq;
            let wb = (a - c).cross(pc).dot(n) / n_sq;
            let wc = 1.0 - wa - wb;
            return (a * wa + b * wb + c * wc, [wa, wb, wc]);
        }
    }
    let distance_sq = |q: V3<f64>| (q - p).length_sq();
    let (q_ab, w_ab) = closest_on_hull(&[a, b], p);
    let (q_bc, w_bc) = closest_on_hull(&[b, c], p);
    let (q_ca, w_ca) = closest_on_hull(&[c, a], p);
    let mut best = (q_ab, [w_ab[0], w_ab[1], 0.0]);
    if distance_sq(q_bc) < distance_sq(best.0) {
        best = (q_bc, [0.0, w_bc[0], w_bc[1]]);
    }
    if distance_sq(q_ca) < distance_sq(best.0) {
        best = (q_ca, [w_ca[1], 0.0, w_ca[0]]);
    }
    best
}
