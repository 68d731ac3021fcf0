//! The nearest triangles of two meshes: their hierarchies of boxes walked together, the nearest pair of boxes first.
//!
//! A small mesh is moved into the frame of the other and its boxes are fitted anew there, which costs little beside the walk and
//! keeps them tight. The boxes of a large one stay as they are and are compared along their own axes.
//!
//! Meshes are surfaces: where they meet the distance is zero, and a mesh within another is as far from it as from its nearest
//! triangle.

use std::borrow::Cow;
use std::cell::Cell;

use superegg::query::{Status, WarmStart};
use superegg::shape::Aabb;
use superegg::{DMat3, DVec3, Pose};

use crate::bound::{Bound, Obb};
use crate::certificate::{assembled, bounds};
use crate::collision_mesh::CollisionMesh;
use crate::contact::Contact;
use crate::triangle::{candidates, common_point};

/// Most triangles of a mesh whose boxes are fitted anew for every query.
const SMALL: usize = 4000;

/// What rounding may add to a distance, as a part of the lengths involved.
const ROUNDING: f64 = 1e-14;

/// The nearest points of two placed meshes. `tolerance` as a part of the mean of both meshes' reach.
pub fn distance(a: &CollisionMesh, pose_a: &Pose, b: &CollisionMesh, pose_b: &Pose, tolerance: f64) -> Contact {
    let to_a = pose_a.inverse().compose(pose_b);
    let far = a.reach() + b.reach() + to_a.translation.length();
    let nearest = nearest(a, b, &to_a, ROUNDING * far);
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
    let rounding = 100.0 * ROUNDING * (far + pose_a.translation.length());
    let proved = bounds((distance - rounding).max(0.0).min(distance), distance + rounding);
    let outcome = assembled(distance, world_points, world_normal, status, 1, Some(proved), warm_start);
    Contact { part_a, part_b, outcome }
}

/// The nearest points in the first mesh's frame and the triangles that have them; both the same where the meshes meet.
#[derive(Clone, Copy, Debug)]
struct Nearest {
    distance: f64,
    points: [DVec3; 2],
    triangles: [u32; 2],
    /// The direction from the first point to the second, and their distance, a little increased for rounding.
    separation: Option<(DVec3, f64)>,
}

impl Nearest {
    /// Whether two triangles are farther from each other than these points, told by how far they are along the direction
    /// between the points: for bodies without hollows that is so for nearly all, once the nearest points are found.
    #[inline]
    fn is_nearer(&self, one: &[DVec3; 3], other: &[DVec3; 3]) -> bool {
        self.separation.is_some_and(|(direction, distance)| {
            let [a, b, c] = one.map(|corner| direction.dot(corner));
            let [d, e, f] = other.map(|corner| direction.dot(corner));
            d.min(e).min(f) - a.max(b).max(c) > distance
        })
    }

    #[inline]
    fn offer(&mut self, points: [DVec3; 2], triangles: [u32; 2]) {
        let distance = points[0].distance(points[1]);
        if distance < self.distance {
            let direction = (points[1] - points[0]) / distance;
            let reach = distance + points[0].abs().max_element() + points[1].abs().max_element();
            let separation = direction.is_finite().then_some((direction, distance + 1e-12 * reach));
            *self = Nearest { distance, points, triangles, separation };
        }
    }
}

fn nearest(a: &CollisionMesh, b: &CollisionMesh, to_a: &Pose, slack: f64) -> Nearest {
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
    let best =
        Cell::new(Nearest { distance: f64::INFINITY, points: [DVec3::ZERO; 2], triangles: [0, 0], separation: None });
    a.tree().nearest_pair(
        &tree,
        |box_a, box_b| {
            let gap = if small { box_a.distance(box_b) } else { own_box(box_a).gap(&placed_box(box_b)).max(0.0) };
            gap - slack
        },
        |item_a, item_b| {
            if best.get().is_nearer(&corners_a(item_a), &corners_b(item_b)) { f64::INFINITY } else { f64::NEG_INFINITY }
        },
        |item_a, item_b| {
            let (one, other) = (corners_a(item_a), corners_b(item_b));
            let mut found = best.get();
            if found.is_nearer(&one, &other) {
                return f64::INFINITY;
            }
            if let Some(point) = common_point(&one, &other) {
                found = Nearest { distance: 0.0, points: [point; 2], triangles: [item_a, item_b], separation: None };
                best.set(found);
                // Nothing is nearer than meeting.
                return f64::NEG_INFINITY;
            }
            candidates(&one, &other, |points| found.offer(points, [item_a, item_b]));
            best.set(found);
            found.distance
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
