//! Points, segments and triangles as bodies of the solver.
//!
//! They have no curvature of their own: along the features they are made of the curvature radius is infinite (here: as
//! large as a flat face's), across them it is zero.

use crate::shape::nearest_on_simplex;
use crate::solver::body::superquadric::Curvature;
use crate::solver::body::{Body, POINT_RADIUS_SQ, level_directions};
use crate::solver::pair::placement::{Oriented, Placement, ellipsoid_normal};
use crate::solver::simd::V3;

/// A point, segment or triangle: the hull of up to three vertices.
#[derive(Clone, Copy)]
pub(crate) struct Simplex {
    vertices: [V3<f64>; 3],
    count: usize,
}

/// Barycentric weight below which a point counts as lying on the opposite feature: rounding must not turn an edge into
/// a face. A point that belongs inside after all is led there by its normal.
const ON_FEATURE: f64 = 1e-9;

/// Squared distance, in units of the size, below which a point lies on a feature.
const ON_FEATURE_SQ: f64 = 1e-28;

/// Curvature radius along an edge or face, as of the flat faces of [`Superquadric`].
const FLAT: f64 = 1e9;

/// A point of a hull with the vertices that span the feature it may move on.
#[derive(Clone, Copy)]
pub(crate) struct SimplexPoint {
    position: V3<f64>,
    normal: V3<f64>,
    /// Bit `i` set: vertex `i` belongs to the feature.
    active: u8,
}

impl Simplex {
    /// The vertices in the hull's frame, one to three of them.
    pub fn new(vertices: &[V3<f64>]) -> Simplex {
        let mut all = [vertices[0]; 3];
        all[..vertices.len()].copy_from_slice(vertices);
        Simplex { vertices: all, count: vertices.len() }
    }

    /// Nearest point of the hull and the vertices that span its feature.
    fn project(&self, p: V3<f64>) -> (V3<f64>, u8) {
        let (point, weights) = closest_on_simplex(&self.vertices[..self.count], p);
        let active = (0..self.count).filter(|&i| weights[i] > ON_FEATURE).fold(0, |bits, i| bits | 1 << i);
        (point, active)
    }

    /// Nearest point to `p`, and the unit normal of the feature it lies on that leads to `p`.
    pub fn nearest(&self, p: V3<f64>) -> (V3<f64>, V3<f64>) {
        let (point, active) = self.project(p);
        let towards = p - point;
        let length_sq = towards.length_sq();
        if length_sq > ON_FEATURE_SQ {
            return (point, self.normal_to(active, towards * (1.0 / length_sq.sqrt())));
        }
        // On the feature itself any direction across it will do.
        let axes = [V3::new(1.0, 0.0, 0.0), V3::new(0.0, 1.0, 0.0), V3::new(0.0, 0.0, 1.0)];
        let (u, v) = self.edges(active);
        let along = |axis: &V3<f64>| -> f64 {
            [u, v].into_iter().flatten().map(|edge| edge.dot(*axis).powi(2) / edge.length_sq()).sum()
        };
        let best = axes.into_iter().min_by(|a, b| along(a).total_cmp(&along(b))).unwrap_or(axes[0]);
        (point, self.normal_to(active, best))
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

    /// Nearest point of the simplex, and its feature for [`Simplex::across`].
    pub fn closest(&self, p: V3<f64>) -> (V3<f64>, u8) {
        self.project(p)
    }

    /// Unit vectors along a feature that are perpendicular to each other; zero where it has fewer dimensions.
    pub fn tangents(&self, feature: u8) -> [V3<f64>; 2] {
        let (u, v) = self.edges(feature);
        [u, v].map(|edge| edge.map_or(V3::splat(0.0), |edge| edge * (1.0 / edge.length_sq().sqrt())))
    }

    /// What is left of a vector across a feature.
    pub fn across(&self, feature: u8, vector: V3<f64>) -> V3<f64> {
        let (u, v) = self.edges(feature);
        [u, v].into_iter().flatten().fold(vector, |left, edge| left - edge * (left.dot(edge) / edge.length_sq()))
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

    /// The vertex farthest along a direction.
    #[inline(always)]
    pub fn farthest(&self, direction: V3<f64>) -> V3<f64> {
        let mut best = self.vertices[0];
        let mut height = best.dot(direction);
        for vertex in &self.vertices[1..self.count] {
            let other = vertex.dot(direction);
            if other > height {
                (best, height) = (*vertex, other);
            }
        }
        best
    }

    /// Whether it is symmetric about the origin of its frame, which is the mean of its vertices.
    #[inline(always)]
    pub fn is_symmetric(&self) -> bool {
        self.count < 3
    }

    fn supporting_vertices(&self, normal: V3<f64>) -> (f64, u8) {
        let heights = self.vertices.map(|v| v.dot(normal));
        let top = heights[..self.count].iter().copied().fold(f64::MIN, f64::max);
        let active = (0..self.count).filter(|&i| heights[i] == top).fold(0, |bits, i| bits | 1 << i);
        (top, active)
    }
}

impl Oriented for Simplex {
    const TURNED: bool = false;
}

impl Body<f64> for Simplex {
    const SOLID: bool = false;
    const CURVED: bool = true;
    const MEETS_NORMAL: bool = false;
    type Point = SimplexPoint;

    fn start(&self, normal: V3<f64>) -> SimplexPoint {
        self.with_normal(normal)
    }

    /// Starts where the hull is nearest to the middle of a.
    fn start_beside<A: Body<f64>>(&self, a: &A, placement: &Placement<f64>) -> ((A::Point, SimplexPoint), V3<f64>) {
        let (nearest, _) = self.project(-placement.a_to_b::<Self>(placement.centre));
        let there = Placement { centre: placement.centre + placement.b_to_a::<Self>(nearest), ..*placement };
        let normal = ellipsoid_normal(a.radii_sq(), V3::splat(POINT_RADIUS_SQ), &there);
        ((a.start(normal), self.place(nearest, -placement.a_to_b::<Self>(normal))), normal)
    }

    fn with_normal(&self, normal: V3<f64>) -> SimplexPoint {
        let (_, active) = self.supporting_vertices(normal);
        // A normal that is not a number, from a singular system, supports no vertex.
        let index = (active.trailing_zeros() as usize).min(self.count - 1);
        let normal = normal * (1.0 / normal.length_sq().max(1e-300).sqrt());
        SimplexPoint { position: self.vertices[index], normal, active: 1 << index }
    }

    fn choose(&self, _: &SimplexPoint, _: V3<f64>, _: V3<f64>, _: [bool; 2], _: [bool; 2]) -> [bool; 2] {
        [true; 2]
    }

    fn place(&self, position: V3<f64>, normal: V3<f64>) -> SimplexPoint {
        self.follow([true; 2], position, normal)
    }

    fn follow(&self, _: [bool; 2], position: V3<f64>, normal: V3<f64>) -> SimplexPoint {
        let (point, mut active) = self.project(position);
        // A vertex above the point along the normal aimed at: the feature towards it must join in.
        let height = point.dot(normal);
        let reach = 1e-14 * (height.abs() + normal.length_sq().sqrt());
        for (index, vertex) in self.vertices[..self.count].iter().enumerate() {
            if vertex.dot(normal) > height + reach {
                active |= 1 << index;
            }
        }
        SimplexPoint { position: point, normal: self.normal_to(active, normal), active }
    }

    fn curvature(&self, at: &SimplexPoint) -> Curvature<f64> {
        let (u, v) = self.edges(at.active);
        let spread = |edge: Option<V3<f64>>| match edge {
            Some(edge) => (FLAT / edge.length_sq(), edge),
            None => (0.0, V3::splat(0.0)),
        };
        let ((alpha, t), (beta, b)) = (spread(u), spread(v));
        Curvature { alpha, t, beta, b }
    }

    fn position(at: &SimplexPoint) -> V3<f64> {
        at.position
    }

    fn normal(at: &SimplexPoint) -> V3<f64> {
        at.normal
    }

    fn select(mask: bool, yes: &SimplexPoint, no: &SimplexPoint) -> SimplexPoint {
        if mask { *yes } else { *no }
    }

    fn radii_sq(&self) -> V3<f64> {
        let floor = V3::splat(POINT_RADIUS_SQ);
        self.vertices[..self.count].iter().fold(floor, |sum, v| sum + v.times(*v))
    }

    fn support_value(&self, _: &SimplexPoint, normal: V3<f64>, _: f64) -> f64 {
        self.supporting_vertices(normal).0
    }

    fn support_bound(&self, near: &SimplexPoint, normal: V3<f64>) -> f64 {
        self.support_value(near, normal, 0.0)
    }

    fn reach(&self) -> f64 {
        self.vertices[..self.count].iter().map(|v| v.length_sq()).fold(0.0, f64::max).sqrt()
    }

    fn contains(&self, _: V3<f64>) -> bool {
        false
    }

    fn is_polytope(&self) -> bool {
        true
    }

    fn level_edges(&self, normal: V3<f64>, slope: f64) -> [V3<f64>; 2] {
        let top = self.farthest(normal);
        level_directions(self.vertices.into_iter().map(|vertex| vertex - top), normal, slope)
    }
}

/// Nearest point of the hull of one to three points to `p`, with its barycentric weights.
#[inline]
pub(crate) fn closest_on_simplex(points: &[V3<f64>], p: V3<f64>) -> (V3<f64>, [f64; 3]) {
    let (nearest, weights) = match *points {
        [a] => nearest_on_simplex(&[a.into()], p.into()),
        [a, b] => nearest_on_simplex(&[a.into(), b.into()], p.into()),
        [a, b, c] => nearest_on_simplex(&[a.into(), b.into(), c.into()], p.into()),
        _ => unreachable!("a hull has one to three vertices"),
    };
    (nearest.into(), weights)
}
