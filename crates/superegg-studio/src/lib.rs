//! Superegg Studio: smooth contact to see and touch, in the browser. The apps are pure sessions of [`superegg_apps`]; this
//! crate hosts them: sockets, threads, clocks and seats, and the pages of the front end.
//!
//! | module | holds |
//! |---|---|
//! | `socket` | one client's connection |
//! | `actor` | its computation, as one value that moves onto a thread for a turn |
//! | `admission` | seats for clients, cores for live sessions |
//! | `connections` | connections before they become clients: how many, from where, for how long |
//! | `crowd` | how many are here, and from which address |
//! | `access` | who may connect: `Host`, `Origin` and the token for other machines |
//! | `assets` | the front end, embedded by the build script |
//! | [`serve`](serve()) | the listening server, its address and its end |

mod access;
mod actor;
mod admission;
mod assets;
mod connections;
mod crowd;
mod limits;
mod serve;
mod socket;

pub use access::Access;
pub use limits::Limits;
pub use serve::{ServeError, ServeOptions, serve};

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::routing::get;
use superegg_apps::Catalogue;
use tokio::sync::watch;

use admission::Admission;

/// How a studio is set up.
#[derive(Clone, Debug)]
pub struct Config {
    /// Who may connect.
    pub access: Access,
    /// What one client may cost.
    pub limits: Limits,
    /// The apps.
    pub catalogue: Catalogue,
    /// Cores that live sessions may have at once; `None` takes those of the machine.
    pub cores: Option<usize>,
}

impl Default for Config {
    fn default() -> Config {
        Config { access: Access::default(), limits: Limits::default(), catalogue: superegg_apps::studio, cores: None }
    }
}

/// What all requests share.
#[derive(Clone)]
struct Studio {
    config: Arc<Config>,
    admission: Admission,
    /// Turns true when the server stops.
    closing: watch::Receiver<bool>,
    /// Every session has another one.
    seed: Arc<AtomicU64>,
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
        let machine = || std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        let cores = config.cores.unwrap_or_else(machine);
        let admission = Admission::new(&config.limits, cores);
        Studio { config: Arc::new(config), admission, closing, seed: Arc::new(AtomicU64::new(1)) }
    }

    fn next_seed(&self) -> u64 {
        self.seed.fetch_add(1, Ordering::Relaxed)
    }
}

fn router(studio: Studio) -> Router {
    Router::new()
        .route("/socket", get(socket::upgrade))
        .fallback(assets::serve)
        .layer(axum::middleware::from_fn_with_state(studio.clone(), access::guard))
        .with_state(studio)
}
