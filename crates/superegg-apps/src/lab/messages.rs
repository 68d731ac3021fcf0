//! The messages of Contact Lab.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::trace::Trace;
use crate::scene::Body;
use crate::wire::{Quaternion, Vector};

/// Changes of the world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Edit {
    /// Replaces the world.
    SetScene {
        /// The new world.
        scene: Scene,
    },
    /// Adds a body, or replaces the one with its id.
    SetBody {
        /// The body.
        body: Box<Body>,
    },
    /// Moves bodies.
    Move {
        /// Their new places.
        placements: Vec<Placement>,
    },
    /// Removes a body.
    Remove {
        /// Which.
        id: u32,
    },
    /// Changes how contacts are computed.
    SetSolver {
        /// The new way.
        solver: Solver,
    },
}

/// Questions about the world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Ask {
    /// The world as the session holds it.
    Scene {},
    /// How the chosen method finds the contact of two bodies.
    Trace {
        /// The two bodies.
        pair: [u32; 2],
    },
    /// The distance of two bodies over the whole motion.
    Plot {
        /// The two bodies.
        pair: [u32; 2],
        /// How many times, evenly spread.
        samples: u32,
    },
    /// Small meshes of the body with other exponents: `grid` by `grid` of them, the middle of each cell of
    /// ]0, 2[ × ]0, 2[, row by row from the lowest e2. They come as geometry before the answer.
    Previews {
        /// Which body.
        id: u32,
        /// Rows and columns.
        grid: u32,
    },
    /// Reads lines of `superegg query` into a scene.
    Parse {
        /// The lines.
        text: String,
    },
    /// Some bodies as a file of triangles, where they are.
    Export {
        /// Which bodies; all that are shown where there are none.
        ids: Vec<u32>,
        /// `obj` or `glb`.
        format: ExportFormat,
    },
}

/// Files that other programs read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum ExportFormat {
    /// Wavefront OBJ.
    Obj,
    /// Binary glTF.
    Glb,
}

/// Answers to questions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Reply {
    /// Answers `scene`.
    Scene(Scene),
    /// Answers `trace`.
    Trace(Trace),
    /// Answers `plot`.
    Plot(Plot),
    /// Answers `previews`, whose geometry came before.
    Previews {},
    /// Answers `parse`.
    Parsed(Scene),
    /// Answers `export`: the file, in base 64.
    File {
        /// What to call it.
        name: String,
        /// Its content.
        base64: String,
    },
}

/// What a client has to know about Contact Lab.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Facts {
    /// What a scene may hold.
    pub limits: PublicLimits,
    /// The methods to choose from.
    pub methods: Vec<MethodFacts>,
    /// Scenes to start from.
    pub scenes: Vec<Scene>,
}

/// The limits that a client can run into.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PublicLimits {
    /// Bodies of a scene.
    pub bodies: u32,
    /// Keys of a motion.
    pub keys: u32,
    /// Samples of a plot.
    pub samples: u32,
    /// Rows and columns of previews.
    pub preview_grid: u32,
    /// Triangles of one mesh.
    pub mesh_triangles: u32,
    /// Parts of a compound.
    pub parts: u32,
    /// Points of the hulls of a body.
    pub hull_points: u32,
}

/// Everything a client works on; also what is saved as a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Scene {
    /// What people call it.
    pub name: String,
    /// One sentence about what there is to see.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[cfg_attr(test, ts(optional, as = "Option<String>"))]
    pub about: String,
    /// The bodies, each with its own id.
    pub bodies: Vec<Body>,
    /// How contacts are computed.
    pub solver: Solver,
    /// Length of the motion in seconds.
    pub duration: f64,
    /// The files that bodies name, by the hashes of their contents: equal names may mean different files elsewhere.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(test, ts(optional, as = "Option<BTreeMap<String, String>>"))]
    pub files: BTreeMap<String, String>,
}

impl Scene {
    /// Bodies numbered from one, with the default method.
    pub fn new(name: &str, about: &str, bodies: impl IntoIterator<Item = Body>, duration: f64) -> Scene {
        Scene {
            name: name.to_owned(),
            about: about.to_owned(),
            bodies: (1..).zip(bodies).map(|(id, body)| Body { id, ..body }).collect(),
            solver: Solver::default(),
            duration,
            files: BTreeMap::new(),
        }
    }
}

/// A body's new place.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Placement {
    /// Which body.
    pub id: u32,
    /// Where its frame is.
    pub position: Vector,
    /// How its frame is turned.
    pub orientation: Quaternion,
}

/// How contacts are computed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Solver {
    /// A name among the methods of [`Facts`].
    pub method: String,
    /// The method's tolerance; the default's is the width of the certified interval over the size of the pair.
    pub tolerance: f64,
}

impl Default for Solver {
    fn default() -> Solver {
        Solver { method: "default".to_owned(), tolerance: 1e-9 }
    }
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
