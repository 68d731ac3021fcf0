//! A dynamic binary tree of boxes.
//!
//! Leaves are inserted where they enlarge the surfaces of the tree least (greedy descent as in Box2D, after Catto's
//! "Dynamic bounding volume hierarchies"), and every ancestor tries the swaps of a child with a grandchild that shrink
//! the tree. A tree that has degraded is rebuilt by halving along the longest side. Nodes are 64 bytes, one cache line.

use glam::DVec3;
use superegg::shape::Aabb;
use thiserror::Error;

use crate::bound::{half_area, is_finite, overlap, union};

pub(super) const NONE: u32 = u32::MAX;

/// Leaves that are compared at a time when pairs are listed: what is built puts as many below one node wherever it can.
pub(super) const BUCKET: usize = 8;

/// A leaf's place in its [`Tree`]; stays the same while the leaf moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Leaf(u32);

/// Why a tree refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum TreeError {
    /// The box is not finite, or its lower corner lies above its upper one.
    #[error("the box from {min} to {max} is not finite and ordered")]
    Box {
        /// Its lower corner.
        min: DVec3,
        /// Its upper corner.
        max: DVec3,
    },
    /// There is no such leaf (any more).
    #[error("leaf {} is not in the tree", .0.0)]
    NoLeaf(Leaf),
    /// More than 2³¹ leaves.
    #[error("the tree is full")]
    Full,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub aabb: Aabb,
    pub parent: u32,
    /// Both [`NONE`] for a leaf.
    pub children: [u32; 2],
    /// What a leaf stands for; of an inner node how many leaves are below it. Of an unused node: [`UNUSED`] as parent, the next unused one as
    /// first child.
    pub item: u32,
}

impl Node {
    #[inline]
    pub fn is_leaf(&self) -> bool {
        self.children[1] == NONE
    }

    /// How many leaves are below, a leaf itself counted.
    #[inline]
    pub fn leaves(&self) -> u32 {
        if self.is_leaf() { 1 } else { self.item }
    }
}

/// Marks unused nodes.
const UNUSED: u32 = u32::MAX - 1;

/// A dynamic tree of boxes, each of which stands for an item of the caller's.
///
/// ```
/// use superegg_world::bound::Aabb;
/// use superegg_world::broad::{Tree, TreeError};
/// use superegg_world::DVec3;
/// let cube = |x: f64| Aabb { min: DVec3::new(x, 0.0, 0.0), max: DVec3::new(x + 1.0, 1.0, 1.0) };
/// let mut tree = Tree::new();
/// let first = tree.insert(&cube(0.0), 7)?;
/// tree.insert(&cube(0.5), 8)?;
/// let far = tree.insert(&cube(9.0), 9)?;
/// assert_eq!(tree.pairs(), [(7, 8)]);
/// tree.set(far, &cube(1.2))?;
/// assert_eq!(tree.pairs(), [(7, 8), (8, 9)]);
/// tree.remove(first)?;
/// assert_eq!(tree.pairs(), [(8, 9)]);
/// assert_eq!(tree.remove(first), Err(TreeError::NoLeaf(first)));
/// # Ok::<(), TreeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) root: u32,
    unused: u32,
    leaves: usize,
    /// Insertions and moves since the last rebuild, and the tree's cost then.
    changes: usize,
    cost_when_built: f64,
}

impl Default for Tree {
    fn default() -> Tree {
        Tree { nodes: Vec::new(), root: NONE, unused: NONE, leaves: 0, changes: 0, cost_when_built: 0.0 }
    }
}

/// More leaves than one in so many are moved together: to move a leaf alone takes as long as to look at some thirty nodes.
const MANY: usize = 16;
/// A tree is rebuilt when its cost has grown by this factor.
const DEGRADED: f64 = 1.3;

impl Tree {
    /// An empty tree.
    pub fn new() -> Tree {
        Tree::default()
    }

    /// A tree over boxes, built at once; the items are their indices.
    pub fn over(boxes: &[Aabb]) -> Result<Tree, TreeError> {
        let mut tree = Tree::new();
        if boxes.len() >= (UNUSED / 2) as usize {
            return Err(TreeError::Full);
        }
        tree.nodes.reserve(2 * boxes.len());
        for (item, aabb) in (0u32..).zip(boxes) {
            check(aabb)?;
            tree.nodes.push(Node { aabb: *aabb, parent: NONE, children: [NONE; 2], item });
        }
        tree.leaves = boxes.len();
        tree.rebuild();
        Ok(tree)
    }

    /// How many leaves there are.
    pub fn len(&self) -> usize {
        self.leaves
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.leaves == 0
    }

    /// The box around everything.
    pub fn extent(&self) -> Option<Aabb> {
        self.nodes.get(self.root as usize).map(|root| root.aabb)
    }

    /// Bytes on the heap.
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
    }

    /// Adds a leaf.
    pub fn insert(&mut self, aabb: &Aabb, item: u32) -> Result<Leaf, TreeError> {
        check(aabb)?;
        if self.leaves >= (UNUSED / 2) as usize {
            return Err(TreeError::Full);
        }
        let leaf = self.allocate(Node { aabb: *aabb, parent: NONE, children: [NONE; 2], item });
        self.leaves += 1;
        self.attach(leaf);
        Ok(Leaf(leaf))
    }

    /// Removes a leaf.
    pub fn remove(&mut self, leaf: Leaf) -> Result<(), TreeError> {
        self.node_of(leaf)?;
        self.detach(leaf.0);
        self.release(leaf.0);
        self.leaves -= 1;
        Ok(())
    }

    /// Gives a leaf another box.
    pub fn set(&mut self, leaf: Leaf, aabb: &Aabb) -> Result<(), TreeError> {
        self.node_of(leaf)?;
        check(aabb)?;
        self.detach(leaf.0);
        self.nodes[leaf.0 as usize].aabb = *aabb;
        self.attach(leaf.0);
        Ok(())
    }

    /// Gives some leaves other boxes. Where they are many, the rest of the tree follows at once, its structure unchanged:
    /// [`maintain`](Tree::maintain) builds it anew when that has become bad. A refusal leaves the tree as it was.
    pub fn set_all(&mut self, moved: &[(Leaf, Aabb)]) -> Result<(), TreeError> {
        for (leaf, aabb) in moved {
            self.node_of(*leaf)?;
            check(aabb)?;
        }
        if moved.len() * MANY < self.leaves {
            return moved.iter().try_for_each(|(leaf, aabb)| self.set(*leaf, aabb));
        }
        for (leaf, aabb) in moved {
            self.nodes[leaf.0 as usize].aabb = *aabb;
        }
        self.changes += moved.len();
        for &index in self.top_down().iter().rev() {
            if !self.nodes[index as usize].is_leaf() {
                self.nodes[index as usize].aabb = self.union_of(self.nodes[index as usize].children);
            }
        }
        Ok(())
    }

    /// The box of a leaf.
    pub fn aabb(&self, leaf: Leaf) -> Result<&Aabb, TreeError> {
        self.node_of(leaf).map(|node| &node.aabb)
    }

    fn node_of(&self, leaf: Leaf) -> Result<&Node, TreeError> {
        let node = self.nodes.get(leaf.0 as usize).filter(|node| node.is_leaf() && node.parent != UNUSED);
        node.ok_or(TreeError::NoLeaf(leaf))
    }

    /// Gives every leaf a new box and lets the rest of the tree follow, its structure unchanged: for meshes that deform.
    /// A box that is not finite leaves the tree as it was.
    pub fn refit(&mut self, new_box: impl Fn(u32) -> Aabb) -> Result<(), TreeError> {
        let order = self.top_down();
        for &index in &order {
            if self.nodes[index as usize].is_leaf() {
                check(&new_box(self.nodes[index as usize].item))?;
            }
        }
        for &index in order.iter().rev() {
            let node = self.nodes[index as usize];
            self.nodes[index as usize].aabb =
                if node.is_leaf() { new_box(node.item) } else { self.union_of(node.children) };
        }
        Ok(())
    }

    /// Rebuilds the tree if it has changed as often as it has leaves and has become much worse than it was when built.
    pub fn maintain(&mut self) -> bool {
        if self.changes <= self.leaves {
            return false;
        }
        let degraded = self.cost() > DEGRADED * self.cost_when_built;
        if degraded {
            self.rebuild();
        } else {
            self.changes = 0;
        }
        degraded
    }

    /// The sum of the surfaces of all inner boxes, as a part of the outermost: what a query may expect to visit.
    pub fn cost(&self) -> f64 {
        let Some(root) = self.nodes.get(self.root as usize) else { return 0.0 };
        let order = self.top_down();
        let inner = order.iter().map(|&index| &self.nodes[index as usize]).filter(|node| !node.is_leaf());
        inner.map(|node| half_area(&node.aabb)).sum::<f64>() / half_area(&root.aabb).max(f64::MIN_POSITIVE)
    }

    /// Builds the tree anew over its leaves, which keep their places.
    pub fn rebuild(&mut self) {
        self.changes = 0;
        let mut leaves: Vec<u32> = Vec::with_capacity(self.leaves);
        self.unused = NONE;
        let mut spare = Vec::new();
        for index in (0..self.nodes.len() as u32).rev() {
            let node = &self.nodes[index as usize];
            if node.is_leaf() && node.parent != UNUSED { leaves.push(index) } else { spare.push(index) }
        }
        leaves.reverse();
        self.root = NONE;
        if leaves.is_empty() {
            spare.into_iter().for_each(|index| self.release(index));
            return;
        }
        self.root = self.build(&mut leaves, &mut spare);
        self.nodes[self.root as usize].parent = NONE;
        spare.into_iter().for_each(|index| self.release(index));
        self.cost_when_built = self.cost();
    }

    /// Halves the leaves along the longest side of their middles, again and again.
    fn build(&mut self, leaves: &mut [u32], spare: &mut Vec<u32>) -> u32 {
        if let [leaf] = leaves {
            return *leaf;
        }
        let middle = |nodes: &[Node], leaf: u32| {
            let aabb = &nodes[leaf as usize].aabb;
            0.5 * aabb.min + 0.5 * aabb.max
        };
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for &leaf in leaves.iter() {
            let at = middle(&self.nodes, leaf);
            (low, high) = (low.min(at), high.max(at));
        }
        let axis = (high - low).max_position();
        let half = match leaves.len() / 2 {
            half if leaves.len() > BUCKET => half.next_multiple_of(BUCKET),
            half => half,
        };
        leaves.select_nth_unstable_by(half, |&a, &b| {
            middle(&self.nodes, a)[axis].total_cmp(&middle(&self.nodes, b)[axis]).then(a.cmp(&b))
        });
        let (left, right) = leaves.split_at_mut(half);
        let index = spare.pop().unwrap_or_else(|| {
            self.nodes.push(Node {
                aabb: Aabb { min: DVec3::ZERO, max: DVec3::ZERO },
                parent: NONE,
                children: [NONE; 2],
                item: NONE,
            });
            self.nodes.len() as u32 - 1
        });
        let children = [self.build(left, spare), self.build(right, spare)];
        for child in children {
            self.nodes[child as usize].parent = index;
        }
        let (aabb, item) = (self.union_of(children), self.leaves_of(children));
        self.nodes[index as usize] = Node { aabb, parent: NONE, children, item };
        index
    }

    /// All nodes in use, parents before children.
    fn top_down(&self) -> Vec<u32> {
        let mut order = Vec::with_capacity(2 * self.leaves);
        if self.root != NONE {
            order.push(self.root);
        }
        let mut next = 0;
        while next < order.len() {
            let node = &self.nodes[order[next] as usize];
            if !node.is_leaf() {
                order.extend(node.children);
            }
            next += 1;
        }
        order
    }

    #[inline]
    fn union_of(&self, [left, right]: [u32; 2]) -> Aabb {
        union(&self.nodes[left as usize].aabb, &self.nodes[right as usize].aabb)
    }

    #[inline]
    fn leaves_of(&self, children: [u32; 2]) -> u32 {
        children.iter().map(|&child| self.nodes[child as usize].leaves()).sum()
    }

    /// Lets an inner node follow its children.
    #[inline]
    fn follow_children(&mut self, index: u32) {
        let children = self.nodes[index as usize].children;
        self.nodes[index as usize].aabb = self.union_of(children);
        self.nodes[index as usize].item = self.leaves_of(children);
    }

    fn allocate(&mut self, node: Node) -> u32 {
        if self.unused == NONE {
            // Little more room than is needed: worlds of many bodies are to stay small.
            if self.nodes.len() == self.nodes.capacity() {
                self.nodes.reserve_exact(self.nodes.len() / 16 + 16);
            }
            self.nodes.push(node);
            return self.nodes.len() as u32 - 1;
        }
        let index = self.unused;
        self.unused = self.nodes[index as usize].children[0];
        self.nodes[index as usize] = node;
        index
    }

    fn release(&mut self, index: u32) {
        let node = &mut self.nodes[index as usize];
        (node.parent, node.children) = (UNUSED, [self.unused, NONE]);
        self.unused = index;
    }

    /// Puts a leaf where it enlarges the tree least.
    fn attach(&mut self, leaf: u32) {
        self.changes += 1;
        let aabb = self.nodes[leaf as usize].aabb;
        if self.root == NONE {
            self.root = leaf;
            self.nodes[leaf as usize].parent = NONE;
            return;
        }
        let mut at = self.root;
        loop {
            let node = &self.nodes[at as usize];
            if node.is_leaf() {
                break;
            }
            let own = half_area(&node.aabb);
            let together = half_area(&union(&node.aabb, &aabb));
            // A new parent here, or the growth of this box and of the child's.
            let here = 2.0 * together;
            let inherited = 2.0 * (together - own);
            let costs = node.children.map(|child| {
                let child = &self.nodes[child as usize];
                let grown = half_area(&union(&child.aabb, &aabb));
                inherited + if child.is_leaf() { grown } else { grown - half_area(&child.aabb) }
            });
            if here < costs[0] && here < costs[1] {
                break;
            }
            at = node.children[usize::from(costs[1] < costs[0])];
        }
        let (sibling, above) = (at, self.nodes[at as usize].parent);
        let parent = self.allocate(Node { aabb, parent: above, children: [sibling, leaf], item: NONE });
        self.nodes[sibling as usize].parent = parent;
        self.nodes[leaf as usize].parent = parent;
        self.replace_child(above, sibling, parent);
        self.refit_upwards(parent);
    }

    /// Takes a leaf out; its sibling moves up.
    fn detach(&mut self, leaf: u32) {
        let parent = self.nodes[leaf as usize].parent;
        if parent == NONE {
            self.root = NONE;
            return;
        }
        let Node { children: [left, right], parent: above, .. } = self.nodes[parent as usize];
        let sibling = if left == leaf { right } else { left };
        self.nodes[sibling as usize].parent = above;
        self.replace_child(above, parent, sibling);
        self.release(parent);
        self.refit_upwards(above);
    }

    fn replace_child(&mut self, parent: u32, old: u32, new: u32) {
        if parent == NONE {
            self.root = new;
        } else {
            let children = &mut self.nodes[parent as usize].children;
            children[usize::from(children[1] == old)] = new;
        }
    }

    fn refit_upwards(&mut self, from: u32) {
        let mut at = from;
        while at != NONE {
            self.rotate(at);
            self.follow_children(at);
            at = self.nodes[at as usize].parent;
        }
    }

    /// Swaps a child with a grandchild on the other side if that shrinks the inner box between them.
    fn rotate(&mut self, at: u32) {
        let children = self.nodes[at as usize].children;
        let mut best: Option<(f64, u32, u32)> = None;
        for (inner, other) in [(children[0], children[1]), (children[1], children[0])] {
            let node = &self.nodes[inner as usize];
            if node.is_leaf() {
                continue;
            }
            let before = half_area(&self.union_of(node.children));
            for (stays, leaves) in [(node.children[0], node.children[1]), (node.children[1], node.children[0])] {
                let gain = before - half_area(&self.union_of([stays, other]));
                if gain > best.map_or(0.0, |(gain, ..)| gain) {
                    best = Some((gain, other, leaves));
                }
            }
        }
        let Some((_, up, down)) = best else { return };
        // `down`, a grandchild, takes the place of `up`, a child, and the other way round.
        let inner = self.nodes[down as usize].parent;
        self.replace_child(inner, down, up);
        self.replace_child(at, up, down);
        self.nodes[up as usize].parent = inner;
        self.nodes[down as usize].parent = at;
        self.follow_children(inner);
    }

    /// Panics unless links, boxes and counts agree: for tests.
    #[doc(hidden)]
    pub fn assert_valid(&self) {
        let order = self.top_down();
        let mut leaves = 0;
        for &index in &order {
            let node = &self.nodes[index as usize];
            if node.is_leaf() {
                leaves += 1;
                continue;
            }
            for child in node.children {
                assert_eq!(self.nodes[child as usize].parent, index);
            }
            let tight = self.union_of(node.children);
            assert!(tight == node.aabb && overlap(&tight, &node.aabb));
            assert_eq!(node.item, self.leaves_of(node.children));
        }
        assert_eq!(leaves, self.leaves);
        assert_eq!(order.len(), (2 * leaves).saturating_sub(1));
    }
}

fn check(aabb: &Aabb) -> Result<(), TreeError> {
    if is_finite(aabb) { Ok(()) } else { Err(TreeError::Box { min: aabb.min, max: aabb.max }) }
}
