//! Benchmarks of Superegg beside its peers.
