//! Surfaces against themselves and each other: vertices are kept on their side of faces, edges on their side of edges.
//!
//! All pairs of features that may come within their separation while everything moves on as it does now are listed by the
//! [`Tree`], for a time that is one step or, when things move slowly, many. The list holds until that time is over or some
//! vertex ends a substep off its straight course by half the [`SLACK`]; a cloth at rest or in free flight is not searched at
//! all. So features can pass through each other unseen only if they approach by more than their separation and half the
//! slack, beyond what their velocities foretold, within one substep.
//!
//! In every substep a pair is kept on the side where it was when the substep began: at its separation, or where it already
//! was closer, no closer; a slow and gentle recovery of what is too close gives no velocity. The pairs become rows that are
//! solved together with those of the bodies ([`super::rows`]). Where the sides have changed, continuous detection
//! ([`superegg_mesh::ccd::elementary`]) tells whether the features went through each other or round each other. After all
//! other constraints the same question is asked once more, and vertices of features that did go through each other are put
//! back to where the substep began, held ones too, until none are left: each substep starts and ends without intersections.
//!
//! A listed pair is looked at only when its particles may have strayed far enough since it was listed to bring it within its
//! separation, which for most pairs takes the comparison of a few lengths.

use glam::DVec3;

use super::features::{EdgeEdge, Features, VertexFace};
use super::rows::Row;
use super::tree::Tree;
use super::undo::put_back;
use crate::Particles;
use crate::constraint::pin::Pin;
use crate::surface::Friction;
use crate::world::Part;

/// Distance beyond the foreseen at which features are listed, as a part of the mean edge.
const SLACK: f64 = 0.15;
/// A particle that a substep takes off its course may go this many times as far.
const SURPRISE: f64 = 1.5;
/// Most steps for which a list may hold.
const LONGEST: f64 = 100.0;
/// Rate at which features that are too close are let apart: by this part of what is missing in a second.
const RECOVERY: f64 = 2.0;
/// And the acceleration with which they are pushed for that, in m/s²: it lifts a few layers, and does not fight with what
/// presses them together.
const GENTLE: f64 = 20.0;
/// Particles in contact that get along more slowly than this, in metres a second, lose speed.
const SLOW: f64 = 0.05;
/// Particles in contact that an acceleration below this, in m/s², would have brought where a step took them, stay.
const STILL: f64 = 0.5;
/// Pairs within this many separations are looked at again.
const NEARBY: f64 = 1.25;

/// Two features that are near each other.
#[derive(Clone, Copy, Debug)]
struct Pair {
    particles: [u32; 4],
    /// How far apart they were when they were listed, or a little less.
    distance: f32,
    separation: f32,
    /// Static and sliding.
    friction: [f32; 2],
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

/// Whether a particle keeps turning back.
#[derive(Clone, Copy, Debug, Default)]
struct Tremor {
    /// The way that the last step took it.
    way: DVec3,
    /// Grows when it turns back, fades otherwise.
    restless: u8,
}

impl Tremor {
    /// Notes the way of a step; whether it turned back at every other step of late, or more often.
    fn feel(&mut self, way: DVec3) -> bool {
        let turned = way.dot(self.way) < 0.0;
        self.way = way;
        self.restless = if turned { (self.restless + 4).min(12) } else { self.restless.saturating_sub(2) };
        self.restless >= 8
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
    rows: Vec<Row<4>>,
    /// How easily contacts move each particle.
    mobility: Vec<f64>,
    /// Those pairs that may meet in the running substep.
    near_faces: Vec<u32>,
    near_edges: Vec<u32>,
    /// Where the particles were when the step began, whether contacts pushed them since, and how they tremble.
    began: Vec<DVec3>,
    pushed: Vec<bool>,
    tremor: Vec<Tremor>,
    /// Scratch: particles that come to rest.
    resting: Vec<u32>,
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
            self.tremor.resize(particles.len(), Tremor::default());
            self.pushed.resize(particles.len(), false);
        }
    }

    /// Brings particles to rest that contacts pushed and that hardly got along in a step of length `dt`, unless they `may`
    /// not. Pressed between contacts and strained edges they tremble from substep to substep and creep from step to step,
    /// because a substep does not solve everything: so they stay where the step began (as in Macklin et al. 2014, "Unified
    /// particle physics", section 4.5), and those that keep turning back go a tenth of their way. That may not lead through
    /// other cloth.
    pub fn end_step(&mut self, particles: &mut Particles, dt: f64, may: impl Fn(usize) -> bool) {
        if self.pushed.is_empty() {
            return;
        }
        let Particles { position, previous, velocity, inverse_mass, .. } = &mut *particles;
        previous.copy_from_slice(position);
        let still = STILL * dt * dt;
        self.resting.clear();
        // Their neighbours, too, whose edges would go on pulling at them.
        let pushed = self.pushed.clone();
        for face in self.tree.iter().flat_map(|tree| &tree.faces) {
            if face.corners.iter().any(|&p| pushed[p as usize]) {
                face.corners.iter().for_each(|&p| self.pushed[p as usize] = true);
            }
        }
        for p in (0..self.pushed.len()).filter(|&p| self.pushed[p] && inverse_mass[p] > 0.0) {
            let way = position[p] - self.began[p];
            let speed = way.length() / dt;
            if speed < velocity[p].length() {
                velocity[p] = way / dt * (speed / SLOW).min(1.0);
            }
            let trembles = self.tremor[p].feel(way);
            if may(p) && (way.length() < still || trembles) {
                position[p] = self.began[p] + if trembles { 0.1 * way } else { DVec3::ZERO };
                self.resting.push(p as u32);
            }
        }
        if self.resting.is_empty() {
            return;
        }
        self.put_back(particles, 0.0);
        let Particles { position, previous, velocity, .. } = particles;
        for p in self.resting.iter().map(|&p| p as usize) {
            let undone = position[p] == previous[p] && position[p] != self.began[p];
            if !undone {
                velocity[p] = DVec3::ZERO;
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
            let friction = a.friction.between(b.friction);
            let friction = [friction.fixed as f32, friction.sliding as f32];
            let limit = separation + approach;
            let pair = |particles: [u32; 4], distance_sq: f64| Pair {
                particles,
                distance: round_down(distance_sq.sqrt()),
                separation: separation as f32,
                friction,
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

    /// Makes rows of the pairs that are too close, or nearly so. Held particles give way to them as others do: a hand does not
    /// stretch cloth that is in its way beyond all bounds.
    pub fn prepare(&mut self, particles: &Particles, pins: &[Pin], h: f64) -> &mut [Row<4>] {
        self.rows.clear();
        if !(self.vertex_face.is_empty() && self.edge_edge.is_empty()) {
            self.stray(particles, h);
            self.mobility.clone_from(&particles.inverse_mass);
            for pin in pins {
                self.mobility[pin.particle as usize] = pin.inverse_mass;
            }
            let (strayed, mobility, rows) = (&self.strayed, &self.mobility, &mut self.rows);
            add_rows::<VertexFace>(&self.vertex_face, strayed, particles, mobility, h, rows);
            add_rows::<EdgeEdge>(&self.edge_edge, strayed, particles, mobility, h, rows);
        }
        &mut self.rows
    }

    /// Notes what the rows did, now that they are solved; how many of them pushed.
    pub fn finish(&mut self, particles: &mut Particles) -> usize {
        let mut count = 0;
        for row in self.rows.iter().filter(|row| row.pressed > 0.0) {
            count += 1;
            row.note_recovery(&mut particles.recovered);
            for p in row.particles {
                self.pushed[p as usize] = true;
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
                any |= put_back::<VertexFace>(self.vertex_face[near as usize].particles, particles, &mut self.pushed);
            }
            for &near in &self.near_edges {
                any |= put_back::<EdgeEdge>(self.edge_edge[near as usize].particles, particles, &mut self.pushed);
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

/// Adds a row for each pair that is within its separation or a little more.
fn add_rows<F: Features>(
    pairs: &[Pair],
    strayed: &[f32],
    particles: &Particles,
    mobility: &[f64],
    h: f64,
    rows: &mut Vec<Row<4>>,
) {
    let near = pairs.iter().filter(|pair| pair.may_be_within::<F>(pair.separation, strayed));
    rows.extend(near.filter_map(|pair| row::<F>(pair, particles, mobility, h)));
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

/// How to hold two features apart, if they are near; what they already missed before comes back by a part of it.
fn row<F: Features>(pair: &Pair, particles: &Particles, mobility: &[f64], h: f64) -> Option<Row<4>> {
    let Particles { position, previous, .. } = particles;
    let own = pair.particles.map(|p| p as usize);
    let points = own.map(|p| position[p]);
    let normal = F::normal(&points);
    let height = F::between(&points).dot(normal);
    let separation = f64::from(pair.separation);
    let before = own.map(|p| previous[p]);
    let normal_before = F::normal(&before);
    let was = sign(F::between(&before).dot(normal_before));
    if sign(height) == was && height * height > (NEARBY * separation).powi(2) * normal.length_squared() {
        return None;
    }
    let Push { unit, weights } = judge::<F>(&before, &points, normal_before * was, normal * was)?;
    let anchor = combine(&before, weights);
    // The height of the same two points before the substep: it bounds what may be asked for now.
    let held = separation.min(anchor.dot(unit));
    let weight: f64 = own.iter().zip(weights).map(|(&p, w)| mobility[p] * w * w).sum();
    if weight <= 0.0 {
        return None;
    }
    let mut shares = weights;
    for (share, p) in shares.iter_mut().zip(own) {
        *share *= mobility[p] / weight;
    }
    let [fixed, sliding] = pair.friction.map(f64::from);
    Some(Row {
        particles: pair.particles,
        weights,
        shares,
        unit,
        held,
        freed: (separation - held) * RECOVERY * h,
        gentle: GENTLE * h * h,
        anchor,
        friction: Friction { fixed, sliding },
        pressed: 0.0,
        grip: DVec3::ZERO,
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_skipped_only_while_they_cannot_meet() {
        let pair = Pair { particles: [0, 1, 2, 3], distance: 0.1, separation: 0.02, friction: [0.0; 2] };
        let strayed = |by: [f32; 4], within: f32| pair.may_be_within::<EdgeEdge>(within, &by);
        assert!(!strayed([0.03, 0.01, 0.04, 0.0], 0.02));
        assert!(strayed([0.03, 0.01, 0.05, 0.0], 0.02));
        assert!(!strayed([0.05, 0.05, 0.04, 0.04], 0.0), "two particles of one edge do not add up");
        assert!(pair.may_be_within::<VertexFace>(0.0, &[0.05, 0.05, 0.0, 0.0]));
    }
}
