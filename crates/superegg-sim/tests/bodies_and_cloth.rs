//! Rigid bodies with cloth, joints under load, compounds, meshes that move and bodies that are fast.

use superegg::Threads;
use superegg::shape::{Plane, Superellipsoid};
use superegg::{DQuat, DVec3, Pose};
use superegg_mesh::TriangleMesh;
use superegg_scene::{Scene, built_in};
use superegg_sim::{Body, BodyId, Cloth, Fabric, Material, Motion, StepOptions, Wind, World, measure};
use superegg_world::collision_mesh::CollisionMesh;
use superegg_world::compound::{Compound, Part};

const DT: f64 = 1.0 / 60.0;

fn options() -> StepOptions<'static> {
    StepOptions { substeps: 8, threads: Threads::One, ..StepOptions::default() }
}

fn run(world: &mut World, seconds: f64) {
    for _ in 0..(seconds / DT).round() as usize {
        world.step(DT, &options()).unwrap();
    }
}

fn floor() -> Body {
    Body::fixed(Plane::new(DVec3::Z, 0.0).unwrap(), Pose::IDENTITY)
}

fn scene(name: &str) -> Scene {
    built_in::scene(name, None).unwrap().unwrap()
}

/// The body in a slot: without removals those are numbered as they were added.
fn nth(world: &World, index: usize) -> BodyId {
    world.bodies().nth(index).unwrap()
}

#[test]
fn a_ball_and_a_free_cloth_share_their_momentum() {
    let mut world = World::new();
    world.gravity = DVec3::ZERO;
    let ball = Superellipsoid::new([0.2; 3], [1.0; 2]).unwrap();
    let body = Body::dynamic(ball, Pose::from_translation(DVec3::new(0.05, 0.02, 0.3)), 20.0);
    let angular_velocity = DVec3::new(3.0, 0.0, 1.0);
    let ball = world.add_body(Body { velocity: DVec3::Z * -2.0, angular_velocity, ..body }).unwrap();
    let fabric = Fabric { density: 0.5, damping: 0.0, internal_damping: 0.0, ..Fabric::default() };
    world.add_cloth(&Cloth::grid([21, 21], [1.0, 1.0], DVec3::new(-0.5, -0.5, 0.0)).unwrap(), &fabric).unwrap();
    let momentum = |world: &World| {
        let (particles, body) = (world.particles(), world.body(ball).unwrap());
        let own = body.velocity() * body.mass();
        let spin = body.angular_momentum() + body.center().cross(own);
        (0..particles.len()).fold((own, spin), |(linear, angular), p| {
            let impulse = particles.velocity[p] / particles.inverse_mass[p];
            (linear + impulse, angular + particles.position[p].cross(impulse))
        })
    };
    let (linear, angular) = momentum(&world);
    for _ in 0..60 {
        world.step(DT, &options()).unwrap();
    }
    let slowed = -world.body(ball).unwrap().velocity().z;
    assert!(slowed > 0.1 && slowed < 1.8, "the ball goes on at {slowed} m/s");
    let (linear_now, angular_now) = momentum(&world);
    assert!((linear_now - linear).length() < 1e-9 * linear.length(), "{linear} to {linear_now}");
    // Constraints of the cloth act at both ends of an edge, but its places are not those of the impulses to the last digit.
    assert!((angular_now - angular).length() < 0.02 * linear.length() * 0.5, "{angular} to {angular_now}");
}

/// The same with a crate of triangles, which cloth meets by its features: a dynamic mesh feels the cloth, too.
#[test]
fn a_mesh_and_a_free_cloth_share_their_momentum() {
    let mut world = World::new();
    world.gravity = DVec3::ZERO;
    let pose = Pose::new(DQuat::from_rotation_x(0.4), DVec3::new(0.03, 0.02, 0.35)).unwrap();
    let body = Body::dynamic(box_mesh(DVec3::splat(0.15)), pose, 30.0);
    let solid = world.add_body(Body { velocity: DVec3::Z * -1.0, ..body }).unwrap();
    let fabric = Fabric { density: 0.5, damping: 0.0, internal_damping: 0.0, ..Fabric::default() };
    let grid = Cloth::grid([15, 15], [1.0, 1.0], DVec3::new(-0.5, -0.5, 0.0)).unwrap();
    let cloth = world.add_cloth(&grid, &fabric).unwrap();
    let own = |world: &World| world.body(solid).unwrap().velocity() * world.body(solid).unwrap().mass();
    let momentum = |world: &World| {
        let masses = world.particles().inverse_mass.iter().filter(|weight| **weight > 0.0).map(|weight| 1.0 / weight);
        own(world) + world.cloth_velocities(cloth).unwrap().iter().zip(masses).map(|(v, m)| *v * m).sum::<DVec3>()
    };
    let before = own(&world);
    for index in 0..45 {
        world.step(DT, &options()).unwrap();
        assert_eq!(measure::mesh_intersections(&world).unwrap(), 0, "step {index}");
    }
    let slowed = -world.body(solid).unwrap().velocity().z;
    assert!(slowed > 0.05 && slowed < 0.9, "the crate goes on at {slowed} m/s");
    // What was put back loses its part of a push, and the crate does not hear of it.
    let lost = momentum(&world) - before;
    assert!(lost.length() < 0.05 * before.length(), "{lost} of {before}");
}

#[test]
fn a_hammock_catches_what_falls_into_it() {
    let mut scene = scene("hammock");
    for _ in 0..240 {
        scene.advance(&options()).unwrap();
    }
    let world = &scene.world;
    assert!(measure::cloth_penetration(world).unwrap().max < 2e-3);
    assert!(measure::body_penetration(world).unwrap().max < 1e-3);
    let sheet = world.cloth_positions(scene.cloths[0]).unwrap();
    let lowest = sheet.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    assert!(lowest > 0.2, "{lowest}");
    for &body in &scene.bodies[1..] {
        let place = world.body(body).unwrap().center();
        assert!(place.z > lowest && place.truncate().length() < 1.5, "{place}");
    }
}

#[test]
fn islands_sleep_for_themselves() {
    // One cloth lies on the floor, another swings, a slab lies apart from both, and a paddle turns.
    let mut world = World::new();
    world.add_body(floor()).unwrap();
    let fabric = Fabric { damping: 5.0, ..Fabric::default() };
    let lying = Cloth::grid([9, 9], [1.0, 1.0], DVec3::new(-0.5, -0.5, 0.02)).unwrap();
    let lying = world.add_cloth(&lying, &fabric).unwrap();
    let swinging = Cloth::grid([7, 7], [0.5, 0.5], DVec3::new(3.0, 0.0, 2.0)).unwrap();
    let swinging = world.add_cloth(&swinging, &Fabric { damping: 0.0, ..Fabric::default() }).unwrap();
    let pin = world.pin(swinging, 0).unwrap();
    let shape = Superellipsoid::new([0.2, 0.2, 0.1], [0.3; 2]).unwrap();
    let slab = world.add_body(Body::dynamic(shape, Pose::from_translation(DVec3::new(0.0, 3.0, 0.11)), 500.0)).unwrap();
    let paddle = Pose::from_translation(DVec3::new(-3.0, 0.0, 1.0));
    world.add_body(Body::kinematic(shape, paddle, DVec3::ZERO, DVec3::Z)).unwrap();
    let steps = (0..600).position(|_| {
        world.step(DT, &options()).unwrap();
        world.sleeps(lying).unwrap()
    });
    assert!(steps.is_some(), "it sleeps within 10 s");
    assert!(!world.sleeps(swinging).unwrap() && world.body(slab).unwrap().is_asleep());
    let sheet = world.cloth_positions(lying).unwrap().to_vec();
    let before = world.cloth_positions(swinging).unwrap().to_vec();
    // What happens elsewhere does not wake it: a hand that moves, a body that is pushed.
    let target = before[0] + DVec3::Z * 0.1;
    world.move_pin(pin, target).unwrap();
    world.push(slab, DVec3::new(0.0, 3.0, 0.1), DVec3::Z * 5.0).unwrap();
    for _ in 0..60 {
        world.step(DT, &options()).unwrap();
        assert!(world.sleeps(lying).unwrap());
    }
    assert_eq!(world.cloth_positions(lying).unwrap(), sheet);
    let moved = world.cloth_positions(swinging).unwrap().iter().zip(&before).map(|(p, q)| p.distance(*q));
    assert!(moved.fold(0.0, f64::max) > 0.05, "the other one swings on");
    // What falls on it does, before it is there; and both sleep together again, at the weights they had.
    let ball = Superellipsoid::new([0.1; 3], [1.0; 2]).unwrap();
    let ball = Body::dynamic(ball, Pose::from_translation(DVec3::new(0.1, 0.1, 0.5)), 300.0);
    let ball =
        world.add_body(ball.with_material(Material { rolling: 0.02, spinning: 0.02, ..Material::default() })).unwrap();
    let weights = world.particles().inverse_mass.clone();
    assert!(weights[..81].iter().all(|weight| *weight > 0.0), "what is awake has its weight");
    let mut woken = false;
    for _ in 0..900 {
        world.step(DT, &options()).unwrap();
        woken |= !world.sleeps(lying).unwrap();
        if woken && world.sleeps(lying).unwrap() {
            break;
        }
    }
    assert!(woken && world.sleeps(lying).unwrap() && world.body(ball).unwrap().is_asleep());
    world.wind = Some(Wind { velocity: DVec3::X, ..Wind::default() });
    world.step(DT, &options()).unwrap();
    assert!(!world.sleeps(lying).unwrap() && world.particles().inverse_mass == weights, "wind wakes everything");
}

#[test]
fn bodies_and_cloth_sleep_and_wake_up_together() {
    let mut world = World::new();
    let shape = Superellipsoid::new([0.2, 0.2, 0.1], [0.3; 2]).unwrap();
    let slab = world.add_body(Body::dynamic(shape, Pose::from_translation(DVec3::Z * 0.12), 40.0)).unwrap();
    let fabric = Fabric { damping: 5.0, ..Fabric::default() };
    let grid = Cloth::grid([9, 9], [1.0, 1.0], DVec3::new(-0.5, -0.5, 0.0)).unwrap();
    let cloth = world.add_cloth(&grid, &fabric).unwrap();
    let pins: Vec<_> = [0, 8, 72, 80].into_iter().map(|corner| world.pin(cloth, corner).unwrap()).collect();
    let until_asleep = |world: &mut World| {
        let steps = (0..1200).position(|_| {
            world.step(DT, &options()).unwrap();
            world.body(slab).unwrap().is_asleep()
        });
        steps.expect("it sleeps within 20 s") as f64 * DT
    };
    until_asleep(&mut world);
    let (place, sheet) = (world.body(slab).unwrap().center(), world.particles().position.clone());
    let time = world.time;
    for _ in 0..60 {
        assert_eq!(world.step(DT, &options()).unwrap().awake, 0);
    }
    assert!((world.time - time - 1.0).abs() < 1e-9);
    assert_eq!((world.body(slab).unwrap().center(), &world.particles().position), (place, &sheet));
    // A push wakes both.
    world.push(slab, place, DVec3::Z * 2.0 * world.body(slab).unwrap().mass()).unwrap();
    for _ in 0..10 {
        assert_eq!(world.step(DT, &options()).unwrap().awake, 1);
    }
    assert!(world.body(slab).unwrap().center().z > place.z + 0.1);
    assert!(world.particles().position[40].z > sheet[40].z + 0.01, "the cloth springs back");
    until_asleep(&mut world);
    // And so does whoever touches the cloth.
    world.unpin(pins[0]).unwrap();
    for _ in 0..20 {
        assert_eq!(world.step(DT, &options()).unwrap().awake, 1);
    }
    assert!(world.particles().position[0].z < sheet[0].z - 0.1, "the corner falls");
}

#[test]
fn a_ragdoll_keeps_together_and_within_its_limits() {
    let mut scene = scene("ragdoll");
    for index in 0..300 {
        scene.advance(&options()).unwrap();
        for &joint in &scene.joints {
            let gap = scene.world.joint_gap(joint).unwrap();
            assert!(gap < 1e-3, "{joint:?} is {gap} apart at step {index}");
        }
        // Knees bend one way only.
        for knee in [scene.joints[5], scene.joints[9]] {
            let angle = scene.world.joint_states(knee).unwrap()[0].position;
            assert!((-0.1..2.4).contains(&angle), "{angle} at step {index}");
        }
        assert!(penetration_but_of_joints(&scene) < 5e-3);
    }
    let pelvis = scene.world.body(scene.bodies[4]).unwrap().center();
    assert!(pelvis.z < 1.6 && pelvis.z > 0.05, "{pelvis}");
}

/// The depth of the figure in floor and steps; jointed limbs overlap each other by design.
fn penetration_but_of_joints(scene: &Scene) -> f64 {
    let mut worst = 0.0f64;
    for around in &scene.bodies[..4] {
        for limb in &scene.bodies[4..] {
            let [a, b] = [around, limb].map(|body| {
                let body = scene.world.body(*body).unwrap();
                (&scene.world.collider(body.colliders().next().unwrap()).unwrap().geometry, body.pose())
            });
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
    let mut worlds = [World::new(), World::new()];
    let spin = DVec3::new(1.0, 2.0, 3.0);
    let plain = Body::dynamic(egg, outer.compose(&inner), 500.0);
    let compound = Body::fixed(single, outer).with_density(500.0);
    for (world, body) in worlds.iter_mut().zip([plain, compound]) {
        world.add_body(floor()).unwrap();
        world.add_body(Body { angular_velocity: spin, ..body }).unwrap();
        run(world, 0.5);
    }
    let [plain, compound] = [&worlds[0], &worlds[1]];
    let difference = plain.body(nth(plain, 1)).unwrap().center() - compound.body(nth(compound, 1)).unwrap().center();
    assert!(difference.length() < 1e-6, "{difference}");
    let ends = compound.body(nth(compound, 1)).unwrap().pose().compose(&inner);
    assert!((ends.translation - plain.body(nth(plain, 1)).unwrap().pose().translation).length() < 1e-6);

    // A dumbbell rests on both balls, and another lies across it.
    let mut world = World::new();
    world.add_body(floor()).unwrap();
    let material = Material { rolling: 0.01, spinning: 0.01, ..Material::default() };
    for (turn, height) in [(0.0, 0.5), (std::f64::consts::FRAC_PI_2, 1.2)] {
        let pose = Pose::new(DQuat::from_rotation_z(turn) * DQuat::from_rotation_y(0.3), DVec3::Z * height).unwrap();
        world.add_body(Body::fixed(dumbbell(), pose).with_density(500.0).with_material(material)).unwrap();
    }
    for _ in 0..480 {
        world.step(DT, &options()).unwrap();
        assert!(measure::body_penetration(&world).unwrap().max < 2e-3);
    }
    assert!((world.body(nth(&world, 1)).unwrap().center().z - 0.2).abs() < 0.003);
    assert!(world.body(nth(&world, 1)).unwrap().is_asleep() && world.body(nth(&world, 2)).unwrap().is_asleep());
}

/// A box as a closed mesh.
fn box_mesh(half: DVec3) -> CollisionMesh {
    let corner = |i: u32| half * DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) * 2.0 - half;
    let faces: [[u32; 4]; 6] = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    CollisionMesh::new(TriangleMesh::new((0..8).map(corner).collect(), triangles).unwrap()).unwrap()
}

#[test]
fn meshes_carry_and_are_carried() {
    let mut world = World::new();
    // A lift of triangles that rises and turns.
    let lift = Body::fixed(box_mesh(DVec3::new(1.0, 1.0, 0.1)), Pose::IDENTITY);
    let lift = world.add_body(Body { motion: Motion::Kinematic, ..lift }).unwrap();
    let block = Superellipsoid::new([0.3; 3], [0.2; 2]).unwrap();
    let pose = Pose::from_translation(DVec3::new(0.3, 0.0, 0.402));
    let block = world.add_body(Body::dynamic(block, pose, 500.0)).unwrap();
    world.set_velocities(lift, DVec3::Z * 0.5, DVec3::Z * 0.5).unwrap();
    run(&mut world, 2.0);
    let place = world.body(block).unwrap().center();
    assert!((place.z - 1.402).abs() < 0.005, "{place}");
    let turned = f64::atan2(place.y, place.x);
    assert!((turned - 1.0).abs() < 0.05 && place.truncate().length() < 0.33, "turned by {turned} to {place}");

    // A solid of triangles falls, stays on the floor, and holds an egg.
    let mut world = World::new();
    world.add_body(floor()).unwrap();
    let pose = Pose::new(DQuat::from_rotation_x(0.3), DVec3::Z * 0.8).unwrap();
    let solid = world.add_body(Body::fixed(box_mesh(DVec3::splat(0.3)), pose).with_density(500.0)).unwrap();
    assert!((world.body(solid).unwrap().mass() - 500.0 * 0.216).abs() < 1e-9);
    run(&mut world, 2.0);
    assert!((world.body(solid).unwrap().center().z - 0.302).abs() < 0.002, "{}", world.body(solid).unwrap().center());
    let place = world.body(solid).unwrap().center() + DVec3::Z * 0.6;
    let egg = Superellipsoid::new([0.2, 0.2, 0.15], [0.3, 0.3]).unwrap();
    let egg = world.add_body(Body::dynamic(egg, Pose::from_translation(place), 500.0)).unwrap();
    run(&mut world, 2.0);
    assert!((world.body(egg).unwrap().center().z - 0.754).abs() < 0.004, "{}", world.body(egg).unwrap().center());
    assert!(world.add_body(Body { motion: Motion::Fixed, ..floor() }.with_density(1.0)).is_err());
}

#[test]
fn thin_fast_bodies_and_spinning_rods_do_not_pass() {
    let plate = Superellipsoid::new([1.0, 1.0, 0.005], [0.3, 0.3]).unwrap();
    for speed in [20.0, 300.0] {
        // A thin disc, edge on and flat, against a plate of a centimetre.
        for turn in [0.0, std::f64::consts::FRAC_PI_2] {
            let mut world = World::new();
            world.gravity = DVec3::ZERO;
            world.add_body(Body::fixed(plate, Pose::IDENTITY)).unwrap();
            let disc = Superellipsoid::new([0.2, 0.2, 0.004], [1.0, 0.3]).unwrap();
            let pose = Pose::new(DQuat::from_rotation_x(turn), DVec3::Z * 2.0).unwrap();
            let velocity = DVec3::Z * -speed;
            let disc = world.add_body(Body { velocity, ..Body::dynamic(disc, pose, 1000.0) }).unwrap();
            for _ in 0..60 {
                world.step(DT, &options()).unwrap();
                assert!(measure::body_penetration(&world).unwrap().max < 2e-3);
                assert!(world.body(disc).unwrap().center().z > 0.0, "{speed}: {}", world.body(disc).unwrap().center());
            }
        }
    }
    // A rod of two metres that spins about its middle, its ends at 60 m/s and more, meets a thin post.
    for spin in [60.0, 200.0] {
        let mut world = World::new();
        world.gravity = DVec3::ZERO;
        let post = Superellipsoid::new([0.02, 0.02, 1.0], [1.0, 0.3]).unwrap();

        world.add_body(Body::fixed(post, Pose::from_translation(DVec3::new(0.0, 0.8, 0.0)))).unwrap();
        let rod = Superellipsoid::new([1.0, 0.02, 0.02], [0.5, 0.5]).unwrap();
        let body = Body::dynamic(rod, Pose::IDENTITY, 1000.0);
        let rod = world.add_body(Body { angular_velocity: DVec3::Z * spin, ..body }).unwrap();
        for _ in 0..60 {
            world.step(DT, &options()).unwrap();
            assert!(measure::body_penetration(&world).unwrap().max < 2e-3, "{spin}");
            // It may fly off, but has not swept across the post, which stays on the side that the rod turns towards.
            let (along, middle) =
                (world.body(rod).unwrap().pose().transform_vector(DVec3::X), world.body(rod).unwrap().center());
            let side = along.cross(DVec3::Y * 0.8 - middle).z;
            assert!(middle.length() > 0.3 || side > 0.0, "{side} about {middle}");
        }
    }
}
