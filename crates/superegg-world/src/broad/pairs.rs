//! All pairs of leaves whose boxes overlap: the tree is packed, then descended against itself.
//!
//! Packed, every node has up to eight children, whose boxes are compared at once, coordinate by coordinate, in single precision rounded
//! outwards (as ray tracers do: Wald, Benthin and Boulos 2008, "Getting rid of packets"). Leaves that overlap there are asked again in `f64`, so
//! that the pairs are exactly those of the boxes. Packing takes about as long as a refit.

use std::collections::VecDeque;

use arrayvec::ArrayVec;
use glam::Vec4;
use rayon::prelude::*;
use superegg::shape::Aabb;

use super::tree::{NONE, Tree};
use crate::bound::overlap;

/// Boxes that are compared at a time.
const WIDE: usize = 8;
/// Parts that the search is cut into, at least, where threads share it.
const TASKS: usize = 64;
/// Marks a child that is a leaf of the tree, not a node of the packed one.
const LEAF: u32 = 1 << 31;

/// A box in single precision that holds one in double precision.
#[derive(Clone, Copy)]
struct Box32 {
    min: [f32; 3],
    max: [f32; 3],
}

impl Box32 {
    #[inline]
    fn around(aabb: &Aabb) -> Box32 {
        Box32 { min: aabb.min.to_array().map(at_most), max: aabb.max.to_array().map(at_least) }
    }
}

/// The largest number of single precision that is no larger.
#[inline]
fn at_most(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near) > x { near.next_down() } else { near }
}

/// The smallest that is no smaller.
#[inline]
fn at_least(x: f64) -> f32 {
    -at_most(-x)
}

/// A node with up to eight children that lie together.
struct Wide {
    /// Lower and upper corners, coordinate by coordinate. Beyond the last child those of a box that overlaps nothing.
    min: [[Vec4; 2]; 3],
    max: [[Vec4; 2]; 3],
    /// Other nodes, or leaves, marked by [`LEAF`].
    children: [u32; WIDE],
    count: usize,
    /// Around all of them.
    boxed: Box32,
}

impl Wide {
    fn around(aabb: &Aabb) -> Wide {
        Wide {
            min: [[Vec4::INFINITY; 2]; 3],
            max: [[Vec4::NEG_INFINITY; 2]; 3],
            children: [NONE; WIDE],
            count: 0,
            boxed: Box32::around(aabb),
        }
    }

    fn push(&mut self, boxed: &Box32, child: u32) {
        let (half, lane) = (self.count / 4, self.count % 4);
        for axis in 0..3 {
            self.min[axis][half][lane] = boxed.min[axis];
            self.max[axis][half][lane] = boxed.max[axis];
        }
        self.children[self.count] = child;
        self.count += 1;
    }

    fn box_of(&self, lane: usize) -> Box32 {
        let (half, lane) = (lane / 4, lane % 4);
        Box32 { min: self.min.map(|lanes| lanes[half][lane]), max: self.max.map(|lanes| lanes[half][lane]) }
    }

    /// The lanes whose boxes overlap a box, a bit each.
    #[inline]
    fn lanes_within(&self, with: &Box32) -> u32 {
        let (low, high) = (with.min.map(Vec4::splat), with.max.map(Vec4::splat));
        let four = |half: usize| {
            let [x, y, z] =
                [0, 1, 2].map(|axis| self.min[axis][half].cmple(high[axis]) & low[axis].cmple(self.max[axis][half]));
            (x & y & z).bitmask()
        };
        four(0) | four(1) << 4
    }

    /// The pairs of children whose boxes overlap.
    fn own_pairs(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        (1..self.count).flat_map(move |one| {
            let before = self.lanes_within(&self.box_of(one)) & ((1 << one) - 1);
            bits(before).map(move |other| [self.children[other], self.children[one]])
        })
    }
}

/// A tree for the search for pairs.
struct Packed<'a> {
    tree: &'a Tree,
    /// The root is the first.
    nodes: Vec<Wide>,
}

/// The numbers of the bits that are set, from the lowest.
fn bits(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        lowest
    })
}

impl<'a> Packed<'a> {
    /// `None` for a tree without a pair.
    fn new(tree: &'a Tree) -> Option<Packed<'a>> {
        if tree.len() < 2 {
            return None;
        }
        let mut nodes = Vec::with_capacity(tree.len() / 3 + 1);
        nodes.push(Wide::around(&tree.nodes[tree.root as usize].aabb));
        // Depth first, so that what lies together is near in memory, too.
        let mut open = vec![(tree.root, 0usize)];
        while let Some((top, place)) = open.pop() {
            // Whichever has most leaves is replaced by its children while there is room.
            let mut children: ArrayVec<u32, WIDE> = tree.nodes[top as usize].children.into_iter().collect();
            while children.len() < WIDE {
                let most =
                    (0..children.len()).max_by_key(|&lane| tree.nodes[children[lane] as usize].leaves()).unwrap_or(0);
                let node = &tree.nodes[children[most] as usize];
                if node.is_leaf() {
                    break;
                }
                children[most] = node.children[0];
                children.push(node.children[1]);
            }
            for child in children {
                let aabb = &tree.nodes[child as usize].aabb;
                let name = if tree.nodes[child as usize].is_leaf() {
                    child | LEAF
                } else {
                    open.push((child, nodes.len()));
                    nodes.push(Wide::around(aabb));
                    nodes.len() as u32 - 1
                };
                nodes[place].push(&Box32::around(aabb), name);
            }
        }
        Some(Packed { tree, nodes })
    }

    /// Visits the pairs below a node.
    fn visit_within(&self, top: u32, visit: &mut impl FnMut(u32, u32)) {
        let (mut inner, mut open) = (vec![top], Vec::new());
        while let Some(place) = inner.pop() {
            let node = &self.nodes[place as usize];
            inner.extend(node.children[..node.count].iter().filter(|&&child| child & LEAF == 0));
            for pair in node.own_pairs() {
                self.visit_between(pair, &mut open, visit);
            }
        }
    }

    /// Visits the pairs of one leaf below a child and one below another, whose boxes overlap; `open` is room to work in.
    fn visit_between(&self, pair: [u32; 2], open: &mut Vec<[u32; 2]>, visit: &mut impl FnMut(u32, u32)) {
        open.push(pair);
        while let Some([a, b]) = open.pop() {
            match (a & LEAF != 0, b & LEAF != 0) {
                (true, true) => self.visit_if_exact(a, b, visit),
                (true, false) => self.leaf_and_node(a, b, open),
                (false, true) => self.leaf_and_node(b, a, open),
                (false, false) => {
                    let (node_a, node_b) = (&self.nodes[a as usize], &self.nodes[b as usize]);
                    for one in bits(node_a.lanes_within(&node_b.boxed)) {
                        for other in bits(node_b.lanes_within(&node_a.box_of(one))) {
                            match [node_a.children[one], node_b.children[other]] {
                                [a, b] if a & b & LEAF != 0 => self.visit_if_exact(a, b, visit),
                                pair => open.push(pair),
                            }
                        }
                    }
                }
            }
        }
    }

    fn leaf_and_node(&self, leaf: u32, node: u32, open: &mut Vec<[u32; 2]>) {
        let node = &self.nodes[node as usize];
        let boxed = Box32::around(&self.tree.nodes[(leaf ^ LEAF) as usize].aabb);
        open.extend(bits(node.lanes_within(&boxed)).map(|lane| [leaf, node.children[lane]]));
    }

    #[inline]
    fn visit_if_exact(&self, a: u32, b: u32, visit: &mut impl FnMut(u32, u32)) {
        let (a, b) = (&self.tree.nodes[(a ^ LEAF) as usize], &self.tree.nodes[(b ^ LEAF) as usize]);
        if overlap(&a.aabb, &b.aabb) {
            visit(a.item, b.item);
        }
    }

    /// Parts of the search that together are all of it, some [`TASKS`] at least where there is work for as many: all pairs below a node, given
    /// twice, or those of two children whose boxes overlap.
    fn parts(&self) -> Vec<[u32; 2]> {
        let mut within = VecDeque::from([0]);
        let mut between: Vec<[u32; 2]> = Vec::new();
        // The upper part of the tree is taken apart until there are parts enough to share.
        while within.len() + between.len() < TASKS
            && let Some(place) = within.pop_front()
        {
            let node = &self.nodes[place as usize];
            within.extend(node.children[..node.count].iter().filter(|&&child| child & LEAF == 0));
            between.extend(node.own_pairs());
        }
        within.into_iter().map(|place| [place; 2]).chain(between).collect()
    }
}

impl Tree {
    /// All pairs of items whose boxes overlap, the smaller item first, sorted.
    pub fn pairs(&self) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        self.for_each_pair(|a, b| pairs.push((a.min(b), a.max(b))));
        pairs.sort_unstable();
        pairs
    }

    /// Visits each pair of items whose boxes overlap once, in no particular (but always the same) order.
    pub fn for_each_pair(&self, mut visit: impl FnMut(u32, u32)) {
        if let Some(packed) = Packed::new(self) {
            packed.visit_within(0, &mut visit);
        }
    }

    /// What `visit` makes of each pair of items whose boxes overlap, on all threads; in no particular (but always the same) order.
    pub fn map_pairs<T: Send>(&self, visit: impl Fn(u32, u32) -> Option<T> + Sync) -> Vec<T> {
        let Some(packed) = Packed::new(self) else { return Vec::new() };
        let work = |&[a, b]: &[u32; 2]| {
            let mut found = Vec::new();
            let mut keep = |i: u32, j: u32| found.extend(visit(i, j));
            if a == b {
                packed.visit_within(a, &mut keep);
            } else {
                packed.visit_between([a, b], &mut Vec::new(), &mut keep);
            }
            found
        };
        let found: Vec<Vec<T>> = packed.parts().par_iter().with_max_len(1).map(work).collect();
        found.into_iter().flatten().collect()
    }
}
