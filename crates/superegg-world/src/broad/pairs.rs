//! All pairs of leaves whose boxes overlap: the tree is packed, then descended against itself.
//!
//! Packed, up to eight leaves that lie together are one bucket, and up to eight buckets or other nodes are one node; boxes are compared eight at
//! once, coordinate by coordinate, in single precision (as ray tracers do: Wald, Benthin and Boulos 2008, "Getting rid of packets"). Rounding
//! keeps the order of numbers, so that boxes which overlap do so rounded, too; leaves that overlap there are asked again in `f64`, so
//! that the pairs are exactly those of the boxes.

use std::collections::VecDeque;

use arrayvec::ArrayVec;
use glam::Vec4;
use rayon::prelude::*;
use superegg::shape::Aabb;

use super::tree::{BUCKET, NONE, Tree};
use crate::bound::overlap;

/// Parts that the search is cut into, at least, where threads share it.
const TASKS: usize = 64;

/// A box rounded to single precision.
#[derive(Clone, Copy)]
struct Rounded {
    min: [f32; 3],
    max: [f32; 3],
}

impl Rounded {
    #[inline]
    fn of(aabb: &Aabb) -> Rounded {
        let round = |x: f64| x as f32;
        Rounded { min: aabb.min.to_array().map(round), max: aabb.max.to_array().map(round) }
    }
}

/// Up to eight boxes that lie together: leaves of the tree, or other nodes.
#[repr(align(64))]
struct Wide {
    /// Lower and upper corners, coordinate by coordinate; beyond the last box no numbers, which overlap nothing.
    min: [[f32; BUCKET]; 3],
    max: [[f32; BUCKET]; 3],
    /// Nodes of the tree, which are leaves, or places in the packed one.
    children: [u32; BUCKET],
    count: u32,
    of_leaves: bool,
    /// Around all of them.
    around: Rounded,
}

impl Wide {
    fn new(around: &Aabb, of_leaves: bool) -> Wide {
        Wide {
            min: [[f32::NAN; BUCKET]; 3],
            max: [[f32::NAN; BUCKET]; 3],
            children: [NONE; BUCKET],
            count: 0,
            of_leaves,
            around: Rounded::of(around),
        }
    }

    #[inline]
    fn push(&mut self, rounded: &Rounded, child: u32) {
        let lane = self.count as usize;
        for axis in 0..3 {
            self.min[axis][lane] = rounded.min[axis];
            self.max[axis][lane] = rounded.max[axis];
        }
        self.children[lane] = child;
        self.count += 1;
    }

    fn children(&self) -> &[u32] {
        &self.children[..self.count as usize]
    }

    #[inline]
    fn lane(&self, lane: usize) -> Rounded {
        Rounded {
            min: [self.min[0][lane], self.min[1][lane], self.min[2][lane]],
            max: [self.max[0][lane], self.max[1][lane], self.max[2][lane]],
        }
    }

    /// The lanes whose boxes overlap a box, a bit each.
    #[inline]
    fn overlapping(&self, with: &Rounded) -> u32 {
        let mut mask = 0;
        for half in 0..BUCKET / 4 {
            let four = |lanes: &[f32; BUCKET]| Vec4::from_slice(&lanes[4 * half..]);
            let axis = |axis: usize| {
                four(&self.min[axis]).cmple(Vec4::splat(with.max[axis]))
                    & four(&self.max[axis]).cmpge(Vec4::splat(with.min[axis]))
            };
            mask |= (axis(0) & axis(1) & axis(2)).bitmask() << (4 * half);
        }
        mask
    }

    /// The pairs of lanes whose boxes overlap.
    #[inline]
    fn own_pairs(&self, mut visit: impl FnMut(usize, usize)) {
        for one in 1..self.count as usize {
            let before = self.overlapping(&self.lane(one)) & ((1 << one) - 1);
            for_each_bit(before, |other| visit(other, one));
        }
    }

    /// The pairs of a lane here and one there whose boxes overlap.
    #[inline]
    fn pairs_with(&self, other: &Wide, mut visit: impl FnMut(usize, usize)) {
        for_each_bit(self.overlapping(&other.around), |one| {
            for_each_bit(other.overlapping(&self.lane(one)), |other| visit(one, other));
        });
    }
}

/// The numbers of the bits that are set, from the lowest.
#[inline]
fn for_each_bit(mut bits: u32, mut visit: impl FnMut(usize)) {
    while bits != 0 {
        visit(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

/// A tree for the search for pairs.
struct Packed<'a> {
    tree: &'a Tree,
    /// The root is the first.
    nodes: Vec<Wide>,
}

impl<'a> Packed<'a> {
    /// `None` for a tree without a pair.
    fn new(tree: &'a Tree) -> Option<Packed<'a>> {
        if tree.len() < 2 {
            return None;
        }
        let node = |index: u32| &tree.nodes[index as usize];
        let is_bucket = |index: u32| node(index).leaves() as usize <= BUCKET;
        let make = |index: u32| Wide::new(&node(index).aabb, is_bucket(index));
        let mut nodes = Vec::with_capacity(tree.len() / 4 + 1);
        nodes.push(make(tree.root));
        // Depth first, so that what lies together is near in memory, too.
        let mut open = vec![(tree.root, 0usize)];
        while let Some((top, place)) = open.pop() {
            if is_bucket(top) {
                let bucket = &mut nodes[place];
                let mut below = ArrayVec::<u32, BUCKET>::from_iter([top]);
                while let Some(index) = below.pop() {
                    if node(index).is_leaf() {
                        bucket.push(&Rounded::of(&node(index).aabb), index);
                    } else {
                        below.extend(node(index).children);
                    }
                }
                continue;
            }
            // Whichever has most leaves is replaced by its children while there is room.
            let mut children: ArrayVec<u32, BUCKET> = node(top).children.into_iter().collect();
            while children.len() < BUCKET
                && let Some(most) = (0..children.len()).max_by_key(|&lane| node(children[lane]).leaves())
                && !is_bucket(children[most])
            {
                let [left, right] = node(children[most]).children;
                children[most] = left;
                children.push(right);
            }
            for child in children {
                let place_of_child = nodes.len();
                nodes[place].push(&Rounded::of(&node(child).aabb), place_of_child as u32);
                nodes.push(make(child));
                open.push((child, place_of_child));
            }
        }
        Some(Packed { tree, nodes })
    }

    /// Visits the pairs below a node.
    fn visit_within(&self, top: u32, visit: &mut impl FnMut(u32, u32)) {
        let (mut inner, mut open) = (vec![top], Vec::new());
        while let Some(place) = inner.pop() {
            let node = &self.nodes[place as usize];
            if node.of_leaves {
                node.own_pairs(|one, other| self.visit_if_exact(node.children[one], node.children[other], visit));
            } else {
                inner.extend(node.children());
                node.own_pairs(|one, other| {
                    self.visit_between([node.children[one], node.children[other]], &mut open, visit);
                });
            }
        }
    }

    /// Visits the pairs of one leaf below a node and one below another, whose boxes overlap; `open` is room to work in.
    fn visit_between(&self, pair: [u32; 2], open: &mut Vec<[u32; 2]>, visit: &mut impl FnMut(u32, u32)) {
        open.push(pair);
        while let Some([a, b]) = open.pop() {
            let (node_a, node_b) = (&self.nodes[a as usize], &self.nodes[b as usize]);
            match (node_a.of_leaves, node_b.of_leaves) {
                (true, true) => node_a.pairs_with(node_b, |one, other| {
                    self.visit_if_exact(node_a.children[one], node_b.children[other], visit);
                }),
                (false, false) => node_a.pairs_with(node_b, |one, other| {
                    open.push([node_a.children[one], node_b.children[other]]);
                }),
                (true, false) => {
                    for_each_bit(node_b.overlapping(&node_a.around), |lane| open.push([a, node_b.children[lane]]));
                }
                (false, true) => {
                    for_each_bit(node_a.overlapping(&node_b.around), |lane| open.push([node_a.children[lane], b]));
                }
            }
        }
    }

    #[inline]
    fn visit_if_exact(&self, a: u32, b: u32, visit: &mut impl FnMut(u32, u32)) {
        let (a, b) = (&self.tree.nodes[a as usize], &self.tree.nodes[b as usize]);
        if overlap(&a.aabb, &b.aabb) {
            visit(a.item, b.item);
        }
    }

    /// Parts of the search that together are all of it, some [`TASKS`] at least where there is work for as many: all pairs below a node, given
    /// twice, or those of two nodes whose boxes overlap.
    fn parts(&self) -> Vec<[u32; 2]> {
        let mut within = VecDeque::from([0]);
        let mut between: Vec<[u32; 2]> = Vec::new();
        let mut whole: Vec<u32> = Vec::new();
        // The upper part of the tree is taken apart until there are parts enough to share.
        while within.len() + between.len() + whole.len() < TASKS
            && let Some(place) = within.pop_front()
        {
            let node = &self.nodes[place as usize];
            if node.of_leaves {
                whole.push(place);
            } else {
                within.extend(node.children());
                node.own_pairs(|one, other| between.push([node.children[one], node.children[other]]));
            }
        }
        within.into_iter().chain(whole).map(|place| [place; 2]).chain(between).collect()
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
