//! The papers' baseline: both surfaces as triangle meshes in bounding volume hierarchies, and the least distance of their
//! triangles ([`superegg_world::distance_of_meshes`]).
//!
//! A mesh distance knows no depth: for meshes that meet the distance is zero and the status penetrating. It is the meshes', not
//! the surfaces': nothing is certified.

use superegg::query::Outcome;
use superegg::{InvalidInput, Pose};
use superegg_mesh::TriangleMesh;
use superegg_world::collision_mesh::CollisionMesh;
use superegg_world::geometry::Geometry;
use superegg_world::superquadric::Superquadric;
use superegg_world::triangle::nearest_to_point;
use superegg_world::{WorldError, distance_of_meshes};

use crate::Facet;

/// Two meshes with their hierarchies, ready for queries.
pub struct MeshPair {
    meshes: [CollisionMesh; 2],
    /// Half the sum of both bodies' extents, the unit of tolerances, by half the sum of their meshes' reaches.
    unit: f64,
}

impl MeshPair {
    /// Tessellates both bodies; `None` where one has no surface.
    pub fn new(a: &Geometry, b: &Geometry, vertex_count: usize) -> Option<Result<MeshPair, WorldError>> {
        let (surface_a, surface_b) = (a.superquadric()?, b.superquadric()?);
        let mesh = |surface: &Superquadric| -> Result<CollisionMesh, WorldError> {
            let indexed = surface.tessellate(vertex_count)?;
            CollisionMesh::new(TriangleMesh::new(indexed.vertices, indexed.triangles)?)
        };
        let pair = |meshes: [CollisionMesh; 2]| {
            let unit =
                (surface_a.largest_extent() + surface_b.largest_extent()) / (meshes[0].reach() + meshes[1].reach());
            MeshPair { meshes, unit }
        };
        Some(mesh(&surface_a).and_then(|a| Ok(pair([a, mesh(&surface_b)?]))))
    }

    /// Least distance of the two meshes. `tolerance` as a part of the mean of the bodies' largest radii.
    pub fn distance(&self, pose_a: &Pose, pose_b: &Pose, tolerance: f64) -> Result<Outcome, InvalidInput> {
        let pose_a = Pose::new(pose_a.rotation, pose_a.translation)?;
        let pose_b = Pose::new(pose_b.rotation, pose_b.translation)?;
        let [a, b] = &self.meshes;
        let mut outcome = distance_of_meshes(a, &pose_a, b, &pose_b, tolerance * self.unit).outcome;
        outcome.bounds = None;
        Ok(outcome)
    }
}

impl MeshPair {
    /// All triangles of both meshes where they are, those marked on which the closest points lie.
    pub(crate) fn facets(&self, pose_a: &Pose, pose_b: &Pose, outcome: &Outcome) -> Vec<Facet> {
        let ends = [(pose_a, outcome.point_a), (pose_b, outcome.point_b)];
        let mut facets = Vec::new();
        for (body, (mesh, (pose, end))) in self.meshes.iter().zip(ends).enumerate() {
            let end = pose.inverse_transform_point(end);
            let count = mesh.topology().triangles().len() as u32;
            let triangles = || (0..count).map(|index| *mesh.triangle(index).points());
            let nearest =
                triangles().map(|triangle| nearest_to_point(&triangle, end).distance_squared(end)).enumerate();
            let nearest = nearest.min_by(|p, q| p.1.total_cmp(&q.1)).map(|(index, _)| index);
            facets.extend(triangles().enumerate().map(|(index, triangle)| {
                let corners = triangle.map(|corner| pose.transform_point(corner));
                Facet { body, corners, nearest: nearest == Some(index) }
            }));
        }
        facets
    }
}
