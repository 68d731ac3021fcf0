//! A dust sheet over a chair: cloth on a mesh of boxes, with all their edges.

use glam::{DQuat, DVec3};
use superegg::Pose;
use superegg::shape::{Plane, Shape};
use superegg_mesh::{MeshError, TriangleMesh};
use superegg_picture::Camera;
use superegg_sim::{Body, Fabric, Friction, SimError};
use superegg_world::collision_mesh::CollisionMesh;

use crate::{ClothDescription, Description};

/// The two corners of each box, in metres: seat, four legs, two posts and three slats of the back.
const BOXES: [[[f64; 3]; 2]; 10] = [
    [[-0.23, -0.22, 0.42], [0.23, 0.22, 0.46]],
    [[-0.22, -0.21, 0.0], [-0.18, -0.17, 0.42]],
    [[0.18, -0.21, 0.0], [0.22, -0.17, 0.42]],
    [[-0.22, 0.17, 0.0], [-0.18, 0.21, 0.42]],
    [[0.18, 0.17, 0.0], [0.22, 0.21, 0.42]],
    [[-0.22, 0.18, 0.46], [-0.18, 0.22, 0.92]],
    [[0.18, 0.18, 0.46], [0.22, 0.22, 0.92]],
    [[-0.18, 0.19, 0.84], [0.18, 0.21, 0.90]],
    [[-0.18, 0.19, 0.70], [0.18, 0.21, 0.76]],
    [[-0.18, 0.19, 0.56], [0.18, 0.21, 0.62]],
];

/// The boxes as one mesh; where they touch, their walls stay.
fn chair_mesh() -> Result<TriangleMesh, MeshError> {
    // Corner i is at the far side of axis a if its bit a is set.
    const SIDES: [[u32; 4]; 6] = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for corners in BOXES {
        let first = positions.len() as u32;
        let place = |i: usize| DVec3::from_array(std::array::from_fn(|axis| corners[i >> axis & 1][axis]));
        positions.extend((0..8).map(place));
        let halves = |[a, b, c, d]: [u32; 4]| [[a, b, c], [a, c, d]].map(|half| half.map(|corner| first + corner));
        triangles.extend(SIDES.into_iter().flat_map(halves));
    }
    TriangleMesh::new(positions, triangles)
}

/// A sheet of 43 × 48 vertices falls on a chair.
pub(super) fn chair() -> Result<Description, SimError> {
    let floor = Body::fixed(Shape::from(Plane::new(DVec3::Z, 0.0)?), Pose::IDENTITY).with_friction(Friction::default());
    let pose = Pose::new(DQuat::from_rotation_z(0.3), DVec3::ZERO)?;
    let varnish = Friction { fixed: 0.3, sliding: 0.25 };
    let chair = Body::fixed(CollisionMesh::new(chair_mesh()?)?, pose).with_friction(varnish);
    let fabric = Fabric {
        offset: 0.005,
        self_separation: Some(0.008),
        bending_compliance: 5e3,
        damping: 1.0,
        friction: Friction { fixed: 0.5, sliding: 0.4 },
        ..Fabric::default()
    };
    let (eye, target) = (DVec3::new(1.6, -2.0, 1.35), DVec3::new(0.0, 0.0, 0.44));
    Ok(Description {
        name: "chair".to_owned(),
        dt: 0.005,
        substeps: 6,
        seconds: 4.0,
        camera: Some(Camera { eye, target, field_of_view: 26.0 }),
        bodies: vec![floor, chair],
        cloths: vec![ClothDescription::grid([43, 48], [0.9, 1.0], DVec3::new(-0.46, -0.58, 0.98), fabric)],
        ..Description::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mesh_is_ten_closed_boxes_turned_outwards() {
        let mesh = chair_mesh().unwrap();
        assert!(mesh.defects() == Default::default());
        // Six times the volume, as the sum over all triangles of a closed surface that is seen from outside.
        let corners = mesh.triangles().iter().map(|corners| corners.map(|v| mesh.positions()[v as usize]));
        let volume = corners.map(|[a, b, c]| a.dot(b.cross(c))).sum::<f64>() / 6.0;
        let exact: f64 = BOXES.iter().map(|[low, high]| (0..3).map(|i| high[i] - low[i]).product::<f64>()).sum();
        assert!((volume - exact).abs() < 1e-12, "{volume} instead of {exact}");
    }
}
