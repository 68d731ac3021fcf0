//! Pairs of pieces that may touch within a step, and what is remembered of them from step to step.
//!
//! Boxes in a tree give the candidates. Every body brings its own margin, the way that it can make in the step: a fast body
//! meets what is in its way before it is there. What is not in the list, then, is farther apart than the two margins, and no
//! body is moved beyond its own: nothing is met unseen.
//!
//! Two eggs are asked exactly only when they may meet within the next substeps, by what is known of their distance and how they
//! have moved against each other since; until then they wait. Points are kept while the bodies have hardly moved.

use std::collections::HashSet;

use glam::{DQuat, DVec3};
use rayon::prelude::*;
use superegg::query::WarmStart;
use superegg::query::batch::Threads;
use superegg_world::broad::Tree;
use superegg_world::geometry::Geometry;

use super::body::State;
use super::course::{Apart, Course};
use super::manifold::{Found, NEAR, Point, Sought, find, inherit};
use super::mesh::Near;
use super::piece::Piece;
use super::world::SKIN;
use crate::SimError;

/// A pair keeps its points while its bodies have moved less than this against each other, in metres: a resting body is held by
/// the same points in every step.
const UNMOVED: f64 = 1e-3;
/// Points are sought so far beyond what a step needs, in metres.
const SLOP: f64 = 4e-3;
/// Eggs are asked for points of contact when they may meet within so many substeps.
const SOON: f64 = 2.0;
/// By how much boxes are fattened, as a part of a piece's size.
const FATTENING: f64 = 0.1;
/// Pairs that a thread takes at a time.
const CHUNK: usize = 64;
/// The same for pairs that all have to be sought.
const FEW: usize = 8;
/// Triangles of a mesh are listed so far beyond the margin, in parts of the margin (of points that were found, and of none)
/// and of the piece's size: until the body has come as far, they are not sought again.
const AHEAD: ([f64; 2], f64) = ([1.0, 3.0], 0.1);
/// What joints and drives may add to a body's way in a step: a part of it, and a length in metres.
const SPURRED: (f64, f64) = (2.0, 0.02);

/// Two pieces whose boxes overlap. The first is an egg, or a mesh whose partner is a plane.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub pieces: [u32; 2],
    pub bodies: [u32; 2],
    pub points: Vec<Point>,
    /// The number of each point's contact in this step.
    pub contacts: Vec<u32>,
    /// When last sought: a lower bound of the distance, the sum of the bodies' travels, and the margin.
    pub lower: f64,
    pub travel: f64,
    margin: f64,
    warm: Option<WarmStart>,
    near: Near,
    /// Where the first body was in the frame of the second when the points were found.
    place: DVec3,
    turn: DQuat,
    /// How the second body lay when directions of the points were last brought up to date.
    rotation: DQuat,
    /// In which step it was asked last.
    asked: u64,
}

/// What a pair does in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It cannot meet.
    Apart,
    /// It may meet, but not in the next substeps.
    Waiting,
    /// It has points.
    Met,
}

/// A pair in the list: what tells whether anything has to be known of it.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    /// Its pieces as one number, to sort by.
    key: u64,
    pub bodies: [u32; 2],
    /// Whether both are eggs.
    eggs: bool,
    pub standing: Standing,
    apart: Apart,
    pub pair: Box<Pair>,
}

impl Listed {
    fn new(key: u64, pieces: &[Piece]) -> Listed {
        let numbers = [(key >> 32) as u32, key as u32];
        let bodies = numbers.map(|piece| pieces[piece as usize].body);
        Listed {
            key,
            bodies,
            eggs: numbers.iter().all(|&piece| pieces[piece as usize].is_egg()),
            standing: Standing::Apart,
            apart: Apart::UNKNOWN,
            pair: Box::new(Pair::new(numbers, bodies)),
        }
    }

    /// Whether it holds something up.
    pub fn is_leaning(&self) -> bool {
        self.standing == Standing::Met && self.pair.is_leaning()
    }

    fn courses<'a>(&self, courses: &'a [Course]) -> [&'a Course; 2] {
        self.bodies.map(|body| &courses[body as usize])
    }

    /// Within what distance points are sought of bodies that may go as far as `margin`, in substeps of `h`.
    fn margin(&self, courses: &[Course], margin: f64, h: f64) -> f64 {
        let [a, b] = self.courses(courses);
        if self.eggs { margin.min(NEAR + a.closing(b, SOON, h)) } else { margin }
    }

    /// Whether two eggs cannot meet in the next substeps.
    #[inline]
    pub fn waits(&self, courses: &[Course], h: f64) -> bool {
        let [a, b] = self.courses(courses);
        self.apart.gap(a, b) > NEAR + a.closing(b, SOON, h)
    }

    /// Has no points any more.
    fn part(&mut self, standing: Standing) {
        if self.standing == Standing::Met {
            self.pair.points.clear();
        }
        self.standing = standing;
    }

    /// Decides what the pair does in a step, and finds its points if it has to.
    fn ask(&mut self, known: &Known, h: f64, step: u64) -> Result<(), SimError> {
        let Known { bodies, courses, margins, .. } = *known;
        let [a, b] = self.bodies.map(|body| body as usize);
        let gap = self.apart.gap(&courses[a], &courses[b]);
        let margin = margins[a] + margins[b];
        let is_met = self.standing == Standing::Met;
        let slop = if is_met { SLOP } else { 0.0 };
        if gap > margin + slop && !is_met {
            self.standing = Standing::Apart;
            return Ok(());
        }
        if !(bodies[a].is_moving() || bodies[b].is_moving()) {
            return Ok(());
        }
        if gap > margin + slop {
            self.part(Standing::Apart);
            return Ok(());
        }
        // What may wake a sleeper is found before the step begins.
        let in_time = self.eggs && bodies[a].asleep == bodies[b].asleep;
        let near = if in_time { self.margin(courses, margin, h) } else { margin };
        if in_time && gap > near + slop {
            self.part(Standing::Waiting);
            return Ok(());
        }
        if self.pair.asked != step {
            self.pair.asked = step;
            if !self.pair.keeps_points(&bodies[a], &bodies[b], near) {
                self.find(known, near, false)?;
            }
        }
        Ok(())
    }

    /// Finds the points within a margin; what watches a gap will do unless it is looked at closely.
    fn find(&mut self, known: &Known, margin: f64, closely: bool) -> Result<(), SimError> {
        self.pair.find(known.pieces, known.bodies, margin, closely)?;
        let [a, b] = self.courses(known.courses);
        let has_points = !self.pair.points.is_empty();
        // Of a mesh only what was sought is known.
        let lower = if has_points && !self.eggs { f64::NEG_INFINITY } else { self.pair.lower };
        self.apart = Apart::now(lower, a, b);
        self.standing = match (has_points, self.eggs) {
            (true, _) => Standing::Met,
            (false, true) => Standing::Waiting,
            (false, false) => Standing::Apart,
        };
        Ok(())
    }
}

/// What is known of all bodies.
#[derive(Clone, Copy)]
struct Known<'a> {
    pieces: &'a [Piece],
    bodies: &'a [State],
    courses: &'a [Course],
    margins: &'a [f64],
}

/// All pairs, sorted by pieces.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs {
    pub pieces: Vec<Piece>,
    pub list: Vec<Listed>,
    /// The list's and the keys' memory while pairs are sought.
    spare: Vec<Listed>,
    keys: Vec<u64>,
    tree: Tree,
    /// Planes.
    unbounded: Vec<u32>,
    /// Bodies that are not to meet, the smaller number first.
    strangers: HashSet<[u32; 2]>,
    /// How far each body may go in this step.
    pub margins: Vec<f64>,
    /// How they move.
    pub courses: Vec<Course>,
    /// Whether pairs have to be sought anew.
    changed: bool,
    /// How many steps have been made.
    step: u64,
}

impl Pair {
    fn new(pieces: [u32; 2], bodies: [u32; 2]) -> Pair {
        Pair {
            pieces,
            bodies,
            points: Vec::new(),
            contacts: Vec::new(),
            lower: f64::NEG_INFINITY,
            travel: 0.0,
            margin: 0.0,
            warm: None,
            near: Near::default(),
            place: DVec3::ZERO,
            turn: DQuat::IDENTITY,
            rotation: DQuat::IDENTITY,
            asked: 0,
        }
    }

    /// Whether it holds something up.
    fn is_leaning(&self) -> bool {
        self.points.iter().any(|point| point.impulse > 0.0)
    }

    /// How far points of the first body may have moved, as seen from the second, since the points were found.
    pub fn moved(&self, a: &State, b: &State) -> f64 {
        let turned = self.turn.conjugate() * (b.rotation.conjugate() * a.rotation);
        self.place.distance(b.local(a.centre)) + 2.0 * turned.xyz().length() * a.reach
    }

    /// Whether the bodies have hardly moved against each other since the points were found; directions then turn with them.
    fn keeps_points(&mut self, a: &State, b: &State, margin: f64) -> bool {
        if self.points.is_empty() {
            return false;
        }
        let moved = self.moved(a, b);
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

    /// Finds the points within a margin; what watches a gap will do unless it is looked at closely.
    fn find(&mut self, pieces: &[Piece], bodies: &[State], margin: f64, closely: bool) -> Result<(), SimError> {
        let [a, b] = self.bodies.map(|body| &bodies[body as usize]);
        let [on_a, on_b] = self.pieces.map(|piece| &pieces[piece as usize]);
        let (on_a, on_b) = (on_a.placed(a), on_b.placed(b));
        self.travel = a.travelled + b.travelled;
        if on_b.piece.is_egg() {
            let gap = on_a.origin.distance(on_b.origin) - on_a.radius() - on_b.radius();
            if gap > margin + SLOP {
                self.lower = gap;
                self.points.clear();
                return Ok(());
            }
        }
        if let (true, Geometry::Mesh(mesh)) = (on_a.piece.is_egg(), &on_b.piece.geometry)
            && self.near.reaches(self.travel) < margin + SLOP
        {
            let ahead = AHEAD.0[usize::from(self.points.is_empty())] * margin + AHEAD.1 * on_a.radius();
            self.near.list(&on_a, &on_b, mesh, margin + SLOP + ahead, self.travel);
        }
        let known = self.near.reaches(self.travel);
        let sought = Sought { margin: margin + SLOP, near: &self.near, known, closely };
        let Found { lower, warm, mut points } = find(&on_a, &on_b, self.warm, &sought)?;
        inherit(&mut points, &self.points, on_a.radius());
        (self.lower, self.margin, self.warm, self.points) = (lower, margin + SLOP, warm, points);
        (self.place, self.turn, self.rotation) = (b.local(a.centre), b.rotation.conjugate() * a.rotation, b.rotation);
        Ok(())
    }
}

impl Pairs {
    /// Adds a body's pieces.
    pub fn add(&mut self, body: &State, pieces: Vec<Piece>) -> Result<(), SimError> {
        for mut piece in pieces {
            let index = self.pieces.len() as u32;
            if piece.radius.is_finite() {
                piece.fat = piece.grown_box(body, FATTENING * piece.radius);
                piece.leaf = Some(self.tree.insert(&piece.fat, index).map_err(superegg_world::WorldError::from)?);
            } else {
                self.unbounded.push(index);
            }
            self.pieces.push(piece);
        }
        self.changed = true;
        Ok(())
    }

    /// Says whether two bodies meet.
    pub fn set_meeting(&mut self, a: u32, b: u32, meet: bool) {
        let key = [a.min(b), a.max(b)];
        if meet {
            self.strangers.remove(&key);
        } else {
            self.strangers.insert(key);
        }
        self.changed = true;
    }

    /// Finds the pairs that may touch within a step, `gain` being the speed that bodies may gain in it; `spurred` are those
    /// that joints may drive.
    pub fn gather(&mut self, bodies: &[State], spurred: &[bool], dt: f64, gain: f64) -> Result<(), SimError> {
        self.courses.clear();
        self.courses.extend(bodies.iter().map(Course::of));
        self.margins.clear();
        self.margins.extend(bodies.iter().zip(spurred).map(|(body, &spurred)| {
            let way = if body.is_moving() { (body.speed() + gain) * dt } else { 0.0 };
            0.5 * SKIN + if spurred { way * (1.0 + SPURRED.0) + SPURRED.1 } else { way }
        }));
        for piece in &mut self.pieces {
            let body = &bodies[piece.body as usize];
            let Some(leaf) = piece.leaf.filter(|_| body.is_moving()) else { continue };
            let margin = self.margins[piece.body as usize] + SLOP;
            let needed = piece.grown_box(body, margin);
            if needed.min.cmplt(piece.fat.min).any() || needed.max.cmpgt(piece.fat.max).any() {
                piece.fat = piece.grown_box(body, margin + FATTENING * piece.radius);
                self.tree.set(leaf, &piece.fat).map_err(superegg_world::WorldError::from)?;
                self.changed = true;
            }
        }
        if std::mem::take(&mut self.changed) {
            self.seek(bodies);
        }
        self.step += 1;
        Ok(())
    }

    /// Lists the pairs whose boxes overlap, keeping what is known of them.
    fn seek(&mut self, bodies: &[State]) {
        let mut keys = std::mem::take(&mut self.keys);
        keys.clear();
        let Pairs { pieces, strangers, .. } = &*self;
        let mut add = |i: u32, j: u32| {
            let (one, other) = (&pieces[i as usize], &pieces[j as usize]);
            let dynamic = bodies[one.body as usize].is_dynamic() || bodies[other.body as usize].is_dynamic();
            let apart = one.body == other.body || (one.is_mesh() && other.is_mesh());
            let key = [one.body.min(other.body), one.body.max(other.body)];
            if dynamic && !apart && (strangers.is_empty() || !strangers.contains(&key)) {
                let in_order = match (one.is_egg(), other.is_egg()) {
                    (true, true) => i < j,
                    (first, false) => first || one.is_mesh(),
                    (false, true) => false,
                };
                let [first, second] = if in_order { [i, j] } else { [j, i] };
                keys.push(u64::from(first) << 32 | u64::from(second));
            }
        };
        self.tree.for_each_pair(&mut add);
        for &plane in &self.unbounded {
            for index in (0..pieces.len() as u32).filter(|&i| pieces[i as usize].radius.is_finite()) {
                add(index, plane);
            }
        }
        self.tree.maintain();
        keys.sort_unstable();
        std::mem::swap(&mut self.list, &mut self.spare);
        let mut old = self.spare.drain(..).peekable();
        for &key in &keys {
            while old.next_if(|pair| pair.key < key).is_some() {}
            let known = old.next_if(|pair| pair.key == key);
            self.list.push(known.unwrap_or_else(|| Listed::new(key, &self.pieces)));
        }
        drop(old);
        self.keys = keys;
    }

    /// Decides what all pairs do in a step, of substeps no longer than `h`, and finds the points of those that may meet at once
    /// and were not asked in this step.
    pub fn ask(&mut self, bodies: &[State], h: f64, threads: Threads) -> Result<(), SimError> {
        let Pairs { pieces, margins, courses, list, step, .. } = self;
        let known = Known { pieces, bodies, courses, margins };
        let work = |listed: &mut Listed| listed.ask(&known, h, *step);
        match threads {
            Threads::One => list.iter_mut().try_for_each(work),
            Threads::All => list.par_iter_mut().with_min_len(CHUNK).try_for_each(work),
        }
    }

    /// Finds the points of some pairs anew, by their numbers in ascending order; bodies may still go as far as `left` says.
    pub fn find(
        &mut self,
        numbers: &[u32],
        bodies: &[State],
        left: impl Fn(u32) -> f64 + Sync,
        h: f64,
        threads: Threads,
    ) -> Result<(), SimError> {
        let Pairs { pieces, margins, courses, list, .. } = self;
        let known = Known { pieces, bodies, courses, margins };
        let work = |listed: &mut Listed| {
            let [a, b] = listed.bodies;
            listed.find(&known, listed.margin(known.courses, left(a) + left(b), h), true)
        };
        match threads {
            Threads::One => numbers.iter().try_for_each(|&number| work(&mut list[number as usize])),
            Threads::All => {
                let (mut chosen, mut rest, mut begin) = (Vec::with_capacity(numbers.len()), &mut list[..], 0);
                for &number in numbers {
                    let Some((one, after)) = rest[number as usize - begin..].split_first_mut() else { break };
                    chosen.push(one);
                    (rest, begin) = (after, number as usize + 1);
                }
                chosen.into_par_iter().with_min_len(FEW).try_for_each(work)
            }
        }
    }
}
