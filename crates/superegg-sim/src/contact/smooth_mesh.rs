//! Points of contact of an egg and a mesh, triangle by triangle.
//!
//! The point of an egg that is lowest above a triangle's plane is a support point. Where it lies over the triangle itself,
//! it is the closest point and nothing has to be searched. Where it lies beyond an edge at which the mesh rises towards
//! the egg, or stays flat, the triangle there is closer. Only beyond an edge from which the mesh falls away, or at which
//! it ends, the closest point lies on that edge or a vertex, and takes the distance query.

use glam::DVec3;
use superegg::query::Options;
use superegg::shape::Aabb;
use superegg_world::collision_mesh::CollisionMesh;

use super::manifold::{Found, NEAR, Point, Sought, WIDE, rim};
use crate::SimError;
use crate::body::Placed;

/// How far beyond an edge a point still counts as over the triangle, in metres: no point may fall between two.
const SLACK: f64 = 1e-3;
/// Triangles that are farther away than so many margins are not looked at: no point is within a margin of both the planes and, seen along
/// them, the triangles.
const FAR: f64 = 2.0;
/// Points that are close count as one if the planes through them differ by less than this over the way that can be made in a
/// step, in metres, and their normals by less than an angle in radians.
const SAME_PLANE: f64 = 5e-4;
const PARALLEL: f64 = 0.2;
/// How far a corner may be on the wrong side of a plane and still count as behind it, as a part of the egg's size.
const SAME_SIDE: f64 = 1e-6;
/// Exactness of distances to triangles, as a part of the egg's size.
const TOLERANCE: f64 = 1e-7;
/// Most points.
const MOST: usize = 32;

/// The triangles of a mesh that are near an egg.
#[derive(Clone, Debug, Default)]
pub(crate) struct Near {
    triangles: Vec<u32>,
    /// All that were closer than this are listed.
    margin: f64,
    /// The sum of the bodies' travels when they were.
    travel: f64,
}

impl Near {
    /// How far around the egg triangles are still known.
    pub fn reaches(&self, travel: f64) -> f64 {
        self.margin - (travel - self.travel)
    }

    /// The triangles.
    pub fn triangles(&self) -> &[u32] {
        &self.triangles
    }

    /// Lists the triangles whose boxes are within a margin of the egg's box and of the ball around it.
    pub fn list(&mut self, a: &Placed, b: &Placed, mesh: &CollisionMesh, margin: f64, travel: f64) {
        (self.margin, self.travel) = (margin, travel);
        self.triangles.clear();
        let turn = b.axes.transpose();
        let center = turn * (a.origin - b.origin);
        // What rounding may take away.
        let slack = 1e-14 * (a.radius() + a.origin.length() + b.origin.length());
        let reach = a.radius() + margin + slack;
        let Aabb { min, max } = a.proxy.box_along(&(turn * a.axes), center, margin + slack);
        mesh.tree().descend(
            |node| {
                let overlaps = node.min.cmple(max).all() && node.max.cmpge(min).all();
                overlaps && outside(node.min, node.max, center) <= reach
            },
            |triangle| self.triangles.push(triangle),
        );
        self.triangles.sort_unstable();
    }
}

/// How far a point is from a box.
fn outside(low: DVec3, high: DVec3, point: DVec3) -> f64 {
    (low - point).max(point - high).max(DVec3::ZERO).length()
}

/// The points within a margin, or how far away the mesh is.
pub(crate) fn on_mesh(a: &Placed, b: &Placed, mesh: &CollisionMesh, sought: &Sought) -> Result<Found, SimError> {
    let &Sought { margin, near, known, closely } = sought;
    let mut found = Found { lower: known, warm: None, points: Vec::new() };
    let Some(shape) = a.shape() else { return Ok(found) };
    let (pose_a, pose_b) = (a.pose(), b.pose());
    let options = Options { tolerance: TOLERANCE, ..Options::DEFAULT };
    let around = a.proxy.box_along(&a.axes, a.origin, 0.0);
    let mut points: Vec<(f64, DVec3, Point)> = Vec::new();
    let mut edges_met: Vec<(DVec3, DVec3)> = Vec::new();
    for &triangle in near {
        let corner = |vertex: u32| pose_b.transform_point(mesh.positions()[vertex as usize]);
        let corners = mesh.topology().corners(triangle).map(corner);
        // How far it is from the egg's box at least.
        let [low, high] = bounds(&corners);
        let beside = (low - around.max).max(around.min - high).max_element();
        if beside > FAR * margin + SLACK {
            found.lower = found.lower.min(beside);
            continue;
        }
        let across = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
        let up = if across.dot(a.origin - corners[0]) < 0.0 { -across } else { across };
        if up == DVec3::ZERO {
            continue;
        }
        let above = up.dot(a.middle() - corners[0]) - a.box_half_along(up);
        if above > margin {
            found.lower = found.lower.min(above);
            continue;
        }
        let first = a.support(-up);
        let height = |point: DVec3| up.dot(point - corners[0]);
        if height(first) > margin {
            // No point of the triangle is closer than its plane.
            found.lower = found.lower.min(height(first));
            continue;
        }
        let (mut lower, mut elsewhere) = (f64::INFINITY, f64::INFINITY);
        let mut add = |gap: f64, normal: DVec3, on_a: DVec3, on_b: DVec3, probe: DVec3| {
            lower = lower.min(gap);
            if gap <= margin {
                points.push((gap, on_a, Point { probe_a: Some(probe), ..Point::new(a, b, normal, on_a, on_b) }));
            }
        };
        let below = first - up * height(first);
        // A fast body moves on over the triangles around: their planes count too.
        let slack = SLACK + margin;
        match beyond(first, &corners, across, SLACK) {
            [false, false, false] => add(height(first), -up, first, below, -up),
            edges if falls_away(mesh, b, triangle, up, edges) => {
                if height(first) > NEAR && !closely {
                    let point = Point { probe_a: Some(-up), ..Point::watching(a, b, -up, first, below) };
                    points.push((height(first), first, point));
                    continue;
                }
                let apart = outside(low, high, a.origin) - a.radius();
                if apart > margin {
                    found.lower = found.lower.min(apart);
                    continue;
                }
                // A plane that keeps the egg from one triangle at an edge or a vertex keeps it from most others there.
                let behind = |(normal, point): &(DVec3, DVec3)| {
                    corners.iter().all(|corner| normal.dot(*corner - *point) >= -SAME_SIDE * a.radius())
                };
                if edges_met.iter().any(behind) {
                    continue;
                }
                let outcome = mesh.contact(triangle, &pose_b, shape, &pose_a, &options)?.outcome;
                edges_met.push((outcome.normal, outcome.point_b));
                add(outcome.distance, outcome.normal, outcome.point_a, outcome.point_b, outcome.normal);
            }
            _ if beyond(first, &corners, across, slack) == [false; 3] => {
                add(height(first), -up, first, below, -up);
            }
            _ => {
                elsewhere = height(first).max(outside(low, high, a.origin) - a.radius());
            }
        }
        let corners_of_face = (height(first) <= NEAR).then(|| rim(a, -up, first));
        for (probe, corner) in corners_of_face.into_iter().flatten() {
            if beyond(corner, &corners, across, SLACK) == [false; 3] {
                add(height(corner), -up, corner, corner - up * height(corner), probe);
            }
        }
        found.lower = found.lower.min(lower).min(elsewhere);
    }
    points.sort_by(|x, y| x.0.total_cmp(&y.0));
    if !points.is_empty() {
        // What watches a gap watches for itself.
        let nearest = points.iter().find(|(.., point)| !point.watch);
        found.lower = nearest.map_or(margin, |(gap, ..)| *gap);
    }
    let mut places: Vec<(DVec3, DVec3)> = Vec::new();
    let parallel = PARALLEL.min(SAME_PLANE / margin).cos();
    let close_sq = (0.5 * WIDE * a.radius()).powi(2);
    for (_, on_a, point) in points {
        let double = |(place, normal): &(DVec3, DVec3)| {
            place.distance_squared(on_a) < close_sq && normal.dot(point.normal) > parallel
        };
        if found.points.len() < MOST && !places.iter().any(double) {
            places.push((on_a, point.normal));
            found.points.push(point);
        }
    }
    Ok(found)
}

fn bounds([a, b, c]: &[DVec3; 3]) -> [DVec3; 2] {
    [a.min(*b).min(*c), a.max(*b).max(*c)]
}

/// Beyond which edges, from corners 0 to 1, 1 to 2 and 2 to 0, a point lies by more than a slack as seen along the normal.
fn beyond(point: DVec3, corners: &[DVec3; 3], normal: DVec3, slack: f64) -> [bool; 3] {
    [0, 1, 2].map(|i| {
        let (from, to) = (corners[i], corners[(i + 1) % 3]);
        let along = to - from;
        normal.dot(along.cross(point - from)) < -slack * along.length()
    })
}

/// Whether the mesh ends or falls away, as seen from `up`, at any of some edges of a triangle.
fn falls_away(mesh: &CollisionMesh, b: &Placed, triangle: u32, up: DVec3, edges: [bool; 3]) -> bool {
    let topology = mesh.topology();
    let corners = topology.corners(triangle);
    let up = b.axes.transpose() * up;
    (0..3).filter(|&i| edges[i]).any(|i| {
        let ends = [corners[i], corners[(i + 1) % 3]];
        let Some(edge) = topology.edge_between(ends[0], ends[1]) else { return true };
        let others = topology.triangles_of_edge(edge);
        let mut neighbours = others.iter().filter(|&&other| other != triangle).peekable();
        if neighbours.peek().is_none() {
            return true;
        }
        neighbours.any(|&other| {
            let beside = topology.corners(other).into_iter().find(|vertex| !ends.contains(vertex));
            beside.is_none_or(|vertex| {
                let way = mesh.positions()[vertex as usize] - mesh.positions()[ends[0] as usize];
                up.dot(way) < -1e-6 * way.length()
            })
        })
    })
}

/// The lowest of a mesh's corners above a plane, and those that are farthest out.
pub(crate) fn mesh_on_plane(a: &Placed, b: &Placed, mesh: &CollisionMesh, up: DVec3, level: f64, margin: f64) -> Found {
    let near = mesh.positions().iter().map(|corner| a.origin + a.axes * *corner);
    let near: Vec<(f64, DVec3)> = near.map(|corner| (up.dot(corner) - level, corner)).collect();
    let lowest = near.iter().copied().min_by(|x, y| x.0.total_cmp(&y.0));
    let Some((lower, lowest)) = lowest else { return Found { lower: margin, warm: None, points: Vec::new() } };
    let (s, t) = up.any_orthonormal_pair();
    let mut chosen: Vec<DVec3> = Vec::new();
    if lower <= margin {
        chosen.push(lowest);
        for outwards in [s, s + t, t, t - s, -s, -s - t, -t, s - t] {
            let below = near.iter().filter(|(height, _)| *height <= margin);
            let farthest = below.max_by(|x, y| outwards.dot(x.1).total_cmp(&outwards.dot(y.1)));
            chosen.extend(farthest.map(|(_, corner)| *corner).filter(|corner| !chosen.contains(corner)));
        }
    }
    let point = |corner: DVec3| Point::new(a, b, -up, corner, corner - up * (up.dot(corner) - level));
    Found { lower, warm: None, points: chosen.into_iter().map(point).collect() }
}
