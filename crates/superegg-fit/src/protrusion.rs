//! How far a union of parts stands out from a target.

use glam::DVec3;
use superegg::shape::Spacing;
use superegg_mesh::TriangleMesh;

use crate::error::FitError;
use crate::errors::Errors;
use crate::nearest::Nearest;
use crate::part::Part;
use crate::solid::Solid;
use crate::target::{Target, spread_over};

/// Vertices of a part's mesh.
const PART_VERTICES: usize = 600;

/// A target, prepared for questions about the space around it.
pub(crate) struct Surroundings {
    nearest: Nearest,
    solid: Option<Solid>,
}

impl Surroundings {
    pub fn new(target: &Target) -> Surroundings {
        let nearest = match target.mesh() {
            Some(mesh) => {
                Nearest::new(mesh.triangles().iter().map(|t| t.map(|v| mesh.positions()[v as usize])).collect())
            }
            None => Nearest::of_points(target.points()),
        };
        Surroundings { nearest, solid: target.mesh().and_then(|mesh| Solid::of_any(mesh).ok()) }
    }

    /// The inside, if there is one.
    pub fn solid(&self) -> Option<&Solid> {
        self.solid.as_ref()
    }

    /// How far a surface is outside the target, zero where it is inside, at about so many points; and its mean distance, inside or out.
    pub fn protrusion(&self, surface: &TriangleMesh, samples: usize) -> Result<(Errors, f64), FitError> {
        let points = spread_over(surface, samples).ok_or(FitError::NoSurface)?;
        let distances: Vec<f64> = points.iter().map(|(point, _)| self.nearest.distance(*point)).collect();
        let mean = distances.iter().sum::<f64>() / distances.len().max(1) as f64;
        let outside = points.iter().zip(&distances).map(|((point, _), &distance)| {
            if self.solid.as_ref().is_some_and(|solid| solid.holds(*point)) { 0.0 } else { distance }
        });
        Ok((Errors::new(outside.collect()), mean))
    }
}

/// The surface of the union as a mesh: the parts' meshes without the triangles that are inside other parts. Where parts meet, their
/// surfaces overlap by up to a triangle instead of being cut.
pub fn union_mesh(parts: &[Part]) -> Result<TriangleMesh, FitError> {
    union_of(parts, PART_VERTICES)
}

/// The same with so many vertices a part.
pub(crate) fn union_of(parts: &[Part], vertices: usize) -> Result<TriangleMesh, FitError> {
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let mesh = part.shape.tessellate(vertices, Spacing::Curvature)?;
        let first = positions.len() as u32;
        let placed: Vec<DVec3> = mesh.vertices.iter().map(|v| part.pose.transform_point(*v)).collect();
        let hidden: Vec<bool> = placed
            .iter()
            .map(|v| {
                parts.iter().enumerate().any(|(other, part)| {
                    other != index && part.shape.gauge(part.pose.inverse_transform_point(*v)) < 1.0
                })
            })
            .collect();
        let seen = mesh.triangles.iter().filter(|t| !t.iter().all(|&v| hidden[v as usize]));
        triangles.extend(seen.map(|t| t.map(|v| v + first)));
        positions.extend(placed);
    }
    TriangleMesh::new(positions, triangles).map_err(|_| FitError::NoSurface)
}
