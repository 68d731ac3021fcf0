//! Bodies that all apps share: their format, the shapes they stand for, and meshes to look at.

mod body;
pub mod form;
pub mod tessellate;

pub use body::{Body, Key, Part, ShapeType};
