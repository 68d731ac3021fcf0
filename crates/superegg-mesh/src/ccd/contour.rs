//! Contours: the closed curves around those patches of the surface that are discs, one for each node of the hierarchy
//! that is neither too small nor too long to be worth a test (see `projection`).
//!
//! Rims are joined bottom-up. After a change of topology the contours of subtrees that were taken over are taken over too.

use crate::topology::{NO_EDGE, Topology};

use super::tree::{Forest, Kept};

/// Patches with longer contours are not tested: their test costs more than it saves.
pub(super) const LONGEST: usize = 128;

/// Smaller patches are cheaper to test pair by pair than to prove free.
const SMALLEST: u32 = 6;

/// For each inner node of a forest, the edges around its patch if that is a disc.
#[derive(Clone, Debug)]
pub(super) struct Contours {
    /// By the number among inner nodes.
    starts: Vec<u32>,
    edges: Vec<u32>,
}

impl Contours {
    /// Finds the contours of all patches.
    pub fn new(topology: &Topology, forest: &Forest) -> Contours {
        let none = Contours { starts: vec![0], edges: Vec::new() };
        none.follow(forest, topology, forest, &[], &[])
    }

    /// Finds the contours of all patches after a change of topology. Those of the subtrees `kept`, in increasing order,
    /// are taken from these contours, of the forest `earlier`; `renumbered` has the new number of each old edge.
    pub fn follow(
        &self,
        earlier: &Forest,
        topology: &Topology,
        forest: &Forest,
        kept: &[Kept],
        renumbered: &[u32],
    ) -> Contours {
        let renumber = |edges: &[u32]| -> Vec<u32> { edges.iter().map(|&e| renumbered[e as usize]).collect() };
        let mut pinched = Pinched { known: vec![None; topology.vertex_count()] };
        // Rims of the subtrees to the right that still wait for their parent, bottom-up; contours are found last first.
        let mut rims: Vec<Option<Rim>> = Vec::new();
        let mut found: Vec<(u32, Vec<u32>)> = Vec::new();
        let mut before = kept.iter().rev().peekable();
        let mut node = forest.nodes.len() as u32;
        while node > 0 {
            node -= 1;
            if let Some(known) = before.next_if(|known| known.new + forest.subtree(known.new) == node + 1) {
                node = known.new;
                rims.push(Rim::of_disc(topology, renumber(self.of(earlier, known.old)), forest, node));
                continue;
            }
            if forest.is_leaf(node) {
                rims.push(Rim::of_triangle(topology, forest.triangle(node), &mut pinched));
                continue;
            }
            let [left, right] = [rims.pop().flatten(), rims.pop().flatten()];
            let rim = left.zip(right).and_then(|(left, right)| left.join(topology, &right));
            let count = forest.nodes[node as usize].count;
            if let Some(rim) = &rim
                && count >= SMALLEST
                && rim.edges.len() <= LONGEST
                && rim.bounds_disc(topology, count)
            {
                found.push((node, rim.edges.clone()));
            }
            rims.push(rim);
        }
        let mut packed = Contours { starts: vec![0], edges: Vec::new() };
        let mut ahead = kept.iter().peekable();
        let mut node = 0;
        while node < forest.nodes.len() as u32 {
            if let Some(known) = ahead.next_if(|known| known.new == node) {
                for offset in (0..forest.subtree(node)).filter(|offset| !forest.is_leaf(node + offset)) {
                    packed.push(&renumber(self.of(earlier, known.old + offset)));
                }
                node += forest.subtree(node);
                continue;
            }
            if !forest.is_leaf(node) {
                let own = found.pop_if(|(of, _)| *of == node);
                packed.push(own.as_ref().map_or(&[], |(_, edges)| edges));
            }
            node += 1;
        }
        packed.edges.shrink_to_fit();
        packed
    }

    fn push(&mut self, edges: &[u32]) {
        self.edges.extend(edges);
        self.starts.push(self.edges.len() as u32);
    }

    /// The contour of a node in increasing order; empty when it is no disc, too long or too small.
    #[inline]
    pub fn of(&self, forest: &Forest, node: u32) -> &[u32] {
        if forest.is_leaf(node) {
            return &[];
        }
        let inner = forest.inner(node);
        &self.edges[self.starts[inner] as usize..self.starts[inner + 1] as usize]
    }

    pub fn bytes(&self) -> usize {
        (self.starts.len() + self.edges.len()) * size_of::<u32>()
    }
}

/// Which vertices have triangles that are not one fan, as far as it was asked.
struct Pinched {
    known: Vec<Option<bool>>,
}

impl Pinched {
    fn contains(&mut self, topology: &Topology, vertex: u32) -> bool {
        *self.known[vertex as usize].get_or_insert_with(|| is_pinched(topology, vertex))
    }
}

fn is_pinched(topology: &Topology, vertex: u32) -> bool {
    let around = topology.triangles_of_vertex(vertex);
    // Walk over the edges at the vertex from the first triangle; a fan is reached whole.
    let mut reached = vec![false; around.len()];
    let mut stack = vec![0];
    if let Some(first) = reached.first_mut() {
        *first = true;
    }
    while let Some(at) = if around.is_empty() { None } else { stack.pop() } {
        for edge in topology.edges_of_triangle(around[at]) {
            if topology.edges().get(edge as usize).is_some_and(|ends| ends.contains(&vertex)) {
                for next in topology.triangles_of_edge(edge) {
                    if let Ok(index) = around.binary_search(next)
                        && !std::mem::replace(&mut reached[index], true)
                    {
                        stack.push(index);
                    }
                }
            }
        }
    }
    reached.contains(&false)
}

/// Rims longer than this are not followed, which bounds the work on strange meshes.
const LONGEST_RIM: usize = 16 * LONGEST;

/// The border of a patch that is connected through edges, consistently oriented and free of edges with more than two
/// triangles and of pinched vertices.
#[derive(Clone)]
struct Rim {
    /// Edges of one triangle of the patch, in increasing order.
    edges: Vec<u32>,
    /// Their vertices, in increasing order.
    vertices: Vec<u32>,
    /// All vertices of the patch.
    vertex_count: u32,
}

impl Rim {
    fn of_triangle(topology: &Topology, triangle: u32, pinched: &mut Pinched) -> Option<Rim> {
        let mut edges = topology.edges_of_triangle(triangle).to_vec();
        let mut vertices = topology.corners(triangle).to_vec();
        let whole = edges.iter().all(|&e| e != NO_EDGE && topology.triangles_of_edge(e).len() <= 2);
        edges.sort_unstable();
        vertices.sort_unstable();
        let regular = whole && vertices.iter().all(|&v| !pinched.contains(topology, v));
        regular.then_some(Rim { edges, vertices, vertex_count: 3 })
    }

    /// The rim of a disc, which is its contour; `None` when there is none.
    fn of_disc(topology: &Topology, edges: Vec<u32>, forest: &Forest, node: u32) -> Option<Rim> {
        let triangles = forest.nodes[node as usize].count;
        // Of Euler's formula for a disc, with each inner edge between two triangles.
        let vertex_count = 1 + (3 * triangles + edges.len() as u32) / 2 - triangles;
        let vertices = ends(topology, &edges);
        (!edges.is_empty()).then_some(Rim { edges, vertices, vertex_count })
    }

    /// The rim of two patches together.
    fn join(&self, topology: &Topology, other: &Rim) -> Option<Rim> {
        if self.edges.len() + other.edges.len() > LONGEST_RIM {
            return None;
        }
        let (edges, shared_edges) = merge(&self.edges, &other.edges);
        if shared_edges.is_empty() || !shared_edges.iter().all(|&edge| consistent(topology, edge)) {
            return None;
        }
        // A vertex of both patches is on both rims, since no vertex is pinched.
        let (_, shared_vertices) = merge(&self.vertices, &other.vertices);
        let vertices = ends(topology, &edges);
        let vertex_count = self.vertex_count + other.vertex_count - shared_vertices.len() as u32;
        Some(Rim { edges, vertices, vertex_count })
    }

    /// Whether the patch is a disc: its rim is made of closed curves that do not touch, and its Euler characteristic
    /// is one.
    fn bounds_disc(&self, topology: &Topology, triangles: u32) -> bool {
        let mut ends: Vec<u32> = self.edges.iter().flat_map(|&e| topology.edges()[e as usize]).collect();
        ends.sort_unstable();
        let simple = ends.chunk_by(|a, b| a == b).all(|same| same.len() == 2);
        let edges = (3 * i64::from(triangles) + self.edges.len() as i64) / 2;
        simple && !self.edges.is_empty() && i64::from(self.vertex_count) - edges + i64::from(triangles) == 1
    }
}

/// The vertices of some edges, each once, in increasing order.
fn ends(topology: &Topology, edges: &[u32]) -> Vec<u32> {
    let mut vertices: Vec<u32> = edges.iter().flat_map(|&e| topology.edges()[e as usize]).collect();
    vertices.sort_unstable();
    vertices.dedup();
    vertices
}

/// What only one of two increasing lists has, and what both have.
fn merge(left: &[u32], right: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut single = Vec::with_capacity(left.len() + right.len());
    let mut shared = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < left.len() && j < right.len() {
        let (l, r) = (left[i], right[j]);
        if l == r {
            shared.push(l)
        } else {
            single.push(l.min(r))
        }
        i += usize::from(l <= r);
        j += usize::from(r <= l);
    }
    single.extend(&left[i..]);
    single.extend(&right[j..]);
    (single, shared)
}

/// Whether the two triangles of an edge pass it in opposite directions.
fn consistent(topology: &Topology, edge: u32) -> bool {
    let [a, b] = topology.edges()[edge as usize];
    let forward = |triangle: u32| {
        let corners = topology.corners(triangle);
        (0..3).any(|i| corners[i] == a && corners[(i + 1) % 3] == b)
    };
    match topology.triangles_of_edge(edge) {
        &[one, other] => forward(one) != forward(other),
        _ => false,
    }
}
