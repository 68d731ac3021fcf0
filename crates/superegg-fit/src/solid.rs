//! The inside of a closed mesh.
//!
//! Vertices at equal places are taken for one. A mesh is closed when every edge is run through as often in one direction as in
//! the other; its triangles may all be turned inside out. Points are inside by the winding number, exact up to rounding where something is
//! proved by it, and by the tree's where many points are looked at.

use std::collections::HashMap;

use glam::DVec3;
use superegg_mesh::TriangleMesh;

use crate::error::FitError;
use crate::nearest::{Nearest, half_solid_angle};

/// A closed mesh as a solid.
pub(crate) struct Solid {
    tree: Nearest,
    /// Minus one for a mesh that is turned inside out.
    sign: f64,
    volume: f64,
    low: DVec3,
    high: DVec3,
}

impl Solid {
    /// Refuses a mesh that is open, naming what needs a closed one.
    pub fn new(mesh: &TriangleMesh, operation: &'static str) -> Result<Solid, FitError> {
        let open_edges = open_edges(mesh);
        if open_edges > 0 {
            return Err(FitError::Open { open_edges, operation });
        }
        Solid::of_any(mesh)
    }

    /// The same without that check, for measures that a few holes do not spoil.
    pub fn of_any(mesh: &TriangleMesh) -> Result<Solid, FitError> {
        let triangles: Vec<[DVec3; 3]> =
            mesh.triangles().iter().map(|t| t.map(|v| mesh.positions()[v as usize])).collect();
        let origin = mesh.positions().first().copied().unwrap_or_default();
        let volume: f64 =
            triangles.iter().map(|t| (t[0] - origin).dot((t[1] - origin).cross(t[2] - origin)) / 6.0).sum();
        if volume == 0.0 {
            return Err(FitError::NoSurface);
        }
        let low = triangles.iter().flatten().copied().reduce(DVec3::min).unwrap_or_default();
        let high = triangles.iter().flatten().copied().reduce(DVec3::max).unwrap_or_default();
        Ok(Solid { tree: Nearest::new(triangles), sign: volume.signum(), volume: volume.abs(), low, high })
    }

    /// The volume inside.
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// The triangles.
    pub fn triangles(&self) -> &[[DVec3; 3]] {
        self.tree.items()
    }

    /// Whether a point is inside, in logarithmic time; wrong only for points about as near to the surface as the mesh is fine.
    pub fn holds(&self, point: DVec3) -> bool {
        point.cmpge(self.low).all() && point.cmple(self.high).all() && self.sign * self.tree.winding(point) > 0.5
    }

    /// Whether a point is inside: the sum over all triangles.
    pub fn contains(&self, point: DVec3) -> bool {
        if point.cmplt(self.low).any() || point.cmpgt(self.high).any() {
            return false;
        }
        let angle: f64 = self.tree.items().iter().map(|t| half_solid_angle(t, point)).sum();
        self.sign * angle > std::f64::consts::PI
    }

    /// Of the middles between pairs of surface points, one that is inside and far from the surface, and how far about.
    pub fn deepest(&self, surface: &[DVec3]) -> Option<(DVec3, f64)> {
        let chosen: Vec<DVec3> =
            crate::cloud::spread(surface.len(), 256).into_iter().map(|i| surface[i as usize]).collect();
        let count = chosen.len();
        let mut best = None;
        let mut depth = 0.0;
        for k in 0..count {
            let middle = 0.5 * (chosen[k] + chosen[(k * 101 + count / 2) % count]);
            let near = chosen.iter().map(|p| p.distance_squared(middle)).fold(f64::INFINITY, f64::min);
            if near > depth && self.contains(middle) {
                (best, depth) = (Some((middle, near.sqrt())), near);
            }
        }
        best
    }
}

/// Edges that are not run through equally often in both directions.
pub(crate) fn open_edges(mesh: &TriangleMesh) -> usize {
    let mut places: HashMap<[u64; 3], u32> = HashMap::with_capacity(mesh.positions().len());
    let welded: Vec<u32> = mesh
        .positions()
        .iter()
        .map(|p| {
            let next = places.len() as u32;
            *places.entry(p.to_array().map(|c| (c + 0.0).to_bits())).or_insert(next)
        })
        .collect();
    let mut balance: HashMap<(u32, u32), i32> = HashMap::with_capacity(3 * mesh.triangles().len() / 2);
    for triangle in mesh.triangles() {
        let [a, b, c] = triangle.map(|v| welded[v as usize]);
        for (from, to) in [(a, b), (b, c), (c, a)] {
            if from != to {
                *balance.entry((from.min(to), from.max(to))).or_default() += if from < to { 1 } else { -1 };
            }
        }
    }
    balance.values().filter(|&&sum| sum != 0).count()
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use testkit::generate::everyday::everyday_things;
    use testkit::generate::seeded;

    use super::*;

    #[test]
    fn the_tree_tells_inside_from_outside_as_the_sum_does() {
        let knight = everyday_things().pop().unwrap();
        let solid = Solid::new(&TriangleMesh::new(knight.positions, knight.triangles).unwrap(), "a test").unwrap();
        let mut rng = seeded(4);
        let mut inside = 0;
        for _ in 0..300 {
            let place = |rng: &mut testkit::generate::Rng| rng.random_range(-0.5..=0.5);
            let point = DVec3::new(place(&mut rng), place(&mut rng), place(&mut rng));
            assert_eq!(solid.holds(point), solid.contains(point), "{point}");
            inside += usize::from(solid.holds(point));
        }
        assert!((20..280).contains(&inside));
    }
}
