//! The octree guess (papers 001 and 003): each body's bounding cube is cut into cells, those whose centres are inside are
//! filled, and the closest pair of filled cells is searched through both hierarchies, best first.
//!
//! The papers take the closest points of the two cells' boxes; here the cells' centres stand for them, which differ by half a
//! cell.

use superegg::DVec3;

use crate::couple::{Couple, Points};
use crate::trace::{Cell, Recorder};
use superegg_world::best_first::BestFirst;
use superegg_world::superquadric::Superquadric;

/// Filled cells of a cube, level by level; the last level holds the smallest cells.
struct Octree {
    half: f64,
    levels: Vec<Vec<bool>>,
}

impl Octree {
    fn new(surface: &Superquadric, depth: u32) -> Octree {
        let half = surface.largest_extent();
        let side = 1usize << depth;
        let at = |index: usize| (index as f64 + 0.5) / side as f64 * 2.0 * half - half;
        let mut leaves = Vec::with_capacity(side * side * side);
        for x in 0..side {
            for y in 0..side {
                for z in 0..side {
                    let point = DVec3::new(at(x), at(y), at(z));
                    leaves.push(surface.within_height(point) && surface.value(point) < 0.0);
                }
            }
        }
        let mut levels = vec![leaves];
        for level in (0..depth).rev() {
            let side = 1usize << level;
            let below = &levels[levels.len() - 1];
            let mut filled = vec![false; side * side * side];
            for (index, leaf) in below.iter().enumerate() {
                if *leaf {
                    let [x, y, z] = split(index, 2 * side);
                    filled[join([x / 2, y / 2, z / 2], side)] = true;
                }
            }
            levels.push(filled);
        }
        levels.reverse();
        Octree { half, levels }
    }

    fn centre(&self, level: usize, index: usize) -> (DVec3, f64) {
        let side = 1usize << level;
        let width = 2.0 * self.half / side as f64;
        let [x, y, z] = split(index, side).map(|i| (i as f64 + 0.5) * width - self.half);
        (DVec3::new(x, y, z), 0.5 * width)
    }

    fn children(&self, level: usize, index: usize) -> impl Iterator<Item = usize> {
        let side = 1usize << level;
        let [x, y, z] = split(index, side);
        (0..8)
            .map(move |child| join([2 * x + child / 4, 2 * y + child / 2 % 2, 2 * z + child % 2], 2 * side))
            .filter(move |child| self.levels[level + 1][*child])
    }
}

fn split(index: usize, side: usize) -> [usize; 3] {
    [index / (side * side), index / side % side, index % side]
}

fn join([x, y, z]: [usize; 3], side: usize) -> usize {
    (x * side + y) * side + z
}

pub(super) fn closest(couple: &Couple, depth: u32, recorder: &mut Recorder) -> Points {
    let (tree_a, tree_b) = (Octree::new(&couple.a, depth), Octree::new(&couple.b, depth));
    let last = depth as usize;
    // Pairs of cells by how close they can be; of equal ones the smallest cells first.
    let mut queue = BestFirst::new();
    if tree_a.levels[0][0] && tree_b.levels[0][0] {
        queue.push(0.0, (0, 0, 0), ());
    }
    while let Some((_, (level, a, b), ())) = queue.pop() {
        if level == last {
            let ((centre_a, half_a), (centre_b, half_b)) = (tree_a.centre(level, a), tree_b.centre(level, b));
            recorder.cell(|| Cell::Cube { body: 0, centre: centre_a * couple.unit, half: half_a * couple.unit });
            recorder.cell(|| Cell::Cube { body: 1, centre: centre_b * couple.unit, half: half_b * couple.unit });
            return Points { a: centre_a, b: centre_b };
        }
        for child_a in tree_a.children(level, a) {
            let (centre_a, half_a) = tree_a.centre(level + 1, child_a);
            for child_b in tree_b.children(level, b) {
                let (centre_b, half_b) = tree_b.centre(level + 1, child_b);
                let between = centre_a.distance(couple.placed(centre_b));
                // Between leaves the centres count; above them, the closest that any two leaves' centres can be.
                let slack = if level + 1 == last { 0.0 } else { (half_a + half_b) * 3f64.sqrt() };
                queue.push((between - slack).max(0.0), (level + 1, child_a, child_b), ());
            }
        }
    }
    // No cell's centre is inside: the body is thinner than a cell everywhere.
    Points { a: couple.offset * 0.45, b: couple.rotation.transpose() * couple.offset * -0.45 }
}
