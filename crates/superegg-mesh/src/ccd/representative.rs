//! Procedural representative triangles: which of the triangle pairs that share a feature pair tests it.
//!
//! A feature pair belongs to the first pair of non-adjacent triangles around its two features, in the fixed order of
//! incidence. Every triangle pair finds the same one, so each feature pair is tested once and only once, without any
//! table of what has been tested. Pairs without non-adjacent triangles are the orphans (see `orphan`). Unlike the
//! paper's, edges of more than two triangles are handled too.

use crate::topology::{Topology, share_vertex};

/// Whether `triangle`, which is incident to `vertex` and not adjacent to `face`, represents the two.
#[inline]
pub(super) fn represents_vertex_face(topology: &Topology, vertex: u32, triangle: u32, face: u32) -> bool {
    let corners = topology.corners(face);
    for &incident in topology.triangles_of_vertex(vertex) {
        if incident == triangle {
            return true;
        }
        if !share_vertex(&topology.corners(incident), &corners) {
            return false;
        }
    }
    false
}

/// Whether the non-adjacent triangles `on_a` and `on_b`, incident to edges `a` and `b`, represent the two.
#[inline]
pub(super) fn represents_edge_edge(topology: &Topology, [a, b]: [u32; 2], [on_a, on_b]: [u32; 2]) -> bool {
    if a > b {
        return represents_edge_edge(topology, [b, a], [on_b, on_a]);
    }
    for &first in topology.triangles_of_edge(a) {
        let corners = topology.corners(first);
        for &second in topology.triangles_of_edge(b) {
            if first == on_a && second == on_b {
                return true;
            }
            if !share_vertex(&corners, &topology.corners(second)) {
                return false;
            }
        }
    }
    false
}
