//! An arm of seven joints that holds a pose under a load.

use glam::{DQuat, DVec3};
use superegg::Pose;
use superegg::shape::{Shape, Superellipsoid};
use superegg_picture::Camera;
use superegg_sim::{Axis, Body, JointKind, Material, Servo, SimError, axis_frame};

use super::bodies::floor;
use crate::{Description, JointDescription};

/// Length of each link from joint to joint, in metres, and its density in kilograms a cubic metre.
const LINKS: [f64; 7] = [0.30, 0.15, 0.30, 0.15, 0.28, 0.12, 0.10];
const DENSITY: f64 = 1200.0;
/// What each servo can do at most, in newton metres, and its stiffness and damping.
const EFFORTS: [f64; 7] = [90.0, 90.0, 60.0, 60.0, 30.0, 20.0, 12.0];
const STIFFNESS: f64 = 4000.0;
const DAMPING: f64 = 120.0;
/// Where the servos are to hold the joints, in radians.
const TARGETS: [f64; 7] = [0.4, 0.7, -0.3, 0.9, 0.2, -0.6, 0.5];

/// Links that twist and bend in turn, as those of common arms do, upright at first, with a ball of some kilograms at the end.
pub(super) fn arm(kilograms: usize) -> Result<Description, SimError> {
    let material = Material::default();
    let mut scene = Description { bodies: vec![floor(material)?], ..Description::default() };
    let base = Shape::from(Superellipsoid::new([0.14, 0.14, 0.1], [0.6, 0.3])?);
    scene.bodies.push(Body::fixed(base, Pose::from_translation(DVec3::Z * 0.1)));
    let mut height = 0.2;
    for (index, length) in LINKS.into_iter().enumerate() {
        let radius = 0.07 - 0.005 * index as f64;
        let shape = Shape::from(Superellipsoid::new([radius, radius, 0.5 * length + 0.6 * radius], [0.9, 0.5])?);
        let pose = Pose::from_translation(DVec3::Z * (height + 0.5 * length));
        scene.bodies.push(Body::dynamic(shape, pose, DENSITY));
        let axis = if index % 2 == 0 { DVec3::Z } else { DVec3::Y };
        let servo = Servo::Position {
            target: TARGETS[index],
            velocity: 0.0,
            stiffness: STIFFNESS,
            damping: DAMPING,
            effort: EFFORTS[index],
        };
        let axis_of = Axis { limits: Some([-2.9, 2.9]), servo, friction: 0.1, ..Axis::default() };
        join(&mut scene, axis_frame(DVec3::Z * height, axis)?, JointKind::Revolute(axis_of));
        height += length;
    }
    let radius = 0.07;
    let ball = Shape::from(Superellipsoid::new([radius; 3], [1.0; 2])?);
    let volume = 4.0 / 3.0 * std::f64::consts::PI * radius * radius * radius;
    let pose = Pose::new(DQuat::IDENTITY, DVec3::Z * (height + radius))?;
    scene.bodies.push(Body::dynamic(ball, pose, kilograms.min(100) as f64 / volume));
    join(&mut scene, Pose::from_translation(DVec3::Z * height), JointKind::Fixed);
    let (eye, target) = (DVec3::new(2.2, -2.6, 1.5), DVec3::new(0.25, 0.1, 0.6));
    Ok(Description {
        name: "arm".to_owned(),
        dt: 1.0 / 120.0,
        substeps: 4,
        seconds: 4.0,
        camera: Some(Camera { eye, target, field_of_view: 36.0 }),
        ..scene
    })
}

/// Joins the last two bodies at a frame of the world.
fn join(scene: &mut Description, at: Pose, kind: JointKind) {
    let b = scene.bodies.len() - 1;
    let on = |body: usize| scene.bodies[body].pose.inverse().compose(&at);
    let (frame_a, frame_b) = (on(b - 1), on(b));
    scene.joints.push(JointDescription { a: Some(b - 1), b, frame_a, frame_b, kind, collide: false, mimic: None });
}
