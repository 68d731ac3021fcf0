//! The rings of triangles around the vertices of a surface that are convex at rest.
//!
//! Two triangles that share a vertex always have boxes that meet, though they hardly ever meet elsewhere. Where the whole ring around
//! that vertex is smooth and was convex at rest, it is a smooth patch as the tree of surfaces has them, and none of its triangles meet.
//! Whether a ring is convex at rest is told by the angles of its triangles, from the lengths of their sides.

use std::f64::consts::{PI, TAU};

/// Angles add up to a half turn or a whole one within this, in radians.
const EXACT: f64 = 1e-6;

/// A triangle, by its number and its corners, with the squared lengths at rest of its sides from corner 0 to 1, 1 to 2 and 2 to 0.
pub(crate) type Triangle = (u32, [u32; 3], [f64; 3]);

/// Rings by the vertex in their middle.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConvexRings {
    /// Numbers of the triangles of all rings, and where those of each vertex begin; none of vertices whose ring is not convex.
    faces: Vec<u32>,
    starts: Vec<u32>,
}

impl ConvexRings {
    /// Of some triangles.
    pub fn new(triangles: &[Triangle], particles: usize) -> ConvexRings {
        let mut around = vec![Vec::new(); particles];
        for triangle in triangles {
            triangle.1.iter().for_each(|&p| around[p as usize].push(triangle));
        }
        let mut rings = ConvexRings { faces: Vec::new(), starts: vec![0] };
        for (middle, ring) in (0u32..).zip(&around) {
            if is_convex(middle, ring) {
                rings.faces.extend(ring.iter().map(|triangle| triangle.0));
            }
            rings.starts.push(rings.faces.len() as u32);
        }
        rings
    }

    /// The ring around a vertex, empty if it is not convex.
    pub fn around(&self, particle: usize) -> &[u32] {
        &self.faces[self.starts[particle] as usize..self.starts[particle + 1] as usize]
    }
}

/// Whether triangles around a vertex are one fan, flat, and convex.
fn is_convex(middle: u32, ring: &[&Triangle]) -> bool {
    // The vertices of the rim: how many triangles meet there, and at which angle.
    let mut rim: Vec<(u32, u32, f64)> = Vec::new();
    let mut around = 0.0;
    for (_, corners, rest_sq) in ring {
        for (i, &p) in corners.iter().enumerate() {
            let angle = angle_at(i, rest_sq);
            if p == middle {
                around += angle;
            } else if let Some(known) = rim.iter_mut().find(|known| known.0 == p) {
                (known.1, known.2) = (known.1 + 1, known.2 + angle);
            } else {
                rim.push((p, 1, angle));
            }
        }
    }
    let ends = rim.iter().filter(|(_, count, _)| *count == 1).count();
    let one_fan = rim.iter().all(|(_, count, _)| *count <= 2)
        && match ends {
            0 => (around - TAU).abs() < EXACT,
            2 => around < PI + EXACT,
            _ => false,
        };
    one_fan && rim.iter().all(|(_, _, angle)| *angle < PI + EXACT)
}

/// The angle at a corner of a triangle, by the squared lengths of its sides; not a number if one has no length.
fn angle_at(corner: usize, sides_sq: &[f64; 3]) -> f64 {
    let (next, last, across) = (sides_sq[corner], sides_sq[(corner + 2) % 3], sides_sq[(corner + 1) % 3]);
    ((next + last - across) / (2.0 * (next * last).sqrt())).clamp(-1.0, 1.0).acos()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec2;

    /// Which of the vertices have a convex ring.
    fn convex(places: &[[f64; 2]], triangles: &[[u32; 3]]) -> Vec<bool> {
        let at = |p: u32| DVec2::from_array(places[p as usize]);
        let with_sides = |(index, corners): (u32, &[u32; 3])| {
            let side = |i: usize| at(corners[i]).distance_squared(at(corners[(i + 1) % 3]));
            (index, *corners, [side(0), side(1), side(2)])
        };
        let triangles: Vec<Triangle> = (0u32..).zip(triangles).map(with_sides).collect();
        let rings = ConvexRings::new(&triangles, places.len());
        (0..places.len()).map(|p| !rings.around(p).is_empty()).collect()
    }

    #[test]
    fn rings_of_a_square_are_convex_and_those_of_an_arrow_are_not() {
        let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.5, 0.5]];
        let around = [[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]];
        // At a corner two triangles make a square's half, which is a triangle.
        assert_eq!(convex(&square, &around), [true; 5]);
        // The last triangle is missing: three quarters of a turn around the middle, and at the corners beside the gap what is left is one
        // triangle.
        assert_eq!(convex(&square, &around[..3]), [true, true, true, true, false]);
        let arrow = [[0.0, 0.0], [1.0, 0.4], [2.0, 0.0], [1.0, 2.0], [1.0, 0.8]];
        assert!(!convex(&arrow, &[[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]])[4], "dented at 1");
        // A third triangle at an edge.
        assert!(!convex(&square, &[[0, 1, 4], [1, 2, 4], [1, 3, 4]])[4]);
        assert!(!convex(&[[0.0, 0.0], [1.0, 0.0], [1.0, 0.0]], &[[0, 1, 2]])[0], "without an area there is no angle");
    }
}
