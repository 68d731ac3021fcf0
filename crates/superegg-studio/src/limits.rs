//! What one connection may cost. What a document may hold is [`superegg_apps::Limits`].

use std::time::Duration;

/// Bounds of what clients may ask for.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Clients connected at once. A class room fits.
    pub clients: usize,
    /// Clients of one address: a person with many windows.
    pub clients_each: usize,
    /// Connections that are not clients yet.
    pub connections: usize,
    /// How many of the connections one address may have: a browser opens six.
    pub connections_each: usize,
    /// Time to say what is wanted: a request's head, from its first byte or the last answer on.
    pub head: Duration,
    /// Longest life of a connection that does not become a client's: the pages load in a second.
    pub visit: Duration,
    /// Time to say hello.
    pub hello: Duration,
    /// A client that says nothing for so long is disconnected. The front end speaks up every ten seconds.
    pub idle: Duration,
    /// How often a client is asked for a sign of life by the transport itself, and
    pub ping: Duration,
    /// how long it may give none: then nobody is at the other end of the line.
    pub quiet: Duration,
    /// A client that takes longer to fetch one message is disconnected.
    pub stall: Duration,
    /// What a document may hold.
    pub documents: superegg_apps::Limits,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            clients: 64,
            clients_each: 16,
            connections: 256,
            connections_each: 64,
            head: Duration::from_secs(10),
            visit: Duration::from_secs(60),
            hello: Duration::from_secs(5),
            idle: Duration::from_secs(120),
            // Not a part of `idle`: a ping together with the farewell would break the line before that is read.
            ping: Duration::from_secs(13),
            quiet: Duration::from_secs(30),
            stall: Duration::from_secs(15),
            documents: superegg_apps::Limits::default(),
        }
    }
}
