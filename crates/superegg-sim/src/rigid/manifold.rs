//! Where two bodies touch or soon will: a few points with one normal each.
//!
//! The first point is the certified closest (or deepest) one. A flat face that lies on another is not held by one point,
//! so the support points of slightly tilted normals join in: for a round body these are next to the first and are left
//! out, for a flat one they are the corners of the face. A mesh gives a point for every triangle nearby.
//!
//! Bodies that are too far apart to meet soon are not asked for their closest points: their boxes, or else their support points,
//! along the last normal, or along the way from centre to centre, say how far apart they are at least.
//!
//! A shallow overlap is measured as superegg-world does it: pushed apart along the last normal, the bodies are a distance
//! query, whose normal gives the depth.

use glam::{DQuat, DVec3};
use superegg::query::{Options, Status, WarmStart, distance};
use superegg::shape::Shape;
use superegg_world::geometry::Geometry;

use super::body::State;
use super::mesh::{Near, mesh_on_plane, on_mesh};
use super::piece::Placed;
use super::world::SKIN;
use crate::SimError;

/// How far normals are tilted to find the rim of a face, in radians.
const TILT: f64 = 0.008;
/// Faces that are farther apart than this, in metres, meet at one point first.
pub(super) const NEAR: f64 = 3.0 * SKIN;
/// How far apart points have to be to count as two, as a part of a body's size.
pub(super) const WIDE: f64 = 0.1;
/// How far below a face a body must still be for the face to be supported, as a part of its size.
const INSET: f64 = 0.03;
/// Where between the first point and a corner that hangs over the other body is tried instead.
const INWARDS: f64 = 0.6;
/// Most points of a pair of eggs.
const MOST: usize = 6;
/// Depth, as a part of the size, beyond which the last normal is no guide.
const DEEPEST: f64 = 0.1;
/// How far overlapping bodies are parted, as a part of the size.
const PARTED: f64 = 0.01;
/// Exactness of distances, as a part of the size. The normal is the line between the points: of bodies that are `d` apart it is
/// off by up to `√(2 ε / d)`, and the gap along it by half the square of that times the radius of curvature, which for flat
/// faces is metres. At 1e-6, faces 0.4 mm apart were found to be 18 mm in each other along their own normal; what is said to
/// be so deep already is not kept from getting there.
const TOLERANCE: f64 = 1e-9;

/// A point of contact between bodies a and b.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    /// On each body, from its centre of mass along its own axes.
    pub local_a: DVec3,
    pub local_b: DVec3,
    /// From a to b, in the world.
    pub normal: DVec3,
    /// Directions in the world whose support points the two are; `None` for a point that does not move on its body.
    pub probe_a: Option<DVec3>,
    pub probe_b: Option<DVec3>,
    /// Whether it only says how far apart the bodies are at least: they do not push each other there.
    pub watch: bool,
    /// What the solver found: along the normal, across it, and about any axis.
    pub impulse: f64,
    pub friction: DVec3,
    pub rolling: DVec3,
}

/// What was found of a pair.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// The bodies are at least this far apart.
    pub lower: f64,
    pub warm: Option<WarmStart>,
    pub points: Vec<Point>,
}

impl Point {
    pub fn new(a: &Placed, b: &Placed, normal: DVec3, on_a: DVec3, on_b: DVec3) -> Point {
        Point {
            local_a: a.body.local(on_a),
            local_b: b.body.local(on_b),
            normal,
            probe_a: None,
            probe_b: None,
            watch: false,
            impulse: 0.0,
            friction: DVec3::ZERO,
            rolling: DVec3::ZERO,
        }
    }

    /// A point that only watches a gap.
    pub fn watching(a: &Placed, b: &Placed, normal: DVec3, on_a: DVec3, on_b: DVec3) -> Point {
        Point { watch: true, ..Point::new(a, b, normal, on_a, on_b) }
    }

    /// Turns all directions.
    pub fn turn(&mut self, by: DQuat) {
        self.normal = by * self.normal;
        self.probe_a = self.probe_a.map(|probe| by * probe);
        self.probe_b = self.probe_b.map(|probe| by * probe);
        self.friction = by * self.friction;
        self.rolling = by * self.rolling;
    }

    /// The gap along the normal.
    #[inline]
    pub fn separation(&self, a: &State, b: &State) -> f64 {
        self.normal.dot(b.place(self.local_b) - a.place(self.local_a))
    }
}

/// What is sought of a pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sought<'a> {
    /// Points up to here.
    pub margin: f64,
    /// The triangles of a mesh, and how far around the egg they are all listed.
    pub near: &'a Near,
    pub known: f64,
    /// Points of contact at edges of a mesh even where bodies are far from touching, not only what watches the gap.
    pub closely: bool,
}

/// The points of an egg and another piece, or of a mesh and a plane.
pub(super) fn find(a: &Placed, b: &Placed, warm: Option<WarmStart>, sought: &Sought) -> Result<Found, SimError> {
    let margin = sought.margin;
    match (&a.piece.geometry, &b.piece.geometry) {
        (Geometry::Mesh(mesh), Geometry::Shape(Shape::Plane(plane))) => {
            let up = b.axes * plane.normal();
            Ok(mesh_on_plane(a, b, mesh, up, plane.offset() + up.dot(b.origin), margin))
        }
        (_, Geometry::Shape(Shape::Plane(plane))) => {
            let up = b.axes * plane.normal();
            Ok(on_plane(a, b, up, plane.offset() + up.dot(b.origin), margin))
        }
        (_, Geometry::Mesh(mesh)) => on_mesh(a, b, mesh, sought),
        _ => of_eggs(a, b, warm, margin),
    }
}

/// Takes over the impulses of the nearest old points.
pub(super) fn inherit(new: &mut [Point], old: &[Point], reach: f64) {
    let near_sq = (WIDE * reach).powi(2);
    let mut taken = vec![false; old.len()];
    for point in new {
        let closest = (0..old.len())
            .filter(|&i| !taken[i] && old[i].normal.dot(point.normal) > 0.7)
            .map(|i| (old[i].local_a.distance_squared(point.local_a), i))
            .min_by(|x, y| x.0.total_cmp(&y.0));
        if let Some((distance_sq, index)) = closest
            && distance_sq < near_sq
        {
            taken[index] = true;
            (point.impulse, point.friction, point.rolling) =
                (old[index].impulse, old[index].friction, old[index].rolling);
        }
    }
}

fn on_plane(a: &Placed, b: &Placed, up: DVec3, level: f64, margin: f64) -> Found {
    let first = a.support(-up);
    let lower = up.dot(first) - level;
    let mut points = Vec::new();
    if lower <= margin {
        let mut add = |on_a: DVec3, probe: DVec3| {
            let above = up.dot(on_a) - level;
            if above <= margin {
                let point = Point::new(a, b, -up, on_a, on_a - up * above);
                points.push(Point { probe_a: Some(probe), ..point });
            }
        };
        add(first, -up);
        if lower <= NEAR {
            for (probe, on_a) in rim(a, -up, first) {
                add(on_a, probe);
            }
        }
    }
    Found { lower, warm: None, points }
}

fn of_eggs(a: &Placed, b: &Placed, warm: Option<WarmStart>, margin: f64) -> Result<Found, SimError> {
    let (Some(shape_a), Some(shape_b)) = (a.shape(), b.shape()) else {
        return Ok(Found { lower: margin, warm, points: Vec::new() });
    };
    let across = || (b.origin - a.origin).normalize_or(DVec3::Z);
    let normal = warm.as_ref().map_or_else(across, |warm| a.axes * warm.normal_a);
    // A box costs a tenth of a support point.
    let between = normal.dot(b.middle() - a.middle()) - a.box_half_along(normal) - b.box_half_along(normal);
    if between > margin {
        return Ok(Found { lower: between, warm, points: Vec::new() });
    }
    let (on_a, on_b) = (a.support(normal), b.support(-normal));
    let gap = normal.dot(on_b - on_a);
    if gap > margin {
        return Ok(Found { lower: gap, warm, points: Vec::new() });
    }
    let (pose_a, mut pose_b) = (a.pose(), b.pose());
    let size = a.radius() + b.radius();
    let mut push = DVec3::ZERO;
    if warm.is_some() && gap <= 0.0 && gap > -DEEPEST * size {
        push = normal * (PARTED * size - gap);
        pose_b.translation += push;
    }
    let options = Options { tolerance: TOLERANCE, warm_start: warm, ..Options::DEFAULT };
    let mut outcome = distance(shape_a, &pose_a, shape_b, &pose_b, &options)?;
    if push != DVec3::ZERO {
        if outcome.status == Status::Separated {
            outcome.distance -= outcome.normal.dot(push);
            outcome.point_b -= push;
        } else {
            pose_b.translation -= push;
            outcome = distance(shape_a, &pose_a, shape_b, &pose_b, &options)?;
        }
    }
    let (normal, gap) = (outcome.normal, outcome.distance);
    let warm = Some(outcome.warm_start);
    if gap > margin {
        return Ok(Found { lower: gap, warm, points: Vec::new() });
    }
    let (first_a, first_b) = (outcome.point_a, outcome.point_b);
    let mut points = Vec::with_capacity(4);
    let point = Point::new(a, b, normal, first_a, first_b);
    points.push(Point { probe_a: Some(normal), probe_b: Some(-normal), ..point });
    // Corners of either face, as far as the other body is below them; each face as the plane that touches it.
    let mut places = vec![first_a];
    let mut add = |on_a: DVec3, on_b: DVec3| {
        let far = |place: &DVec3| place.distance(on_a) > WIDE * a.radius().min(b.radius());
        if points.len() < MOST && normal.dot(on_b - on_a) <= margin && places.iter().all(far) {
            places.push(on_a);
            points.push(Point::new(a, b, normal, on_a, on_b));
        }
    };
    if gap > NEAR {
        return Ok(Found { lower: gap, warm, points });
    }
    let corners_a: Vec<DVec3> = rim(a, normal, first_a).map(|(_, corner)| corner).collect();
    if corners_a.is_empty() {
        return Ok(Found { lower: gap, warm, points });
    }
    for (first, corner) in corners_a.iter().map(|corner| (first_a, *corner)) {
        for corner in [corner, first.lerp(corner, INWARDS)] {
            let on_b = corner + normal * normal.dot(first_b - corner);
            if b.holds(on_b + normal * (INSET * b.radius())) {
                add(corner, on_b);
                break;
            }
        }
    }
    for (_, corner) in rim(b, -normal, first_b) {
        for corner in [corner, first_b.lerp(corner, INWARDS)] {
            let on_a = corner + normal * normal.dot(first_a - corner);
            if a.holds(on_a - normal * (INSET * a.radius())) {
                add(on_a, corner);
                break;
            }
        }
    }
    Ok(Found { lower: gap, warm, points })
}

/// The corners of a face around its first point, with the directions that they are the farthest in.
pub(super) fn rim(body: &Placed, outwards: DVec3, first: DVec3) -> impl Iterator<Item = (DVec3, DVec3)> {
    let body = *body;
    let axes = body.axes;
    let across = [axes.x_axis, axes.y_axis, axes.z_axis]
        .into_iter()
        .min_by(|s, t| s.dot(outwards).abs().total_cmp(&t.dot(outwards).abs()))
        .unwrap_or(DVec3::X);
    let side = (across - outwards * across.dot(outwards)).normalize();
    let up = outwards.cross(side);
    let wide_sq = (WIDE * body.radius()).powi(2);
    [side + up, up - side, -side - up, side - up].into_iter().filter_map(move |tilt| {
        let direction = outwards + tilt * (TILT * std::f64::consts::FRAC_1_SQRT_2);
        let corner = body.support(direction);
        (corner.distance_squared(first) > wide_sq).then_some((direction, corner))
    })
}

#[cfg(test)]
mod tests {
    use superegg::Pose;
    use superegg::shape::Superellipsoid;

    use super::*;
    use crate::rigid::RigidBody;

    /// The gap along the normal is what keeps bodies apart. Flat faces that nearly touch once had normals along which they
    /// were centimetres deep.
    #[test]
    fn the_gap_along_the_normal_is_the_distance() {
        let mut rng = fastrand::Rng::with_seed(5);
        let mut between = |low: f64, high: f64| low + (high - low) * rng.f64();
        let mut met = 0;
        for _ in 0..300 {
            let mut body = |height: f64| {
                let exponents = [0; 2].map(|_| between(0.1, 1.5));
                let shape = Superellipsoid::new([0; 3].map(|_| between(0.5, 0.6)), exponents).unwrap();
                let turn = [0; 3].map(|_| between(-0.2, 0.2));
                let pose = Pose::new(DQuat::from_scaled_axis(turn.into()), DVec3::Z * height).unwrap();
                State::new(0, &RigidBody::dynamic(shape, pose, 1.0)).unwrap()
            };
            let (a, mut b) = (body(0.0), body(1.4));
            // From afar to nearly touching, each time from what was found before.
            let mut warm = None;
            for gap in [0.05, 5e-3, 4e-4, 4e-4] {
                let near = Near::default();
                let sought = Sought { margin: 1.0, near: &near, known: 0.0, closely: true };
                let (on_a, on_b) = (a.1[0].placed(&a.0), b.1[0].placed(&b.0));
                let found = find(&on_a, &on_b, warm, &sought).unwrap();
                warm = found.warm;
                let point = found.points[0];
                let own = point.normal.dot(on_b.support(-point.normal) - on_a.support(point.normal));
                assert!(own > found.lower - 2e-4, "{own} of {}", found.lower);
                met += usize::from((found.lower - 4e-4).abs() < 2e-4);
                // Moved along the normal, bodies stay as far apart as that says.
                b.0.centre -= point.normal * (found.lower - gap);
            }
        }
        assert_eq!(met, 300);
    }
}
