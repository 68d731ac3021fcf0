//! From pairs of triangles to their elementary tests: representatives, feature bounds, then the tests themselves.
//!
//! Pairs are worked off in batches, one kind of work after the other: whether a pair passes a test is hard to predict,
//! and in a batch one test need not wait for the outcome of another. A feature pair is always handed to its
//! elementary test in the same order, so that its time does not depend on how it was found.

use glam::DVec3;

use crate::topology::{NO_EDGE, Topology, share_vertex};

use super::apart::apart;
use super::cubic::Cubic;
use super::dop::{Frame, Mode, Ninth, Track};
use super::elementary::{Margin, Verdict, coplanar, verdict, verdict_of_coplanar};
use super::feature::{Edges, Face, Pair};
use super::options::Culling;
use super::report::{EdgeEdge, Stats, VertexFace};
use super::representative::Leaf;

/// What all tests of a query look at.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a, const N: usize> {
    pub topology: &'a Topology,
    /// The control points of each vertex: for linear motion where it is at times 0 and 1.
    pub motion: &'a [[DVec3; N]],
    /// The triangles in the order of the leaves, and their bounds along the ninth axis.
    pub leaves: &'a [Leaf],
    pub ninths: &'a [Ninth],
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

    /// In the order in which it is tested and recorded.
    fn ordered(self) -> Self;
    /// The points of the test.
    fn vertices(self) -> [u32; 4];
    /// Whether their bounds do not overlap.
    fn apart<const MODE: Mode, const N: usize>(self, scene: &Scene<N>) -> bool;
    /// Records that they meet.
    fn keep(self, found: &mut Found, time: f64);
}

/// A vertex and a face.
#[derive(Clone, Copy, Debug)]
struct VertexAndFace {
    vertex: u32,
    corners: [u32; 3],
    face: u32,
}

impl Candidate for VertexAndFace {
    type Pair = Face;

    #[inline]
    fn ordered(self) -> VertexAndFace {
        self
    }

    #[inline]
    fn vertices(self) -> [u32; 4] {
        let [a, b, c] = self.corners;
        [self.vertex, a, b, c]
    }

    #[inline]
    fn apart<const MODE: Mode, const N: usize>(self, scene: &Scene<N>) -> bool {
        scene.apart::<MODE, 1, 3>([self.vertex], self.corners)
    }

    fn keep(self, found: &mut Found, time: f64) {
        found.vertex_face.push(VertexFace { vertex: self.vertex, face: self.face, time });
    }
}

/// Two edges by their vertices.
#[derive(Clone, Copy, Debug)]
struct TwoEdges([[u32; 2]; 2]);

impl Candidate for TwoEdges {
    type Pair = Edges;

    /// The smaller vertex first, the smaller edge first.
    #[inline]
    fn ordered(self) -> TwoEdges {
        let [one, other] = self.0.map(|[a, b]| [a.min(b), a.max(b)]);
        TwoEdges([one.min(other), one.max(other)])
    }

    #[inline]
    fn vertices(self) -> [u32; 4] {
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
        let points = scene.moving(candidate.vertices());
        self.record(scene, candidate, verdict::<C::Pair, N>(points, scene.margin));
    }

    /// Tests a vertex against a face.
    pub fn test_vertex_face<const N: usize>(&mut self, scene: &Scene<N>, vertex: u32, face: u32) {
        self.test(scene, VertexAndFace { vertex, corners: scene.topology.corners(face), face });
    }

    /// Tests two edges.
    pub fn test_edge_edge<const N: usize>(&mut self, scene: &Scene<N>, one: [u32; 2], other: [u32; 2]) {
        self.test(scene, TwoEdges([one, other]).ordered());
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
    all: Sieve<C>,
    near: Sieve<C>,
    coplanar: Sieve<(C, Cubic)>,
}

impl<C> Default for Candidates<C> {
    fn default() -> Candidates<C> {
        Candidates { all: Sieve::default(), near: Sieve::default(), coplanar: Sieve::default() }
    }
}

impl<C: Candidate> Candidates<C> {
    /// Tests all of them.
    fn test<const MODE: Mode, const N: usize>(&mut self, scene: &Scene<N>, found: &mut Found) {
        let Some(&any) = self.all.as_slice().first() else { return };
        let feature_bounds = scene.culling.feature_bounds;
        self.near.reset(self.all.len, any);
        for &candidate in self.all.as_slice() {
            self.near.push_if(!(feature_bounds && candidate.apart::<MODE, N>(scene)), candidate.ordered());
        }
        found.stats.culled.kdop += (self.all.len - self.near.len) as u64;
        if N > 2 || scene.margin.separation > 0.0 {
            self.near.as_slice().iter().for_each(|&candidate| found.test(scene, candidate));
            return;
        }
        found.stats.elementary_tests += self.near.len as u64;
        self.coplanar.reset(self.near.len, (any, Cubic::ZERO));
        for &candidate in self.near.as_slice() {
            let cubic = coplanar::<C::Pair, N>(scene.moving(candidate.vertices()));
            self.coplanar.push_if(!cubic.never_zero(), (candidate, cubic));
        }
        for &(candidate, cubic) in self.coplanar.as_slice() {
            let points = scene.moving(candidate.vertices());
            found.record(scene, candidate, verdict_of_coplanar::<C::Pair, N>(&cubic, points, scene.margin));
        }
    }

    fn bytes(&self) -> usize {
        self.all.bytes() + self.near.bytes() + self.coplanar.bytes()
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
        let mut apart = 0;
        self.strangers.reset(count, [0; 2]);
        for pair in pairs {
            let [one, other] = leaves(pair);
            let adjacent = share_vertex(&one.corners, &other.corners);
            if adjacent && !orphans {
                found.test_adjacent(scene, [one.triangle, other.triangle]);
            }
            let [ninth, its_ninth] = pair.map(|place| &scene.ninths[place as usize]);
            let overlap = ninth.overlaps::<MODE>(its_ninth);
            apart += u64::from(!overlap);
            self.strangers.push_if(overlap & !adjacent, pair);
        }
        found.stats.triangle_pairs += count as u64 - apart;
        if orphans {
            found.stats.culled.orphan += (count - self.strangers.len) as u64 - apart;
        }
        let room = self.strangers.len;
        self.vertex_face.all.reset(6 * room, VertexAndFace { vertex: 0, corners: [0; 3], face: 0 });
        self.edge_edge.all.reset(9 * room, TwoEdges([[0; 2]; 2]));
        for pair in self.strangers.as_slice().iter().copied().map(leaves) {
            let represented =
                if representatives { Leaf::represented(scene.topology, pair) } else { Leaf::all_pairs(pair) };
            found.stats.culled.representative += 15 - represented.len();
            // All fifteen are looked at: they take less time than to guess how many there are.
            for (side, leaf, other) in [(0, pair[0], pair[1]), (1, pair[1], pair[0])] {
                for (i, vertex) in leaf.corners.into_iter().enumerate() {
                    let candidate = VertexAndFace { vertex, corners: other.corners, face: other.triangle };
                    self.vertex_face.all.push_if(represented.has_corner(side, i), candidate);
                }
            }
            let [edges, others] = pair.map(|leaf| [0, 1, 2].map(|i| [leaf.corners[i], leaf.corners[(i + 1) % 3]]));
            for (i, edge) in edges.into_iter().enumerate() {
                for (j, other) in others.into_iter().enumerate() {
                    self.edge_edge.all.push_if(represented.has_edges(i, j), TwoEdges([edge, other]));
                }
            }
        }
        self.vertex_face.test::<MODE, N>(scene, found);
        self.edge_edge.test::<MODE, N>(scene, found);
    }

    pub fn bytes(&self) -> usize {
        self.strangers.bytes() + self.vertex_face.bytes() + self.edge_edge.bytes()
    }
}
