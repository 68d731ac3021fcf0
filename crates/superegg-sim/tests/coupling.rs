//! Rigid bodies with cloth, joints under load, compounds, meshes that move and bodies that are fast.

use superegg::query::batch::Threads;
use superegg::shape::{Plane, Shape, Superellipsoid};
use superegg::{DQuat, DVec3, Pose};
use superegg_mesh::TriangleMesh;
use superegg_sim::rigid::scene::{RigidScene, built_in};
use superegg_sim::rigid::{Coupling, JointId, Material, RigidBody, RigidId, RigidMotion, RigidWorld, penetration};
use superegg_sim::{Cloth, ClothId, Fabric, StepOptions, World, measure};
use superegg_world::compound::{Compound, Part};
use superegg_world::obstacle::Obstacle;

const DT: f64 = 1.0 / 60.0;

fn options() -> StepOptions<'static> {
    StepOptions { substeps: 8, threads: Threads::One, clock: None }
}

fn run(world: &mut RigidWorld, seconds: f64) {
    for _ in 0..(seconds / DT).round() as usize {
        world.step(DT, &options()).unwrap();
    }
}

fn floor() -> RigidBody {
    let plane: Shape = Plane::new(DVec3::Z, 0.0).unwrap().into();
    RigidBody::fixed(plane, Pose::IDENTITY)
}

fn scene(name: &str) -> RigidScene {
    built_in(name, None).unwrap().unwrap()
}

#[test]
fn a_ball_and_a_free_cloth_share_their_momentum() {
    let mut bodies = RigidWorld::new();
    bodies.gravity = DVec3::ZERO;
    let ball = Superellipsoid::new([0.2; 3], [1.0; 2]).unwrap();
    let body = RigidBody::dynamic(ball, Pose::from_translation(DVec3::new(0.05, 0.02, 0.3)), 20.0);
    let angular_velocity = DVec3::new(3.0, 0.0, 1.0);
    let ball = bodies.add(RigidBody { velocity: DVec3::Z * -2.0, angular_velocity, ..body }).unwrap();
    let mut cloth = World::new();
    cloth.gravity = DVec3::ZERO;
    let fabric = Fabric { density: 0.5, damping: 0.0, internal_damping: 0.0, ..Fabric::default() };
    cloth.add_cloth(&Cloth::grid([21, 21], [1.0, 1.0], DVec3::new(-0.5, -0.5, 0.0)), &fabric).unwrap();
    let mut coupling = Coupling::new(&mut bodies, cloth).unwrap();
    let momentum = |bodies: &RigidWorld, coupling: &Coupling| {
        let particles = coupling.cloth().particles();
        let mass = bodies.mass(ball).unwrap();
        let own = bodies.velocities(ball).unwrap()[0] * mass;
        let spin = bodies.angular_momentum(ball).unwrap() + bodies.centre(ball).unwrap().cross(own);
        (0..particles.len()).fold((own, spin), |(linear, angular), p| {
            let impulse = particles.velocity[p] / particles.inverse_mass[p];
            (linear + impulse, angular + particles.position[p].cross(impulse))
        })
    };
    let (linear, angular) = momentum(&bodies, &coupling);
    for _ in 0..60 {
        coupling.step(&mut bodies, DT, &options()).unwrap();
    }
    let slowed = -bodies.velocities(ball).unwrap()[0].z;
    assert!(slowed > 0.1 && slowed < 1.8, "the ball goes on at {slowed} m/s");
    let (linear_now, angular_now) = momentum(&bodies, &coupling);
    assert!((linear_now - linear).length() < 1e-9 * linear.length(), "{linear} to {linear_now}");
    // Constraints of the cloth act at both ends of an edge, but its places are not those of the impulses to the last digit.
    assert!((angular_now - angular).length() < 0.02 * linear.length() * 0.5, "{angular} to {angular_now}");
}

#[test]
fn a_hammock_catches_what_falls_into_it() {
    let mut scene = scene("hammock");
    for _ in 0..240 {
        scene.advance(&options()).unwrap();
    }
    let cloth = scene.cloth.as_ref().unwrap().cloth();
    assert!(measure::penetration(cloth).unwrap().max < 2e-3);
    assert!(penetration(&scene.world).unwrap().max < 1e-3);
    let lowest = cloth.cloth_positions(ClothId(0)).iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    assert!(lowest > 0.2, "{lowest}");
    for body in (1..scene.world.len()).map(RigidId) {
        let place = scene.world.centre(body).unwrap();
        assert!(place.z > lowest && place.truncate().length() < 1.5, "{place}");
    }
}

#[test]
fn bodies_and_cloth_sleep_and_wake_up_together() {
    let mut bodies = RigidWorld::new();
    let shape = Superellipsoid::new([0.2, 0.2, 0.1], [0.3; 2]).unwrap();
    let place = Pose::from_translation(DVec3::Z * 0.12);
    let slab = bodies.add(RigidBody::dynamic(shape, place, 40.0)).unwrap();
    let mut cloth = World::new();
    let fabric = Fabric { damping: 5.0, ..Fabric::default() };
    cloth.add_cloth(&Cloth::grid([9, 9], [1.0, 1.0], DVec3::new(-0.5, -0.5, 0.0)), &fabric).unwrap();
    for corner in [0, 8, 72, 80] {
        cloth.grab(corner).unwrap();
    }
    let mut coupling = Coupling::new(&mut bodies, cloth).unwrap();
    let until_asleep = |bodies: &mut RigidWorld, coupling: &mut Coupling| {
        let steps = (0..1200).position(|_| {
            coupling.step(bodies, DT, &options()).unwrap();
            bodies.is_asleep(slab).unwrap()
        });
        steps.expect("it sleeps within 20 s") as f64 * DT
    };
    until_asleep(&mut bodies, &mut coupling);
    let (place, sheet) = (bodies.centre(slab).unwrap(), coupling.cloth().particles().position.clone());
    let time = bodies.time;
    for _ in 0..60 {
        assert_eq!(coupling.step(&mut bodies, DT, &options()).unwrap().awake, 0);
    }
    assert!((bodies.time - time - 1.0).abs() < 1e-9 && coupling.cloth().time == bodies.time);
    assert_eq!((bodies.centre(slab).unwrap(), &coupling.cloth().particles().position), (place, &sheet));
    // A push wakes both.
    bodies.push(slab, place, DVec3::Z * 2.0 * bodies.mass(slab).unwrap()).unwrap();
    for _ in 0..10 {
        assert_eq!(coupling.step(&mut bodies, DT, &options()).unwrap().awake, 1);
    }
    assert!(bodies.centre(slab).unwrap().z > place.z + 0.1);
    assert!(coupling.cloth().particles().position[40].z > sheet[40].z + 0.01, "the cloth springs back");
    until_asleep(&mut bodies, &mut coupling);
    // And so does whoever touches the cloth.
    coupling.cloth_mut().release(0);
    for _ in 0..20 {
        assert_eq!(coupling.step(&mut bodies, DT, &options()).unwrap().awake, 1);
    }
    assert!(coupling.cloth().particles().position[0].z < sheet[0].z - 0.1, "the corner falls");
}

#[test]
fn a_ragdoll_keeps_together_and_within_its_limits() {
    let mut scene = scene("ragdoll");
    for index in 0..300 {
        scene.advance(&options()).unwrap();
        for joint in (0..10).map(JointId) {
            let gap = scene.world.joint_gap(joint).unwrap();
            assert!(gap < 1e-3, "joint {} is {gap} apart at step {index}", joint.0);
        }
        // Knees bend one way only.
        for knee in [JointId(5), JointId(9)] {
            let angle = scene.world.joint_values(knee).unwrap()[0];
            assert!((-0.1..2.4).contains(&angle), "{angle} at step {index}");
        }
        assert!(penetration_but_of_joints(&scene) < 5e-3);
    }
    let pelvis = scene.world.centre(RigidId(4)).unwrap();
    assert!(pelvis.z < 1.6 && pelvis.z > 0.05, "{pelvis}");
}

/// The depth of the figure in floor and steps; jointed limbs overlap each other by design.
fn penetration_but_of_joints(scene: &RigidScene) -> f64 {
    let mut worst = 0.0f64;
    for around in (0..4).map(RigidId) {
        for limb in (4..scene.world.len()).map(RigidId) {
            let [a, b] =
                [around, limb].map(|body| (scene.world.geometry(body).unwrap(), scene.world.pose(body).unwrap()));
            let found = superegg_world::geometry::distance(a.0, &a.1, b.0, &b.1, &Default::default()).unwrap();
            worst = worst.max(-found.contact.outcome.distance);
        }
    }
    worst
}

/// Two balls on a bar.
fn dumbbell() -> Compound {
    let ball = Superellipsoid::new([0.2; 3], [1.0; 2]).unwrap();
    let bar = Superellipsoid::new([0.4, 0.05, 0.05], [0.5, 0.5]).unwrap();
    let part = |shape: Superellipsoid, x: f64| Part { shape: shape.into(), pose: Pose::from_translation(DVec3::X * x) };
    Compound::new(vec![part(ball, -0.4), part(bar, 0.0), part(ball, 0.4)]).unwrap()
}

#[test]
fn compounds_fall_as_they_must_and_rest_on_their_parts() {
    // Of one part, a compound is that part, wherever its frame is.
    let egg = Superellipsoid::new([0.2, 0.3, 0.4], [0.7, 0.9]).unwrap();
    let inner = Pose::new(DQuat::from_rotation_x(0.8), DVec3::new(0.3, -0.2, 0.1)).unwrap();
    let outer = Pose::new(DQuat::from_rotation_y(0.4), DVec3::Z).unwrap();
    let single = Compound::new(vec![Part { shape: egg.into(), pose: inner }]).unwrap();
    let mut worlds = [RigidWorld::new(), RigidWorld::new()];
    let spin = DVec3::new(1.0, 2.0, 3.0);
    let plain = RigidBody::dynamic(egg, outer.compose(&inner), 500.0);
    let compound = RigidBody::fixed(single, outer).with_density(500.0);
    for (world, body) in worlds.iter_mut().zip([plain, compound]) {
        world.add(floor()).unwrap();
        world.add(RigidBody { angular_velocity: spin, ..body }).unwrap();
        run(world, 0.5);
    }
    let [plain, compound] = [&worlds[0], &worlds[1]];
    let difference = plain.centre(RigidId(1)).unwrap() - compound.centre(RigidId(1)).unwrap();
    assert!(difference.length() < 1e-6, "{difference}");
    let ends = compound.pose(RigidId(1)).unwrap().compose(&inner);
    assert!((ends.translation - plain.pose(RigidId(1)).unwrap().translation).length() < 1e-6);

    // A dumbbell rests on both balls, and another lies across it.
    let mut world = RigidWorld::new();
    world.add(floor()).unwrap();
    let material = Material { rolling: 0.01, spinning: 0.01, ..Material::default() };
    for (turn, height) in [(0.0, 0.5), (std::f64::consts::FRAC_PI_2, 1.2)] {
        let pose = Pose::new(DQuat::from_rotation_z(turn) * DQuat::from_rotation_y(0.3), DVec3::Z * height).unwrap();
        world.add(RigidBody { material, ..RigidBody::fixed(dumbbell(), pose).with_density(500.0) }).unwrap();
    }
    for _ in 0..480 {
        world.step(DT, &options()).unwrap();
        assert!(penetration(&world).unwrap().max < 2e-3);
    }
    assert!((world.centre(RigidId(1)).unwrap().z - 0.2).abs() < 0.003);
    assert!(world.is_asleep(RigidId(1)).unwrap() && world.is_asleep(RigidId(2)).unwrap());
}

/// A box as a closed mesh.
fn box_mesh(half: DVec3) -> Obstacle {
    let corner = |i: u32| half * DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) * 2.0 - half;
    let faces: [[u32; 4]; 6] = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Obstacle::new(TriangleMesh::new((0..8).map(corner).collect(), triangles).unwrap()).unwrap()
}

#[test]
fn meshes_carry_and_are_carried() {
    let mut world = RigidWorld::new();
    // A lift of triangles that rises and turns.
    let lift = RigidBody::fixed(box_mesh(DVec3::new(1.0, 1.0, 0.1)), Pose::IDENTITY);
    let lift = world.add(RigidBody { motion: RigidMotion::Kinematic, ..lift }).unwrap();
    let block = Superellipsoid::new([0.3; 3], [0.2; 2]).unwrap();
    let pose = Pose::from_translation(DVec3::new(0.3, 0.0, 0.402));
    let block = world.add(RigidBody::dynamic(block, pose, 500.0)).unwrap();
    world.set_velocities(lift, DVec3::Z * 0.5, DVec3::Z * 0.5).unwrap();
    run(&mut world, 2.0);
    let place = world.centre(block).unwrap();
    assert!((place.z - 1.402).abs() < 0.005, "{place}");
    let turned = f64::atan2(place.y, place.x);
    assert!((turned - 1.0).abs() < 0.05 && place.truncate().length() < 0.33, "turned by {turned} to {place}");

    // A solid of triangles falls, stays on the floor, and holds an egg.
    let mut world = RigidWorld::new();
    world.add(floor()).unwrap();
    let pose = Pose::new(DQuat::from_rotation_x(0.3), DVec3::Z * 0.8).unwrap();
    let solid = world.add(RigidBody::fixed(box_mesh(DVec3::splat(0.3)), pose).with_density(500.0)).unwrap();
    assert!((world.mass(solid).unwrap() - 500.0 * 0.216).abs() < 1e-9);
    run(&mut world, 2.0);
    assert!((world.centre(solid).unwrap().z - 0.302).abs() < 0.002, "{}", world.centre(solid).unwrap());
    let place = world.centre(solid).unwrap() + DVec3::Z * 0.6;
    let egg = Superellipsoid::new([0.2, 0.2, 0.15], [0.3, 0.3]).unwrap();
    let egg = world.add(RigidBody::dynamic(egg, Pose::from_translation(place), 500.0)).unwrap();
    run(&mut world, 2.0);
    assert!((world.centre(egg).unwrap().z - 0.754).abs() < 0.004, "{}", world.centre(egg).unwrap());
    assert!(world.add(RigidBody { motion: RigidMotion::Fixed, ..floor() }.with_density(1.0)).is_err());
}

#[test]
fn thin_fast_bodies_and_spinning_rods_do_not_pass() {
    let plate = Superellipsoid::new([1.0, 1.0, 0.005], [0.3, 0.3]).unwrap();
    for speed in [20.0, 300.0] {
        // A thin disc, edge on and flat, against a plate of a centimetre.
        for turn in [0.0, std::f64::consts::FRAC_PI_2] {
            let mut world = RigidWorld::new();
            world.gravity = DVec3::ZERO;
            world.add(RigidBody::fixed(Shape::from(plate), Pose::IDENTITY)).unwrap();
            let disc = Superellipsoid::new([0.2, 0.2, 0.004], [1.0, 0.3]).unwrap();
            let pose = Pose::new(DQuat::from_rotation_x(turn), DVec3::Z * 2.0).unwrap();
            let velocity = DVec3::Z * -speed;
            let disc = world.add(RigidBody { velocity, ..RigidBody::dynamic(disc, pose, 1000.0) }).unwrap();
            for _ in 0..60 {
                world.step(DT, &options()).unwrap();
                assert!(penetration(&world).unwrap().max < 2e-3);
                assert!(world.centre(disc).unwrap().z > 0.0, "{speed}: {}", world.centre(disc).unwrap());
            }
        }
    }
    // A rod of two metres that spins about its middle, its ends at 60 m/s and more, meets a thin post.
    for spin in [60.0, 200.0] {
        let mut world = RigidWorld::new();
        world.gravity = DVec3::ZERO;
        let post = Superellipsoid::new([0.02, 0.02, 1.0], [1.0, 0.3]).unwrap();
        let post = Shape::from(post);
        world.add(RigidBody::fixed(post, Pose::from_translation(DVec3::new(0.0, 0.8, 0.0)))).unwrap();
        let rod = Superellipsoid::new([1.0, 0.02, 0.02], [0.5, 0.5]).unwrap();
        let body = RigidBody::dynamic(rod, Pose::IDENTITY, 1000.0);
        let rod = world.add(RigidBody { angular_velocity: DVec3::Z * spin, ..body }).unwrap();
        for _ in 0..60 {
            world.step(DT, &options()).unwrap();
            assert!(penetration(&world).unwrap().max < 2e-3, "{spin}");
            // It may fly off, but has not swept across the post, which stays on the side that the rod turns towards.
            let (along, middle) = (world.pose(rod).unwrap().transform_vector(DVec3::X), world.centre(rod).unwrap());
            let side = along.cross(DVec3::Y * 0.8 - middle).z;
            assert!(middle.length() > 0.3 || side > 0.0, "{side} about {middle}");
        }
    }
}
