//! The lower level of the hierarchy: one binary tree over the triangles of each connected object.
//!
//! A tree is built bottom-up from connectivity alone: neighbouring patches are matched, cheapest union first, level by
//! level, so that every node is a connected patch, which normal cones need. It keeps its shape while the mesh deforms;
//! bounds are refitted. After a change of topology
//! subtrees away from it are taken over, and only what lies around and above it is built anew. Nodes lie in preorder, so that a node's left child is the next one, its subtree and its
//! triangles are contiguous, and a pass backwards meets children before parents. For comparison one tree over all
//! triangles can be built by halving space instead.

use glam::DVec3;

use crate::topology::Topology;

/// The triangles of a node: `order[first..first + count]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub first: u32,
    pub count: u32,
}

/// Trees over all triangles.
#[derive(Clone, Debug)]
pub(super) struct Forest {
    pub nodes: Vec<Node>,
    /// Triangles in the order of the leaves.
    pub order: Vec<u32>,
    /// The root of each tree.
    pub roots: Vec<u32>,
}

impl Forest {
    /// No trees.
    const EMPTY: Forest = Forest { nodes: Vec::new(), order: Vec::new(), roots: Vec::new() };

    /// One tree a connected object, every node a connected patch.
    pub fn by_connectivity(topology: &Topology, positions: &[DVec3]) -> Forest {
        Forest::EMPTY.follow(topology, positions, |_| false).0
    }

    /// As [`Forest::by_connectivity`] after a change of topology. The largest subtrees that `keeps` agrees with, whose
    /// triangles must have stayed as they were, are taken over, and only the tree above and beside them is built anew.
    pub fn follow(&self, topology: &Topology, positions: &[DVec3], keeps: impl Fn(u32) -> bool) -> (Forest, Vec<Kept>) {
        let mut kept = Vec::new();
        let mut node = 0;
        while node < self.nodes.len() as u32 {
            if keeps(node) {
                kept.push(node);
                node += self.subtree(node);
            } else {
                node += 1;
            }
        }
        Patches::new(topology, positions, self, &kept).merge_all()
    }

    /// How many nodes a subtree has.
    #[inline]
    pub fn subtree(&self, node: u32) -> u32 {
        2 * self.nodes[node as usize].count - 1
    }

    /// The triangles of a node.
    #[inline]
    pub fn triangles(&self, node: u32) -> &[u32] {
        let Node { first, count } = self.nodes[node as usize];
        &self.order[first as usize..(first + count) as usize]
    }

    /// One tree over everything, by halving the longest side of the triangles' middles.
    pub fn by_space(topology: &Topology, positions: &[DVec3]) -> Forest {
        let middles: Vec<DVec3> = topology
            .triangles()
            .iter()
            .map(|corners| corners.iter().map(|&v| positions[v as usize] / 3.0).sum())
            .collect();
        let mut order: Vec<u32> = (0..middles.len() as u32).collect();
        let mut nodes = Vec::with_capacity(2 * order.len());
        let mut stack = vec![(0, order.len())];
        while let Some((first, count)) = stack.pop() {
            if count == 0 {
                continue;
            }
            nodes.push(Node { first: first as u32, count: count as u32 });
            if count > 1 {
                let part = &mut order[first..first + count];
                halve(part, |&triangle| middles[triangle as usize]);
                stack.push((first + count / 2, count - count / 2));
                stack.push((first, count / 2));
            }
        }
        let roots = if nodes.is_empty() { Vec::new() } else { vec![0] };
        Forest { nodes, order, roots }
    }

    #[inline]
    pub fn is_leaf(&self, node: u32) -> bool {
        self.nodes[node as usize].count == 1
    }

    /// The children of an inner node.
    #[inline]
    pub fn children(&self, node: u32) -> [u32; 2] {
        let left = node + 1;
        [left, left + 2 * self.nodes[left as usize].count - 1]
    }

    /// The number of an inner node among the inner nodes: those before it are the nodes before it but the leaves.
    #[inline]
    pub fn inner(&self, node: u32) -> usize {
        (node - self.nodes[node as usize].first) as usize
    }

    /// The triangle of a leaf.
    #[inline]
    pub fn triangle(&self, leaf: u32) -> u32 {
        self.order[self.nodes[leaf as usize].first as usize]
    }

    pub fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Node>() + (self.order.len() + self.roots.len()) * size_of::<u32>()
    }
}

/// A subtree taken over from another forest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kept {
    /// Its root in the other forest.
    pub old: u32,
    /// Its root in this one.
    pub new: u32,
}

/// Reorders items so that the first half lies below the second along the longest side of their middles.
pub(super) fn halve<T>(items: &mut [T], middle: impl Fn(&T) -> DVec3) {
    let low = items.iter().map(&middle).fold(DVec3::splat(f64::INFINITY), DVec3::min);
    let high = items.iter().map(&middle).fold(DVec3::splat(f64::NEG_INFINITY), DVec3::max);
    let axis = (high - low).max_position();
    items.select_nth_unstable_by(items.len() / 2, |a, b| middle(a)[axis].total_cmp(&middle(b)[axis]));
}

/// A box around a patch of the mesh as it was at first.
#[derive(Clone, Copy)]
struct Extent {
    low: DVec3,
    high: DVec3,
}

impl Extent {
    const NOTHING: Extent = Extent { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };

    fn union(&self, other: &Extent) -> Extent {
        Extent { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Half the surface, plus a little of the diagonal so that flat patches compare too.
    fn cost(&self) -> f64 {
        let side = self.high - self.low;
        side.x * side.y + side.y * side.z + side.z * side.x + 0.1 * side.length_squared()
    }
}

/// A patch under construction: its node in the growing tree.
#[derive(Clone, Copy)]
struct Patch {
    node: u32,
    count: u32,
    extent: Extent,
}

/// A node in the growing tree.
#[derive(Clone, Copy)]
enum Grown {
    Leaf(u32),
    /// A subtree of the earlier forest.
    Kept(u32),
    Inner(u32, u32),
}

struct Patches<'a> {
    /// The earlier forest.
    earlier: &'a Forest,
    grown: Vec<Grown>,
    patches: Vec<Patch>,
    /// Neighbouring patches, both ways, sorted.
    links: Vec<(u32, u32)>,
}

impl<'a> Patches<'a> {
    /// The subtrees `kept` of an earlier forest and every other triangle on its own.
    fn new(topology: &Topology, positions: &[DVec3], earlier: &'a Forest, kept: &[u32]) -> Patches<'a> {
        const NONE: u32 = u32::MAX;
        let extent = |triangle: u32| {
            let [a, b, c] = topology.corners(triangle).map(|v| positions[v as usize]);
            Extent { low: a.min(b).min(c), high: a.max(b).max(c) }
        };
        let mut of_triangle = vec![NONE; topology.triangles().len()];
        let mut grown = Vec::with_capacity(2 * of_triangle.len());
        let mut patches = Vec::with_capacity(of_triangle.len());
        for &node in kept {
            let mut patch =
                Patch { node: grown.len() as u32, count: earlier.nodes[node as usize].count, extent: Extent::NOTHING };
            for &triangle in earlier.triangles(node) {
                of_triangle[triangle as usize] = patch.node;
                patch.extent = patch.extent.union(&extent(triangle));
            }
            grown.push(Grown::Kept(node));
            patches.push(patch);
        }
        for triangle in 0..of_triangle.len() as u32 {
            if of_triangle[triangle as usize] == NONE {
                let node = grown.len() as u32;
                of_triangle[triangle as usize] = node;
                grown.push(Grown::Leaf(triangle));
                patches.push(Patch { node, count: 1, extent: extent(triangle) });
            }
        }
        let mut links = Vec::new();
        for edge in 0..topology.edges().len() as u32 {
            // A chain through the triangles of an edge: enough to connect them, and short for books of pages.
            for pair in topology.triangles_of_edge(edge).windows(2) {
                let [a, b] = [pair[0], pair[1]].map(|triangle| of_triangle[triangle as usize]);
                if a != b {
                    links.extend([(a, b), (b, a)]);
                }
            }
        }
        Patches { earlier, grown, patches, links }
    }

    fn merge_all(mut self) -> (Forest, Vec<Kept>) {
        loop {
            self.links.sort_unstable();
            self.links.dedup();
            if self.links.is_empty() {
                break;
            }
            self.merge_level();
        }
        self.flatten()
    }

    /// Groups every patch that has neighbours with at least one of them; halves the number of such patches or better.
    fn merge_level(&mut self) {
        const NONE: u32 = u32::MAX;
        let mut starts = vec![0usize; self.patches.len() + 1];
        for &(from, _) in &self.links {
            starts[from as usize + 1] += 1;
        }
        for i in 0..self.patches.len() {
            starts[i + 1] += starts[i];
        }
        let mut by_size: Vec<u32> = (0..self.patches.len() as u32).collect();
        by_size.sort_by_key(|&i| self.patches[i as usize].count);
        let mut group = vec![NONE; self.patches.len()];
        let mut groups: Vec<Vec<u32>> = Vec::with_capacity(self.patches.len() / 2 + 1);
        for &patch in &by_size {
            if group[patch as usize] != NONE {
                continue;
            }
            let neighbours = self.links[starts[patch as usize]..starts[patch as usize + 1]].iter().map(|&(_, to)| to);
            let own = self.patches[patch as usize].extent;
            let cost = |&other: &u32| self.patches[other as usize].extent.union(&own).cost();
            let free = neighbours.clone().filter(|&other| group[other as usize] == NONE && other != patch);
            if let Some(partner) = free.min_by(|a, b| cost(a).total_cmp(&cost(b)).then(a.cmp(b))) {
                group[patch as usize] = groups.len() as u32;
                group[partner as usize] = groups.len() as u32;
                groups.push(vec![patch, partner]);
            } else if let Some(host) =
                neighbours.min_by_key(|&other| (groups[group[other as usize] as usize].len(), other))
            {
                // All neighbours are taken: join the smallest of their groups.
                let joined = group[host as usize];
                group[patch as usize] = joined;
                groups[joined as usize].push(patch);
            } else {
                group[patch as usize] = groups.len() as u32;
                groups.push(vec![patch]);
            }
        }
        let merged = groups.iter().map(|members| self.grow(members)).collect();
        for (from, to) in &mut self.links {
            (*from, *to) = (group[*from as usize], group[*to as usize]);
        }
        self.links.retain(|(from, to)| from != to);
        self.patches = merged;
    }

    /// A tree over the members of a group, added one after the other: each is a neighbour of one before it, so that
    /// all nodes are connected.
    fn grow(&mut self, members: &[u32]) -> Patch {
        let mut grown = self.patches[members[0] as usize];
        for &member in &members[1..] {
            let added = self.patches[member as usize];
            let node = self.grown.len() as u32;
            self.grown.push(Grown::Inner(grown.node, added.node));
            grown = Patch { node, count: grown.count + added.count, extent: grown.extent.union(&added.extent) };
        }
        grown
    }

    /// Lays the trees out in preorder, objects in the order of their first triangle's number.
    fn flatten(mut self) -> (Forest, Vec<Kept>) {
        let mut counts = Vec::with_capacity(self.grown.len());
        let mut least = Vec::with_capacity(self.grown.len());
        for grown in &self.grown {
            let (count, first) = match *grown {
                Grown::Leaf(triangle) => (1, triangle),
                Grown::Kept(node) => {
                    let triangles = self.earlier.triangles(node);
                    (triangles.len() as u32, triangles.iter().copied().min().unwrap_or(u32::MAX))
                }
                Grown::Inner(left, right) => {
                    let [left, right] = [left as usize, right as usize];
                    (counts[left] + counts[right], u32::min(least[left], least[right]))
                }
            };
            counts.push(count);
            least.push(first);
        }
        self.patches.sort_by_key(|patch| least[patch.node as usize]);
        let mut forest = Forest { nodes: Vec::with_capacity(self.grown.len()), order: Vec::new(), roots: Vec::new() };
        let mut kept = Vec::new();
        let mut stack = Vec::new();
        for patch in &self.patches {
            forest.roots.push(forest.nodes.len() as u32);
            stack.push(patch.node);
            while let Some(node) = stack.pop() {
                let first = forest.order.len() as u32;
                match self.grown[node as usize] {
                    Grown::Leaf(triangle) => {
                        forest.nodes.push(Node { first, count: 1 });
                        forest.order.push(triangle);
                    }
                    Grown::Kept(old) => {
                        kept.push(Kept { old, new: forest.nodes.len() as u32 });
                        let before = self.earlier.nodes[old as usize].first;
                        let subtree = &self.earlier.nodes[old as usize..(old + self.earlier.subtree(old)) as usize];
                        let moved = subtree.iter().map(|n| Node { first: n.first - before + first, count: n.count });
                        forest.nodes.extend(moved);
                        forest.order.extend(self.earlier.triangles(old));
                    }
                    Grown::Inner(left, right) => {
                        forest.nodes.push(Node { first, count: counts[node as usize] });
                        stack.extend([right, left]);
                    }
                }
            }
        }
        (forest, kept)
    }
}
