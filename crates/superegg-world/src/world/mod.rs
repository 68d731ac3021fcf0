//! A world of many bodies: which are closer than a margin, where, and since when.
//!
//! A step costs little where little changes:
//! - every body sits in the tree with a box fattened by a part of its size, and is looked up again only when it has left
//!   that box ([`pairs`](self));
//! - every pair remembers up to which sum of its bodies' travels it is proved to be farther apart than the margin, and is
//!   not looked at before ([`narrow`](self));
//! - what has to be looked at goes through spheres, the plane across the last normal and oriented boxes before the exact
//!   query, which starts from the last answer.
//!
//! Work is cut into chunks of fixed size whose results are merged in order: the same bits on any number of threads.

mod body;
mod narrow;
mod overlap;
mod pairs;
mod query;
mod separating_plane;

pub use body::Filter;
pub use pairs::{Event, EventKind, PairContact, Statistics};
pub use query::{BodyHit, CastHit, NearBody};

pub use crate::handle::BodyHandle;

use superegg::Threads;
use superegg::query::Options;
use superegg::{InvalidInput, Pose};

use crate::WorldError;
use crate::broad::Tree;
use crate::error::require_length;
use crate::geometry::Geometry;
use body::{Body, is_within};
use pairs::{Pairs, push_tightly};

/// How a world looks for contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldOptions {
    /// Pairs closer than this, in metres, are in contact.
    pub margin: f64,
    /// By how much boxes are fattened, as a part of a body's size. Larger: fewer moves in the tree, more pairs to
    /// remember.
    pub fattening: f64,
    /// Exactness of distances.
    pub query: Options,
    /// Which depth overlapping pairs of convex shapes get.
    pub depth: Depth,
    /// Threads that share a step.
    pub threads: Threads,
}

/// Which depth overlapping pairs of convex shapes get.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Depth {
    /// The least near the normal of the step before, followed while the overlap is shallow: quick, and its normal does
    /// not jump. Never less than the least of all.
    #[default]
    Followed,
    /// The least of all, sought anew in every step.
    Global,
}

impl WorldOptions {
    /// Contacts within a margin in metres; distances certified to a millionth of the size, on all cores.
    pub const fn within(margin: f64) -> WorldOptions {
        let query = Options { tolerance: 1e-6, ..Options::DEFAULT };
        WorldOptions { margin, fattening: 0.1, query, depth: Depth::Followed, threads: Threads::All }
    }
}

/// Bodies and what is known of them.
///
/// ```
/// use superegg::shape::{Plane, Shape, Superellipsoid};
/// use superegg_world::world::{EventKind, World, WorldOptions};
/// use superegg_world::{DVec3, Pose};
/// let mut world = World::new(WorldOptions::within(0.01))?;
/// let floor: Shape = Plane::new(DVec3::Z, 0.0)?.into();
/// let egg: Shape = Superellipsoid::new([0.5, 0.5, 0.7], [1.0, 0.8])?.into();
/// world.add(floor, Pose::IDENTITY)?;
/// let egg = world.add(egg, Pose::from_translation(DVec3::Z))?;
/// world.update()?;
/// assert!(world.contacts().is_empty());
/// world.set_pose(egg, Pose::from_translation(DVec3::Z * 0.705))?;
/// world.update()?;
/// assert!((world.contacts()[0].contact.outcome.distance - 0.005).abs() < 1e-6);
/// assert_eq!(world.events()[0].kind, EventKind::Begin);
/// world.remove(egg)?;
/// world.update()?;
/// assert_eq!(world.events()[0].kind, EventKind::End);
/// assert_eq!(world.remove(egg).unwrap_err(), superegg_world::WorldError::NoSuchBody(egg));
/// # Ok::<(), superegg_world::WorldError>(())
/// ```
#[derive(Clone, Debug)]
pub struct World {
    options: WorldOptions,
    bodies: Vec<Body>,
    /// By how far any point of each body can have moved since it was added; infinite once it is removed.
    travelled: Vec<f64>,
    count: usize,
    /// Places of bodies that were removed before the last update, and since.
    free: Vec<u32>,
    removed: Vec<u32>,
    tree: Tree,
    /// Bodies without a box: planes.
    unbounded: Vec<u32>,
    /// Bodies whose neighbours have to be looked up again.
    disturbed: Vec<u32>,
    pairs: Pairs,
}

impl World {
    /// An empty world.
    pub fn new(options: WorldOptions) -> Result<World, InvalidInput> {
        require_length("margin", options.margin)?;
        let accepted = (0.0..=10.0).contains(&options.fattening);
        InvalidInput::unless(accepted, "fattening", options.fattening, "[0, 10]")?;
        let accepted = options.query.tolerance > 0.0 && options.query.tolerance <= 1.0;
        InvalidInput::unless(accepted, "options.tolerance", options.query.tolerance, "]0, 1]")?;
        let accepted = options.query.max_iterations > 0;
        InvalidInput::unless(accepted, "options.max_iterations", 0.0, "[1, 4294967295]")?;
        Ok(World {
            options,
            bodies: Vec::new(),
            travelled: Vec::new(),
            count: 0,
            free: Vec::new(),
            removed: Vec::new(),
            tree: Tree::new(),
            unbounded: Vec::new(),
            disturbed: Vec::new(),
            pairs: Pairs::default(),
        })
    }

    /// The options it was made with.
    pub fn options(&self) -> &WorldOptions {
        &self.options
    }

    /// How many bodies there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds a body: a shape, a compound or a mesh.
    pub fn add(&mut self, geometry: impl Into<Geometry>, pose: Pose) -> Result<BodyHandle, WorldError> {
        let mut body = Body::new(geometry.into(), pose)?;
        let (index, generation) = match self.free.last() {
            Some(&index) => (index, self.bodies[index as usize].generation),
            None => (self.bodies.len() as u32, 0),
        };
        body.generation = generation;
        if body.is_bounded() {
            let fat = body.fattened(&body.aabb(), &self.options);
            body.leaf = Some(self.tree.insert(&fat, index)?);
        } else {
            self.unbounded.push(index);
        }
        if self.free.pop().is_some() {
            self.bodies[index as usize] = body;
            self.travelled[index as usize] = 0.0;
        } else {
            push_tightly(&mut self.bodies, body);
            push_tightly(&mut self.travelled, 0.0);
        }
        self.count += 1;
        self.disturb(index);
        Ok(BodyHandle { index, generation })
    }

    /// Removes a body. Its contacts end with the next update.
    pub fn remove(&mut self, handle: BodyHandle) -> Result<(), WorldError> {
        let index = self.index_of(handle)?;
        match self.bodies[index].leaf.take() {
            Some(leaf) => self.tree.remove(leaf)?,
            None => self.unbounded.retain(|&other| other != handle.index),
        }
        self.bodies[index].alive = false;
        self.travelled[index] = f64::INFINITY;
        self.removed.push(handle.index);
        self.count -= 1;
        Ok(())
    }

    /// Moves a body.
    pub fn set_pose(&mut self, handle: BodyHandle, pose: Pose) -> Result<(), WorldError> {
        let index = self.index_of(handle)?;
        let pose = Pose::new(pose.rotation, pose.translation)?;
        let body = &mut self.bodies[index];
        self.travelled[index] += body.travel_to(&pose);
        body.pose = pose;
        let Some(leaf) = body.leaf else {
            self.disturb(handle.index);
            return Ok(());
        };
        let aabb = body.aabb();
        if !is_within(&aabb, self.tree.aabb(leaf)?, &self.options) {
            let fat = body.fattened(&aabb, &self.options);
            self.tree.set(leaf, &fat)?;
            self.disturb(handle.index);
        }
        Ok(())
    }

    /// Where a body is.
    pub fn pose(&self, handle: BodyHandle) -> Result<Pose, WorldError> {
        Ok(self.bodies[self.index_of(handle)?].pose)
    }

    /// What a body is made of.
    pub fn geometry(&self, handle: BodyHandle) -> Result<&Geometry, WorldError> {
        Ok(&self.bodies[self.index_of(handle)?].geometry)
    }

    /// Whom a body may touch.
    pub fn filter(&self, handle: BodyHandle) -> Result<Filter, WorldError> {
        Ok(self.bodies[self.index_of(handle)?].filter)
    }

    /// Says whom a body may touch.
    pub fn set_filter(&mut self, handle: BodyHandle, filter: Filter) -> Result<(), WorldError> {
        let index = self.index_of(handle)?;
        self.bodies[index].filter = filter;
        self.pairs.filters_changed = true;
        self.disturb(handle.index);
        Ok(())
    }

    /// All bodies, in the order of their places.
    pub fn bodies(&self) -> impl Iterator<Item = BodyHandle> + '_ {
        (0u32..).zip(&self.bodies).filter(|(_, body)| body.alive).map(|(index, body)| body.handle(index))
    }

    /// The contacts of the last update, in an order that depends only on the world's history.
    pub fn contacts(&self) -> &[PairContact] {
        self.pairs.contacts()
    }

    /// What began, stayed and ended with the last update.
    pub fn events(&self) -> &[Event] {
        self.pairs.events()
    }

    /// What the last update had to do.
    pub fn statistics(&self) -> &Statistics {
        self.pairs.statistics()
    }

    /// Bytes that the world itself takes up; shared compounds and meshes are not counted.
    pub fn bytes(&self) -> usize {
        self.bodies.capacity() * size_of::<Body>()
            + self.travelled.capacity() * size_of::<f64>()
            + self.tree.bytes()
            + self.pairs.bytes()
    }

    /// Finds all contacts anew, after bodies were added, moved and removed. An error leaves contacts and events as they were;
    /// once the bodies are where queries accept them, the next update goes on from there.
    pub fn update(&mut self) -> Result<(), WorldError> {
        self.find_pairs();
        self.find_contacts()?;
        for index in self.removed.drain(..) {
            // Contacts have ended: the place may be taken by another body.
            let body = &mut self.bodies[index as usize];
            body.generation = body.generation.wrapping_add(1);
            self.free.push(index);
        }
        self.tree.maintain();
        Ok(())
    }

    fn disturb(&mut self, index: u32) {
        let body = &mut self.bodies[index as usize];
        if !body.disturbed {
            body.disturbed = true;
            self.disturbed.push(index);
        }
    }

    fn index_of(&self, handle: BodyHandle) -> Result<usize, WorldError> {
        let index = handle.index as usize;
        let body = self.bodies.get(index).filter(|body| body.alive && body.generation == handle.generation);
        body.map(|_| index).ok_or(WorldError::NoSuchBody(handle))
    }
}
