//! What the search for a depth leaves for the next one on the same pair: the corners of its polytope, by their points of both bodies, and
//! how its facets join.
//!
//! Those points stay on their bodies however these move. So the polytope is one of points of the difference body at any other
//! placement, too, and what it surrounds is proved as ever; but for facets that come too near to the origin, nothing has to be searched
//! or evaluated again. It is no approximation: that the points belong to the bodies is all that a proof asks of them. So they are
//! of use for bodies of just the same shape and size alone, and nobody outside can make them up.

use crate::solver::params::Params;
use crate::solver::penetration::octahedron::Triangle;
use crate::solver::simd::V3;

/// Most corners that are kept. Those of bodies that moved on are of less and less use, and all take their time: a pair that has come to more
/// starts anew.
pub(super) const MOST_KEPT: usize = 64;

/// A polytope of an earlier search.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    /// The shapes that the points belong to; of others nothing is kept.
    shapes: Option<[Params; 2]>,
    pub(super) corners: Vec<Corner>,
    pub(super) facets: Vec<Triangle>,
    /// The corner whose place the apex of a cap had taken.
    pub(super) apex: Option<usize>,
}

/// A point of a in a's frame and one of b in b's, in units of the pair's size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner {
    pub x_a: V3<f64>,
    pub in_b: V3<f64>,
}

impl Memory {
    /// The memory of a pair of just these shapes: what is known of others is forgotten.
    pub fn of(&mut self, shapes: [&Params; 2]) -> &mut Memory {
        let shapes = shapes.map(|shape| *shape);
        if self.shapes != Some(shapes) {
            self.forget();
            self.shapes = Some(shapes);
        }
        self
    }

    pub fn forget(&mut self) {
        self.corners.clear();
        self.facets.clear();
        self.apex = None;
    }

    pub fn is_empty(&self) -> bool {
        self.corners.is_empty()
    }
}
