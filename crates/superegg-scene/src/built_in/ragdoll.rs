//! Jointed figures that fall down some steps.

use glam::{DQuat, DVec3};
use superegg::Pose;
use superegg::shape::{Shape, Superellipsoid};
use superegg_picture::Camera;
use superegg_sim::{Axis, Body, Cone, JointKind, Material, SimError, axes_frame, axis_frame};

use super::bodies::floor;
use crate::{Description, JointDescription};

/// Kilograms a cubic metre.
const FLESH: f64 = 1000.0;

/// Figures of eleven bodies and ten joints above three steps and the floor.
pub(super) fn ragdoll(count: usize) -> Result<Description, SimError> {
    let material = Material { rolling: 0.01, spinning: 0.01, ..Material::default() };
    let mut scene = Description { bodies: vec![floor(material)?], ..Description::default() };
    for step in 0..3 {
        let half_height = 0.2 * f64::from(step + 1);
        let shape: Shape = Superellipsoid::new([1.6, 0.35, half_height], [0.1, 0.1])?.into();
        let place = DVec3::new(0.0, 0.4 + 0.7 * f64::from(step), half_height);
        scene.bodies.push(Body::fixed(shape, Pose::from_translation(place)).with_material(material));
    }
    for figure in 0..count {
        let turn = DQuat::from_rotation_z(1.3 * figure as f64) * DQuat::from_rotation_x(0.35);
        let above = DVec3::new(0.3 * (figure as f64 * 2.4).sin(), 1.4, 1.3 + 2.3 * figure as f64);
        add_figure(&mut scene, Pose::new(turn, above)?, material)?;
    }
    let (eye, target) = (DVec3::new(3.4, -4.2, 2.6), DVec3::new(0.0, 0.3, 0.7));
    Ok(Description {
        name: "ragdoll".to_owned(),
        dt: 1.0 / 60.0,
        substeps: 8,
        seconds: 6.0,
        camera: Some(Camera { eye, target, field_of_view: 42.0 }),
        ..scene
    })
}

/// Adds a figure that stands, with its arms out, on the origin of a frame and looks along -y.
fn add_figure(scene: &mut Description, frame: Pose, material: Material) -> Result<(), SimError> {
    let mut limb = |radii: [f64; 3], at: [f64; 3]| -> Result<usize, SimError> {
        let shape = Shape::from(Superellipsoid::new(radii, [0.9, 0.8])?);
        let pose = Pose { rotation: frame.rotation, translation: frame.transform_point(DVec3::from_array(at)) };
        scene.bodies.push(Body::dynamic(shape, pose, FLESH).with_material(material));
        Ok(scene.bodies.len() - 1)
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
    let mut join = |a: usize, b: usize, at: Pose, kind: JointKind| {
        let on = |body: usize| scene.bodies[body].pose.inverse().compose(&at);
        let (frame_a, frame_b) = (on(a), on(b));
        scene.joints.push(JointDescription { a: Some(a), b, frame_a, frame_b, kind, collide: false, mimic: None });
    };
    let ball = |swing: f64, twist: f64| JointKind::Ball(Some(Cone { swing, twist: [-twist, twist] }));
    let along = |at: DVec3, axis: DVec3| axis_frame(at, direction(axis));
    join(pelvis, chest, along(point(0.0, 1.12), DVec3::Z)?, ball(0.5, 0.4));
    join(chest, head, along(point(0.0, 1.63), DVec3::Z)?, ball(0.6, 0.8));
    for (side, upper_arm, forearm, thigh, shin) in sides {
        join(chest, upper_arm, along(point(side * 0.22, 1.5), DVec3::X * side)?, ball(1.3, 0.8));
        // Forearms bend forwards and twist about themselves.
        let elbow = axes_frame(point(side * 0.54, 1.5), direction(DVec3::Z * -side), direction(DVec3::X * side))?;
        join(upper_arm, forearm, elbow, JointKind::Universal([Axis::within(0.0, 2.3), Axis::within(-1.2, 1.2)]));
        join(pelvis, thigh, along(point(side * 0.1, 0.92), -DVec3::Z)?, ball(1.1, 0.4));
        let knee = JointKind::Revolute(Axis::within(0.0, 2.3));
        join(thigh, shin, along(point(side * 0.1, 0.475), DVec3::X)?, knee);
    }
    Ok(())
}
