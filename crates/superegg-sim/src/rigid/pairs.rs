//! Pairs of bodies that may touch within a step, and what is remembered of them from step to step.
//!
//! Boxes in a tree give the candidates. A pair is asked exactly only when its bodies may have moved close enough since the
//! last time, and its points are kept while the bodies have hardly moved. Every body brings its own margin, the way that
//! it can make in the step: a fast body meets what is in its way before it is there.

use glam::{DQuat, DVec3};
use rayon::prelude::*;
use superegg::query::WarmStart;
use superegg::query::batch::Threads;
use superegg_world::broad::Tree;

use super::body::State;
use super::manifold::{Found, Point, find, inherit};
use super::world::SKIN;
use crate::SimError;

/// A pair keeps its points while its bodies have moved less than this against each other, in metres: a resting body is held by
/// the same points in every step.
const UNMOVED: f64 = 1e-3;
/// Points are sought so far beyond what a step needs, in metres.
const SLOP: f64 = 4e-3;
/// By how much boxes are fattened, as a part of a body's size.
const FATTENING: f64 = 0.1;
/// Pairs that a thread takes at a time.
const CHUNK: usize = 64;

/// Through so many bodies a speed is passed on within a step.
const PASSED_ON: usize = 2;

/// How far from a body contacts may arise in a step.
fn margin(speed: f64, dt: f64) -> f64 {
    0.5 * SKIN + speed * dt
}

/// Lets bodies near a fast one expect its speed, since they may be hit and hit others within the step. Returns whether any
/// body has to expect much more than before.
fn pass_on(speeds: &mut [f64], keys: &[(u32, u32)], bodies: &[State], dt: f64) -> bool {
    let mut changed = false;
    let before = speeds.to_vec();
    for (a, b) in keys.iter().map(|(a, b)| (*a as usize, *b as usize)) {
        let (one, other) = (&bodies[a], &bodies[b]);
        let fast = before[a].max(before[b]);
        if !(one.is_dynamic() && other.is_dynamic()) || (fast - before[a].min(before[b])) * dt < SLOP {
            continue;
        }
        let gap = one.centre.distance(other.centre) - one.reach - other.reach;
        if gap < (before[a] + before[b]) * dt + SLOP {
            for index in [a, b] {
                changed |= speeds[index] < fast;
                speeds[index] = speeds[index].max(fast);
            }
        }
    }
    changed
}

/// Two bodies whose boxes overlap. The first is always an egg.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub a: u32,
    pub b: u32,
    pub points: Vec<Point>,
    /// When last asked: a lower bound of the distance, the sum of the bodies' travels, and the margin.
    lower: f64,
    travel: f64,
    margin: f64,
    warm: Option<WarmStart>,
    /// Where the first body was in the frame of the second when the points were found.
    place: DVec3,
    turn: DQuat,
    /// How the second body lay when directions of the points were last brought up to date.
    rotation: DQuat,
    /// Asked in this step.
    asked: bool,
}

/// All pairs, sorted by bodies.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs {
    pub list: Vec<Pair>,
    tree: Tree,
    /// Planes.
    unbounded: Vec<u32>,
    margins: Vec<f64>,
}

impl Pair {
    /// Whether the bodies have hardly moved against each other since the points were found; directions then turn with them.
    fn keeps_points(&mut self, a: &State, b: &State, margin: f64) -> bool {
        if self.points.is_empty() {
            return false;
        }
        let turned = self.turn.conjugate() * (b.rotation.conjugate() * a.rotation);
        let moved = self.place.distance(b.local(a.centre)) + 2.0 * turned.xyz().length() * a.reach;
        if moved > UNMOVED || self.margin < margin + moved {
            return false;
        }
        if self.rotation != b.rotation {
            let by = b.rotation * self.rotation.conjugate();
            self.points.iter_mut().for_each(|point| point.turn(by));
            self.rotation = b.rotation;
        }
        true
    }
}

impl Pairs {
    pub fn add(&mut self, index: u32, body: &mut State) -> Result<(), SimError> {
        if body.reach.is_finite() {
            body.fat = body.grown_box(FATTENING * body.reach);
            body.leaf = Some(self.tree.insert(&body.fat, index).map_err(superegg_world::WorldError::from)?);
        } else {
            self.unbounded.push(index);
        }
        Ok(())
    }

    /// Finds the pairs that may touch within a step, `gain` being the speed that bodies may gain in it.
    pub fn gather(&mut self, bodies: &mut [State], dt: f64, gain: f64) -> Result<(), SimError> {
        let moving = |body: &State| if body.is_moving() { body.speed() + gain } else { 0.0 };
        let mut speeds: Vec<f64> = bodies.iter().map(moving).collect();
        let mut keys = self.candidates(bodies, &speeds, dt)?;
        for _ in 0..PASSED_ON {
            if !pass_on(&mut speeds, &keys, bodies, dt) {
                break;
            }
            keys = self.candidates(bodies, &speeds, dt)?;
        }
        self.margins = speeds.iter().map(|speed| margin(*speed, dt)).collect();
        keys.sort_unstable();
        let old = std::mem::take(&mut self.list);
        let mut old = old.into_iter().peekable();
        self.list.reserve(keys.len());
        for (a, b) in keys {
            while old.next_if(|pair| (pair.a, pair.b) < (a, b)).is_some() {}
            let known = old.next_if(|pair| (pair.a, pair.b) == (a, b));
            self.list.push(match known {
                Some(pair) => Pair { asked: false, ..pair },
                None => Pair {
                    a,
                    b,
                    points: Vec::new(),
                    lower: f64::NEG_INFINITY,
                    travel: 0.0,
                    margin: 0.0,
                    warm: None,
                    place: DVec3::ZERO,
                    turn: DQuat::IDENTITY,
                    rotation: DQuat::IDENTITY,
                    asked: false,
                },
            });
        }
        self.tree.maintain();
        Ok(())
    }

    /// The speed that a body has or may get from others in this step, but for gravity.
    pub fn expected_speed(&self, body: u32, dt: f64, gain: f64) -> f64 {
        (self.margins[body as usize] - margin(0.0, dt)) / dt - gain
    }

    /// The pairs whose boxes overlap, each grown by what its body can do in a step; the first is always an egg.
    fn candidates(&mut self, bodies: &mut [State], speeds: &[f64], dt: f64) -> Result<Vec<(u32, u32)>, SimError> {
        for (body, &speed) in bodies.iter_mut().zip(speeds) {
            let Some(leaf) = body.leaf.filter(|_| speed > 0.0) else { continue };
            let needed = body.grown_box(margin(speed, dt) + SLOP);
            if needed.min.cmplt(body.fat.min).any() || needed.max.cmpgt(body.fat.max).any() {
                body.fat = body.grown_box(margin(speed, dt) + SLOP + FATTENING * body.reach);
                self.tree.set(leaf, &body.fat).map_err(superegg_world::WorldError::from)?;
            }
        }
        let mut keys = Vec::with_capacity(self.list.len() + 16);
        let mut add = |i: u32, j: u32| {
            let (one, other) = (&bodies[i as usize], &bodies[j as usize]);
            if one.is_dynamic() || other.is_dynamic() {
                let in_order = one.is_egg() && (!other.is_egg() || i < j);
                keys.push(if in_order { (i, j) } else { (j, i) });
            }
        };
        self.tree.for_each_pair(&mut add);
        for &plane in &self.unbounded {
            for index in (0..bodies.len() as u32).filter(|&i| bodies[i as usize].is_dynamic()) {
                add(index, plane);
            }
        }
        Ok(keys)
    }

    /// Finds the points of all pairs that may have any and were not asked in this step.
    pub fn ask(&mut self, bodies: &[State], threads: Threads) -> Result<(), SimError> {
        let margins = &self.margins;
        let work = |pair: &mut Pair| -> Result<(), SimError> {
            let (a, b) = (&bodies[pair.a as usize], &bodies[pair.b as usize]);
            let awake = |body: &State| body.is_moving();
            if pair.asked || !(awake(a) || awake(b)) {
                return Ok(());
            }
            pair.asked = true;
            let margin = margins[pair.a as usize] + margins[pair.b as usize];
            let travel = a.travelled + b.travelled;
            let moved = travel - pair.travel;
            let apart = pair.points.is_empty() && pair.lower - moved > margin;
            if apart || pair.keeps_points(a, b, margin) {
                return Ok(());
            }
            if b.reach.is_finite() && b.is_egg() {
                // Balls about the centres of mass.
                let gap = a.centre.distance(b.centre) - a.reach - b.reach;
                if gap > margin + SLOP {
                    (pair.lower, pair.travel) = (gap, travel);
                    pair.points.clear();
                    return Ok(());
                }
            }
            let Found { lower, warm, mut points } = find(a, b, pair.warm, margin + SLOP)?;
            inherit(&mut points, &pair.points, a.reach);
            (pair.lower, pair.travel, pair.margin, pair.warm) = (lower, travel, margin + SLOP, warm);
            pair.points = points;
            (pair.place, pair.turn, pair.rotation) =
                (b.local(a.centre), b.rotation.conjugate() * a.rotation, b.rotation);
            Ok(())
        };
        match threads {
            Threads::One => self.list.iter_mut().try_for_each(work),
            Threads::All => self.list.par_iter_mut().with_min_len(CHUNK).try_for_each(work),
        }
    }
}
