//! Meshes that were put into each other: they are pushed apart along one direction, the one in which the triangles that meet have to
//! go the least way to be free of each other, of those across their faces and across pairs of their edges (the separating axis
//! theorem). Several directions at once would wedge them. Nothing depends on an inside. While meshes meet, nothing else pushes or
//! limits them: faces that lie behind others already have to come back.

use glam::DVec3;
use superegg_world::collision_mesh::CollisionMesh;
use superegg_world::triangle::common_point;

use super::points::{Candidate, chosen};
use super::{Frame, TrianglePair, corners, farthest};

/// Most directions that are looked at.
const MOST: usize = 64;
/// Cosine of the angle between directions that count as one.
const ALIKE: f64 = 0.999;

/// The points of pairs of triangles that meet.
pub(super) fn points(list: &[TrianglePair], [a, b]: [&CollisionMesh; 2], frame: &Frame) -> Vec<Candidate> {
    let met: Vec<[[DVec3; 3]; 2]> = list
        .iter()
        .filter(|pair| pair.is_met())
        .map(|pair| [corners(a, pair.triangles[0]).map(|p| frame.place(p)), corners(b, pair.triangles[1])])
        .collect();
    let mut directions: Vec<DVec3> = Vec::new();
    for direction in met.iter().filter_map(least_overlap) {
        if directions.len() < MOST && !directions.iter().any(|known| known.dot(direction) > ALIKE) {
            directions.push(direction);
        }
    }
    let way = |direction: DVec3| met.iter().map(|both| depth(direction, both)).fold(0.0, f64::max);
    let Some(normal) = directions.into_iter().min_by(|p, q| way(*p).total_cmp(&way(*q))) else { return Vec::new() };
    // Where they cross, not where the triangles end, which may be far off.
    let point = |both: &[[DVec3; 3]; 2]| {
        let (common, depth) = (common_point(&both[0], &both[1])?, depth(normal, both));
        let on_a = common + normal * (farthest(normal, &both[0]) - normal.dot(common));
        Some(Candidate { gap: -depth, on_a, on_b: on_a - normal * depth, normal })
    };
    chosen(met.iter().filter_map(point).collect())
}

/// How far the first of two triangles reaches beyond the second's beginning in a direction.
fn depth(direction: DVec3, [one, other]: &[[DVec3; 3]; 2]) -> f64 {
    farthest(direction, one) + farthest(-direction, other)
}

/// The direction from one triangle to the other in which they overlap the least.
fn least_overlap(both: &[[DVec3; 3]; 2]) -> Option<DVec3> {
    let [own, others] = both.each_ref().map(|[a, b, c]| [*b - *a, *c - *b, *a - *c]);
    let faces = [own[0].cross(own[1]), others[0].cross(others[1])];
    let across_edges = own.iter().flat_map(|u| others.iter().map(move |v| u.cross(*v)));
    let directions = faces.into_iter().chain(across_edges).filter_map(DVec3::try_normalize);
    directions.flat_map(|direction| [direction, -direction]).min_by(|p, q| depth(*p, both).total_cmp(&depth(*q, both)))
}
