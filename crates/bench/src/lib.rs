//! Benchmarks of Superegg beside its peers.

pub mod ccd;
