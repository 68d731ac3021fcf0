//! A tree of boxes over the triangles of surfaces that must not pass through themselves, each other or meshes.
//!
//! The triangles keep the order of neighbourhood of their surface; the tree halves that order again and again, and only its
//! boxes change as things move. Every vertex and edge is owned by one of its triangles, so that each pair of features is met
//! once, as with the representative triangles of ICCD (Tang et al.).
//!
//! `superegg-world` has a tree of boxes, too, but for another task: its leaves are separate bodies that come, go and move a
//! little, and the tree changes its shape with them. Here the leaves are always the same, the shape of the tree is the cloth's
//! own, so that a node stands for a patch and can be skipped as a whole when it is smooth, and all boxes change at every
//! search, for which one sweep backwards over an array is enough.
//!
//! A patch whose normals are all within [`SMOOTH`] of one direction, and whose sides are within [`STRAIN`] of their rest
//! lengths, at the start and at the end of the time that is looked ahead, is not searched for contacts with itself, if it is convex at rest: seen along that direction it is a map of a
//! convex region that stretches and shrinks by bounded factors, and such maps with a ratio below √2 are one-to-one (F. John
//! 1968, "On quasi-isometric mappings"). The rims of patches are jagged, so the triangles in the notches of one have to be as
//! smooth, too: else a notch could close, and its two sides meet. The same is true of the ring of triangles around a vertex
//! ([`ConvexRings`]), which tells most of those that only meet there.
//!
//! Meshes are rigid: their triangles do not meet each other, and as long as one stays where it is so do its boxes.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroU32;
use std::ops::Range;

use glam::{DVec3, Vec3A};

use super::convex_rings::{ConvexRings, Triangle};
use super::edge_sharpness::{Sharpness, edge_sharpness};
use super::mesh_vertices::MeshVertices;
use crate::body::{Friction, Groups};
use crate::cloth::Part;
use crate::cloth::surface::Surface;

/// What the triangles of a surface keep away from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Themselves, others of this kind, and meshes.
    Apart,
    /// Meshes alone.
    Through,
    /// Everything but meshes.
    Mesh,
}

impl Kind {
    fn meets(self, other: Kind) -> bool {
        match (self, other) {
            (Kind::Apart, Kind::Apart) => true,
            (one, other) => (one == Kind::Mesh) != (other == Kind::Mesh),
        }
    }
}

/// Cloth keeps at least this part of its mean edge away from meshes: at no distance there are no sides.
const LEAST_OFFSET: f64 = 1e-3;

/// A triangle that may meet others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Face {
    pub corners: [u32; 3],
    pub friction: Friction,
    kind: Kind,
    /// How far it wants to stay away from others of its kind.
    separation: f64,
    /// And from meshes; an mesh asks for nothing.
    offset: f64,
    /// Those of its corners and edges that it owns, the first and the one behind the last.
    vertices: [u32; 2],
    edges: [u32; 2],
    /// Squared lengths at rest of the sides from corner 0 to 1, 1 to 2 and 2 to 0.
    rest_sq: [f64; 3],
}

/// An edge of a face.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub ends: [u32; 2],
    /// The part of the separation that it keeps from other edges.
    pub share: f64,
    /// The box around it and its course.
    pub course: Bounds,
}

/// That part for edges at which a mesh hardly bends.
const GENTLE_SHARE: f64 = 0.5;

impl Face {
    /// How far it wants to stay away from others of its kind.
    pub fn separation(&self) -> f64 {
        self.separation
    }

    /// How far it is to stay away from another.
    pub fn separation_from(&self, other: &Face) -> f64 {
        match (self.kind, other.kind) {
            (Kind::Mesh, _) | (_, Kind::Mesh) => self.offset + other.offset,
            _ => 0.5 * (self.separation + other.separation),
        }
    }
}

/// Features within this many separations are looked at in every substep: pushes of others may bring them closer.
pub(crate) const NEARBY: f64 = 1.25;

/// Cosine of the angle between a smooth patch's normals and their mean: 29°.
const SMOOTH: f64 = 0.875;
/// Largest relative change of length of a smooth patch's sides: 1.1 / (0.9 · 0.875) is below √2.
const STRAIN: f64 = 0.1;

/// Boxes in single precision where courses begin and where they end, wide enough to hold what they are said to hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    min: [Vec3A; 2],
    max: [Vec3A; 2],
}

/// Around nothing.
const NOTHING: Bounds = Bounds { min: [Vec3A::INFINITY; 2], max: [Vec3A::NEG_INFINITY; 2] };

impl Bounds {
    #[inline(always)]
    pub fn with(self, other: Bounds) -> Bounds {
        let ([a, b], [c, d]) = (self.min, other.min);
        let ([e, f], [g, h]) = (self.max, other.max);
        Bounds { min: [a.min(c), b.min(d)], max: [e.max(g), f.max(h)] }
    }

    /// Whether two may meet on their courses. What is apart along an axis, on the same side, at both ends is apart all the way, however far
    /// both go together.
    #[inline(always)]
    pub fn meets(&self, other: &Bounds) -> bool {
        let before = self.max[0].cmplt(other.min[0]) & self.max[1].cmplt(other.min[1]);
        let after = self.min[0].cmpgt(other.max[0]) & self.min[1].cmpgt(other.max[1]);
        !(before | after).any()
    }
}

/// The tree of a surface.
#[derive(Clone, Copy, Debug)]
struct Root {
    node: u32,
    kind: Kind,
    /// The node behind its last.
    end: u32,
    /// Its first particle and the one behind its last.
    particles: [u32; 2],
    groups: Groups,
    /// Whether its patches are convex at rest.
    convex: bool,
    /// Which mesh it is, and after how many moves its boxes were made, if it has not moved since.
    mesh: u32,
    fitted: Option<u64>,
}

impl Root {
    fn particles(&self) -> Range<usize> {
        self.particles[0] as usize..self.particles[1] as usize
    }
}

/// Most faces of a node without children: so few are quicker compared one by one.
const LEAF: u32 = 8;

/// Some faces, one after the other. Its children are behind it: the left one next, the right one after all of the left.
#[derive(Clone, Copy, Debug)]
struct Node {
    first: u32,
    count: u32,
    /// The right child, if there are children.
    right: Option<NonZeroU32>,
}

impl Node {
    fn faces(&self) -> Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

/// The triangles and their trees, one a surface.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    pub faces: Vec<Face>,
    /// What faces own, one after the other.
    vertices: Vec<u32>,
    edges: Vec<Edge>,
    nodes: Vec<Node>,
    /// Of each node, and of each face.
    bounds: Vec<Bounds>,
    boxes: Vec<Bounds>,
    roots: Vec<Root>,
    /// The largest distance within which two faces are looked at.
    thickest: f64,
    /// The faces in the notches of each node's rim: not of the node, but all of their corners are. Where each one's begin.
    notches: Vec<u32>,
    notch_starts: Vec<u32>,
    /// Unit normals of each face at the start and at the end of its course, zero where it is strained, and the sums of the first of those
    /// before it.
    normals: Vec<[DVec3; 2]>,
    sums: Vec<DVec3>,
    /// The rings around vertices that are convex at rest, and which of them are smooth.
    rings: ConvexRings,
    smooth: Vec<bool>,
    /// The faces around each particle.
    around: Vec<Vec<u32>>,
    /// Where each particle's course ends, and the box around it.
    ends: Vec<DVec3>,
    courses: Vec<Bounds>,
    /// How far the corners of each face may stray from their courses, and for how long these are.
    strays: Vec<f64>,
    time: f64,
}

impl Tree {
    /// Over all surfaces that ask for separation; over all there are, and the meshes, if there are meshes.
    pub fn new(parts: &[Part], meshes: &[MeshVertices], places: &[DVec3]) -> Tree {
        let mut tree = Tree::default();
        let mut corner_owned = vec![false; places.len()];
        let mut edge_owned = HashSet::new();
        let mut add = |surface: &Surface, kind: Kind, mesh: u32| {
            if surface.triangles.is_empty() {
                return;
            }
            let (separation, offset) = match kind {
                Kind::Mesh => (0.0, 0.0),
                _ => (surface.separation.unwrap_or(0.0), surface.offset.max(LEAST_OFFSET * surface.edge_length)),
            };
            tree.thickest = tree.thickest.max(NEARBY * separation);
            if !meshes.is_empty() {
                tree.thickest = tree.thickest.max(NEARBY * offset);
            }
            let (node, convex) = (tree.nodes.len() as u32, surface.fills_rectangle);
            let particles = [surface.particles.start as u32, surface.particles.end as u32];
            divide(&mut tree.nodes, tree.faces.len() as u32, surface.triangles.len() as u32);
            let end = tree.nodes.len() as u32;
            tree.roots.push(Root { node, end, kind, particles, groups: surface.groups, convex, mesh, fitted: None });
            let edge_sharpness =
                if kind == Kind::Mesh { edge_sharpness(&surface.triangles, places) } else { HashMap::new() };
            for (&corners, &rest_sq) in surface.triangles.iter().zip(&surface.rest_sq) {
                let (first_vertex, first_edge) = (tree.vertices.len() as u32, tree.edges.len() as u32);
                for i in 0..3 {
                    let (a, b) = (corners[i], corners[(i + 1) % 3]);
                    if !std::mem::replace(&mut corner_owned[a as usize], true) {
                        tree.vertices.push(a);
                    }
                    let edge = (a.min(b), a.max(b));
                    let bend = edge_sharpness.get(&edge).copied().unwrap_or(Sharpness::Sharp);
                    if a != b && edge_owned.insert(edge) && bend != Sharpness::Flat {
                        let share = if bend == Sharpness::Gentle { GENTLE_SHARE } else { 1.0 };
                        tree.edges.push(Edge { ends: [a, b], share, course: NOTHING });
                    }
                }
                let vertices = [first_vertex, tree.vertices.len() as u32];
                let edges = [first_edge, tree.edges.len() as u32];
                let friction = surface.friction;
                tree.faces.push(Face { corners, friction, kind, separation, offset, vertices, edges, rest_sq });
            }
        };
        for surface in parts.iter().map(|part| &part.surface) {
            match surface.separation {
                Some(_) => add(surface, Kind::Apart, 0),
                None if !meshes.is_empty() => add(surface, Kind::Through, 0),
                None => {}
            }
        }
        for (index, mesh) in (0u32..).zip(meshes) {
            add(&mesh.surface, Kind::Mesh, index);
        }
        (tree.notches, tree.notch_starts) = notches(&tree.faces, &tree.nodes, &tree.roots, places.len());
        let apart = (0u32..).zip(&tree.faces).filter(|(_, face)| face.kind == Kind::Apart);
        let triangles: Vec<Triangle> = apart.map(|(index, face)| (index, face.corners, face.rest_sq)).collect();
        tree.rings = ConvexRings::new(&triangles, places.len());
        tree.smooth = vec![false; places.len()];
        tree.around = vec![Vec::new(); places.len()];
        for (index, face) in (0u32..).zip(&tree.faces) {
            face.corners.iter().for_each(|&p| tree.around[p as usize].push(index));
        }
        tree.ends = vec![DVec3::ZERO; places.len()];
        tree.courses = vec![NOTHING; places.len()];
        tree.normals = vec![[DVec3::ZERO; 2]; tree.faces.len()];
        tree.sums = vec![DVec3::ZERO; tree.faces.len() + 1];
        tree.strays = vec![0.0; tree.faces.len()];
        tree.bounds = vec![NOTHING; tree.nodes.len()];
        tree.boxes = vec![NOTHING; tree.faces.len()];
        tree
    }

    /// Boxes around the faces while they move from `start` by `velocity` for a time, give or take each particle's allowance,
    /// and widened by half the largest distance within which two faces are looked at.
    pub fn refit(
        &mut self,
        meshes: &[MeshVertices],
        start: &[DVec3],
        velocity: &[DVec3],
        time: f64,
        allowance: &[f64],
    ) {
        self.time = time;
        for index in 0..self.roots.len() {
            let Root { node, end, kind, mesh, fitted, .. } = self.roots[index];
            if kind == Kind::Mesh {
                let state = &meshes[mesh as usize];
                let wanted = (!state.has_moved()).then_some(state.moves);
                if wanted.is_some() && wanted == fitted {
                    continue;
                }
                self.roots[index].fitted = wanted;
            }
            for p in self.roots[index].particles() {
                self.ends[p] = start[p] + velocity[p] * time;
                self.courses[p] = self.course_of(start[p], self.ends[p], allowance[p]);
            }
            self.refit_faces(node, kind, start, allowance);
            self.refit_boxes(node..end);
        }
    }

    /// Boxes around both ends of a way that is straight but for an allowance.
    fn course_of(&self, from: DVec3, to: DVec3, allowance: f64) -> Bounds {
        // Rounding to single precision moves a coordinate by less than this.
        let rounding = 1e-7 * from.abs().max(to.abs()).max_element();
        let wide = 0.5 * self.thickest + allowance + rounding;
        Bounds {
            min: [from, to].map(|end| (end - wide).as_vec3a()),
            max: [from, to].map(|end| (end + wide).as_vec3a()),
        }
    }

    fn refit_faces(&mut self, root: u32, kind: Kind, start: &[DVec3], allowance: &[f64]) {
        let faces = self.nodes[root as usize].faces();
        for index in faces.clone() {
            let face = &self.faces[index];
            self.strays[index] = widest(face.corners, allowance);
            for edge in &mut self.edges[face.edges[0] as usize..face.edges[1] as usize] {
                let [a, b] = edge.ends.map(|p| self.courses[p as usize]);
                edge.course = a.with(b);
            }
            if kind == Kind::Apart {
                let [places, ends] = [start, &self.ends].map(|of| face.corners.map(|p| of[p as usize]));
                self.normals[index] = [places, ends].map(|places| sound_normal(places, face.rest_sq));
                self.sums[index + 1] = self.sums[index] + self.normals[index][0];
            }
        }
        if kind == Kind::Apart {
            for index in self.vertices_of(faces.start).start..self.vertices_of(faces.end - 1).end {
                let vertex = self.vertices[index] as usize;
                let ring = self.rings.around(vertex);
                let sum = ring.iter().map(|&face| self.normals[face as usize][0]).sum::<DVec3>();
                let mean = sum.normalize_or_zero();
                self.smooth[vertex] = !ring.is_empty() && ring.iter().all(|&face| self.is_along(face, mean));
            }
        }
    }

    fn refit_boxes(&mut self, nodes: Range<u32>) {
        for node in nodes.rev() {
            let Node { right, .. } = self.nodes[node as usize];
            self.bounds[node as usize] = match right {
                Some(right) => self.bounds[node as usize + 1].with(self.bounds[right.get() as usize]),
                None => {
                    let faces = self.nodes[node as usize].faces();
                    faces.fold(NOTHING, |sum, face| {
                        let [a, b, c] = self.faces[face].corners.map(|p| self.courses[p as usize]);
                        self.boxes[face] = a.with(b).with(c);
                        sum.with(self.boxes[face])
                    })
                }
            };
        }
    }

    /// Takes over other courses of some particles, as if they had begun with the others; the faces that they are of.
    pub fn change_courses(
        &mut self,
        lost: &[u32],
        origin: &[DVec3],
        velocity: &[DVec3],
        allowance: &[f64],
    ) -> Vec<u32> {
        for p in lost.iter().map(|&p| p as usize) {
            self.ends[p] = origin[p] + velocity[p] * self.time;
            self.courses[p] = self.course_of(origin[p], self.ends[p], allowance[p]);
        }
        let mut changed: Vec<u32> = lost.iter().flat_map(|&p| self.around[p as usize].iter().copied()).collect();
        changed.sort_unstable();
        changed.dedup();
        for &index in &changed {
            let face = &self.faces[index as usize];
            let [a, b, c] = face.corners.map(|p| self.courses[p as usize]);
            self.boxes[index as usize] = a.with(b).with(c);
            self.strays[index as usize] = widest(face.corners, allowance);
            for edge in &mut self.edges[face.edges[0] as usize..face.edges[1] as usize] {
                let [a, b] = edge.ends.map(|p| self.courses[p as usize]);
                edge.course = a.with(b);
            }
            self.widen(index);
        }
        // Edges belong to one of their faces only, which has the particle, too: so all were changed.
        changed
    }

    /// Widens the boxes above a face.
    fn widen(&mut self, face: u32) {
        let holds = |root: &&Root| self.nodes[root.node as usize].faces().contains(&(face as usize));
        let Some(mut node) = self.roots.iter().find(holds).map(|root| root.node as usize) else { return };
        loop {
            self.bounds[node] = self.bounds[node].with(self.boxes[face as usize]);
            match self.nodes[node].right {
                Some(right) if face >= self.nodes[right.get() as usize].first => node = right.get() as usize,
                Some(_) => node += 1,
                None => return,
            }
        }
    }

    /// Calls back with every pair of one of some faces, which are in order, and another whose boxes meet, smooth or not.
    pub fn for_each_pair_of(&self, some: &[u32], mut found: impl FnMut([usize; 2])) {
        let mut stack = Vec::new();
        for &face in some {
            let Some(own) =
                self.roots.iter().find(|root| self.nodes[root.node as usize].faces().contains(&(face as usize)))
            else {
                continue;
            };
            let meets = |other: &&Root| {
                let same = other.node == own.node;
                own.kind.meets(other.kind) && (same || own.groups.meets(other.groups))
            };
            stack.extend(self.roots.iter().filter(meets).map(|root| root.node));
            let around = self.boxes[face as usize];
            while let Some(node) = stack.pop() {
                if !self.bounds[node as usize].meets(&around) {
                    continue;
                }
                if let Some(right) = self.nodes[node as usize].right {
                    stack.extend([node + 1, right.get()]);
                    continue;
                }
                for other in self.nodes[node as usize].faces() {
                    // Two of them are met once.
                    let before = other <= face as usize && some.binary_search(&(other as u32)).is_ok();
                    if !before && self.boxes[other].meets(&around) {
                        found([face as usize, other]);
                    }
                }
            }
        }
    }

    /// Whether a face looks along a direction all the way.
    #[inline]
    fn is_along(&self, face: u32, mean: DVec3) -> bool {
        let [start, end] = &self.normals[face as usize];
        start.dot(mean) >= SMOOTH && end.dot(mean) >= SMOOTH
    }

    /// Whether all normals of a node are close to their mean.
    fn is_smooth(&self, node: u32) -> bool {
        let Node { first, count, .. } = self.nodes[node as usize];
        let mean = (self.sums[(first + count) as usize] - self.sums[first as usize]).normalize_or_zero();
        let notches = self.notch_starts[node as usize] as usize..self.notch_starts[node as usize + 1] as usize;
        let mut of = (first..first + count).chain(self.notches[notches].iter().copied());
        of.all(|face| self.is_along(face, mean))
    }

    /// Calls back with every pair of different faces whose boxes meet and that are not of one smooth patch.
    pub fn for_each_pair(&self, mut found: impl FnMut([usize; 2])) {
        let mut stack = Vec::new();
        for (index, &Root { node: root, kind, groups, convex, .. }) in self.roots.iter().enumerate() {
            if kind == Kind::Apart {
                stack.push((root, root));
            }
            while let Some((a, b)) = stack.pop() {
                if a != b {
                    self.visit((a, b, true), &mut stack, &mut found);
                } else if !(convex && self.is_smooth(a)) {
                    match self.nodes[a as usize].right.map(NonZeroU32::get) {
                        Some(right) => stack.extend([(a + 1, a + 1), (right, right), (a + 1, right)]),
                        None => self.meet_each_other(a, &mut found),
                    }
                }
            }
            let others =
                self.roots[..index].iter().filter(|other| kind.meets(other.kind) && groups.meets(other.groups));
            stack.extend(others.map(|other| (root, other.node)));
            while let Some((a, b)) = stack.pop() {
                self.visit((a, b, false), &mut stack, &mut found);
            }
        }
    }

    /// Looks at two different nodes, of the same surface or not.
    #[inline]
    fn visit(&self, (a, b, same): (u32, u32, bool), stack: &mut Vec<(u32, u32)>, found: &mut impl FnMut([usize; 2])) {
        if !self.bounds[a as usize].meets(&self.bounds[b as usize]) {
            return;
        }
        let (one, other) = (&self.nodes[a as usize], &self.nodes[b as usize]);
        match (one.right, other.right) {
            (None, None) => self.meet_others((a, b, same), found),
            (Some(right), None) => stack.extend([(a + 1, b), (right.get(), b)]),
            (Some(right), Some(_)) if one.count >= other.count => stack.extend([(a + 1, b), (right.get(), b)]),
            (_, Some(right)) => stack.extend([(a, b + 1), (a, right.get())]),
        }
    }

    /// All pairs of faces of one node whose boxes meet.
    fn meet_each_other(&self, node: u32, found: &mut impl FnMut([usize; 2])) {
        let faces = self.nodes[node as usize].faces();
        for a in faces.clone() {
            for b in (a + 1..faces.end).filter(|&b| self.boxes[a].meets(&self.boxes[b])) {
                if !self.are_smooth(a, b) {
                    found([a, b]);
                }
            }
        }
    }

    /// All pairs of faces of two nodes whose boxes meet.
    #[inline]
    fn meet_others(&self, (a, b, same): (u32, u32, bool), found: &mut impl FnMut([usize; 2])) {
        let (around_a, around_b) = (&self.bounds[a as usize], &self.bounds[b as usize]);
        let (mut near, mut count) = ([0; LEAF as usize], 0);
        for face in self.nodes[b as usize].faces().filter(|&face| self.boxes[face].meets(around_a)) {
            near[count] = face;
            count += 1;
        }
        for face in self.nodes[a as usize].faces().filter(|&face| self.boxes[face].meets(around_b)) {
            for &other in near[..count].iter().filter(|&&other| self.boxes[face].meets(&self.boxes[other])) {
                if !(same && self.are_smooth(face, other)) {
                    found([face, other]);
                }
            }
        }
    }

    /// Whether two faces are of one smooth patch: they share a side and face the same way, or are around a vertex whose ring is smooth.
    #[inline]
    fn are_smooth(&self, a: usize, b: usize) -> bool {
        let (one, other) = (&self.faces[a], &self.faces[b]);
        let mut shared = 0;
        for p in one.corners.into_iter().filter(|p| other.corners.contains(p)) {
            if self.smooth[p as usize] {
                return true;
            }
            shared += 1;
        }
        let ([start, end], [other_start, other_end]) = (self.normals[a], self.normals[b]);
        shared >= 2 && start.dot(other_start) >= SMOOTH && end.dot(other_end) >= SMOOTH
    }

    fn vertices_of(&self, face: usize) -> Range<usize> {
        let [first, end] = self.faces[face].vertices;
        first as usize..end as usize
    }

    /// The corners of a face that it owns.
    #[inline(always)]
    pub fn owned_corners(&self, face: usize) -> &[u32] {
        &self.vertices[self.vertices_of(face)]
    }

    /// The edges of a face that it owns.
    #[inline(always)]
    pub fn owned_edges(&self, face: usize) -> &[Edge] {
        let [first, end] = self.faces[face].edges;
        &self.edges[first as usize..end as usize]
    }

    /// The box around a vertex and its course.
    #[inline(always)]
    pub fn course(&self, particle: u32) -> &Bounds {
        &self.courses[particle as usize]
    }

    /// The box around a face and its course.
    #[inline(always)]
    pub fn box_of(&self, face: usize) -> &Bounds {
        &self.boxes[face]
    }

    /// How far the corners of a face may stray from their courses.
    #[inline(always)]
    pub fn stray(&self, face: usize) -> f64 {
        self.strays[face]
    }

    /// The mean length of a face's sides at rest.
    pub fn edge(&self, face: usize) -> f64 {
        self.faces[face].rest_sq.map(f64::sqrt).iter().sum::<f64>() / 3.0
    }

    /// For how long courses are.
    #[inline(always)]
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Where a particle is when its course ends, if it does not stray.
    #[inline(always)]
    pub fn end(&self, particle: u32) -> DVec3 {
        self.ends[particle as usize]
    }
}

/// The faces in the notches of each node of surfaces whose patches are convex at rest, and where each node's begin.
fn notches(faces: &[Face], nodes: &[Node], roots: &[Root], particles: usize) -> (Vec<u32>, Vec<u32>) {
    let mut around = vec![Vec::new(); particles];
    for root in roots.iter().filter(|root| root.convex && root.kind == Kind::Apart) {
        let Node { first, count, .. } = nodes[root.node as usize];
        for face in first..first + count {
            faces[face as usize].corners.iter().for_each(|&p| around[p as usize].push(face));
        }
    }
    let (mut found, mut starts) = (Vec::new(), vec![0]);
    // The last node that each particle was seen to be of, and each face near.
    let (mut of, mut near) = (vec![u32::MAX; particles], vec![u32::MAX; faces.len()]);
    for (node, &Node { first, count, .. }) in (0u32..).zip(nodes) {
        let own = first..first + count;
        let corners = || faces[own.start as usize..own.end as usize].iter().flat_map(|face| face.corners);
        corners().for_each(|p| of[p as usize] = node);
        for &face in corners().flat_map(|p| &around[p as usize]).filter(|face| !own.contains(face)) {
            let seen = std::mem::replace(&mut near[face as usize], node) == node;
            if !seen && faces[face as usize].corners.iter().all(|&p| of[p as usize] == node) {
                found.push(face);
            }
        }
        starts.push(found.len() as u32);
    }
    (found, starts)
}

/// The unit normal of a face; zero, which is far from every mean, if its sides are strained by more than [`STRAIN`].
fn sound_normal([a, b, c]: [DVec3; 3], rest_sq: [f64; 3]) -> DVec3 {
    let sides = [a.distance_squared(b), b.distance_squared(c), c.distance_squared(a)];
    let (shrunk, grown) = ((1.0 - STRAIN) * (1.0 - STRAIN), (1.0 + STRAIN) * (1.0 + STRAIN));
    let sound = sides.iter().zip(rest_sq).all(|(&side, rest)| side > shrunk * rest && side < grown * rest);
    if sound { (b - a).cross(c - a).normalize_or_zero() } else { DVec3::ZERO }
}

/// The largest allowance of three particles.
fn widest(corners: [u32; 3], allowance: &[f64]) -> f64 {
    let [a, b, c] = corners.map(|p| allowance[p as usize]);
    a.max(b).max(c)
}

/// Lays out a node over some faces and its children behind it.
fn divide(nodes: &mut Vec<Node>, first: u32, count: u32) {
    let node = nodes.len();
    nodes.push(Node { first, count, right: None });
    if count > LEAF {
        let left = count / 2;
        divide(nodes, first, left);
        nodes[node].right = NonZeroU32::new(nodes.len() as u32);
        divide(nodes, first + left, count - left);
    }
}
