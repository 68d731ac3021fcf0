//! What one client may cost. One place for all of them, each with its reason.

use std::time::Duration;

/// Bounds of what clients may ask for.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Clients connected at once. A class room fits.
    pub clients: usize,
    /// Bytes of one message from a client. A full scene with motion takes a quarter of it.
    pub message_bytes: usize,
    /// Connections that are not clients yet, and how many of them may come from one address: a browser opens six.
    pub connections: usize,
    /// How many of the connections one address may have.
    pub connections_each: usize,
    /// Time to say what is wanted: a request's head, from its first byte or the last answer on.
    pub head: Duration,
    /// Longest life of a connection that does not become a client's: the pages load in a second.
    pub visit: Duration,
    /// Bodies of one world: pairs grow with the square.
    pub bodies: usize,
    /// Parts of one compound.
    pub parts: usize,
    /// Bytes of a mesh's file.
    pub mesh_bytes: usize,
    /// Triangles of one mesh.
    pub mesh_triangles: usize,
    /// Triangles of all meshes that one client has sent, and of all bodies of its world together.
    pub total_triangles: usize,
    /// Keys of one body's motion.
    pub keys: usize,
    /// Vertices of the mesh that shows a body.
    pub vertices: usize,
    /// Samples of a motion plot.
    pub samples: usize,
    /// Rows and columns of the parameter widget's previews.
    pub preview_grid: usize,
    /// Steps of a trace; what a scheme did beyond them is told as a number.
    pub trace_steps: usize,
    /// A client that says nothing for so long is disconnected. The front end speaks up every 25 seconds.
    pub idle: Duration,
    /// A client that takes longer to fetch one message is disconnected.
    pub stall: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            clients: 64,
            message_bytes: 128 * 1024,
            connections: 256,
            connections_each: 64,
            head: Duration::from_secs(10),
            visit: Duration::from_secs(60),
            bodies: 24,
            parts: 48,
            mesh_bytes: 4 << 20,
            mesh_triangles: 40_000,
            total_triangles: 120_000,
            keys: 32,
            vertices: 2_600,
            samples: 400,
            preview_grid: 9,
            trace_steps: 200,
            idle: Duration::from_secs(120),
            stall: Duration::from_secs(15),
        }
    }
}
