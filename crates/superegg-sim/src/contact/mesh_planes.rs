//! One plane in place of many pairs: where a mesh that stays is convex before a triangle of cloth.
//!
//! When pairs are listed, a triangle of cloth is told all triangles of a mesh that it may come near for as long as the list holds. If one
//! plane has all of them below it and the triangle of cloth above, no feature of either can meet while the triangle stays above that
//! plane, as none do with smooth bodies ([`super::cloth_body`]), and no pair of them has to be listed. The best plane is across the
//! shortest way to the hull of the mesh's triangles ([`separating_plane`]). It is taken if the hull's nearest point is a point of the mesh:
//! else the mesh is hollow there, and cloth is to get into the hollow, which takes pairs.
//!
//! Planes are looked for again as the cloth slides along, from the same triangles, and better ones taken, as with smooth bodies.

use std::ops::Range;

use glam::DVec3;
use superegg_world::triangle::nearest_to_point;

use super::separating_plane::{Between, SeparatingPlane, separating_plane};
use crate::body::Friction;

/// How far off a mesh the nearest point of its hull may be, as a part of the distance that cloth keeps from it.
const HOLLOW: f64 = 0.1;
/// Closer than this part of that distance the shortest way is no direction.
const UNSURE: f64 = 1e-3;

/// A triangle of cloth above its plane.
#[derive(Clone, Debug)]
pub(crate) struct MeshPlane {
    /// Particles of the triangle, and its number in the tree.
    pub corners: [u32; 3],
    face: u32,
    /// The mesh is where `normal · x ≤ support`.
    pub normal: DVec3,
    pub support: f64,
    pub friction: Friction,
    /// How far the cloth is to stay away.
    pub offset: f64,
    /// The mean length of the cloth's edges.
    edge: f64,
    /// How far above the plane corners may be that contacts with other cloth may push below it.
    pub margin: f64,
    /// Where the corners were when it was found.
    places: [DVec3; 3],
    /// Which of the known corners of the mesh it is above, and between which of them and its own the shortest way was.
    above: [u32; 2],
    between: Between,
}

impl MeshPlane {
    /// How far the lowest of three points is above the plane.
    #[inline]
    pub fn gap(&self, points: &[DVec3; 3]) -> f64 {
        let [a, b, c] = points.map(|p| self.normal.dot(p));
        a.min(b).min(c) - self.support
    }

    fn above(&self) -> Range<usize> {
        self.above[0] as usize..self.above[1] as usize
    }
}

/// How a triangle of cloth is kept off meshes that stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
enum Kept {
    /// It is too far away from them, or by a plane.
    #[default]
    ByPlane,
    ByPairs,
}

/// A triangle of cloth that is to be kept off a mesh.
pub(crate) struct Before<'a> {
    pub face: u32,
    pub corners: [u32; 3],
    /// Where its corners are, and where they were expected to be now and when the list ends.
    pub places: [DVec3; 3],
    pub course: [[DVec3; 3]; 2],
    /// How near it may come, give or take what it may stray.
    pub kept: f64,
    pub offset: f64,
    /// The mean length of the cloth's edges.
    pub edge: f64,
    pub margin: f64,
    pub friction: Friction,
    /// The triangles of the mesh, by their particles, and where these are.
    pub triangles: &'a [[u32; 3]],
    pub at: &'a [DVec3],
}

/// All planes of a list.
#[derive(Clone, Debug, Default)]
pub(crate) struct MeshPlanes {
    pub planes: Vec<MeshPlane>,
    /// Corners of the mesh below each plane, one after the other, and which particles these are.
    points: Vec<DVec3>,
    particles: Vec<u32>,
    /// Of each face of the tree.
    kept: Vec<Kept>,
    /// How often planes were listed.
    pub version: u64,
    /// The shortest ways of the list before, by faces in order: corners of the face and particles of the mesh.
    before: Vec<(u32, Between)>,
}

impl MeshPlanes {
    /// Forgets all planes, for a tree of some faces.
    pub fn clear(&mut self, faces: usize) {
        self.before.clear();
        self.before.extend(self.planes.iter().map(|plane| (plane.face, named(plane, &self.particles))));
        self.planes.clear();
        self.points.clear();
        self.particles.clear();
        self.kept.clear();
        self.kept.resize(faces, Kept::ByPlane);
        self.version += 1;
    }

    /// Forgets the planes of some faces, which are in order.
    pub fn forget(&mut self, faces: &[u32]) {
        self.before.clear();
        let (before, particles) = (&mut self.before, &self.particles);
        self.planes.retain(|plane| {
            let gone = faces.binary_search(&plane.face).is_ok();
            if gone {
                before.push((plane.face, named(plane, particles)));
            }
            !gone
        });
        self.version += 1;
    }

    /// Brings planes into an order that does not depend on when they were listed.
    pub fn sort(&mut self) {
        self.planes.sort_by_key(|plane| plane.face);
    }

    /// Whether pairs of a face with meshes that stay are listed.
    pub fn has_pairs(&self, face: u32) -> bool {
        self.kept[face as usize] == Kept::ByPairs
    }

    /// Finds a plane, if one may do; whether pairs are needed instead.
    pub fn add(&mut self, before: &Before, may_do: bool) -> bool {
        let first = self.points.len();
        if !may_do {
            return self.needs_pairs(before.face, first);
        }
        for &p in before.triangles.iter().flatten() {
            if !self.particles[first..].contains(&p) {
                self.particles.push(p);
                self.points.push(before.at[p as usize]);
            }
        }
        let own = &self.particles[first..];
        let known = self.before.binary_search_by_key(&before.face, |known| known.0);
        let between = known.map_or([[0; 2]; 3], |known| {
            // What is no longer near is left out.
            let number = |[corner, p]: [u32; 2]| Some([corner, own.iter().position(|other| *other == p)? as u32]);
            let numbers = self.before[known].1.map(number);
            let one = numbers.iter().flatten().next().copied().unwrap_or_default();
            numbers.map(|number| number.unwrap_or(one))
        });
        let found = separating_plane(&before.places, &self.points[first..], between);
        let Some(plane) = found.filter(|plane| plane.gap > UNSURE * before.offset) else {
            return self.needs_pairs(before.face, first);
        };
        let course = before.course.iter().flatten().map(|place| plane.normal.dot(*place));
        if course.fold(f64::INFINITY, f64::min) - plane.support > before.kept {
            self.truncate(first);
            return false;
        }
        if is_hollow(&plane, own, before) {
            return self.needs_pairs(before.face, first);
        }
        self.planes.push(MeshPlane {
            corners: before.corners,
            face: before.face,
            normal: plane.normal,
            support: plane.support,
            friction: before.friction,
            offset: before.offset,
            edge: before.edge,
            margin: before.margin,
            places: before.places,
            above: [first as u32, self.points.len() as u32],
            between: plane.between,
        });
        false
    }

    fn needs_pairs(&mut self, face: u32, first: usize) -> bool {
        self.truncate(first);
        self.kept[face as usize] = Kept::ByPairs;
        true
    }

    fn truncate(&mut self, first: usize) {
        self.points.truncate(first);
        self.particles.truncate(first);
    }

    /// Looks for better planes of triangles whose corners have moved by a part `stale` of an edge, on average, and that may reach theirs.
    pub fn improve(&mut self, positions: &[DVec3], stale: f64, reach: impl Fn([u32; 3]) -> f64) {
        for index in 0..self.planes.len() {
            let plane = &self.planes[index];
            let places = plane.corners.map(|p| positions[p as usize]);
            let moved: f64 = plane.places.iter().zip(&places).map(|(then, now)| then.distance(*now)).sum();
            let gap = plane.gap(&places);
            if moved <= 3.0 * stale * plane.edge || gap >= plane.offset + reach(plane.corners) {
                continue;
            }
            let better = separating_plane(&places, &self.points[plane.above()], plane.between);
            let plane = &mut self.planes[index];
            if let Some(better) = better.filter(|better| better.gap > gap) {
                (plane.normal, plane.support, plane.between) = (better.normal, better.support, better.between);
            }
            plane.places = places;
        }
    }
}

/// The shortest way of a plane by particles of the mesh.
fn named(plane: &MeshPlane, particles: &[u32]) -> Between {
    plane.between.map(|[corner, number]| [corner, particles[plane.above()][number as usize]])
}

/// Whether the hull of some triangles, whose particles are listed, is nearer than they are.
fn is_hollow(plane: &SeparatingPlane, particles: &[u32], before: &Before) -> bool {
    let ends = plane.between.map(|[_, number]| particles[number as usize]);
    if before.triangles.iter().any(|corners| ends.iter().all(|end| corners.contains(end))) {
        return false;
    }
    let most = HOLLOW * before.offset;
    let off = |corners: &[u32; 3]| {
        let triangle = corners.map(|p| before.at[p as usize]);
        nearest_to_point(&triangle, plane.nearest).distance_squared(plane.nearest)
    };
    !before.triangles.iter().any(|triangle| off(triangle) <= most * most)
}
