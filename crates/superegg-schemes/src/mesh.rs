//! The papers' baseline: both surfaces as triangle meshes in bounding volume hierarchies, and the least distance of their
//! triangles (see `mesh_tree`).
//!
//! A mesh distance knows no depth: for meshes that meet the distance is zero and the status penetrating.

use superegg::query::{Outcome, Status, WarmStart};
use superegg::{DVec3, InvalidInput, Pose};

use crate::mesh_tree::{MeshTree, Nearest};
use crate::triangle::nearest_to_point;
use crate::{Body, Facet};

/// Two meshes with their hierarchies, ready for queries.
pub struct MeshPair {
    meshes: [MeshTree; 2],
    /// Half the sum of both bodies' extents: the unit of tolerances.
    unit: f64,
}

impl MeshPair {
    /// Tessellates both bodies; `None` where one has no surface.
    pub fn new(a: &Body, b: &Body, vertex_count: usize) -> Option<Result<MeshPair, InvalidInput>> {
        let (surface_a, surface_b) = (a.surface()?, b.surface()?);
        let unit = 0.5 * (surface_a.largest_extent() + surface_b.largest_extent());
        let mesh = |surface: crate::Superquadric| {
            let soup = surface.tessellate(vertex_count)?;
            MeshTree::new(soup.vertices, soup.triangles).ok_or(InvalidInput {
                field: "mesh_vertices",
                value: vertex_count as f64,
                allowed: "enough for a mesh",
            })
        };
        Some(mesh(surface_a).and_then(|a| Ok(MeshPair { meshes: [a, mesh(surface_b)?], unit })))
    }

    /// Least distance of the two meshes. `tolerance` as a part of the mean of the bodies' largest radii.
    pub fn distance(&self, pose_a: &Pose, pose_b: &Pose, tolerance: f64) -> Outcome {
        let [a, b] = &self.meshes;
        let place = |point: DVec3| pose_a.inverse_transform_point(pose_b.transform_point(point));
        let (status, point_a, point_b) = match a.nearest(b, place) {
            Nearest::Apart(points) => {
                let [p, q] = points.map(|point| pose_a.transform_point(point));
                let apart = p.distance(q) > tolerance * self.unit;
                (if apart { Status::Separated } else { Status::Touching }, p, q)
            }
            Nearest::Meeting(point) => {
                let point = pose_a.transform_point(point);
                (Status::Penetrating, point, point)
            }
        };
        let between = point_b - point_a;
        let normal = between.normalize_or((pose_b.translation - pose_a.translation).normalize_or(DVec3::Z));
        Outcome {
            distance: between.length(),
            point_a,
            point_b,
            normal,
            status,
            iterations: 1,
            bounds: None,
            warm_start: WarmStart {
                point_a: pose_a.inverse_transform_point(point_a),
                normal_a: pose_a.inverse_transform_vector(normal),
                point_b: pose_b.inverse_transform_point(point_b),
                normal_b: pose_b.inverse_transform_vector(-normal),
            },
        }
    }
}

impl MeshPair {
    /// All triangles of both meshes where they are, those marked on which the closest points lie.
    pub(crate) fn facets(&self, pose_a: &Pose, pose_b: &Pose, outcome: &Outcome) -> Vec<Facet> {
        let ends = [(pose_a, outcome.point_a), (pose_b, outcome.point_b)];
        let mut facets = Vec::new();
        for (body, (mesh, (pose, end))) in self.meshes.iter().zip(ends).enumerate() {
            let end = pose.inverse_transform_point(end);
            let nearest =
                mesh.triangles().map(|triangle| nearest_to_point(&triangle, end).distance_squared(end)).enumerate();
            let nearest = nearest.min_by(|p, q| p.1.total_cmp(&q.1)).map(|(index, _)| index);
            facets.extend(mesh.triangles().enumerate().map(|(index, triangle)| {
                let corners = triangle.map(|corner| pose.transform_point(corner));
                Facet { body, corners, nearest: nearest == Some(index) }
            }));
        }
        facets
    }
}
