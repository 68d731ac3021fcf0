//! Superhyperboloids and supertoroids against every other body, which no distance of convex bodies covers.
//!
//! Apart, the answer is the least distance of the surfaces: branch and bound over the surface's cells, settled by Newton's method
//! (`search`, `two_surfaces`); to a plane it is the least height of the surface above it, in closed form. In overlap with what is
//! flat the answer is how deep that reaches into the body: the greatest distance from the surface of its points inside
//! (`deepest`). In overlap with a smooth body it is the shortest shift found that takes it out (`shift`).
//!
//! Every answer has bounds. Apart, the lower one is the better of what the branch and bound left open, 1 % of the size of the
//! surface's details, and the gap between the hulls along the normal, whose supports are in closed form: where no hole or waist
//! is in play that is the distance itself. The upper one is the distance of two points that lie on the bodies. In overlap no
//! depth exceeds the shift that parts the hulls or the thickness of the body, and a point shown to be inside bounds it from
//! the other side. Rounding is covered by [`rounding_of_distance`].
//!
//! A hyperboloid is open: its ends are no caps, and what is beyond a rim is measured to the rim.

mod deepest;
mod ray;
mod search;
mod shift;
mod two_surfaces;

use std::cell::{Cell, RefCell};

use superegg::query::{Options, Outcome, Status, WarmStart, distance};
use superegg::shape::{Point, Shape};
use superegg::{DVec3, Pose};

use crate::certificate::{assembled, bounds, rounding_of_distance};
use crate::collision_mesh::CollisionMesh;
use crate::placement::relative;
use crate::superquadric::Superquadric;
use crate::triangle;
use deepest::Deepest;
pub(crate) use ray::ray;
use search::{Foot, Search};
use shift::Shift;

/// The nearest points, or the deepest ones: on the surface and on the other body, which triangle of it, and what is proved; all
/// in the surface's frame.
struct Pair {
    surface_point: DVec3,
    other_point: DVec3,
    distance: f64,
    item: u32,
    iterations: u32,
    lower: f64,
    upper: f64,
}

/// The outcome for a surface and a shape, the surface first.
pub(crate) fn to_shape(
    surface: &Superquadric,
    pose: &Pose,
    shape: &Shape,
    shape_pose: &Pose,
    tolerance: f64,
) -> Outcome {
    let local = |point: DVec3| pose.inverse_transform_point(shape_pose.transform_point(point));
    let mut normal = DVec3::Z;
    let pair = match shape {
        Shape::Plane(plane) => {
            let up = pose.inverse_transform_vector(shape_pose.transform_vector(plane.normal()));
            normal = -up;
            to_plane(surface, up, local(plane.normal() * plane.offset()))
        }
        Shape::Point(point) => to_flat(surface, [local(point.points()[0]); 3], tolerance),
        Shape::Segment(segment) => {
            let [a, b] = segment.points().map(local);
            to_flat(surface, [a, b, b], tolerance)
        }
        Shape::Triangle(triangle) => to_flat(surface, triangle.points().map(local), tolerance),
        Shape::Superellipsoid(_) | Shape::Superovoid(_) | Shape::Primitive(_) | Shape::Hull(_) | Shape::Custom(_) => {
            to_egg(surface, shape, &relative(pose, shape_pose), tolerance)
        }
    };
    outcome(surface, pose, shape_pose, &pair, normal, tolerance)
}

/// The outcome for a surface and a mesh, the surface first, and the triangle that is nearest or deepest.
pub(crate) fn to_mesh(
    surface: &Superquadric,
    pose: &Pose,
    mesh: &CollisionMesh,
    mesh_pose: &Pose,
    tolerance: f64,
) -> (Outcome, u32) {
    let to_mesh = relative(mesh_pose, pose);
    let to_surface = to_mesh.inverse();
    let corners_of = |item: u32| mesh.topology().corners(item).map(|vertex| mesh.positions()[vertex as usize]);
    // From the last foot on: points that are asked for one after the other are mostly near each other.
    let mut last = 0;
    let foot = |from: DVec3| {
        let point = to_mesh.transform_point(from);
        let near = triangle::nearest_to_point(&corners_of(last), point);
        let best = Cell::new((near.distance_squared(point), near, last));
        let at_least = Cell::new(triangle::distance_at_least(&corners_of(last), point, near));
        mesh.tree().descend(
            |aabb| (aabb.min - point).max(point - aabb.max).max(DVec3::ZERO).length_squared() < best.get().0,
            |item| {
                let corners = corners_of(item);
                let near = triangle::nearest_to_point(&corners, point);
                let distance_sq = near.distance_squared(point);
                at_least.set(at_least.get().min(triangle::distance_at_least(&corners, point, near)));
                if distance_sq < best.get().0 {
                    best.set((distance_sq, near, item));
                }
            },
        );
        let (distance_sq, near, item) = best.get();
        last = item;
        // Boxes that were left out are farther away than the best.
        let at_least = at_least.get().min(distance_sq.sqrt());
        Foot { point: to_surface.transform_point(near), item, at_least }
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
    let lowest = |normal: DVec3| {
        let along = to_mesh.transform_vector(normal);
        let least = mesh.positions().iter().map(|vertex| along.dot(*vertex)).fold(f64::INFINITY, f64::min);
        least - along.dot(to_mesh.translation)
    };
    let inside = || (0..mesh.topology().triangles().len() as u32).any(|item| reaches_inside(surface, &placed(item)));
    let pair = apart_or_deepest(surface, foot, tolerance, visit, placed, lowest, inside);
    (outcome(surface, pose, mesh_pose, &pair, DVec3::Z, tolerance), pair.item)
}

/// The outcome for two surfaces.
pub(crate) fn to_surface(a: &Superquadric, pose_a: &Pose, b: &Superquadric, pose_b: &Pose, tolerance: f64) -> Outcome {
    let b_to_a = relative(pose_a, pose_b);
    let size = a.largest_extent() + b.largest_extent();
    let near = 0.5 * tolerance * size;
    let farthest_b = |direction: DVec3| b_to_a.transform_point(b.farthest(b_to_a.inverse_transform_vector(direction)));
    let lowest_b =
        |normal: DVec3| normal.dot(b_to_a.translation) - b.support_value(-b_to_a.inverse_transform_vector(normal));
    let gap = |normal: DVec3| lowest_b(normal) - a.support_value(normal);
    let found = two_surfaces::nearest(a, b, b_to_a, near, gap);
    let inside = |own: &Superquadric, other: &Superquadric, to_other: &Pose| {
        own.cells(false).iter().any(|cell| other.contains(to_other.transform_point(own.at(&cell.middle()).0)))
    };
    let inside = inside(a, b, &b_to_a.inverse()) || inside(b, a, &b_to_a);
    let apart = found.distance > near && !inside;
    let rounding = rounding_of_distance(size + b_to_a.translation.length());
    let surfaces = Pair {
        surface_point: found.points[0],
        other_point: found.points[1],
        distance: found.distance,
        item: 0,
        iterations: found.iterations,
        lower: found.lower - rounding,
        upper: found.distance + rounding,
    };
    let pair = if apart {
        // One that passes through the other's open end may have points inside that no cell's middle shows.
        let through_end = |own: &Superquadric, other: &Superquadric, to_own: &Pose| {
            let along = to_own.inverse_transform_vector(DVec3::Z);
            let [low, high] = [-along, along].map(|along| to_own.transform_point(other.farthest(along)).z);
            let end = own.height_limit();
            [end, -end].into_iter().any(|end| low - rounding < end && end < high + rounding)
        };
        let mut surfaces = surfaces;
        for (own, other, to_own) in [(a, b, b_to_a), (b, a, b_to_a.inverse())] {
            if through_end(own, other, &to_own) {
                surfaces.lower = surfaces.lower.min(-(own.thickness() + rounding));
            }
        }
        with_hull_gap(a, surfaces, lowest_b, rounding)
    } else {
        // Either surface may be the one that is left by the shorter way.
        let of_a = shift::shortest(a, farthest_b);
        let a_to_b = b_to_a.inverse();
        let of_b = shift::shortest(b, |direction| {
            a_to_b.transform_point(a.farthest(a_to_b.inverse_transform_vector(direction)))
        });
        let of_b = of_b.map(|shift| Shift {
            surface_point: b_to_a.transform_point(shift.other_point),
            other_point: b_to_a.transform_point(shift.surface_point),
            depth: shift.depth,
        });
        let shift = match (of_a, of_b) {
            (Some(one), Some(other)) => Some(if other.depth < one.depth { other } else { one }),
            (one, other) => one.or(other),
        };
        overlapping(a, farthest_b, lowest_b, b_to_a, shift, inside, surfaces, rounding)
    };
    outcome(a, pose_a, pose_b, &pair, DVec3::Z, tolerance)
}

fn to_plane(surface: &Superquadric, up: DVec3, origin: DVec3) -> Pair {
    let surface_point = surface.farthest(-up);
    let height = -surface.support_value(-up) - up.dot(origin);
    let rounding = rounding_of_distance(surface.largest_extent() + origin.length());
    Pair {
        surface_point,
        other_point: surface_point - height * up,
        distance: height,
        item: 0,
        iterations: 1,
        lower: height - rounding,
        upper: height + rounding,
    }
}

fn to_flat(surface: &Superquadric, corners: [DVec3; 3], tolerance: f64) -> Pair {
    if corners[0] == corners[1] && corners[1] == corners[2] {
        return to_point(surface, corners[0]);
    }
    let foot = |from: DVec3| {
        let point = triangle::nearest_to_point(&corners, from);
        Foot { point, item: 0, at_least: triangle::distance_at_least(&corners, from, point) }
    };
    let lowest = |normal: DVec3| corners.map(|corner| normal.dot(corner)).into_iter().fold(f64::INFINITY, f64::min);
    let inside = || reaches_inside(surface, &corners);
    apart_or_deepest(surface, foot, tolerance, |deepest, _| deepest.visit(corners, 0), |_| corners, lowest, inside)
}

/// Whether a triangle that does not meet the surface has points inside: all of it is, or it passes through an open end.
fn reaches_inside(surface: &Superquadric, corners: &[DVec3; 3]) -> bool {
    let through_end = |end: f64| {
        (0..3).any(|i| {
            let (from, to) = (corners[i], corners[(i + 1) % 3]);
            (from.z - end) * (to.z - end) < 0.0 && {
                let at = from.lerp(to, (end - from.z) / (to.z - from.z));
                surface.contains(DVec3::new(at.x, at.y, end))
            }
        })
    };
    let end = surface.height_limit();
    surface.contains(corners[0]) || end.is_finite() && (through_end(end) || through_end(-end))
}

/// A point's signed distance is bounded from both sides, inside as outside.
fn to_point(surface: &Superquadric, point: DVec3) -> Pair {
    let nearest = search::nearest_to_point(surface, point);
    let distance = point.distance(nearest.point);
    let rounding = rounding_of_distance(surface.largest_extent() + point.length());
    let (lower, upper) = (nearest.lower.max(0.0) - rounding, distance + rounding);
    let pair = Pair {
        surface_point: nearest.point,
        other_point: point,
        distance,
        item: 0,
        iterations: nearest.iterations,
        lower,
        upper,
    };
    if surface.contains(point) {
        // Next to the surface rounding may have put it on the wrong side.
        return Pair { distance: -distance, lower: -upper, upper: if lower > 0.0 { -lower } else { upper }, ..pair };
    }
    let pair = if lower > 0.0 { pair } else { Pair { lower: -upper, ..pair } };
    with_hull_gap(surface, pair, |normal| normal.dot(point), rounding)
}

/// The nearest points; where those meet, or what is flat may lie inside, its deepest point. `lowest` is the least `n·x` over what
/// is flat, `inside` whether it has points inside, if it does not meet the surface.
fn apart_or_deepest(
    surface: &Superquadric,
    foot: impl FnMut(DVec3) -> Foot,
    tolerance: f64,
    visit: impl FnOnce(&mut Deepest, u32),
    corners_of: impl Fn(u32) -> [DVec3; 3],
    lowest: impl Fn(DVec3) -> f64,
    inside: impl Fn() -> bool,
) -> Pair {
    let size = surface.largest_extent();
    let mut search = Search::new(surface, foot);
    let gap = |normal: DVec3| lowest(normal) - surface.support_value(normal);
    let (found, lower) = search.least(&surface.cells(false), 0.1 * tolerance * size, gap);
    let iterations = search.iterations;
    let rounding = rounding_of_distance(size + found.foot.point.length());
    // What does not meet the surface and is not inside has no deepest point.
    let apart = lower > rounding && !inside();
    let deepest = (!apart).then(|| {
        let mut deepest = Deepest::new(surface);
        visit(&mut deepest, found.foot.item);
        deepest.settled(corners_of)
    });
    match deepest.flatten() {
        Some(deep) => Pair {
            surface_point: deep.surface_point,
            other_point: deep.point,
            distance: -deep.depth,
            item: deep.item,
            iterations,
            lower: -(surface.thickness() + rounding),
            upper: (rounding - deep.at_least).min(rounding),
        },
        None => {
            // Where the surfaces may meet, nothing was found inside, which is no proof that nothing is.
            let pair = Pair {
                surface_point: found.point,
                other_point: found.foot.point,
                distance: found.distance,
                item: found.foot.item,
                iterations,
                lower: lower - rounding,
                upper: found.distance + rounding,
            };
            let pair = if apart { pair } else { Pair { lower: -(surface.thickness() + rounding), ..pair } };
            with_hull_gap(surface, pair, lowest, rounding)
        }
    }
}

/// Bounds sharpened by the gap between the hulls along the normal between the points.
fn with_hull_gap(surface: &Superquadric, pair: Pair, lowest: impl Fn(DVec3) -> f64, rounding: f64) -> Pair {
    let Some(normal) = (pair.other_point - pair.surface_point).try_normalize() else { return pair };
    let gap = lowest(normal) - surface.support_value(normal) - rounding;
    if gap > 0.0 { Pair { lower: pair.lower.max(gap.min(pair.upper)), ..pair } } else { pair }
}

/// A superellipsoid, superovoid or primitive, placed in the surface's frame.
fn to_egg(surface: &Superquadric, egg: &Shape, local: &Pose, tolerance: f64) -> Pair {
    let Ok(origin) = Point::new([DVec3::ZERO]).map(Shape::from) else { unreachable!("zero is a coordinate") };
    let deepest = Cell::new(0.0f64);
    // Points that are asked for one after the other are mostly near each other. An egg that is not convex is asked from all its
    // starts each time.
    let is_convex = !matches!(egg, Shape::Superovoid(ovoid) if !ovoid.is_convex());
    let last: Cell<Option<WarmStart>> = Cell::new(None);
    let foot = |from: DVec3| {
        let options = Options { warm_start: last.get(), ..Options::DEFAULT };
        let found = distance(&origin, &Pose::from_translation(from), egg, local, &options);
        last.set(found.as_ref().ok().filter(|_| is_convex).map(|outcome| outcome.warm_start));
        deepest.set(found.as_ref().map_or(0.0, |outcome| outcome.distance).min(deepest.get()));
        // A surface point inside the egg has no distance from it.
        match found.ok().filter(|outcome| outcome.distance > 0.0) {
            Some(outcome) => {
                let at_least = outcome.bounds.map_or(0.0, |bounds| bounds.lower.max(0.0));
                Foot { point: outcome.point_b, item: 0, at_least }
            }
            None => Foot { point: from, item: 0, at_least: 0.0 },
        }
    };
    let size = surface.largest_extent();
    let near = tolerance * size;
    let mut search = Search::new(surface, foot);
    let farthest = |direction: DVec3| {
        local.transform_point(egg.support(local.inverse_transform_vector(direction)).unwrap_or(DVec3::ZERO))
    };
    let lowest =
        |normal: DVec3| normal.dot(local.translation) - egg.support_value(-local.inverse_transform_vector(normal));
    let gap = |normal: DVec3| lowest(normal) - surface.support_value(normal);
    let (found, lower) = search.least(&surface.cells(false), near, gap);
    let rounding = rounding_of_distance(size + local.translation.length() + egg.reach());
    let pair = Pair {
        surface_point: found.point,
        other_point: found.foot.point,
        distance: found.distance,
        item: 0,
        iterations: search.iterations,
        lower: lower - rounding,
        upper: found.distance + rounding,
    };
    // An egg that does not meet the surface is inside as a whole, or passes through an open end.
    let [low, high] = [farthest(-DVec3::Z), farthest(DVec3::Z)];
    let through_end = |end: f64| {
        let at = low.lerp(high, (end - low.z) / (high.z - low.z));
        low.z < end && end < high.z && surface.contains(DVec3::new(at.x, at.y, end))
    };
    let end = surface.height_limit();
    let inside = surface.contains(local.translation) || end.is_finite() && (through_end(end) || through_end(-end));
    if found.distance > near && !inside {
        return with_hull_gap(surface, pair, lowest, rounding);
    }
    let shift = shift::shortest(surface, farthest);
    overlapping(surface, farthest, lowest, *local, shift, inside || deepest.get() < -near, pair, rounding)
}

/// The answer for a body that overlaps the surface, or touches it: by the shortest shift, or if there is none by the shortest of
/// those that part the hulls along the axes of both bodies and the line between their middles. `inside` says that a point of one
/// was seen inside the other.
#[expect(clippy::too_many_arguments, reason = "one call for each kind of body")]
fn overlapping(
    surface: &Superquadric,
    farthest: impl Fn(DVec3) -> DVec3,
    lowest: impl Fn(DVec3) -> f64,
    other: Pose,
    shift: Option<Shift>,
    inside: bool,
    surfaces: Pair,
    rounding: f64,
) -> Pair {
    let hulls = |normal: DVec3| {
        let (other_point, depth) = (farthest(-normal), surface.support_value(normal) - lowest(normal));
        // Both on the plane across the normal through the other body's last point and back.
        Shift { surface_point: other_point + depth * normal, other_point, depth }
    };
    let mut normals: Vec<DVec3> = DVec3::AXES.into_iter().flat_map(|axis| [axis, -axis]).collect();
    normals.extend(DVec3::AXES.iter().map(|&axis| other.transform_vector(axis)).flat_map(|axis| [axis, -axis]));
    normals.extend(other.translation.try_normalize());
    normals.extend(shift.and_then(|shift| (shift.surface_point - shift.other_point).try_normalize()));
    let parted = normals.into_iter().map(hulls).min_by(|p, q| p.depth.total_cmp(&q.depth));
    let Some(parted) = parted else { return surfaces };
    if parted.depth <= 0.0 {
        // The hulls do not even overlap: the surfaces touch within the tolerance.
        return Pair { lower: (-parted.depth - rounding).min(surfaces.distance), ..surfaces };
    }
    let Some(found) = shift.or(inside.then_some(parted)) else {
        // They touch within the tolerance, and nothing shows more than that.
        return Pair { lower: -(parted.depth + rounding), ..surfaces };
    };
    Pair {
        surface_point: found.surface_point,
        other_point: found.other_point,
        distance: -found.depth,
        item: 0,
        iterations: surfaces.iterations,
        lower: -(parted.depth.max(found.depth) + rounding),
        // A shift from inside shows a common point.
        upper: if shift.is_some() { 0.0 } else { surfaces.upper },
    }
}

/// In the world; `normal` serves where the points coincide and the surface has none.
fn outcome(
    surface: &Superquadric,
    pose: &Pose,
    other_pose: &Pose,
    pair: &Pair,
    normal: DVec3,
    tolerance: f64,
) -> Outcome {
    let near = tolerance * surface.largest_extent();
    let between = pair.other_point - pair.surface_point;
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
    let (point_b, world_normal) = (pose.transform_point(pair.other_point), pose.transform_vector(normal));
    let warm_start = WarmStart {
        point_a: pair.surface_point,
        normal_a: normal,
        point_b: other_pose.inverse_transform_point(point_b),
        normal_b: other_pose.inverse_transform_vector(-world_normal),
    };
    let points = [pose.transform_point(pair.surface_point), point_b];
    let proved = bounds(pair.lower.min(pair.distance), pair.upper.max(pair.distance));
    assembled(pair.distance, points, world_normal, status, pair.iterations, Some(proved), warm_start)
}
