//! Surfaces against themselves and each other: vertices are kept on their side of faces, edges on their side of edges.
//!
//! All pairs of features that may come within their separation while everything moves on as it does now are listed by the
//! [`Tree`], for a time that is one step or, when things move slowly, many. The list holds until that time is over or some
//! vertex ends a substep off its straight course by half the [`SLACK`]; a cloth at rest or in free flight is not searched at
//! all. So features can pass through each other unseen only if they approach by more than their separation and half the
//! slack, beyond what their velocities foretold, within one substep.
//!
//! In every substep a pair is kept on the side where it was when the substep began: at its separation, or where it already
//! was closer, no closer but for a slow recovery, so that contacts gain no energy. Where the sides have changed, continuous
//! detection ([`superegg_mesh::ccd::elementary`]) tells whether the features went through each other or round each other.
//! After all other constraints the same question is asked once more, and vertices of features that did go through each
//! other are put back to where the substep began, until none are left: each substep starts and ends without intersections.

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
            let pair =
                |own: [u32; 4]| Pair { particles: own, separation: separation as f32, friction: friction as f32 };
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
                        vertex_face.push(pair([v, p, q, r]));
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
                        edge_edge.push(pair(own));
                    }
                }
            }
        });
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

    /// Undoes what is left of features going through each other.
    pub fn put_back(&self, particles: &mut Particles) {
        for _ in 0..ROUNDS {
            let faces = put_back::<VertexFace>(&self.vertex_face, particles);
            let edges = put_back::<EdgeEdge>(&self.edge_edge, particles);
            if !(faces || edges) {
                return;
            }
        }
    }

    /// Pushes apart what is too close; how many pairs were.
    pub fn project(&mut self, particles: &mut Particles, h: f64) -> usize {
        project_all::<VertexFace>(&self.vertex_face, particles, h)
            + project_all::<EdgeEdge>(&self.edge_edge, particles, h)
    }
}

/// Most rounds of putting back. Each puts more vertices back; whole layers may have to follow one.
const ROUNDS: usize = 30;

/// The largest speed against the mean of all.
fn fastest<I: Iterator<Item = usize>>(range: impl Fn() -> I, velocity: &[DVec3]) -> f64 {
    let (sum, count) = range().fold((DVec3::ZERO, 0.0), |(sum, count), p| (sum + velocity[p], count + 1.0));
    let mean = sum / f64::max(count, 1.0);
    range().map(|p| velocity[p].distance_squared(mean)).fold(0.0, f64::max).sqrt()
}

fn sign(height: f64) -> f64 {
    if height >= 0.0 { 1.0 } else { -1.0 }
}

/// A push that holds two features apart: along a unit normal, with weights of their points.
struct Push {
    unit: DVec3,
    weights: [f64; 4],
}

fn project_all<F: Features>(pairs: &[Pair], particles: &mut Particles, h: f64) -> usize {
    let Particles { position, previous, inverse_mass, .. } = particles;
    let mut count = 0;
    for pair in pairs {
        let own = pair.particles.map(|p| p as usize);
        let points = own.map(|p| position[p]);
        let normal = F::normal(&points);
        let height = F::between(&points).dot(normal);
        let separation = f64::from(pair.separation);
        let before = own.map(|p| previous[p]);
        let normal_before = F::normal(&before);
        let was = sign(F::between(&before).dot(normal_before));
        if sign(height) == was && height * height > separation * separation * normal.length_squared() {
            continue;
        }
        let Some(Push { unit, weights }) = judge::<F>(&before, &points, normal_before * was, normal * was) else {
            continue;
        };
        let apart = combine(&points, weights).dot(unit);
        // The height of the same two points before the substep: it bounds what may be asked for now.
        let held = combine(&before, weights).dot(unit);
        let wanted = separation.min(held + RECOVERY * h);
        let weight: f64 = own.iter().zip(weights).map(|(&p, w)| inverse_mass[p] * w * w).sum();
        if apart >= wanted || weight <= 0.0 {
            continue;
        }
        count += 1;
        let push = (wanted - apart) / weight;
        // Friction: against the way that one feature makes along the other.
        let way = combine(&points, weights) - combine(&before, weights);
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

/// Puts the particles of features that went through each other back to where the substep began; whether there were any.
fn put_back<F: Features>(pairs: &[Pair], particles: &mut Particles) -> bool {
    let Particles { position, previous, inverse_mass, .. } = particles;
    let mut any = false;
    for pair in pairs {
        let own = pair.particles.map(|p| p as usize);
        let (before, points) = (own.map(|p| previous[p]), own.map(|p| position[p]));
        let side = |points: &[DVec3; 4]| F::between(points).dot(F::normal(points)) >= 0.0;
        if side(&before) == side(&points) || F::meet(&before, &points).is_none() {
            continue;
        }
        for p in own.into_iter().filter(|&p| inverse_mass[p] > 0.0) {
            any |= position[p] != previous[p];
            position[p] = previous[p];
        }
    }
    any
}
