//! parry: support mappings and triangle meshes.

use glam::DVec3;
pub(crate) use parry3d_f64::math::Pose as ParryPose;
use parry3d_f64::math::{Rotation, Vector};
use parry3d_f64::query::PointQuery;
use parry3d_f64::shape::{SupportMap, TriMesh};
use superegg::Pose;
use superegg::shape::{IndexedTriangles, Shape};

/// An egg as parry sees it: by its support points only, so as its hull.
pub(crate) struct ParryEgg(pub Shape);

impl SupportMap for ParryEgg {
    fn local_support_point(&self, dir: Vector) -> Vector {
        let direction = DVec3::new(dir.x, dir.y, dir.z);
        let point = self.0.support(direction).unwrap_or(DVec3::ZERO);
        Vector::new(point.x, point.y, point.z)
    }
}

pub(crate) fn parry_pose(pose: &Pose) -> ParryPose {
    let Pose { rotation, translation } = *pose;
    ParryPose::from_parts(
        Vector::new(translation.x, translation.y, translation.z),
        Rotation::from_xyzw(rotation.x, rotation.y, rotation.z, rotation.w),
    )
}

/// A triangle mesh in parry's hierarchy.
pub(crate) struct ParryMesh(TriMesh);

impl ParryMesh {
    pub fn new(mesh: &IndexedTriangles) -> ParryMesh {
        let vertices = mesh.vertices.iter().map(|v| Vector::new(v.x, v.y, v.z)).collect();
        ParryMesh(TriMesh::new(vertices, mesh.triangles.clone()).expect("a closed mesh"))
    }

    /// The mesh's point nearest to a point.
    pub fn nearest(&self, point: DVec3) -> DVec3 {
        let found = self.0.project_local_point(Vector::new(point.x, point.y, point.z), false).point;
        DVec3::new(found.x, found.y, found.z)
    }
}
