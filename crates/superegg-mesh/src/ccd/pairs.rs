//! From pairs of triangles to their elementary tests: representatives, feature bounds, then the tests themselves.
//!
//! Pairs are worked off in batches, one kind of work after the other: whether a pair passes a test is hard to predict,
//! and in a batch one test need not wait for the outcome of another. A feature pair is always handed to its
//! elementary test in the same order, so that its time does not depend on how it was found.

use glam::DVec3;

use crate::topology::{NO_EDGE, Topology, share_vertex};

use super::apart::apart;
use super::cubic::Cubic;
use super::dop::{Frame, Mode, Track};
use super::elementary::{Edges, Face, Margin, Pair, Verdict, coplanar, verdict, verdict_of_coplanar};
use super::options::Culling;
use super::report::{EdgeEdge, Stats, VertexFace};
use super::representative::{Leaf, all_pairs};

/// What all tests of a query look at.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a, const N: usize> {
    pub topology: &'a Topology,
    /// The control points of each vertex: for linear motion where it is at times 0 and 1.
    pub motion: &'a [[DVec3; N]],
    /// The triangles in the order of the leaves.
    pub leaves: &'a [Leaf],
    pub frame: &'a Frame,
    /// Each vertex along the axes of bounds.
    pub tracks: &'a [Track],
    /// How far each vertex deviates from its track, in steps of bounds; empty for linear motion.
    pub deviations: &'a [i16],
    pub culling: Culling,
    pub margin: Margin,
    /// Contacts after this time do not matter.
    pub latest: f64,
    /// Whether only the earliest contact matters.
    pub first_only: bool,
}

impl<const N: usize> Scene<'_, N> {
    /// Whether the bounds of two features, given by their corners, do not overlap.
    #[inline]
    fn apart<const MODE: Mode, const A: usize, const B: usize>(&self, one: [u32; A], other: [u32; B]) -> bool {
        let mut slack = self.frame.slack;
        if N > 2 {
            let off = |corners: &[u32]| corners.iter().map(|&v| self.deviations[v as usize]).fold(0, i16::max);
            slack = slack.saturating_add(off(&one)).saturating_add(off(&other));
        }
        let track = |v: u32| &self.tracks[v as usize];
        apart::<MODE, A, B>(one.map(track), other.map(track), slack)
    }

    /// How four vertices move.
    #[inline]
    fn moving(&self, vertices: [u32; 4]) -> [&[DVec3; N]; 4] {
        vertices.map(|v| &self.motion[v as usize])
    }
}

/// Two features to be tested.
trait Candidate: Copy {
    type Pair: Pair;

    /// The points of the test.
    fn vertices(self, topology: &Topology) -> [u32; 4];
    /// Whether their bounds do not overlap.
    fn apart<const MODE: Mode, const N: usize>(self, scene: &Scene<N>) -> bool;
    /// Records that they meet.
    fn keep(self, found: &mut Found, time: f64);
}

/// A vertex and a face.
#[derive(Clone, Copy, Debug)]
struct VertexAndFace {
    vertex: u32,
    face: u32,
}

impl Candidate for VertexAndFace {
    type Pair = Face;

    #[inline]
    fn vertices(self, topology: &Topology) -> [u32; 4] {
        let [a, b, c] = topology.corners(self.face);
        [self.vertex, a, b, c]
    }

    #[inline]
    fn apart<const MODE: Mode, const N: usize>(self, scene: &Scene<N>) -> bool {
        scene.apart::<MODE, 1, 3>([self.vertex], scene.topology.corners(self.face))
    }

    fn keep(self, found: &mut Found, time: f64) {
        found.vertex_face.push(VertexFace { vertex: self.vertex, face: self.face, time });
    }
}

/// Two edges by their vertices, the smaller first, the smaller edge first.
#[derive(Clone, Copy, Debug)]
struct TwoEdges([[u32; 2]; 2]);

impl TwoEdges {
    /// From two edges, each with its smaller vertex first.
    #[inline]
    fn new(one: [u32; 2], other: [u32; 2]) -> TwoEdges {
        TwoEdges([one.min(other), one.max(other)])
    }
}

impl Candidate for TwoEdges {
    type Pair = Edges;

    #[inline]
    fn vertices(self, _: &Topology) -> [u32; 4] {
        let [[a, b], [c, d]] = self.0;
        [a, b, c, d]
    }

    #[inline]
    fn apart<const MODE: Mode, const N: usize>(self, scene: &Scene<N>) -> bool {
        scene.apart::<MODE, 2, 2>(self.0[0], self.0[1])
    }

    fn keep(self, found: &mut Found, time: f64) {
        found.edge_edge.push(EdgeEdge { edges: self.0, time });
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
    /// Records a verdict.
    fn record<const N: usize>(&mut self, scene: &Scene<N>, candidate: impl Candidate, verdict: Verdict) {
        self.stats.refined_tests += u64::from(verdict.refined);
        let Some(time) = verdict.time.filter(|&time| time <= scene.latest) else { return };
        if scene.first_only {
            // Of equally early contacts the one that sorts first is kept in the end: all have to be compared.
            if self.earliest.is_some_and(|earliest| time > earliest) {
                return;
            }
            if self.earliest != Some(time) {
                self.vertex_face.clear();
                self.edge_edge.clear();
            }
        }
        self.earliest = Some(self.earliest.map_or(time, |earliest| earliest.min(time)));
        candidate.keep(self, time);
    }

    #[inline]
    fn test<const N: usize, C: Candidate>(&mut self, scene: &Scene<N>, candidate: C) {
        self.stats.elementary_tests += 1;
        let points = scene.moving(candidate.vertices(scene.topology));
        self.record(scene, candidate, verdict::<C::Pair, N>(points, scene.margin));
    }

    /// Tests a vertex against a face.
    pub fn test_vertex_face<const N: usize>(&mut self, scene: &Scene<N>, vertex: u32, face: u32) {
        self.test(scene, VertexAndFace { vertex, face });
    }

    /// Tests two edges, each with its smaller vertex first.
    pub fn test_edge_edge<const N: usize>(&mut self, scene: &Scene<N>, one: [u32; 2], other: [u32; 2]) {
        self.test(scene, TwoEdges::new(one, other));
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

/// A list that is filled without branches: every item is written, and kept or written over.
#[derive(Debug)]
struct Sieve<T> {
    items: Vec<T>,
    len: usize,
}

impl<T> Default for Sieve<T> {
    fn default() -> Sieve<T> {
        Sieve { items: Vec::new(), len: 0 }
    }
}

impl<T: Copy> Sieve<T> {
    /// Empties the list and makes room for this many.
    fn reset(&mut self, room: usize, filler: T) {
        self.len = 0;
        if self.items.len() <= room {
            self.items.resize(room + 1, filler);
        }
    }

    #[inline]
    fn push_if(&mut self, keep: bool, item: T) {
        self.items[self.len] = item;
        self.len += usize::from(keep);
    }

    fn as_slice(&self) -> &[T] {
        &self.items[..self.len]
    }

    fn bytes(&self) -> usize {
        self.items.capacity() * size_of::<T>()
    }
}

/// Room to work off a batch of triangle pairs; kept between batches.
#[derive(Debug, Default)]
pub(super) struct Workbench {
    strangers: Sieve<[u32; 2]>,
    vertex_face: Candidates<VertexAndFace>,
    edge_edge: Candidates<TwoEdges>,
}

/// Feature pairs to be tested, those of them whose bounds overlap, and of those the ones that may be coplanar.
#[derive(Debug)]
struct Candidates<C> {
    all: Vec<C>,
    near: Sieve<C>,
    coplanar: Sieve<(C, Cubic)>,
}

impl<C> Default for Candidates<C> {
    fn default() -> Candidates<C> {
        Candidates { all: Vec::new(), near: Sieve::default(), coplanar: Sieve::default() }
    }
}

impl<C: Candidate> Candidates<C> {
    /// Tests all of them.
    fn test<const MODE: Mode, const N: usize>(&mut self, scene: &Scene<N>, found: &mut Found) {
        let Some(&any) = self.all.first() else { return };
        let feature_bounds = scene.culling.feature_bounds;
        self.near.reset(self.all.len(), any);
        for &candidate in &self.all {
            self.near.push_if(!(feature_bounds && candidate.apart::<MODE, N>(scene)), candidate);
        }
        found.stats.culled.kdop += (self.all.len() - self.near.len) as u64;
        self.all.clear();
        if N > 2 || scene.margin.separation > 0.0 {
            self.near.as_slice().iter().for_each(|&candidate| found.test(scene, candidate));
            return;
        }
        found.stats.elementary_tests += self.near.len as u64;
        self.coplanar.reset(self.near.len, (any, Cubic::ZERO));
        for &candidate in self.near.as_slice() {
            let cubic = coplanar::<C::Pair, N>(scene.moving(candidate.vertices(scene.topology)));
            self.coplanar.push_if(!cubic.never_zero(), (candidate, cubic));
        }
        for &(candidate, cubic) in self.coplanar.as_slice() {
            let points = scene.moving(candidate.vertices(scene.topology));
            found.record(scene, candidate, verdict_of_coplanar::<C::Pair, N>(&cubic, points, scene.margin));
        }
    }

    fn bytes(&self) -> usize {
        self.all.capacity() * size_of::<C>() + self.near.bytes() + self.coplanar.bytes()
    }
}

impl Workbench {
    /// Tests the features of pairs of different triangles, given by their places in the order of the leaves.
    pub fn test_triangles<const MODE: Mode, const N: usize>(
        &mut self,
        scene: &Scene<N>,
        pairs: impl ExactSizeIterator<Item = [u32; 2]>,
        found: &mut Found,
    ) {
        let Culling { orphans, representatives, .. } = scene.culling;
        let leaves = |pair: [u32; 2]| pair.map(|place| &scene.leaves[place as usize]);
        let count = pairs.len();
        self.strangers.reset(count, [0; 2]);
        for pair in pairs {
            let [one, other] = leaves(pair);
            let adjacent = share_vertex(&one.corners, &other.corners);
            if adjacent && !orphans {
                found.test_adjacent(scene, [one.triangle, other.triangle]);
            }
            self.strangers.push_if(!adjacent, pair);
        }
        if orphans {
            found.stats.culled.orphan += (count - self.strangers.len) as u64;
        }
        for pair in self.strangers.as_slice().iter().copied().map(leaves) {
            let triangles = pair.map(|leaf| leaf.triangle);
            let represented = if representatives {
                Leaf::represented(scene.topology, pair)
            } else {
                all_pairs(scene.topology, triangles)
            };
            found.stats.culled.representative += 15 - represented.len();
            let vertex_and_face =
                |(side, i): (usize, usize)| VertexAndFace { vertex: pair[side].corners[i], face: triangles[1 - side] };
            self.vertex_face.all.extend(represented.corners().map(vertex_and_face));
            let edge = |side: usize, i: usize| {
                let (a, b) = (pair[side].corners[i], pair[side].corners[(i + 1) % 3]);
                [a.min(b), a.max(b)]
            };
            self.edge_edge.all.extend(represented.edges().map(|(i, j)| TwoEdges::new(edge(0, i), edge(1, j))));
        }
        self.vertex_face.test::<MODE, N>(scene, found);
        self.edge_edge.test::<MODE, N>(scene, found);
    }

    pub fn bytes(&self) -> usize {
        self.strangers.bytes() + self.vertex_face.bytes() + self.edge_edge.bytes()
    }
}
