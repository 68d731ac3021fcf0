//! Animated glTF 2.0, written as one binary file (GLB).
//!
//! A [`Film`] has actors: rigid ones, whose node is moved, and soft ones, whose mesh is. A soft actor is its shape in the first
//! frame and one morph target for each other frame; at the time of a frame that frame's weight is 1 and all others are 0, so
//! that players blend linearly from frame to frame. Players keep all targets in memory at once, hence [`MOST_FRAMES`].
//! Coordinates stay as they are, z up; a root node turns them to glTF's y up.

mod document;
pub(crate) mod skinned;

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use glam::{DQuat, DVec3, Vec3};
use superegg::Pose;
use thiserror::Error;

pub(crate) use document::normals;

use crate::{Camera, Mesh, Paint};

/// Most frames of a film: graphics hardware holds at least 256 layers of a texture, in which players keep morph targets.
pub const MOST_FRAMES: usize = 256;

/// A mesh that rigid actors of one film share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeshId {
    index: usize,
    film: u64,
}

/// Films made so far: each has its own number, by which its meshes are known.
static FILMS: AtomicU64 = AtomicU64::new(0);

/// What one actor is like in one frame.
#[derive(Clone, Copy, Debug)]
pub enum State<'a> {
    /// Where a rigid actor is.
    Placed(Pose),
    /// Where a soft actor's vertices are.
    Shaped(&'a [DVec3]),
}

/// Why a film was refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum FilmError {
    /// A mesh names vertices that do not exist, or its vertices are no places.
    #[error("mesh of {actor}: {reason}")]
    Mesh {
        /// Whose mesh it is.
        actor: String,
        /// What is wrong.
        reason: &'static str,
    },
    /// An actor that was added when there were frames already, in which it has no state.
    #[error("{actor}: actors are added before frames, and there are {frames} frames")]
    Late {
        /// The actor.
        actor: String,
        /// How many frames there are.
        frames: usize,
    },
    /// A mesh that belongs to another film.
    #[error("{actor}: its mesh was added to another film")]
    Foreign {
        /// The actor.
        actor: String,
    },
    /// A frame that does not follow the one before it.
    #[error("frame {frame}: time {time} s does not follow the one before it")]
    Time {
        /// Counted from 0.
        frame: usize,
        /// Its time.
        time: f64,
    },
    /// A state that is not that of its actor.
    #[error("frame {frame}, {actor}: {reason}")]
    State {
        /// Counted from 0.
        frame: usize,
        /// Whose state it is.
        actor: String,
        /// What is wrong.
        reason: &'static str,
    },
    /// More frames than players can hold.
    #[error("more than {MOST_FRAMES} frames")]
    TooManyFrames,
}

/// An actor and what it did so far.
#[derive(Clone, Debug)]
struct Actor {
    name: String,
    course: Course,
}

#[derive(Clone, Debug)]
enum Course {
    /// Which mesh, and its place and turn in each frame.
    Rigid(usize, Vec<(Vec3, [f32; 4])>),
    /// Its own mesh, and the vertices in each frame.
    Soft(Mesh, Vec<Vec<Vec3>>),
}

/// Actors and what they do.
///
/// ```
/// use superegg::{DVec3, Pose};
/// use superegg_picture::gltf::{Film, State};
/// use superegg_picture::{Mesh, Paint};
/// let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let mesh = Mesh { positions: triangle.to_vec(), triangles: vec![[0, 1, 2]], paint: Paint::Plain([0.5; 3]) };
/// let mut film = Film::new("falls", None);
/// let shared = film.add_mesh(&mesh)?;
/// film.add_rigid("stone", shared)?;
/// film.add_soft("leaf", &mesh)?;
/// for (time, height) in [(0.0, 1.0), (0.1, 0.9)] {
///     let place = DVec3::Z * height;
///     let lifted = triangle.map(|p| p + place);
///     film.push_frame(time, &[State::Placed(Pose::from_translation(place)), State::Shaped(&lifted)])?;
/// }
/// let mut file = Vec::new();
/// film.write_glb(&mut file).unwrap();
/// assert_eq!(file[..4], *b"glTF");
/// # Ok::<(), superegg_picture::gltf::FilmError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Film {
    name: String,
    number: u64,
    camera: Option<Camera>,
    meshes: Vec<Mesh>,
    actors: Vec<Actor>,
    times: Vec<f32>,
}

impl Film {
    /// A film without actors.
    pub fn new(name: &str, camera: Option<Camera>) -> Film {
        let number = FILMS.fetch_add(1, Ordering::Relaxed);
        Film { name: name.to_owned(), number, camera, meshes: Vec::new(), actors: Vec::new(), times: Vec::new() }
    }

    /// Adds a mesh for rigid actors.
    pub fn add_mesh(&mut self, mesh: &Mesh) -> Result<MeshId, FilmError> {
        check(mesh, "a rigid actor")?;
        self.meshes.push(mesh.clone());
        Ok(MeshId { index: self.meshes.len() - 1, film: self.number })
    }

    /// Adds an actor that is moved as a whole. Actors come before frames.
    pub fn add_rigid(&mut self, name: &str, mesh: MeshId) -> Result<(), FilmError> {
        if mesh.film != self.number || mesh.index >= self.meshes.len() {
            return Err(FilmError::Foreign { actor: name.to_owned() });
        }
        self.add_actor(name, Course::Rigid(mesh.index, Vec::new()))
    }

    /// Adds an actor whose vertices move one by one. Actors come before frames.
    pub fn add_soft(&mut self, name: &str, mesh: &Mesh) -> Result<(), FilmError> {
        check(mesh, name)?;
        self.add_actor(name, Course::Soft(mesh.clone(), Vec::new()))
    }

    fn add_actor(&mut self, name: &str, course: Course) -> Result<(), FilmError> {
        if !self.times.is_empty() {
            return Err(FilmError::Late { actor: name.to_owned(), frames: self.times.len() });
        }
        self.actors.push(Actor { name: name.to_owned(), course });
        Ok(())
    }

    /// How many frames there are.
    pub fn frame_count(&self) -> usize {
        self.times.len()
    }

    /// Adds a frame: a state for each actor, in the order in which they were added.
    pub fn push_frame(&mut self, time: f64, states: &[State]) -> Result<(), FilmError> {
        let frame = self.times.len();
        if frame >= MOST_FRAMES {
            return Err(FilmError::TooManyFrames);
        }
        let seconds = time as f32;
        if !(seconds.is_finite() && seconds >= 0.0 && self.times.last().is_none_or(|&last| last < seconds)) {
            return Err(FilmError::Time { frame, time });
        }
        for (index, actor) in self.actors.iter().enumerate() {
            let refuse = |reason| Err(FilmError::State { frame, actor: actor.name.clone(), reason });
            match (&actor.course, states.get(index)) {
                (Course::Rigid(..), Some(State::Placed(pose))) => {
                    if !(pose.translation.as_vec3().is_finite() && pose.rotation.is_finite()) {
                        return refuse("its place is none");
                    }
                }
                (Course::Soft(mesh, _), Some(State::Shaped(positions))) => {
                    if positions.len() != mesh.positions.len() {
                        return refuse("it has another number of vertices");
                    }
                    if !positions.iter().all(|p| p.as_vec3().is_finite()) {
                        return refuse("a vertex is at no place that single precision can name");
                    }
                }
                (_, None) => return refuse("its state is missing"),
                _ => return refuse("rigid actors are placed, soft ones shaped"),
            }
        }
        self.times.push(seconds);
        for (actor, state) in self.actors.iter_mut().zip(states) {
            match (&mut actor.course, state) {
                (Course::Rigid(_, places), State::Placed(pose)) => {
                    let before = places.last().map_or(DQuat::IDENTITY.to_array(), |(_, q)| q.map(f64::from));
                    // Of the two quaternions of a rotation the one nearer to the last: the short way round.
                    let turn = pose.rotation.normalize();
                    let turn = if turn.dot(DQuat::from_array(before)) < 0.0 { -turn } else { turn };
                    places.push((pose.translation.as_vec3(), turn.as_quat().to_array()));
                }
                (Course::Soft(_, shapes), State::Shaped(positions)) => {
                    shapes.push(positions.iter().map(|p| p.as_vec3()).collect());
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Writes the film as a binary glTF file.
    pub fn write_glb(&self, to: impl Write) -> io::Result<()> {
        let (json, bytes) = document::document(self);
        container(json, bytes, to)
    }
}

/// A description and its bytes as one file.
pub(crate) fn container(mut json: Vec<u8>, mut bytes: Vec<u8>, mut to: impl Write) -> io::Result<()> {
    // Chunks are padded to whole words: text with spaces, bytes with zeros.
    json.resize(json.len().next_multiple_of(4), b' ');
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let lengths = [12 + 8 + json.len() + 8 + bytes.len(), json.len(), bytes.len()].map(u32::try_from);
    let [Ok(whole), Ok(text), Ok(binary)] = lengths else {
        return Err(io::Error::other("more than the 4 GB that a binary glTF file may have"));
    };
    let mut word = |value: u32| to.write_all(&value.to_le_bytes());
    [u32::from_le_bytes(*b"glTF"), 2, whole, text, u32::from_le_bytes(*b"JSON")].into_iter().try_for_each(&mut word)?;
    to.write_all(&json)?;
    let mut word = |value: u32| to.write_all(&value.to_le_bytes());
    [binary, u32::from_le_bytes(*b"BIN\0")].into_iter().try_for_each(&mut word)?;
    to.write_all(&bytes)
}

/// Refuses a mesh that no file can hold.
fn check(mesh: &Mesh, actor: &str) -> Result<(), FilmError> {
    let refuse = |reason| Err(FilmError::Mesh { actor: actor.to_owned(), reason });
    let count = mesh.positions.len();
    if mesh.triangles.is_empty() {
        return refuse("it has no triangles");
    }
    if mesh.triangles.iter().flatten().any(|&v| v as usize >= count || v == u32::MAX) {
        return refuse("a triangle names a vertex that does not exist");
    }
    if !mesh.positions.iter().all(|p| p.as_vec3().is_finite()) {
        return refuse("a vertex is at no place that single precision can name");
    }
    if let Paint::Gingham { coordinates, .. } = &mesh.paint
        && (coordinates.len() != count || !coordinates.iter().flatten().all(|c| c.is_finite()))
    {
        return refuse("its pattern needs a finite place for every vertex");
    }
    Ok(())
}
