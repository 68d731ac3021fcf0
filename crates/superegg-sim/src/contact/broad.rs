//! Pairs of proxies that may touch within a step, and what is remembered of them from step to step.
//!
//! Boxes in a tree give the candidates. Every body brings its own margin, the way that it can make in the step: a fast body
//! meets what is in its way before it is there. What is not in the list, then, is farther apart than the two margins, and no
//! body is moved beyond its own: nothing is met unseen.
//!
//! Two smooth are asked exactly only when they may meet within the next substeps, by what is known of their distance and how they
//! have moved against each other since; until then they wait. Points are kept while the bodies have hardly moved.

use std::cmp::Ordering;
use std::collections::HashSet;

use glam::{DQuat, DVec3};
use rayon::prelude::*;
use superegg::Threads;
use superegg::query::WarmStart;
use superegg::shape::Aabb;
use superegg_world::broad::{Leaf, Tree};
use superegg_world::geometry::Geometry;

use super::SKIN;
use super::manifold::{Found, NEAR, Point, Sought, inherit};
use super::mesh_mesh::{Meshes, TrianglePairs};
use super::narrow::find;
use super::separation_bound::{SeparationBound, Trajectory};
use super::smooth_mesh::Near;
use crate::SimError;
use crate::body::{BodyState, Proxy};

/// A pair keeps its points while its bodies have moved less than this against each other, in metres: a resting body is held by
/// the same points in every step.
const UNMOVED: f64 = 1e-3;
/// Points are sought so far beyond what a step needs, in metres.
const SLOP: f64 = 4e-3;
/// Eggs are asked for points of contact when they may meet within so many substeps.
const SOON: f64 = 2.0;
/// By how much boxes are fattened, as a part of a proxy's size.
const FATTENING: f64 = 0.1;
/// Bodies that a thread takes at a time.
const MANY: usize = 512;
/// Pairs that a thread takes at a time.
const CHUNK: usize = 64;
/// The same for pairs that all have to be sought.
const FEW: usize = 8;
/// Triangles of a mesh are listed so far beyond the margin, in parts of the margin (of points that were found, and of none)
/// and of the proxy's size: until the body has come as far, they are not sought again.
const AHEAD: ([f64; 2], f64) = ([1.0, 3.0], 0.1);
/// What joints and drives may add to a body's way in a step: a part of it, and a length in metres.
const SPURRED: (f64, f64) = (2.0, 0.02);

/// What a kinematic body may make another go, in parts of its own way: as far as it goes itself, and as far again if that bounces.
const PUSHED: f64 = 2.0;
/// Through how many bodies a push is followed.
const CHAIN: usize = 16;

/// Two proxies whose boxes overlap. The first is an egg, or a mesh whose partner is a mesh or a plane.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub proxies: [u32; 2],
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
    /// The triangles of a mesh and of another or a plane that are near each other.
    pub triangles: TrianglePairs,
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
pub(crate) enum Standing {
    /// It cannot meet.
    Apart,
    /// It may meet, but not in the next substeps.
    Waiting,
    /// It has points.
    Met,
}

/// A pair in the list: what tells whether anything has to be known of it.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    /// Its proxies as one number, to sort by.
    key: u64,
    pub bodies: [u32; 2],
    /// Whether both are smooth.
    smooth: bool,
    pub standing: Standing,
    /// Whether its triangles are looked at in every substep of the running step.
    pub guarded: bool,
    apart: SeparationBound,
    pub pair: Box<Pair>,
}

impl Listed {
    fn new(key: u64, proxies: &[Proxy]) -> Listed {
        let numbers = [(key >> 32) as u32, key as u32];
        let bodies = numbers.map(|proxy| proxies[proxy as usize].body);
        Listed {
            key,
            bodies,
            smooth: numbers.iter().all(|&proxy| proxies[proxy as usize].is_smooth()),
            standing: Standing::Apart,
            guarded: false,
            apart: SeparationBound::UNKNOWN,
            pair: Box::new(Pair::new(numbers, bodies)),
        }
    }

    /// Whether it holds something up.
    pub fn is_leaning(&self) -> bool {
        self.standing == Standing::Met && self.pair.is_leaning()
    }

    fn trajectories<'a>(&self, trajectories: &'a [Trajectory]) -> [&'a Trajectory; 2] {
        self.bodies.map(|body| &trajectories[body as usize])
    }

    /// Within what distance points are sought of bodies that may go as far as `margin`, in substeps of `h`.
    fn margin(&self, trajectories: &[Trajectory], margin: f64, h: f64) -> f64 {
        let [a, b] = self.trajectories(trajectories);
        if self.smooth { margin.min(NEAR + a.closing(b, SOON, h)) } else { margin }
    }

    /// Whether two smooth cannot meet in the next substeps.
    #[inline]
    pub fn waits(&self, trajectories: &[Trajectory], h: f64) -> bool {
        let [a, b] = self.trajectories(trajectories);
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
        let Known { bodies, trajectories, margins, .. } = *known;
        let [a, b] = self.bodies.map(|body| body as usize);
        let gap = self.apart.gap(&trajectories[a], &trajectories[b]);
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
        let in_time = self.smooth && bodies[a].asleep == bodies[b].asleep;
        let near = if in_time { self.margin(trajectories, margin, h) } else { margin };
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
        self.pair.find(known.proxies, known.bodies, margin, closely)?;
        let [a, b] = self.trajectories(known.trajectories);
        let has_points = !self.pair.points.is_empty();
        // Triangles of two meshes are watched though they may not push each other.
        let watched = self.pair.triangles.least <= margin;
        // Of a mesh only what was sought is known.
        let lower = if has_points && !self.smooth { f64::NEG_INFINITY } else { self.pair.lower };
        self.apart = SeparationBound::now(lower, a, b);
        self.standing = match (has_points || watched, self.smooth) {
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
    proxies: &'a [Proxy],
    bodies: &'a [BodyState],
    trajectories: &'a [Trajectory],
    margins: &'a [f64],
}

/// All pairs, sorted by proxies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pairs {
    pub proxies: Vec<Proxy>,
    pub list: Vec<Listed>,
    /// The list's and the keys' memory while pairs are sought.
    spare: Vec<Listed>,
    keys: Vec<u64>,
    tree: Tree,
    /// Planes.
    unbounded: Vec<u32>,
    /// Numbers of proxies that were removed, to be used again.
    free: Vec<u32>,
    /// Bodies that are not to meet, the smaller number first.
    ignored: HashSet<[u32; 2]>,
    /// How far each body may go in this step.
    pub margins: Vec<f64>,
    /// How they move.
    pub trajectories: Vec<Trajectory>,
    /// Whether pairs have to be sought anew.
    changed: bool,
    /// How many steps have been made.
    step: u64,
}

impl Pair {
    fn new(proxies: [u32; 2], bodies: [u32; 2]) -> Pair {
        Pair {
            proxies,
            bodies,
            points: Vec::new(),
            contacts: Vec::new(),
            lower: f64::NEG_INFINITY,
            travel: 0.0,
            margin: 0.0,
            warm: None,
            near: Near::default(),
            triangles: TrianglePairs::default(),
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
    pub fn moved(&self, a: &BodyState, b: &BodyState) -> f64 {
        let turned = self.turn.conjugate() * (b.rotation.conjugate() * a.rotation);
        self.place.distance(b.local(a.center)) + 2.0 * turned.xyz().length() * a.reach
    }

    /// Whether the bodies have hardly moved against each other since the points were found; directions then turn with them.
    fn keeps_points(&mut self, a: &BodyState, b: &BodyState, margin: f64) -> bool {
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
    fn find(&mut self, proxies: &[Proxy], bodies: &[BodyState], margin: f64, closely: bool) -> Result<(), SimError> {
        let [a, b] = self.bodies.map(|body| &bodies[body as usize]);
        let [on_a, on_b] = self.proxies.map(|proxy| &proxies[proxy as usize]);
        let (on_a, on_b) = (on_a.placed(a), on_b.placed(b));
        self.travel = a.travelled + b.travelled;
        if on_b.proxy.is_smooth() {
            let gap = on_a.origin.distance(on_b.origin) - on_a.radius() - on_b.radius();
            if gap > margin + SLOP {
                self.lower = gap;
                self.points.clear();
                return Ok(());
            }
        }
        if let (true, Geometry::Mesh(mesh)) = (on_a.proxy.is_smooth(), &on_b.proxy.geometry)
            && self.near.reaches(self.travel) < margin + SLOP
        {
            let ahead = AHEAD.0[usize::from(self.points.is_empty())] * margin + AHEAD.1 * on_a.radius();
            self.near.list(&on_a, &on_b, mesh, margin + SLOP + ahead, self.travel);
        }
        let meshes = Meshes::of(on_a.proxy, on_b.proxy);
        if let Some(meshes) = &meshes
            // Not known either if a plane has turned.
            && self.triangles.reaches(self.travel).partial_cmp(&(margin + SLOP)).is_none_or(Ordering::is_lt)
        {
            let ahead = margin.min(AHEAD.1 * on_a.radius().min(on_b.radius()));
            self.triangles.list(&on_a, &on_b, meshes, margin + SLOP + ahead, self.travel);
        }
        if let Some(meshes) = &meshes {
            self.triangles.refresh(&on_a, &on_b, meshes, margin + SLOP);
        }
        let known = self.near.reaches(self.travel);
        let sought = Sought { margin: margin + SLOP, near: self.near.triangles(), known, closely };
        let of_meshes =
            meshes.and_then(|meshes| self.triangles.find(&on_a, &on_b, &meshes, margin + SLOP, self.travel));
        let Found { lower, warm, mut points } = match of_meshes {
            Some(found) => found,
            None => find(&on_a, &on_b, self.warm, &sought)?,
        };
        inherit(&mut points, &self.points, on_a.radius());
        (self.lower, self.margin, self.warm, self.points) = (lower, margin + SLOP, warm, points);
        (self.place, self.turn, self.rotation) = (b.local(a.center), b.rotation.conjugate() * a.rotation, b.rotation);
        Ok(())
    }
}

impl Pairs {
    /// Adds proxies of a body, and returns their numbers.
    pub fn add(&mut self, body: &BodyState, proxies: Vec<Proxy>) -> Result<Vec<u32>, SimError> {
        let mut numbers = Vec::with_capacity(proxies.len());
        for mut proxy in proxies {
            let index = self.free.last().copied().unwrap_or(self.proxies.len() as u32);
            if proxy.radius.is_finite() {
                proxy.fat = proxy.grown_box(body, FATTENING * proxy.radius);
                proxy.leaf = Some(self.tree.insert(&proxy.fat, index).map_err(superegg_world::WorldError::from)?);
            } else {
                self.unbounded.push(index);
            }
            match self.free.pop() {
                Some(_) => self.proxies[index as usize] = proxy,
                None => self.proxies.push(proxy),
            }
            numbers.push(index);
        }
        self.changed = true;
        Ok(numbers)
    }

    /// Removes proxies and all that is known of their pairs.
    pub fn remove(&mut self, numbers: &[u32]) {
        for &number in numbers {
            let proxy = &mut self.proxies[number as usize];
            if let Some(leaf) = proxy.leaf.take() {
                // A leaf that was given out is there.
                let _ = self.tree.remove(leaf);
            }
            // Bounds without a leaf: nothing finds it.
            proxy.radius = 0.0;
            proxy.dead = true;
            self.free.push(number);
        }
        self.unbounded.retain(|plane| !numbers.contains(plane));
        self.list.retain(|listed| !listed.pair.proxies.iter().any(|proxy| numbers.contains(proxy)));
        self.changed = true;
    }

    /// Forgets what is known of the pairs of a body that was put elsewhere.
    pub fn forget(&mut self, body: u32) {
        self.list.retain(|listed| !listed.bodies.contains(&body));
        self.changed = true;
    }

    /// Lets a body meet all others again.
    pub fn meet_all(&mut self, body: u32) {
        self.ignored.retain(|pair| !pair.contains(&body));
    }

    /// Takes over where a body is that was put elsewhere.
    pub fn refit(&mut self, body: u32, state: &BodyState) -> Result<(), SimError> {
        for proxy in self.proxies.iter_mut().filter(|proxy| proxy.body == body && !proxy.dead) {
            if let Some(leaf) = proxy.leaf {
                proxy.fat = proxy.grown_box(state, FATTENING * proxy.radius);
                self.tree.set(leaf, &proxy.fat).map_err(superegg_world::WorldError::from)?;
            }
        }
        self.changed = true;
        Ok(())
    }

    /// Says whether two bodies meet.
    pub fn set_meeting(&mut self, a: u32, b: u32, meet: bool) {
        let key = [a.min(b), a.max(b)];
        if meet {
            self.ignored.remove(&key);
        } else {
            self.ignored.insert(key);
        }
        self.changed = true;
    }

    /// Finds the pairs that may touch within a step, `gain` being the speed that bodies may gain in it; `spurred` are those
    /// that joints may drive.
    pub fn gather(
        &mut self,
        bodies: &[BodyState],
        spurred: &[bool],
        dt: f64,
        gain: f64,
        threads: Threads,
    ) -> Result<(), SimError> {
        let margin = |(body, &spurred): (&BodyState, &bool)| {
            let way = if body.is_moving() { (body.speed() + gain) * dt } else { 0.0 };
            0.5 * SKIN + if spurred { way * (1.0 + SPURRED.0) + SPURRED.1 } else { way }
        };
        let shared = threads == Threads::All && bodies.len() >= 2 * MANY;
        if shared {
            bodies.par_iter().with_min_len(MANY).map(Trajectory::of).collect_into_vec(&mut self.trajectories);
            bodies.par_iter().zip(spurred).with_min_len(MANY).map(margin).collect_into_vec(&mut self.margins);
        } else {
            self.trajectories.clear();
            self.trajectories.extend(bodies.iter().map(Trajectory::of));
            self.margins.clear();
            self.margins.extend(bodies.iter().zip(spurred).map(margin));
        }
        self.make_way(bodies, dt);
        let margins = &self.margins;
        // The new box in the tree of what may leave its old one.
        let leaves = |proxy: &mut Proxy| {
            let body = &bodies[proxy.body as usize];
            let leaf = proxy.leaf.filter(|_| body.is_moving())?;
            let margin = margins[proxy.body as usize] + SLOP;
            let needed = proxy.grown_box(body, margin);
            let outgrown = needed.min.cmplt(proxy.fat.min).any() || needed.max.cmpgt(proxy.fat.max).any();
            outgrown.then(|| {
                proxy.fat = proxy.grown_box(body, margin + FATTENING * proxy.radius);
                (leaf, proxy.fat)
            })
        };
        let moved: Vec<(Leaf, Aabb)> = match shared {
            true => self.proxies.par_iter_mut().with_min_len(MANY).filter_map(leaves).collect(),
            false => self.proxies.iter_mut().filter_map(leaves).collect(),
        };
        self.tree.set_all(&moved).map_err(superegg_world::WorldError::from)?;
        self.changed |= !moved.is_empty();
        if std::mem::take(&mut self.changed) {
            self.seek(bodies, shared);
        }
        self.step += 1;
        Ok(())
    }

    /// Lets dynamic bodies go as far as kinematic ones may push them, directly or through others: what moves by itself cannot be
    /// held back, and must not run into what is not allowed to give way.
    fn make_way(&mut self, bodies: &[BodyState], dt: f64) {
        let drives = |body: &BodyState| !body.is_dynamic() && body.is_moving();
        if !bodies.iter().any(drives) {
            return;
        }
        let mut ways: Vec<f64> =
            bodies.iter().map(|body| if drives(body) { PUSHED * body.speed() * dt } else { 0.0 }).collect();
        for _ in 0..CHAIN {
            let mut changed = false;
            for [a, b] in self.list.iter().map(|listed| listed.bodies.map(|body| body as usize)) {
                for (from, to) in [(a, b), (b, a)] {
                    if bodies[to].is_dynamic() && ways[to] < ways[from] {
                        (ways[to], changed) = (ways[from], true);
                    }
                }
            }
            if !changed {
                break;
            }
        }
        for ((margin, way), body) in self.margins.iter_mut().zip(ways).zip(bodies) {
            if body.is_dynamic() && body.is_moving() && way.is_finite() {
                *margin += way;
            }
        }
    }

    /// Lists the pairs whose boxes overlap, keeping what is known of them.
    fn seek(&mut self, bodies: &[BodyState], shared: bool) {
        let mut keys = std::mem::take(&mut self.keys);
        keys.clear();
        let Pairs { proxies, ignored, .. } = &*self;
        let key_of = |i: u32, j: u32| {
            let (one, other) = (&proxies[i as usize], &proxies[j as usize]);
            let dynamic = bodies[one.body as usize].is_dynamic() || bodies[other.body as usize].is_dynamic();
            let apart = one.body == other.body;
            let key = [one.body.min(other.body), one.body.max(other.body)];
            let meet = one.groups.meets(other.groups) && (ignored.is_empty() || !ignored.contains(&key));
            (dynamic && !apart && meet).then(|| {
                let in_order = match (one.is_smooth(), other.is_smooth()) {
                    (true, true) => i < j,
                    (false, false) if one.is_mesh() && other.is_mesh() => i < j,
                    (first, false) => first || one.is_mesh(),
                    (false, true) => false,
                };
                let [first, second] = if in_order { [i, j] } else { [j, i] };
                u64::from(first) << 32 | u64::from(second)
            })
        };
        match shared {
            true => keys.extend(self.tree.map_pairs(key_of)),
            false => self.tree.for_each_pair(|i, j| keys.extend(key_of(i, j))),
        }
        for &plane in &self.unbounded {
            let bounded = |i: &u32| proxies[*i as usize].radius.is_finite() && !proxies[*i as usize].dead;
            keys.extend((0..proxies.len() as u32).filter(bounded).filter_map(|index| key_of(index, plane)));
        }
        self.tree.maintain();
        match shared {
            true => keys.par_sort_unstable(),
            false => keys.sort_unstable(),
        }
        std::mem::swap(&mut self.list, &mut self.spare);
        let mut old = self.spare.drain(..).peekable();
        for &key in &keys {
            while old.next_if(|pair| pair.key < key).is_some() {}
            let known = old.next_if(|pair| pair.key == key);
            self.list.push(known.unwrap_or_else(|| Listed::new(key, &self.proxies)));
        }
        drop(old);
        self.keys = keys;
    }

    /// Decides what all pairs do in a step, of substeps no longer than `h`, and finds the points of those that may meet at once
    /// and were not asked in this step.
    pub fn ask(&mut self, bodies: &[BodyState], h: f64, threads: Threads) -> Result<(), SimError> {
        let Pairs { proxies, margins, trajectories, list, step, .. } = self;
        let known = Known { proxies, bodies, trajectories, margins };
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
        bodies: &[BodyState],
        left: impl Fn(u32) -> f64 + Sync,
        h: f64,
        threads: Threads,
    ) -> Result<(), SimError> {
        let Pairs { proxies, margins, trajectories, list, .. } = self;
        let known = Known { proxies, bodies, trajectories, margins };
        let work = |listed: &mut Listed| {
            let [a, b] = listed.bodies;
            listed.find(&known, listed.margin(known.trajectories, left(a) + left(b), h), true)
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
