//! Benchmarks of Superegg beside its peers. Every benchmark checks its answers while it times, and compares two things
//! in one run; none fails by the clock.

pub mod ccd;
pub mod core;
mod table;
pub mod worlds;

pub use table::Table;
