//! Servos, sliders, gears and joint states against what mechanics says of them.

use superegg::shape::Superellipsoid;
use superegg::{DVec3, Pose};
use superegg_scene::built_in;
use superegg_sim::{
    Axis, AxisState, Body, BodyId, JointId, JointKind, Mimic, Servo, SimError, StepOptions, World, axes_frame,
    axis_frame,
};

const DT: f64 = 1.0 / 60.0;
const G: f64 = 9.81;

fn options() -> StepOptions<'static> {
    StepOptions { substeps: 8, ..StepOptions::default() }
}

fn run(world: &mut World, seconds: f64) {
    for _ in 0..(seconds / DT).round() as usize {
        world.step(DT, &options()).unwrap();
    }
}

fn world() -> World {
    let mut world = World::new();
    world.sleeping = false;
    world
}

/// A rod along x from the origin to twice its half length.
fn rod(world: &mut World, half: f64) -> BodyId {
    let shape = Superellipsoid::new([half, 0.05, 0.05], [1.0; 2]).unwrap();
    world.add_body(Body::dynamic(shape, Pose::from_translation(DVec3::X * half), 1000.0)).unwrap()
}

fn joined(world: &mut World, body: BodyId, axis: DVec3, kind: JointKind) -> JointId {
    let joint = world.joint_at(None, body, axis_frame(DVec3::ZERO, axis).unwrap(), kind).unwrap();
    world.add_joint(joint).unwrap()
}

fn state(world: &World, joint: JointId) -> AxisState {
    world.joint_states(joint).unwrap()[0]
}

fn hold(target: f64, effort: f64) -> Servo {
    Servo::Position { target, velocity: 0.0, stiffness: 2e4, damping: 600.0, effort }
}

#[test]
fn a_position_servo_holds_a_weight_and_tells_its_effort() {
    let mut world = world();
    let body = rod(&mut world, 0.5);
    let joint = joined(&mut world, body, DVec3::Y, JointKind::Revolute(Axis::driven(hold(-0.3, 1e4))));
    run(&mut world, 3.0);
    let found = state(&world, joint);
    // Spring and weight: k (target - position) = -m g l cos(position).
    let torque = -world.body(body).unwrap().mass() * G * 0.5 * found.position.cos();
    assert!((found.effort / torque - 1.0).abs() < 1e-3, "{} for {torque}", found.effort);
    assert!((2e4 * (-0.3 - found.position) / torque - 1.0).abs() < 1e-3, "{found:?}");
    assert!(found.velocity.abs() < 1e-6);
}

#[test]
fn a_servo_at_the_end_of_its_strength_gives_way() {
    let mut world = world();
    let body = rod(&mut world, 0.5);
    let weight = world.body(body).unwrap().mass() * G * 0.5;
    let effort = 0.5 * weight;
    let joint = joined(&mut world, body, DVec3::Y, JointKind::Revolute(Axis::driven(hold(0.0, effort))));
    // Half of what the horizontal takes: it swings about where weight and effort balance, 60° down, and friction lets it settle.
    let axis = Axis { damping: 10.0, ..Axis::driven(hold(0.0, effort)) };
    world.set_axis(joint, 0, axis).unwrap();
    run(&mut world, 10.0);
    let found = state(&world, joint);
    assert!((found.effort.abs() - effort).abs() < 1e-9 * effort, "{found:?}");
    assert!((found.position - std::f64::consts::FRAC_PI_3).abs() < 0.01, "{found:?}");
    // An effort as such.
    world.set_axis(joint, 0, Axis { damping: 10.0, ..Axis::driven(Servo::Effort(-0.8 * weight)) }).unwrap();
    run(&mut world, 10.0);
    assert!((state(&world, joint).position - 0.8f64.acos()).abs() < 0.01, "{:?}", state(&world, joint));
}

#[test]
fn a_slider_falls_is_held_by_friction_and_turns_with_its_rail() {
    let mut world = world();
    let body = rod(&mut world, 0.2);
    let mass = world.body(body).unwrap().mass();
    let joint = joined(&mut world, body, DVec3::Z, JointKind::Prismatic(Axis::default()));
    run(&mut world, 0.5);
    let found = state(&world, joint);
    let time = world.time;
    assert!(
        (found.position + 0.5 * G * time * time).abs() < 0.03 && (found.velocity + G * time).abs() < 1e-6,
        "{found:?}"
    );
    assert!(world.joint_gap(joint).unwrap() < 1e-6);
    // More friction than weight stops it.
    world.set_axis(joint, 0, Axis { friction: 3.0 * mass * G, ..Axis::default() }).unwrap();
    run(&mut world, 1.0);
    assert!(state(&world, joint).velocity.abs() < 1e-6, "{:?}", state(&world, joint));
    // Lifted by a velocity servo.
    let before = state(&world, joint).position;
    world.set_axis(joint, 0, Axis::driven(Servo::Velocity { target: 0.5, effort: 3.0 * mass * G })).unwrap();
    run(&mut world, 1.0);
    let found = state(&world, joint);
    assert!(
        (found.position - before - 0.5).abs() < 0.02 && (found.effort / (mass * G) - 1.0).abs() < 0.01,
        "{found:?}"
    );
}

#[test]
fn turns_are_counted_and_states_can_be_set() {
    let mut world = world();
    world.gravity = DVec3::ZERO;
    let body = rod(&mut world, 0.3);
    let joint = joined(
        &mut world,
        body,
        DVec3::Z,
        JointKind::Continuous(Axis::driven(Servo::Velocity { target: 10.0, effort: 1e4 })),
    );
    run(&mut world, 2.0);
    let found = state(&world, joint);
    assert!((found.position - 20.0).abs() < 0.2 && (found.velocity - 10.0).abs() < 1e-6, "{found:?}");
    let wanted = AxisState { position: -7.0, velocity: 1.5, effort: 0.0 };
    world.set_joint_states(&[(joint, &[wanted])]).unwrap();
    let found = state(&world, joint);
    assert!((found.position + 7.0).abs() < 1e-9 && (found.velocity - 1.5).abs() < 1e-9, "{found:?}");
    assert!(world.joint_gap(joint).unwrap() < 1e-12);
    assert!(world.set_joint_states(&[(joint, &[])]).is_err());
    let nowhere = AxisState { position: f64::NAN, ..wanted };
    assert!(matches!(world.set_joint_states(&[(joint, &[nowhere])]), Err(SimError::InvalidInput(_))));
}

#[test]
fn a_plane_and_a_gear_leave_what_they_should() {
    let mut flat = world();
    let body = rod(&mut flat, 0.2);
    let frame = axes_frame(DVec3::ZERO, DVec3::Z, DVec3::X).unwrap();
    let joint = flat.joint_at(None, body, frame, JointKind::Planar([Axis::default(); 3])).unwrap();
    let joint = flat.add_joint(joint).unwrap();
    flat.push(body, DVec3::new(0.2, 0.1, 0.0), DVec3::new(1.0, 2.0, 3.0)).unwrap();
    run(&mut flat, 1.0);
    let center = flat.body(body).unwrap().center();
    assert!(center.z.abs() < 1e-4 && flat.joint_gap(joint).unwrap() < 1e-4, "{center}");
    let states = flat.joint_states(joint).unwrap();
    let mass = flat.body(body).unwrap().mass();
    assert!((flat.body(body).unwrap().velocity().truncate() * mass - glam::DVec2::new(1.0, 2.0)).length() < 1e-6);
    assert!(states.len() == 3 && states[2].position.abs() > 0.01, "{states:?}");

    // Two fingers, of which one follows the other at twice its speed.
    let mut geared = world();
    geared.gravity = DVec3::ZERO;
    let fingers = [rod(&mut geared, 0.2), rod(&mut geared, 0.2)];
    geared.ignore_pair(fingers[0], fingers[1], true).unwrap();
    let drive = Axis::driven(Servo::Velocity { target: 0.4, effort: 1e4 });
    let leader = joined(&mut geared, fingers[0], DVec3::Z, JointKind::Revolute(drive));
    let follower = joined(&mut geared, fingers[1], DVec3::Z, JointKind::Revolute(Axis::default()));
    geared.set_mimic(follower, 0, Some(Mimic { of: (leader, 0), ratio: -2.0, offset: 0.1 })).unwrap();
    run(&mut geared, 1.0);
    let [lead, follow] = [leader, follower].map(|joint| state(&geared, joint));
    assert!((lead.velocity - 0.4).abs() < 1e-3, "{lead:?}");
    assert!((follow.position - 0.1 + 2.0 * lead.position).abs() < 1e-3, "{follow:?} for {lead:?}");
    assert!(geared.set_mimic(follower, 0, Some(Mimic { of: (follower, 0), ratio: 1.0, offset: 0.0 })).is_err());
}

/// A floating joint keeps nothing: it tells where a body is as seen from its frame, and puts it there.
#[test]
fn a_floating_joint_holds_nothing_and_its_states_can_be_set() {
    let mut world = world();
    let thrown = |world: &mut World, y: f64| {
        let body = rod(world, 0.2);
        world.set_pose(body, Pose::from_translation(DVec3::Y * y)).unwrap();
        world.set_velocities(body, DVec3::new(1.0, 2.0, 3.0), DVec3::new(0.3, -0.2, 0.5)).unwrap();
        body
    };
    let (body, free) = (thrown(&mut world, 0.0), thrown(&mut world, 5.0));
    let frame = axes_frame(DVec3::new(0.1, 0.2, 0.3), DVec3::new(1.0, 2.0, 0.5), DVec3::new(2.0, -1.0, 0.0)).unwrap();
    let joint = world.joint_at(None, body, frame, JointKind::Floating).unwrap();
    let joint = world.add_joint(joint).unwrap();
    let start = world.body(body).unwrap().pose();
    run(&mut world, 0.5);
    // It flies as one without a joint does.
    let [one, other] = [body, free].map(|body| world.body(body).unwrap());
    assert!((one.center() + DVec3::Y * 5.0).distance(other.center()) < 1e-9);
    assert!(one.angular_velocity().distance(other.angular_velocity()) < 1e-9);
    // Three ways along the frame's axes, then the turn as a vector: the motion since it was joined, as seen in the frame.
    let moved = frame.inverse().compose(&one.pose()).compose(&start.inverse()).compose(&frame);
    let told = |world: &World| {
        let states = world.joint_states(joint).unwrap();
        assert_eq!(states.len(), 6);
        let of = |i: usize| DVec3::from_array([0, 1, 2].map(|k| states[i + k].position));
        (of(0), of(3), states)
    };
    let (way, turn, _) = told(&world);
    let turned = moved.rotation.to_scaled_axis();
    assert!(way.distance(moved.translation) < 1e-9, "{way} for {}", moved.translation);
    assert!(turn.distance(turned) < 1e-9 && turned.length() > 0.2, "{turn} for {turned}");
    assert_eq!(world.joint_gap(joint).unwrap(), 0.0);
    // What is set is what is told, and a step goes on from there.
    let wanted = [0.4, -0.2, 0.7, 0.5, -0.3, 0.2].map(|position| AxisState { position, velocity: 0.0, effort: 0.0 });
    world.set_joint_states(&[(joint, &wanted)]).unwrap();
    let (way, turn, states) = told(&world);
    assert!(way.distance(DVec3::new(0.4, -0.2, 0.7)) < 1e-9 && turn.distance(DVec3::new(0.5, -0.3, 0.2)) < 1e-9);
    assert!(states.iter().all(|state| state.velocity.abs() < 1e-9 && state.effort == 0.0), "{states:?}");
    let place = world.body(body).unwrap().center();
    run(&mut world, DT);
    let fallen = world.body(body).unwrap().center() - place;
    assert!(fallen.truncate().length() < 1e-9 && fallen.z < -1e-3, "{fallen}");
}

/// Seven joints, each of which feels all that hangs below it: rows in turn sagged by far more than their servos give.
#[test]
fn an_arm_of_seven_joints_holds_its_pose_within_its_efforts() {
    let mut scene = built_in::scene("arm", None).unwrap().unwrap();
    for _ in 0..scene.step_count() {
        scene.advance(&StepOptions::default()).unwrap();
        for (index, joint) in scene.joints[..7].iter().enumerate() {
            let JointKind::Revolute(axis) = scene.world.joint(*joint).unwrap().kind else { panic!("a hinge") };
            let Servo::Position { effort, .. } = axis.servo else { panic!("a servo") };
            let found = state(&scene.world, *joint);
            assert!(found.effort.abs() <= effort * (1.0 + 1e-9), "joint {index}: {found:?}");
            assert!(scene.world.joint_gap(*joint).unwrap() < 1e-3, "joint {index}");
        }
    }
    for (index, joint) in scene.joints[..7].iter().enumerate() {
        let JointKind::Revolute(axis) = scene.world.joint(*joint).unwrap().kind else { panic!("a hinge") };
        let Servo::Position { target, stiffness, .. } = axis.servo else { panic!("a servo") };
        let found = state(&scene.world, *joint);
        // Off by what its spring gives, and by what dry friction of 0.1 N m holds back.
        let off = (target - found.position) * stiffness - found.effort;
        assert!(off.abs() < 0.2 && found.velocity.abs() < 1e-3, "joint {index}: {found:?} for {target}");
        assert!((target - found.position).abs() < 0.02, "joint {index}: {found:?} for {target}");
    }
    assert!(
        scene.joints[..7].iter().any(|joint| state(&scene.world, *joint).effort.abs() > 5.0),
        "it carries something"
    );
}
