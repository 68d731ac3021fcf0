//! What becomes of each watched pair in an update.

use glam::DVec3;
use rayon::prelude::*;
use superegg::query::batch::{Placed, Threads, TrackedPair, tracked_distances};
use superegg::query::{Outcome, Status};

use super::overlap::{self, Followed};
use super::pairs::{Event, EventKind, NOWHERE, PairContact, Statistics, Watch, push_tightly};
use super::separating_plane::SeparatingPlane;
use super::{Body, Depth, World};
use crate::WorldError;
use crate::bound::{gap_of_placed, is_tapered};
use crate::contact::Contact;
use crate::geometry::contacts;

/// Pairs that a thread takes at a time.
const CHUNK: usize = 512;

/// What became of a pair.
#[derive(Clone, Copy, Debug)]
enum Verdict {
    /// Nothing to keep an eye on any more.
    Drop,
    /// At least this far apart.
    Apart { lower: f64, outcome: Option<usize> },
    /// In contact: where in the chunk's list, and how many contacts.
    Near { first: u32, count: u32 },
}

/// What became of the pairs of a chunk that had to be looked at.
#[derive(Debug, Default)]
struct Chunk {
    verdicts: Vec<(u32, Verdict)>,
    contacts: Vec<Contact>,
    statistics: Statistics,
}

impl Chunk {
    /// How many contacts there are.
    fn near(&self) -> usize {
        let of = |verdict: &Verdict| if let Verdict::Near { count, .. } = verdict { *count as usize } else { 0 };
        self.verdicts.iter().map(|(_, verdict)| of(verdict)).sum()
    }
}

impl World {
    /// Looks at every pair whose bodies have travelled far enough, in chunks, and merges what became of them in order.
    pub(super) fn find_contacts(&mut self) -> Result<(), WorldError> {
        let look = |(number, watches): (usize, &[Watch])| self.look_at((number * CHUNK) as u32, watches);
        let watches = &self.pairs.watches;
        let chunks: Result<Vec<Chunk>, WorldError> = match self.options.threads {
            Threads::One => watches.chunks(CHUNK).enumerate().map(look).collect(),
            Threads::All => watches.par_chunks(CHUNK).enumerate().map(look).collect(),
        };
        let chunks = chunks?;
        self.pairs.make_room(chunks.iter().map(Chunk::near).sum());
        self.pairs.events.clear();
        let mut forgotten = Vec::new();
        for chunk in chunks {
            self.merge(&chunk, &mut forgotten);
        }
        self.pairs.forget(&forgotten);
        self.pairs.statistics.near = self.pairs.contacts.len();
        self.pairs.filters_changed = false;
        Ok(())
    }

    fn look_at(&self, first: u32, watches: &[Watch]) -> Result<Chunk, WorldError> {
        let mut chunk = Chunk::default();
        let mut open = Vec::new();
        for (index, watch) in (first..).zip(watches) {
            let travel = self.travelled[watch.a as usize] + self.travelled[watch.b as usize];
            if travel < watch.until && !self.pairs.filters_changed {
                chunk.statistics.travel += 1;
                continue;
            }
            if let Some(verdict) = self.quickly(index, watch, travel, &mut chunk)? {
                chunk.verdicts.push((index, verdict));
            } else {
                open.push(index);
            }
        }
        self.exactly(&open, &mut chunk)?;
        Ok(chunk)
    }

    /// Settles a pair without an exact query of two shapes, if it can be.
    fn quickly(
        &self,
        index: u32,
        watch: &Watch,
        travel: f64,
        chunk: &mut Chunk,
    ) -> Result<Option<Verdict>, WorldError> {
        let (a, b) = (&self.bodies[watch.a as usize], &self.bodies[watch.b as usize]);
        let memory = &self.pairs.memories[index as usize];
        let margin = self.options.margin;
        if !(a.alive && b.alive && a.filter.allows(&b.filter)) {
            chunk.statistics.dropped += 1;
            return Ok(Some(Verdict::Drop));
        }
        let was_near = memory.first != NOWHERE;
        if was_near && watch.asked_at() == travel && travel.is_finite() {
            chunk.statistics.unmoved += 1;
            let old = self.pairs.contacts_of(index);
            let first = chunk.contacts.len() as u32;
            chunk.contacts.extend(old.iter().map(|old| old.contact));
            return Ok(Some(Verdict::Near { first, count: old.len() as u32 }));
        }
        let gap = a.pose.translation.distance(b.pose.translation) - a.reach - b.reach;
        if gap > margin {
            chunk.statistics.sphere += 1;
            return Ok(Some(self.apart_or_gone(watch, gap, chunk)));
        }
        let (Some(shape_a), Some(shape_b)) = (a.as_shape(), b.as_shape()) else {
            return self.contacts_of_parts(index, a, b, chunk).map(Some);
        };
        // A pair that was in contact probably still is.
        if was_near {
            return Ok(None);
        }
        let mut lower = f64::NEG_INFINITY;
        if memory.plane.is_some() {
            lower = memory.plane.gap(a, b);
            if lower <= margin && !(is_tapered(shape_a) && is_tapered(shape_b)) {
                lower = gap_of_placed(memory.plane.normal(a), shape_a, &a.pose, shape_b, &b.pose);
            }
            if lower > margin {
                chunk.statistics.plane += 1;
            }
        } else if a.is_bounded() && b.is_bounded() {
            lower = a.obb().gap(&b.obb());
            if lower > margin {
                chunk.statistics.obb += 1;
            }
        }
        Ok((lower > margin).then(|| self.apart_or_gone(watch, lower, chunk)))
    }

    /// A pair that is apart is dropped if its boxes are too.
    fn apart_or_gone(&self, watch: &Watch, lower: f64, chunk: &mut Chunk) -> Verdict {
        if self.still_neighbours(watch.a, watch.b) {
            return Verdict::Apart { lower, outcome: None };
        }
        chunk.statistics.dropped += 1;
        Verdict::Drop
    }

    /// A pair with a compound or a mesh. Contacts are sought a little beyond the margin, so that a pair just outside it
    /// need not be asked again at once.
    fn contacts_of_parts(&self, index: u32, a: &Body, b: &Body, chunk: &mut Chunk) -> Result<Verdict, WorldError> {
        chunk.statistics.exact += 1;
        let margin = self.options.margin;
        let smaller = a.reach.min(b.reach);
        let wider = margin + self.options.fattening * smaller;
        let old = self.pairs.contacts_of(index);
        let warm = |part_a: u32, part_b: u32| {
            let old = old.iter().find(|old| (old.contact.part_a, old.contact.part_b) == (part_a, part_b))?;
            Some(old.contact.outcome.warm_start)
        };
        let found = contacts(&a.geometry, &a.pose, &b.geometry, &b.pose, wider, &self.options.query, warm)?;
        let first = chunk.contacts.len();
        chunk.contacts.extend(found.iter().filter(|contact| contact.outcome.distance <= margin));
        let count = chunk.contacts.len() - first;
        if count > 0 {
            return Ok(Verdict::Near { first: first as u32, count: count as u32 });
        }
        let lower = found.iter().map(|contact| lower_bound(&contact.outcome)).fold(wider, f64::min);
        Ok(Verdict::Apart { lower, outcome: None })
    }

    /// Asks pairs of shapes exactly. Those that may overlap by now are followed from where they were, if they may be.
    fn exactly(&self, open: &[u32], chunk: &mut Chunk) -> Result<(), WorldError> {
        chunk.statistics.exact += open.len();
        let (mut followed, mut plain) = (Vec::new(), Vec::with_capacity(open.len()));
        for &index in open {
            let watch = &self.pairs.watches[index as usize];
            let (Some(a), Some(b)) = (self.placed(watch.a), self.placed(watch.b)) else { continue };
            let last = self.last_outcome(index);
            // Hollow pairs are asked from all their starts again, and so are those that might have a lesser depth elsewhere.
            let trusted = last.filter(|last| last.bounds.is_some() && last.status != Status::Penetrating);
            let tracked = TrackedPair { pair: [a, b], warm_start: trusted.map(|last| last.warm_start) };
            match last.and_then(|last| self.push_apart(watch, last, &tracked.pair)) {
                Some(push) => {
                    let tracked = TrackedPair { warm_start: last.map(|last| last.warm_start), ..tracked };
                    followed.push(Followed { index, tracked, push });
                }
                None => plain.push((index, tracked)),
            }
        }
        for followed in overlap::follow(&mut followed, &self.options.query)? {
            match followed {
                Ok((index, outcome)) => self.conclude(index, outcome, chunk),
                Err(unsettled) => plain.push(unsettled),
            }
        }
        let pairs: Vec<TrackedPair> = plain.iter().map(|(_, pair)| pair.clone()).collect();
        let outcomes = tracked_distances(&pairs, &self.options.query, Threads::One);
        for ((index, _), outcome) in plain.iter().zip(outcomes) {
            self.conclude(*index, outcome?, chunk);
        }
        Ok(())
    }

    fn placed(&self, body: u32) -> Option<Placed> {
        let body = &self.bodies[body as usize];
        body.as_shape().map(|shape| Placed { shape: shape.clone(), pose: body.pose })
    }

    /// What the last update found for a pair of shapes that was in contact.
    fn last_outcome(&self, index: u32) -> Option<&Outcome> {
        match self.pairs.contacts_of(index) {
            [only] => Some(&only.contact.outcome),
            _ => None,
        }
    }

    /// By how much to push b for a pair to be apart that was in contact and may overlap by now; `None` for pairs that
    /// are better asked plainly.
    fn push_apart(&self, watch: &Watch, last: &Outcome, [a, b]: &[Placed; 2]) -> Option<DVec3> {
        if self.options.depth == Depth::Global {
            return None;
        }
        let travel = self.travelled[watch.a as usize] + self.travelled[watch.b as usize] - watch.asked_at();
        let size = self.bodies[watch.a as usize].reach + self.bodies[watch.b as usize].reach;
        overlap::push(last, travel, size, &a.shape, &b.shape)
    }

    fn conclude(&self, index: u32, outcome: Outcome, chunk: &mut Chunk) {
        let first = chunk.contacts.len();
        chunk.contacts.push(Contact { part_a: 0, part_b: 0, outcome });
        let verdict = if outcome.distance <= self.options.margin {
            Verdict::Near { first: first as u32, count: 1 }
        } else {
            Verdict::Apart { lower: lower_bound(&outcome), outcome: Some(first) }
        };
        chunk.verdicts.push((index, verdict));
    }

    /// Takes note of what became of a chunk's pairs.
    fn merge(&mut self, chunk: &Chunk, forgotten: &mut Vec<u32>) {
        self.pairs.statistics.add(&chunk.statistics);
        let from = forgotten.len();
        for &(index, verdict) in &chunk.verdicts {
            let watch = &mut self.pairs.watches[index as usize];
            let memory = &mut self.pairs.memories[index as usize];
            let handle = |index: u32| self.bodies[index as usize].handle(index);
            let (a, b) = (handle(watch.a), handle(watch.b));
            let was_near = memory.first != NOWHERE;
            let travel = self.travelled[watch.a as usize] + self.travelled[watch.b as usize];
            memory.first = NOWHERE;
            match verdict {
                Verdict::Drop => forgotten.push(index),
                Verdict::Apart { lower, outcome } => {
                    // Sums of travels are rounded.
                    watch.until = travel + (lower - self.options.margin) - 1e-12 * (travel + lower.abs());
                    if let Some(outcome) = outcome {
                        let (body_a, body_b) = (&self.bodies[watch.a as usize], &self.bodies[watch.b as usize]);
                        memory.plane = SeparatingPlane::of(&chunk.contacts[outcome].outcome, body_a, body_b);
                    }
                }
                Verdict::Near { first, count } => {
                    watch.until = -travel;
                    memory.first = self.pairs.contacts.len() as u32;
                    let new = &chunk.contacts[first as usize..(first + count) as usize];
                    self.pairs.contacts.extend(new.iter().map(|&contact| PairContact { a, b, contact }));
                }
            }
            let kind = match (was_near, memory.first != NOWHERE) {
                (false, true) => EventKind::Begin,
                (true, true) => EventKind::Stay,
                (true, false) => EventKind::End,
                (false, false) => continue,
            };
            push_tightly(&mut self.pairs.events, Event { kind, a, b });
        }
        // Verdicts of exact queries come after the others.
        forgotten[from..].sort_unstable();
    }
}

fn lower_bound(outcome: &Outcome) -> f64 {
    outcome.bounds.map_or(outcome.distance, |bounds| bounds.lower)
}

impl Statistics {
    fn add(&mut self, other: &Statistics) {
        self.travel += other.travel;
        self.sphere += other.sphere;
        self.plane += other.plane;
        self.obb += other.obb;
        self.unmoved += other.unmoved;
        self.exact += other.exact;
        self.dropped += other.dropped;
    }
}
