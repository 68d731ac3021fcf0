//! Superhyperboloids and supertoroids against what is flat: points, planes, segments, triangles and meshes of them.
//!
//! Apart, the answer is the least distance between the surface and the flat thing, found by branch and bound and settled by
//! Newton's method (see `search`); to a plane it is the least height of the surface above the plane, in closed form. No bounds
//! are given: the branch and bound leaves 1 % of the size of the surface's details open, which only a nearer place of its own, away from
//! all starts of descents, could use.
//!
//! In overlap the answer is how deep the flat thing reaches into the body: the greatest distance from the surface of its points
//! inside (see `deepest`). For a plane it is the shift along the normal that frees the body; for the others no such shift is
//! known: these bodies are not convex, and the nearest way out for one point need not free the next.
//!
//! A hyperboloid is open: its ends are no caps, and what is beyond a rim is measured to the rim.

mod deepest;
mod search;

use std::cell::{Cell, RefCell};

use superegg::query::{Options, Outcome, Status, WarmStart, distance};
use superegg::shape::{Point, Shape};
use superegg::{DVec3, Pose};
use superegg_world::obstacle::Obstacle;

use crate::Superquadric;
use crate::triangle;
use deepest::Deepest;
use search::{Foot, Search};

/// The nearest points, or the deepest one: on the surface, on the flat thing and which triangle of it; all in the surface's frame.
struct Pair {
    surface_point: DVec3,
    flat_point: DVec3,
    distance: f64,
    item: u32,
    iterations: u32,
}

/// The outcome for a surface and a flat shape, the surface first; `None` for a shape that is not flat.
pub(crate) fn distance_to_shape(
    surface: &Superquadric,
    pose: &Pose,
    shape: &Shape,
    shape_pose: &Pose,
    tolerance: f64,
) -> Option<Outcome> {
    let local = |point: DVec3| pose.inverse_transform_point(shape_pose.transform_point(point));
    let corners = match shape {
        Shape::Plane(plane) => {
            let normal = pose.inverse_transform_vector(shape_pose.transform_vector(plane.normal()));
            let origin = local(plane.normal() * plane.offset());
            let surface_point = surface.farthest(-normal);
            let height = normal.dot(surface_point - origin);
            let flat_point = surface_point - height * normal;
            let pair = Pair { surface_point, flat_point, distance: height, item: 0, iterations: 1 };
            return Some(outcome(surface, pose, shape_pose, &pair, -normal, tolerance));
        }
        Shape::Point(point) => [local(point.points()[0]); 3],
        Shape::Segment(segment) => {
            let [a, b] = segment.points().map(local);
            [a, b, b]
        }
        Shape::Triangle(triangle) => triangle.points().map(local),
        Shape::Superellipsoid(_) | Shape::Superovoid(_) => return None,
    };
    let pair = if corners[0] == corners[1] && corners[1] == corners[2] {
        of_point(surface, corners[0])
    } else {
        let foot = |point: DVec3| Foot { point: triangle::nearest_to_point(&corners, point), item: 0 };
        apart_or_deepest(surface, foot, tolerance, |deepest, _| deepest.visit(corners, 0), |_| corners)
    };
    Some(outcome(surface, pose, shape_pose, &pair, DVec3::Z, tolerance))
}

/// The outcome for a surface and an egg that is apart from it, the surface first; `None` where they overlap. Many starts find
/// the same, except where a common normal is hard to find, as near rims and ridges.
pub(crate) fn distance_to_egg(
    surface: &Superquadric,
    pose: &Pose,
    egg: &Shape,
    egg_pose: &Pose,
    tolerance: f64,
) -> Option<Outcome> {
    let local = pose.inverse().compose(egg_pose);
    let origin = Shape::from(Point::new([DVec3::ZERO]).ok()?);
    let foot = |point: DVec3| {
        let found = distance(&origin, &Pose::from_translation(point), egg, &local, &Options::DEFAULT);
        // A surface point inside the egg has no distance from it.
        let apart = found.ok().filter(|outcome| outcome.distance > 0.0);
        Foot { point: apart.map_or(point, |outcome| outcome.point_b), item: 0 }
    };
    let near = tolerance * surface.largest_extent();
    let mut search = Search::new(surface, foot);
    let found = search.least(&surface.cells(false), near);
    if found.distance <= near || surface.contains(local.translation) {
        return None;
    }
    let pair = Pair {
        surface_point: found.point,
        flat_point: found.foot.point,
        distance: found.distance,
        item: 0,
        iterations: search.iterations,
    };
    Some(outcome(surface, pose, egg_pose, &pair, DVec3::Z, tolerance))
}

/// The outcome for a surface and a mesh, the surface first, and the triangle that is nearest or deepest.
pub(crate) fn distance_to_mesh(
    surface: &Superquadric,
    pose: &Pose,
    mesh: &Obstacle,
    mesh_pose: &Pose,
    tolerance: f64,
) -> (Outcome, u32) {
    let to_mesh = mesh_pose.inverse().compose(pose);
    let to_surface = to_mesh.inverse();
    let corners_of = |item: u32| mesh.topology().corners(item).map(|vertex| mesh.positions()[vertex as usize]);
    // From the last foot on: points that are asked for one after the other are mostly near each other.
    let mut last = 0;
    let foot = |point: DVec3| {
        let point = to_mesh.transform_point(point);
        let near = triangle::nearest_to_point(&corners_of(last), point);
        let best = Cell::new((near.distance_squared(point), near, last));
        mesh.tree().descend(
            |aabb| (aabb.min - point).max(point - aabb.max).max(DVec3::ZERO).length_squared() < best.get().0,
            |item| {
                let near = triangle::nearest_to_point(&corners_of(item), point);
                let distance_sq = near.distance_squared(point);
                if distance_sq < best.get().0 {
                    best.set((distance_sq, near, item));
                }
            },
        );
        let (_, near, item) = best.get();
        last = item;
        Foot { point: to_surface.transform_point(near), item }
    };
    let placed = |item: u32| corners_of(item).map(|corner| to_surface.transform_point(corner));
    let visit = |deepest: &mut Deepest, nearest: u32| {
        deepest.visit(placed(nearest), nearest);
        let deepest = RefCell::new(deepest);
        mesh.tree().descend(
            |aabb| {
                let middle = to_surface.transform_point(0.5 * (aabb.min + aabb.max));
                deepest.borrow().may_be_deeper(middle, 0.5 * (aabb.max - aabb.min).length())
            },
            |item| deepest.borrow_mut().visit(placed(item), item),
        );
    };
    let pair = apart_or_deepest(surface, foot, tolerance, visit, placed);
    (outcome(surface, pose, mesh_pose, &pair, DVec3::Z, tolerance), pair.item)
}

fn of_point(surface: &Superquadric, point: DVec3) -> Pair {
    let (surface_point, iterations) = search::nearest_to_point(surface, point);
    let sign = if surface.contains(point) { -1.0 } else { 1.0 };
    let distance = sign * point.distance(surface_point);
    Pair { surface_point, flat_point: point, distance, item: 0, iterations }
}

/// The nearest points; where those meet, or what is flat may lie inside, its deepest point.
fn apart_or_deepest(
    surface: &Superquadric,
    foot: impl FnMut(DVec3) -> Foot,
    tolerance: f64,
    visit: impl FnOnce(&mut Deepest, u32),
    corners_of: impl Fn(u32) -> [DVec3; 3],
) -> Pair {
    let mut search = Search::new(surface, foot);
    let found = search.least(&surface.cells(false), 0.1 * tolerance * surface.largest_extent());
    let iterations = search.iterations;
    let mut deepest = Deepest::new(surface);
    visit(&mut deepest, found.foot.item);
    match deepest.settled(corners_of) {
        Some(deep) => Pair {
            surface_point: deep.surface_point,
            flat_point: deep.point,
            distance: -deep.depth,
            item: deep.item,
            iterations,
        },
        None => Pair {
            surface_point: found.point,
            flat_point: found.foot.point,
            distance: found.distance,
            item: found.foot.item,
            iterations,
        },
    }
}

/// In the world; `normal` serves where the points coincide and the surface has none.
fn outcome(
    surface: &Superquadric,
    pose: &Pose,
    flat_pose: &Pose,
    pair: &Pair,
    normal: DVec3,
    tolerance: f64,
) -> Outcome {
    let near = tolerance * surface.largest_extent();
    let between = pair.flat_point - pair.surface_point;
    let normal = if pair.distance.abs() > near {
        between / pair.distance
    } else {
        surface.gradient(pair.surface_point).1.try_normalize().unwrap_or(normal)
    };
    let normal = normal.normalize_or(DVec3::Z);
    let status = match pair.distance {
        distance if !distance.is_finite() => Status::NotConverged,
        distance if distance.abs() <= near => Status::Touching,
        distance if distance > 0.0 => Status::Separated,
        _ => Status::Penetrating,
    };
    let (point_b, world_normal) = (pose.transform_point(pair.flat_point), pose.transform_vector(normal));
    Outcome {
        distance: pair.distance,
        point_a: pose.transform_point(pair.surface_point),
        point_b,
        normal: world_normal,
        status,
        iterations: pair.iterations,
        bounds: None,
        warm_start: WarmStart {
            point_a: pair.surface_point,
            normal_a: normal,
            point_b: flat_pose.inverse_transform_point(point_b),
            normal_b: flat_pose.inverse_transform_vector(-world_normal),
        },
    }
}
