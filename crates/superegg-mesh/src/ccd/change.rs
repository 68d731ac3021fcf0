//! Follows a change of topology: whatever is away from it is taken over.
//!
//! Triangles keep their number. Those that changed, came or went, and all that share a vertex with them, are fresh;
//! the connectivity around any other triangle is as it was. So their orphans, their subtrees with contours and their
//! representatives stay. Only edges and incidence are listed anew, in one pass, since their numbers change.

use crate::mesh::TriangleMesh;
use crate::topology::Topology;

use super::contour::Contours;
use super::detector::{Detector, build_forest, suited};
use super::objects::ObjectTree;
use super::orphan::OrphanSet;
use super::tree::Node;

/// Larger subtrees are taken over in parts, so that the tree above them adapts to the change.
const LARGEST_KEPT: u32 = 64;

impl Detector {
    /// Follows a change of topology: triangles that tore, broke, came or went. Those that stayed must keep their
    /// number: then orphans, trees, contours and representatives are found anew only around the change.
    pub fn change_topology(&mut self, mesh: &TriangleMesh) {
        let topology = Topology::new(mesh.positions().len(), mesh.triangles().to_vec()).expect("a validated mesh");
        let fresh = around_change(&self.topology, &topology);
        let listed = self.options.culling.orphans;
        self.options = suited(&topology, self.options);
        if self.options.culling.orphans {
            self.orphans.update(&self.topology, &topology);
        } else if listed {
            self.orphans = OrphanSet::default();
        }
        self.representatives.follow(&self.topology, &topology, &fresh);
        if self.options.culling.two_level {
            let earlier = &self.forest;
            // How many fresh triangles come before each place in the order of the leaves.
            let mut before = Vec::with_capacity(earlier.order.len() + 1);
            before.push(0u32);
            for &triangle in &earlier.order {
                let is_fresh = fresh.get(triangle as usize).copied().unwrap_or(true);
                before.push(before[before.len() - 1] + u32::from(is_fresh));
            }
            let (forest, kept) = earlier.follow(&topology, mesh.positions(), |node| {
                let Node { first, count } = earlier.nodes[node as usize];
                before[first as usize] == before[(first + count) as usize]
                    && count <= LARGEST_KEPT
                    && !self.contours.of(earlier, node).is_empty()
            });
            let renumbered = renumbered_edges(&self.topology, &topology);
            self.contours = self.contours.follow(earlier, &topology, &forest, &kept, &renumbered);
            self.forest = forest;
        } else {
            self.forest = build_forest(&topology, mesh.positions(), &self.options);
            self.contours = Contours::new(&topology, &self.forest);
        }
        self.topology = topology;
        self.objects = ObjectTree::default();
        self.make_room();
    }
}

/// For each triangle of the later topology whether it changed or shares a vertex with one that changed, came or went.
fn around_change(before: &Topology, after: &Topology) -> Vec<bool> {
    let mut touched = vec![false; before.vertex_count().max(after.vertex_count())];
    let (old, new) = (before.triangles(), after.triangles());
    for index in (0..old.len().max(new.len())).filter(|&index| old.get(index) != new.get(index)) {
        for &vertex in [old.get(index), new.get(index)].into_iter().flatten().flatten() {
            touched[vertex as usize] = true;
        }
    }
    new.iter().map(|corners| corners.iter().any(|&v| touched[v as usize])).collect()
}

/// The later number of each edge; edges that are gone have the number of the next one that is not.
fn renumbered_edges(before: &Topology, after: &Topology) -> Vec<u32> {
    let key = |&[low, high]: &[u32; 2]| [high, low];
    let mut next = after.edges().iter().peekable();
    let mut number = 0;
    let follow = |edge: &[u32; 2]| {
        while next.next_if(|later| key(later) < key(edge)).is_some() {
            number += 1;
        }
        number
    };
    before.edges().iter().map(follow).collect()
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::super::options::Options;
    use super::super::representative::Representatives;
    use super::*;

    /// A sheet of `n` by `n` squares.
    fn sheet(n: u32) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let row = |j: u32| (0..=n).map(move |i| DVec3::new(f64::from(i), f64::from(j), f64::from(i * j % 3)));
        let squares = (0..n).flat_map(|j| (0..n).map(move |i| j * (n + 1) + i));
        let triangles = squares.flat_map(|a| [[a, a + 1, a + n + 2], [a, a + n + 2, a + n + 1]]);
        ((0..=n).flat_map(row).collect(), triangles.collect())
    }

    /// Every node of every tree is one patch, connected through edges, and all triangles are there.
    fn check_forest(detector: &Detector) {
        let (topology, forest) = (&detector.topology, &detector.forest);
        let mut all = forest.order.clone();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..topology.triangles().len() as u32));
        assert_eq!(forest.roots.len(), topology.components().1);
        for node in 0..forest.nodes.len() as u32 {
            let patch = forest.triangles(node).iter().map(|&t| topology.corners(t)).collect();
            let alone = Topology::new(topology.vertex_count(), patch).expect("some of its triangles");
            assert_eq!(alone.components().1, 1, "node {node}");
        }
    }

    #[test]
    fn what_is_kept_is_what_would_be_found_anew() {
        let (mut positions, mut triangles) = sheet(16);
        let mesh = TriangleMesh::new(positions.clone(), triangles.clone()).expect("a sheet");
        let mut detector = Detector::new(&mesh, Options::default());
        let mut state = 1u64;
        let mut below = |n: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % n
        };
        for round in 0..60 {
            match round % 6 {
                // Tears: triangles get corners of their own.
                0..3 => {
                    for _ in 0..=below(3) {
                        let (triangle, corner) = (below(triangles.len()), below(3));
                        positions.push(positions[triangles[triangle][corner] as usize]);
                        triangles[triangle][corner] = positions.len() as u32 - 1;
                    }
                }
                // Sewn to another place, which makes strange edges.
                3 => {
                    let (triangle, corner) = (below(triangles.len()), below(3));
                    triangles[triangle][corner] = below(positions.len()) as u32;
                }
                // The last ones go; something new comes.
                4 => triangles.truncate(triangles.len() - below(4)),
                _ => {
                    let first = positions.len() as u32;
                    positions.extend([DVec3::X, DVec3::Y, DVec3::Z]);
                    triangles.push([first, first + 1, first + 2]);
                }
            }
            let mesh = TriangleMesh::new(positions.clone(), triangles.clone()).expect("indices in range");
            detector.change_topology(&mesh);
            let topology = Topology::new(positions.len(), triangles.clone()).expect("the same");
            assert_eq!(detector.topology, topology, "round {round}");
            assert_eq!(detector.orphans, OrphanSet::new(&topology), "round {round}");
            check_forest(&detector);
            let anew = Contours::new(&topology, &detector.forest);
            for node in 0..detector.forest.nodes.len() as u32 {
                let [kept, found] = [&detector.contours, &anew].map(|contours| contours.of(&detector.forest, node));
                assert_eq!(kept, found, "round {round}, node {node}");
            }
            let anew = Representatives::new(&topology);
            detector.representatives.check_against(&anew, &topology);
        }
    }

    #[test]
    fn only_the_neighbourhood_of_a_change_is_fresh() {
        let (mut positions, mut triangles) = sheet(16);
        let before = Topology::new(positions.len(), triangles.clone()).expect("a sheet");
        positions.push(positions[0]);
        triangles[100][0] = positions.len() as u32 - 1;
        let after = Topology::new(positions.len(), triangles).expect("torn");
        let fresh = around_change(&before, &after).into_iter().filter(|&fresh| fresh).count();
        assert!((2..20).contains(&fresh), "{fresh}");
    }
}
