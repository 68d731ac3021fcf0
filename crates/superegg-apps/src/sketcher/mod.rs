//! Multibody Sketcher (paper 001, sections 4.1 to 4.3): an articulated body is drawn with strokes, its joints get their freedoms, ellipses
//! drawn over its bones become superellipsoids, and what comes of it moves, collides and is taken away as a robot.
//!
//! | module | holds |
//! |---|---|
//! | `messages` | what client and session say |
//! | `session` | [`Sketcher`]: edits, questions, hands, frames |
//! | `limits` | what a creature may hold |
//! | `stroke` | strokes to chains of bones |
//! | `ellipse` | strokes to ellipses |
//! | `tree` | how bones hang together |
//! | `articulation` | how they turn |
//! | `drawing` | what strokes do to a creature |
//! | `robot` | a creature as a robot: kinematics, mass, shapes |
//! | `contacts` | which bones are close |
//! | `posing`, `clip` | poses by hand, and animations |
//! | `physics` | a creature as a body among others |
//! | `fitting` | hitboxes from meshes |
//! | `import`, `export` | robots in, files out |
//! | `gallery` | ready creatures |

mod articulation;
mod clip;
mod contacts;
mod drawing;
mod ellipse;
mod export;
mod fitting;
mod gallery;
mod import;
mod limits;
pub mod messages;
mod physics;
mod posing;
mod robot;
mod session;
#[cfg(test)]
mod shaky;
#[cfg(test)]
mod sheet_tests;
mod stroke;
mod tree;

pub use export::file;
pub use gallery::{empty, gallery};
pub use import::import;
pub use session::Sketcher;
