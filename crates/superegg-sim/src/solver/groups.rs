//! Contacts in groups that can be solved at the same time.
//!
//! A pile is one island, so islands alone give threads nothing to share. Large worlds are cut across their longest side into
//! slabs of equally many bodies. Contacts within a slab are a group, and so are those between two neighbouring slabs; those of
//! bodies farther apart are the last one. Three phases, then, and what is left: first all slabs, then every other gap between
//! slabs, then the gaps in between. Groups of a phase have no body in common that can be pushed, so they can be solved in any
//! order, or by several threads, with the same outcome.
//!
//! The slabs follow from where bodies are when a step begins, never from the number of threads. A small world is one slab, and its
//! contacts are solved in the order of their pairs.

use std::ops::Range;

use glam::DVec3;
use rayon::prelude::*;
use superegg::Threads;

use super::contact::{Contact, Rolling, Source};
use crate::body::BodyState;
use crate::joint::constraint_row::Velocity;

/// Fewest bodies of a slab, and most slabs.
const FEWEST: usize = 128;
const MOST_SLABS: usize = 16;
/// Contacts below which threads would take longer to begin than to work.
const WORTHWHILE: usize = 1024;
/// The slab of what cannot be pushed.
const NONE: u32 = u32::MAX;

/// Contacts that one thread solves in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    pub contacts: Vec<Contact>,
    pub sources: Vec<Source>,
    pub rolling: Vec<Rolling>,
    /// Whether bodies may bounce anywhere.
    pub springy: bool,
    /// Pairs whose points are to become contacts, and how many points that are.
    planned: Vec<u32>,
    planned_points: usize,
}

/// The number of a contact: its group, and its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ContactId {
    pub group: u32,
    pub index: u32,
}

/// All groups: those of slabs first, then those of gaps with even numbers, those of odd ones, and what is left.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    pub list: Vec<Group>,
    /// By bodies.
    slab_of: Vec<u32>,
    slabs: u32,
    /// Scratch: bodies along the longest side.
    order: Vec<(f64, u32)>,
}

impl Group {
    fn clear(&mut self) {
        self.contacts.clear();
        self.sources.clear();
        self.rolling.clear();
        self.springy = false;
        self.take_planned();
    }

    /// The pairs whose points are to become contacts now.
    pub fn take_planned(&mut self) -> Vec<u32> {
        self.planned_points = 0;
        std::mem::take(&mut self.planned)
    }

    /// How many contacts there are, with those that are planned.
    fn count(&self) -> usize {
        self.contacts.len() + self.planned_points
    }
}

impl Groups {
    /// Forgets all contacts and cuts the world into slabs.
    pub fn begin(&mut self, bodies: &[BodyState], velocities: &[Velocity]) {
        self.order.clear();
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for (index, (body, velocity)) in (0u32..).zip(bodies.iter().zip(velocities)) {
            if velocity.inverse_mass > 0.0 {
                (low, high) = (low.min(body.center), high.max(body.center));
                self.order.push((0.0, index));
            }
        }
        let count = self.order.len();
        let slabs = (count / FEWEST).clamp(1, MOST_SLABS);
        self.slabs = slabs as u32;
        self.slab_of.clear();
        self.slab_of.resize(velocities.len(), NONE);
        if slabs == 1 {
            self.order.iter().for_each(|(_, body)| self.slab_of[*body as usize] = 0);
        } else {
            let axis = (high - low).max_position();
            self.order.iter_mut().for_each(|(along, body)| *along = bodies[*body as usize].center[axis]);
            self.order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            for (rank, (_, body)) in self.order.iter().enumerate() {
                self.slab_of[*body as usize] = (rank * slabs / count) as u32;
            }
        }
        self.list.truncate(2 * slabs);
        self.list.iter_mut().for_each(Group::clear);
        self.list.resize_with(2 * slabs, Group::default);
    }

    /// The group of a pair of bodies.
    pub fn of(&self, bodies: [u32; 2]) -> u32 {
        let [a, b] = bodies.map(|body| self.slab_of[body as usize]);
        // What cannot be pushed is of any slab.
        let (low, high) = (a.min(b), if a.max(b) == NONE { a.min(b) } else { a.max(b) });
        match high - low {
            _ if low == NONE => 0,
            0 => low,
            1 => self.slabs + low / 2 + (low % 2) * (self.slabs / 2),
            _ => 2 * self.slabs - 1,
        }
    }

    /// The groups that can be solved at the same time, phase by phase.
    fn phases(&self) -> [Range<usize>; 4] {
        let slabs = self.slabs as usize;
        let even = slabs + slabs / 2;
        [0..slabs, slabs..even, even..2 * slabs - 1, 2 * slabs - 1..2 * slabs]
    }

    /// Notes that so many points of a pair are to become contacts, and gives them numbers.
    pub fn plan(&mut self, pair: u32, bodies: [u32; 2], contacts: &mut Vec<u32>, points: usize) {
        let group = self.of(bodies);
        let group = &mut self.list[group as usize];
        let first = group.count();
        contacts.clear();
        contacts.extend(first as u32..(first + points) as u32);
        group.planned.push(pair);
        group.planned_points += points;
    }

    /// Whether there is enough to do for more than one thread.
    pub fn is_worth_sharing(&self, threads: Threads) -> bool {
        let contacts = || self.list.iter().map(Group::count).sum::<usize>();
        threads == Threads::All && self.slabs > 1 && contacts() >= WORTHWHILE
    }

    /// Solves all groups, one phase after the other, and returns the greatest of what they return. In a phase, no two groups
    /// have a body in common that can be pushed.
    pub fn solve(&mut self, shared: bool, work: impl Fn(&mut Group) -> f64 + Sync) -> f64 {
        let mut greatest = 0.0f64;
        for phase in self.phases() {
            let groups = &mut self.list[phase];
            let most = match shared && groups.len() > 1 {
                true => groups.par_iter_mut().with_max_len(1).map(&work).reduce(|| 0.0, f64::max),
                false => groups.iter_mut().map(&work).fold(0.0, f64::max),
            };
            greatest = greatest.max(most);
        }
        greatest
    }

    /// Does some work on each group that changes nothing that they share; what came of each, in their order.
    pub fn map<T: Send>(&mut self, shared: bool, work: impl Fn(u32, &mut Group) -> T + Sync) -> Vec<T> {
        let work = |(index, group): (usize, &mut Group)| work(index as u32, group);
        match shared {
            true => self.list.par_iter_mut().with_max_len(1).enumerate().map(work).collect(),
            false => self.list.iter_mut().enumerate().map(work).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The groups of a phase are disjoint: else two threads would push one body.
    #[test]
    fn groups_of_a_phase_have_no_slab_in_common() {
        for slabs in 1..=MOST_SLABS as u32 {
            let mut groups = Groups { slabs, ..Groups::default() };
            // A body in each slab, and one that cannot be pushed.
            groups.slab_of = (0..slabs).chain([NONE]).collect();
            let phase_of =
                |group: u32| groups.phases().iter().position(|phase| phase.contains(&(group as usize))).unwrap();
            let mut of_group = vec![std::collections::BTreeSet::new(); 2 * slabs as usize];
            for a in 0..=slabs {
                for b in 0..=slabs {
                    let group = groups.of([a, b]);
                    assert_eq!(group, groups.of([b, a]));
                    of_group[group as usize].extend([a, b].into_iter().filter(|&body| body < slabs));
                }
            }
            for one in 0..2 * slabs {
                for other in (0..one).filter(|&other| phase_of(one) == phase_of(other)) {
                    assert!(of_group[one as usize].is_disjoint(&of_group[other as usize]), "{slabs}: {one}, {other}");
                }
            }
        }
    }
}
