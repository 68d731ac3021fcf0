//! From a pair of triangles to its elementary tests: representatives, feature bounds, then the tests themselves.
//!
//! A feature pair is always handed to its elementary test in the same order, so that its time does not depend on how
//! it was found.

use glam::DVec3;

use crate::topology::{NO_EDGE, Topology, share_vertex};

use super::dop::{Dop, Frame, Mode, Track};
use super::elementary::{Margin, Verdict, edge_edge_moving, vertex_face_moving};
use super::options::Culling;
use super::report::{EdgeEdge, Stats, VertexFace};
use super::representative::{Mask, Representatives, Represented};

/// What all tests of a query look at.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a, const N: usize> {
    pub topology: &'a Topology,
    /// The control points of each vertex: for linear motion where it is at times 0 and 1.
    pub motion: &'a [[DVec3; N]],
    pub representatives: &'a Representatives,
    pub frame: &'a Frame,
    /// Each vertex along the axes of bounds.
    pub tracks: &'a [Track],
    /// How far each vertex deviates from its track; empty for linear motion.
    pub deviations: &'a [f32],
    pub culling: Culling,
    pub margin: Margin,
    /// Contacts after this time do not matter.
    pub latest: f64,
    /// Whether only the earliest contact matters.
    pub first_only: bool,
}

impl<const N: usize> Scene<'_, N> {
    /// The bare extents of an edge.
    #[inline]
    fn extents(&self, [a, b]: [u32; 2]) -> Dop {
        let [a, b] = [a as usize, b as usize];
        let straight = Dop::of_edge(&self.tracks[a], &self.tracks[b]);
        if N == 2 { straight } else { straight.loosened(self.deviations[a].max(self.deviations[b])) }
    }

    /// Whether a vertex may meet what is bounded.
    #[inline]
    fn may_meet<const MODE: Mode>(&self, bound: &Dop, vertex: u32) -> bool {
        if N == 2 {
            bound.may_meet::<MODE>(&self.tracks[vertex as usize])
        } else {
            bound.overlaps::<MODE>(&self.extents([vertex, vertex]))
        }
    }

    /// The control layers of four vertices.
    #[inline]
    fn layers(&self, vertices: [u32; 4]) -> [[DVec3; 4]; N] {
        let moving = vertices.map(|v| &self.motion[v as usize]);
        std::array::from_fn(|i| moving.map(|control| control[i]))
    }
}

/// The collisions found by one part of a query.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub vertex_face: Vec<VertexFace>,
    pub edge_edge: Vec<EdgeEdge>,
    pub stats: Stats,
    /// The earliest time found so far.
    pub earliest: Option<f64>,
}

impl Found {
    /// Records a verdict; tells whether the pair is to be kept.
    fn keeps<const N: usize>(&mut self, scene: &Scene<N>, verdict: Verdict) -> Option<f64> {
        self.stats.elementary_tests += 1;
        self.stats.refined_tests += u64::from(verdict.refined);
        let time = verdict.time.filter(|&time| time <= scene.latest)?;
        if scene.first_only {
            // Of equally early contacts the one that sorts first is kept in the end: all have to be compared.
            if self.earliest.is_some_and(|earliest| time > earliest) {
                return None;
            }
            if self.earliest != Some(time) {
                self.vertex_face.clear();
                self.edge_edge.clear();
            }
        }
        self.earliest = Some(self.earliest.map_or(time, |earliest| earliest.min(time)));
        Some(time)
    }

    /// Tests a vertex against a face.
    #[inline]
    pub fn test_vertex_face<const N: usize>(&mut self, scene: &Scene<N>, vertex: u32, face: u32) {
        let [a, b, c] = scene.topology.corners(face);
        let verdict = vertex_face_moving(&scene.layers([vertex, a, b, c]), scene.margin);
        if let Some(time) = self.keeps(scene, verdict) {
            self.vertex_face.push(VertexFace { vertex, face, time });
        }
    }

    /// Tests two edges, each with its smaller vertex first.
    #[inline]
    pub fn test_edge_edge<const N: usize>(&mut self, scene: &Scene<N>, one: [u32; 2], other: [u32; 2]) {
        let [[a, b], [c, d]] = [one.min(other), one.max(other)];
        let verdict = edge_edge_moving(&scene.layers([a, b, c, d]), scene.margin);
        if let Some(time) = self.keeps(scene, verdict) {
            self.edge_edge.push(EdgeEdge { edges: [[a, b], [c, d]], time });
        }
    }

    /// Tests the features of two different triangles, given with their bounds.
    #[inline]
    pub fn test_triangles<const MODE: Mode, const N: usize>(
        &mut self,
        scene: &Scene<N>,
        triangles: [u32; 2],
        dops: [&Dop; 2],
    ) {
        let topology = scene.topology;
        let corners = triangles.map(|t| topology.corners(t));
        if share_vertex(&corners[0], &corners[1]) {
            if scene.culling.orphans {
                self.stats.culled.orphan += 1;
            } else {
                self.test_adjacent(scene, triangles);
            }
            return;
        }
        let Culling { representatives, feature_bounds, .. } = scene.culling;
        let represented = if representatives {
            scene.representatives.represented(topology, triangles)
        } else {
            Represented::all(topology, triangles)
        };
        self.stats.culled.representative += u64::from(15 - represented.count());
        for side in 0..2 {
            for i in bits(represented.vertices[side]) {
                let vertex = corners[side][i];
                if feature_bounds && !scene.may_meet::<MODE>(dops[1 - side], vertex) {
                    self.stats.culled.kdop += 1;
                } else {
                    self.test_vertex_face(scene, vertex, triangles[1 - side]);
                }
            }
        }
        let edges = triangles.map(|t| topology.edges_of_triangle(t));
        let extents = |side: usize, i: usize| scene.extents([corners[side][i], corners[side][(i + 1) % 3]]);
        for i in 0..3 {
            let others = represented.edges[i];
            if others == 0 {
                continue;
            }
            let own = if feature_bounds { extents(0, i).loosened(scene.frame.slack) } else { Dop::EMPTY };
            // Most edges that are near an edge are near the other triangle.
            if feature_bounds && !dops[1].overlaps::<MODE>(&own) {
                self.stats.culled.kdop += u64::from(others.count_ones());
                continue;
            }
            for j in bits(others) {
                if feature_bounds && !own.overlaps::<MODE>(&extents(1, j)) {
                    self.stats.culled.kdop += 1;
                } else {
                    let [one, other] = [edges[0][i], edges[1][j]].map(|e| topology.edges()[e as usize]);
                    self.test_edge_edge(scene, one, other);
                }
            }
        }
    }

    /// Tests the features of two adjacent triangles that share no vertex.
    fn test_adjacent<const N: usize>(&mut self, scene: &Scene<N>, triangles: [u32; 2]) {
        let topology = scene.topology;
        for [own, face] in [triangles, [triangles[1], triangles[0]]] {
            let corners = topology.corners(face);
            for vertex in topology.corners(own) {
                if !corners.contains(&vertex) {
                    self.test_vertex_face(scene, vertex, face);
                }
            }
        }
        let [edges, others] = triangles.map(|t| topology.edges_of_triangle(t).into_iter().filter(|&e| e != NO_EDGE));
        for a in edges {
            for b in others.clone() {
                let [a, b] = [a, b].map(|e| topology.edges()[e as usize]);
                if !b.contains(&a[0]) && !b.contains(&a[1]) {
                    self.test_edge_edge(scene, a, b);
                }
            }
        }
    }
}

/// The numbers of the bits that are set.
#[inline]
fn bits(mut mask: Mask) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = mask.trailing_zeros() as usize;
        let any = mask != 0;
        mask &= mask.wrapping_sub(1);
        any.then_some(next)
    })
}
