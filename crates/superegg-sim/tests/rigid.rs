//! Rigid bodies against what mechanics says of them.

use superegg::query::batch::Threads;
use superegg::shape::{Plane, Shape, Superellipsoid, Superovoid};
use superegg::{DQuat, DVec3, Pose};
use superegg_sim::rigid::scene::{RigidScene, built_in};
use superegg_sim::rigid::{Material, RigidBody, RigidId, RigidMotion, RigidWorld, penetration};
use superegg_sim::{Friction, SimError, StepOptions};

const DT: f64 = 1.0 / 60.0;

fn options() -> StepOptions<'static> {
    StepOptions { substeps: 8, threads: Threads::One, clock: None }
}

fn floor(normal: DVec3, material: Material) -> RigidBody {
    let plane: Shape = Plane::new(normal, 0.0).unwrap().into();
    RigidBody { material, ..RigidBody::fixed(plane, Pose::IDENTITY) }
}

fn run(world: &mut RigidWorld, seconds: f64) {
    for _ in 0..(seconds / DT).round() as usize {
        world.step(DT, &options()).unwrap();
    }
}

#[test]
fn free_flight_keeps_momentum_and_energy() {
    let mut world = RigidWorld::new();
    let shape = Superovoid::new([0.3, 0.5, 0.8], [0.7, 0.9], [0.2, -0.3]).unwrap();
    let pose = Pose::new(DQuat::from_xyzw(0.1, 0.5, -0.3, 0.8), DVec3::new(1.0, 2.0, 3.0)).unwrap();
    let (velocity, angular_velocity) = (DVec3::new(1.0, -2.0, 5.0), DVec3::new(2.0, -3.0, 1.0));
    let body = RigidBody { velocity, angular_velocity, ..RigidBody::dynamic(shape, pose, 700.0) };
    let body = world.add(body).unwrap();
    let (start, spin) = (world.centre(body).unwrap(), world.angular_momentum(body).unwrap());
    run(&mut world, 10.0);
    let t = world.time;
    let fallen = start + velocity * t + 0.5 * world.gravity * t * t;
    // Velocity first, then place: the path is ahead of the parabola by half a substep of the speed gained.
    assert!((world.centre(body).unwrap() - fallen).length() < 0.5 * 9.81 * t * DT / 8.0 * 1.01);
    assert!((world.velocities(body).unwrap()[0] - velocity - world.gravity * t).length() < 1e-9);
    assert!((world.angular_momentum(body).unwrap() - spin).length() < 1e-9 * spin.length());
}

#[test]
fn the_intermediate_axis_flips_and_the_others_do_not() {
    for (axis, flips) in [(DVec3::X, false), (DVec3::Y, true), (DVec3::Z, false)] {
        let mut world = RigidWorld::new();
        world.gravity = DVec3::ZERO;
        let shape = Superellipsoid::new([1.0, 0.6, 0.2], [0.5, 0.5]).unwrap();
        let angular_velocity = 5.0 * axis + DVec3::splat(0.01);
        let body = RigidBody { angular_velocity, ..RigidBody::dynamic(shape, Pose::IDENTITY, 100.0) };
        let body = world.add(body).unwrap();
        let (spin, energy) = (world.angular_momentum(body).unwrap(), world.energy());
        let mut turned = false;
        for _ in 0..1200 {
            world.step(DT, &options()).unwrap();
            // In the body's frame the momentum turns over.
            let local = world.pose(body).unwrap().inverse_transform_vector(world.angular_momentum(body).unwrap());
            turned |= local.dot(axis) < -0.9 * spin.length();
        }
        assert_eq!(turned, flips, "about {axis}");
        assert!((world.angular_momentum(body).unwrap() - spin).length() < 1e-9 * spin.length());
        assert!((world.energy() / energy - 1.0).abs() < 1e-2, "{energy} to {}", world.energy());
    }
}

#[test]
fn a_ball_rolls_down_a_slope_as_it_must() {
    // Without slipping: g sin(θ) / (1 + 2/5).
    let slope = 0.3f64;
    let up = DVec3::new(slope.sin(), 0.0, slope.cos());
    let mut world = RigidWorld::new();
    let material = Material { friction: Friction { fixed: 1.0, sliding: 1.0 }, ..Material::default() };
    world.add(floor(up, material)).unwrap();
    let ball = Superellipsoid::new([0.2; 3], [1.0; 2]).unwrap();
    let ball = RigidBody { material, ..RigidBody::dynamic(ball, Pose::from_translation(up * 0.202), 1000.0) };
    let ball = world.add(ball).unwrap();
    run(&mut world, 2.0);
    let [velocity, turning] = world.velocities(ball).unwrap();
    let expected = 9.81 * slope.sin() / 1.4 * world.time;
    assert!((velocity.length() / expected - 1.0).abs() < 0.01, "{} for {expected}", velocity.length());
    assert!((turning.length() * 0.2 / velocity.length() - 1.0).abs() < 0.01);
    assert!(penetration(&world).unwrap().max < 1e-3);
}

#[test]
fn a_block_slides_beyond_the_angle_of_friction_only() {
    let friction = Friction { fixed: 0.4, sliding: 0.3 };
    let material = Material { friction, ..Material::default() };
    for (tangent, slides) in [(0.36, false), (0.44, true)] {
        let angle = f64::atan(tangent);
        let up = DVec3::new(angle.sin(), 0.0, angle.cos());
        let mut world = RigidWorld::new();
        world.add(floor(up, material)).unwrap();
        let block = Superellipsoid::new([0.5, 0.5, 0.2], [0.1, 0.1]).unwrap();
        let pose = Pose::new(DQuat::from_rotation_y(angle), up * 0.202).unwrap();
        let block = world.add(RigidBody { material, ..RigidBody::dynamic(block, pose, 500.0) }).unwrap();
        run(&mut world, 2.0);
        let speed = world.velocities(block).unwrap()[0].length();
        if slides {
            // It sticks a little at first; once it slides, its acceleration is the sliding coefficient's.
            run(&mut world, 1.0);
            let gained = world.velocities(block).unwrap()[0].length() - speed;
            let expected = 9.81 * (angle.sin() - friction.sliding * angle.cos());
            assert!((gained / expected - 1.0).abs() < 0.03, "{gained} for {expected} from {speed}");
        } else {
            assert!(speed < 1e-3, "{speed}");
            let place = world.centre(block).unwrap();
            run(&mut world, 1.0);
            assert!(world.centre(block).unwrap().distance(place) < 1e-3);
        }
    }
}

#[test]
fn a_tower_stands_without_a_tremor() {
    let mut scene = built_in("tower", Some(20)).unwrap().unwrap();
    let start = scene.world.centre(RigidId(20)).unwrap();
    let mut fastest = 0.0f64;
    for index in 0..240 {
        let report = scene.advance(&options()).unwrap();
        if index > 60 {
            fastest = fastest.max(report.max_speed);
        }
        let depth = penetration(&scene.world).unwrap().max;
        assert!(depth < 1e-3, "{depth} m in step {index}");
    }
    assert!(fastest < 0.03, "{fastest}");
    assert!(scene.world.is_asleep(RigidId(20)).unwrap());
    assert!(scene.world.centre(RigidId(20)).unwrap().distance(start) < 0.02);
}

#[test]
fn a_superegg_stands_on_its_end_until_it_is_pushed_enough() {
    let mut scene = built_in("egg", None).unwrap().unwrap();
    let mut lowest = [1.0f64; 2];
    for _ in 0..scene.step_count() {
        scene.advance(&options()).unwrap();
        assert!(penetration(&scene.world).unwrap().max < 1e-3);
        for (body, lowest) in lowest.iter_mut().enumerate() {
            let axis = scene.world.pose(RigidId(body + 1)).unwrap().transform_vector(DVec3::Z);
            *lowest = lowest.min(axis.z.abs());
        }
    }
    assert!(lowest[0] > 0.995, "the one that was nudged leaned by {}", lowest[0].acos());
    assert!(lowest[1] < 0.1, "the one that was pushed leaned by {}", lowest[1].acos());
}

#[test]
fn momentum_passes_through_a_row() {
    let mut scene = built_in("billiard", None).unwrap().unwrap();
    for _ in 0..scene.step_count() {
        scene.advance(&options()).unwrap();
        assert!(penetration(&scene.world).unwrap().max < 1e-3);
    }
    let speeds: Vec<DVec3> = (0..6).map(|i| scene.world.velocities(RigidId(i)).unwrap()[0]).collect();
    assert!((speeds[4] - DVec3::X * 2.0).length() < 1e-6, "{speeds:?}");
    for other in [0, 1, 2, 3, 5] {
        assert!(speeds[other].length() < 1e-6, "{speeds:?}");
    }
}

#[test]
fn a_bouncing_ball_rises_to_the_square_of_its_restitution() {
    let mut world = RigidWorld::new();
    let material = Material { restitution: 0.8, ..Material::default() };
    world.add(floor(DVec3::Z, material)).unwrap();
    let ball = Superellipsoid::new([0.1; 3], [1.0; 2]).unwrap();
    let pose = Pose::from_translation(DVec3::Z * 1.102);
    let ball = world.add(RigidBody { material, ..RigidBody::dynamic(ball, pose, 1000.0) }).unwrap();
    let (mut bounced, mut highest) = (false, 0.0f64);
    for _ in 0..55 {
        world.step(DT, &options()).unwrap();
        bounced |= world.velocities(ball).unwrap()[0].z > 0.0;
        if bounced {
            highest = highest.max(world.centre(ball).unwrap().z - 0.102);
        }
    }
    // The impact falls somewhere within a substep of 2 ms at 4.4 m/s.
    assert!((highest - 0.64).abs() < 0.02, "{highest}");
}

#[test]
fn a_fast_ball_does_not_pass_a_thin_plate() {
    for speed in [10.0, 100.0, 400.0] {
        let mut world = RigidWorld::new();
        world.gravity = DVec3::ZERO;
        let plate = Superellipsoid::new([1.0, 1.0, 0.01], [0.3, 0.3]).unwrap();
        world.add(RigidBody::fixed(Shape::from(plate), Pose::IDENTITY)).unwrap();
        let ball = Superellipsoid::new([0.05; 3], [1.0; 2]).unwrap();
        let body = RigidBody::dynamic(ball, Pose::from_translation(DVec3::Z * 3.0), 1000.0);
        let ball = world.add(RigidBody { velocity: -DVec3::Z * speed, ..body }).unwrap();
        run(&mut world, 1.0);
        assert!(world.centre(ball).unwrap().z > 0.05, "{speed}: {}", world.centre(ball).unwrap());
    }
}

#[test]
fn a_kinematic_lift_carries() {
    let mut world = RigidWorld::new();
    let lift = Superellipsoid::new([1.0, 1.0, 0.1], [0.1, 0.1]).unwrap();
    let lift = RigidBody { motion: RigidMotion::Kinematic, ..RigidBody::fixed(Shape::from(lift), Pose::IDENTITY) };
    let lift = world.add(lift).unwrap();
    let block = Superellipsoid::new([0.3; 3], [0.2; 2]).unwrap();
    let block = world.add(RigidBody::dynamic(block, Pose::from_translation(DVec3::Z * 0.402), 500.0)).unwrap();
    run(&mut world, 2.0);
    world.set_velocities(lift, DVec3::Z, DVec3::ZERO).unwrap();
    run(&mut world, 1.0);
    assert!(!world.is_asleep(block).unwrap());
    let risen = world.centre(block).unwrap().z - 0.402;
    assert!((risen - 1.0).abs() < 0.01, "{risen}");
}

#[test]
fn scenes_are_the_same_on_one_thread_and_on_two() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    // Bodies enough for both threads to have pairs to ask; joints; cloth.
    for (name, count, steps) in [("bowl", 150, 120), ("ragdoll", 3, 90), ("hammock", 3, 40)] {
        let [mut one, mut two] = [0; 2].map(|_| built_in(name, Some(count)).unwrap().unwrap());
        for _ in 0..steps {
            one.advance(&options()).unwrap();
            pool.install(|| two.advance(&StepOptions { threads: Threads::All, ..options() })).unwrap();
        }
        for body in (0..one.world.len()).map(RigidId) {
            assert_eq!(one.world.pose(body).unwrap(), two.world.pose(body).unwrap(), "{name}");
            assert_eq!(one.world.velocities(body).unwrap(), two.world.velocities(body).unwrap(), "{name}");
        }
        let cloth = |scene: &RigidScene| scene.cloth.as_ref().map(|cloth| cloth.cloth().particles().position.clone());
        assert_eq!(cloth(&one), cloth(&two), "{name}");
    }
}

#[test]
fn bad_bodies_and_steps_are_refused() {
    let mut world = RigidWorld::new();
    let egg = Superellipsoid::new([1.0; 3], [1.0; 2]).unwrap();
    let refused = |result: Result<RigidId, SimError>| result.unwrap_err().to_string();
    for density in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let text = refused(world.add(RigidBody::dynamic(egg, Pose::IDENTITY, density)));
        assert!(text.contains("density"), "{text}");
    }
    let body = RigidBody { velocity: DVec3::NAN, ..RigidBody::dynamic(egg, Pose::IDENTITY, 1.0) };
    assert!(refused(world.add(body)).contains("velocity"));
    let material = Material { restitution: 1.5, ..Material::default() };
    assert!(refused(world.add(floor(DVec3::Z, material))).contains("restitution"));
    let plane: Shape = Plane::new(DVec3::Z, 0.0).unwrap().into();
    assert!(refused(world.add(RigidBody::dynamic(plane, Pose::IDENTITY, 1.0))).contains("plane"));
    assert!(world.step(f64::NAN, &options()).unwrap_err().to_string().contains("dt"));
    assert!(world.pose(RigidId(7)).unwrap_err().to_string().contains("rigid body 7"));
}
