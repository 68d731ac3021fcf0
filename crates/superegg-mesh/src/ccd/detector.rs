//! The detector: keeps connectivity, hierarchy and orphans between frames and answers queries.

use std::sync::Mutex;

use glam::DVec3;
use rayon::prelude::*;

use crate::mesh::{MeshError, TriangleMesh, check_positions};
use crate::stopwatch::Stopwatch;
use crate::topology::Topology;

use super::contour::Contours;
use super::dop::{Dop, Frame, MOVING_DOP, Mode, Ninth, SWEPT_BOX, SWEPT_DOP, Track};
use super::objects::ObjectTree;
use super::options::{Bounds, Options, Search};
use super::orphan::OrphanSet;
use super::pairs::{Found, Scene};
use super::path::deviation;
use super::report::Report;
use super::representative::{Leaf, Representatives};
use super::traverse::{Done, Hierarchy, Task, Worker, tasks};
use super::tree::{Forest, Node};

/// The first contact is looked for before these times in turn: an early one is found among few candidates.
const HORIZONS: [f64; 3] = [1.0 / 64.0, 1.0 / 8.0, 1.0];

/// Finds collisions of a deforming mesh, frame after frame.
///
/// ```
/// use superegg_mesh::{DVec3, TriangleMesh};
/// use superegg_mesh::ccd::{Detector, Options};
/// // A triangle falls through another.
/// let z = |z: f64| [[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]].map(DVec3::from_array);
/// let frame = |height: f64| [z(0.0), z(height)].concat();
/// let mesh = TriangleMesh::new(frame(1.0), vec![[0, 1, 2], [3, 4, 5]])?;
/// let mut detector = Detector::new(&mesh, Options::default());
/// let report = detector.detect(&frame(1.0), &frame(-1.0))?;
/// assert!((report.time_of_impact.unwrap() - 0.5).abs() < 1e-12);
/// assert!(report.vertex_face.iter().any(|hit| (hit.vertex, hit.face) == (3, 0)));
/// # Ok::<(), superegg_mesh::MeshError>(())
/// ```
#[derive(Debug)]
pub struct Detector {
    pub(super) topology: Topology,
    pub(super) options: Options,
    pub(super) forest: Forest,
    pub(super) contours: Contours,
    pub(super) orphans: OrphanSet,
    pub(super) representatives: Representatives,
    pub(super) objects: ObjectTree,
    /// The triangles in the order of the leaves.
    leaves: Vec<Leaf>,
    /// The control points of all vertices, those of a vertex together.
    motion: Vec<DVec3>,
    tracks: Vec<Track>,
    /// How far each vertex deviates from its track, in steps of bounds; empty for linear motion.
    deviations: Vec<i16>,
    dops: Vec<Dop>,
    /// Of the triangles, in the order of the leaves.
    ninths: Vec<Ninth>,
    workers: Mutex<Vec<Worker>>,
}

/// What a detector holds in memory, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Everything between queries.
    pub total: usize,
    /// Triangles, edges and incidence.
    pub topology: usize,
    /// Trees, bounds and contours.
    pub hierarchy: usize,
}

/// Marks a triangle around which nothing was proved free.
const NO_REGION: u32 = u32::MAX;

/// Most triangles around a vertex of a mesh whose orphans are listed: the triangles of a fan are all adjacent, so that every
/// pair of its edges is an orphan, and their number grows with the square of the fan's.
const LARGEST_FAN: usize = 512;

/// The options that a topology can be searched with: pairs of adjacent triangles are tested as they are met, rather than listed
/// beforehand, in a mesh with large fans.
pub(super) fn suited(topology: &Topology, mut options: Options) -> Options {
    let around = |vertex: u32| topology.triangles_of_vertex(vertex).len();
    options.culling.orphans &= (0..topology.vertex_count() as u32).all(|vertex| around(vertex) <= LARGEST_FAN);
    options
}

impl Detector {
    /// Prepares for a mesh; its positions shape the hierarchy, which then follows the motion.
    pub fn new(mesh: &TriangleMesh, options: Options) -> Detector {
        // A mesh is validated: its triangles make a topology.
        let topology = Topology::new(mesh.positions().len(), mesh.triangles().to_vec()).expect("a validated mesh");
        let options = suited(&topology, options);
        let forest = build_forest(&topology, mesh.positions(), &options);
        let mut detector = Detector {
            contours: Contours::new(&topology, &forest),
            orphans: if options.culling.orphans { OrphanSet::new(&topology) } else { OrphanSet::default() },
            options,
            representatives: Representatives::new(&topology),
            objects: ObjectTree::default(),
            leaves: Vec::new(),
            motion: Vec::new(),
            tracks: Vec::new(),
            deviations: Vec::new(),
            dops: Vec::new(),
            ninths: Vec::new(),
            workers: Mutex::default(),
            topology,
            forest,
        };
        detector.make_room();
        detector
    }

    /// Lists the leaves and makes room for bounds, whose values the next query computes.
    pub(super) fn make_room(&mut self) {
        let leaf = |&triangle: &u32| self.representatives.leaf(&self.topology, triangle);
        self.leaves = self.forest.order.iter().map(leaf).collect();
        let (nodes, leaves) = (self.forest.nodes.len(), self.forest.order.len());
        resize(&mut self.tracks, self.topology.vertex_count(), Track::CENTRE);
        resize(&mut self.dops, nodes, Dop::EMPTY);
        resize(&mut self.ninths, leaves, Ninth::CENTRE);
    }

    /// The connectivity.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// The orphan pairs.
    pub fn orphans(&self) -> &OrphanSet {
        &self.orphans
    }

    /// How many connected objects there are.
    pub fn object_count(&self) -> usize {
        self.forest.roots.len()
    }

    /// Finds the collisions while every vertex moves linearly from `start` to `end`.
    pub fn detect(&mut self, start: &[DVec3], end: &[DVec3]) -> Result<Report, MeshError> {
        self.detect_curved([start, end])
    }

    /// Finds the collisions while every vertex moves along a Bézier curve, given by layers of control points: two for
    /// linear motion, three for quadratic, four for cubic. The first layer is where vertices start, the last where
    /// they end.
    ///
    /// ```
    /// use superegg_mesh::{DVec3, TriangleMesh};
    /// use superegg_mesh::ccd::{Detector, Options};
    /// // A triangle dips through another and comes back.
    /// let z = |z: f64| [[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]].map(DVec3::from_array);
    /// let layer = |height: f64| [z(0.0), z(height)].concat();
    /// let mesh = TriangleMesh::new(layer(1.0), vec![[0, 1, 2], [3, 4, 5]])?;
    /// let mut detector = Detector::new(&mesh, Options::default());
    /// assert_eq!(detector.detect(&layer(1.0), &layer(1.0))?.time_of_impact, None);
    /// let report = detector.detect_curved([&layer(1.0), &layer(-3.0), &layer(1.0)])?;
    /// // 1 - 8 t (1 - t) = 0
    /// assert!((report.time_of_impact.unwrap() - (0.5 - 0.125f64.sqrt())).abs() < 1e-9);
    /// # Ok::<(), superegg_mesh::MeshError>(())
    /// ```
    pub fn detect_curved<const N: usize>(&mut self, layers: [&[DVec3]; N]) -> Result<Report, MeshError> {
        const { assert!(N >= 2 && N <= 4, "two to four control points") };
        for positions in layers {
            if positions.len() != self.topology.vertex_count() {
                return Err(MeshError::VertexCount { expected: self.topology.vertex_count(), found: positions.len() });
            }
            check_positions(positions)?;
        }
        self.motion.clear();
        self.motion.reserve_exact(N * self.topology.vertex_count());
        self.motion.extend((0..self.topology.vertex_count()).flat_map(|vertex| layers.map(|layer| layer[vertex])));
        let mut report = Report::default();
        match self.options.search {
            Search::AllCollisions => self.search::<N>(1.0, &mut report),
            Search::FirstContact => {
                for horizon in HORIZONS {
                    self.search::<N>(horizon, &mut report);
                    if report.time_of_impact.is_some() {
                        break;
                    }
                }
            }
        }
        Ok(report)
    }

    /// Searches up to `latest` and adds what it finds to the report.
    fn search<const N: usize>(&mut self, latest: f64, report: &mut Report) {
        match self.options.culling.bounds {
            Bounds::SweptBoxes => self.search_with::<SWEPT_BOX, N>(latest, report),
            Bounds::Swept18Dops => self.search_with::<SWEPT_DOP, N>(latest, report),
            Bounds::Moving18Dops => self.search_with::<MOVING_DOP, N>(latest, report),
        }
    }

    fn search_with<const MODE: Mode, const N: usize>(&mut self, latest: f64, report: &mut Report) {
        let started = Stopwatch::start();
        let frame = Frame::new::<N>(self.motion.iter(), self.options.margin, latest);
        self.refit::<N>(&frame);
        let roots: Vec<Dop> = self.forest.roots.iter().map(|&root| self.dops[root as usize]).collect();
        self.objects.update(&roots);
        report.stats.ms.update += started.milliseconds();

        let started = Stopwatch::start();
        let scene = Scene {
            topology: &self.topology,
            motion: self.motion.as_chunks::<N>().0,
            leaves: &self.leaves,
            ninths: &self.ninths,
            frame: &frame,
            tracks: &self.tracks,
            deviations: &self.deviations,
            culling: self.options.culling,
            margin: self.options.margin,
            latest,
            first_only: self.options.search == Search::FirstContact,
        };
        let hierarchy = Hierarchy {
            forest: &self.forest,
            dops: &self.dops,
            contours: &self.contours,
            with_cones: self.with_cones(),
        };
        let tasks = tasks::<MODE>(&hierarchy, &self.objects.overlapping_pairs::<MODE>());
        report.stats.ms.traverse += started.milliseconds();

        let run = |&task: &Task| {
            // A worker that panicked is not put back; the lock itself is never held while working.
            let taken = self.workers.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).pop();
            let mut worker = taken.unwrap_or_default();
            let done = worker.run::<MODE, N>(&scene, &hierarchy, task);
            self.workers.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(worker);
            done
        };
        let mut parts: Vec<Done> = tasks.par_iter().map(run).collect();

        if self.options.culling.orphans {
            let started = Stopwatch::start();
            let found = test_orphans(&scene, &self.orphans, &self.regions(&parts));
            parts.push(Done { found, free: Vec::new() });
            report.stats.ms.test += started.milliseconds();
        }
        let exhaustive = !(self.options.culling.orphans && self.options.culling.representatives);
        gather(parts, scene.first_only, exhaustive, report);
    }

    /// Whether patches are looked at as a whole. One that cannot touch itself may still come close to itself.
    fn with_cones(&self) -> bool {
        self.options.culling.normal_cones && self.options.margin.separation == 0.0
    }

    /// For each triangle, the node that was proved free around it; empty when nothing was looked for.
    fn regions(&self, parts: &[Done]) -> Vec<u32> {
        if !self.with_cones() {
            return Vec::new();
        }
        let mut regions = vec![NO_REGION; self.forest.order.len()];
        for &node in parts.iter().flat_map(|part| &part.free) {
            let Node { first, count } = self.forest.nodes[node as usize];
            for &triangle in &self.forest.order[first as usize..(first + count) as usize] {
                regions[triangle as usize] = node;
            }
        }
        regions
    }

    /// Bounds for the motion, bottom-up.
    fn refit<const N: usize>(&mut self, frame: &Frame) {
        self.deviations.clear();
        for (track, control) in self.tracks.iter_mut().zip(self.motion.as_chunks::<N>().0) {
            let local = frame.local(control);
            *track = frame.track(&local);
            if N > 2 {
                self.deviations.push(frame.steps(deviation(&local)));
            }
        }
        for node in (0..self.forest.nodes.len() as u32).rev() {
            let index = node as usize;
            if self.forest.is_leaf(node) {
                let place = self.forest.nodes[index].first as usize;
                let corners = self.leaves[place].corners;
                let [a, b, c] = corners.map(|v| &self.tracks[v as usize]);
                let deviating = |v: &u32| self.deviations[*v as usize];
                let off = if N == 2 { 0 } else { corners.iter().map(deviating).fold(0, i16::max) };
                let slack = frame.slack.saturating_add(off);
                self.dops[index] = Dop::of_triangle(a, b, c, slack);
                self.ninths[place] = Ninth::of_triangle(a, b, c, slack);
            } else {
                let [left, right] = self.forest.children(node);
                self.dops[index] = self.dops[left as usize].union(&self.dops[right as usize]);
            }
        }
    }

    /// Memory held between queries.
    pub fn memory(&self) -> Memory {
        let topology = self.topology.bytes();
        let hierarchy = self.forest.bytes()
            + self.contours.bytes()
            + self.objects.bytes()
            + self.dops.capacity() * size_of::<Dop>()
            + self.ninths.capacity() * size_of::<Ninth>()
            + self.tracks.capacity() * size_of::<Track>()
            + self.leaves.capacity() * size_of::<Leaf>()
            + self.representatives.bytes();
        let workers = self.workers.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let rest = self.motion.capacity() * size_of::<DVec3>()
            + self.deviations.capacity() * size_of::<i16>()
            + size_of_val(self.orphans.vertex_face())
            + size_of_val(self.orphans.edge_edge())
            + workers.iter().map(Worker::bytes).sum::<usize>();
        Memory { total: topology + hierarchy + rest, topology, hierarchy }
    }
}

pub(super) fn build_forest(topology: &Topology, positions: &[DVec3], options: &Options) -> Forest {
    if options.culling.two_level {
        Forest::by_connectivity(topology, positions)
    } else {
        Forest::by_space(topology, positions)
    }
}

/// As [`Vec::resize`], without growing by more than is needed.
fn resize<T: Clone>(items: &mut Vec<T>, len: usize, value: T) {
    items.reserve_exact(len.saturating_sub(items.len()));
    items.resize(len, value);
}

/// Tests the orphan pairs that do not lie in a free patch.
fn test_orphans<const N: usize>(scene: &Scene<N>, orphans: &OrphanSet, regions: &[u32]) -> Found {
    let topology = scene.topology;
    let mut found = Found::default();
    // Both features lie in a free patch when triangles around them do.
    let is_free = |of_one: &[u32], of_other: &[u32]| {
        !regions.is_empty()
            && of_one.iter().any(|&a| {
                let region = regions[a as usize];
                region != NO_REGION && of_other.iter().any(|&b| regions[b as usize] == region)
            })
    };
    for &[vertex, face] in orphans.vertex_face() {
        if !is_free(topology.triangles_of_vertex(vertex), &[face]) {
            found.stats.orphan_tests += 1;
            found.test_vertex_face(scene, vertex, face);
        }
    }
    for &[one, other] in orphans.edge_edge() {
        let triangles = |[a, b]: [u32; 2]| topology.edge_between(a, b).map(|edge| topology.triangles_of_edge(edge));
        let (Some(of_one), Some(of_other)) = (triangles(one), triangles(other)) else { continue };
        if !is_free(of_one, of_other) {
            found.stats.orphan_tests += 1;
            found.test_edge_edge(scene, one, other);
        }
    }
    found
}

/// Puts the parts of a query together, in an order that does not depend on how it was cut up.
fn gather(parts: Vec<Done>, first_only: bool, repeated: bool, report: &mut Report) {
    let earliest = parts.iter().filter_map(|part| part.found.earliest).reduce(f64::min);
    report.time_of_impact = earliest;
    for part in &parts {
        report.stats.add(&part.found.stats);
        let matters = |time: f64| !first_only || Some(time) == earliest;
        report.vertex_face.extend(part.found.vertex_face.iter().filter(|hit| matters(hit.time)));
        report.edge_edge.extend(part.found.edge_edge.iter().filter(|hit| matters(hit.time)));
    }
    sort(&mut report.vertex_face, |hit| hit.vertex, |hit| u128::from(hit.face));
    sort(
        &mut report.edge_edge,
        |hit| hit.edges[0][0],
        |hit| {
            let [[_, b], [c, d]] = hit.edges;
            [b, c, d].into_iter().fold(0, |all, vertex| all << 32 | u128::from(vertex))
        },
    );
    if repeated {
        report.vertex_face.dedup();
        report.edge_edge.dedup();
    }
    if first_only {
        report.vertex_face.truncate(1);
        report.edge_edge.truncate(1 - report.vertex_face.len());
    }
}

/// Sorts by a vertex, and those of one vertex by another key. Where there are many, counting them by their vertex leaves
/// little to compare.
fn sort<T: Copy>(items: &mut Vec<T>, vertex: impl Fn(&T) -> u32, key: impl Fn(&T) -> u128) {
    let last = items.iter().map(&vertex).max().unwrap_or(0) as usize;
    if items.len() <= last / 8 {
        items.sort_unstable_by_key(|item| (vertex(item), key(item)));
        return;
    }
    let Some(&any) = items.first() else { return };
    let mut ends = vec![0u32; last + 2];
    items.iter().for_each(|item| ends[vertex(item) as usize + 1] += 1);
    for i in 1..ends.len() {
        ends[i] += ends[i - 1];
    }
    let mut sorted = vec![any; items.len()];
    for item in items.iter() {
        let place = &mut ends[vertex(item) as usize];
        sorted[*place as usize] = *item;
        *place += 1;
    }
    *items = sorted;
    items.chunk_by_mut(|a, b| vertex(a) == vertex(b)).for_each(|alike| alike.sort_unstable_by_key(&key));
}
