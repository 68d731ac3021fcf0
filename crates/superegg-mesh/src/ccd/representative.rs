//! Procedural representative triangles: which of the triangle pairs that share a feature pair tests it.
//!
//! A feature pair belongs to the first pair of non-adjacent triangles around its two features, in the fixed order of
//! incidence. Every triangle pair finds the same one, so each feature pair is tested once and only once, without any
//! table of what has been tested. Pairs without non-adjacent triangles are the orphans (see `orphan`). Unlike the
//! paper's, edges of more than two triangles are handled too.

//!
//! Two things make it fast. Far away from each other on the surface, the first triangles of both features are never
//! adjacent, so that a bit for "first triangle of this feature" decides. And whether triangles are far apart is told
//! from the distances of their vertices to a few landmarks.

use std::collections::VecDeque;

use crate::topology::{NO_EDGE, Topology, share_vertex};

use super::features::{FeaturePairs, Mask};

/// The features of a triangle, those that it names twice once.
fn distinct_features(topology: &Topology, triangle: u32) -> Mask {
    let corners = topology.corners(triangle);
    let edges = topology.edges_of_triangle(triangle);
    let bit =
        |i: usize| Mask::from(!corners[..i].contains(&corners[i])) << i | Mask::from(edges[i] != NO_EDGE) << (i + 3);
    bit(0) | bit(1) | bit(2)
}

/// Landmarks of each connected part.
const LANDMARKS: usize = 4;

/// Where a vertex is on the surface.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    part: u32,
    /// Steps along edges from each landmark, modulo 256.
    steps: [u8; LANDMARKS],
}

impl Place {
    /// Not known.
    const NOWHERE: Place = Place { part: u32::MAX, steps: [0; LANDMARKS] };

    /// Whether two triangles, given by the places of any of their corners, are surely so far apart on the surface that
    /// no triangles around their features are adjacent.
    #[inline]
    fn far_from(&self, other: &Place) -> bool {
        // From a corner over an adjacent triangle of its feature to the common vertex and back: four steps.
        let far = |i: usize| self.steps[i].wrapping_sub(other.steps[i]).wrapping_add(4) > 8;
        (self.part != other.part) | far(0) | far(1) | far(2) | far(3)
    }

    /// Whether two places may be those of vertices of one triangle.
    fn next_to(&self, other: &Place) -> bool {
        let near = |i: usize| self.steps[i].wrapping_sub(other.steps[i]).wrapping_add(1) <= 2;
        self.part != u32::MAX && self.part == other.part && (0..LANDMARKS).all(near)
    }
}

/// All that is asked of a triangle before its features are tested, in one place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf {
    pub triangle: u32,
    pub corners: [u32; 3],
    /// Where its first corner is on the surface.
    place: Place,
    /// The features whose first triangle it is.
    first: Mask,
}

impl Leaf {
    /// The feature pairs that two non-adjacent triangles represent.
    #[inline]
    pub fn represented(topology: &Topology, [one, other]: [&Leaf; 2]) -> FeaturePairs {
        if one.place.far_from(&other.place) {
            return FeaturePairs::of(one.first, other.first);
        }
        near_represented(topology, [one.triangle, other.triangle], [one.first, other.first])
    }
}

/// Which triangle represents which features.
#[derive(Clone, Debug)]
pub(super) struct Representatives {
    /// For each triangle, the features whose first triangle it is.
    first: Vec<Mask>,
    places: Vec<Place>,
}

impl Representatives {
    pub fn new(topology: &Topology) -> Representatives {
        let triangles = 0..topology.triangles().len() as u32;
        let mut places = vec![Place::NOWHERE; topology.vertex_count()];
        settle(topology, &mut places);
        Representatives { first: triangles.map(|triangle| first_features(topology, triangle)).collect(), places }
    }

    /// Follows a change of topology: `fresh` are the triangles that changed and all around them.
    ///
    /// What the places have to satisfy is that they differ by at most a step along every edge. Those of a surface that
    /// tore still do, with new vertices where the ones are that they took the place of; where it is not so, or nothing
    /// is known of a vertex, the part around it gets new places.
    pub fn follow(&mut self, before: &Topology, after: &Topology, fresh: &[bool]) {
        let old = std::mem::take(&mut self.places);
        let mut places = old.clone();
        places.resize(after.vertex_count(), Place::NOWHERE);
        for (corners, new_corners) in before.triangles().iter().zip(after.triangles()) {
            for (&origin, &vertex) in corners.iter().zip(new_corners) {
                if vertex as usize >= old.len() {
                    places[vertex as usize] = old[origin as usize];
                }
            }
        }
        self.first.resize(after.triangles().len(), 0);
        for triangle in (0..fresh.len() as u32).filter(|&triangle| fresh[triangle as usize]) {
            self.first[triangle as usize] = first_features(after, triangle);
            let corners = after.corners(triangle).map(|v| v as usize);
            let [a, b, c] = corners.map(|v| places[v]);
            if !(a.next_to(&b) && b.next_to(&c) && c.next_to(&a)) {
                places[corners[0]] = Place::NOWHERE;
            }
        }
        settle(after, &mut places);
        self.places = places;
    }

    /// What is asked of a triangle as a leaf.
    pub fn leaf(&self, topology: &Topology, triangle: u32) -> Leaf {
        let corners = topology.corners(triangle);
        Leaf { triangle, corners, place: self.places[corners[0] as usize], first: self.first[triangle as usize] }
    }

    /// Checks that these, however they came about, are as right as others found anew.
    #[cfg(test)]
    pub fn check_against(&self, anew: &Representatives, topology: &Topology) {
        assert_eq!(self.first, anew.first);
        for corners in topology.triangles() {
            let [a, b, c] = corners.map(|v| self.places[v as usize]);
            assert!(a.next_to(&b) && b.next_to(&c) && c.next_to(&a), "{corners:?}");
        }
    }

    pub fn bytes(&self) -> usize {
        self.first.len() + self.places.len() * size_of::<Place>()
    }
}

/// The features whose first triangle this one is.
fn first_features(topology: &Topology, triangle: u32) -> Mask {
    let corners = topology.corners(triangle);
    let edges = topology.edges_of_triangle(triangle);
    let owns_corner = |i: usize| topology.triangles_of_vertex(corners[i])[0] == triangle;
    let owns_edge = |i: usize| edges[i] != NO_EDGE && topology.triangles_of_edge(edges[i])[0] == triangle;
    let owned = |i: usize| Mask::from(owns_corner(i)) << i | Mask::from(owns_edge(i)) << (i + 3);
    (owned(0) | owned(1) | owned(2)) & distinct_features(topology, triangle)
}

/// Gives all connected parts that have a vertex without a place new places: distances from landmarks, each the
/// farthest from the earlier ones.
fn settle(topology: &Topology, places: &mut [Place]) {
    let seeds: Vec<u32> = (0..places.len() as u32).filter(|&v| places[v as usize].part == u32::MAX).collect();
    if seeds.is_empty() {
        return;
    }
    let mut steps = vec![u32::MAX; places.len()];
    let mut nearest = vec![u32::MAX; places.len()];
    let mut queue = VecDeque::new();
    for seed in seeds {
        if places[seed as usize].part != u32::MAX {
            continue;
        }
        let mut members = walk(topology, seed, &mut steps, &mut queue);
        for &member in &members {
            places[member as usize].part = seed;
        }
        for landmark in 0..LANDMARKS {
            // The walk that labelled the part finds its first landmark.
            let farthest = members.iter().copied().max_by_key(|&v| (nearest[v as usize].min(steps[v as usize]), v));
            members.iter().for_each(|&v| steps[v as usize] = u32::MAX);
            members = walk(topology, farthest.unwrap_or(seed), &mut steps, &mut queue);
            for &member in &members {
                let distance = steps[member as usize];
                places[member as usize].steps[landmark] = distance as u8;
                nearest[member as usize] = nearest[member as usize].min(distance);
            }
        }
    }
}

/// Counts steps along edges from a vertex; returns all vertices reached.
fn walk(topology: &Topology, from: u32, steps: &mut [u32], queue: &mut VecDeque<u32>) -> Vec<u32> {
    let mut reached = vec![from];
    steps[from as usize] = 0;
    queue.push_back(from);
    while let Some(vertex) = queue.pop_front() {
        for &triangle in topology.triangles_of_vertex(vertex) {
            for next in topology.corners(triangle) {
                if steps[next as usize] == u32::MAX {
                    steps[next as usize] = steps[vertex as usize] + 1;
                    reached.push(next);
                    queue.push_back(next);
                }
            }
        }
    }
    reached
}

/// All feature pairs of two triangles, each once.
pub(super) fn all_pairs(topology: &Topology, triangles: [u32; 2]) -> FeaturePairs {
    let [one, other] = triangles.map(|t| distinct_features(topology, t));
    FeaturePairs::of(one, other)
}

/// The feature pairs that two non-adjacent triangles near each other represent; `firsts` are the features whose first
/// triangle each of them is.
fn near_represented(topology: &Topology, triangles: [u32; 2], firsts: [Mask; 2]) -> FeaturePairs {
    let corners = triangles.map(|t| topology.corners(t));
    let all = all_pairs(topology, triangles);
    let mut found = FeaturePairs::default();
    for (side, i) in all.corners() {
        if firsts[side] >> i & 1 == 1
            || represents_vertex_face(topology, corners[side][i], triangles[side], &corners[1 - side])
        {
            found.add_corner(side, i);
        }
    }
    // The first triangle of each edge.
    let edges = triangles.map(|t| topology.edges_of_triangle(t));
    let first = |side: usize, i: usize| {
        if firsts[side] >> (i + 3) & 1 == 1 { triangles[side] } else { topology.triangles_of_edge(edges[side][i])[0] }
    };
    for (i, j) in all.edges() {
        let [one, other] = [first(0, i), first(1, j)];
        let represents = if topology.adjacent(one, other) {
            represents_edge_edge(topology, [edges[0][i], edges[1][j]], triangles)
        } else {
            [one, other] == triangles
        };
        if represents {
            found.add_edges(i, j);
        }
    }
    found
}

/// Whether `triangle`, which is incident to `vertex` and not adjacent to the face with these corners, represents them.
fn represents_vertex_face(topology: &Topology, vertex: u32, triangle: u32, face: &[u32; 3]) -> bool {
    let around = topology.triangles_of_vertex(vertex).iter();
    around.copied().find(|&t| t == triangle || !share_vertex(&topology.corners(t), face)) == Some(triangle)
}

/// Whether the non-adjacent triangles `on_a` and `on_b`, incident to edges `a` and `b`, represent the two.
fn represents_edge_edge(topology: &Topology, [a, b]: [u32; 2], [on_a, on_b]: [u32; 2]) -> bool {
    if a > b {
        return represents_edge_edge(topology, [b, a], [on_b, on_a]);
    }
    for &first in topology.triangles_of_edge(a) {
        let corners = topology.corners(first);
        for &second in topology.triangles_of_edge(b) {
            if first == on_a && second == on_b {
                return true;
            }
            if !share_vertex(&corners, &topology.corners(second)) {
                return false;
            }
        }
    }
    false
}
