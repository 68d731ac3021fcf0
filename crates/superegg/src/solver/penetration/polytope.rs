//! A closed surface of triangles between support points of the difference body, which grows by one point at a time: the
//! expanding polytope of van den Bergen (Proximity Queries and Penetration Depth Computation on 3D Game Objects, 2001).
//!
//! What the surface proves does not rest on its being convex. Each facet carries a unit vector and the least product of
//! that vector with the facet's corners, its *offset*: no point of the facet is nearer to the origin, whatever vector it
//! is. So a ball about the origin with the least offset as its radius meets no facet; a closed surface that is not
//! pierced by a ball winds round all of it as often as round the origin, and points that a surface winds round lie in the
//! convex hull of its corners, which lie in the body. See `certificate::depth_bounds` for rounding.
//!
//! Storage is fixed: nothing is allocated.

use arrayvec::ArrayVec;

use crate::solver::body::simplex::closest_on_simplex;
use crate::solver::penetration::memory::{Corner, MOST_KEPT, Memory};
use crate::solver::penetration::octahedron::{OCTAHEDRON, Side, Triangle, next};
#[cfg(target_arch = "x86_64")]
use crate::solver::simd::avx2::F64x4;
use crate::solver::simd::{Mask, Real, Several, V3};

/// Support points that a polytope can hold; more are never evaluated for one pair.
pub(crate) const MOST_VERTICES: usize = 512;
/// Facets of a closed surface with that many corners.
const MOST_FACETS: usize = 2 * MOST_VERTICES - 4;
/// Edges of the rim that an insertion may leave, facets that it may remove, and edges that wait to be looked at.
const MOST_RIM: usize = 64;
const MOST_HIDDEN: usize = 96;
/// A point this far above a facet's plane, in units of the size, sees the facet.
const ABOVE: f64 = 1e-15;
/// Twice the area of a facet, as a part of the squares of two sides, below which it is thin: its plane is then less
/// certain than its longest side.
const THIN: f64 = 1e-6;
/// The same below which it subtends nothing that counts.
const VANISHING: f64 = 1e-13;
const TINY: f64 = 1e-290;
/// Facets that are computed together.
const LANES: usize = 4;

/// A support point of the difference body.
#[derive(Clone, Copy)]
pub(crate) struct Vertex {
    /// Point of a minus point of b; within a polytope less the radius of its [`Polytope::ball`] along the normal.
    pub p: V3<f64>,
    /// Point of a, in a's frame.
    pub x_a: V3<f64>,
    /// Point of b, in b's frame.
    pub in_b: V3<f64>,
    /// Unit normal along which it is the farthest point.
    pub normal: V3<f64>,
    /// Slopes of a's and of b's point if they are tapered, a guess for those nearby; not numbers where there is none.
    pub slopes: [f64; 2],
}

impl Vertex {
    /// The support point on the other side of a body that is symmetric about a point; a's own origin is its middle.
    #[inline(always)]
    pub fn mirrored(&self, twice_middle: V3<f64>) -> Vertex {
        let Vertex { p, x_a, in_b, normal, .. } = *self;
        Vertex { p: twice_middle - p, x_a: -x_a, in_b: -in_b, normal: -normal, slopes: [f64::NAN; 2] }
    }
}

/// A side of a facet that a point does not see, next to one that it does, with the corners between which the new facet runs.
#[derive(Clone, Copy)]
struct Edge {
    side: Side,
    from: u16,
    to: u16,
}

#[derive(Clone, Copy)]
struct Facet {
    normal: V3<f64>,
    /// Least product of the normal with a corner; infinite for a slot that is not in use.
    offset: f64,
    joins: Triangle,
    /// The insertion that looked at the facet last and saw it.
    seen_by: u16,
}

impl Facet {
    #[inline(always)]
    fn is_seen_from(&self, p: V3<f64>) -> bool {
        self.normal.dot(p) > self.offset + ABOVE
    }

    fn three_corners(&self) -> [u16; 3] {
        let [a, b, c, _] = self.joins.corners;
        [a, b, c]
    }
}

/// The surface.
pub(crate) struct Polytope {
    vertices: ArrayVec<Vertex, MOST_VERTICES>,
    facets: ArrayVec<Facet, MOST_FACETS>,
    /// Radius of the ball that was taken from the body.
    ball: f64,
    /// Facets that may be refined, in no order; some of them are gone meanwhile.
    queue: ArrayVec<Open, MOST_FACETS>,
    /// Facets of this offset and above are of no interest.
    ceiling: f64,
    /// Least offset of the facets that cannot be refined any more.
    floor: f64,
    /// Slots of removed facets.
    free: ArrayVec<u16, MOST_FACETS>,
    insertions: u16,
    apex: Option<Apex>,
}

/// A corner that is none of the body, and the support point to take its place.
struct Apex {
    corner: usize,
    support: Vertex,
}

/// A part of the ball about the origin that the body is known to hold: points within an angle of a unit normal.
#[derive(Clone, Copy)]
pub(crate) struct Cap {
    pub normal: V3<f64>,
    /// Of the angle; -1 where it is the whole ball.
    pub cosine: f64,
    /// Of the ball.
    pub radius: f64,
}

impl Cap {
    /// Whether it is the whole ball.
    pub fn is_whole(&self) -> bool {
        self.cosine == -1.0
    }

    /// The tip of the cone that touches the ball where the cap ends: see `certificate::depth_bounds`.
    #[inline(always)]
    pub fn apex(&self) -> V3<f64> {
        self.normal * (self.radius / self.cosine)
    }
}

/// A facet that may be refined, by its slot; the offset tells whether the slot still holds it.
#[derive(Clone, Copy)]
pub(crate) struct Open {
    pub offset: f64,
    pub facet: u16,
}

impl Polytope {
    /// Without any corner.
    #[inline(always)]
    pub fn new() -> Polytope {
        Polytope {
            vertices: ArrayVec::new(),
            facets: ArrayVec::new(),
            ball: 0.0,
            queue: ArrayVec::new(),
            ceiling: f64::INFINITY,
            floor: f64::INFINITY,
            free: ArrayVec::new(),
            insertions: 0,
            apex: None,
        }
    }

    /// Begins with an octahedron of support points along x, -x, y, -y, z, -z of any right-handed axes.
    #[inline(always)]
    pub fn start<P: Planes>(&mut self, corners: &[Vertex; 6]) {
        self.vertices.extend(*corners);
        for triangles in OCTAHEDRON.as_chunks::<LANES>().0 {
            let corner = |index: usize| triangles.map(|triangle| self.vertices[usize::from(triangle.corners[index])].p);
            let (normals, offsets) = P::of(&corner(0), &corner(1), &corner(2));
            for (joins, (normal, offset)) in triangles.iter().zip(normals.into_iter().zip(offsets)) {
                self.put(Open { offset, facet: self.facets.len() as u16 });
                self.facets.push(Facet { normal, offset, joins: *joins, seen_by: 0 });
            }
        }
    }

    pub fn is_full(&self) -> bool {
        self.vertices.is_full()
    }

    pub fn normal(&self, open: Open) -> V3<f64> {
        self.facets[usize::from(open.facet)].normal
    }

    /// Slopes of the facet's corner whose own normal is closest to the facet's.
    #[inline(always)]
    pub fn slopes(&self, open: Open) -> [f64; 2] {
        let facet = &self.facets[usize::from(open.facet)];
        let mut best = (f64::NEG_INFINITY, [f64::NAN; 2]);
        for corner in facet.three_corners() {
            let vertex = &self.vertices[usize::from(corner)];
            let agreement = vertex.normal.dot(facet.normal);
            if agreement > best.0 {
                best = (agreement, vertex.slopes);
            }
        }
        best.1
    }

    /// Begins with the polytope of an earlier search, whose corners as the bodies lie now are given, with the apex of a cap; `support` is the
    /// support point along its normal.
    #[inline(always)]
    pub fn recall<P: Planes>(
        &mut self,
        corners: impl Iterator<Item = Vertex>,
        memory: &Memory,
        cap: &Cap,
        support: Vertex,
    ) {
        self.vertices.extend(corners);
        if let Some(corner) = memory.apex {
            self.vertices[corner] = Vertex { p: cap.apex(), ..support };
            self.apex = Some(Apex { corner, support });
        }
        for triangles in memory.facets.chunks(LANES) {
            let mut four = [triangles[0]; LANES];
            four[..triangles.len()].copy_from_slice(triangles);
            let corner = |index: usize| four.map(|triangle| self.vertices[usize::from(triangle.corners[index])].p);
            let (normals, offsets) = P::of(&corner(0), &corner(1), &corner(2));
            for (joins, (normal, offset)) in triangles.iter().zip(normals.into_iter().zip(offsets)) {
                let facet = self.facets.len() as u16;
                if joins.is_unused() {
                    self.facets.push(UNUSED);
                    self.free.push(facet);
                } else {
                    self.put(Open { offset, facet });
                    self.facets.push(Facet { normal, offset, joins: *joins, seen_by: 0 });
                }
            }
        }
    }

    /// Keeps the polytope for a later search: nothing where a ball was taken from the body, or where it has become too large.
    #[inline(always)]
    pub fn keep(&self, memory: &mut Memory) {
        memory.forget();
        if self.ball > 0.0 || self.vertices.len() > MOST_KEPT {
            return;
        }
        memory.corners.extend(self.vertices.iter().map(|&Vertex { x_a, in_b, .. }| Corner { x_a, in_b }));
        memory.facets.extend(
            self.facets.iter().map(|facet| if facet.offset < f64::INFINITY { facet.joins } else { Triangle::UNUSED }),
        );
        memory.apex = self.apex.as_ref().map(|apex| apex.corner);
    }

    /// Without any corner again.
    pub fn clear(&mut self) {
        self.vertices.clear();
        self.facets.clear();
        self.queue.clear();
        self.free.clear();
        (self.ball, self.ceiling, self.floor, self.apex) = (0.0, f64::INFINITY, f64::INFINITY, None);
    }

    /// Radius of the ball that was taken from the body: the body is the sum of this ball and of another one, whose support
    /// points are less by the radius along their normals and whose depth is less by the radius, too.
    pub fn ball(&self) -> f64 {
        self.ball
    }

    /// Builds the polytope anew for the body less a ball of this radius.
    pub fn take_ball(&mut self, radius: f64) {
        self.build_anew(radius, false);
    }

    /// Builds the polytope anew of the same points, the last ones first: where rounding has frayed a rim and a facet was given up,
    /// other facets take its place.
    pub fn mend(&mut self) {
        self.build_anew(self.ball, true);
    }

    /// Inserts the apex of a cap, with the support point along its normal.
    #[inline(always)]
    pub fn insert_apex<P: Planes>(&mut self, cap: &Cap, support: Vertex) {
        let corner = self.vertices.len();
        self.insert_anywhere::<P>(Vertex { p: cap.apex(), ..support });
        if self.vertices.len() > corner {
            self.apex = Some(Apex { corner, support });
        }
    }

    /// Builds the polytope anew without the apex of a cap.
    pub fn remove_apex(&mut self) {
        if let Some(apex) = self.apex.take() {
            self.vertices[apex.corner] = apex.support;
            self.build_anew(self.ball, false);
        }
    }

    #[cold]
    #[inline(never)]
    fn build_anew(&mut self, radius: f64, last_first: bool) {
        let mut vertices = ArrayVec::<Vertex, MOST_VERTICES>::new();
        std::mem::swap(&mut vertices, &mut self.vertices);
        let change = radius - self.ball;
        vertices.iter_mut().for_each(|vertex| vertex.p = vertex.p - vertex.normal * change);
        self.ball = radius;
        self.facets.clear();
        self.queue.clear();
        self.free.clear();
        self.floor = f64::INFINITY;
        self.ceiling -= change;
        let Some((first, others)) = vertices.split_first_chunk() else { return };
        self.start::<f64>(first);
        if last_first {
            others.iter().rev().for_each(|vertex| self.insert_anywhere::<f64>(*vertex));
        } else {
            others.iter().for_each(|vertex| self.insert_anywhere::<f64>(*vertex));
        }
    }

    /// Least offset of the facets that cannot be refined any more.
    pub fn floor(&self) -> f64 {
        self.floor
    }

    /// Facets of this offset and above are of no interest from now on.
    pub fn lower_ceiling(&mut self, offset: f64) {
        self.ceiling = offset;
    }

    /// Takes the two facets of least offset out of the queue.
    #[inline(always)]
    pub fn take_lowest(&mut self) -> (Option<Open>, Option<Open>) {
        const NONE: Open = Open { offset: f64::INFINITY, facet: 0 };
        let (mut first, mut second) = ((NONE, 0), (NONE, 0));
        let mut index = 0;
        while let Some(&open) = self.queue.get(index) {
            if open.offset >= self.ceiling || !self.holds(open) {
                self.queue.swap_remove(index);
                continue;
            }
            if open.offset < second.0.offset {
                if open.offset < first.0.offset {
                    second = first;
                    first = (open, index);
                } else {
                    second = (open, index);
                }
            }
            index += 1;
        }
        if second.0.offset == f64::INFINITY {
            let first = (first.0.offset < f64::INFINITY).then(|| self.queue.swap_remove(first.1));
            return (first, None);
        }
        self.queue.swap_remove(first.1.max(second.1));
        self.queue.swap_remove(first.1.min(second.1));
        (Some(first.0), Some(second.0))
    }

    /// Of the facets with about this normal and at most this offset, the one nearest to the origin; where there is none, the
    /// facet with the closest normal.
    pub fn nearest(&self, normal: V3<f64>, same: f64, offset: f64) -> u16 {
        let mut best = (f64::INFINITY, None);
        let mut closest = (f64::NEG_INFINITY, 0);
        for (slot, facet) in self.facets.iter().enumerate() {
            let open = Open { offset: facet.offset, facet: slot as u16 };
            let agreement = facet.normal.dot(normal);
            if facet.offset < f64::INFINITY && agreement > closest.0 {
                closest = (agreement, open.facet);
            }
            if facet.offset > offset || agreement <= same {
                continue;
            }
            if self.has_foot_inside(open) {
                return open.facet;
            }
            let corners = facet.three_corners().map(|corner| self.vertices[usize::from(corner)].p);
            let distance_sq = closest_on_simplex(&corners, V3::splat(0.0)).0.length_sq();
            if distance_sq < best.0 {
                best = (distance_sq, Some(open.facet));
            }
        }
        best.1.unwrap_or(closest.1)
    }

    /// Whether the slot still holds the facet.
    #[inline(always)]
    pub fn holds(&self, open: Open) -> bool {
        self.facets[usize::from(open.facet)].offset == open.offset
    }

    /// Puts a facet (back) into the queue, if it is of interest.
    #[inline(always)]
    pub fn put(&mut self, open: Open) {
        if open.offset < self.ceiling && self.queue.try_push(open).is_err() {
            self.close(open);
        }
    }

    /// Gives a facet up: the body reaches no farther there, or rounding forbids to go on.
    pub fn close(&mut self, open: Open) {
        self.floor = self.floor.min(open.offset);
    }

    /// Normals of all facets whose offset is at least and at most this.
    pub fn normals_between(&self, least: f64, most: f64) -> impl Iterator<Item = V3<f64>> {
        self.facets.iter().filter(move |facet| least <= facet.offset && facet.offset <= most).map(|facet| facet.normal)
    }

    /// Whether the nearest point of the facet's plane to the origin lies within the facet, about.
    #[inline(always)]
    pub fn has_foot_inside(&self, open: Open) -> bool {
        let facet = &self.facets[usize::from(open.facet)];
        let (normal, offset) = (facet.normal, facet.offset);
        let [a, b, c] = facet.three_corners().map(|corner| self.vertices[usize::from(corner)].p);
        let foot = normal * offset;
        let left_of = |from: V3<f64>, to: V3<f64>| (to - from).cross(foot - from).dot(normal) >= 0.0;
        left_of(a, b) && left_of(b, c) && left_of(c, a)
    }

    /// Points of a and of b whose difference is the facet's point nearest to the origin.
    pub fn witness(&self, facet: u16) -> (V3<f64>, V3<f64>) {
        let corners = self.facets[usize::from(facet)].three_corners().map(|corner| self.vertices[usize::from(corner)]);
        let points = corners.map(|corner| corner.p);
        let (_, weights) = closest_on_simplex(&points, V3::splat(0.0));
        let mut x_a = V3::splat(0.0);
        let mut p = V3::splat(0.0);
        for (corner, weight) in corners.iter().zip(weights) {
            x_a = corner.x_a.mul_add(weight, x_a);
            p = (corner.p + corner.normal * self.ball).mul_add(weight, p);
        }
        (x_a, x_a - p)
    }

    /// Replaces the facets that a point beyond the given one sees by facets between it and their rim. False, and nothing
    /// changed, where the point does not see the facet, where rounding has frayed the rim, or where there is no room.
    #[inline(always)]
    pub fn insert<P: Planes>(&mut self, from: u16, vertex: Vertex) -> bool {
        if self.vertices.is_full() || !self.sees(vertex.p, from) {
            return false;
        }
        let mut hidden = ArrayVec::<u16, MOST_HIDDEN>::new();
        let mut rim = ArrayVec::<Edge, { MOST_RIM + LANES }>::new();
        if !self.trace_rim(from, vertex.p, &mut hidden, &mut rim) {
            return false;
        }
        let count = rim.len();
        let added = count.saturating_sub(hidden.len() + self.free.len());
        if self.facets.len() + added > MOST_FACETS {
            return false;
        }
        let mut slots = ArrayVec::<u16, { MOST_RIM + 1 }>::new();
        for _ in 0..count {
            let slot = hidden.pop().or_else(|| self.free.pop()).unwrap_or_else(|| {
                self.facets.push(UNUSED);
                (self.facets.len() - 1) as u16
            });
            slots.push(slot);
        }
        for slot in hidden {
            self.facets[usize::from(slot)].offset = f64::INFINITY;
            self.free.push(slot);
        }
        // Both are rings: what comes after the last ones is at hand.
        slots.push(slots[0]);
        (0..LANES).for_each(|index| rim.push(rim[index]));
        self.vertices.push(vertex);
        self.fan::<P>(vertex.p, &rim, &slots);
        true
    }

    /// Puts facets between the last corner, the apex, and the rim into the slots, four at a time. The rim goes on with its first
    /// edges, the slots with the first of them.
    #[inline(always)]
    fn fan<P: Planes>(&mut self, apex: V3<f64>, rim: &[Edge], slots: &[u16]) {
        let top = (self.vertices.len() - 1) as u16;
        let count = slots.len() - 1;
        let mut before = slots[count - 1];
        let mut first = 0;
        while first < count {
            // Each edge begins where the last one ended.
            let edges: &[Edge; LANES + 1] = rim[first..].first_chunk().unwrap_or(&[NO_EDGE; LANES + 1]);
            let [a, b, c, d, e] = edges.map(|edge| self.vertices[usize::from(edge.from)].p);
            let (normals, offsets) = P::of(&[apex; LANES], &[a, b, c, d], &[b, c, d, e]);
            for lane in 0..LANES.min(count - first) {
                let Edge { side, from, to } = edges[lane];
                let (slot, after) = (slots[first + lane], slots[first + lane + 1]);
                self.facets[side.facet()].joins.across[side.index()] = Side::new(usize::from(slot), 0);
                self.facets[usize::from(slot)] = Facet {
                    normal: normals[lane],
                    offset: offsets[lane],
                    joins: Triangle {
                        corners: [from, to, top, top],
                        across: [side, Side::new(usize::from(after), 2), Side::new(usize::from(before), 1), side],
                    },
                    seen_by: 0,
                };
                self.put(Open { offset: offsets[lane], facet: slot });
                before = slot;
            }
            first += LANES;
        }
    }

    /// [`Polytope::insert`] wherever the point sees a facet; does nothing where it sees none.
    #[inline(always)]
    pub fn insert_anywhere<P: Planes>(&mut self, vertex: Vertex) {
        let seen = (0..self.facets.len() as u16).find(|&facet| self.sees(vertex.p, facet));
        if let Some(facet) = seen {
            self.insert::<P>(facet, vertex);
        }
    }

    #[inline(always)]
    fn sees(&self, p: V3<f64>, facet: u16) -> bool {
        self.facets[usize::from(facet)].is_seen_from(p)
    }

    /// The facets that a point sees, from one that it does, and the rim around them in order: sides of facets that it
    /// does not see. False where the rim is not one closed line.
    #[inline(always)]
    fn trace_rim(
        &mut self,
        from: u16,
        p: V3<f64>,
        hidden: &mut ArrayVec<u16, MOST_HIDDEN>,
        rim: &mut ArrayVec<Edge, { MOST_RIM + LANES }>,
    ) -> bool {
        self.insertions = self.insertions.wrapping_add(1).max(1);
        let insertion = self.insertions;
        let mut waiting = ArrayVec::<Side, { 2 * MOST_HIDDEN + 1 }>::new();
        let start = &mut self.facets[usize::from(from)];
        start.seen_by = insertion;
        hidden.push(from);
        let [ab, bc, ca, _] = start.joins.across;
        waiting.extend([ca, bc, ab]);
        while let Some(side) = waiting.pop() {
            let facet = &mut self.facets[side.facet()];
            if facet.seen_by == insertion {
                continue;
            }
            let (here, second) = (side.index(), next(side.index()));
            if facet.is_seen_from(p) {
                if hidden.is_full() {
                    return false;
                }
                facet.seen_by = insertion;
                hidden.push(side.facet() as u16);
                waiting.push(facet.joins.across[next(second)]);
                waiting.push(facet.joins.across[second]);
            } else {
                let edge = Edge { side, from: facet.joins.corners[second], to: facet.joins.corners[here] };
                if rim.len() == MOST_RIM || rim.last().is_some_and(|last| last.to != edge.from) {
                    return false;
                }
                rim.push(edge);
            }
        }
        rim.len() >= 3 && rim.first().map(|edge| edge.from) == rim.last().map(|edge| edge.to)
    }
}

const UNUSED: Facet =
    Facet { normal: V3 { x: 0.0, y: 0.0, z: 0.0 }, offset: f64::INFINITY, joins: Triangle::UNUSED, seen_by: 0 };
const NO_EDGE: Edge = Edge { side: Side::NONE, from: 0, to: 0 };

/// Four facets at once, in some kind of numbers.
pub(crate) trait Planes: Several {
    /// [`plane`] of four triangles, from their first, second and third corners.
    fn of(
        first: &[V3<f64>; LANES],
        second: &[V3<f64>; LANES],
        third: &[V3<f64>; LANES],
    ) -> ([V3<f64>; LANES], [f64; LANES]);
}

impl Planes for f64 {
    #[inline(always)]
    fn of(
        first: &[V3<f64>; LANES],
        second: &[V3<f64>; LANES],
        third: &[V3<f64>; LANES],
    ) -> ([V3<f64>; LANES], [f64; LANES]) {
        let planes: [_; LANES] = std::array::from_fn(|lane| {
            let (normal, offset, thin) = ordinary_plane(first[lane], second[lane], third[lane]);
            if thin { plane([second[lane], third[lane], first[lane]]) } else { (normal, offset) }
        });
        (planes.map(|plane| plane.0), planes.map(|plane| plane.1))
    }
}

#[cfg(target_arch = "x86_64")]
impl Planes for F64x4 {
    #[inline(always)]
    fn of(
        first: &[V3<f64>; LANES],
        second: &[V3<f64>; LANES],
        third: &[V3<f64>; LANES],
    ) -> ([V3<f64>; LANES], [f64; LANES]) {
        let lanes = |[a, b, c, d]: [V3<f64>; LANES]| V3 {
            x: F64x4::from_array([a.x, b.x, c.x, d.x]),
            y: F64x4::from_array([a.y, b.y, c.y, d.y]),
            z: F64x4::from_array([a.z, b.z, c.z, d.z]),
        };
        let (normals, offsets, thin) = ordinary_plane(lanes(*first), lanes(*second), lanes(*third));
        if thin.any() {
            return f64::of(first, second, third);
        }
        (normals.lanes(), offsets.to_array())
    }
}

/// A unit vector across a triangle, its least product with a corner, and whether the triangle is [`THIN`].
#[inline(always)]
fn ordinary_plane<R: Real>(apex: V3<R>, u: V3<R>, v: V3<R>) -> (V3<R>, R, R::Mask) {
    let (to_u, to_v) = (u - apex, v - apex);
    let across = to_u.cross(to_v);
    let (across_sq, sides_sq) = (across.length_sq(), to_u.length_sq() + to_v.length_sq());
    let normal = across * (R::splat(1.0) / (across_sq + R::splat(TINY)).sqrt());
    let offset = normal.dot(apex).min(normal.dot(u)).min(normal.dot(v));
    (normal, offset, across_sq.lt(R::splat(THIN * THIN) * sides_sq * sides_sq))
}

/// A unit vector across a triangle and its least product with a corner.
fn plane([a, b, c]: [V3<f64>; 3]) -> (V3<f64>, f64) {
    let (ab, ac) = (b - a, c - a);
    let across = ab.cross(ac);
    let (across_sq, sides_sq) = (across.length_sq(), ab.length_sq() + ac.length_sq());
    let lowest = |n: V3<f64>| n.dot(a).min(n.dot(b)).min(n.dot(c));
    let normal = across * (1.0 / across_sq.max(TINY).sqrt());
    let offset = lowest(normal);
    if across_sq > THIN * THIN * sides_sq * sides_sq {
        return (normal, offset);
    }
    // No point of a thin facet is nearer to the origin than the line of its longest side, but for its thickness.
    let bc = c - b;
    let (along, length_sq) = [(ab, ab.length_sq()), (ac, ac.length_sq()), (bc, bc.length_sq())]
        .into_iter()
        .fold((ab, 0.0), |best, side| if side.1 > best.1 { side } else { best });
    let on_line = if length_sq == bc.length_sq() { b } else { a };
    let foot = on_line - along * (on_line.dot(along) / length_sq.max(TINY));
    let outward = foot * (1.0 / foot.length_sq().max(TINY).sqrt());
    let beside = lowest(outward);
    // A facet that is seen from behind would count against the surface's winding, unless it subtends next to nothing.
    let counts = offset > 0.0 || across_sq <= VANISHING * VANISHING * sides_sq * sides_sq;
    if beside > offset && counts { (outward, beside) } else { (normal, offset) }
}
