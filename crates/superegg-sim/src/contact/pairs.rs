//! Surfaces against themselves and each other: vertices are kept on their side of faces, edges on their side of edges.
//!
//! All pairs of features that may come within their separation while everything moves on as it does now are listed by the
//! [`Tree`], for a time that is one step or, when things move slowly, many. The list holds until that time is over or some
//! vertex ends a substep off its straight course by half the [`SLACK`]; a cloth at rest or in free flight is not searched at
//! all. So features can pass through each other unseen only if they approach by more than their separation and half the
//! slack, beyond what their velocities foretold, within one substep. Every
//! pair remembers on which side it is. Where that becomes unclear, because the features pass beside each other and come
//! back, the motion of the substep decides by continuous detection ([`superegg_mesh::ccd::elementary`]). A pair that is too
//! close, or has crossed, is pushed apart along the normal, no farther than it was before the substep but for a slow
//! recovery, so that contacts gain no energy.

use glam::DVec3;

use super::features::{EdgeEdge, Features, VertexFace};
use super::tree::Tree;
use crate::Particles;
use crate::world::Part;

/// Distance beyond the foreseen at which features are listed, as a part of the mean edge.
const SLACK: f64 = 0.15;
/// Most steps for which a list may hold.
const LONGEST: f64 = 100.0;
/// Speed at which features that are too close are let apart, in metres a second.
const RECOVERY: f64 = 0.1;

/// Two features that are near each other.
#[derive(Clone, Copy, Debug)]
struct Pair {
    particles: [u32; 4],
    separation: f32,
    friction: f32,
    /// The sign of the height of one over the other, zero while they pass beside each other.
    side: i8,
    /// Whether they were found on the wrong side last time.
    crossed: bool,
}

/// Features that are near each other, remembered from substep to substep.
#[derive(Clone, Debug, Default)]
pub(crate) struct SelfContacts {
    tree: Option<Tree>,
    vertex_face: Vec<Pair>,
    edge_edge: Vec<Pair>,
    /// Where the particles were when the pairs were listed, how they moved, how long ago, for how long it holds, and how far
    /// they may be off.
    origin: Vec<DVec3>,
    velocity: Vec<DVec3>,
    age: f64,
    horizon: f64,
    slack: f64,
}

impl SelfContacts {
    /// Forgets everything.
    pub fn forget(&mut self) {
        *self = SelfContacts::default();
    }

    /// Makes sure that the list holds for a substep of length `h` from `previous`; steps last `dt`.
    pub fn detect(&mut self, parts: &[Part], particles: &Particles, h: f64, dt: f64) {
        let asking = || parts.iter().filter(|part| part.surface.separation.is_some());
        if asking().next().is_none() {
            return;
        }
        let known = self.origin.len() == particles.len() && self.age + h <= self.horizon;
        if known && self.holds(asking().map(|part| part.surface.particles.clone()), &particles.previous) {
            self.age += h;
            return;
        }
        let tree = self.tree.get_or_insert_with(|| Tree::new(parts, particles.len()));
        self.slack = SLACK * asking().map(|part| part.surface.edge_length).fold(f64::INFINITY, f64::min);
        let thickest = asking().filter_map(|part| part.surface.separation).fold(0.0, f64::max);
        let range = || asking().flat_map(|part| part.surface.particles.clone());
        self.age = h;
        self.horizon = (self.slack / fastest(range, &particles.velocity)).clamp(dt, LONGEST * dt);
        self.origin.clone_from(&particles.previous);
        self.velocity.clone_from(&particles.velocity);
        let (start, horizon, slack) = (&self.origin, self.horizon, self.slack);
        tree.refit(start, &self.velocity, horizon, thickest + slack);
        let (mut vertex_face, mut edge_edge) = (Vec::new(), Vec::new());
        let place = |own: [u32; 4]| own.map(|p| start[p as usize]);
        tree.for_each_pair(|a, b, relative| {
            let separation = 0.5 * (a.separation + b.separation);
            let friction = (a.friction * b.friction).sqrt();
            let limit = separation + slack + relative * horizon;
            let pair = |own: [u32; 4], side: i8| Pair {
                particles: own,
                separation: separation as f32,
                friction: friction as f32,
                side,
                crossed: false,
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
                    let points = [place_v, corners[0], corners[1], corners[2]];
                    if VertexFace::distance_sq(&points) < limit * limit {
                        vertex_face.push(pair([v, p, q, r], side::<VertexFace>(&points)));
                    }
                }
            }
            for [p, q] in a.owned_edges() {
                for [r, s] in b.owned_edges() {
                    let own = [p, q, r, s];
                    if p == r || p == s || q == r || q == s {
                        continue;
                    }
                    let points = place(own);
                    let [pa, pb, pc, pd] = points;
                    let apart =
                        pa.min(pb).cmpgt(pc.max(pd) + limit).any() || pa.max(pb).cmplt(pc.min(pd) - limit).any();
                    if !apart && EdgeEdge::distance_sq(&points) < limit * limit {
                        edge_edge.push(pair(own, side::<EdgeEdge>(&points)));
                    }
                }
            }
        });
        take_over(&mut vertex_face, &self.vertex_face);
        take_over(&mut edge_edge, &self.edge_edge);
        (self.vertex_face, self.edge_edge) = (vertex_face, edge_edge);
    }

    /// Whether all particles are where they were expected.
    fn holds(&self, ranges: impl Iterator<Item = std::ops::Range<usize>>, positions: &[DVec3]) -> bool {
        let limit_sq = 0.25 * self.slack * self.slack;
        ranges.fold(true, |holds, range| {
            let expected = self.origin[range.clone()].iter().zip(&self.velocity[range.clone()]);
            positions[range].iter().zip(expected).fold(holds, |holds, (position, (origin, velocity))| {
                holds & (position.distance_squared(*origin + *velocity * self.age) <= limit_sq)
            })
        })
    }

    /// Pushes apart what is too close; how many pairs were.
    pub fn project(&mut self, particles: &mut Particles, h: f64) -> usize {
        project_all::<VertexFace>(&mut self.vertex_face, particles, h)
            + project_all::<EdgeEdge>(&mut self.edge_edge, particles, h)
    }
}

/// The largest speed against the mean of all.
fn fastest<I: Iterator<Item = usize>>(range: impl Fn() -> I, velocity: &[DVec3]) -> f64 {
    let (sum, count) = range().fold((DVec3::ZERO, 0.0), |(sum, count), p| (sum + velocity[p], count + 1.0));
    let mean = sum / f64::max(count, 1.0);
    range().map(|p| velocity[p].distance_squared(mean)).fold(0.0, f64::max).sqrt()
}

/// The side on which features are that cross each other seen along their normal.
fn side<F: Features>(points: &[DVec3; 4]) -> i8 {
    let normal = F::normal(points);
    if normal == DVec3::ZERO || F::crossing(points, normal).is_none() {
        return 0;
    }
    sign(F::between(points).dot(normal))
}

fn sign(height: f64) -> i8 {
    if height >= 0.0 { 1 } else { -1 }
}

/// Sorts new pairs and gives those that were known before what was known of them.
fn take_over(now: &mut [Pair], before: &[Pair]) {
    now.sort_unstable_by_key(|pair| pair.particles);
    let mut known = before.iter().peekable();
    for pair in now {
        while known.next_if(|old| old.particles < pair.particles).is_some() {}
        if let Some(old) = known.next_if(|old| old.particles == pair.particles)
            && old.side != 0
        {
            (pair.side, pair.crossed) = (old.side, old.crossed);
        }
    }
}

fn project_all<F: Features>(pairs: &mut [Pair], particles: &mut Particles, h: f64) -> usize {
    let Particles { position, previous, inverse_mass, .. } = particles;
    let mut count = 0;
    for pair in pairs {
        let own = pair.particles.map(|p| p as usize);
        let points = own.map(|p| position[p]);
        let normal = F::normal(&points);
        let height = F::between(&points).dot(normal);
        let separation = f64::from(pair.separation);
        let length_sq = normal.length_squared();
        if sign(height) == pair.side && height * height > separation * separation * length_sq {
            pair.crossed = false;
            continue;
        }
        let crossing = if length_sq > 0.0 { F::crossing(&points, normal) } else { None };
        let Some(weights) = crossing else {
            (pair.side, pair.crossed) = (0, false);
            continue;
        };
        let before = own.map(|p| previous[p]);
        pair.decide::<F>(&before, &points, sign(height));
        let length = length_sq.sqrt();
        let unit = normal * (f64::from(pair.side) / length);
        let apart = F::between(&points).dot(unit);
        pair.crossed = apart < 0.0;
        // The height of the same two points before the substep: it bounds what may be asked for now.
        let held = before.iter().zip(weights).map(|(p, w)| *p * w).sum::<DVec3>().dot(unit);
        let wanted = separation.min(held + RECOVERY * h);
        if apart >= wanted {
            continue;
        }
        let weight: f64 = own.iter().zip(weights).map(|(&p, w)| inverse_mass[p] * w * w).sum();
        if weight <= 0.0 {
            continue;
        }
        count += 1;
        let push = (wanted - apart) / weight;
        // Friction: against the way that one feature makes along the other.
        let way: DVec3 = (0..4).map(|i| (points[i] - before[i]) * weights[i]).sum();
        let slip = way - unit * way.dot(unit);
        let slipped = slip.length();
        let allowed = f64::from(pair.friction) * (wanted - apart);
        let hold = if slipped > 0.0 { slip * ((allowed / slipped).min(1.0) / weight) } else { DVec3::ZERO };
        for (&p, w) in own.iter().zip(weights) {
            position[p] += (unit * push - hold) * (inverse_mass[p] * w);
        }
    }
    count
}

impl Pair {
    /// On which side the features belong that now cross each other seen along their normal.
    fn decide<F: Features>(&mut self, before: &[DVec3; 4], points: &[DVec3; 4], now: i8) {
        if self.side == now || self.crossed {
            return;
        }
        let was = sign(F::between(before).dot(F::normal(before)));
        // Unknown, or against what is known: they changed sides in this substep only if they met in it.
        let candidate = if self.side == 0 { was } else { self.side };
        self.side = if was == candidate && was != now && F::meet(before, points) { was } else { now };
    }
}
