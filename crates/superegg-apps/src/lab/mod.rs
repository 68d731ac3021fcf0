//! Contact Lab: two or more bodies of any shape, and what there is to know about their contact.

mod case_studies;
mod contacts;
mod export;
mod impact;
pub mod messages;
mod method;
mod parse;
mod placed;
mod plot;
mod scenes;
mod session;
pub mod trace;
mod world;

pub use session::Lab;
