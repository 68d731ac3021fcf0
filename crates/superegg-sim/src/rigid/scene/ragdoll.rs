//! Jointed figures that fall down some steps.

use glam::{DQuat, DVec3};
use superegg::Pose;
use superegg::shape::{Shape, Superellipsoid};

use super::{RigidScene, floor};
use crate::SimError;
use crate::rigid::{Cone, Drive, Joint, JointKind, Material, RigidBody, RigidId, RigidWorld};
use crate::scene::View;

/// Kilograms a cubic metre.
const FLESH: f64 = 1000.0;

/// Figures of eleven bodies and ten joints above three steps and the floor.
pub(super) fn ragdoll(count: usize) -> Result<RigidScene, SimError> {
    let mut world = RigidWorld::new();
    let material = Material { rolling: 0.01, spinning: 0.01, ..Material::default() };
    world.add(floor(material)?)?;
    for step in 0..3 {
        let half_height = 0.2 * f64::from(step + 1);
        let shape: Shape = Superellipsoid::new([1.6, 0.35, half_height], [0.1, 0.1])?.into();
        let place = DVec3::new(0.0, 0.4 + 0.7 * f64::from(step), half_height);
        world.add(RigidBody { material, ..RigidBody::fixed(shape, Pose::from_translation(place)) })?;
    }
    for figure in 0..count {
        let turn = DQuat::from_rotation_z(1.3 * figure as f64) * DQuat::from_rotation_x(0.35);
        let above = DVec3::new(0.3 * (figure as f64 * 2.4).sin(), 1.4, 1.3 + 2.3 * figure as f64);
        add_figure(&mut world, Pose::new(turn, above)?, material)?;
    }
    Ok(RigidScene {
        name: "ragdoll",
        world,
        cloth: None,
        dt: 1.0 / 60.0,
        substeps: 8,
        seconds: 6.0,
        view: View { eye: DVec3::new(3.4, -4.2, 2.6), target: DVec3::new(0.0, 0.3, 0.7), field_of_view: 42.0 },
        pushes: Vec::new(),
    })
}

/// Adds a figure that stands, with its arms out, on the origin of a frame and looks along -y. Returns its pelvis.
fn add_figure(world: &mut RigidWorld, frame: Pose, material: Material) -> Result<RigidId, SimError> {
    let mut limb = |radii: [f64; 3], at: [f64; 3]| -> Result<RigidId, SimError> {
        let shape = Superellipsoid::new(radii, [0.9, 0.8])?;
        let pose = Pose { rotation: frame.rotation, translation: frame.transform_point(DVec3::from_array(at)) };
        world.add(RigidBody { material, ..RigidBody::dynamic(shape, pose, FLESH) })
    };
    let pelvis = limb([0.17, 0.12, 0.12], [0.0, 0.0, 1.0])?;
    let chest = limb([0.20, 0.13, 0.25], [0.0, 0.0, 1.35])?;
    let head = limb([0.10, 0.11, 0.13], [0.0, 0.0, 1.77])?;
    let mut sides = Vec::new();
    for side in [-1.0, 1.0] {
        let upper_arm = limb([0.16, 0.05, 0.05], [side * 0.38, 0.0, 1.5])?;
        let forearm = limb([0.16, 0.045, 0.045], [side * 0.69, 0.0, 1.5])?;
        let thigh = limb([0.08, 0.08, 0.23], [side * 0.1, 0.0, 0.70])?;
        let shin = limb([0.06, 0.06, 0.23], [side * 0.1, 0.0, 0.25])?;
        sides.push((side, upper_arm, forearm, thigh, shin));
    }
    let point = |x: f64, z: f64| frame.transform_point(DVec3::new(x, 0.0, z));
    let direction = |local: DVec3| frame.transform_vector(local);
    let ball = |a: RigidId, b: RigidId, at: DVec3, axis: DVec3, swing: f64, twist: f64| {
        let cone = Some(Cone { axis: direction(axis), swing, twist: [-twist, twist] });
        Joint::new(Some(a), b, JointKind::Ball { point: at, cone })
    };
    let bend = |low: f64, high: f64| Drive { limits: Some([low, high]), ..Drive::default() };
    let mut joints = vec![
        ball(pelvis, chest, point(0.0, 1.12), DVec3::Z, 0.5, 0.4),
        ball(chest, head, point(0.0, 1.63), DVec3::Z, 0.6, 0.8),
    ];
    for (side, upper_arm, forearm, thigh, shin) in sides {
        joints.push(ball(chest, upper_arm, point(side * 0.22, 1.5), DVec3::X * side, 1.3, 0.8));
        // Forearms bend forwards and twist about themselves.
        let axes = [direction(DVec3::Z * -side), direction(DVec3::X * side)];
        let drives = [bend(0.0, 2.3), bend(-1.2, 1.2)];
        let elbow = JointKind::Elbow { point: point(side * 0.54, 1.5), axes, drives };
        joints.push(Joint::new(Some(upper_arm), forearm, elbow));
        joints.push(ball(pelvis, thigh, point(side * 0.1, 0.92), -DVec3::Z, 1.1, 0.4));
        let knee =
            JointKind::Hinge { point: point(side * 0.1, 0.475), axis: direction(DVec3::X), drive: bend(0.0, 2.3) };
        joints.push(Joint::new(Some(thigh), shin, knee));
    }
    for joint in joints {
        world.add_joint(joint)?;
    }
    Ok(pelvis)
}
