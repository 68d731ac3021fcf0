//! Generators and independent oracles for tests and benchmarks.
