//! Where two meshes push each other: vertices of one before faces of the other, and edges that cross.
//!
//! Only where the direction lies in the cones of both features, as seen from their neighbours, is the distance the least
//! nearby; elsewhere another feature is closer, and pushing there would catch parts that slide over inner edges. Cones are widened
//! by a small angle, so that a face that is slightly tilted rests on all of its corners. Flat edges push nothing: vertices and
//! other edges do that for them.
//!
//! Of points with nearly the same direction the nearest will do, and those that are the farthest out.

use glam::DVec3;
use superegg_mesh::topology::NO_EDGE;
use superegg_world::collision_mesh::CollisionMesh;

use super::{Frame, TrianglePair, corners};

/// Sine of the angle by which cones are widened.
const WIDENED: f64 = 0.12;
/// Sine of the angle between triangles at a flat edge.
const FLAT: f64 = 1e-3;
/// Sine of the least angle at which edges cross.
const CROSSING: f64 = 1e-3;
/// Cosine of the angle between normals of one group.
const GROUPED: f64 = 0.98;
/// Most points of a pair.
const MOST: usize = 32;
/// How far beyond an edge a vertex counts as before a face, as a part of the triangle: none may fall between two.
const SLACK: f64 = 1e-9;

/// A point of contact as seen from the second mesh.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub gap: f64,
    pub on_a: DVec3,
    pub on_b: DVec3,
    /// From the first mesh to the second.
    pub normal: DVec3,
}

/// The points within a margin of listed pairs of triangles, the nearest of each direction first.
pub(super) fn points(list: &[TrianglePair], [a, b]: [&CollisionMesh; 2], frame: &Frame, margin: f64) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    for pair in list.iter().filter(|pair| pair.gap <= margin && !pair.is_met()) {
        let [i, j] = pair.triangles;
        let one = corners(a, i).map(|corner| frame.place(corner));
        let other = corners(b, j);
        let place = |vertex: u32| frame.place(a.positions()[vertex as usize]);
        let own = |vertex: u32| b.positions()[vertex as usize];
        for corner in 0..3 {
            let vertex = a.topology().corners(i)[corner];
            if a.topology().triangles_of_vertex(vertex).first() == Some(&i)
                && let Some((foot, normal)) = before(one[corner], &other, pair.normal)
                && is_extreme(a, vertex, &place, normal)
            {
                let gap = normal.dot(foot - one[corner]);
                found.push(Candidate { gap, on_a: one[corner], on_b: foot, normal });
            }
            let vertex = b.topology().corners(j)[corner];
            if b.topology().triangles_of_vertex(vertex).first() == Some(&j)
                && let Some((foot, normal)) = before(other[corner], &one, pair.normal)
                && is_extreme(b, vertex, &own, -normal)
            {
                let gap = normal.dot(other[corner] - foot);
                found.push(Candidate { gap, on_a: foot, on_b: other[corner], normal });
            }
        }
        for edge_a in owned_edges(a, i) {
            for edge_b in owned_edges(b, j) {
                let ends_a = a.topology().edges()[edge_a as usize].map(place);
                let ends_b = b.topology().edges()[edge_b as usize].map(own);
                if let Some([p, q, normal]) = crossing(ends_a, ends_b, pair.normal)
                    && normal.dot(q - p) <= margin
                    && is_ridge(a, edge_a, &place, normal)
                    && is_ridge(b, edge_b, &own, -normal)
                {
                    found.push(Candidate { gap: normal.dot(q - p), on_a: p, on_b: q, normal });
                }
            }
        }
    }
    found.retain(|candidate| candidate.gap <= margin);
    chosen(found)
}

/// The edges of a triangle that no triangle before it has.
fn owned_edges(mesh: &CollisionMesh, triangle: u32) -> impl Iterator<Item = u32> {
    let edges = mesh.topology().edges_of_triangle(triangle).into_iter();
    edges.filter(move |&edge| edge != NO_EDGE && mesh.topology().triangles_of_edge(edge).first() == Some(&triangle))
}

/// The foot of a point on a triangle that it is before, and the direction across, on the side of `along`.
fn before(point: DVec3, &[a, b, c]: &[DVec3; 3], along: DVec3) -> Option<(DVec3, DVec3)> {
    let (u, v, r) = (b - a, c - a, point - a);
    let across = u.cross(v);
    let area_sq = across.length_squared();
    if area_sq == 0.0 {
        return None;
    }
    let (s, t) = (r.cross(v).dot(across) / area_sq, u.cross(r).dot(across) / area_sq);
    let inside = s >= -SLACK && t >= -SLACK && s + t <= 1.0 + SLACK;
    let normal = if across.dot(along) < 0.0 { -across } else { across } / area_sq.sqrt();
    inside.then(|| (point - normal * normal.dot(r), normal))
}

/// The points of two edges where they cross as seen along the direction across both, and that direction, on the side of `along`.
fn crossing([a, b]: [DVec3; 2], [c, d]: [DVec3; 2], along: DVec3) -> Option<[DVec3; 3]> {
    let (u, v, r) = (b - a, d - c, c - a);
    let across = u.cross(v);
    let size_sq = across.length_squared();
    if size_sq <= CROSSING * CROSSING * u.length_squared() * v.length_squared() {
        return None;
    }
    let (s, t) = (r.cross(v).dot(across) / size_sq, r.cross(u).dot(across) / size_sq);
    let within = |part: f64| (0.0..=1.0).contains(&part);
    let normal = if across.dot(along) < 0.0 { -across } else { across } / size_sq.sqrt();
    (within(s) && within(t)).then(|| [a + u * s, c + v * t, normal])
}

/// Whether nothing around a vertex reaches farther in a direction.
fn is_extreme(mesh: &CollisionMesh, vertex: u32, place: &impl Fn(u32) -> DVec3, direction: DVec3) -> bool {
    let at = place(vertex);
    let topology = mesh.topology();
    topology.triangles_of_vertex(vertex).iter().all(|&triangle| {
        topology.corners(triangle).into_iter().filter(|&other| other != vertex).all(|other| {
            let way = place(other) - at;
            direction.dot(way) <= WIDENED * way.length()
        })
    })
}

/// Whether nothing beside an edge reaches farther in a direction, and the mesh bends or ends there.
fn is_ridge(mesh: &CollisionMesh, edge: u32, place: &impl Fn(u32) -> DVec3, direction: DVec3) -> bool {
    let topology = mesh.topology();
    let ends = topology.edges()[edge as usize];
    let from = place(ends[0]);
    let along = (place(ends[1]) - from).normalize_or_zero();
    // Directions in the triangles, away from the edge.
    let beside = |triangle: u32| {
        let other = topology.corners(triangle).into_iter().find(|vertex| !ends.contains(vertex))?;
        let way = place(other) - from;
        Some((way - along * along.dot(way)).normalize_or_zero())
    };
    let triangles = topology.triangles_of_edge(edge);
    let lower = triangles.iter().filter_map(|&t| beside(t)).all(|way| direction.dot(way) <= WIDENED);
    let flat = || match *triangles {
        [one, other] => match (beside(one), beside(other)) {
            (Some(p), Some(q)) => p.dot(q) < 0.0 && p.cross(q).length_squared() < FLAT * FLAT,
            _ => false,
        },
        _ => false,
    };
    lower && !flat()
}

/// The nearest of each group of nearly one direction, and the farthest out in eight.
pub(super) fn chosen(mut found: Vec<Candidate>) -> Vec<Candidate> {
    found.sort_by(|x, y| x.gap.total_cmp(&y.gap));
    let mut groups: Vec<(DVec3, Vec<Candidate>)> = Vec::new();
    for candidate in found {
        match groups.iter_mut().find(|(normal, _)| normal.dot(candidate.normal) > GROUPED) {
            Some((_, group)) => group.push(candidate),
            None => groups.push((candidate.normal, vec![candidate])),
        }
    }
    let mut all: Vec<Candidate> = Vec::new();
    for (normal, group) in groups {
        let (s, t) = normal.any_orthonormal_pair();
        let mut taken = vec![false; group.len()];
        taken[0] = true;
        for outwards in [s, s + t, t, t - s, -s, -s - t, -t, s - t] {
            // Of equal ones the first, which is the nearest.
            let mut farthest = 0;
            for (index, candidate) in group.iter().enumerate() {
                if outwards.dot(candidate.on_a) > outwards.dot(group[farthest].on_a) + 1e-9 {
                    farthest = index;
                }
            }
            taken[farthest] = true;
        }
        all.extend(group.iter().zip(taken).filter(|(_, taken)| *taken).map(|(candidate, _)| *candidate));
    }
    all.truncate(MOST);
    all
}
