//! Two triangle meshes, or a mesh and a plane: which of their triangles are near each other, and what keeps them apart.
//!
//! A mesh has no inside that could be relied on, and hollows; but a triangle is convex, and two triangles that do not meet are
//! separated by a plane across their closest points. All is seen from the second mesh, where its triangles stand still: a plane
//! beyond which one of them lies, and which the corners of the other do not pass, is a proof that the two do not meet. Corners
//! that are before the plane at both ends of a straight way are before it all the way, so nothing has to be known of the time
//! between. These planes limit motion (`solver::mesh_clamp`) and push nothing; what pushes are the points of [`points`].
//!
//! Pairs of triangles are listed within more than a step needs and kept until the bodies have used that up. A plane is looked for
//! again only when it no longer shows that its triangles are as far apart as they have to be.

mod overlap;
mod points;

use glam::{DMat3, DVec3};
use superegg::shape::{Aabb, Shape};
use superegg_world::collision_mesh::CollisionMesh;
use superegg_world::geometry::Geometry;
use superegg_world::triangle::nearest_points;

use super::manifold::{Found, Point};
use crate::body::{Placed, Proxy};

/// Closer than this the line between closest points is no direction, in metres.
const UNSURE: f64 = 1e-7;
/// Stands for the triangle of a plane.
const PLANE: u32 = u32::MAX;

/// Where the first proxy is, as seen from the second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    turn: DMat3,
    shift: DVec3,
}

impl Frame {
    /// Of two proxies with these axes and origins in the world.
    pub fn between((axes_a, origin_a): (DMat3, DVec3), (axes_b, origin_b): (DMat3, DVec3)) -> Frame {
        let back = axes_b.transpose();
        Frame { turn: back * axes_a, shift: back * (origin_a - origin_b) }
    }

    fn of(a: &Placed, b: &Placed) -> Frame {
        Frame::between((a.axes, a.origin), (b.axes, b.origin))
    }

    fn place(&self, point: DVec3) -> DVec3 {
        self.turn * point + self.shift
    }

    /// The angle between two, or a little less, and how far points within a radius of the first proxy's origin are apart at most.
    pub fn way_to(&self, other: &Frame, radius: f64) -> (f64, f64) {
        let turn = other.turn - self.turn;
        let chord_sq = turn.x_axis.length_squared() + turn.y_axis.length_squared() + turn.z_axis.length_squared();
        let chord = (0.5 * chord_sq).sqrt();
        (chord, self.shift.distance(other.shift) + chord * radius)
    }
}

/// Two triangles and the plane between them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TrianglePair {
    triangles: [u32; 2],
    /// From the first to the second, in the frame of the second; zero if they meet: then nothing separates them.
    pub normal: DVec3,
    /// The triangle of the second mesh is beyond this.
    level: f64,
    /// How far the first triangle is before the plane, at least, in the list's reference.
    gap: f64,
}

/// The two meshes of a pair; a plane has none.
#[derive(Clone, Copy)]
pub(crate) struct Meshes<'a> {
    a: &'a CollisionMesh,
    b: Option<&'a CollisionMesh>,
}

impl<'a> Meshes<'a> {
    /// Of two proxies, if the first is a mesh and the second a mesh or a plane.
    pub fn of(a: &'a Proxy, b: &'a Proxy) -> Option<Meshes<'a>> {
        let Geometry::Mesh(first) = &a.geometry else { return None };
        match &b.geometry {
            Geometry::Mesh(second) => Some(Meshes { a: first, b: Some(second) }),
            Geometry::Shape(Shape::Plane(_)) => Some(Meshes { a: first, b: None }),
            _ => None,
        }
    }

    fn corners_a(&self, triangle: u32) -> [DVec3; 3] {
        corners(self.a, triangle)
    }
}

fn corners(mesh: &CollisionMesh, triangle: u32) -> [DVec3; 3] {
    mesh.topology().corners(triangle).map(|vertex| mesh.positions()[vertex as usize])
}

fn farthest(direction: DVec3, [a, b, c]: &[DVec3; 3]) -> f64 {
    direction.dot(*a).max(direction.dot(*b)).max(direction.dot(*c))
}

impl TrianglePair {
    /// Two triangles in the frame of the second; `None` if they are farther apart than `reach`.
    fn new(triangles: [u32; 2], one: &[DVec3; 3], other: &[DVec3; 3], reach: f64) -> Option<TrianglePair> {
        let met = TrianglePair { triangles, normal: DVec3::ZERO, level: 0.0, gap: f64::NEG_INFINITY };
        let across = |[a, b, c]: &[DVec3; 3]| (b - a).cross(c - a).normalize_or_zero();
        for normal in [across(one), across(other)] {
            let separation = |normal: DVec3| -farthest(-normal, other) - farthest(normal, one);
            if separation(normal).max(separation(-normal)) > reach {
                return None;
            }
        }
        let Some([p, q]) = nearest_points(one, other) else { return Some(met) };
        let distance = p.distance(q);
        if distance > reach {
            return None;
        }
        let normal = if distance > UNSURE { (q - p) / distance } else { DVec3::ZERO };
        Some(TrianglePair { normal, ..met }.measured(one, other))
    }

    /// With the level and the gap of its normal.
    fn measured(self, one: &[DVec3; 3], other: &[DVec3; 3]) -> TrianglePair {
        if self.normal == DVec3::ZERO {
            return self;
        }
        let level = -farthest(-self.normal, other);
        TrianglePair { level, gap: level - farthest(self.normal, one), ..self }
    }

    /// How far its first triangle is before the plane somewhere.
    pub fn gap_at(&self, meshes: &Meshes, frame: &Frame) -> f64 {
        // The direction turns back instead of the corners.
        let direction = frame.turn.transpose() * self.normal;
        self.level - self.normal.dot(frame.shift) - farthest(direction, &meshes.corners_a(self.triangles[0]))
    }

    /// The same pair with the plane that keeps its triangles the farthest apart at the end of a way, of those that separate them
    /// by `least` at its beginning: the one it has, across the closest points at either end, or along one of the triangles.
    pub fn better(&self, meshes: &Meshes, [start, end]: [&Frame; 2], least: f64) -> TrianglePair {
        let Some(b) = meshes.b else { return *self };
        let local = meshes.corners_a(self.triangles[0]);
        let other = corners(b, self.triangles[1]);
        let [first, last] = [start, end].map(|frame| local.map(|corner| frame.place(corner)));
        let across = |[a, b, c]: &[DVec3; 3]| (b - a).cross(c - a).normalize_or_zero();
        let between = |one: &[DVec3; 3]| {
            nearest_points(one, &other)
                .filter(|[p, q]| p.distance(*q) > UNSURE)
                .map_or(DVec3::ZERO, |[p, q]| (q - p).normalize())
        };
        let (face_a, face_b) = (across(&first), across(&other));
        let mut best = *self;
        let mut farthest_apart = if self.normal != DVec3::ZERO && self.gap_at(meshes, start) >= least {
            self.gap_at(meshes, end)
        } else {
            f64::NEG_INFINITY
        };
        for normal in [between(&first), between(&last), face_b, -face_b, face_a, -face_a] {
            if normal == DVec3::ZERO {
                continue;
            }
            let tried = TrianglePair { normal, ..*self }.measured(&first, &other);
            let then = tried.level - farthest(normal, &last);
            if tried.gap >= least && then > farthest_apart {
                (best, farthest_apart) = (tried, then);
            }
        }
        best
    }

    /// Where its first triangle is the closest to the plane: the corner in the first mesh's frame, and the place below it on the
    /// plane in the second's.
    pub fn touching(&self, meshes: &Meshes, frame: &Frame) -> [DVec3; 2] {
        let direction = frame.turn.transpose() * self.normal;
        let nearest = meshes
            .corners_a(self.triangles[0])
            .into_iter()
            .max_by(|p, q| direction.dot(*p).total_cmp(&direction.dot(*q)))
            .unwrap_or(DVec3::ZERO);
        let placed = frame.place(nearest);
        [nearest, placed + self.normal * (self.level - self.normal.dot(placed))]
    }
}

/// The triangles of two meshes that are near each other.
#[derive(Clone, Debug)]
pub(crate) struct TrianglePairs {
    pub list: Vec<TrianglePair>,
    /// All that were closer than this are listed.
    margin: f64,
    /// The sum of the bodies' travels when they were.
    travel: f64,
    /// Where the gaps were measured.
    reference: Option<Frame>,
    /// The least of them.
    pub least: f64,
}

impl Default for TrianglePairs {
    /// Nothing is known.
    fn default() -> TrianglePairs {
        TrianglePairs {
            list: Vec::new(),
            margin: f64::NEG_INFINITY,
            travel: 0.0,
            reference: None,
            least: f64::INFINITY,
        }
    }
}

impl TrianglePairs {
    /// How far around the meshes triangles are still known.
    pub fn reaches(&self, travel: f64) -> f64 {
        self.margin - (travel - self.travel)
    }

    /// Where the gaps were measured, unless there are none.
    pub fn reference(&self) -> Option<&Frame> {
        self.reference.as_ref().filter(|_| !self.list.is_empty())
    }

    /// Whether any triangles meet.
    pub fn overlaps(&self) -> bool {
        self.least == f64::NEG_INFINITY
    }

    /// Lists the pairs of triangles that are within a margin of each other.
    pub fn list(&mut self, a: &Placed, b: &Placed, meshes: &Meshes, margin: f64, travel: f64) {
        (self.margin, self.travel) = (margin, travel);
        let frame = Frame::of(a, b);
        let mut known = std::mem::take(&mut self.list);
        known.sort_unstable_by_key(|pair| pair.triangles);
        let mut found: Vec<TrianglePair> = Vec::new();
        // What rounding may take away.
        let slack = 1e-14 * (a.radius() + a.origin.length() + b.origin.length());
        let Some(second) = meshes.b else {
            self.list_on_plane(&frame, meshes, b, margin);
            return;
        };
        let spread = DMat3::from_cols(frame.turn.x_axis.abs(), frame.turn.y_axis.abs(), frame.turn.z_axis.abs());
        let near = |own: &Aabb, other: &Aabb| {
            let middle = frame.place(0.5 * (own.min + own.max));
            let half = spread * (0.5 * (own.max - own.min)) + (margin + slack);
            (middle - half).cmple(other.max).all() && (middle + half).cmpge(other.min).all()
        };
        meshes.a.tree().descend_pairs(second.tree(), near, |i, j| {
            let one = meshes.corners_a(i).map(|corner| frame.place(corner));
            found.extend(TrianglePair::new([i, j], &one, &corners(second, j), margin));
        });
        found.sort_unstable_by_key(|pair| pair.triangles);
        // Too close for a new direction: the old one will do.
        for pair in found.iter_mut().filter(|pair| pair.normal == DVec3::ZERO) {
            if let Ok(index) = known.binary_search_by_key(&pair.triangles, |pair| pair.triangles) {
                pair.keep(&known[index], meshes, &frame);
            }
        }
        self.list = found;
        self.measured_at(frame);
    }

    fn list_on_plane(&mut self, frame: &Frame, meshes: &Meshes, b: &Placed, margin: f64) {
        let Geometry::Shape(Shape::Plane(plane)) = &b.proxy.geometry else { return };
        for triangle in 0..meshes.a.topology().triangles().len() as u32 {
            let pair = TrianglePair {
                triangles: [triangle, PLANE],
                normal: -plane.normal(),
                level: -plane.offset(),
                gap: 0.0,
            };
            let gap = pair.gap_at(meshes, frame);
            if gap <= margin {
                self.list.push(TrianglePair { gap, ..pair });
            }
        }
        self.measured_at(*frame);
    }

    fn measured_at(&mut self, frame: Frame) {
        self.reference = Some(frame);
        self.least = self.list.iter().map(|pair| pair.gap).fold(f64::INFINITY, f64::min);
    }

    /// Brings gaps up to date: exactly where triangles may be within a margin, elsewhere as bounds.
    pub fn refresh(&mut self, a: &Placed, b: &Placed, meshes: &Meshes, margin: f64) {
        let frame = Frame::of(a, b);
        let Some(reference) = self.reference else { return };
        let (_, moved) = reference.way_to(&frame, a.radius());
        if moved == 0.0 {
            return;
        }
        for pair in &mut self.list {
            pair.gap -= moved;
            if pair.gap > margin {
                continue;
            }
            match meshes.b {
                None => pair.gap = pair.gap_at(meshes, &frame),
                Some(b) => {
                    let one = meshes.corners_a(pair.triangles[0]).map(|corner| frame.place(corner));
                    let anew = TrianglePair::new(pair.triangles, &one, &corners(b, pair.triangles[1]), f64::INFINITY);
                    let old = *pair;
                    *pair = anew.unwrap_or(old);
                    pair.keep(&old, meshes, &frame);
                }
            }
        }
        self.measured_at(frame);
    }

    /// The points of contact of two meshes within a margin, and how far apart they are at least.
    pub fn find(&self, a: &Placed, b: &Placed, meshes: &Meshes, margin: f64, travel: f64) -> Option<Found> {
        let second = meshes.b?;
        let frame = Frame::of(a, b);
        let lower = self.least.min(self.reaches(travel));
        let chosen = match self.overlaps() {
            true => overlap::points(&self.list, [meshes.a, second], &frame),
            false => points::points(&self.list, [meshes.a, second], &frame, margin),
        };
        let point = |candidate: points::Candidate| {
            let place = |local: DVec3| b.origin + b.axes * local;
            Point::new(a, b, b.axes * candidate.normal, place(candidate.on_a), place(candidate.on_b))
        };
        Some(Found { lower, warm: None, points: chosen.into_iter().map(point).collect() })
    }
}

impl TrianglePair {
    /// Takes over an older plane if it has none of its own and that one still separates its triangles.
    fn keep(&mut self, old: &TrianglePair, meshes: &Meshes, frame: &Frame) {
        if self.normal == DVec3::ZERO && old.normal != DVec3::ZERO {
            let gap = old.gap_at(meshes, frame);
            if gap >= -UNSURE {
                *self = TrianglePair { gap, ..*old };
            }
        }
    }

    /// How far it may be from being met after a motion by no more than `moved` since it was measured.
    pub fn may_be_within(&self, distance: f64, moved: f64) -> bool {
        self.gap - moved < distance
    }

    /// Takes over another plane, and what is known of it in the list's reference.
    pub fn replace(&mut self, by: TrianglePair, meshes: &Meshes, reference: &Frame) {
        *self = TrianglePair { gap: by.gap_at(meshes, reference), ..by };
    }

    /// Whether nothing separates its triangles.
    pub fn is_met(&self) -> bool {
        self.normal == DVec3::ZERO
    }
}
