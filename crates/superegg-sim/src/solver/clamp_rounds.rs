//! Bodies that are held back at points of contact, and what that does to others.
//!
//! A body that is held back is in the way of those behind it. They are held back in rounds; a round looks only at the points of
//! bodies that were held back in the one before, so that its cost is that of what changes, not of the world.

use super::contact::Contact;
use crate::body::{BodyState, Proxy};
use crate::contact::SKIN;
use crate::joint::constraint_row::Velocity;

/// How often bodies are held back in turn.
const ROUNDS: usize = 200;
/// Deficits below this are rounding, in metres.
const ROUNDING: f64 = 1e-9;

/// What moves in a substep, and for how long.
#[derive(Clone, Copy)]
pub(crate) struct Moving<'a> {
    pub proxies: &'a [Proxy],
    pub bodies: &'a [BodyState],
    /// Bodies that hang together.
    pub links: &'a [[u32; 2]],
    pub h: f64,
}

/// A point of contact where bodies may get into each other, however far each is let go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tight {
    ends: [u32; 2],
    /// The distance now, and how far each body would go along the normal.
    now: f64,
    ways: [f64; 2],
    /// Which bodies approach the other and can be held back: what nothing can push goes on.
    held: [bool; 2],
}

/// All of them, and those that have to be looked at again.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClampRounds {
    tight: Vec<Tight>,
    /// For each body where its points begin in `of_bodies`; the end is where those of the next begin.
    begins: Vec<u32>,
    of_bodies: Vec<u32>,
    /// Points of the next round, and whether each is among them.
    next: Vec<u32>,
    queued: Vec<bool>,
    round: Vec<u32>,
}

impl Tight {
    /// A contact whose ways are known, if it matters.
    #[inline]
    pub fn of(contact: &Contact, ends: [&Velocity; 2]) -> Option<Tight> {
        let (now, ways) = (contact.gap + SKIN, contact.ways);
        let approaching = [ways[0] > 0.0, ways[1] < 0.0];
        let tight = Tight {
            ends: [contact.a, contact.b],
            now,
            ways,
            held: [0, 1].map(|i| approaching[i] && ends[i].inverse_mass > 0.0),
        };
        (tight.deficit(approaching.map(f64::from)) > 0.0).then_some(tight)
    }

    /// By how much the bodies would be deeper in each other than touching, or than they are.
    #[inline]
    fn deficit(&self, [a, b]: [f64; 2]) -> f64 {
        self.now.min(0.0) - (self.now + b * self.ways[1] - a * self.ways[0])
    }

    /// The factor by which the bodies have to be held back, if they have to.
    #[inline]
    fn factor(&self, fractions: [f64; 2]) -> Option<f64> {
        let of = |i: usize| if self.held[i] { fractions[i] * self.ways[i].abs() } else { 0.0 };
        let closing = of(0) + of(1);
        let deficit = self.deficit(fractions);
        (deficit > ROUNDING && closing > 0.0).then(|| (1.0 - deficit / closing).max(0.0))
    }
}

impl ClampRounds {
    /// Forgets everything, for a number of bodies.
    pub fn begin(&mut self, bodies: usize) {
        self.tight.clear();
        self.begins.clear();
        self.begins.resize(bodies + 1, 0);
    }

    /// Takes in some of them.
    pub fn extend(&mut self, tight: impl IntoIterator<Item = Tight>) {
        self.tight.extend(tight);
    }

    /// Sorts the points by bodies and holds back wherever it is needed.
    pub fn hold_all(&mut self, velocities: &[Velocity], fractions: &mut [f64], links: &[[u32; 2]]) {
        for end in self.tight.iter().flat_map(|tight| tight.ends) {
            self.begins[end as usize] += 1;
        }
        let mut sum = 0;
        for begin in &mut self.begins {
            sum += *begin;
            *begin = sum;
        }
        self.of_bodies.clear();
        self.of_bodies.resize(sum as usize, 0);
        for (number, tight) in self.tight.iter().enumerate().rev() {
            for end in tight.ends {
                let begin = &mut self.begins[end as usize];
                *begin -= 1;
                self.of_bodies[*begin as usize] = number as u32;
            }
        }
        self.next.clear();
        self.next.extend(0..self.tight.len() as u32);
        self.queued.clear();
        self.queued.resize(self.tight.len(), true);
        self.hold(velocities, fractions, links);
    }

    /// A body is let go less far than before: its points have to be looked at.
    pub fn changed(&mut self, body: u32) {
        let ClampRounds { begins, of_bodies, next, queued, .. } = self;
        for &number in &of_bodies[begins[body as usize] as usize..begins[body as usize + 1] as usize] {
            if !std::mem::replace(&mut queued[number as usize], true) {
                next.push(number);
            }
        }
    }

    /// ClampRounds back bodies at the points that have to be looked at, and what hangs together with them, until nothing more has to be.
    pub fn hold(&mut self, velocities: &[Velocity], fractions: &mut [f64], links: &[[u32; 2]]) {
        for _ in 0..ROUNDS {
            let mut round = std::mem::take(&mut self.round);
            std::mem::swap(&mut round, &mut self.next);
            for &number in &round {
                self.queued[number as usize] = false;
                let Tight { ends, held, .. } = self.tight[number as usize];
                let Some(factor) = self.tight[number as usize].factor(ends.map(|end| fractions[end as usize])) else {
                    continue;
                };
                for (end, _) in ends.into_iter().zip(held).filter(|(_, held)| *held) {
                    fractions[end as usize] *= factor;
                    self.changed(end);
                }
            }
            round.clear();
            self.round = round;
            let mut pulled = false;
            for &[a, b] in links {
                let free = |body: u32| velocities[body as usize].inverse_mass > 0.0;
                let [part_a, part_b] = [a, b].map(|body| fractions[body as usize]);
                if free(a) && free(b) && part_a != part_b {
                    let least = part_a.min(part_b);
                    (fractions[a as usize], fractions[b as usize]) = (least, least);
                    self.changed(if part_a > least { a } else { b });
                    pulled = true;
                }
            }
            if self.next.is_empty() && !pulled {
                break;
            }
        }
    }
}
