//! Cloth Table: a square of cloth falls over a body that can be moved under it. Plain on purpose: it is what the live path
//! is measured with, and the only place of this crate that knows the simulation (`simulation`).

mod messages;
mod session;
mod simulation;

pub use messages::{Edit, Event, Facts, State, Table};
pub use session::ClothTable;
