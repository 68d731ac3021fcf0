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
//! Where a mesh that stays is convex before a face of cloth, one plane stands in for all their pairs ([`super::mesh_planes`]), and bodies'
//! planes and these are gone through together.
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
use super::mesh_planes::{Before, MeshPlanes};
use super::mesh_vertices::MeshVertices;
use super::surface_tree::{Edge, Face, NEARBY, Tree};
use crate::cloth::Part;
use crate::cloth::Particles;
use crate::cloth::surface::Surface;
pub(crate) use keep_apart::Pushes;
pub(crate) use put_back::Pierced;
use rest::Tremor;

/// How far particles may get from where they were expected before features are listed anew, as a part of the mean edge.
const SLACK: f64 = 0.15;
/// How far things may go, as a part of the mean edge, for as long as a list holds.
const AHEAD: f64 = 0.8;
/// A particle that a substep takes off its course may go this many times as far.
const SURPRISE: f64 = 1.5;
/// For how many times as long as the last one, if that was good to its end, a list may be made.
const LONGER: f64 = 2.0;
/// Most and fewest steps for which a list may hold.
const LONGEST: f64 = 100.0;
const SHORTEST: f64 = 1e-3;
/// How many particles may be off their courses before everything is listed anew instead of what they are of: so many, or one of so many
/// where that is more.
const FEW: usize = 64;
const ONE_OF: usize = 16;
/// Names no mesh.
const NONE: u32 = u32::MAX;

/// Two features that are near each other.
#[derive(Clone, Copy, Debug)]
struct Pair {
    particles: [u32; 4],
    /// How far apart they were when they were listed, and how fast the gap in that direction grows as long as their particles are where
    /// they were expected, or a little less.
    distance: f32,
    rate: f32,
    separation: f32,
    /// Static and sliding.
    friction: [f32; 2],
}

impl Pair {
    /// Whether features may be within a distance, by how far particles may be from where they were expected.
    #[inline(always)]
    fn may_be_within<F: Features>(&self, distance: f32, strayed: &Strayed) -> bool {
        let since = if self.rate < 0.0 { strayed.until } else { strayed.from };
        let expected = self.distance + self.rate * since;
        // However far which particles strayed: most pairs are told by that alone.
        if expected - strayed.most - strayed.most > distance {
            return false;
        }
        let own = self.particles.map(|p| strayed.by[p as usize]);
        let (one, other) = own.split_at(F::FIRST);
        // Not `f32::max`, which takes longer for the sake of NaNs.
        let most = |values: &[f32]| values.iter().fold(0.0, |most, &value| if value > most { value } else { most });
        expected - most(one) - most(other) <= distance
    }
}

/// How far particles may be from where they were expected, in the running substep.
#[derive(Clone, Debug, Default)]
struct Strayed {
    by: Vec<f32>,
    /// The largest of these.
    most: f32,
    /// Since when they were listed, at its begin and at its end.
    from: f32,
    until: f32,
}

/// Features that are near each other, remembered from substep to substep.
#[derive(Clone, Debug, Default)]
pub(crate) struct SurfaceContacts {
    tree: Option<Tree>,
    vertex_face: Vec<Pair>,
    edge_edge: Vec<Pair>,
    /// What stands in for pairs with meshes that stay.
    pub planes: MeshPlanes,
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
    /// Which meshes stay where they are.
    stays: Vec<bool>,
    /// Scratch: faces of cloth and of meshes that stay which may come near each other, and those of one face of cloth.
    near_meshes: Vec<[u32; 2]>,
    triangles: Vec<[u32; 3]>,
    strayed: Strayed,
    /// The particles that pairs are of.
    named: Vec<u32>,
    /// Scratch: particles that are not where they were expected.
    lost: Vec<u32>,
    rows: Vec<HalfSpaceRow<4>>,
    /// How easily contacts move each particle.
    mobility: Vec<f64>,
    /// Those pairs that may meet in the running substep.
    near_faces: Vec<u32>,
    near_edges: Vec<u32>,
    /// What each particle was put back with in the running substep.
    home: Vec<u32>,
    /// Scratch: particles that are in bodies.
    sunk: Vec<(u32, Option<u32>)>,
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
        let stays = meshes.iter().map(|mesh| mesh.stays).eq(self.stays.iter().copied());
        let known = self.origin.len() == particles.len() && self.age + h <= self.horizon && stays;
        if !known {
            self.list(parts, meshes, particles, h, dt);
            return;
        }
        self.age += h;
        self.renew(parts, meshes, particles, h, dt);
    }

    /// Lists anew what is not where it was expected in the running substep of length `h`: a few particles alone, or everything.
    fn renew(&mut self, parts: &[Part], meshes: &[MeshVertices], particles: &Particles, h: f64, dt: f64) {
        let mut lost = std::mem::take(&mut self.lost);
        self.find_lost(parts, meshes, particles, h, &mut lost);
        lost.sort_unstable();
        let since = self.age - h;
        if lost.len() > FEW.max(particles.len() / ONE_OF) || !lost.is_empty() && self.horizon - since < SHORTEST * dt {
            self.age = since;
            self.list(parts, meshes, particles, h, dt);
        } else if !lost.is_empty() {
            self.list_again(parts, meshes, particles, &lost, h);
        }
        self.lost = lost;
    }

    /// Finds the particles that are not where they were expected in the running substep.
    fn find_lost(&self, parts: &[Part], meshes: &[MeshVertices], particles: &Particles, h: f64, lost: &mut Vec<u32>) {
        lost.clear();
        let since = self.age - h;
        for range in self.watched(parts, meshes) {
            let begins = particles.previous[range.clone()].iter();
            let places = begins.zip(&particles.position[range.clone()]).zip(self.courses(range.clone()));
            for (p, ((previous, position), (&origin, &velocity, &allowance))) in (range.start as u32..).zip(places) {
                let begin = previous.distance_squared(origin + velocity * since);
                let end = position.distance_squared(origin + velocity * self.age);
                // Not `f64::max`, for which NaN would be in its place.
                let allowed = allowance * allowance;
                if !(begin <= allowed && end <= allowed) {
                    lost.push(p);
                }
            }
        }
    }

    /// Lists the pairs anew that some particles are of, with other courses for these.
    fn list_again(&mut self, parts: &[Part], meshes: &[MeshVertices], particles: &Particles, lost: &[u32], h: f64) {
        let Some(tree) = &mut self.tree else { return };
        let edge = colliding(parts, meshes).map(|surface| surface.edge_length).fold(f64::INFINITY, f64::min);
        let since = self.age - h;
        for p in lost.iter().map(|&p| p as usize) {
            let (position, previous, velocity) = (particles.position[p], particles.previous[p], particles.velocity[p]);
            self.velocity[p] = velocity;
            self.origin[p] = previous - velocity * since;
            self.allowance[p] = (SLACK * edge).max(SURPRISE * position.distance(previous + velocity * h));
        }
        let changed = tree.change_courses(lost, &self.origin, &self.velocity, &self.allowance);
        let mut flags = vec![false; particles.len()];
        lost.iter().for_each(|&p| flags[p as usize] = true);
        let is_lost = |pair: &Pair| pair.particles.iter().any(|&p| flags[p as usize]);
        self.vertex_face.retain(|pair| !is_lost(pair));
        self.edge_edge.retain(|pair| !is_lost(pair));
        let (mut vertex_face, mut edge_edge) = (Vec::new(), Vec::new());
        let courses = Courses { tree, origin: &self.origin, velocity: &self.velocity, since };
        let (planes, near_meshes) = (&mut self.planes, &mut self.near_meshes);
        planes.forget(&changed);
        near_meshes.clear();
        tree.for_each_pair_of(&changed, |faces| {
            match with_staying(tree, &self.mesh_of, &self.stays, faces).filter(|near| !planes.has_pairs(near[0])) {
                Some(near) => near_meshes.push(near),
                None => add_pairs(&courses, faces, &mut vertex_face, &mut edge_edge),
            }
        });
        self.vertex_face.extend(vertex_face.into_iter().filter(is_lost));
        self.edge_edge.extend(edge_edge.into_iter().filter(is_lost));
        self.keep_off_meshes(particles, since);
        self.sort();
    }

    /// An order that does not depend on when pairs were listed. Nearly all are in it already where a few were listed again: the stable
    /// sort merges these in.
    fn sort(&mut self) {
        self.planes.sort();
        self.vertex_face.sort_by_key(|pair| pair.particles);
        self.edge_edge.sort_by_key(|pair| pair.particles);
        let mut named = vec![false; self.origin.len()];
        for pair in self.vertex_face.iter().chain(&self.edge_edge) {
            pair.particles.iter().for_each(|&p| named[p as usize] = true);
        }
        self.named.clear();
        self.named.extend((0u32..).zip(named).filter_map(|(p, named)| named.then_some(p)));
    }

    /// Decides for how long a list is to hold that is made in a substep of length `h`.
    fn look_ahead(
        &mut self,
        parts: &[Part],
        meshes: &[MeshVertices],
        particles: &Particles,
        edge: f64,
        (h, dt): (f64, f64),
    ) {
        let range = || colliding(parts, meshes).flat_map(|surface| surface.particles.clone());
        let lasted = match self.origin.len() == particles.len() {
            true if self.age + h > self.horizon => (LONGER * self.age).max(h),
            true => self.age.max(h),
            false => f64::INFINITY,
        };
        self.age = h;
        let (mean, mut fastest) = mean_and_fastest(range, &particles.velocity);
        for mesh in meshes {
            let against = |p: usize| particles.velocity[p].distance(mean);
            fastest = match mesh.has_moved() {
                true => mesh.surface.particles.clone().map(against).fold(fastest, f64::max),
                false => fastest.max(mean.length()),
            };
        }
        // A list for a time that it will not last takes longer to make: for not longer than the last one was good, or twice that if it was
        // good to its end.
        self.horizon = (AHEAD * edge / fastest).clamp(dt, LONGEST * dt).min(lasted).max(h.max(SHORTEST * dt));
    }

    /// Lists the pairs that may meet in a substep of length `h` from `previous` to where the particles are now, and after it.
    fn list(&mut self, parts: &[Part], meshes: &[MeshVertices], particles: &Particles, h: f64, dt: f64) {
        let edge = colliding(parts, meshes).map(|surface| surface.edge_length).fold(f64::INFINITY, f64::min);
        self.look_ahead(parts, meshes, particles, edge, (h, dt));
        let tree = self.tree.get_or_insert_with(|| Tree::new(parts, meshes, &particles.previous));
        self.origin.clone_from(&particles.previous);
        self.velocity.clone_from(&particles.velocity);
        // Those that this substep would take elsewhere, as hands do and strained edges, whether or not contacts let them, are
        // allowed to go there.
        let least = SLACK * edge;
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
        self.stays.clear();
        self.stays.extend(meshes.iter().map(|mesh| mesh.stays));
        tree.refit(meshes, &self.origin, &self.velocity, self.horizon, &self.allowance);
        let (vertex_face, edge_edge) = (&mut self.vertex_face, &mut self.edge_edge);
        vertex_face.clear();
        edge_edge.clear();
        let courses = Courses { tree, origin: &self.origin, velocity: &self.velocity, since: 0.0 };
        self.planes.clear(tree.faces.len());
        self.near_meshes.clear();
        tree.for_each_pair(|faces| match with_staying(tree, &self.mesh_of, &self.stays, faces) {
            Some(near) => self.near_meshes.push(near),
            None => add_pairs(&courses, faces, vertex_face, edge_edge),
        });
        self.keep_off_meshes(particles, 0.0);
        self.sort();
    }

    /// Finds planes between faces of cloth and the meshes that they were found to be near, or pairs where planes do not do.
    fn keep_off_meshes(&mut self, particles: &Particles, since: f64) {
        let Some(tree) = &self.tree else { return };
        let courses = Courses { tree, origin: &self.origin, velocity: &self.velocity, since };
        let near_meshes = by_first(&self.near_meshes, tree.faces.len());
        for near in near_meshes.chunk_by(|one, other| one[0] == other[0]) {
            let face = near[0][0] as usize;
            let Face { corners, friction, .. } = tree.faces[face];
            self.triangles.clear();
            self.triangles.extend(near.iter().map(|near| tree.faces[near[1] as usize].corners));
            let mesh = self.mesh_of[self.triangles[0][0] as usize];
            let alone = self.triangles.iter().all(|corners| self.mesh_of[corners[0] as usize] == mesh);
            let held = corners.iter().any(|&p| particles.inverse_mass[p as usize] == 0.0);
            let other = &tree.faces[near[0][1] as usize];
            let offset = tree.faces[face].separation_from(other);
            let before = Before {
                face: face as u32,
                corners,
                places: corners.map(|p| particles.previous[p as usize]),
                course: [corners.map(|p| courses.start(p)), corners.map(|p| tree.end(p))],
                kept: NEARBY * offset + tree.stray(face),
                offset,
                edge: tree.edge(face),
                margin: tree.faces[face].separation(),
                friction: friction.between(other.friction),
                triangles: &self.triangles,
                at: &particles.previous,
            };
            if self.planes.add(&before, alone && !held) {
                for &[cloth, mesh] in near {
                    let faces = [mesh as usize, cloth as usize];
                    add_pairs(&courses, faces, &mut self.vertex_face, &mut self.edge_edge);
                }
            }
        }
    }

    /// Ranges of particles that may be elsewhere than they were expected: all but those of meshes that have stayed.
    fn watched<'a>(&'a self, parts: &'a [Part], meshes: &'a [MeshVertices]) -> impl Iterator<Item = Range<usize>> + 'a {
        let gone = meshes.iter().zip(&self.moves).filter(|(mesh, moves)| mesh.moves != **moves);
        let meshes_gone = gone.map(|(mesh, _)| mesh.surface.particles.clone());
        colliding(parts, meshes).map(|surface| surface.particles.clone()).chain(meshes_gone)
    }

    /// Whether the list still covers where all particles are, at the end of the running substep.
    pub fn covers(&self, parts: &[Part], meshes: &[MeshVertices], particles: &Particles) -> bool {
        self.tree.is_none()
            || self.watched(parts, meshes).all(|range| {
                let places = particles.position[range.clone()].iter().zip(self.courses(range));
                places.fold(true, |covers, (position, (&origin, &velocity, &allowance))| {
                    covers & (position.distance_squared(origin + velocity * self.age) <= allowance * allowance)
                })
            })
    }

    /// Where some particles were when pairs were listed, how they moved, and how far each may be off.
    fn courses(&self, range: Range<usize>) -> impl Iterator<Item = (&DVec3, &DVec3, &f64)> {
        let courses = self.origin[range.clone()].iter().zip(&self.velocity[range.clone()]);
        courses.zip(&self.allowance[range]).map(|((origin, velocity), allowance)| (origin, velocity, allowance))
    }

    /// Notes how far each particle that is of a pair has strayed at most, anywhere on its way through the running substep, or staying
    /// where that began.
    fn stray(&mut self, particles: &Particles, h: f64) {
        let mut strayed = std::mem::take(&mut self.strayed);
        let from = (self.age - h).max(0.0);
        (strayed.from, strayed.until) = (round_down(from), round_up(self.age));
        strayed.by.resize(particles.len(), 0.0);
        strayed.most = 0.0;
        for p in self.named.iter().map(|&p| p as usize) {
            let (previous, position) = (particles.previous[p], particles.position[p]);
            let (origin, velocity) = (self.origin[p], self.velocity[p]);
            let (begin, end) = (origin + velocity * from, origin + velocity * self.age);
            let stayed = previous.distance_squared(begin).max(previous.distance_squared(end));
            strayed.by[p] = round_up(stayed.max(position.distance_squared(end)).sqrt());
            strayed.most = strayed.most.max(strayed.by[p]);
        }
        self.strayed = strayed;
    }
}

/// The courses of all particles from some time after they were listed on.
struct Courses<'a> {
    tree: &'a Tree,
    origin: &'a [DVec3],
    velocity: &'a [DVec3],
    since: f64,
}

impl Courses<'_> {
    /// Where a particle is when they begin.
    #[inline(always)]
    fn start(&self, particle: u32) -> DVec3 {
        self.origin[particle as usize] + self.velocity[particle as usize] * self.since
    }
}

/// Pairs of faces in the order of the first ones, by counting.
fn by_first(pairs: &[[u32; 2]], faces: usize) -> Vec<[u32; 2]> {
    let mut ends = vec![0u32; faces + 1];
    pairs.iter().for_each(|pair| ends[pair[0] as usize + 1] += 1);
    for face in 0..faces {
        ends[face + 1] += ends[face];
    }
    let mut sorted = vec![[0; 2]; pairs.len()];
    for pair in pairs {
        let place = &mut ends[pair[0] as usize];
        sorted[*place as usize] = *pair;
        *place += 1;
    }
    sorted
}

/// Two faces, that of cloth first, if the other is of a mesh that stays.
#[inline(always)]
fn with_staying(tree: &Tree, mesh_of: &[u32], stays: &[bool], faces: [usize; 2]) -> Option<[u32; 2]> {
    let [a, b] = faces.map(|face| {
        let mesh = mesh_of[tree.faces[face].corners[0] as usize];
        mesh != NONE && stays[mesh as usize]
    });
    let [one, other] = faces.map(|face| face as u32);
    if b { Some([one, other]) } else { a.then_some([other, one]) }
}

/// Adds the pairs of features of two faces that may come near each other on their courses.
#[inline(always)]
fn add_pairs(courses: &Courses, faces: [usize; 2], vertex_face: &mut Vec<Pair>, edge_edge: &mut Vec<Pair>) {
    let ([a, b], tree) = (faces, courses.tree);
    for (one, other) in [(a, b), (b, a)] {
        let corners = tree.faces[other].corners;
        for &v in tree.owned_corners(one) {
            if tree.course(v).meets(tree.box_of(other)) && !corners.contains(&v) {
                let [p, q, r] = corners;
                vertex_face.extend(approaching::<VertexFace>(courses, faces, [v, p, q, r], 1.0));
            }
        }
    }
    for Edge { ends: [p, q], share: own_share, course } in tree.owned_edges(a) {
        if !course.meets(tree.box_of(b)) {
            continue;
        }
        for Edge { ends: [r, s], share, course: other } in tree.owned_edges(b) {
            if course.meets(other) && p != r && p != s && q != r && q != s {
                let share = share.min(*own_share);
                edge_edge.extend(approaching::<EdgeEdge>(courses, faces, [*p, *q, *r, *s], share));
            }
        }
    }
}

/// Two features of two faces, which keep a share of their separation, if they may come near each other on their courses. They do not
/// if one direction keeps them farther apart at both ends, since their points go straight.
#[inline]
fn approaching<F: Features>(courses: &Courses, faces: [usize; 2], particles: [u32; 4], share: f64) -> Option<Pair> {
    let tree = courses.tree;
    let [a, b] = faces.map(|face| &tree.faces[face]);
    let shortest = F::shortest(&particles.map(|p| courses.start(p)));
    let distance = shortest.length();
    let separation = share * a.separation_from(b);
    let kept = NEARBY * separation + tree.stray(faces[0]) + tree.stray(faces[1]);
    let at_end = match distance > 0.0 {
        true => gap::<F>(shortest, &particles.map(|p| tree.end(p))) / distance,
        false => 0.0,
    };
    if !distance.is_finite() || distance > kept && at_end > kept {
        return None;
    }
    let friction = a.friction.between(b.friction);
    let rate = (at_end - distance) / (tree.time() - courses.since);
    Some(Pair {
        particles,
        // As if it had grown or shrunk like that since all were listed.
        distance: round_lower(distance - rate * courses.since),
        rate: round_lower(rate),
        separation: separation as f32,
        friction: [friction.fixed as f32, friction.sliding as f32],
    })
}

/// How far the first of two features is beyond the second along a direction.
#[inline(always)]
fn gap<F: Features>(direction: DVec3, points: &[DVec3; 4]) -> f64 {
    // Not `f64::min`, which takes longer for the sake of NaNs.
    let along = points.map(|point| direction.dot(point));
    let low = along[..F::FIRST].iter().fold(f64::INFINITY, |low, &x| if x < low { x } else { low });
    let high = along[F::FIRST..].iter().fold(f64::NEG_INFINITY, |high, &x| if x > high { x } else { high });
    low - high
}

/// Single precision, towards zero.
fn round_down(length: f64) -> f32 {
    (length * (1.0 - 1e-6)) as f32
}

/// Single precision, downwards.
fn round_lower(value: f64) -> f32 {
    (value - 1e-6 * value.abs()) as f32
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
        let pair = Pair { particles: [0, 1, 2, 3], distance: 0.1, rate: 0.0, separation: 0.02, friction: [0.0; 2] };
        let most = |by: [f32; 4]| by.into_iter().fold(0.0, f32::max);
        let strayed = |by: [f32; 4]| Strayed { by: by.to_vec(), most: most(by), from: 1.0, until: 2.0 };
        let within = |by: [f32; 4], distance: f32| pair.may_be_within::<EdgeEdge>(distance, &strayed(by));
        assert!(!within([0.03, 0.01, 0.04, 0.0], 0.02));
        assert!(within([0.03, 0.01, 0.05, 0.0], 0.02));
        assert!(!within([0.05, 0.05, 0.04, 0.04], 0.0), "two particles of one edge do not add up");
        assert!(pair.may_be_within::<VertexFace>(0.0, &strayed([0.05, 0.05, 0.0, 0.0])));
        // What closes is judged by the end of the substep, what opens by its begin.
        let closing = |rate: f32| Pair { rate, ..pair }.may_be_within::<EdgeEdge>(0.02, &strayed([0.0; 4]));
        assert!(closing(-0.041) && !closing(-0.039) && !closing(0.041));
    }
}
