//! The pairs of bodies that a world keeps an eye on, and what became of them in the last update.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use superegg::shape::{Aabb, Shape};

use super::body::Body;
use super::separating_plane::SeparatingPlane;
use super::{BodyHandle, World};
use crate::bound::{corner_towards, overlap};
use crate::broad::Tree;
use crate::contact::Contact;

/// Two bodies in contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairContact {
    /// The first body.
    pub a: BodyHandle,
    /// The second body.
    pub b: BodyHandle,
    /// Their parts, and where they are closest or deepest.
    pub contact: Contact,
}

/// A change, or none, in the contact of two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// What happened.
    pub kind: EventKind,
    /// The first body.
    pub a: BodyHandle,
    /// The second body.
    pub b: BodyHandle,
}

/// What happened to a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EventKind {
    /// It was not there before.
    Begin,
    /// It was there before and still is.
    Stay,
    /// It is no longer there, or one of the bodies is not.
    End,
}

/// What an update had to do: pairs of bodies, by what settled them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Bodies whose neighbours were looked up.
    pub lookups: usize,
    /// Pairs found thereby.
    pub found: usize,
    /// Pairs kept an eye on.
    pub pairs: usize,
    /// Settled by what the bodies have travelled since the pair was last looked at: not looked at.
    pub travel: usize,
    /// Settled by spheres.
    pub sphere: usize,
    /// Settled by the plane across the last normal.
    pub plane: usize,
    /// Settled by oriented boxes.
    pub obb: usize,
    /// Neither body moved: the last answer holds.
    pub unmoved: usize,
    /// Asked exactly.
    pub exact: usize,
    /// In contact.
    pub near: usize,
    /// Given up, their boxes being apart.
    pub dropped: usize,
}

/// What has to be looked at for every pair in every update: as little as possible.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watch {
    pub a: u32,
    pub b: u32,
    /// Of a pair that is not in contact: it is farther apart than the margin while its bodies' travels add up to less than this. Of one
    /// that is: minus what they added up to when it was last asked, which no travels are less than.
    pub until: f64,
}

impl Watch {
    fn bodies(&self) -> (u32, u32) {
        (self.a, self.b)
    }

    fn hash(&self) -> u64 {
        hash_of(self.a, self.b)
    }

    /// The sum of both bodies' travels when a pair in contact was last asked.
    pub fn asked_at(&self) -> f64 {
        -self.until
    }
}

/// What is remembered of a pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    pub plane: SeparatingPlane,
    /// Where its contacts in the last update begin; [`NOWHERE`] for a pair without one.
    pub first: u32,
}

/// Of a pair that is not in contact.
pub(super) const NOWHERE: u32 = u32::MAX;

#[derive(Clone, Debug, Default)]
pub(super) struct Pairs {
    pub watches: Vec<Watch>,
    pub memories: Vec<Memory>,
    /// Which pairs are watched, by their places in the list.
    known: HashTable<u32>,
    pub contacts: Vec<PairContact>,
    pub events: Vec<Event>,
    pub statistics: Statistics,
    pub filters_changed: bool,
}

impl Pairs {
    pub fn contacts(&self) -> &[PairContact] {
        &self.contacts
    }

    pub fn events(&self) -> &[Event] {
        &self.events
    }

    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    pub fn bytes(&self) -> usize {
        self.watches.capacity() * size_of::<Watch>()
            + self.memories.capacity() * size_of::<Memory>()
            + self.known.allocation_size()
            + self.contacts.capacity() * size_of::<PairContact>()
            + self.events.capacity() * size_of::<Event>()
    }

    /// The contacts of a pair in the last update, which follow each other.
    pub fn contacts_of(&self, index: u32) -> &[PairContact] {
        let from = self.contacts.get(self.memories[index as usize].first as usize..).unwrap_or_default();
        let own = from.iter().take_while(|contact| (contact.a, contact.b) == (from[0].a, from[0].b)).count();
        &from[..own]
    }

    /// Empties the list of contacts and makes room for as many as an update has found, and little more: they are most of what a
    /// world takes up.
    pub fn make_room(&mut self, contacts: usize) {
        self.contacts.clear();
        if !(contacts..=contacts + contacts / 64 + 16).contains(&self.contacts.capacity()) {
            self.contacts = Vec::with_capacity(contacts);
        }
    }

    /// Watches a pair unless it is watched already.
    fn watch(&mut self, one: u32, other: u32) {
        let (a, b) = (one.min(other), one.max(other));
        let (hash, watches) = (hash_of(a, b), &self.watches);
        if self.known.find(hash, |&place| watches[place as usize].bodies() == (a, b)).is_some() {
            return;
        }
        let place = self.watches.len() as u32;
        self.known.insert_unique(hash, place, |&place| self.watches[place as usize].hash());
        push_tightly(&mut self.watches, Watch { a, b, until: f64::NEG_INFINITY });
        push_tightly(&mut self.memories, Memory { plane: SeparatingPlane::NONE, first: NOWHERE });
        self.statistics.found += 1;
    }

    /// Forgets pairs, given in increasing order: the last takes the place of each.
    pub fn forget(&mut self, indices: &[u32]) {
        for &index in indices.iter().rev() {
            let last = self.watches.len() as u32 - 1;
            let gone = self.watches.swap_remove(index as usize);
            self.memories.swap_remove(index as usize);
            if let Ok(entry) = self.known.find_entry(gone.hash(), |&place| place == index) {
                entry.remove();
            }
            if let Some(moved) = self.watches.get(index as usize)
                && let Some(place) = self.known.find_mut(moved.hash(), |&place| place == last)
            {
                *place = index;
            }
        }
    }
}

/// Adds to a list that takes up little more than it needs.
pub(super) fn push_tightly<T>(list: &mut Vec<T>, value: T) {
    if list.len() == list.capacity() {
        list.reserve_exact(list.len() / 32 + 16);
    }
    list.push(value);
}

fn hash_of(a: u32, b: u32) -> u64 {
    FxBuildHasher.hash_one(u64::from(a) << 32 | u64::from(b))
}

impl World {
    /// Looks up the neighbours of all bodies that were added or have left their boxes.
    pub(super) fn find_pairs(&mut self) {
        let disturbed = std::mem::take(&mut self.disturbed);
        let margin = self.options.margin;
        self.pairs.statistics = Statistics { lookups: disturbed.len(), ..Statistics::default() };
        for &index in &disturbed {
            let body = &mut self.bodies[index as usize];
            body.disturbed = false;
            if !body.alive {
                continue;
            }
            let (body, bodies, tree, pairs) = (&self.bodies[index as usize], &self.bodies, &self.tree, &mut self.pairs);
            let mut consider = |other: u32| {
                let partner = &bodies[other as usize];
                if other != index && body.filter.allows(&partner.filter) && comparable(body, partner) {
                    pairs.watch(index, other);
                }
            };
            if let Some(fat) = fat(tree, body) {
                tree.overlapping(&fat, &mut consider);
                for &plane in &self.unbounded {
                    if may_touch(&bodies[plane as usize], &fat, margin) {
                        consider(plane);
                    }
                }
            } else {
                let everybody = (0u32..).zip(bodies).filter(|(_, other)| other.alive);
                let boxes = everybody.filter_map(|(other, body)| Some((other, fat(tree, body)?)));
                boxes.filter(|(_, fat)| may_touch(body, fat, margin)).for_each(|(other, _)| consider(other));
            }
        }
        self.disturbed = disturbed;
        self.disturbed.clear();
        self.pairs.statistics.pairs = self.pairs.watches.len();
    }

    /// Whether the boxes of two bodies still say that they may touch.
    pub(super) fn still_neighbours(&self, a: u32, b: u32) -> bool {
        let (a, b) = (&self.bodies[a as usize], &self.bodies[b as usize]);
        match (fat(&self.tree, a), fat(&self.tree, b)) {
            (Some(fat_a), Some(fat_b)) => overlap(&fat_a, &fat_b),
            (None, Some(fat_b)) => may_touch(a, &fat_b, self.options.margin),
            (Some(fat_a), None) => may_touch(b, &fat_a, self.options.margin),
            (None, None) => false,
        }
    }
}

/// The fattened box that a body has in the tree, if it has one.
fn fat(tree: &Tree, body: &Body) -> Option<Aabb> {
    tree.aabb(body.leaf?).ok().copied()
}

/// Whether a distance is defined between two bodies.
fn comparable(a: &Body, b: &Body) -> bool {
    a.is_bounded() || b.is_bounded()
}

/// Whether a body's fattened box reaches into a half-space.
fn may_touch(plane: &Body, fat: &Aabb, margin: f64) -> bool {
    let Some(Shape::Plane(half_space)) = plane.as_shape() else { return true };
    let up = plane.pose.transform_vector(half_space.normal());
    let lowest = corner_towards(fat, -up) - plane.pose.translation;
    // Half of the margin is in the body's box; the other half has no box to be in.
    up.dot(lowest) - half_space.offset() <= margin
}
