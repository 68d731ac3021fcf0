//! What is searched for and which culling is used.

use super::elementary::Margin;

/// How features and nodes are bounded over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounds {
    /// By boxes around all that they sweep.
    SweptBoxes,
    /// By 18-DOPs around all that they sweep, as in the paper.
    Swept18Dops,
    /// By 18-DOPs at the start and at the end, which are disjoint all the time when they are disjoint along the same
    /// axis and side at both.
    Moving18Dops,
}

/// The three accelerations of the contour test (section IV.C of the paper).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContourTest {
    /// Compare contour edges only where the boxes of their projections overlap, instead of each with each.
    pub boxes: bool,
    /// Project along the axis of the patch around, whose projected vertices are kept, instead of an axis of one's own.
    pub reuse_projections: bool,
    /// Give up at once where the contour has two edges that crossed for a patch around.
    pub remember_crossings: bool,
}

impl ContourTest {
    /// All of them.
    pub const ALL: ContourTest = ContourTest { boxes: true, reuse_projections: true, remember_crossings: true };

    /// None of them.
    pub const NONE: ContourTest = ContourTest { boxes: false, reuse_projections: false, remember_crossings: false };
}

/// Which culling is used. None of it changes the collisions found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Culling {
    /// How features and nodes are bounded.
    pub bounds: Bounds,
    /// One tree an object under a tree of objects, rather than one tree over all triangles.
    pub two_level: bool,
    /// Skip patches proved free of self-contact by normal cone and contour. Without effect under a separation, since
    /// the proof is about touching.
    pub normal_cones: bool,
    /// How contours are tested.
    pub contour: ContourTest,
    /// Skip pairs of adjacent triangles, and test their orphan pairs.
    pub orphans: bool,
    /// Test a feature pair only for the triangles that represent it.
    pub representatives: bool,
    /// Skip feature pairs whose own bounds do not overlap.
    pub feature_bounds: bool,
}

impl Culling {
    /// All of it.
    pub const ALL: Culling = Culling {
        bounds: Bounds::Moving18Dops,
        two_level: true,
        normal_cones: true,
        contour: ContourTest::ALL,
        orphans: true,
        representatives: true,
        feature_bounds: true,
    };

    /// What the paper calls the base version: refitted 18-DOPs and all fifteen tests for each pair of triangles.
    pub const BASE: Culling = Culling {
        bounds: Bounds::Swept18Dops,
        two_level: false,
        normal_cones: false,
        contour: ContourTest::ALL,
        orphans: false,
        representatives: false,
        feature_bounds: false,
    };
}

/// What a query looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// Every pair of features that meets, with its time.
    AllCollisions,
    /// The time of the first contact and one pair that makes it.
    FirstContact,
}

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// What to look for.
    pub search: Search,
    /// What counts as contact.
    pub margin: Margin,
    /// Which culling to use.
    pub culling: Culling,
}

impl Default for Options {
    /// All collisions, by touching, with all culling.
    fn default() -> Options {
        Options { search: Search::AllCollisions, margin: Margin::EXACT, culling: Culling::ALL }
    }
}
