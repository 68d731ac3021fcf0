//! The nearest triangles of two meshes: their hierarchies of boxes walked together, the nearest pair of boxes first.
//!
//! A small mesh is moved into the frame of the other and its boxes are fitted anew there, which costs little beside the walk and
//! keeps them tight. The boxes of a large one stay as they are and are compared along their own axes.
//!
//! Meshes are surfaces: where they meet the distance is zero, and a mesh within another is as far from it as from its nearest
//! triangle.
//!
//! **Bounds.** The upper one is the certified distance of the two triangles that were found, or of both to their common point, by the
//! core's query for them. From below, each pair of triangles that was looked at is proved to be at least so far apart along
//! some direction. That is the one between its nearest points; where it proves less than their distance, as for slivers and edges that are nearly
//! parallel, whose nearest points lose digits, the core's query for two triangles gives points and proof.

use std::borrow::Cow;
use std::cell::Cell;

use superegg::query::{Bounds, Options, Status, WarmStart};
use superegg::shape::{Aabb, Point, Shape, Triangle};
use superegg::{DMat3, DVec3, InvalidInput, Pose};

use crate::bound::{Bound, Obb};
use crate::certificate::{assembled, bounds, rounding_of_distance};
use crate::collision_mesh::CollisionMesh;
use crate::contact::Contact;
use crate::placement::relative;
use crate::triangle::{candidates, common_point};

/// Most triangles of a mesh whose boxes are fitted anew for every query.
const SMALL: usize = 4000;
/// Part of a distance by which a proof along a direction may fall short of it.
const SHORT: f64 = 1e-12;

/// The nearest points of two placed meshes. `tolerance` as a part of the mean of both meshes' reach.
pub fn distance(a: &CollisionMesh, pose_a: &Pose, b: &CollisionMesh, pose_b: &Pose, tolerance: f64) -> Contact {
    let to_a = relative(pose_a, pose_b);
    let rounding = rounding_of_distance(a.reach() + b.reach() + to_a.translation.length());
    let nearest = nearest(a, b, &to_a, rounding);
    let [part_a, part_b] = nearest.triangles;
    let points = nearest.points;
    let distance = nearest.distance;
    let status = match distance {
        0.0 => Status::Penetrating,
        distance if distance <= tolerance * 0.5 * (a.reach() + b.reach()) => Status::Touching,
        _ => Status::Separated,
    };
    let [p, q, r] = *a.triangle(part_a).points();
    let normal = (points[1] - points[0]).try_normalize();
    let normal = normal.unwrap_or_else(|| (q - p).cross(r - p).normalize_or(DVec3::Z));
    let world_points = points.map(|point| pose_a.transform_point(point));
    let world_normal = pose_a.transform_vector(normal);
    let warm_start = WarmStart {
        point_a: points[0],
        normal_a: normal,
        point_b: pose_b.inverse_transform_point(world_points[1]),
        normal_b: pose_b.inverse_transform_vector(-world_normal),
    };
    let placed_b = b.triangle(part_b).points().map(|corner| to_a.transform_point(corner));
    let proved = proved(&nearest, [&[p, q, r], &placed_b], rounding);
    let outcome = assembled(distance, world_points, world_normal, status, 1, proved, warm_start);
    Contact { part_a, part_b, outcome }
}

/// What is proved of the meshes that have these nearest points on these triangles.
fn proved(nearest: &Nearest, [one, other]: [&[DVec3; 3]; 2], rounding: f64) -> Option<Bounds> {
    let upper = if nearest.distance == 0.0 {
        let point = Point::new([nearest.points[0]]).ok()?.into();
        let from =
            |triangle: &[DVec3; 3]| Some(certified(&point, &Triangle::new(*triangle).ok()?.into())?.bounds.upper);
        from(one)? + from(other)?
    } else {
        of_triangles(one, other)?.bounds.upper
    };
    let upper = (upper + rounding).max(nearest.distance);
    // What was never looked at is farther than the nearest points, by the boxes around it.
    let lower = (nearest.lower.min(nearest.distance) - 2.0 * rounding).max(0.0);
    Some(bounds(lower, upper))
}

/// The core's answer for two shapes in one frame.
struct Certified {
    points: [DVec3; 2],
    bounds: Bounds,
}

fn certified(a: &Shape, b: &Shape) -> Option<Certified> {
    let found = superegg::query::distance(a, &Pose::IDENTITY, b, &Pose::IDENTITY, &Options::DEFAULT).ok()?;
    Some(Certified { points: [found.point_a, found.point_b], bounds: found.bounds? })
}

#[cold]
fn of_triangles(one: &[DVec3; 3], other: &[DVec3; 3]) -> Option<Certified> {
    let triangle = |corners: &[DVec3; 3]| -> Result<Shape, InvalidInput> { Ok(Triangle::new(*corners)?.into()) };
    certified(&triangle(one).ok()?, &triangle(other).ok()?)
}

/// The nearest points in the first mesh's frame and the triangles that have them; both the same where the meshes meet.
#[derive(Clone, Copy, Debug)]
struct Nearest {
    distance: f64,
    points: [DVec3; 2],
    triangles: [u32; 2],
    /// The direction from the first point to the second.
    direction: Option<DVec3>,
    /// No two triangles that were looked at are nearer than this, up to rounding.
    lower: f64,
}

/// How far two triangles are from each other along a direction.
#[inline]
fn gap_along(direction: DVec3, one: &[DVec3; 3], other: &[DVec3; 3]) -> f64 {
    let [a, b, c] = one.map(|corner| direction.dot(corner));
    let [d, e, f] = other.map(|corner| direction.dot(corner));
    d.min(e).min(f) - a.max(b).max(c)
}

impl Nearest {
    const NONE: Nearest = Nearest {
        distance: f64::INFINITY,
        points: [DVec3::ZERO; 2],
        triangles: [0, 0],
        direction: None,
        lower: f64::INFINITY,
    };

    /// Whether two triangles are farther from each other than these points, told by how far they are along the direction
    /// between the points: for bodies without hollows that is so for nearly all, once the nearest points are found.
    #[inline]
    fn is_nearer(&self, one: &[DVec3; 3], other: &[DVec3; 3], rounding: f64) -> bool {
        self.direction.is_some_and(|direction| gap_along(direction, one, other) > self.distance + rounding)
    }

    /// The nearest points of two triangles that do not meet, and how far these are from each other for sure.
    #[inline]
    fn of(one: &[DVec3; 3], other: &[DVec3; 3], triangles: [u32; 2], enough: f64) -> Nearest {
        let mut own = Nearest { triangles, ..Nearest::NONE };
        candidates(one, other, |points| own.offer(points));
        own.lower = own.direction.map_or(0.0, |direction| gap_along(direction, one, other));
        if own.lower < own.distance * (1.0 - SHORT) && own.lower < enough {
            own.sharpen(one, other);
        }
        own
    }

    #[cold]
    fn sharpen(&mut self, one: &[DVec3; 3], other: &[DVec3; 3]) {
        // Beside each other, parallel faces are as far apart as their planes, while the line between their corners is aslant.
        for &[a, b, c] in [one, other] {
            let Some(across) = (b - a).cross(c - a).try_normalize() else { continue };
            self.lower = self.lower.max(gap_along(across, one, other)).max(gap_along(-across, one, other));
        }
        let Some(found) = of_triangles(one, other) else { return };
        self.offer(found.points);
        self.lower = self.lower.max(found.bounds.lower);
    }

    #[inline]
    fn offer(&mut self, points: [DVec3; 2]) {
        let distance = points[0].distance(points[1]);
        if distance < self.distance {
            let direction = (points[1] - points[0]) / distance;
            (self.distance, self.points, self.direction) =
                (distance, points, direction.is_finite().then_some(direction));
        }
    }
}

fn nearest(a: &CollisionMesh, b: &CollisionMesh, to_a: &Pose, rounding: f64) -> Nearest {
    let small = b.topology().triangles().len() <= SMALL;
    let corners_a = |item: u32| a.topology().corners(item).map(|vertex| a.positions()[vertex as usize]);
    let placed: Vec<DVec3> =
        if small { b.positions().iter().map(|vertex| to_a.transform_point(*vertex)).collect() } else { Vec::new() };
    let corners_b = |item: u32| {
        let corners = b.topology().corners(item);
        if small {
            corners.map(|vertex| placed[vertex as usize])
        } else {
            corners.map(|vertex| to_a.transform_point(b.positions()[vertex as usize]))
        }
    };
    let mut tree = Cow::Borrowed(b.tree());
    if small {
        let box_of = |item: u32| {
            let [p, q, r] = corners_b(item);
            Aabb { min: p.min(q).min(r), max: p.max(q).max(r) }
        };
        tree.to_mut().refit(box_of).expect("a placed mesh has finite boxes");
    }
    let turn = to_a.rotation_matrix();
    let placed_box = |aabb: &Aabb| Obb {
        center: to_a.transform_point(0.5 * (aabb.min + aabb.max)),
        axes: turn,
        half: 0.5 * (aabb.max - aabb.min),
    };
    let own_box = |aabb: &Aabb| Obb {
        center: 0.5 * (aabb.min + aabb.max),
        axes: DMat3::IDENTITY,
        half: 0.5 * (aabb.max - aabb.min),
    };
    let best = Cell::new(Nearest::NONE);
    a.tree().nearest_pair(
        &tree,
        |box_a, box_b| {
            let gap = if small { box_a.distance(box_b) } else { own_box(box_a).gap(&placed_box(box_b)).max(0.0) };
            gap - rounding
        },
        |item_a, item_b| {
            let farther = best.get().is_nearer(&corners_a(item_a), &corners_b(item_b), rounding);
            if farther { f64::INFINITY } else { f64::NEG_INFINITY }
        },
        |item_a, item_b| {
            let (one, other) = (corners_a(item_a), corners_b(item_b));
            let so_far = best.get();
            if so_far.is_nearer(&one, &other, rounding) {
                return f64::INFINITY;
            }
            let triangles = [item_a, item_b];
            if let Some(point) = common_point(&one, &other) {
                best.set(Nearest { distance: 0.0, points: [point; 2], triangles, direction: None, lower: 0.0 });
                // Nothing is nearer than meeting.
                return f64::NEG_INFINITY;
            }
            let own = Nearest::of(&one, &other, triangles, so_far.distance);
            let lower = so_far.lower.min(own.lower);
            best.set(Nearest { lower, ..if own.distance < so_far.distance { own } else { so_far } });
            own.distance
        },
    );
    best.get()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use superegg_mesh::TriangleMesh;

    use super::*;

    fn mesh(corners: &[[DVec3; 3]]) -> CollisionMesh {
        let triangles = (0..corners.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        CollisionMesh::new(TriangleMesh::new(corners.as_flattened().to_vec(), triangles).unwrap()).unwrap()
    }

    fn point() -> impl Strategy<Value = DVec3> {
        [-1.0..1.0, -1.0..1.0, -1.0..1.0f64].prop_map(DVec3::from_array)
    }

    fn triangle() -> impl Strategy<Value = [DVec3; 3]> {
        [point(), point(), point()]
    }

    /// A triangle's point by two numbers in [0, 1].
    fn at(&[a, b, c]: &[DVec3; 3], s: f64, t: f64) -> DVec3 {
        let (s, t) = if s + t > 1.0 { (1.0 - s, 1.0 - t) } else { (s, t) };
        a + (b - a) * s + (c - a) * t
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn no_two_points_of_triangles_are_nearer(one in triangle(), other in triangle(), away in point()) {
            let other = other.map(|p| p + away * 2.0);
            let found = nearest(&mesh(&[one]), &mesh(&[other]), &Pose::IDENTITY, 0.0);
            if found.distance == 0.0 {
                // On both: the nearest points of the triangles to it are itself.
                for corners in [one, other] {
                    let single = mesh(&[[found.points[0]; 3]]);
                    prop_assert!(nearest(&mesh(&[corners]), &single, &Pose::IDENTITY, 0.0).distance < 1e-9);
                }
            }
            let nearest = found.distance;
            let steps = (0..=20).map(|i| f64::from(i) / 20.0);
            let samples = |corners: [DVec3; 3]| -> Vec<DVec3> {
                steps.clone().flat_map(|s| steps.clone().map(move |t| at(&corners, s, t))).collect()
            };
            let sampled = samples(one).iter().flat_map(|p| samples(other).into_iter().map(move |q| p.distance(q)))
                .fold(f64::INFINITY, f64::min);
            prop_assert!(nearest <= sampled + 1e-12, "{nearest} {sampled}");
            prop_assert!(nearest >= sampled - 0.5, "no pair of samples is half as far off: {nearest} {sampled}");
        }

        #[test]
        fn trees_find_what_all_pairs_find(
            one in prop::collection::vec(triangle(), 1..20), other in prop::collection::vec(triangle(), 1..20), away in point(),
        ) {
            let place = Pose::from_translation(away * 4.0);
            let mut best = f64::INFINITY;
            for a in &one {
                for b in &other {
                    best = best.min(nearest(&mesh(&[*a]), &mesh(&[*b]), &place, 0.0).distance);
                }
            }
            prop_assert_eq!(nearest(&mesh(&one), &mesh(&other), &place, 0.0).distance, best);
        }
    }
}
