//! Handles: names of what a world holds.
//!
//! A handle is a slot, the generation of what is in it, and the tag of its world. Slots are used again, generations are not:
//! a handle of something that was removed is [stale](crate::SimError::Stale), one of another world is
//! [foreign](crate::SimError::Foreign), and neither ever names something else. Nothing that is simulated depends on
//! generations or tags.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::SimError;

/// What a handle names.
pub trait Kind {
    /// As messages call it.
    const NAME: &'static str;
}

macro_rules! kinds {
    ($($kind:ident, $id:ident, $name:literal, $of:literal;)*) => { $(
        #[doc = concat!("The kind of ", $of, ".")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $kind {}
        impl Kind for $kind {
            const NAME: &'static str = $name;
        }
        #[doc = concat!("Names ", $of, " of a world.")]
        pub type $id = Handle<$kind>;
    )* };
}

kinds! {
    BodyKind, BodyId, "body", "a body";
    ColliderKind, ColliderId, "collider", "a collider";
    JointKindOf, JointId, "joint", "a joint";
    ClothKind, ClothId, "cloth", "a cloth";
    SoftKind, SoftId, "soft solid", "a soft solid";
    PinKind, PinId, "pin", "a pin";
    DragKind, DragId, "drag", "a drag";
}

/// Names one thing of a world.
pub struct Handle<K> {
    index: u32,
    generation: u32,
    world: u32,
    kind: PhantomData<fn() -> K>,
}

impl<K> Handle<K> {
    /// Its slot: a small number that no other living thing of its kind in the world has. Slots are used again.
    pub fn index(self) -> usize {
        self.index as usize
    }
}

impl<K> Clone for Handle<K> {
    fn clone(&self) -> Handle<K> {
        *self
    }
}

impl<K> Copy for Handle<K> {}

impl<K> PartialEq for Handle<K> {
    fn eq(&self, other: &Handle<K>) -> bool {
        (self.index, self.generation, self.world) == (other.index, other.generation, other.world)
    }
}

impl<K> Eq for Handle<K> {}

impl<K> Hash for Handle<K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.index, self.generation, self.world).hash(state);
    }
}

impl<K> PartialOrd for Handle<K> {
    fn partial_cmp(&self, other: &Handle<K>) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<K> Ord for Handle<K> {
    fn cmp(&self, other: &Handle<K>) -> std::cmp::Ordering {
        (self.world, self.index, self.generation).cmp(&(other.world, other.index, other.generation))
    }
}

impl<K: Kind> fmt::Debug for Handle<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", K::NAME, self.index)
    }
}

/// Worlds made so far.
static WORLDS: AtomicU32 = AtomicU32::new(0);

/// The tag of a world and the generations that it has given out.
#[derive(Clone, Debug)]
pub(crate) struct Stamp {
    world: u32,
    generation: u32,
}

impl Stamp {
    pub fn new() -> Stamp {
        Stamp { world: WORLDS.fetch_add(1, Ordering::Relaxed), generation: 0 }
    }

    pub fn is_of_same_world(&self, other: &Stamp) -> bool {
        self.world == other.world
    }
}

/// Which slots are taken, and by what generation.
#[derive(Debug)]
pub(crate) struct Slots<K> {
    /// Zero for a free slot.
    generations: Vec<u32>,
    free: Vec<u32>,
    kind: PhantomData<fn() -> K>,
}

impl<K> Default for Slots<K> {
    fn default() -> Slots<K> {
        Slots { generations: Vec::new(), free: Vec::new(), kind: PhantomData }
    }
}

impl<K> Clone for Slots<K> {
    fn clone(&self) -> Slots<K> {
        Slots { generations: self.generations.clone(), free: self.free.clone(), kind: PhantomData }
    }
}

impl<K: Kind> Slots<K> {
    /// The slot that is taken next.
    pub fn next(&self) -> usize {
        self.free.last().map_or(self.generations.len(), |slot| *slot as usize)
    }

    /// Takes the next slot.
    pub fn take(&mut self, stamp: &mut Stamp) -> Handle<K> {
        let index = self.next();
        stamp.generation += 1;
        match self.free.pop() {
            Some(_) => self.generations[index] = stamp.generation,
            None => self.generations.push(stamp.generation),
        }
        Handle { index: index as u32, generation: stamp.generation, world: stamp.world, kind: PhantomData }
    }

    /// The slot of a handle.
    pub fn find(&self, handle: Handle<K>, stamp: &Stamp) -> Result<usize, SimError> {
        if handle.world != stamp.world {
            return Err(SimError::Foreign { what: K::NAME });
        }
        let index = handle.index as usize;
        match self.generations.get(index) {
            Some(&generation) if generation == handle.generation => Ok(index),
            _ => Err(SimError::Stale { what: K::NAME, index }),
        }
    }

    /// Frees the slot of a handle that was found.
    pub fn free(&mut self, index: usize) {
        self.generations[index] = 0;
        self.free.push(index as u32);
    }

    /// The handle of what is in a slot.
    pub fn handle(&self, index: usize, stamp: &Stamp) -> Option<Handle<K>> {
        let generation = *self.generations.get(index).filter(|generation| **generation != 0)?;
        Some(Handle { index: index as u32, generation, world: stamp.world, kind: PhantomData })
    }

    /// All handles, by slots.
    pub fn handles<'a>(&'a self, stamp: &'a Stamp) -> impl Iterator<Item = Handle<K>> + 'a {
        (0..self.generations.len()).filter_map(|index| self.handle(index, stamp))
    }

    /// How many slots are taken.
    pub fn len(&self) -> usize {
        self.generations.len() - self.free.len()
    }
}
