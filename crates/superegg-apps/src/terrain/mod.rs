//! Terrain Cloth (paper 001, section 4.4): landscapes modelled with a blanket. Superellipsoids stand on a table, a cloth lies over
//! them, and what it forms can be looked at as terrain, walked on and taken away.
//!
//! | module | holds |
//! |---|---|
//! | `messages` | what client and session say |
//! | `session` | [`TerrainCloth`]: edits, hands, moments to come back to, frames |
//! | `simulation` | bodies, cloth and clothespins in a world |
//! | `limits` | what a landscape may hold |
//! | `drape` | how a cloth lies, as text |
//! | `gallery` | ready landscapes |
//! | `ground` | the frozen landscape as triangles to walk on |
//! | `walker` | a character that walks, slides and jumps on it, and the camera behind |
//! | `export` | OBJ, GLB, STL and heightmaps |

mod drape;
mod export;
mod gallery;
mod ground;
mod limits;
pub mod messages;
mod session;
mod simulation;
mod walker;

pub use gallery::{gallery, grid};
pub use session::TerrainCloth;
