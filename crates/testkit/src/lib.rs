//! Generators and independent oracles for Superegg's tests and benchmarks.
//!
//! Nothing here uses the formulas of the `superegg` crate: from its shapes the oracles read radii, exponents, taper,
//! vertices, normals and offsets, and derive everything else anew. Each oracle states how wrong it can be.
//!
//! - [`pair`]: two placed shapes, and how to write them down so that a failure can be repeated.
//! - [`generate`]: deterministic shapes, poses and pairs; pairs whose distance is known by construction; the
//!   batteries of papers 000 and 003; proptest strategies.
//! - [`oracle`]: reference answers by branch and bound, by dense sampling and in 77-digit arithmetic.
//! - [`lens`]: a shape of the caller's own.
//! - [`check`]: properties that need no reference answer.

pub mod check;
pub mod generate;
pub mod lens;
pub mod oracle;
pub mod pair;

pub use pair::{KnownPair, Pair};
