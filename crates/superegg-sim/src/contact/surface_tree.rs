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
//! smooth, too: else a notch could close, and its two sides meet.
//!
//! Obstacles are rigid: their triangles do not meet each other, and as long as one stays where it is so do its boxes.

use std::collections::{HashMap, HashSet};

use glam::{DVec3, Vec3A};

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
    /// Obstacles alone.
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
    /// Bit i: it owns corner i. Bit 3 + i: it owns the edge from corner i to the next.
    owned: u8,
    /// Bit i: the mesh hardly edge_sharpness at the edge from corner i to the next.
    gentle: u8,
    /// Squared lengths at rest of the sides from corner 0 to 1, 1 to 2 and 2 to 0.
    rest_sq: [f64; 3],
}

/// An edge of a face.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub ends: [u32; 2],
    /// The part of the separation that it keeps from other edges.
    pub share: f64,
}

/// That part for edges at which an mesh hardly edge_sharpness.
const GENTLE_SHARE: f64 = 0.5;

impl Face {
    /// How far it is to stay away from another.
    pub fn separation_from(&self, other: &Face) -> f64 {
        match (self.kind, other.kind) {
            (Kind::Mesh, _) | (_, Kind::Mesh) => self.offset + other.offset,
            _ => 0.5 * (self.separation + other.separation),
        }
    }

    pub fn owned_corners(&self) -> impl Iterator<Item = u32> {
        let Face { corners, owned, .. } = *self;
        (0..3).filter(move |i| owned >> i & 1 == 1).map(move |i| corners[i])
    }

    pub fn owned_edges(&self) -> impl Iterator<Item = Edge> {
        let Face { corners, owned, gentle, .. } = *self;
        (0..3).filter(move |i| owned >> (3 + i) & 1 == 1).map(move |i| Edge {
            ends: [corners[i], corners[(i + 1) % 3]],
            share: if gentle >> i & 1 == 1 { GENTLE_SHARE } else { 1.0 },
        })
    }
}

/// Cosine of the angle between a smooth patch's normals and their mean: 29°.
const SMOOTH: f64 = 0.875;
/// Largest relative change of length of a smooth patch's sides: 1.1 / (0.9 · 0.875) is below √2.
const STRAIN: f64 = 0.1;

/// A box in single precision, wide enough to hold what it is said to hold.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    min: Vec3A,
    max: Vec3A,
}

impl Bounds {
    fn meets(&self, other: &Bounds) -> bool {
        self.min.cmple(other.max).all() && self.max.cmpge(other.min).all()
    }
}

/// How a face moves.
#[derive(Clone, Copy, Debug, Default)]
struct Drift {
    /// Mean velocity of the corners.
    mean: DVec3,
    /// How far a corner may get from where that takes it.
    off: f64,
}

/// The tree of a surface.
#[derive(Clone, Copy, Debug)]
struct Root {
    node: u32,
    kind: Kind,
    groups: Groups,
    /// Whether its patches are convex at rest.
    convex: bool,
    /// Which mesh it is, and after how many moves its boxes were made, if it has not moved since.
    mesh: u32,
    fitted: Option<u64>,
}

/// The triangles and their trees, one a surface. A node over the faces `first..first + count` has its children behind
/// it: the left one next, the right one after all of the left.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    pub faces: Vec<Face>,
    /// First face and number of faces of each node.
    nodes: Vec<[u32; 2]>,
    bounds: Vec<Bounds>,
    roots: Vec<Root>,
    /// The largest distance that two faces want to keep.
    pub thickest: f64,
    /// The faces in the notches of each node's rim: not of the node, but all of their corners are. Where each one's begin.
    notches: Vec<u32>,
    notch_starts: Vec<u32>,
    /// Unit normals of each face at the start and at the end of its course, and the sums of the first of those before it.
    normals: Vec<[DVec3; 2]>,
    sums: Vec<DVec3>,
    /// How each face moves.
    drifts: Vec<Drift>,
    /// For how long.
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
            tree.thickest = tree.thickest.max(separation);
            if !meshes.is_empty() {
                tree.thickest = tree.thickest.max(offset);
            }
            let (node, convex) = (tree.nodes.len() as u32, surface.fills_rectangle);
            tree.roots.push(Root { node, kind, groups: surface.groups, convex, mesh, fitted: None });
            divide(&mut tree.nodes, tree.faces.len() as u32, surface.triangles.len() as u32);
            let edge_sharpness =
                if kind == Kind::Mesh { edge_sharpness(&surface.triangles, places) } else { HashMap::new() };
            for (&corners, &rest_sq) in surface.triangles.iter().zip(&surface.rest_sq) {
                let (mut owned, mut gentle) = (0u8, 0u8);
                for i in 0..3 {
                    let (a, b) = (corners[i], corners[(i + 1) % 3]);
                    if !std::mem::replace(&mut corner_owned[a as usize], true) {
                        owned |= 1 << i;
                    }
                    let edge = (a.min(b), a.max(b));
                    let bend = edge_sharpness.get(&edge).copied().unwrap_or(Sharpness::Sharp);
                    if a != b && edge_owned.insert(edge) && bend != Sharpness::Flat {
                        owned |= 8 << i;
                    }
                    gentle |= u8::from(bend == Sharpness::Gentle) << i;
                }
                let friction = surface.friction;
                tree.faces.push(Face { corners, friction, kind, separation, offset, owned, gentle, rest_sq });
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
        let nothing = Bounds { min: Vec3A::INFINITY, max: Vec3A::NEG_INFINITY };
        tree.normals = vec![[DVec3::ZERO; 2]; tree.faces.len()];
        tree.sums = vec![DVec3::ZERO; tree.faces.len() + 1];
        tree.drifts = vec![Drift::default(); tree.faces.len()];
        tree.bounds = vec![nothing; tree.nodes.len()];
        tree
    }

    /// Boxes around the faces while they move from `start` by `velocity` for a time, give or take each particle's allowance,
    /// and widened by half the largest distance that two faces keep.
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
            let Root { node, kind, mesh, fitted, .. } = self.roots[index];
            if kind == Kind::Mesh {
                let state = &meshes[mesh as usize];
                let wanted = (!state.has_moved()).then_some(state.moves);
                if wanted.is_some() && wanted == fitted {
                    continue;
                }
                self.roots[index].fitted = wanted;
            }
            self.refit_faces(node, kind, start, velocity, allowance);
            self.refit_boxes(node, start, velocity, allowance);
        }
    }

    fn refit_faces(&mut self, root: u32, kind: Kind, start: &[DVec3], velocity: &[DVec3], allowance: &[f64]) {
        let [first, count] = self.nodes[root as usize];
        for index in first as usize..(first + count) as usize {
            let face = &self.faces[index];
            if kind == Kind::Apart {
                let places = face.corners.map(|p| start[p as usize]);
                let ends = face.corners.map(|p| start[p as usize] + velocity[p as usize] * self.time);
                self.normals[index] = [places, ends].map(|places| sound_normal(places, face.rest_sq));
            }
            self.sums[index + 1] = self.sums[index] + self.normals[index][0];
            let own = face.corners.map(|p| velocity[p as usize]);
            let mean = (own[0] + own[1] + own[2]) / 3.0;
            let spread_sq = own.iter().map(|v| v.distance_squared(mean)).fold(0.0, f64::max);
            self.drifts[index] = Drift { mean, off: spread_sq.sqrt() * self.time + widest(face.corners, allowance) };
        }
    }

    fn refit_boxes(&mut self, root: u32, start: &[DVec3], velocity: &[DVec3], allowance: &[f64]) {
        let nodes = root as usize..(root + 2 * self.nodes[root as usize][1] - 1) as usize;
        for node in nodes.rev() {
            let [first, count] = self.nodes[node];
            self.bounds[node] = if count == 1 {
                let corners = self.faces[first as usize].corners;
                let [a, b, c] = corners.map(|p| start[p as usize]);
                let [d, e, f] = corners.map(|p| start[p as usize] + velocity[p as usize] * self.time);
                let (min, max) = (a.min(b).min(c).min(d.min(e).min(f)), a.max(b).max(c).max(d.max(e).max(f)));
                // Rounding to single precision moves a coordinate by less than this.
                let rounding = 1e-7 * min.abs().max(max.abs()).max_element();
                let wide = 0.5 * self.thickest + widest(corners, allowance) + rounding;
                Bounds { min: (min - wide).as_vec3a(), max: (max + wide).as_vec3a() }
            } else {
                let (left, right) = (self.bounds[node + 1], self.bounds[self.right(node as u32) as usize]);
                Bounds { min: left.min.min(right.min), max: left.max.max(right.max) }
            };
        }
    }

    /// Whether all normals of a node are close to their mean.
    fn is_smooth(&self, node: u32) -> bool {
        let [first, count] = self.nodes[node as usize];
        let range = first as usize..(first + count) as usize;
        let mean = (self.sums[range.end] - self.sums[range.start]).normalize_or_zero();
        let fits = |[start, end]: &[DVec3; 2]| start.dot(mean) >= SMOOTH && end.dot(mean) >= SMOOTH;
        let notches = self.notch_starts[node as usize] as usize..self.notch_starts[node as usize + 1] as usize;
        let in_notches = || self.notches[notches].iter().all(|&face| fits(&self.normals[face as usize]));
        self.normals[range].iter().all(fits) && in_notches()
    }

    /// The right child: behind the left one's `2 n - 1` nodes.
    fn right(&self, node: u32) -> u32 {
        node + 2 * self.nodes[node as usize + 1][1]
    }

    /// Calls back with every pair of different faces whose boxes meet and that are not of one smooth patch, and the farthest
    /// that they may approach each other.
    pub fn for_each_pair(&self, mut found: impl FnMut(&Face, &Face, f64)) {
        let mut stack = Vec::new();
        for (index, &Root { node: root, kind, groups, convex, .. }) in self.roots.iter().enumerate() {
            if kind == Kind::Apart {
                stack.push((root, root));
            }
            while let Some((a, b)) = stack.pop() {
                let own = self.nodes[a as usize];
                if a == b {
                    if own[1] > 1 && !(convex && self.is_smooth(a)) {
                        let right = self.right(a);
                        stack.extend([(a + 1, a + 1), (right, right), (a + 1, right)]);
                    }
                } else {
                    self.visit(a, b, &mut stack, &mut found);
                }
            }
            let others =
                self.roots[..index].iter().filter(|other| kind.meets(other.kind) && groups.meets(other.groups));
            stack.extend(others.map(|other| (root, other.node)));
            while let Some((a, b)) = stack.pop() {
                self.visit(a, b, &mut stack, &mut found);
            }
        }
    }

    /// Looks at two different nodes.
    #[inline]
    fn visit(&self, a: u32, b: u32, stack: &mut Vec<(u32, u32)>, found: &mut impl FnMut(&Face, &Face, f64)) {
        if !self.bounds[a as usize].meets(&self.bounds[b as usize]) {
            return;
        }
        let ([first_a, count_a], [first_b, count_b]) = (self.nodes[a as usize], self.nodes[b as usize]);
        match (count_a, count_b) {
            (1, 1) => self.meet(first_a as usize, first_b as usize, found),
            _ if count_a >= count_b => stack.extend([(a + 1, b), (self.right(a), b)]),
            _ => stack.extend([(a, b + 1), (a, self.right(b))]),
        }
    }
}

impl Tree {
    /// Two faces whose boxes meet. Those that share a side and face the same way are a smooth patch, too.
    #[inline]
    fn meet(&self, a: usize, b: usize, found: &mut impl FnMut(&Face, &Face, f64)) {
        let (one, other) = (&self.faces[a], &self.faces[b]);
        let together = one.corners.iter().filter(|p| other.corners.contains(p)).count() >= 2;
        let ([start, end], [other_start, other_end]) = (self.normals[a], self.normals[b]);
        if together && start.dot(other_start) >= SMOOTH && end.dot(other_end) >= SMOOTH {
            return;
        }
        let (drift, against) = (self.drifts[a], self.drifts[b]);
        found(one, other, drift.mean.distance(against.mean) * self.time + drift.off + against.off);
    }
}

/// The faces in the notches of each node of surfaces whose patches are convex at rest, and where each node's begin.
fn notches(faces: &[Face], nodes: &[[u32; 2]], roots: &[Root], particles: usize) -> (Vec<u32>, Vec<u32>) {
    let mut around = vec![Vec::new(); particles];
    for root in roots.iter().filter(|root| root.convex && root.kind == Kind::Apart) {
        let [first, count] = nodes[root.node as usize];
        for face in first..first + count {
            faces[face as usize].corners.iter().for_each(|&p| around[p as usize].push(face));
        }
    }
    let (mut found, mut starts) = (Vec::new(), vec![0]);
    // The last node that each particle was seen to be of, and each face near.
    let (mut of, mut near) = (vec![u32::MAX; particles], vec![u32::MAX; faces.len()]);
    for (node, &[first, count]) in (0u32..).zip(nodes) {
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
fn divide(nodes: &mut Vec<[u32; 2]>, first: u32, count: u32) {
    nodes.push([first, count]);
    if count > 1 {
        let left = count / 2;
        divide(nodes, first, left);
        divide(nodes, first + left, count - left);
    }
}
