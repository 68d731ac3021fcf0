//! The kind of pipeline that is common today, for comparison: boxes around swept triangles in a tree, each pair of
//! features once, and the cubic of coplanarity solved in plain double precision.
//!
//! Features are given to the first triangle around them, pairs that share a vertex are left out. The elementary test
//! follows R. Bridson, R. Fedkiw and J. Anderson, "Robust treatment of collisions, contact and friction for cloth
//! animation": roots of the cubic, then barycentric coordinates with a small tolerance. It has no error bounds, so it
//! may miss collisions and invent some.

use superegg_mesh::topology::NO_EDGE;
use superegg_mesh::{DVec3, Topology, TriangleMesh};

/// Barycentric coordinates may be off by this much.
const TOLERANCE: f64 = 1e-8;

/// The real roots of a cubic given by its coefficients, lowest first, in closed form.
fn roots([d, c, b, a]: [f64; 4]) -> ([f64; 3], usize) {
    let scale = a.abs().max(b.abs()).max(c.abs()).max(d.abs());
    if a.abs() <= 1e-14 * scale {
        if b.abs() <= 1e-14 * scale {
            return if c == 0.0 { ([0.0; 3], 0) } else { ([-d / c, 0.0, 0.0], 1) };
        }
        let discriminant = c * c - 4.0 * b * d;
        if discriminant < 0.0 {
            return ([0.0; 3], 0);
        }
        let q = -0.5 * (c + c.signum() * discriminant.sqrt());
        let (r, s) = (q / b, d / q);
        return ([r.min(s), r.max(s), 0.0], 2);
    }
    let (b, c, d) = (b / a, c / a, d / a);
    let (q, r) = ((b * b - 3.0 * c) / 9.0, (b * (2.0 * b * b - 9.0 * c) + 27.0 * d) / 54.0);
    let shift = b / 3.0;
    if r * r < q * q * q {
        let angle = (r / (q * q * q).sqrt()).clamp(-1.0, 1.0).acos();
        let size = -2.0 * q.sqrt();
        let third = std::f64::consts::TAU / 3.0;
        let mut found = [angle / 3.0, angle / 3.0 + third, angle / 3.0 - third].map(|x| size * x.cos() - shift);
        found.sort_by(f64::total_cmp);
        (found, 3)
    } else {
        let s = -r.signum() * (r.abs() + (r * r - q * q * q).sqrt()).cbrt();
        let t = if s == 0.0 { 0.0 } else { q / s };
        ([s + t - shift, 0.0, 0.0], 1)
    }
}

/// The determinant of three linearly moving vectors, in powers of time.
fn determinant([u, v, w]: [DVec3; 3], [du, dv, dw]: [DVec3; 3]) -> [f64; 4] {
    let mixed = v.cross(dw) + dv.cross(w);
    [u.dot(v.cross(w)), du.dot(v.cross(w)) + u.dot(mixed), u.dot(dv.cross(dw)) + du.dot(mixed), du.dot(dv.cross(dw))]
}

fn first_time(cubic: [f64; 4], contact: impl Fn(f64) -> bool) -> Option<f64> {
    let (roots, count) = roots(cubic);
    roots[..count].iter().copied().find(|&t| (0.0..=1.0).contains(&t) && contact(t))
}

/// When a vertex meets a face, in plain double precision.
pub fn plain_vertex_face(start: &[DVec3; 4], end: &[DVec3; 4]) -> Option<f64> {
    let relative = |p: &[DVec3; 4]| [p[1] - p[0], p[2] - p[0], p[3] - p[0]];
    let (first, last) = (relative(start), relative(end));
    let change = [last[0] - first[0], last[1] - first[1], last[2] - first[2]];
    first_time(determinant(first, change), |t| {
        let [a, b, c] = [0, 1, 2].map(|i: usize| first[i] + change[i] * t);
        let (ab, bc, ca) = (a.cross(b), b.cross(c), c.cross(a));
        let normal = ab + bc + ca;
        let bound = -TOLERANCE * normal.length_squared();
        normal.dot(ab) >= bound && normal.dot(bc) >= bound && normal.dot(ca) >= bound
    })
}

/// When two edges meet, in plain double precision.
pub fn plain_edge_edge(start: &[DVec3; 4], end: &[DVec3; 4]) -> Option<f64> {
    let relative = |p: &[DVec3; 4]| [p[2] - p[0], p[1] - p[0], p[3] - p[2]];
    let (first, last) = (relative(start), relative(end));
    let change = [last[0] - first[0], last[1] - first[1], last[2] - first[2]];
    first_time(determinant(first, change), |t| {
        let [w, u, v] = [0, 1, 2].map(|i: usize| first[i] + change[i] * t);
        let normal = u.cross(v);
        let area_sq = normal.length_squared();
        let (along_u, along_v) = (w.cross(v).dot(normal), w.cross(u).dot(normal));
        let inside = |x: f64| x >= -TOLERANCE * area_sq && x <= (1.0 + TOLERANCE) * area_sq;
        inside(along_u) && inside(along_v)
    })
}

#[derive(Clone, Copy)]
struct Bounds {
    low: DVec3,
    high: DVec3,
}

impl Bounds {
    fn union(self, other: Bounds) -> Bounds {
        Bounds { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    fn overlaps(&self, other: &Bounds) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }
}

/// What the plain pipeline found.
pub(super) struct Found {
    pub collisions: usize,
    pub elementary_tests: usize,
    pub triangle_pairs: usize,
}

/// The pipeline with a tree over the triangles of a mesh, in preorder, leaves of one triangle.
pub(super) struct Pipeline {
    topology: Topology,
    /// Triangles in the order of the leaves.
    order: Vec<u32>,
    /// First leaf and number of leaves of each node.
    nodes: Vec<[u32; 2]>,
}

impl Pipeline {
    pub fn new(mesh: &TriangleMesh) -> Pipeline {
        let topology = Topology::new(mesh.positions().len(), mesh.triangles().to_vec()).expect("a validated mesh");
        let middle = |t: &u32| topology.corners(*t).iter().map(|&v| mesh.positions()[v as usize]).sum::<DVec3>();
        let mut order: Vec<u32> = (0..mesh.triangles().len() as u32).collect();
        let mut nodes = Vec::new();
        let mut stack = vec![[0, order.len()]];
        while let Some([first, count]) = stack.pop() {
            nodes.push([first as u32, count as u32]);
            if count > 1 {
                let part = &mut order[first..first + count];
                let low = part.iter().map(middle).fold(DVec3::INFINITY, DVec3::min);
                let high = part.iter().map(middle).fold(DVec3::NEG_INFINITY, DVec3::max);
                let axis = (high - low).max_position();
                part.select_nth_unstable_by(count / 2, |a, b| middle(a)[axis].total_cmp(&middle(b)[axis]));
                stack.extend([[first + count / 2, count - count / 2], [first, count / 2]]);
            }
        }
        Pipeline { topology, order, nodes }
    }

    fn children(&self, node: usize) -> [usize; 2] {
        [node + 1, node + 2 * self.nodes[node + 1][1] as usize]
    }

    pub fn detect(&self, start: &[DVec3], end: &[DVec3]) -> Found {
        let topology = &self.topology;
        let vertex = |v: u32| {
            let (a, b) = (start[v as usize], end[v as usize]);
            Bounds { low: a.min(b), high: a.max(b) }
        };
        let vertices: Vec<Bounds> = (0..start.len() as u32).map(vertex).collect();
        let edges: Vec<Bounds> =
            topology.edges().iter().map(|&[a, b]| vertices[a as usize].union(vertices[b as usize])).collect();
        let mut bounds = vec![vertices[0]; self.nodes.len()];
        for node in (0..self.nodes.len()).rev() {
            let [first, count] = self.nodes[node];
            bounds[node] = if count == 1 {
                let [a, b, c] = topology.corners(self.order[first as usize]).map(|v| vertices[v as usize]);
                a.union(b).union(c)
            } else {
                let [left, right] = self.children(node);
                bounds[left].union(bounds[right])
            };
        }
        let mut found = Found { collisions: 0, elementary_tests: 0, triangle_pairs: 0 };
        let at = |frame: &[DVec3], vertices: [u32; 4]| vertices.map(|v| frame[v as usize]);
        let mut test = |a: usize, b: usize| {
            found.triangle_pairs += 1;
            let triangles = [a, b].map(|leaf| self.order[self.nodes[leaf][0] as usize]);
            for ([own, face], other) in [(triangles, b), ([triangles[1], triangles[0]], a)] {
                let corners = topology.corners(face);
                for v in topology.corners(own) {
                    if topology.triangles_of_vertex(v)[0] == own
                        && !corners.contains(&v)
                        && vertices[v as usize].overlaps(&bounds[other])
                    {
                        let all = [v, corners[0], corners[1], corners[2]];
                        found.elementary_tests += 1;
                        found.collisions += usize::from(plain_vertex_face(&at(start, all), &at(end, all)).is_some());
                    }
                }
            }
            let owned = |triangle: u32| {
                let edges = topology.edges_of_triangle(triangle).into_iter();
                edges.filter(move |&e| e != NO_EDGE && topology.triangles_of_edge(e)[0] == triangle)
            };
            for one in owned(triangles[0]) {
                for other in owned(triangles[1]) {
                    let ([a, b], [c, d]) = (topology.edges()[one as usize], topology.edges()[other as usize]);
                    if a != c && a != d && b != c && b != d && edges[one as usize].overlaps(&edges[other as usize]) {
                        let all = [a, b, c, d];
                        found.elementary_tests += 1;
                        found.collisions += usize::from(plain_edge_edge(&at(start, all), &at(end, all)).is_some());
                    }
                }
            }
        };
        let mut stack = vec![(0, 0)];
        while let Some((a, b)) = stack.pop() {
            let (many_a, many_b) = (self.nodes[a][1], self.nodes[b][1]);
            if a == b {
                if many_a > 1 {
                    let [left, right] = self.children(a);
                    stack.extend([(left, left), (right, right), (left, right)]);
                }
            } else if bounds[a].overlaps(&bounds[b]) {
                if many_a == 1 && many_b == 1 {
                    test(a, b);
                } else if many_a >= many_b {
                    stack.extend(self.children(a).map(|child| (child, b)));
                } else {
                    stack.extend(self.children(b).map(|child| (a, child)));
                }
            }
        }
        found
    }
}
