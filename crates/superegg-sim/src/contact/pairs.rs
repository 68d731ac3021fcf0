//! Surfaces against themselves and each other: vertices are kept on their side of faces, edges on their side of edges.
//!
//! All pairs of features that may come within their separation while everything moves on as it does now are listed by the
//! [`Tree`], for a time that is one step or, when things move slowly, many. The list holds until that time is over or some
//! vertex ends a substep off its straight course by half the [`SLACK`]; a cloth at rest or in free flight is not searched at
//! all. So features can pass through each other unseen only if they approach by more than their separation and half the
//! slack, beyond what their velocities foretold, within one substep.
//!
//! In every substep a pair is kept on the side where it was when the substep began: at its separation, or where it already
//! was closer, no closer. So every push is a projection onto a half-space that holds the state at the beginning of the
//! substep, and none adds to the kinetic energy, however many there are and in whatever order; a slow recovery of what is too
//! close gives no velocity. Where the sides have changed, continuous detection ([`superegg_mesh::ccd::elementary`]) tells
//! whether the features went through each other or round each other. After all other constraints the same question is asked
//! once more, and vertices of features that did go through each other are put back to where the substep began, held ones too,
//! until none are left: each substep starts and ends without intersections.
//!
//! A listed pair is looked at only when its particles may have strayed far enough since it was listed to bring it within its
//! separation, which for most pairs takes the comparison of a few lengths.

use glam::DVec3;

use super::features::{EdgeEdge, Features, VertexFace};
use super::tree::Tree;
use crate::Particles;
use crate::world::Part;

/// Distance beyond the foreseen at which features are listed, as a part of the mean edge.
const SLACK: f64 = 0.15;
/// A particle that a substep takes off its course may go this many times as far.
const SURPRISE: f64 = 1.5;
/// Most steps for which a list may hold.
const LONGEST: f64 = 100.0;
/// Rate at which features that are too close are let apart: by this part of what is missing in a second. Faster, and it
/// fights with what presses them together.
const RECOVERY: f64 = 8.0;
/// Particles in contact that get along more slowly than this, in metres a second, come to a halt.
const STILL: f64 = 0.05;
/// How often contacts are gone through in a substep, the first time all that may be near, then those that were.
const PASSES: usize = 3;
/// Pairs within this many separations are looked at again.
const NEARBY: f64 = 1.25;

/// Two features that are near each other.
#[derive(Clone, Copy, Debug)]
struct Pair {
    particles: [u32; 4],
    /// How far apart they were when they were listed, or a little less.
    distance: f32,
    separation: f32,
    friction: f32,
}

impl Pair {
    /// Whether features that may have strayed this far since they were listed may be within a distance now.
    #[inline(always)]
    fn may_be_within<F: Features>(&self, distance: f32, strayed: &[f32]) -> bool {
        let own = self.particles.map(|p| strayed[p as usize]);
        let (one, other) = own.split_at(F::FIRST);
        let most = |values: &[f32]| values.iter().copied().fold(0.0, f32::max);
        self.distance - most(one) - most(other) <= distance
    }
}

/// Features that are near each other, remembered from substep to substep.
#[derive(Clone, Debug, Default)]
pub(crate) struct SelfContacts {
    tree: Option<Tree>,
    vertex_face: Vec<Pair>,
    edge_edge: Vec<Pair>,
    /// Where the particles were when the pairs were listed, how they moved, how long ago, for how long it holds, and how far
    /// each may be off.
    origin: Vec<DVec3>,
    velocity: Vec<DVec3>,
    age: f64,
    horizon: f64,
    allowance: Vec<f64>,
    /// Mean velocity when the pairs were listed, and how far each particle is from where that would have taken it.
    drift: DVec3,
    strayed: Vec<f32>,
    /// Those pairs that are looked at again.
    near_faces: Vec<u32>,
    near_edges: Vec<u32>,
    /// Where the particles were when the step began, and whether contacts pushed them since.
    began: Vec<DVec3>,
    pushed: Vec<bool>,
}

impl SelfContacts {
    /// Forgets everything.
    pub fn forget(&mut self) {
        *self = SelfContacts::default();
    }

    /// Notes where a step begins.
    pub fn begin_step(&mut self, parts: &[Part], particles: &Particles) {
        self.pushed.clear();
        if parts.iter().any(|part| part.surface.separation.is_some()) {
            self.began.clone_from(&particles.position);
            self.pushed.resize(particles.len(), false);
        }
    }

    /// Lets particles that contacts pushed keep no more velocity than brought them somewhere in a whole step of length `dt`.
    /// Pressed between contacts and strained edges they tremble from substep to substep; this brings them to rest.
    pub fn end_step(&self, particles: &mut Particles, dt: f64) {
        let Particles { position, velocity, .. } = particles;
        for (p, _) in self.pushed.iter().enumerate().filter(|(_, pushed)| **pushed) {
            let mean = (position[p] - self.began[p]) / dt;
            let speed = mean.length();
            if speed < velocity[p].length() {
                velocity[p] = mean * (speed / STILL).min(1.0);
            }
        }
    }

    /// Makes sure that the list holds for a substep of length `h` from `previous`; steps last `dt`.
    pub fn detect(&mut self, parts: &[Part], particles: &Particles, h: f64, dt: f64) {
        let asking = || parts.iter().filter(|part| part.surface.separation.is_some());
        if asking().next().is_none() {
            return;
        }
        let known = self.origin.len() == particles.len() && self.age + h <= self.horizon;
        if known && self.holds(asking().map(|part| part.surface.particles.clone()), particles, h) {
            self.age += h;
            return;
        }
        let tree = self.tree.get_or_insert_with(|| Tree::new(parts, particles.len()));
        let slack = SLACK * asking().map(|part| part.surface.edge_length).fold(f64::INFINITY, f64::min);
        let thickest = asking().filter_map(|part| part.surface.separation).fold(0.0, f64::max);
        let range = || asking().flat_map(|part| part.surface.particles.clone());
        self.age = h;
        let fastest;
        (self.drift, fastest) = mean_and_fastest(range, &particles.velocity);
        self.horizon = (slack / fastest).clamp(dt, LONGEST * dt);
        self.origin.clone_from(&particles.previous);
        self.velocity.clone_from(&particles.velocity);
        // Those that this substep would take elsewhere, as hands do and strained edges, whether or not contacts let them, are
        // allowed to go there.
        let least = 0.5 * slack;
        let ways = particles.position.iter().zip(&particles.previous).zip(&particles.velocity);
        self.allowance.clear();
        self.allowance.extend(ways.map(|((&position, &previous), &velocity)| {
            least.max(SURPRISE * position.distance(previous + velocity * h))
        }));
        let (start, horizon) = (&self.origin, self.horizon);
        tree.refit(start, &self.velocity, horizon, &self.allowance, 0.5 * thickest);
        let (vertex_face, edge_edge) = (&mut self.vertex_face, &mut self.edge_edge);
        vertex_face.clear();
        edge_edge.clear();
        tree.for_each_pair(|a, b, approach| {
            let separation = 0.5 * (a.separation + b.separation);
            let friction = (a.friction * b.friction).sqrt();
            let limit = separation + approach;
            let pair = |particles: [u32; 4], distance_sq: f64| Pair {
                particles,
                distance: round_down(distance_sq.sqrt()),
                separation: separation as f32,
                friction: friction as f32,
            };
            for (one, other) in [(a, b), (b, a)] {
                let [p, q, r] = other.corners;
                let corners = other.corners.map(|p| start[p as usize]);
                let (low, high) =
                    (corners[0].min(corners[1]).min(corners[2]), corners[0].max(corners[1]).max(corners[2]));
                for v in one.owned_corners().filter(|v| !other.corners.contains(v)) {
                    let place_v = start[v as usize];
                    if place_v.cmplt(low - limit).any() || place_v.cmpgt(high + limit).any() {
                        continue;
                    }
                    let distance_sq = VertexFace::distance_sq(&[place_v, corners[0], corners[1], corners[2]]);
                    if distance_sq < limit * limit {
                        vertex_face.push(pair([v, p, q, r], distance_sq));
                    }
                }
            }
            for [p, q] in a.owned_edges() {
                for [r, s] in b.owned_edges() {
                    let own = [p, q, r, s];
                    if p == r || p == s || q == r || q == s {
                        continue;
                    }
                    let points = own.map(|p| start[p as usize]);
                    let [pa, pb, pc, pd] = points;
                    let apart =
                        pa.min(pb).cmpgt(pc.max(pd) + limit).any() || pa.max(pb).cmplt(pc.min(pd) - limit).any();
                    if apart {
                        continue;
                    }
                    let distance_sq = EdgeEdge::distance_sq(&points);
                    if distance_sq < limit * limit {
                        edge_edge.push(pair(own, distance_sq));
                    }
                }
            }
        });
    }

    /// Whether all particles are where they were expected, and go there in the running substep.
    fn holds(&self, ranges: impl Iterator<Item = std::ops::Range<usize>>, particles: &Particles, h: f64) -> bool {
        let mut holds = true;
        for p in ranges.flatten() {
            let (origin, velocity) = (self.origin[p], self.velocity[p]);
            let begin = particles.previous[p].distance_squared(origin + velocity * self.age);
            let end = particles.position[p].distance_squared(origin + velocity * (self.age + h));
            let allowance = self.allowance[p];
            holds &= begin.max(end) <= allowance * allowance;
        }
        holds
    }

    /// Notes how far each particle has strayed at most, anywhere on its way through the running substep.
    fn stray(&mut self, particles: &Particles, h: f64) {
        let (begin, end) = (self.drift * (self.age - h), self.drift * self.age);
        self.strayed.resize(particles.len(), 0.0);
        let ways = particles.previous.iter().zip(&particles.position).zip(&self.origin);
        for (strayed, ((previous, position), origin)) in self.strayed.iter_mut().zip(ways) {
            let before = (*previous - *origin - begin).length_squared();
            let after = (*position - *origin - end).length_squared();
            *strayed = round_up(before.max(after).sqrt());
        }
    }

    /// Pushes apart what is too close; how many pairs were.
    pub fn project(&mut self, particles: &mut Particles, h: f64) -> usize {
        if self.vertex_face.is_empty() && self.edge_edge.is_empty() {
            return 0;
        }
        self.stray(particles, h);
        let mut count = 0;
        let pushed = &mut self.pushed;
        find_near::<VertexFace>(&self.vertex_face, &self.strayed, &mut self.near_faces, |pair| {
            let found = hold_apart::<VertexFace>(pair, particles, RECOVERY * h);
            count += note_push(pair, found, pushed);
            found != Found::Far
        });
        find_near::<EdgeEdge>(&self.edge_edge, &self.strayed, &mut self.near_edges, |pair| {
            let found = hold_apart::<EdgeEdge>(pair, particles, RECOVERY * h);
            count += note_push(pair, found, pushed);
            found != Found::Far
        });
        for _ in 1..PASSES {
            for &near in &self.near_faces {
                hold_apart::<VertexFace>(&self.vertex_face[near as usize], particles, 0.0);
            }
            for &near in &self.near_edges {
                hold_apart::<EdgeEdge>(&self.edge_edge[near as usize], particles, 0.0);
            }
        }
        count
    }

    /// Undoes what is left of features going through each other.
    pub fn put_back(&mut self, particles: &mut Particles, h: f64) {
        if self.vertex_face.is_empty() && self.edge_edge.is_empty() {
            return;
        }
        self.stray(particles, h);
        let mut any = false;
        // Features that meet on the way come within no distance at all; and nobody strays farther by being put back.
        find_meeting::<VertexFace>(&self.vertex_face, &self.strayed, &mut self.near_faces);
        find_meeting::<EdgeEdge>(&self.edge_edge, &self.strayed, &mut self.near_edges);
        for _ in 0..ROUNDS {
            any = false;
            for &near in &self.near_faces {
                any |= put_back::<VertexFace>(&self.vertex_face[near as usize], particles, &mut self.pushed);
            }
            for &near in &self.near_edges {
                any |= put_back::<EdgeEdge>(&self.edge_edge[near as usize], particles, &mut self.pushed);
            }
            if !any {
                return;
            }
        }
        if any {
            // Nothing moves at all: the state at the beginning is known to be good.
            let Particles { position, previous, recovered, .. } = particles;
            position.copy_from_slice(previous);
            recovered.fill(DVec3::ZERO);
        }
    }
}

/// Most rounds of putting back. Each puts more vertices back; whole layers may have to follow one.
const ROUNDS: usize = 30;

/// Single precision, towards zero.
fn round_down(length: f64) -> f32 {
    (length * (1.0 - 1e-6)) as f32
}

/// Single precision, away from zero.
fn round_up(length: f64) -> f32 {
    (length * (1.0 + 1e-6)) as f32
}

/// The mean velocity and the largest speed against it.
fn mean_and_fastest<I: Iterator<Item = usize>>(range: impl Fn() -> I, velocity: &[DVec3]) -> (DVec3, f64) {
    let (sum, count) = range().fold((DVec3::ZERO, 0.0), |(sum, count), p| (sum + velocity[p], count + 1.0));
    let mean = sum / f64::max(count, 1.0);
    (mean, range().map(|p| velocity[p].distance_squared(mean)).fold(0.0, f64::max).sqrt())
}

/// Lists the pairs that may be within their separation and that a closer look does not find far.
#[inline]
fn find_near<F: Features>(pairs: &[Pair], strayed: &[f32], near: &mut Vec<u32>, mut look: impl FnMut(&Pair) -> bool) {
    near.clear();
    for (index, pair) in (0u32..).zip(pairs) {
        if pair.may_be_within::<F>(pair.separation, strayed) && look(pair) {
            near.push(index);
        }
    }
}

/// Lists the pairs that may meet on their way.
fn find_meeting<F: Features>(pairs: &[Pair], strayed: &[f32], near: &mut Vec<u32>) {
    near.clear();
    let meeting = |(_, pair): &(u32, &Pair)| pair.may_be_within::<F>(0.0, strayed);
    near.extend((0u32..).zip(pairs).filter(meeting).map(|(index, _)| index));
}

fn sign(height: f64) -> f64 {
    if height >= 0.0 { 1.0 } else { -1.0 }
}

/// A push that holds two features apart: along a unit normal, with weights of their points.
struct Push {
    unit: DVec3,
    weights: [f64; 4],
}

/// What a closer look at a pair found.
#[derive(Clone, Copy, PartialEq)]
enum Found {
    Far,
    Near,
    Pushed,
}

/// Notes the particles of a pair that was pushed; how many pairs it is.
fn note_push(pair: &Pair, found: Found, pushed: &mut [bool]) -> usize {
    if found != Found::Pushed {
        return 0;
    }
    for p in pair.particles {
        pushed[p as usize] = true;
    }
    1
}

/// Pushes two features apart if they are too close; what they already missed before comes back by a part of it.
fn hold_apart<F: Features>(pair: &Pair, particles: &mut Particles, recovery: f64) -> Found {
    let Particles { position, previous, recovered, inverse_mass, .. } = particles;
    let own = pair.particles.map(|p| p as usize);
    let points = own.map(|p| position[p]);
    let normal = F::normal(&points);
    let height = F::between(&points).dot(normal);
    let separation = f64::from(pair.separation);
    let before = own.map(|p| previous[p]);
    let normal_before = F::normal(&before);
    let was = sign(F::between(&before).dot(normal_before));
    if sign(height) == was && height * height > (NEARBY * separation).powi(2) * normal.length_squared() {
        return Found::Far;
    }
    let Some(Push { unit, weights }) = judge::<F>(&before, &points, normal_before * was, normal * was) else {
        return Found::Far;
    };
    let apart = combine(&points, weights).dot(unit);
    // The height of the same two points before the substep: it bounds what may be asked for now.
    let held = separation.min(combine(&before, weights).dot(unit));
    let wanted = held + (separation - held) * recovery;
    let weight: f64 = own.iter().zip(weights).map(|(&p, w)| inverse_mass[p] * w * w).sum();
    if apart >= wanted || weight <= 0.0 {
        return Found::Near;
    }
    // Friction: against the way that one feature makes along the other, by what presses them together.
    let way = combine(&points, weights) - combine(&before, weights);
    let slip = way - unit * way.dot(unit);
    let slipped = slip.length();
    let pressed = (held - apart).max(0.0);
    let allowed = f64::from(pair.friction) * pressed;
    let hold = if slipped > 0.0 { slip * (allowed / slipped).min(1.0) } else { DVec3::ZERO };
    let push = unit * (wanted - apart) - hold;
    let freed = unit * (wanted - apart - pressed);
    for (&p, w) in own.iter().zip(weights) {
        let part = inverse_mass[p] * w / weight;
        position[p] += push * part;
        recovered[p] += freed * part;
    }
    Found::Pushed
}

fn combine(points: &[DVec3; 4], weights: [f64; 4]) -> DVec3 {
    points[0] * weights[0] + points[1] * weights[1] + points[2] * weights[2] + points[3] * weights[3]
}

/// How to push features to the side on which they were, by normals that point to that side; `None` when they pass beside
/// each other.
fn judge<F: Features>(before: &[DVec3; 4], points: &[DVec3; 4], was: DVec3, now: DVec3) -> Option<Push> {
    if F::between(points).dot(now) >= 0.0 {
        let unit = now.try_normalize()?;
        return F::crossing(points, now).map(|weights| Push { unit, weights });
    }
    let time = F::meet(before, points)?;
    let meeting: [DVec3; 4] = std::array::from_fn(|i| before[i].lerp(points[i], time));
    let weights = F::crossing(before, was).or_else(|| F::crossing(&meeting, F::normal(&meeting)))?;
    Some(Push { unit: was.try_normalize()?, weights })
}

/// Puts the particles of features that went through each other back to where the substep began; whether they had moved.
fn put_back<F: Features>(pair: &Pair, particles: &mut Particles, pushed: &mut [bool]) -> bool {
    let Particles { position, previous, recovered, .. } = particles;
    let own = pair.particles.map(|p| p as usize);
    let (before, points) = (own.map(|p| previous[p]), own.map(|p| position[p]));
    if stay_apart::<F>(&before, &points) || F::meet(&before, &points).is_none() {
        return false;
    }
    let mut any = false;
    for p in own {
        any |= position[p] != previous[p];
        position[p] = previous[p];
        recovered[p] = DVec3::ZERO;
        pushed[p] = true;
    }
    any
}

/// Whether some direction separates two features all the way: one that does so at both ends does so in between, since every
/// point goes straight. Tried are the axes and the features' normals; sides alone would not do, because features can go
/// through each other and change sides again beside each other.
fn stay_apart<F: Features>(before: &[DVec3; 4], points: &[DVec3; 4]) -> bool {
    let swept = |own: std::ops::Range<usize>| {
        let nothing = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        own.fold(nothing, |(low, high), i| (low.min(before[i]).min(points[i]), high.max(before[i]).max(points[i])))
    };
    let ((low, high), (floor, ceiling)) = (swept(0..F::FIRST), swept(F::FIRST..4));
    if low.cmpgt(ceiling).any() || high.cmplt(floor).any() {
        return true;
    }
    let separated = |axis: DVec3| {
        let range = |points: &[DVec3; 4], own: std::ops::Range<usize>| {
            let along = points[own].iter().map(|p| (*p - before[0]).dot(axis));
            along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
        };
        let [(a, b), (c, d)] = [before, points].map(|points| {
            let ((a, b), (c, d)) = (range(points, 0..F::FIRST), range(points, F::FIRST..4));
            (a - d, c - b)
        });
        // Farther apart than rounding reaches.
        let least = 1e-12 * axis.length();
        (a > least && c > least) || (b > least && d > least)
    };
    separated(F::normal(before)) || separated(F::normal(points))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A vertex that goes through a face and then round its plane beside it is on the side where it was: sides told nothing,
    /// and cloth was left pierced.
    #[test]
    fn a_crossing_that_leaves_the_sides_alone_is_seen() {
        let mut random = fastrand::Rng::with_seed(5);
        let (mut hidden, mut plain) = (0, 0);
        for _ in 0..200_000 {
            let mut place = || DVec3::new(random.f64(), random.f64(), random.f64());
            let before: [DVec3; 4] = std::array::from_fn(|_| place());
            let after: [DVec3; 4] = std::array::from_fn(|_| place());
            let side = |points: &[DVec3; 4]| VertexFace::between(points).dot(VertexFace::normal(points)) >= 0.0;
            let meets = VertexFace::meet(&before, &after).is_some();
            hidden += usize::from(meets && side(&before) == side(&after));
            plain += usize::from(meets);
            assert!(!(meets && stay_apart::<VertexFace>(&before, &after)));
            let meets = EdgeEdge::meet(&before, &after).is_some();
            assert!(!(meets && stay_apart::<EdgeEdge>(&before, &after)));
        }
        assert!(hidden > 100 && plain > hidden, "{hidden} of {plain}");
    }

    #[test]
    fn pairs_are_skipped_only_while_they_cannot_meet() {
        let pair = Pair { particles: [0, 1, 2, 3], distance: 0.1, separation: 0.02, friction: 0.0 };
        let strayed = |by: [f32; 4], within: f32| pair.may_be_within::<EdgeEdge>(within, &by);
        assert!(!strayed([0.03, 0.01, 0.04, 0.0], 0.02));
        assert!(strayed([0.03, 0.01, 0.05, 0.0], 0.02));
        assert!(!strayed([0.05, 0.05, 0.04, 0.04], 0.0), "two particles of one edge do not add up");
        assert!(pair.may_be_within::<VertexFace>(0.0, &[0.05, 0.05, 0.0, 0.0]));
    }
}
