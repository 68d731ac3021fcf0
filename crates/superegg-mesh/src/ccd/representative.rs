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

    /// Where a triangle is, given where its corners are: at the least of their steps, which differ by one at most.
    fn of_triangle(corners: [Place; 3]) -> Place {
        let least = |i: usize| {
            let [a, b, c] = corners.map(|corner| corner.steps[i]);
            let before = a.wrapping_sub(1);
            if b == before || c == before { before } else { a }
        };
        Place { part: corners[0].part, steps: std::array::from_fn(least) }
    }

    /// Whether any way along edges from a corner of a triangle here to one there surely takes more than `steps` steps.
    #[inline]
    fn farther_than(&self, steps: u8, other: &Place) -> bool {
        // Corners are up to one step farther than the triangle.
        let most = steps + 1;
        let far = |i: usize| self.steps[i].wrapping_sub(other.steps[i]).wrapping_add(most) > 2 * most;
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
    /// Where it is on the surface.
    place: Place,
    /// The features whose first triangle it is.
    first: Mask,
    /// All its features, those that it names twice once.
    distinct: Mask,
}

impl Leaf {
    /// All feature pairs of two triangles, each once.
    #[inline]
    pub fn all_pairs([one, other]: [&Leaf; 2]) -> FeaturePairs {
        FeaturePairs::of(one.distinct, other.distinct)
    }

    /// The feature pairs that two non-adjacent triangles represent.
    #[inline]
    pub fn represented(topology: &Topology, pair: [&Leaf; 2]) -> FeaturePairs {
        // The pairs whose first triangles these are.
        let first = FeaturePairs::of(pair[0].first, pair[1].first);
        // Of features farther from each other than over an adjacent triangle each, the first triangles are not adjacent.
        if pair[0].place.farther_than(2, &pair[1].place) {
            first
        } else {
            first.union(beyond_first(topology, pair, first))
        }
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
        let place = Place::of_triangle(corners.map(|v| self.places[v as usize]));
        let first = self.first[triangle as usize];
        Leaf { triangle, corners, place, first, distinct: distinct_features(topology, triangle) }
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

/// The feature pairs besides the `first` that two non-adjacent triangles near each other represent: the first triangles
/// of both features are adjacent, and so are all pairs up to this one.
fn beyond_first(topology: &Topology, pair: [&Leaf; 2], first: FeaturePairs) -> FeaturePairs {
    let triangles = pair.map(|leaf| leaf.triangle);
    let corners = pair.map(|leaf| leaf.corners);
    let others = Leaf::all_pairs(pair).without(first);
    let mut found = FeaturePairs::default();
    // A triangle of a vertex farther than a step from a face is not adjacent to it.
    let reaches = !pair[0].place.farther_than(1, &pair[1].place);
    for (side, i) in others.corners().filter(|_| reaches) {
        if represents_vertex_face(topology, corners[side][i], triangles[side], &corners[1 - side]) {
            found.add_corner(side, i);
        }
    }
    let edges = triangles.map(|t| topology.edges_of_triangle(t));
    // The corner of each edge's first triangle that is not on the edge: all that may be adjacent to anything here.
    let across = [0, 1].map(|side: usize| {
        [0, 1, 2].map(|i: usize| {
            let Some(&first) = topology.triangles_of_edge_if_any(edges[side][i]).first() else { return u32::MAX };
            let ends = corners[side][i] ^ corners[side][(i + 1) % 3];
            topology.corners(first).into_iter().fold(ends, |rest, corner| rest ^ corner)
        })
    });
    let touches = |side: usize, i: usize, edge: usize| {
        let (apex, ends) = (across[side][i], corners[1 - side]);
        (apex == ends[edge]) | (apex == ends[(edge + 1) % 3])
    };
    for (i, j) in others.edges() {
        let adjacent = (across[0][i] == across[1][j]) | touches(0, i, j) | touches(1, j, i);
        if adjacent && represents_edge_edge(topology, [edges[0][i], edges[1][j]], triangles) {
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
