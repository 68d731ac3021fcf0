//! FCL's mesh distance, through a shim in C++ (`fcl_shim.cpp`).

use std::ffi::c_void;

use glam::DVec3;
use superegg::Pose;
use superegg::shape::IndexedTriangles;

unsafe extern "C" {
    fn superegg_fcl_mesh(
        vertices: *const f64,
        vertex_count: usize,
        triangles: *const u32,
        triangle_count: usize,
    ) -> *mut c_void;
    fn superegg_fcl_free(mesh: *mut c_void);
    fn superegg_fcl_distance(
        a: *const c_void,
        pose_a: *const f64,
        b: *const c_void,
        pose_b: *const f64,
        points: *mut f64,
    ) -> f64;
    fn superegg_fcl_nearest(mesh: *const c_void, point: *const f64, nearest: *mut f64) -> f64;
}

/// A triangle mesh in FCL's hierarchy of oriented boxes and rectangle-swept spheres.
pub(crate) struct FclMesh(*mut c_void);

impl FclMesh {
    pub fn new(mesh: &IndexedTriangles) -> FclMesh {
        let vertices: Vec<f64> = mesh.vertices.iter().flat_map(|v| v.to_array()).collect();
        let triangles: Vec<u32> = mesh.triangles.iter().flatten().copied().collect();
        // SAFETY: both arrays hold as many entries as is said (three a vertex, three a triangle), the triangles' indices are
        // within the vertices, and the shim copies what it keeps.
        let made = unsafe {
            superegg_fcl_mesh(vertices.as_ptr(), mesh.vertices.len(), triangles.as_ptr(), mesh.triangles.len())
        };
        FclMesh(made)
    }

    /// Least distance and closest points of two placed meshes; not positive where they meet.
    pub fn distance(&self, pose_a: &Pose, other: &FclMesh, pose_b: &Pose) -> (f64, [DVec3; 2]) {
        let flat = |pose: &Pose| {
            let (r, t) = (pose.rotation, pose.translation);
            [r.w, r.x, r.y, r.z, t.x, t.y, t.z]
        };
        let (flat_a, flat_b) = (flat(pose_a), flat(pose_b));
        let mut points = [0.0; 6];
        // SAFETY: both meshes are alive, the poses hold seven numbers, the points have room for six.
        let distance =
            unsafe { superegg_fcl_distance(self.0, flat_a.as_ptr(), other.0, flat_b.as_ptr(), points.as_mut_ptr()) };
        let [ax, ay, az, bx, by, bz] = points;
        (distance, [DVec3::new(ax, ay, az), DVec3::new(bx, by, bz)])
    }

    /// The mesh's point nearest to a point in its own frame.
    pub fn nearest(&self, point: DVec3) -> DVec3 {
        let mut nearest = [0.0; 3];
        // SAFETY: the mesh is alive, and both arrays hold three numbers.
        unsafe { superegg_fcl_nearest(self.0, point.to_array().as_ptr(), nearest.as_mut_ptr()) };
        DVec3::from_array(nearest)
    }
}

impl Drop for FclMesh {
    fn drop(&mut self) {
        // SAFETY: made by `superegg_fcl_mesh`, and freed once.
        unsafe { superegg_fcl_free(self.0) };
    }
}
