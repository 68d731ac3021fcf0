//! Closed triangle meshes of hulls: a sharp one's own surface, of a rounded one the hull of points of its surface.

use glam::DVec3;

use super::{Hull, build};
use crate::InvalidInput;
use crate::shape::IndexedTriangles;
use crate::shape::tessellate::{FEWEST_VERTICES, MOST_VERTICES};

/// Cosine beyond which two normals at a corner are those of one face.
const SAME_FACE: f64 = 1.0 - 1e-12;
/// Turn from one point of a spiral over the sphere to the next: the golden angle, in radians.
const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;

/// Unit vectors spread evenly over the sphere.
pub(in crate::shape) fn spiral(count: usize) -> impl Iterator<Item = DVec3> {
    (0..count).map(move |index| {
        let z = 1.0 - (2 * index + 1) as f64 / count as f64;
        let (sin, cos) = (GOLDEN_ANGLE * index as f64).sin_cos();
        let across = (1.0 - z * z).sqrt();
        DVec3::new(across * cos, across * sin, z)
    })
}

/// The hull of points as a mesh; `None` where they span no volume.
pub(in crate::shape) fn hull_mesh(points: &[DVec3]) -> Option<IndexedTriangles> {
    let surface = build::convex_hull(points)?;
    let vertices = surface.corners.iter().map(|&index| points[index as usize]).collect();
    Some(IndexedTriangles { vertices, triangles: surface.triangles })
}

impl Hull {
    /// A closed triangle mesh whose vertices lie on the surface. Sharp, it has just the hull's corners; rounded, it has at most
    /// `vertex_count` vertices, in [6, 10000000], or those that the flat faces have.
    pub fn tessellate(&self, vertex_count: usize) -> Result<IndexedTriangles, InvalidInput> {
        let accepted = (FEWEST_VERTICES..=MOST_VERTICES).contains(&vertex_count);
        InvalidInput::unless(accepted, "vertex_count", vertex_count as f64, "[6, 10000000]")?;
        if self.rounding == 0.0 {
            return Ok(IndexedTriangles { vertices: self.vertices().to_vec(), triangles: self.triangles().to_vec() });
        }
        let mut points = self.corners_of_faces();
        let left = vertex_count.saturating_sub(points.len());
        points.extend(spiral(left).map(|direction| self.support(direction)));
        let refused =
            InvalidInput { field: "rounding", value: self.rounding, allowed: "what makes a difference to the hull" };
        hull_mesh(&points).ok_or(refused)
    }

    /// The corners of every face, moved out along its normal.
    fn corners_of_faces(&self) -> Vec<DVec3> {
        let mut normals: Vec<Vec<DVec3>> = vec![Vec::new(); self.vertices().len()];
        for (triangle, face) in self.triangles().iter().zip(self.faces()) {
            for &corner in triangle {
                let known = &mut normals[corner as usize];
                if known.iter().all(|normal| normal.dot(face.normal) < SAME_FACE) {
                    known.push(face.normal);
                }
            }
        }
        let moved = |(corner, normals): (&DVec3, Vec<DVec3>)| {
            normals.into_iter().map(|normal| *corner + normal * self.rounding).collect::<Vec<_>>()
        };
        self.vertices().iter().zip(normals).flat_map(moved).collect()
    }
}
