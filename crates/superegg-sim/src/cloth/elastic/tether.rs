//! Long-range attachments (Kim, Chentanez and Müller 2012): a particle stays within its rest distance of a pinned one.
//!
//! One-sided, so cloth folds freely, and exact in one projection, where stretch alone would creep from edge to edge.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::DVec3;
use superegg_mesh::Topology;

use super::packed::Packed;

/// A particle on a leash.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tether {
    pub particle: u32,
    /// Holds while this one is pinned.
    pub anchor: u32,
    pub length: f64,
}

impl Tether {
    #[inline]
    pub fn project(&self, particles: &mut [Packed]) {
        let anchor = particles[self.anchor as usize];
        let own = &mut particles[self.particle as usize];
        if anchor.w > 0.0 || own.w == 0.0 {
            return;
        }
        let away = own.position() - anchor.position();
        let distance_sq = away.length_squared();
        if distance_sq > self.length * self.length {
            own.set_position(anchor.position() + away * (self.length / distance_sq.sqrt()));
        }
    }
}

/// Lengths of the shortest paths along edges from one vertex to all (Dijkstra); infinite where there is none.
pub(crate) fn geodesic_lengths(topology: &Topology, rest: &[DVec3], from: usize) -> Vec<f64> {
    let mut lengths = vec![f64::INFINITY; rest.len()];
    // Lengths are not negative, so their bits are ordered as they are.
    let mut queue = BinaryHeap::from([Reverse((0u64, from as u32))]);
    lengths[from] = 0.0;
    while let Some(Reverse((bits, vertex))) = queue.pop() {
        let length = f64::from_bits(bits);
        if length > lengths[vertex as usize] {
            continue;
        }
        for &triangle in topology.triangles_of_vertex(vertex) {
            for next in topology.corners(triangle) {
                let reached = length + rest[vertex as usize].distance(rest[next as usize]);
                if reached < lengths[next as usize] {
                    lengths[next as usize] = reached;
                    queue.push(Reverse((reached.to_bits(), next)));
                }
            }
        }
    }
    lengths
}
