//! Broad phase: which of many boxes may touch, without comparing all of them.
//!
//! [`Tree`] is a dynamic hierarchy of boxes ([`tree`](self) builds and keeps it, `search` asks it, `pairs` lists what overlaps).
//! Boxes may be fattened so that a body moves several times before its leaf does.

mod pairs;
mod search;
mod tree;

pub use search::Found;
pub use tree::{Leaf, Tree, TreeError};
