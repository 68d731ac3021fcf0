//! The continuous contour test: proves that a moving patch of surface cannot touch itself.
//!
//! Suppose a patch is a disc, all its normals are positive against one direction at all times (see `cone`), and its
//! contour, projected along that direction, stays a simple closed curve. Then the projection covers every point inside
//! of the curve exactly once: counted by degree, a point has as many preimages as the curve winds around it, each
//! counting +1. So the patch projects without folding and no two of its features can meet unless they share a vertex.
//!
//! Departures from the paper, which does the same test: contour edges are compared through boxes of their projections,
//! since edges that are apart in space may still cross in projection; whether two projected edges cross is decided by
//! separating lines and bisection of time instead of quadratic equations, since only proofs of "no" are wanted; edges
//! that share a vertex are tested too, for folding back onto each other. The paper's three accelerations are here: boxes
//! come first, projections along an ancestor's axis are reused, and a contour that still has two edges which crossed for
//! an ancestor is not tested (see [`ContourTest`]).

use glam::{DVec2, DVec3};

use crate::topology::Topology;

use super::options::ContourTest;
use super::path::{Product, halves, until};

/// Projections along one axis, kept while descending from the node that chose the axis.
#[derive(Debug, Default)]
pub(super) struct Projection {
    right: DVec3,
    up: DVec3,
    origin: DVec3,
    latest: f64,
    /// The largest coordinate, from the origin, of any vertex projected so far.
    reach: f64,
    /// Which vertices are projected: those whose stamp is the current one.
    stamps: Vec<u32>,
    stamp: u32,
    /// The control points of projected vertices, all of a vertex together.
    shadows: Vec<DVec2>,
    edges: Vec<Swept>,
}

/// A projected contour edge with its box over time.
#[derive(Clone, Copy, Debug)]
struct Swept {
    low: DVec2,
    high: DVec2,
    edge: u32,
    vertices: [u32; 2],
}

/// The outcome of a contour test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The projected contour stays simple: the patch cannot touch itself.
    Simple,
    /// These two contour edges may meet in projection.
    Crossed([u32; 2]),
}

impl Projection {
    /// Starts projecting `motion` along `axis`, a unit vector, for times up to `latest`; `origin` is a point near the
    /// patch.
    pub fn begin<const N: usize>(&mut self, motion: &[[DVec3; N]], axis: DVec3, origin: DVec3, latest: f64) {
        self.right = axis.any_orthonormal_vector();
        self.up = axis.cross(self.right);
        self.origin = origin;
        self.latest = latest;
        self.reach = 0.0;
        self.stamps.resize(motion.len(), 0);
        self.shadows.resize(N * motion.len(), DVec2::ZERO);
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.stamps.fill(0);
            self.stamp = 1;
        }
    }

    pub fn bytes(&self) -> usize {
        self.stamps.capacity() * size_of::<u32>()
            + self.shadows.capacity() * size_of::<DVec2>()
            + self.edges.capacity() * size_of::<Swept>()
    }

    /// A vertex that is projected already.
    #[inline]
    fn projected<const N: usize>(&self, vertex: u32) -> &[DVec2; N] {
        &self.shadows.as_chunks().0[vertex as usize]
    }

    fn shadow<const N: usize>(&mut self, motion: &[[DVec3; N]], vertex: u32) -> [DVec2; N] {
        let index = vertex as usize;
        if self.stamps[index] != self.stamp {
            self.stamps[index] = self.stamp;
            let local = until(&motion[index], self.origin, self.latest);
            self.reach = local.iter().fold(self.reach, |reach, p| reach.max(p.abs().max_element()));
            let shadow = local.map(|p| DVec2::new(p.dot(self.right), p.dot(self.up)));
            self.shadows.as_chunks_mut().0[index] = shadow;
        }
        *self.projected(vertex)
    }

    /// Tests the contour of a patch in projection.
    pub fn test<const N: usize>(
        &mut self,
        topology: &Topology,
        motion: &[[DVec3; N]],
        contour: &[u32],
        how: ContourTest,
    ) -> Outcome {
        let mut edges = std::mem::take(&mut self.edges);
        edges.clear();
        for &edge in contour {
            let vertices = topology.edges()[edge as usize];
            let ends = vertices.map(|v| self.shadow(motion, v));
            let points = ends.as_flattened().iter().copied();
            let low = points.clone().fold(DVec2::INFINITY, DVec2::min);
            let high = points.fold(DVec2::NEG_INFINITY, DVec2::max);
            edges.push(Swept { low, high, edge, vertices });
        }
        // A projected coordinate is the sum of three products, each with a few roundings.
        let error = 16.0 * f64::EPSILON * self.reach + 1e-37;
        edges.sort_unstable_by(|a, b| a.low.x.total_cmp(&b.low.x).then(a.edge.cmp(&b.edge)));
        let outcome = self.sweep::<N>(&edges, error, how.boxes);
        self.edges = edges;
        outcome
    }

    fn sweep<const N: usize>(&self, edges: &[Swept], error: f64, boxes: bool) -> Outcome {
        for (i, one) in edges.iter().enumerate() {
            for other in &edges[i + 1..] {
                if boxes && other.low.x > one.high.x + 2.0 * error {
                    break;
                }
                if boxes && (other.low.y > one.high.y + 2.0 * error || one.low.y > other.high.y + 2.0 * error) {
                    continue;
                }
                if !self.stay_apart::<N>(one.vertices, other.vertices, error) {
                    return Outcome::Crossed([one.edge, other.edge]);
                }
            }
        }
        Outcome::Simple
    }

    fn stay_apart<const N: usize>(&self, [a, b]: [u32; 2], [c, d]: [u32; 2], error: f64) -> bool {
        let relative = |p: u32, q: u32| -> [DVec2; N] {
            let (p, q) = (self.projected::<N>(p), self.projected::<N>(q));
            std::array::from_fn(|i| p[i] - q[i])
        };
        let joint = [(a, b, c, d), (b, a, c, d), (a, b, d, c), (b, a, d, c)].into_iter().find(|(a, _, c, _)| a == c);
        match joint {
            // Edges from a common vertex fold onto each other when they point the same way.
            Some((joint, p, _, q)) => {
                let (p, q) = (relative(p, joint), relative(q, joint));
                one_sided::<3, N>(&std::array::from_fn(|i| [p[i], -q[i], p[i] - q[i]]), 4.0 * error, 3)
                    || never_parallel(&p, &q, error)
            }
            None => {
                let corners = [relative(a, c), relative(a, d), relative(b, c), relative(b, d)];
                one_sided::<4, N>(&std::array::from_fn(|i| corners.map(|corner| corner[i])), 4.0 * error, 3)
            }
        }
    }
}

/// Whether moving points, given by control layers, stay on one side of the origin, proved by lines for each piece of
/// time.
fn one_sided<const K: usize, const N: usize>(layers: &[[DVec2; K]; N], error: f64, depth: u32) -> bool {
    let [left, right] = halves(layers, |a, b| std::array::from_fn(|k| 0.5 * (a[k] + b[k])));
    let middle = &right[0];
    let mean: DVec2 = middle.iter().sum();
    let sides =
        [mean, (middle[1] - middle[0]).perp(), (middle[K - 1] - middle[0]).perp(), (middle[K - 1] - middle[1]).perp()];
    let separates = |direction: DVec2| {
        let direction = if direction.dot(mean) < 0.0 { -direction } else { direction };
        let bound = error * direction.abs().element_sum();
        layers.as_flattened().iter().all(|p| direction.dot(*p) > bound)
    };
    sides.into_iter().any(separates)
        || depth > 0 && one_sided(&left, error, depth - 1) && one_sided(&right, error, depth - 1)
}

/// Whether two moving vectors are never parallel: their cross product in Bernstein form has one sign.
fn never_parallel<const N: usize>(p: &[DVec2; N], q: &[DVec2; N], error: f64) -> bool {
    let size = p.iter().chain(q).map(|v| v.abs().max_element()).fold(0.0, f64::max);
    let bound = 16.0 * error * size + 1e-300;
    let turn = Product::new(p, q, DVec2::perp_dot);
    turn.control().iter().all(|&c| c > bound) || turn.control().iter().all(|&c| c < -bound)
}
