//! Scenes: what is in a world at first, how to step it, what hands do to it, and where to look at it from.
//!
//! A [`Description`] is plain data: [built in](built_in), or [read from and written to](mod@file) a TOML file. A [`Scene`] is the world that
//! is made of it, ready to run.
//!
//! ```
//! use superegg_scene::{built_in, file};
//! use superegg_sim::StepOptions;
//! let description = built_in::description("egg", None).unwrap()?;
//! let text = file::write(&description)?;
//! let again = file::parse(&text, "egg.toml", std::path::Path::new("."))?;
//! let (mut one, mut other) = (description.build()?, again.build()?);
//! for _ in 0..10 {
//!     one.advance(&StepOptions::default())?;
//!     other.advance(&StepOptions::default())?;
//! }
//! // To the same bits.
//! assert_eq!(one.world.body(one.bodies[1])?.pose(), other.world.body(other.bodies[1])?.pose());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod built_in;
mod description;
pub mod drawing;
pub mod file;
mod scene;

pub use description::{ClothDescription, ClothMesh, Description, Hand, JointDescription, Push};
pub use scene::Scene;
pub use superegg_picture::Camera;
