//! Worlds of many bodies, and bodies in motion.

pub mod scene;
pub mod step;
