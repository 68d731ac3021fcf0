//! The messages themselves.

use serde::{Deserialize, Serialize};

use super::{Body, Placement, Scene, Solver, Trace, Vector};

/// What a browser may say. Edits carry a revision, which the contacts computed from them repeat; requests carry a number
/// of the client's choice, which their answer repeats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum ClientMessage {
    /// The first message of every connection.
    Hello {
        /// [`VERSION`](super::VERSION)
        version: u32,
    },
    /// Replaces the world.
    SetScene {
        /// Of this edit.
        revision: u32,
        /// The new world.
        scene: Scene,
    },
    /// Adds a body, or replaces the one with its id.
    SetBody {
        /// Of this edit.
        revision: u32,
        /// The body.
        body: Box<Body>,
    },
    /// Moves bodies.
    Move {
        /// Of this edit.
        revision: u32,
        /// Their new places.
        placements: Vec<Placement>,
    },
    /// Removes a body.
    Remove {
        /// Of this edit.
        revision: u32,
        /// Which.
        id: u32,
    },
    /// Changes how contacts are computed.
    SetSolver {
        /// Of this edit.
        revision: u32,
        /// The new way.
        solver: Solver,
    },
    /// Asks for the world as the server holds it.
    GetScene {
        /// Repeated in the answer.
        request: u32,
    },
    /// Asks how the chosen method finds the contact of two bodies.
    GetTrace {
        /// Repeated in the answer.
        request: u32,
        /// The two bodies.
        pair: [u32; 2],
    },
    /// Asks for the distance of two bodies over the whole motion.
    GetPlot {
        /// Repeated in the answer.
        request: u32,
        /// The two bodies.
        pair: [u32; 2],
        /// How many times, evenly spread.
        samples: usize,
    },
    /// Asks for small meshes of the body with other exponents: `grid` by `grid` of them, the middle of each cell of
    /// ]0, 2[ × ]0, 2[, row by row from the lowest e2.
    GetPreviews {
        /// Repeated in the frames.
        request: u32,
        /// Which body.
        id: u32,
        /// Rows and columns.
        grid: usize,
    },
    /// Reads lines of `superegg query` into a scene.
    Parse {
        /// Repeated in the answer.
        request: u32,
        /// The lines.
        text: String,
    },
    /// Says that the client is there.
    Ping {
        /// Repeated in the answer.
        request: u32,
    },
}

/// What the server may say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum ServerMessage {
    /// Answers `hello`.
    Welcome(Welcome),
    /// The state computed from the newest edit.
    Contacts(Contacts),
    /// Answers `get_scene`.
    Scene {
        /// As asked.
        request: u32,
        /// Of the last edit.
        revision: u32,
        /// The world.
        scene: Scene,
    },
    /// Answers `get_trace`.
    Trace {
        /// As asked.
        request: u32,
        /// What the method did.
        trace: Trace,
    },
    /// Answers `get_plot`.
    Plot {
        /// As asked.
        request: u32,
        /// The plot.
        plot: Plot,
    },
    /// Answers `parse`.
    Parsed {
        /// As asked.
        request: u32,
        /// What the lines say.
        scene: Scene,
    },
    /// Answers an upload.
    Meshes {
        /// As asked.
        request: u32,
        /// Every mesh that the server holds for this client, the new one included. One that no body needs may be
        /// given up for a later one.
        meshes: Vec<MeshFacts>,
    },
    /// Answers `ping`.
    Pong {
        /// As asked.
        request: u32,
    },
    /// A message was not carried out; the world is as it was.
    Failure(Failure),
}

/// What a client has to know about the server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Welcome {
    /// Of the protocol.
    pub version: u32,
    /// Of the program.
    pub program: String,
    /// What the client may ask for.
    pub limits: PublicLimits,
    /// The methods it may choose from.
    pub methods: Vec<MethodFacts>,
    /// Scenes to start from.
    pub scenes: Vec<Scene>,
}

/// The limits that a client can run into.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PublicLimits {
    /// Bodies of a scene.
    pub bodies: usize,
    /// Keys of a motion.
    pub keys: usize,
    /// Samples of a plot.
    pub samples: usize,
    /// Rows and columns of previews.
    pub preview_grid: usize,
    /// Bytes of a message.
    pub message_bytes: usize,
    /// Bytes of a mesh's file.
    pub mesh_bytes: usize,
    /// Triangles of one mesh.
    pub mesh_triangles: usize,
    /// Parts of a compound.
    pub parts: usize,
}

/// A method of computing contacts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MethodFacts {
    /// As in `superegg query`.
    pub name: String,
    /// For people.
    pub title: String,
    /// How it works and where it comes from.
    pub about: String,
    /// The tolerance it is meant for.
    pub tolerance: f64,
}

/// The computed state of a world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Contacts {
    /// Of the edit that this state includes.
    pub revision: u32,
    /// In the order of the scene.
    pub bodies: Vec<BodyFacts>,
    /// Every pair, in the order of the scene.
    pub pairs: Vec<Contact>,
}

/// What the constructor found out about a body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct BodyFacts {
    /// Which body.
    pub id: u32,
    /// Whether it is convex; exact for superellipsoids and superovoids, false for all that is made of pieces.
    pub convex: bool,
    /// Parts of a compound or triangles of a mesh.
    pub pieces: Option<u32>,
    /// Cubic metres; none where a shape has no volume or an infinite one.
    pub volume: Option<f64>,
}

/// What was asked of a pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Contact {
    /// First body.
    pub a: u32,
    /// Second body.
    pub b: u32,
    /// The contact; none when the method does not take the pair or failed.
    pub answer: Option<Answer>,
    /// Why there is no answer.
    pub refusal: Option<String>,
}

/// The contact of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Answer {
    /// Signed, in metres.
    pub distance: f64,
    /// The distance is certified to be at least this.
    pub lower: Option<f64>,
    /// The distance is certified to be at most this.
    pub upper: Option<f64>,
    /// Closest or deepest point of a.
    pub point_a: Vector,
    /// Closest or deepest point of b.
    pub point_b: Vector,
    /// Unit vector from a to b.
    pub normal: Vector,
    /// Two unit vectors at right angles to the normal and each other.
    pub tangents: [Vector; 2],
    /// How the query ended.
    pub status: PairStatus,
    /// Evaluations or iterations, as the method counts them.
    pub iterations: u32,
    /// Time of one query.
    pub nanoseconds: f64,
}

/// How a query ended; the words of `superegg query`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum PairStatus {
    /// Apart.
    Separated,
    /// Zero lies within the tolerance.
    Touching,
    /// Overlapping.
    Penetrating,
    /// The method gave up.
    NotConverged,
}

/// Distance and time over a motion; the lists are equally long.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Plot {
    /// The two bodies.
    pub pair: [u32; 2],
    /// Seconds.
    pub times: Vec<f64>,
    /// Signed distances; none where the method failed.
    pub distances: Vec<Option<f64>>,
    /// Time of each query.
    pub nanoseconds: Vec<Option<f64>>,
    /// Iterations of each query.
    pub iterations: Vec<Option<u32>>,
    /// The moments at which the bodies come into contact, in order.
    pub impacts: Vec<Impact>,
    /// Why such moments cannot be told for this pair.
    pub impact_refusal: Option<String>,
}

/// A moment at which two bodies come into contact.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Impact {
    /// Seconds; proved not to be late, and as early as the tolerance allows.
    pub time: f64,
    /// Where they meet.
    pub point: Vector,
    /// Unit vector from the first to the second body.
    pub normal: Vector,
    /// Distance queries it took to find the moment.
    pub queries: u32,
    /// Time it took.
    pub nanoseconds: f64,
}

/// A mesh that the server holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MeshFacts {
    /// Name of its file.
    pub file: String,
    /// How many.
    pub vertices: u32,
    /// How many.
    pub triangles: u32,
}

/// A message that was not carried out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Failure {
    /// Of the request, where it had one.
    pub request: Option<u32>,
    /// Of the edit, where it was one.
    pub revision: Option<u32>,
    /// What went wrong.
    pub kind: ErrorKind,
    /// Path of the field to mend.
    pub field: Option<String>,
    /// One sentence for people.
    pub message: String,
}

/// What went wrong with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum ErrorKind {
    /// Not JSON.
    Parse,
    /// A field is missing, unknown, of the wrong type or outside its domain.
    InvalidInput,
    /// Understood, but there is no method for it.
    Unsupported,
    /// Out of turn or of another version.
    Protocol,
    /// A limit was reached.
    Limit,
    /// A defect of the program itself.
    Internal,
}
