//! Connectivity of a triangle mesh: its edges, which triangles meet at a vertex or an edge, and its connected parts.
//!
//! Incident triangles are listed in increasing order, and that order is fixed for the life of the topology: the
//! procedural representative triangles of collision detection rely on it. Nothing is assumed to be manifold.

use crate::mesh::{MeshError, check_triangles};

/// Marks the missing edge of a triangle that names a vertex twice.
pub const NO_EDGE: u32 = u32::MAX;

/// Lists of lists in one allocation: the items of list `i` are `items[starts[i]..starts[i + 1]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Grouped {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Grouped {
    /// Groups `(list, item)` pairs; the items of a list keep the order in which they come.
    fn collect(lists: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Grouped {
        let mut starts = vec![0u32; lists + 1];
        for (list, _) in pairs.clone() {
            starts[list as usize + 1] += 1;
        }
        for i in 0..lists {
            starts[i + 1] += starts[i];
        }
        let mut items = vec![0u32; starts[lists] as usize];
        let mut next = starts.clone();
        for (list, item) in pairs {
            items[next[list as usize] as usize] = item;
            next[list as usize] += 1;
        }
        Grouped { starts, items }
    }

    pub(crate) fn get(&self, list: u32) -> &[u32] {
        &self.items[self.starts[list as usize] as usize..self.starts[list as usize + 1] as usize]
    }

    fn get_mut(&mut self, list: u32) -> &mut [u32] {
        &mut self.items[self.starts[list as usize] as usize..self.starts[list as usize + 1] as usize]
    }

    pub(crate) fn bytes(&self) -> usize {
        (self.starts.len() + self.items.len()) * size_of::<u32>()
    }
}

/// Edges, incidence and connected components of a set of triangles.
///
/// ```
/// use superegg_mesh::Topology;
/// let tetrahedron = Topology::new(4, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
/// assert_eq!(tetrahedron.edges().len(), 6);
/// assert_eq!(tetrahedron.triangles_of_vertex(3), &[1, 2, 3]);
/// assert!(tetrahedron.adjacent(0, 1));
/// # Ok::<(), superegg_mesh::MeshError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    vertices: usize,
    triangles: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
    triangle_edges: Vec<[u32; 3]>,
    of_vertex: Grouped,
    of_edge: Grouped,
}

impl Topology {
    /// Finds edges and incidence. Edges are numbered in the order of (larger vertex, smaller vertex).
    pub fn new(vertices: usize, triangles: Vec<[u32; 3]>) -> Result<Topology, MeshError> {
        check_triangles(vertices, &triangles)?;
        // Sides of triangles, each numbered three times its triangle and its place there, under their larger vertex.
        let ends = |side: u32| {
            let (corners, place) = (&triangles[side as usize / 3], side as usize % 3);
            let (a, b) = (corners[place], corners[(place + 1) % 3]);
            [a.min(b), a.max(b)]
        };
        let all = (0..3 * triangles.len() as u32).map(|side| (ends(side), side));
        let proper = all.filter(|([low, high], _)| low != high);
        let mut sides = Grouped::collect(vertices, proper.map(|([_, high], side)| (high, side)));
        let mut edges: Vec<[u32; 2]> = Vec::with_capacity(sides.items.len() / 2);
        let mut triangle_edges = vec![[NO_EDGE; 3]; triangles.len()];
        let mut incidence = Vec::with_capacity(sides.items.len());
        for vertex in 0..vertices as u32 {
            let around = sides.get_mut(vertex);
            around.sort_unstable_by_key(|&side| (ends(side)[0], side));
            for &side in &*around {
                let both = ends(side);
                if edges.last() != Some(&both) {
                    edges.push(both);
                }
                let (edge, triangle) = (edges.len() as u32 - 1, side / 3);
                triangle_edges[triangle as usize][side as usize % 3] = edge;
                // A triangle a, b, a has the edge ab twice; it is incident to it once.
                if incidence.last() != Some(&(edge, triangle)) {
                    incidence.push((edge, triangle));
                }
            }
        }
        for own in &mut triangle_edges {
            for side in 1..3 {
                if own[..side].contains(&own[side]) {
                    own[side] = NO_EDGE;
                }
            }
        }
        let corners = (0u32..).zip(&triangles).flat_map(|(index, corners)| {
            let distinct = |side: &usize| !corners[..*side].contains(&corners[*side]);
            (0..3).filter(distinct).map(move |side| (corners[side], index))
        });
        let of_vertex = Grouped::collect(vertices, corners);
        let of_edge = Grouped::collect(edges.len(), incidence.iter().copied());
        Ok(Topology { vertices, triangles, edges, triangle_edges, of_vertex, of_edge })
    }

    /// Number of vertices, those of no triangle included.
    pub fn vertex_count(&self) -> usize {
        self.vertices
    }

    /// Vertices of each triangle.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Vertices of each edge, the smaller first.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// Vertices of a triangle.
    #[inline]
    pub fn corners(&self, triangle: u32) -> [u32; 3] {
        self.triangles[triangle as usize]
    }

    /// Edges of a triangle, from corners 0 to 1, 1 to 2 and 2 to 0; [`NO_EDGE`] where both ends are the same
    /// vertex or the edge came before.
    #[inline]
    pub fn edges_of_triangle(&self, triangle: u32) -> [u32; 3] {
        self.triangle_edges[triangle as usize]
    }

    /// The edge between two vertices.
    pub fn edge_between(&self, a: u32, b: u32) -> Option<u32> {
        let key = (a.max(b), a.min(b));
        self.edges.binary_search_by_key(&key, |&[low, high]| (high, low)).ok().map(|edge| edge as u32)
    }

    /// Triangles around a vertex, in increasing order.
    #[inline]
    pub fn triangles_of_vertex(&self, vertex: u32) -> &[u32] {
        self.of_vertex.get(vertex)
    }

    /// Triangles of an edge, in increasing order.
    #[inline]
    pub fn triangles_of_edge(&self, edge: u32) -> &[u32] {
        self.of_edge.get(edge)
    }

    /// As [`Topology::triangles_of_edge`]; none for [`NO_EDGE`].
    #[inline]
    pub(crate) fn triangles_of_edge_if_any(&self, edge: u32) -> &[u32] {
        if edge == NO_EDGE { &[] } else { self.of_edge.get(edge) }
    }

    /// Whether two triangles share a vertex. A triangle is adjacent to itself.
    #[inline]
    pub fn adjacent(&self, a: u32, b: u32) -> bool {
        share_vertex(&self.triangles[a as usize], &self.triangles[b as usize])
    }

    /// The triangles that share a vertex with `triangle`, itself included, each once and in increasing order.
    pub fn neighbours(&self, triangle: u32) -> Vec<u32> {
        let around = self.corners(triangle).into_iter().flat_map(|v| self.triangles_of_vertex(v)).copied();
        let mut found: Vec<u32> = around.collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Edges with other than one or two triangles, which make the surface non-manifold.
    pub fn non_manifold_edges(&self) -> Vec<u32> {
        (0..self.edges.len() as u32).filter(|&e| self.triangles_of_edge(e).len() > 2).collect()
    }

    /// Parts connected through edges: the component of each triangle, and how many there are. Components are
    /// numbered in the order of their first triangle.
    pub fn components(&self) -> (Vec<u32>, usize) {
        let mut component = vec![u32::MAX; self.triangles.len()];
        let mut count = 0u32;
        let mut stack = Vec::new();
        for seed in 0..self.triangles.len() {
            if component[seed] != u32::MAX {
                continue;
            }
            component[seed] = count;
            stack.push(seed as u32);
            while let Some(triangle) = stack.pop() {
                for edge in self.edges_of_triangle(triangle).into_iter().filter(|&e| e != NO_EDGE) {
                    for &next in self.triangles_of_edge(edge) {
                        if component[next as usize] == u32::MAX {
                            component[next as usize] = count;
                            stack.push(next);
                        }
                    }
                }
            }
            count += 1;
        }
        (component, count as usize)
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        self.triangles.len() * size_of::<[u32; 3]>() * 2
            + self.edges.len() * size_of::<[u32; 2]>()
            + self.of_vertex.bytes()
            + self.of_edge.bytes()
    }
}

/// Whether two triangles name a common vertex.
#[inline]
pub(crate) fn share_vertex(a: &[u32; 3], b: &[u32; 3]) -> bool {
    let mut shared = false;
    for x in a {
        for y in b {
            shared |= x == y;
        }
    }
    shared
}
