//! The mesh scheme against another implementation of the distance between triangle meshes, parry's.

use parry3d_f64::math::{Pose as ParryPose, Rotation, Vector};
use parry3d_f64::query::{ClosestPoints, closest_points};
use parry3d_f64::shape::TriMesh;
use superegg::query::Status;
use superegg::shape::Superellipsoid;
use superegg::{DQuat, DVec3, Pose};
use superegg_schemes::MeshPair;
use superegg_world::geometry::Geometry;

const VERTICES: usize = 150;

fn parry_mesh(body: &Geometry) -> TriMesh {
    let indexed = body.superquadric().unwrap().tessellate(VERTICES).unwrap();
    TriMesh::new(indexed.vertices.iter().map(|v| Vector::new(v.x, v.y, v.z)).collect(), indexed.triangles).unwrap()
}

fn parry_pose(pose: &Pose) -> ParryPose {
    let (r, t) = (pose.rotation, pose.translation);
    ParryPose::from_parts(Vector::new(t.x, t.y, t.z), Rotation::from_xyzw(r.x, r.y, r.z, r.w))
}

#[test]
fn meshes_are_as_far_apart_as_parry_says() {
    let a = Geometry::from(Superellipsoid::new([1.0, 0.5, 0.8], [0.6, 0.9]).unwrap());
    let b = Geometry::from(Superellipsoid::new([0.4, 0.9, 0.7], [1.2, 0.5]).unwrap());
    let ours = MeshPair::new(&a, &b, VERTICES).unwrap().unwrap();
    let (mesh_a, mesh_b) = (parry_mesh(&a), parry_mesh(&b));
    let mut seen = [0; 2];
    for i in 0..60 {
        let turn = f64::from(i);
        let direction = DVec3::new(turn.sin(), (1.7 * turn).cos(), (0.6 * turn).sin()).normalize();
        let here = Pose { rotation: DQuat::from_rotation_x(0.3 * turn), translation: DVec3::new(3.0, -2.0, turn) };
        let there = Pose {
            rotation: DQuat::from_rotation_y(turn),
            translation: here.translation + direction * (0.8 + 0.03 * turn),
        };
        let found = ours.distance(&here, &there, 1e-9).unwrap();
        match closest_points(&parry_pose(&here), &mesh_a, &parry_pose(&there), &mesh_b, f64::MAX).unwrap() {
            ClosestPoints::WithinMargin(p, q) => {
                assert_eq!(found.status, Status::Separated, "{i}");
                assert!(
                    (found.distance - (p - q).length()).abs() < 1e-6,
                    "{i}: {} {}",
                    found.distance,
                    (p - q).length()
                );
                assert!((found.point_a.distance(found.point_b) - found.distance).abs() < 1e-12);
                seen[0] += 1;
            }
            _ => {
                assert_eq!(found.status, Status::Penetrating, "{i}");
                seen[1] += 1;
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 5), "{seen:?}");
}
