//! Least distance of two triangle meshes: a tree of boxes over the triangles of each, walked nearest pair of boxes first.
//!
//! The second mesh is moved into the frame of the first and its boxes are fitted anew there, which costs little beside
//! the walk and keeps them tight: boxes that turn with their mesh would have to be made larger or compared along other
//! axes.

use superegg::DVec3;

use crate::triangle::{candidates, common_point};

/// A box: least and greatest coordinates.
#[derive(Clone, Copy, Debug)]
struct Extent {
    low: DVec3,
    high: DVec3,
}

impl Extent {
    const EMPTY: Extent = Extent { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };

    fn of(points: &[DVec3]) -> Extent {
        points.iter().fold(Extent::EMPTY, |all, &p| Extent { low: all.low.min(p), high: all.high.max(p) })
    }

    #[inline]
    fn union(&self, other: &Extent) -> Extent {
        Extent { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    #[inline]
    fn distance_sq(&self, other: &Extent) -> f64 {
        (self.low - other.high).max(other.low - self.high).max(DVec3::ZERO).length_squared()
    }

    fn size_sq(&self) -> f64 {
        (self.high - self.low).length_squared()
    }
}

/// A mesh with a tree over its triangles. Nodes lie in preorder, so that the left child comes next; a leaf is one
/// triangle.
#[derive(Clone, Debug)]
pub(crate) struct MeshTree {
    vertices: Vec<DVec3>,
    /// In the order of the leaves.
    triangles: Vec<[u32; 3]>,
    /// The first triangle of each node and how many it has.
    nodes: Vec<[u32; 2]>,
    boxes: Vec<Extent>,
}

/// The nearest points of two meshes, on the first and on the second, or one point that both have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Nearest {
    Apart([DVec3; 2]),
    Meeting(DVec3),
}

impl MeshTree {
    /// Builds the tree by halving along the longest side; `None` without triangles or where one names no vertex.
    pub fn new(vertices: Vec<DVec3>, mut triangles: Vec<[u32; 3]>) -> Option<MeshTree> {
        if triangles.is_empty() || triangles.iter().flatten().any(|&v| v as usize >= vertices.len()) {
            return None;
        }
        let middle = |corners: &[u32; 3]| corners.iter().map(|&v| vertices[v as usize]).sum::<DVec3>();
        let mut nodes = Vec::with_capacity(2 * triangles.len());
        let mut stack = vec![(0, triangles.len())];
        while let Some((first, count)) = stack.pop() {
            nodes.push([first as u32, count as u32]);
            if count > 1 {
                let part = &mut triangles[first..first + count];
                let middles: Vec<DVec3> = part.iter().map(middle).collect();
                let Extent { low, high } = Extent::of(&middles);
                let axis = (high - low).max_position();
                part.select_nth_unstable_by(count / 2, |a, b| middle(a)[axis].total_cmp(&middle(b)[axis]));
                stack.extend([(first + count / 2, count - count / 2), (first, count / 2)]);
            }
        }
        let mut tree = MeshTree { vertices, triangles, nodes, boxes: Vec::new() };
        tree.boxes = tree.fitted(&tree.vertices);
        Some(tree)
    }

    /// The corners of all triangles.
    pub fn triangles(&self) -> impl Iterator<Item = [DVec3; 3]> {
        self.triangles.iter().map(|corners| corners.map(|v| self.vertices[v as usize]))
    }

    fn children(&self, node: usize) -> [usize; 2] {
        [node + 1, node + 2 * self.nodes[node + 1][1] as usize]
    }

    fn corners(&self, leaf: usize, vertices: &[DVec3]) -> [DVec3; 3] {
        self.triangles[self.nodes[leaf][0] as usize].map(|v| vertices[v as usize])
    }

    /// Boxes of all nodes for vertices at other places.
    fn fitted(&self, vertices: &[DVec3]) -> Vec<Extent> {
        let mut boxes = vec![Extent::EMPTY; self.nodes.len()];
        for node in (0..self.nodes.len()).rev() {
            boxes[node] = if self.nodes[node][1] == 1 {
                Extent::of(&self.corners(node, vertices))
            } else {
                let [left, right] = self.children(node);
                boxes[left].union(&boxes[right])
            };
        }
        boxes
    }

    /// The nearest points of this mesh and another, which `place` moves into the frame of this one.
    pub fn nearest(&self, other: &MeshTree, place: impl Fn(DVec3) -> DVec3) -> Nearest {
        let placed: Vec<DVec3> = other.vertices.iter().map(|&v| place(v)).collect();
        let boxes = other.fitted(&placed);
        let mut best = Found { distance_sq: f64::INFINITY, points: [DVec3::ZERO; 2], separation: None };
        let mut stack = vec![(self.boxes[0].distance_sq(&boxes[0]), 0, 0)];
        while let Some((bound_sq, a, b)) = stack.pop() {
            if bound_sq >= best.distance_sq {
                continue;
            }
            let (single_a, single_b) = (self.nodes[a][1] == 1, other.nodes[b][1] == 1);
            if single_a && single_b {
                let (own, its) = (self.corners(a, &self.vertices), other.corners(b, &placed));
                if best.is_nearer(&own, &its) {
                    continue;
                }
                if let Some(point) = common_point(&own, &its) {
                    return Nearest::Meeting(point);
                }
                candidates(&own, &its, |points| best.offer(points));
                continue;
            }
            // The larger one is split, and its nearer half comes first.
            let split_a = single_b || !single_a && self.boxes[a].size_sq() >= boxes[b].size_sq();
            let mut pairs = if split_a {
                self.children(a).map(|child| (self.boxes[child].distance_sq(&boxes[b]), child, b))
            } else {
                other.children(b).map(|child| (self.boxes[a].distance_sq(&boxes[child]), a, child))
            };
            if pairs[0].0 < pairs[1].0 {
                pairs.swap(0, 1);
            }
            stack.extend(pairs.into_iter().filter(|pair| pair.0 < best.distance_sq));
        }
        Nearest::Apart(best.points)
    }
}

/// The nearest points found so far.
struct Found {
    distance_sq: f64,
    points: [DVec3; 2],
    /// The direction from the first to the second and their distance, a little increased for rounding.
    separation: Option<(DVec3, f64)>,
}

impl Found {
    /// Whether two triangles are farther from each other than these points, told by how far they are along the direction
    /// between the points: for bodies without hollows that is so for nearly all, once the nearest points are found.
    #[inline]
    fn is_nearer(&self, one: &[DVec3; 3], other: &[DVec3; 3]) -> bool {
        self.separation.is_some_and(|(direction, distance)| {
            let [a, b, c] = one.map(|corner| direction.dot(corner));
            let [d, e, f] = other.map(|corner| direction.dot(corner));
            d.min(e).min(f) - a.max(b).max(c) > distance
        })
    }

    #[inline]
    fn offer(&mut self, points: [DVec3; 2]) {
        let distance_sq = points[0].distance_squared(points[1]);
        if distance_sq < self.distance_sq {
            let distance = distance_sq.sqrt();
            let direction = (points[1] - points[0]) / distance;
            let reach = distance + points[0].abs().max_element() + points[1].abs().max_element();
            let separation = direction.is_finite().then_some((direction, distance + 1e-12 * reach));
            *self = Found { distance_sq, points, separation };
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn point() -> impl Strategy<Value = DVec3> {
        [-1.0..1.0, -1.0..1.0, -1.0..1.0f64].prop_map(DVec3::from_array)
    }

    fn triangle() -> impl Strategy<Value = [DVec3; 3]> {
        [point(), point(), point()]
    }

    /// A triangle's point by two numbers in [0, 1].
    fn at(&[a, b, c]: &[DVec3; 3], s: f64, t: f64) -> DVec3 {
        let (s, t) = if s + t > 1.0 { (1.0 - s, 1.0 - t) } else { (s, t) };
        a + (b - a) * s + (c - a) * t
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn no_two_points_of_triangles_are_nearer(one in triangle(), other in triangle(), away in point()) {
            let other = other.map(|p| p + away * 2.0);
            let mesh = |corners: [DVec3; 3]| MeshTree::new(corners.to_vec(), vec![[0, 1, 2]]).expect("a triangle");
            let nearest = match mesh(one).nearest(&mesh(other), |p| p) {
                Nearest::Apart([p, q]) => p.distance(q),
                Nearest::Meeting(point) => {
                    // On both: the nearest points of the triangles to it are itself.
                    for corners in [one, other] {
                        let single = mesh([point; 3]);
                        if let Nearest::Apart([p, q]) = mesh(corners).nearest(&single, |p| p) {
                            prop_assert!(p.distance(q) < 1e-9);
                        }
                    }
                    0.0
                }
            };
            let steps = (0..=20).map(|i| f64::from(i) / 20.0);
            let samples = |corners: [DVec3; 3]| -> Vec<DVec3> {
                steps.clone().flat_map(|s| steps.clone().map(move |t| at(&corners, s, t))).collect()
            };
            let sampled = samples(one).iter().flat_map(|p| samples(other).into_iter().map(move |q| p.distance(q)))
                .fold(f64::INFINITY, f64::min);
            prop_assert!(nearest <= sampled + 1e-12, "{nearest} {sampled}");
            prop_assert!(nearest >= sampled - 0.5, "no pair of samples is half as far off: {nearest} {sampled}");
        }

        #[test]
        fn trees_find_what_all_pairs_find(
            one in prop::collection::vec(triangle(), 1..20), other in prop::collection::vec(triangle(), 1..20), away in point(),
        ) {
            let mesh = |corners: &[[DVec3; 3]]| {
                let triangles = (0..corners.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
                MeshTree::new(corners.as_flattened().to_vec(), triangles).expect("triangles")
            };
            let place = |p: DVec3| p + away * 4.0;
            let mut best = f64::INFINITY;
            for a in &one {
                for b in &other {
                    match mesh(&[*a]).nearest(&mesh(&[*b]), place) {
                        Nearest::Apart([p, q]) => best = best.min(p.distance(q)),
                        Nearest::Meeting(_) => best = 0.0,
                    }
                }
            }
            match mesh(&one).nearest(&mesh(&other), place) {
                Nearest::Apart([p, q]) => prop_assert_eq!(p.distance(q), best),
                Nearest::Meeting(_) => prop_assert_eq!(best, 0.0),
            }
        }
    }

    #[test]
    fn nothing_and_strangers_are_refused() {
        assert!(MeshTree::new(Vec::new(), Vec::new()).is_none());
        assert!(MeshTree::new(vec![DVec3::ZERO; 2], vec![[0, 1, 2]]).is_none());
    }
}
