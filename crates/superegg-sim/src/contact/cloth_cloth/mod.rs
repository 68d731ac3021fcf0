//! Surfaces against themselves, each other and meshes: vertices are kept on their side of faces, edges on their side of
//! edges.
//!
//! All pairs of features that may come within their separation while everything moves on as it does now are listed by the
//! [`Tree`], for a time that is one step or, when things move slowly, many. The list holds until that time is over or some
//! vertex ends a substep off its straight course by half the [`SLACK`]; a cloth at rest or in free flight is not searched at
//! all.
//!
//! In every substep a pair is kept on the side where it was when the substep began: at its separation, or where it already
//! was closer, no closer ([`keep_apart`]). The pairs become rows that are solved together with those of the bodies
//! ([`super::rows`]). After all other constraints, continuous detection ([`superegg_mesh::ccd::elementary`]) looks for
//! features that went through each other all the same, and takes them back ([`put_back`]), having listed the pairs anew if
//! contacts took a vertex farther off its course than the list allows for. So each substep starts and ends without
//! intersections. At the end of a step, what hardly moves in contact comes to rest ([`rest`]).
//!
//! A listed pair is looked at only when its particles may have strayed far enough since it was listed to bring it within its
//! separation, which for most pairs takes the comparison of a few lengths.

mod keep_apart;
mod put_back;
mod rest;

use std::ops::Range;

use glam::DVec3;

use super::features::{EdgeEdge, Features, VertexFace};
use super::half_space::HalfSpaceRow;
use super::mesh_vertices::MeshVertices;
use super::surface_tree::{Edge, Face, Tree};
use crate::cloth::Part;
use crate::cloth::Particles;
use crate::cloth::surface::Surface;
pub(crate) use keep_apart::Pushes;
pub(crate) use put_back::Pierced;
use rest::Tremor;

/// Distance beyond the foreseen at which features are listed, as a part of the mean edge.
const SLACK: f64 = 0.15;
/// A particle that a substep takes off its course may go this many times as far.
const SURPRISE: f64 = 1.5;
/// For how many times as long as the last one, if that was good to its end, a list may be made.
const LONGER: f64 = 2.0;
/// Most steps for which a list may hold.
const LONGEST: f64 = 100.0;
/// Names no mesh.
const NONE: u32 = u32::MAX;

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
        // Not `f32::max`, which takes longer for the sake of NaNs.
        let most = |values: &[f32]| values.iter().fold(0.0, |most, &value| if value > most { value } else { most });
        self.distance - most(one) - most(other) <= distance
    }
}

/// Features that are near each other, remembered from substep to substep.
#[derive(Clone, Debug, Default)]
pub(crate) struct SurfaceContacts {
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
    /// How often each mesh had moved then, and which of them each particle is of.
    moves: Vec<u64>,
    mesh_of: Vec<u32>,
    /// Mean velocity when the pairs were listed, and how far each particle is from where that would have taken it.
    drift: DVec3,
    strayed: Vec<f32>,
    rows: Vec<HalfSpaceRow<4>>,
    /// How easily contacts move each particle.
    mobility: Vec<f64>,
    /// Those pairs that may meet in the running substep.
    near_faces: Vec<u32>,
    near_edges: Vec<u32>,
    /// What each particle was put back with in the running substep.
    home: Vec<u32>,
    /// Scratch: particles that are in bodies.
    sunk: Vec<(u32, u32)>,
    /// Where the particles were when the step began, whether contacts among cloth pushed them since, whether an mesh that
    /// moves did, and how they tremble.
    began: Vec<DVec3>,
    pushed: Vec<bool>,
    driven: Vec<bool>,
    tremor: Vec<Tremor>,
    /// Scratch: particles that come to rest.
    resting: Vec<u32>,
}

/// The surfaces that meet something.
fn colliding<'a>(parts: &'a [Part], meshes: &[MeshVertices]) -> impl Iterator<Item = &'a Surface> {
    let all = !meshes.is_empty();
    parts.iter().map(|part| &part.surface).filter(move |surface| all || surface.separation.is_some())
}

impl SurfaceContacts {
    /// Forgets everything.
    pub fn forget(&mut self) {
        *self = SurfaceContacts::default();
    }

    /// Makes sure that the list holds for a substep of length `h` from `previous`; steps last `dt`.
    pub fn detect(&mut self, parts: &[Part], meshes: &[MeshVertices], particles: &Particles, h: f64, dt: f64) {
        if colliding(parts, meshes).next().is_none() {
            return;
        }
        let known = self.origin.len() == particles.len() && self.age + h <= self.horizon;
        if known && self.holds(parts, meshes, particles, h) {
            self.age += h;
            return;
        }
        self.list(parts, meshes, particles, h, dt);
    }

    /// Decides for how long a list is to hold that is made in a substep of length `h`, and by which drift things move on.
    fn look_ahead(
        &mut self,
        parts: &[Part],
        meshes: &[MeshVertices],
        particles: &Particles,
        slack: f64,
        (h, dt): (f64, f64),
    ) {
        let range = || colliding(parts, meshes).flat_map(|surface| surface.particles.clone());
        let lasted = match self.origin.len() == particles.len() {
            true if self.age + h > self.horizon => LONGER * self.age.max(h),
            true => self.age.max(h),
            false => f64::INFINITY,
        };
        self.age = h;
        let mut fastest;
        (self.drift, fastest) = mean_and_fastest(range, &particles.velocity);
        for mesh in meshes {
            let against = |p: usize| particles.velocity[p].distance(self.drift);
            fastest = match mesh.has_moved() {
                true => mesh.surface.particles.clone().map(against).fold(fastest, f64::max),
                false => fastest.max(self.drift.length()),
            };
        }
        self.horizon = (slack / fastest).clamp(dt, LONGEST * dt);
        // Of what is swept along, a list for a time that it will not last takes much longer to make: for not longer than the last one
        // was good, or twice that if it was good to its end.
        if fastest * dt > slack / SLACK {
            self.horizon = self.horizon.min(lasted);
        }
    }

    /// Lists the pairs that may meet in a substep of length `h` from `previous` to where the particles are now, and after it.
    fn list(&mut self, parts: &[Part], meshes: &[MeshVertices], particles: &Particles, h: f64, dt: f64) {
        let slack = SLACK * colliding(parts, meshes).map(|surface| surface.edge_length).fold(f64::INFINITY, f64::min);
        self.look_ahead(parts, meshes, particles, slack, (h, dt));
        let tree = self.tree.get_or_insert_with(|| Tree::new(parts, meshes, &particles.previous));
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
        self.mesh_of.clear();
        self.mesh_of.resize(particles.len(), NONE);
        self.moves.clear();
        for (index, mesh) in (0u32..).zip(meshes) {
            let range = mesh.surface.particles.clone();
            if !mesh.has_moved() {
                self.allowance[range.clone()].fill(0.0);
            }
            self.mesh_of[range].fill(index);
            self.moves.push(mesh.moves - u64::from(mesh.has_moved()));
        }
        let (start, horizon) = (&self.origin, self.horizon);
        tree.refit(meshes, start, &self.velocity, horizon, &self.allowance);
        let (vertex_face, edge_edge) = (&mut self.vertex_face, &mut self.edge_edge);
        vertex_face.clear();
        edge_edge.clear();
        tree.for_each_pair(|a, b, approach| add_pairs([a, b], approach, start, vertex_face, edge_edge));
    }

    /// Ranges of particles that may be elsewhere than they were expected: all but those of meshes that have stayed.
    fn watched<'a>(&'a self, parts: &'a [Part], meshes: &'a [MeshVertices]) -> impl Iterator<Item = Range<usize>> + 'a {
        let gone = meshes.iter().zip(&self.moves).filter(|(mesh, moves)| mesh.moves != **moves);
        let meshes_gone = gone.map(|(mesh, _)| mesh.surface.particles.clone());
        colliding(parts, meshes).map(|surface| surface.particles.clone()).chain(meshes_gone)
    }

    /// Whether all particles are where they were expected, and go there in the running substep.
    fn holds(&self, parts: &[Part], meshes: &[MeshVertices], particles: &Particles, h: f64) -> bool {
        let mut holds = true;
        for p in self.watched(parts, meshes).flatten() {
            let (origin, velocity) = (self.origin[p], self.velocity[p]);
            let begin = particles.previous[p].distance_squared(origin + velocity * self.age);
            let end = particles.position[p].distance_squared(origin + velocity * (self.age + h));
            let allowance = self.allowance[p];
            holds &= begin.max(end) <= allowance * allowance;
        }
        holds
    }

    /// Whether the list still covers where all particles are, at the end of the running substep.
    pub fn covers(&self, parts: &[Part], meshes: &[MeshVertices], particles: &Particles) -> bool {
        let mut covers = true;
        if self.tree.is_none() {
            return covers;
        }
        for p in self.watched(parts, meshes).flatten() {
            let expected = self.origin[p] + self.velocity[p] * self.age;
            covers &= particles.position[p].distance_squared(expected) <= self.allowance[p] * self.allowance[p];
        }
        covers
    }

    /// Notes how far each particle has strayed at most, anywhere on its way through the running substep, or staying where that
    /// began.
    fn stray(&mut self, parts: &[Part], meshes: &[MeshVertices], particles: &Particles, h: f64) {
        let (begin, end) = (self.drift * (self.age - h), self.drift * self.age);
        let mut strayed = std::mem::take(&mut self.strayed);
        strayed.resize(particles.len(), 0.0);
        for mesh in meshes {
            // Those that have stayed: what has moved is looked at below.
            strayed[mesh.surface.particles.clone()].fill(round_up(end.length()));
        }
        for range in self.watched(parts, meshes) {
            let ways = particles.previous[range.clone()].iter().zip(&particles.position[range.clone()]);
            let ways = ways.zip(&self.origin[range.clone()]);
            for (strayed, ((previous, position), origin)) in strayed[range].iter_mut().zip(ways) {
                let (from, to) = (*previous - *origin, *position - *origin);
                let before = (from - begin).length_squared().max((from - end).length_squared());
                *strayed = round_up(before.max((to - end).length_squared()).sqrt());
            }
        }
        self.strayed = strayed;
    }
}

/// Adds the pairs of features of two faces that may come within their separation, which they approach by a length at most.
#[inline(always)]
fn add_pairs(
    [a, b]: [&Face; 2],
    approach: f64,
    start: &[DVec3],
    vertex_face: &mut Vec<Pair>,
    edge_edge: &mut Vec<Pair>,
) {
    let separation = a.separation_from(b);
    let friction = a.friction.between(b.friction);
    let friction = [friction.fixed as f32, friction.sliding as f32];
    let limit = separation + approach;
    let pair = |particles: [u32; 4], distance_sq: f64, share: f64| Pair {
        particles,
        distance: round_down(distance_sq.sqrt()),
        separation: (share * separation) as f32,
        friction,
    };
    for (one, other) in [(a, b), (b, a)] {
        let [p, q, r] = other.corners;
        let corners = other.corners.map(|p| start[p as usize]);
        let (low, high) = (corners[0].min(corners[1]).min(corners[2]), corners[0].max(corners[1]).max(corners[2]));
        for v in one.owned_corners().filter(|v| !other.corners.contains(v)) {
            let place_v = start[v as usize];
            if place_v.cmplt(low - limit).any() || place_v.cmpgt(high + limit).any() {
                continue;
            }
            let distance_sq = VertexFace::distance_sq(&[place_v, corners[0], corners[1], corners[2]]);
            if distance_sq < limit * limit {
                vertex_face.push(pair([v, p, q, r], distance_sq, 1.0));
            }
        }
    }
    for Edge { ends: [p, q], share: own_share } in a.owned_edges() {
        for Edge { ends: [r, s], share } in b.owned_edges() {
            let share = share.min(own_share);
            let limit = share * separation + approach;
            let own = [p, q, r, s];
            if p == r || p == s || q == r || q == s {
                continue;
            }
            let points = own.map(|p| start[p as usize]);
            let [pa, pb, pc, pd] = points;
            let apart = pa.min(pb).cmpgt(pc.max(pd) + limit).any() || pa.max(pb).cmplt(pc.min(pd) - limit).any();
            if apart {
                continue;
            }
            let distance_sq = EdgeEdge::distance_sq(&points);
            if distance_sq < limit * limit {
                edge_edge.push(pair(own, distance_sq, share));
            }
        }
    }
}

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
