//! Continuous collision detection between deforming triangle meshes.
//!
//! After M. Tang, S. Curtis, S.-E. Yoon and D. Manocha, "ICCD: interactive continuous collision detection between
//! deformable models using connectivity-based culling". [`elementary`] answers whether and when one vertex meets
//! one face or one edge another.

mod cubic;
pub mod elementary;
mod hull;
mod refine;
