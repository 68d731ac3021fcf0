//! Superegg Studio: smooth contact to see and touch, in the browser.
//!
//! | module | holds |
//! |---|---|
//! | [`protocol`] | the messages between browser and server, and the binary geometry frames; `docs/studio-protocol.md` |
//! | `world` | one client's bodies; edits are checked before anything changes |
//! | `form` | what a body is made of: shapes, compounds, meshes |
//! | `lab` | what is computed from a world: contacts, meshes, previews, traces, motion plots |
//! | `method` | the table of contact methods a client can choose from |
//! | `socket` | one client's connection: reading, computing and writing, with bounded memory |
//! | `connections` | connections before they become clients: how many, from where, for how long |
//! | `access` | who may connect: `Host`, `Origin` and the token for other machines |
//! | `assets` | the front end, embedded by the build script |
//! | [`serve`](serve()) | the listening server, its address and its end |
//!
//! Data flows one way: a message changes the world, the world is computed, the newest state is sent. Nothing is queued
//! without bound: what a slow client has not fetched is replaced, not piled up.

mod access;
mod assets;
mod client;
mod connections;
mod failure;
mod form;
mod lab;
mod limits;
mod meshes;
mod method;
pub mod protocol;
mod scenes;
mod serve;
mod socket;
mod world;

pub use access::Access;
pub use limits::Limits;
pub use serve::{ServeError, ServeOptions, serve};

use std::sync::Arc;

use axum::Router;
use axum::routing::get;
use tokio::sync::{Semaphore, watch};

/// How a studio is set up.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Who may connect.
    pub access: Access,
    /// What one client may cost.
    pub limits: Limits,
}

/// What all requests share.
#[derive(Clone)]
struct Studio {
    config: Arc<Config>,
    /// One permit a connected client.
    seats: Arc<Semaphore>,
    /// One permit a computation that runs at the same time.
    workers: Arc<Semaphore>,
    /// Turns true when the server stops.
    closing: watch::Receiver<bool>,
}

/// The studio as this machine's own browser sees it: loopback names only, default limits.
pub fn app() -> Router {
    app_with(Config::default())
}

/// The studio with other limits, or for other machines.
pub fn app_with(config: Config) -> Router {
    let (sender, closing) = watch::channel(false);
    // Without a server around it the studio never closes.
    std::mem::forget(sender);
    router(Studio::new(config, closing))
}

impl Studio {
    fn new(config: Config, closing: watch::Receiver<bool>) -> Studio {
        // Two at least: a state need not wait for the plot of a slow pair.
        let workers = std::thread::available_parallelism().map_or(2, std::num::NonZero::get).max(2);
        Studio {
            seats: Arc::new(Semaphore::new(config.limits.clients)),
            workers: Arc::new(Semaphore::new(workers)),
            config: Arc::new(config),
            closing,
        }
    }
}

fn router(studio: Studio) -> Router {
    Router::new()
        .route("/socket", get(socket::upgrade))
        .fallback(assets::serve)
        .layer(axum::middleware::from_fn_with_state(studio.clone(), access::guard))
        .with_state(studio)
}
