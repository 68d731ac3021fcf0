//! Benchmarks of Superegg beside its peers. Every benchmark checks its answers while it times, and compares two things
//! in one run; none fails by the clock.
//!
//! A suite is a module with `run(&Settings, &dyn Progress) -> Result<Report, _>`; [`report`] writes what it found.

pub mod accuracy;
pub mod ccd;
pub mod cloth;
pub mod core;
mod data;
pub mod dataset;
pub mod fit;
pub mod grasp;
pub mod hand;
mod kinds;
mod measure;
pub mod optimisation;
pub mod pair;
mod pairs;
mod peers;
pub mod point;
mod progress;
pub mod report;
pub mod rigid;
pub mod robot;
pub mod starts;
mod table;
pub mod teeth;
pub mod terrain;
pub mod worlds;

pub use progress::{Progress, Silent};
pub use table::{Row, Table};

/// How much a suite measures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Smaller problems and fewer repetitions: a minute for all suites together.
    pub quick: bool,
}
