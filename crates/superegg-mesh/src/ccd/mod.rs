//! Continuous collision detection between deforming triangle meshes.
//!
//! After M. Tang, S. Curtis, S.-E. Yoon and D. Manocha, "ICCD: interactive continuous collision detection between
//! deformable models using connectivity-based culling". Vertices move between two frames, linearly or along quadratic or
//! cubic Bézier curves; every vertex–face and edge–edge pair without a common vertex that meets in between is found,
//! with its time, by the conservative tests of [`elementary`]. The [`Detector`] gets there by way of
//! - a two-level hierarchy of 18-DOPs, refitted within objects, restructured above them;
//! - continuous normal cones and contour tests, which prove whole patches free of self-contact;
//! - orphan sets, which spare all tests between adjacent triangles but a few;
//! - representative triangles, which test every feature pair once;
//! - bounds of single features.
//!
//! Each can be switched off (see [`Culling`]); the collisions found stay the same.

mod apart;
mod change;
mod cone;
mod contour;
mod cubic;
mod detector;
mod dop;
pub mod elementary;
mod ends;
mod feature;
mod features;
mod frames;
mod hull;
mod objects;
mod options;
mod orphan;
mod pairs;
mod path;
mod projection;
mod refine;
mod report;
mod representative;
mod traverse;
mod tree;

pub use detector::{Detector, Memory};
pub use frames::start_positions;
pub use options::{Bounds, ContourTest, Culling, Options, Search};
pub use orphan::OrphanSet;
pub use report::{Culled, EdgeEdge, Milliseconds, Report, Stats, VertexFace};
