//! The apps of Superegg Studio as pure sessions: bytes in, bytes out. Nothing here opens a socket, reads a clock, starts a
//! thread or draws a random number, so that a session can be tested, recorded and replayed without a server, and hosted by
//! a server or by a worker in the browser alike.
//!
//! | module | holds |
//! |---|---|
//! | [`catalogue`] | which apps there are |
//! | [`app`] | [`App`]: what the author of an app writes |
//! | [`session`] | [`Session`]: the same over texts and bytes; clocks, slices, tasks |
//! | [`conversation`] | [`Conversation`]: one client and its session; slots, acknowledgements, pacing. Time is an argument |
//! | [`inbox`] | input that waits: of moves the latest, of presses and releases all |
//! | [`files`] | the files that a client has sent |
//! | [`record`] | conversations as recordings, and their replay |
//! | [`wire`] | what travels: envelope, geometry, state frames, input, uploads |
//! | [`scene`] | bodies that all apps share: their format, shapes and meshes |
//! | [`lab`], [`pong`], [`terrain`], [`sketcher`], [`cloth`] | the apps |
//!
//! Data flows one way: a message changes a session, the session computes what that made due, and what is new is written.

pub mod app;
pub mod catalogue;
mod checks;
pub mod cloth;
pub mod conversation;
pub mod files;
pub mod inbox;
pub mod lab;
mod limits;
pub mod pong;
pub mod record;
pub mod scene;
pub mod session;
pub mod sketcher;
pub mod terrain;
pub mod wire;

pub use app::{App, Open, Outgoing, Typed};
pub use catalogue::{Catalogue, studio};
pub use conversation::{Close, Conversation, Message, Next, Setup};
pub use limits::Limits;
pub use session::{Asked, Clock, Context, Opened, Pace, Session, Slice, Step, Task, Work};
pub use wire::Refusal;

/// The app in the documentation runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/studio-app.md")]
struct Documentation;
