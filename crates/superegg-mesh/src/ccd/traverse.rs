//! Walks the hierarchy: within patches (where normal cones and contours may prove them free) and between them.
//!
//! The work is first cut into tasks in a way that depends on the hierarchy alone; tasks may run on any number of
//! threads, and their results are put together in order.

use crate::stopwatch::Stopwatch;

use super::cone::positive_direction;
use super::contour::Contours;
use super::dop::{Dop, Mode};
use super::pairs::{Found, Scene, Workbench};
use super::projection::{Outcome, Projection};
use super::tree::Forest;

/// Patches of more triangles than this are split between tasks.
const GRAIN: u32 = 1024;

/// Triangle pairs are tested in batches of about as many, one kind of work after the other.
const BATCH: usize = 1024;

/// So many pairs of nodes are taken apart at once: what becomes of one need not be known to begin with another.
const BLOCK: usize = 64;

/// The hierarchy as it stands for a query.
#[derive(Clone, Copy)]
pub(super) struct Hierarchy<'a> {
    pub forest: &'a Forest,
    pub dops: &'a [Dop],
    pub contours: &'a Contours,
    /// Whether patches may be proved free by normal cones and contours.
    pub with_cones: bool,
}

/// A piece of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// All pairs within a patch.
    Within(u32),
    /// All pairs between two patches.
    Between(u32, u32),
}

/// Cuts the work for whole objects into tasks.
pub(super) fn tasks<const MODE: Mode>(hierarchy: &Hierarchy, object_pairs: &[[u32; 2]]) -> Vec<Task> {
    let forest = hierarchy.forest;
    let count = |node: u32| forest.nodes[node as usize].count;
    let mut done = Vec::new();
    let mut stack: Vec<Task> = forest.roots.iter().map(|&root| Task::Within(root)).collect();
    stack.extend(object_pairs.iter().map(|pair| {
        let [a, b] = pair.map(|object| forest.roots[object as usize]);
        Task::Between(a, b)
    }));
    while let Some(task) = stack.pop() {
        match task {
            // A patch with a contour may yet be proved free as a whole.
            Task::Within(node) if count(node) > GRAIN && hierarchy.contours.of(forest, node).is_empty() => {
                let [left, right] = forest.children(node);
                stack.extend([Task::Within(left), Task::Within(right), Task::Between(left, right)]);
            }
            Task::Between(a, b) if count(a).max(count(b)) > GRAIN => {
                if hierarchy.dops[a as usize].overlaps::<MODE>(&hierarchy.dops[b as usize]) {
                    stack.extend(descend(forest, a, b).map(|(a, b)| Task::Between(a, b)));
                }
            }
            _ => done.push(task),
        }
    }
    done
}

/// Splits the larger of two nodes that are not both leaves.
#[inline]
fn descend(forest: &Forest, a: u32, b: u32) -> [(u32, u32); 2] {
    if forest.nodes[a as usize].count >= forest.nodes[b as usize].count {
        forest.children(a).map(|child| (child, b))
    } else {
        forest.children(b).map(|child| (a, child))
    }
}

/// What one thread needs besides; kept between queries.
#[derive(Debug, Default)]
pub(super) struct Worker {
    projection: Projection,
    /// Pairs of nodes whose bounds overlap, not both leaves.
    stack: Vec<[u32; 2]>,
    /// Pairs of leaves whose bounds overlap.
    batch: Vec<[u32; 2]>,
    workbench: Workbench,
}

/// What a task found.
#[derive(Debug, Default)]
pub(super) struct Done {
    pub found: Found,
    /// Nodes proved free of self-contact.
    pub free: Vec<u32>,
}

/// A patch to look into, and what is known from the patches around it.
struct Visit {
    node: u32,
    /// Whether the projection's current axis is good for this patch.
    has_axis: bool,
    /// Contour edges that failed for a patch around this one.
    crossed: Option<[u32; 2]>,
}

impl Worker {
    /// Does a task.
    pub fn run<const MODE: Mode, const N: usize>(
        &mut self,
        scene: &Scene<N>,
        hierarchy: &Hierarchy,
        task: Task,
    ) -> Done {
        let mut done = Done::default();
        let started = Stopwatch::start();
        match task {
            Task::Within(node) => self.within::<MODE, N>(scene, hierarchy, node, &mut done),
            Task::Between(a, b) => {
                if hierarchy.dops[a as usize].overlaps::<MODE>(&hierarchy.dops[b as usize]) {
                    self.add([a, b], hierarchy.forest);
                }
            }
        }
        self.take_apart::<MODE, N>(scene, hierarchy, 0, &mut done.found);
        self.flush::<MODE, N>(scene, hierarchy, &mut done.found);
        let total = started.milliseconds();
        done.found.stats.ms.traverse = total - done.found.stats.ms.test;
        done
    }

    fn within<const MODE: Mode, const N: usize>(
        &mut self,
        scene: &Scene<N>,
        hierarchy: &Hierarchy,
        node: u32,
        done: &mut Done,
    ) {
        let forest = hierarchy.forest;
        let mut stack = vec![Visit { node, has_axis: false, crossed: None }];
        // Depth first: the axis chosen at a node serves all below it, and the next axis is chosen after them.
        while let Some(mut visit) = stack.pop() {
            if forest.is_leaf(visit.node) {
                continue;
            }
            if hierarchy.with_cones && self.is_free(scene, hierarchy, &mut visit, done) {
                done.free.push(visit.node);
                done.found.stats.culled.normal_cone += 1;
                continue;
            }
            let [left, right] = forest.children(visit.node);
            self.add([left, right], forest);
            self.take_apart::<MODE, N>(scene, hierarchy, BLOCK, &mut done.found);
            let how = scene.culling.contour;
            let inherit = |node| Visit {
                node,
                has_axis: visit.has_axis && how.reuse_projections,
                crossed: visit.crossed.filter(|_| how.remember_crossings),
            };
            stack.extend([inherit(right), inherit(left)]);
        }
    }

    /// Whether a patch is proved free of self-contact.
    fn is_free<const N: usize>(
        &mut self,
        scene: &Scene<N>,
        hierarchy: &Hierarchy,
        visit: &mut Visit,
        done: &mut Done,
    ) -> bool {
        let contour = hierarchy.contours.of(hierarchy.forest, visit.node);
        if contour.is_empty() {
            return false;
        }
        if let Some(crossed) = visit.crossed
            && crossed.iter().all(|edge| contour.binary_search(edge).is_ok())
        {
            return false;
        }
        if !visit.has_axis {
            let corners = |&triangle: &u32| scene.topology.corners(triangle).map(|v| &scene.motion[v as usize]);
            let triangles = hierarchy.forest.triangles(visit.node).iter().map(corners);
            let Some(axis) = positive_direction(triangles, scene.latest) else { return false };
            let origin = scene.motion[scene.topology.edges()[contour[0] as usize][0] as usize][0];
            self.projection.begin(scene.motion, axis, origin, scene.latest);
            visit.has_axis = true;
        }
        done.found.stats.contour_tests += 1;
        match self.projection.test(scene.topology, scene.motion, contour, scene.culling.contour) {
            Outcome::Simple => true,
            Outcome::Crossed(edges) => {
                visit.crossed = Some(edges);
                false
            }
        }
    }

    /// Adds a pair of nodes to what is to be taken apart or tested.
    #[inline]
    fn add(&mut self, pair: [u32; 2], forest: &Forest) {
        let leaves = pair.iter().all(|&node| forest.is_leaf(node));
        let list = if leaves { &mut self.batch } else { &mut self.stack };
        list.push(pair);
    }

    /// Takes pairs of nodes apart until no more than `most` are left.
    fn take_apart<const MODE: Mode, const N: usize>(
        &mut self,
        scene: &Scene<N>,
        hierarchy: &Hierarchy,
        most: usize,
        found: &mut Found,
    ) {
        let Hierarchy { forest, dops, .. } = *hierarchy;
        let count = |node: u32| forest.nodes[node as usize].count;
        let mut block = [[0; 2]; BLOCK];
        while self.stack.len() > most {
            let (mut waiting, mut ready) = (self.stack.len() - self.stack.len().min(BLOCK), self.batch.len());
            let taken = self.stack.len() - waiting;
            block[..taken].copy_from_slice(&self.stack[waiting..]);
            // Every pair of children is written, and kept or written over.
            self.stack.resize(waiting + 2 * taken + 1, [0; 2]);
            self.batch.resize(ready + 2 * taken + 1, [0; 2]);
            for &[a, b] in &block[..taken] {
                // The larger one is split.
                let (split, other) = if count(a) >= count(b) { (a, b) } else { (b, a) };
                let dop = &dops[other as usize];
                let alone = count(other) == 1;
                for child in forest.children(split) {
                    let overlap = dops[child as usize].overlaps::<MODE>(dop);
                    let leaves = alone & (count(child) == 1);
                    self.stack[waiting] = [child, other];
                    waiting += usize::from(overlap & !leaves);
                    self.batch[ready] = [child, other];
                    ready += usize::from(overlap & leaves);
                }
            }
            self.stack.truncate(waiting);
            self.batch.truncate(ready);
            if self.batch.len() >= BATCH {
                self.flush::<MODE, N>(scene, hierarchy, found);
            }
        }
    }

    /// Tests the triangle pairs gathered so far.
    fn flush<const MODE: Mode, const N: usize>(&mut self, scene: &Scene<N>, hierarchy: &Hierarchy, found: &mut Found) {
        if self.batch.is_empty() {
            return;
        }
        let started = Stopwatch::start();
        let pairs = self.batch.iter().map(|leaves| leaves.map(|leaf| hierarchy.forest.nodes[leaf as usize].first));
        self.workbench.test_triangles::<MODE, N>(scene, pairs, found);
        self.batch.clear();
        found.stats.ms.test += started.milliseconds();
    }

    pub fn bytes(&self) -> usize {
        let lists = self.stack.capacity() + self.batch.capacity();
        self.projection.bytes() + self.workbench.bytes() + lists * size_of::<[u32; 2]>()
    }
}
