//! The convex hull of points in space: randomised incremental construction with conflict lists (Clarkson and Shor 1989; each
//! point knows one facet that it sees) on exact orientation tests (Shewchuk 1997, crate `robust`).
//!
//! The tests decide on the coordinates as they are, so that no input, however flat or crowded, leaves a surface that is open or
//! folded. Points are taken in a random order that is always the same: the expected time is that of sorting, whatever
//! the order of the input. The outermost points along the axes come first, which throws most others out early.

use glam::DVec3;
use robust::{Coord3D, orient3d};

/// Thickness of the cloud, as a part of its length, below which it counts as flat.
const FLAT: f64 = 1e-10;
const NONE: u32 = u32::MAX;

/// A closed surface of triangles with outward winding.
pub(in crate::shape) struct Surface {
    /// Indices of the points that are corners.
    pub corners: Vec<u32>,
    /// Three indices into `corners` each.
    pub triangles: Vec<[u32; 3]>,
}

/// The hull of points whose coordinates are finite; `None` where they span no volume.
pub(in crate::shape) fn convex_hull(points: &[DVec3]) -> Option<Surface> {
    let (low, high) = points
        .iter()
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), point| (low.min(*point), high.max(*point)));
    let largest = low.abs().max(high.abs()).max_element();
    if !(high - low).is_finite() || largest == 0.0 {
        return None;
    }
    // A power of two: exact, and no product of three overflows or vanishes.
    let scale = 2.0_f64.powi(-(largest.log2().ceil() as i32));
    let scaled: Vec<DVec3> = points.iter().map(|point| *point * scale).collect();
    let mut used: Vec<u32> = (0..points.len() as u32).collect();
    // Points in the middle of a face or an edge may have become corners while the hull was smaller: the hull of the others is the
    // same.
    loop {
        let chosen: Vec<DVec3> = used.iter().map(|&index| scaled[index as usize]).collect();
        let triangles = Builder::new(&chosen)?.build();
        let needed = needed_corners(&chosen, &triangles);
        if needed.iter().filter(|needed| **needed).count() == chosen.len() {
            return Some(Surface { corners: used, triangles: triangles.iter().map(|facet| facet.corners).collect() });
        }
        used = used.iter().zip(needed).filter(|(_, needed)| *needed).map(|(&index, _)| index).collect();
    }
}

#[derive(Clone, Copy)]
struct Facet {
    corners: [u32; 3],
    /// The facet across the edge from each corner to the next.
    across: [u32; 3],
    /// The first of the points that know this facet as one that they see.
    first: u32,
    alive: bool,
    /// The last point for which it was looked at.
    seen_by: u32,
}

struct Builder<'a> {
    points: &'a [DVec3],
    facets: Vec<Facet>,
    free: Vec<u32>,
    /// For each point, a facet that it sees, and the next point of that facet's list.
    conflict: Vec<u32>,
    next: Vec<u32>,
    /// For each point on the horizon, the new facet that starts there.
    starts: Vec<u32>,
    order: Vec<u32>,
}

impl<'a> Builder<'a> {
    /// A tetrahedron of four points far from each other.
    fn new(points: &'a [DVec3]) -> Option<Builder<'a>> {
        let extremes = axis_extremes(points);
        let first = first_tetrahedron(points, &extremes)?;
        let [a, b, c, d] = first;
        let facets = [[a, b, c], [a, c, d], [a, d, b], [b, d, c]].map(|corners| Facet {
            corners,
            across: [0; 3],
            first: NONE,
            alive: true,
            seen_by: NONE,
        });
        let count = points.len();
        let mut builder = Builder {
            points,
            facets: facets.to_vec(),
            free: Vec::new(),
            conflict: vec![NONE; count],
            next: vec![NONE; count],
            starts: vec![NONE; count],
            order: extremes.into_iter().chain(shuffled(count)).collect(),
        };
        for (index, across) in [[2, 3, 1], [0, 3, 2], [1, 3, 0], [2, 1, 0]].into_iter().enumerate() {
            builder.facets[index].across = across.map(|facet| facet as u32);
        }
        for point in 0..count as u32 {
            builder.assign(point, &[0, 1, 2, 3]);
        }
        Some(builder)
    }

    fn build(mut self) -> Vec<Facet> {
        let mut stack = Vec::new();
        let (mut visible, mut horizon, mut fresh) = (Vec::new(), Vec::new(), Vec::new());
        for turn in 0..self.order.len() {
            let point = self.order[turn];
            let start = self.conflict[point as usize];
            if start == NONE {
                continue;
            }
            stack.clear();
            visible.clear();
            horizon.clear();
            fresh.clear();
            self.facets[start as usize].seen_by = point;
            stack.push(start);
            while let Some(facet) = stack.pop() {
                visible.push(facet);
                let Facet { corners, across, .. } = self.facets[facet as usize];
                for side in 0..3 {
                    let other = across[side];
                    if self.facets[other as usize].seen_by == point {
                        continue;
                    }
                    if self.sees(point, other) {
                        self.facets[other as usize].seen_by = point;
                        stack.push(other);
                    } else {
                        horizon.push((corners[side], corners[(side + 1) % 3], other));
                    }
                }
            }
            self.cover(point, &horizon, &mut fresh);
            self.conflict[point as usize] = NONE;
            for &facet in &visible {
                let mut other = self.facets[facet as usize].first;
                while other != NONE {
                    let after = self.next[other as usize];
                    if other != point {
                        self.assign(other, &fresh);
                    }
                    other = after;
                }
                self.facets[facet as usize].alive = false;
            }
            self.free.append(&mut visible);
        }
        self.compacted()
    }

    /// New facets from the horizon to a point.
    fn cover(&mut self, point: u32, horizon: &[(u32, u32, u32)], fresh: &mut Vec<u32>) {
        for &(from, to, outside) in horizon {
            let facet = Facet {
                corners: [from, to, point],
                across: [outside, NONE, NONE],
                first: NONE,
                alive: true,
                seen_by: NONE,
            };
            let index = match self.free.pop() {
                Some(index) => {
                    self.facets[index as usize] = facet;
                    index
                }
                None => {
                    self.facets.push(facet);
                    (self.facets.len() - 1) as u32
                }
            };
            self.starts[from as usize] = index;
            let neighbour = &mut self.facets[outside as usize];
            let side = (0..3).find(|&side| neighbour.corners[side] == to && neighbour.corners[(side + 1) % 3] == from);
            neighbour.across[side.unwrap_or(0)] = index;
            fresh.push(index);
        }
        for &index in fresh.iter() {
            let to = self.facets[index as usize].corners[1];
            let after = self.starts[to as usize];
            self.facets[index as usize].across[1] = after;
            self.facets[after as usize].across[2] = index;
        }
    }

    /// Whether a point is strictly above a facet's plane.
    fn sees(&self, point: u32, facet: u32) -> bool {
        let [a, b, c] = self.facets[facet as usize].corners.map(|corner| self.points[corner as usize]);
        orientation(a, b, c, self.points[point as usize]) < 0.0
    }

    /// Puts a point on the list of the first of some facets that it sees; it lies inside where it sees none.
    fn assign(&mut self, point: u32, among: &[u32]) {
        let seen = among.iter().copied().find(|&facet| self.sees(point, facet));
        self.conflict[point as usize] = seen.unwrap_or(NONE);
        if let Some(facet) = seen {
            self.next[point as usize] = self.facets[facet as usize].first;
            self.facets[facet as usize].first = point;
        }
    }

    /// The facets that are left, numbered anew.
    fn compacted(self) -> Vec<Facet> {
        let mut numbers = vec![NONE; self.facets.len()];
        let alive = |facet: &Facet| facet.alive;
        for (number, (index, _)) in (0u32..).zip(self.facets.iter().enumerate().filter(|(_, facet)| alive(facet))) {
            numbers[index] = number;
        }
        let renumbered = |facet: &Facet| Facet { across: facet.across.map(|other| numbers[other as usize]), ..*facet };
        self.facets.iter().filter(|facet| alive(facet)).map(renumbered).collect()
    }
}

/// Positive where d is below the plane of a, b, c, which turn counterclockwise seen from above.
fn orientation(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> f64 {
    let [a, b, c, d] = [a, b, c, d].map(|p| Coord3D { x: p.x, y: p.y, z: p.z });
    orient3d(a, b, c, d)
}

fn axis_extremes(points: &[DVec3]) -> [u32; 6] {
    let mut extremes = [0u32; 6];
    for (index, point) in (0u32..).zip(points) {
        for axis in 0..3 {
            if point[axis] < points[extremes[2 * axis] as usize][axis] {
                extremes[2 * axis] = index;
            }
            if point[axis] > points[extremes[2 * axis + 1] as usize][axis] {
                extremes[2 * axis + 1] = index;
            }
        }
    }
    extremes
}

/// Four points far from each other, such that the last is below the plane of the others; `None` for a flat cloud.
fn first_tetrahedron(points: &[DVec3], extremes: &[u32; 6]) -> Option<[u32; 4]> {
    let at = |index: u32| points[index as usize];
    let farthest = |measure: &dyn Fn(DVec3) -> f64| {
        let mut best = (0u32, f64::NEG_INFINITY);
        for (index, point) in (0u32..).zip(points) {
            let value = measure(*point);
            if value > best.1 {
                best = (index, value);
            }
        }
        best
    };
    let pairs = extremes.iter().flat_map(|&a| extremes.iter().map(move |&b| (a, b)));
    let (a, b) = pairs.max_by(|p, q| at(p.0).distance(at(p.1)).total_cmp(&at(q.0).distance(at(q.1))))?;
    let length = at(a).distance(at(b));
    let along = (at(b) - at(a)) / length;
    let (c, aside) = farthest(&|p| (p - at(a)).reject_from_normalized(along).length());
    if length <= 0.0 || aside <= FLAT * length {
        return None;
    }
    let normal = along.cross(at(c) - at(a)).normalize_or_zero();
    let (d, thickness) = farthest(&|p| normal.dot(p - at(a)).abs());
    if thickness <= FLAT * length {
        return None;
    }
    match orientation(at(a), at(b), at(c), at(d)) {
        below if below > 0.0 => Some([a, b, c, d]),
        above if above < 0.0 => Some([a, c, b, d]),
        _ => None,
    }
}

/// The numbers below a count in an order that is random but always the same (Fisher and Yates, splitmix64).
fn shuffled(count: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count as u32).collect();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for last in (1..count).rev() {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let choice = ((u128::from(mixed ^ (mixed >> 31)) * (last as u128 + 1)) >> 64) as usize;
        order.swap(last, choice);
    }
    order
}

/// Whether each point is a corner in which at least three faces meet, faces being all that lies exactly in one plane.
fn needed_corners(points: &[DVec3], facets: &[Facet]) -> Vec<bool> {
    let mut face: Vec<u32> = (0..facets.len() as u32).collect();
    fn root(face: &mut [u32], mut index: u32) -> u32 {
        while face[index as usize] != index {
            face[index as usize] = face[face[index as usize] as usize];
            index = face[index as usize];
        }
        index
    }
    for (index, facet) in (0u32..).zip(facets) {
        let [a, b, c] = facet.corners.map(|corner| points[corner as usize]);
        for other in facet.across.into_iter().filter(|&other| other > index) {
            let beyond = facets[other as usize].corners.into_iter().find(|corner| !facet.corners.contains(corner));
            if beyond.is_some_and(|corner| orientation(a, b, c, points[corner as usize]) == 0.0) {
                let (one, two) = (root(&mut face, index), root(&mut face, other));
                face[one.max(two) as usize] = one.min(two);
            }
        }
    }
    // Two different faces are remembered for each corner; a third one settles it.
    let mut met = vec![[NONE; 2]; points.len()];
    let mut needed = vec![false; points.len()];
    for (index, facet) in (0u32..).zip(facets) {
        let own = root(&mut face, index);
        for corner in facet.corners {
            let met = &mut met[corner as usize];
            match met.iter().position(|&face| face == own || face == NONE) {
                Some(slot) => met[slot] = own,
                None => needed[corner as usize] = true,
            }
        }
    }
    needed
}
