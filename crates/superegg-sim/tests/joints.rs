//! Joints, springs, motors and holds against what mechanics says of them.

use superegg::Threads;
use superegg::shape::{Plane, Superellipsoid};
use superegg::{DQuat, DVec3, Pose};
use superegg_sim::{
    Axis, Body, BodyId, Cone, Joint, JointId, JointKind, Place, Servo, SimError, Spring, StepOptions, World,
    axes_frame, axis_frame,
};

const DT: f64 = 1.0 / 60.0;
const G: f64 = 9.81;

fn options() -> StepOptions<'static> {
    StepOptions { substeps: 8, threads: Threads::One, ..StepOptions::default() }
}

fn step(world: &mut World) {
    world.step(DT, &options()).unwrap();
}

fn run(world: &mut World, seconds: f64) {
    for _ in 0..(seconds / DT).round() as usize {
        step(world);
    }
}

fn world() -> World {
    let mut world = World::new();
    world.sleeping = false;
    world
}

fn egg(radii: [f64; 3]) -> Superellipsoid {
    Superellipsoid::new(radii, [1.0; 2]).unwrap()
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z))
}

fn dynamic(radii: [f64; 3], pose: Pose) -> Body {
    Body::dynamic(egg(radii), pose, 1000.0)
}

/// Mass, and the moment of inertia about an axis of the shape, of a body of 1000 kg/m³.
fn mass(radii: [f64; 3]) -> (f64, DVec3) {
    let of = egg(radii).mass_properties();
    let [x, y, z] = [of.inertia.x_axis.x, of.inertia.y_axis.y, of.inertia.z_axis.z];
    (1000.0 * of.volume, 1000.0 * DVec3::new(x, y, z))
}

/// A joint that holds a body to the world or another, at a place of the world.
fn ball(world: &World, a: Option<BodyId>, b: BodyId, point: DVec3) -> Result<Joint, SimError> {
    world.joint_at(a, b, axis_frame(point, DVec3::X)?, JointKind::Ball(None))
}

fn fixed(world: &World, a: Option<BodyId>, b: BodyId, point: DVec3) -> Result<Joint, SimError> {
    world.joint_at(a, b, axis_frame(point, DVec3::X)?, JointKind::Fixed)
}

fn hinge(
    world: &World,
    a: Option<BodyId>,
    b: BodyId,
    (point, axis): (DVec3, DVec3),
    drive: Axis,
) -> Result<Joint, SimError> {
    world.joint_at(a, b, axis_frame(point, axis)?, JointKind::Revolute(drive))
}

/// Between a point of the world and one of a body.
fn distance(world: &World, b: BodyId, points: [DVec3; 2], drive: Axis) -> Joint {
    let on_b = world.body(b).unwrap().pose().inverse_transform_point(points[1]);
    let frame = Pose::from_translation;
    Joint::new(None, frame(points[0]), b, frame(on_b), JointKind::Distance(Some(drive)))
}

fn positions(world: &World, joint: JointId) -> Vec<f64> {
    world.joint_states(joint).unwrap().iter().map(|state| state.position).collect()
}

fn joint(world: &World, index: usize) -> JointId {
    world.joints().nth(index).unwrap()
}

/// The body in a slot: without removals those are numbered as they were added.
fn nth(world: &World, index: usize) -> BodyId {
    world.bodies().nth(index).unwrap()
}

#[test]
fn a_pendulum_swings_in_its_time() {
    // A rod of half length 0.5, hung at its end: T = 2π √(I / m g l), longer by θ²/16.
    let radii = [0.05, 0.05, 0.5];
    let (m, inertia) = mass(radii);
    let (length, swing) = (0.5, 0.1f64);
    let period = 2.0 * std::f64::consts::PI * ((inertia.y + m * length * length) / (m * G * length)).sqrt();
    let period = period * (1.0 + swing * swing / 16.0);
    let mut world = world();
    let turn = DQuat::from_rotation_y(swing);
    world.add_body(dynamic(radii, Pose::new(turn, turn * DVec3::Z * -length).unwrap())).unwrap();
    let joint = world
        .add_joint(hinge(&world, None, nth(&world, 0), (DVec3::ZERO, DVec3::Y), Axis::default()).unwrap())
        .unwrap();
    let (mut last, mut crossings) = (-swing, Vec::new());
    while crossings.len() < 21 {
        step(&mut world);
        let angle = positions(&world, joint)[0] + swing;
        assert!(world.joint_gap(joint).unwrap() < 1e-5);
        if (angle < 0.0) != (last < 0.0) && last != -swing {
            crossings.push(world.time - DT * angle / (angle - last));
        }
        last = angle;
    }
    let measured = (crossings[20] - crossings[0]) / 10.0;
    assert!((measured / period - 1.0).abs() < 2e-3, "{measured} for {period}");
}

#[test]
fn a_double_pendulum_keeps_its_energy() {
    let mut world = world();
    let radii = [0.05, 0.05, 0.25];
    let flat = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
    let upper = world.add_body(dynamic(radii, Pose::new(flat, DVec3::X * 0.25).unwrap())).unwrap();
    let lower = world.add_body(dynamic(radii, Pose::new(flat, DVec3::X * 0.75).unwrap())).unwrap();
    world.add_joint(hinge(&world, None, upper, (DVec3::ZERO, DVec3::Y), Axis::default()).unwrap()).unwrap();
    world.add_joint(hinge(&world, Some(upper), lower, (DVec3::X * 0.5, DVec3::Y), Axis::default()).unwrap()).unwrap();
    // From the horizontal down, as much energy as there ever is in motion.
    let scale = world.body(upper).unwrap().mass() * G * 1.0;
    let start = world.energy();
    for _ in 0..600 {
        step(&mut world);
        assert!((world.energy() - start).abs() < 0.02 * scale, "{} of {scale}", world.energy() - start);
        for index in 0..2 {
            assert!(world.joint_gap(joint(&world, index)).unwrap() < 5e-4);
        }
    }
}

#[test]
fn a_top_precesses_as_it_must() {
    // Steady precession: I₁ cos θ Ω² - I₃ ω₃ Ω + m g l = 0, moments about the tip.
    let radii = [0.2, 0.2, 0.1];
    let (m, inertia) = mass(radii);
    let (length, lean, spin) = (0.3, 0.5f64, 120.0);
    let about_tip = inertia.x + m * length * length;
    let (a, b, c) = (about_tip * lean.cos(), -inertia.z * spin, m * G * length);
    let rate = (-b - (b * b - 4.0 * a * c).sqrt()) / (2.0 * a);
    let turn = DQuat::from_rotation_y(lean);
    let axis = turn * DVec3::Z;
    let mut world = world();
    let angular = DVec3::Z * rate + axis * (spin - rate * lean.cos());
    let body = dynamic(radii, Pose::new(turn, axis * length).unwrap());
    let velocity = angular.cross(axis * length);
    let top = world.add_body(Body { velocity, angular_velocity: angular, ..body }).unwrap();
    world.add_joint(ball(&world, None, top, DVec3::ZERO).unwrap()).unwrap();
    let (mut turned, mut last) = (0.0, 0.0);
    for _ in 0..300 {
        step(&mut world);
        let place = world.body(top).unwrap().center();
        let azimuth = f64::atan2(place.y, place.x);
        turned += (azimuth - last + std::f64::consts::PI).rem_euclid(2.0 * std::f64::consts::PI) - std::f64::consts::PI;
        last = azimuth;
        let leaning = (place.z / place.length()).acos();
        assert!((leaning - lean).abs() < 0.01, "leans {leaning} at {}", world.time);
    }
    let expected = rate * world.time;
    assert!((turned / expected - 1.0).abs() < 0.01, "{turned} for {expected}");
}

/// A chain from the origin in a direction; the last link's density is multiplied.
fn chain(links: usize, heavy: f64, direction: DVec3) -> (World, Vec<JointId>) {
    let mut world = world();
    let (radii, half) = ([0.1, 0.03, 0.03], 0.1);
    let turn = DQuat::from_rotation_arc(DVec3::X, direction);
    let mut joints = Vec::new();
    let mut last = None;
    for link in 0..links {
        let along = half * (1 + 2 * link) as f64;
        let density = if link + 1 == links { 1000.0 * heavy } else { 1000.0 };
        let pose = Pose::new(turn, direction * along).unwrap();
        let body = world.add_body(Body::dynamic(egg(radii), pose, density)).unwrap();
        joints.push(world.add_joint(ball(&world, last, body, direction * (along - half)).unwrap()).unwrap());
        last = Some(body);
    }
    (world, joints)
}

fn worst_gap(world: &World, joints: &[JointId]) -> f64 {
    joints.iter().map(|joint| world.joint_gap(*joint).unwrap()).fold(0.0, f64::max)
}

#[test]
fn a_chain_of_a_hundred_does_not_stretch_whatever_hangs_on_it() {
    // Falls from the horizontal. The free end of a chain without a load cracks like a whip, at more than 70 m/s: a link turns by
    // half a radian in the shortest substep, and its joints are off by what the second order of that angle is. A load holds
    // the chain straight; what is left then is a few micrometres.
    for (heavy, off) in [(1.0, 4e-3), (1000.0, 1e-4)] {
        let (mut world, joints) = chain(100, heavy, DVec3::X);
        let mut lowest = 0.0f64;
        for _ in 0..150 {
            step(&mut world);
            let worst = worst_gap(&world, &joints);
            assert!(worst < off, "{worst} at {} with {heavy}", world.time);
            let end = world.body(nth(&world, 99)).unwrap().center();
            assert!(end.length() < 19.9 * 1.01, "{}", end.length());
            lowest = lowest.min(end.z);
        }
        assert!(lowest < -17.0, "{lowest}");
    }
    // Hangs with three and ten times its own weight at the end, and is pushed there.
    for heavy in [300.0, 1000.0] {
        let (mut world, joints) = chain(100, heavy, -DVec3::Z);
        let end = nth(&world, 99);
        let impulse = DVec3::X * world.body(end).unwrap().mass();
        world.push(end, world.body(end).unwrap().center(), impulse).unwrap();
        let mut farthest = 0.0f64;
        for _ in 0..140 {
            step(&mut world);
            let worst = worst_gap(&world, &joints);
            assert!(worst < 1e-4, "{worst} at {} with {heavy}", world.time);
            farthest = farthest.max(world.body(end).unwrap().center().x);
        }
        // A pendulum of 19.9 m: the load shares its momentum with a rod of the chain's weight, and both lift it.
        let (turning, lifting) = (heavy + 99.0 / 3.0, heavy + 99.0 / 2.0);
        let expected = heavy / turning * (19.9 / G * turning / lifting).sqrt();
        assert!((farthest / expected - 1.0).abs() < 0.02, "{farthest} for {expected}");
    }
}

#[test]
fn a_bridge_between_two_walls_holds() {
    // Both ends are fixed: one of the joints closes a loop.
    let (mut world, mut joints) = chain(20, 1.0, DVec3::X);
    joints.push(world.add_joint(ball(&world, None, nth(&world, 19), DVec3::X * 4.0).unwrap()).unwrap());
    world.push(nth(&world, 10), DVec3::X * 2.0, DVec3::Z * 0.5).unwrap();
    for index in 0..240 {
        step(&mut world);
        let worst = worst_gap(&world, &joints);
        // No slack at all: what the loop's last joint leaves undone would take an endless force.
        assert!(worst < 8e-3, "{worst} at step {index}");
    }
}

#[test]
fn bodies_on_joints_keep_their_common_momentum() {
    let mut world = world();
    world.gravity = DVec3::ZERO;
    let bodies: Vec<BodyId> = (0..5)
        .map(|i| {
            let body = dynamic([0.2, 0.15, 0.1], at(0.4 * f64::from(i), 0.0, 0.0));
            let velocity = DVec3::new(0.0, f64::from(i), f64::from(i * i % 3));
            world.add_body(Body { velocity, angular_velocity: DVec3::new(1.0, 2.0, -3.0), ..body }).unwrap()
        })
        .collect();
    let middle = |i: usize| DVec3::X * (0.4 * i as f64 + 0.2);
    world.add_joint(ball(&world, Some(bodies[0]), bodies[1], middle(0)).unwrap()).unwrap();
    world
        .add_joint(hinge(&world, Some(bodies[2]), bodies[1], (middle(1), DVec3::Z), Axis::default()).unwrap())
        .unwrap();
    world.add_joint(fixed(&world, Some(bodies[2]), bodies[3], middle(2)).unwrap()).unwrap();
    let (frame, elbow) =
        (axes_frame(middle(3), DVec3::Y, DVec3::Z).unwrap(), JointKind::Universal([Axis::default(); 2]));
    world.add_joint(world.joint_at(Some(bodies[3]), bodies[4], frame, elbow).unwrap()).unwrap();
    // The first step brings velocities that do not fit the joints into agreement.
    step(&mut world);
    let momentum = |world: &World| {
        bodies.iter().fold((DVec3::ZERO, DVec3::ZERO), |(linear, angular), &body| {
            let p = world.body(body).unwrap().velocity() * world.body(body).unwrap().mass();
            (
                linear + p,
                angular + world.body(body).unwrap().center().cross(p) + world.body(body).unwrap().angular_momentum(),
            )
        })
    };
    let (linear, angular) = momentum(&world);
    run(&mut world, 3.0);
    let (linear_now, angular_now) = momentum(&world);
    assert!((linear_now - linear).length() < 1e-9 * linear.length(), "{linear} to {linear_now}");
    // Impulses act at the two ends of a joint, which are apart by its gap.
    assert!((angular_now - angular).length() < 2e-3 * angular.length(), "{angular} to {angular_now}");
    for index in 0..4 {
        assert!(world.joint_gap(joint(&world, index)).unwrap() < 2e-3);
    }
}

#[test]
fn limits_hold() {
    let limits = Some([-0.4, 0.7]);
    let drive = Axis { limits, ..Axis::default() };
    let out = || dynamic([0.3, 0.05, 0.05], at(0.3, 0.0, 0.0));
    // A hinge that falls onto its limit: about y, x falls towards positive angles.
    let mut falling = world();
    falling.add_body(out()).unwrap();
    let joint =
        falling.add_joint(hinge(&falling, None, nth(&falling, 0), (DVec3::ZERO, DVec3::Y), drive).unwrap()).unwrap();
    for _ in 0..180 {
        step(&mut falling);
        let angle = positions(&falling, joint)[0];
        assert!((-0.41..0.71).contains(&angle), "{angle}");
    }
    assert!((positions(&falling, joint)[0] - 0.7).abs() < 0.01);
    // A pivot: a fast spin about the limb stops at the limit.
    let mut turning = world();
    turning.add_body(Body { angular_velocity: DVec3::X * 20.0, ..out() }).unwrap();
    let joint =
        turning.add_joint(hinge(&turning, None, nth(&turning, 0), (DVec3::ZERO, DVec3::X), drive).unwrap()).unwrap();
    for _ in 0..60 {
        step(&mut turning);
        let angle = positions(&turning, joint)[0];
        assert!((-0.41..0.72).contains(&angle), "{angle}");
    }
    // An elbow bends about y and twists about x, each within its own limits.
    let mut bending = world();
    bending.add_body(Body { angular_velocity: DVec3::new(-15.0, 3.0, 0.0), ..out() }).unwrap();
    let drives = [drive, Axis { limits: Some([-0.2, 0.1]), ..Axis::default() }];
    let frame = axes_frame(DVec3::ZERO, DVec3::Y, DVec3::X).unwrap();
    let elbow = bending.joint_at(None, nth(&bending, 0), frame, JointKind::Universal(drives)).unwrap();
    let joint = bending.add_joint(elbow).unwrap();
    for _ in 0..180 {
        step(&mut bending);
        let values = positions(&bending, joint);
        assert!((-0.41..0.72).contains(&values[0]) && (-0.22..0.12).contains(&values[1]), "{values:?}");
        assert!(bending.joint_gap(joint).unwrap() < 1e-3);
    }
    // A ball joint within a cone.
    let mut swinging = world();
    swinging.add_body(Body { angular_velocity: DVec3::new(8.0, 2.0, 5.0), ..out() }).unwrap();
    let cone = JointKind::Ball(Some(Cone { swing: 0.5, twist: [-0.3, 0.3] }));
    let frame = axis_frame(DVec3::ZERO, DVec3::X).unwrap();
    let joint = swinging.add_joint(swinging.joint_at(None, nth(&swinging, 0), frame, cone).unwrap()).unwrap();
    for _ in 0..180 {
        step(&mut swinging);
        let values = positions(&swinging, joint);
        assert!(values[0] < 0.52 && values[1].abs() < 0.33, "{values:?}");
    }
    // A rope: a distance of at most its length.
    let mut hanging = world();
    hanging.add_body(dynamic([0.1; 3], at(0.2, 0.0, 0.0))).unwrap();
    let rope = Axis { limits: Some([0.0, 1.0]), ..Axis::default() };
    let points = [DVec3::ZERO, DVec3::X * 0.2];
    let joint = hanging.add_joint(distance(&hanging, nth(&hanging, 0), points, rope)).unwrap();
    for _ in 0..180 {
        step(&mut hanging);
        assert!(positions(&hanging, joint)[0] < 1.005);
    }
}

#[test]
fn limits_of_a_chain_hold_whatever_hangs_on_it() {
    // Fingers: light links on each other, pulled by their tip with two hundred times their weight in changing directions.
    let mut random = fastrand::Rng::with_seed(20);
    for links in [2, 5, 10] {
        let mut world = world();
        let mut joints = Vec::new();
        let mut below = None;
        for k in 0..links {
            let x = 0.1 * f64::from(k);
            let body = world.add_body(dynamic([0.05, 0.012, 0.012], at(x + 0.05, 0.0, 0.0))).unwrap();
            let axis = [DVec3::Y, DVec3::Z][k as usize % 2];
            let range = Axis { limits: Some([-0.3, 0.2]), ..Axis::default() };
            joints.push(world.add_joint(hinge(&world, below, body, (DVec3::X * x, axis), range).unwrap()).unwrap());
            below = Some(body);
        }
        for (a, b) in (0..links as usize).flat_map(|a| (0..a).map(move |b| (a, b))) {
            world.ignore_pair(nth(&world, a), nth(&world, b), true).unwrap();
        }
        let weight = G * f64::from(links) * mass([0.05, 0.012, 0.012]).0;
        for round in 0..8 {
            let force = DVec3::from_array([0; 3].map(|_| 2.0 * random.f64() - 1.0)).normalize() * 200.0 * weight;
            world.set_force(nth(&world, links as usize - 1), force, DVec3::ZERO).unwrap();
            for _ in 0..20 {
                step(&mut world);
                for joint in &joints {
                    let angle = positions(&world, *joint)[0];
                    assert!((-0.31..0.21).contains(&angle), "{links} links, round {round}: {angle}");
                }
            }
        }
    }
    // A beam of links that cannot bend down: it stays straight, as one body would.
    let mut beam = world();
    let mut joints = Vec::new();
    let mut below = None;
    for k in 0..6 {
        let x = 0.4 * f64::from(k);
        let body = beam.add_body(dynamic([0.2, 0.05, 0.05], at(x + 0.2, 0.0, 0.0))).unwrap();
        let range = Axis { limits: Some([-1.0, 0.0]), ..Axis::default() };
        joints.push(beam.add_joint(hinge(&beam, below, body, (DVec3::X * x, DVec3::Y), range).unwrap()).unwrap());
        below = Some(body);
    }
    run(&mut beam, 2.0);
    for joint in &joints {
        let angle = positions(&beam, *joint)[0];
        assert!(angle.abs() < 1e-6, "{angle}");
    }
    // Its end is pushed up: it bends there alone, and comes down again, for a stop does not hold back.
    beam.set_force(nth(&beam, 5), DVec3::Z * 40.0, DVec3::ZERO).unwrap();
    run(&mut beam, 0.2);
    assert!(positions(&beam, joints[5])[0] < -0.05 && positions(&beam, joints[0])[0].abs() < 1e-6);
    beam.set_force(nth(&beam, 5), DVec3::ZERO, DVec3::ZERO).unwrap();
    run(&mut beam, 3.0);
    assert!(joints.iter().all(|joint| positions(&beam, *joint)[0].abs() < 1e-3));
}

#[test]
fn motors_reach_their_speed_and_no_more_than_their_strength() {
    let radii = [0.3, 0.3, 0.1];
    let (_, inertia) = mass(radii);
    let mut world = world();
    world.add_body(dynamic(radii, at(0.0, 0.0, 0.0))).unwrap();
    let strength = 2.0 * inertia.z;
    let motor = Axis::driven(Servo::Velocity { target: 5.0, effort: strength });
    let turned = world.add_joint(hinge(&world, None, nth(&world, 0), (DVec3::ZERO, DVec3::Z), motor).unwrap()).unwrap();
    // 2 rad/s² until the speed is reached.
    run(&mut world, 1.0);
    let speed = |world: &World| world.body(nth(world, 0)).unwrap().angular_velocity().z;
    assert!((speed(&world) - 2.0).abs() < 0.01, "{}", speed(&world));
    run(&mut world, 2.0);
    assert!((speed(&world) - 5.0).abs() < 1e-6, "{}", speed(&world));
    world.set_axis(turned, 0, Axis::default()).unwrap();
    run(&mut world, 1.0);
    assert!((speed(&world) - 5.0).abs() < 1e-3, "{}", speed(&world));
}

#[test]
fn springs_swing_in_their_time() {
    // A weight on a spring: T = 2π √(m / k), about where it hangs at rest.
    let (m, _) = mass([0.1; 3]);
    let stiffness = 40.0 * m;
    let mut world = world();
    world.add_body(dynamic([0.1; 3], at(0.0, 0.0, -1.0))).unwrap();
    let spring = Axis { spring: Some(Spring { rest: 1.0, stiffness, damping: 0.0 }), ..Axis::default() };
    let points = [DVec3::ZERO, DVec3::Z * -1.0];
    world.add_joint(distance(&world, nth(&world, 0), points, spring)).unwrap();
    let middle = -1.0 - m * G / stiffness;
    let (mut last, mut crossings) = (0.0, Vec::new());
    while crossings.len() < 11 {
        step(&mut world);
        let height = world.body(nth(&world, 0)).unwrap().center().z - middle;
        if (height < 0.0) != (last < 0.0) && last != 0.0 {
            crossings.push(world.time - DT * height / (height - last));
        }
        last = height;
    }
    let (measured, period) = ((crossings[10] - crossings[0]) / 5.0, 2.0 * std::f64::consts::PI / 40f64.sqrt());
    assert!((measured / period - 1.0).abs() < 5e-3, "{measured} for {period}");
    // A stiff, damped one on a hinge holds a lever up.
    let mut lever = World::new();
    lever.add_body(dynamic([0.3, 0.05, 0.05], at(0.3, 0.0, 0.0))).unwrap();
    let (m, _) = mass([0.3, 0.05, 0.05]);
    let stiffness = 1000.0;
    let spring = Axis { spring: Some(Spring { rest: 0.0, stiffness, damping: 20.0 }), ..Axis::default() };
    let held = lever.add_joint(hinge(&lever, None, nth(&lever, 0), (DVec3::ZERO, DVec3::Y), spring).unwrap()).unwrap();
    run(&mut lever, 3.0);
    let (angle, expected) = (positions(&lever, held)[0], m * G * 0.3 / stiffness);
    assert!((angle / expected - 1.0).abs() < 0.02, "{angle} for {expected}");
}

#[test]
fn what_is_grabbed_follows_and_falls_when_released() {
    let mut world = World::new();
    world.add_body(Body::fixed(Plane::new(DVec3::Z, 0.0).unwrap(), Pose::IDENTITY)).unwrap();
    let box_like = Superellipsoid::new([0.2; 3], [0.2; 2]).unwrap();
    let body = world.add_body(Body::dynamic(box_like, at(0.0, 0.0, 0.202), 500.0)).unwrap();
    run(&mut world, 1.0);
    assert!(world.body(body).unwrap().is_asleep());
    let weight = world.body(body).unwrap().mass() * G;
    let corner = world.body(body).unwrap().center() + DVec3::new(0.15, 0.15, 0.15);
    let local = world.body(body).unwrap().pose().inverse_transform_point(corner);
    let drag = world.drag(Place::Body { body, point: local }, 10.0 * weight).unwrap();
    for i in 1..=60 {
        world.move_drag(drag, corner + DVec3::new(0.02, 0.0, 0.02) * f64::from(i)).unwrap();
        step(&mut world);
    }
    run(&mut world, 4.0);
    // The point is below the target by the spring's give: g / (2π 5 Hz)² is a centimetre, more while the body swings.
    let target = corner + DVec3::new(1.2, 0.0, 1.2);
    let held = world.body(body).unwrap().pose().transform_point(local);
    assert!(held.distance(target) < 0.03, "{held} for {target}");
    world.release(drag).unwrap();
    run(&mut world, 6.0);
    assert!(world.body(body).unwrap().center().z < 0.3);
    assert!(matches!(world.move_drag(drag, corner), Err(SimError::Stale { what: "drag", .. })));
    // A hold that is too weak does not lift.
    let before = world.body(body).unwrap().center();
    let point = world.body(body).unwrap().pose().inverse_transform_point(before);
    let weak = world.drag(Place::Body { body, point }, 0.5 * weight).unwrap();
    world.move_drag(weak, before + DVec3::Z * 3.0).unwrap();
    run(&mut world, 1.0);
    assert!(world.body(body).unwrap().center().distance(before) < 0.01);
}

#[test]
fn a_joint_that_is_taken_apart_lets_go_and_bad_ones_are_refused() {
    let mut world = World::new();
    let upper = world.add_body(dynamic([0.2; 3], at(0.0, 0.0, 0.0))).unwrap();
    let lower = world.add_body(dynamic([0.2; 3], at(0.0, 0.0, -0.3))).unwrap();
    let hook = world.add_joint(fixed(&world, None, upper, DVec3::ZERO).unwrap()).unwrap();
    let link = world.add_joint(ball(&world, Some(upper), lower, DVec3::Z * -0.15).unwrap()).unwrap();
    run(&mut world, 1.0);
    assert!((world.body(lower).unwrap().center().z + 0.3).abs() < 1e-3);
    world.remove_joint(link).unwrap();
    run(&mut world, 1.0);
    assert!(world.body(lower).unwrap().center().z < -4.0);
    assert!(world.body(upper).unwrap().center().length() < 1e-3);
    let refused = |result: Result<JointId, SimError>| result.unwrap_err().to_string();
    assert!(matches!(world.joint_gap(link), Err(SimError::Stale { what: "joint", index: 1 })));
    assert!(world.joint_gap(hook).is_ok());
    let itself = ball(&world, Some(upper), upper, DVec3::ZERO).unwrap();
    assert!(refused(world.add_joint(itself)).contains("joint.b"));
    let mut other = World::new();
    let stranger = other.add_body(dynamic([0.2; 3], at(0.0, 0.0, 0.0))).unwrap();
    assert_eq!(ball(&world, None, stranger, DVec3::ZERO), Err(SimError::Foreign { what: "body" }));
    let nowhere = hinge(&world, None, upper, (DVec3::ZERO, DVec3::ZERO), Axis::default());
    assert!(nowhere.unwrap_err().to_string().contains("axis"));
    assert!(ball(&world, None, upper, DVec3::NAN).unwrap_err().to_string().contains("point"));
    let bad = hinge(&world, None, upper, (DVec3::ZERO, DVec3::X), Axis::within(1.0, -1.0)).unwrap();
    assert!(refused(world.add_joint(bad)).contains("limits"));
}
