//! Orphan sets: the feature pairs that no two non-adjacent triangles share.
//!
//! Testing all pairs of non-adjacent triangles covers every feature pair but these few, at the rim of a surface, around
//! very small closed ones and at pinches. They depend on connectivity alone: found once, and after a change of
//! topology only around it.

use std::collections::HashSet;

use crate::topology::{NO_EDGE, Topology, share_vertex};

/// The orphan pairs of a topology, sorted.
///
/// ```
/// use superegg_mesh::{Topology, ccd::OrphanSet};
/// // Every triangle of a tetrahedron is adjacent to every other: each vertex and the face opposite are orphans, and
/// // so are the three pairs of opposite edges.
/// let tetrahedron = Topology::new(4, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
/// let orphans = OrphanSet::new(&tetrahedron);
/// assert_eq!((orphans.vertex_face().len(), orphans.edge_edge().len()), (4, 3));
/// # Ok::<(), superegg_mesh::MeshError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrphanSet {
    vertex_face: Vec<[u32; 2]>,
    /// Edges by their vertices: numbers of edges change with the topology.
    edge_edge: Vec<[[u32; 2]; 2]>,
}

impl OrphanSet {
    /// Finds all orphans.
    pub fn new(topology: &Topology) -> OrphanSet {
        let mut orphans = OrphanSet::default();
        for vertex in 0..topology.vertex_count() as u32 {
            orphans.add_vertex(topology, vertex);
        }
        for edge in 0..topology.edges().len() as u32 {
            orphans.add_edge(topology, edge);
        }
        orphans.tidy();
        orphans
    }

    /// Vertex and face of each orphan pair.
    pub fn vertex_face(&self) -> &[[u32; 2]] {
        &self.vertex_face
    }

    /// Both edges of each orphan pair, by their vertices.
    pub fn edge_edge(&self) -> &[[[u32; 2]; 2]] {
        &self.edge_edge
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.vertex_face.len() + self.edge_edge.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Follows a change of topology from `old` to `new`, looking only at triangles whose corners changed, that came
    /// or went, and at the features around them. Triangles keep their number.
    pub fn update(&mut self, old: &Topology, new: &Topology) {
        let (before, after) = (old.triangles(), new.triangles());
        let count = before.len().max(after.len());
        let changed: HashSet<u32> = (0..count).filter(|&i| before.get(i) != after.get(i)).map(|i| i as u32).collect();
        let mut vertices = HashSet::new();
        let mut edges = HashSet::new();
        for &triangle in &changed {
            for corners in [before.get(triangle as usize), after.get(triangle as usize)].into_iter().flatten() {
                vertices.extend(corners);
                edges.extend((0..3).map(|i| sorted([corners[i], corners[(i + 1) % 3]])));
            }
        }
        self.vertex_face.retain(|[vertex, face]| !vertices.contains(vertex) && !changed.contains(face));
        self.edge_edge.retain(|[a, b]| !edges.contains(a) && !edges.contains(b));
        for &vertex in vertices.iter().filter(|&&v| (v as usize) < new.vertex_count()) {
            self.add_vertex(new, vertex);
        }
        for &triangle in changed.iter().filter(|&&t| (t as usize) < after.len()) {
            self.add_face(new, triangle);
        }
        for &[a, b] in &edges {
            if let Some(edge) = new.edge_between(a, b) {
                self.add_edge(new, edge);
            }
        }
        self.tidy();
    }

    fn tidy(&mut self) {
        self.vertex_face.sort_unstable();
        self.vertex_face.dedup();
        self.edge_edge.sort_unstable();
        self.edge_edge.dedup();
    }

    /// Adds the orphan faces of a vertex: all triangles around the vertex are adjacent to them, so the first one is.
    fn add_vertex(&mut self, topology: &Topology, vertex: u32) {
        let Some(&first) = topology.triangles_of_vertex(vertex).first() else { return };
        let candidates = topology.neighbours(first);
        self.vertex_face.extend(
            candidates.iter().filter(|&&face| is_vertex_face_orphan(topology, vertex, face)).map(|&f| [vertex, f]),
        );
    }

    /// Adds the orphan vertices of a face.
    fn add_face(&mut self, topology: &Topology, face: u32) {
        for near in topology.neighbours(face) {
            for vertex in topology.corners(near) {
                if is_vertex_face_orphan(topology, vertex, face) {
                    self.vertex_face.push([vertex, face]);
                }
            }
        }
    }

    /// Adds the orphan edges of an edge.
    fn add_edge(&mut self, topology: &Topology, edge: u32) {
        let Some(&first) = topology.triangles_of_edge(edge).first() else { return };
        for near in topology.neighbours(first) {
            for other in topology.edges_of_triangle(near) {
                if other != NO_EDGE && is_edge_edge_orphan(topology, edge, other) {
                    let [a, b] = [edge.min(other), edge.max(other)].map(|e| topology.edges()[e as usize]);
                    self.edge_edge.push([a.min(b), a.max(b)]);
                }
            }
        }
    }
}

fn sorted([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

fn is_vertex_face_orphan(topology: &Topology, vertex: u32, face: u32) -> bool {
    let corners = topology.corners(face);
    !corners.contains(&vertex)
        && topology.triangles_of_vertex(vertex).iter().all(|&t| share_vertex(&topology.corners(t), &corners))
}

fn is_edge_edge_orphan(topology: &Topology, a: u32, b: u32) -> bool {
    let [ends, others] = [a, b].map(|e| topology.edges()[e as usize]);
    let disjoint = !others.contains(&ends[0]) && !others.contains(&ends[1]);
    let around = topology.triangles_of_edge(b);
    disjoint && topology.triangles_of_edge(a).iter().all(|&s| around.iter().all(|&t| topology.adjacent(s, t)))
}
