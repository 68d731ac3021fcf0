//! Rigid bodies against what mechanics says of them.

use superegg::Threads;
use superegg::shape::{Hull, Plane, Primitive, Shape, Superellipsoid, Superovoid};
use superegg::{DQuat, DVec3, Pose};
use superegg_scene::{Scene, built_in};
use superegg_sim::{Body, BodyId, Friction, Joint, JointKind, Material, Motion, SimError, StepOptions, World, measure};

fn scene_of(name: &str, count: Option<usize>) -> Scene {
    built_in::scene(name, count).unwrap().unwrap()
}

const DT: f64 = 1.0 / 60.0;

fn options() -> StepOptions<'static> {
    StepOptions { substeps: 8, threads: Threads::One, ..StepOptions::default() }
}

fn floor(normal: DVec3, material: Material) -> Body {
    let plane: Shape = Plane::new(normal, 0.0).unwrap().into();
    Body::fixed(plane, Pose::IDENTITY).with_material(material)
}

fn run(world: &mut World, seconds: f64) {
    for _ in 0..(seconds / DT).round() as usize {
        world.step(DT, &options()).unwrap();
    }
}

#[test]
fn free_flight_keeps_momentum_and_energy() {
    let mut world = World::new();
    let shape = Superovoid::new([0.3, 0.5, 0.8], [0.7, 0.9], [0.2, -0.3]).unwrap();
    let pose = Pose::new(DQuat::from_xyzw(0.1, 0.5, -0.3, 0.8), DVec3::new(1.0, 2.0, 3.0)).unwrap();
    let (velocity, angular_velocity) = (DVec3::new(1.0, -2.0, 5.0), DVec3::new(2.0, -3.0, 1.0));
    let body = Body { velocity, angular_velocity, ..Body::dynamic(shape, pose, 700.0) };
    let body = world.add_body(body).unwrap();
    let (start, spin) = (world.body(body).unwrap().center(), world.body(body).unwrap().angular_momentum());
    run(&mut world, 10.0);
    let t = world.time;
    let fallen = start + velocity * t + 0.5 * world.gravity * t * t;
    // Velocity first, then place: the path is ahead of the parabola by half a substep of the speed gained.
    assert!((world.body(body).unwrap().center() - fallen).length() < 0.5 * 9.81 * t * DT / 8.0 * 1.01);
    assert!((world.body(body).unwrap().velocity() - velocity - world.gravity * t).length() < 1e-9);
    assert!((world.body(body).unwrap().angular_momentum() - spin).length() < 1e-9 * spin.length());
}

#[test]
fn the_intermediate_axis_flips_and_the_others_do_not() {
    for (axis, flips) in [(DVec3::X, false), (DVec3::Y, true), (DVec3::Z, false)] {
        let mut world = World::new();
        world.gravity = DVec3::ZERO;
        let shape = Superellipsoid::new([1.0, 0.6, 0.2], [0.5, 0.5]).unwrap();
        let angular_velocity = 5.0 * axis + DVec3::splat(0.01);
        let body = Body { angular_velocity, ..Body::dynamic(shape, Pose::IDENTITY, 100.0) };
        let body = world.add_body(body).unwrap();
        let (spin, energy) = (world.body(body).unwrap().angular_momentum(), world.energy());
        let mut turned = false;
        for _ in 0..1200 {
            world.step(DT, &options()).unwrap();
            // In the body's frame the momentum turns over.
            let local =
                world.body(body).unwrap().pose().inverse_transform_vector(world.body(body).unwrap().angular_momentum());
            turned |= local.dot(axis) < -0.9 * spin.length();
        }
        assert_eq!(turned, flips, "about {axis}");
        assert!((world.body(body).unwrap().angular_momentum() - spin).length() < 1e-9 * spin.length());
        assert!((world.energy() / energy - 1.0).abs() < 1e-2, "{energy} to {}", world.energy());
    }
}

#[test]
fn a_ball_rolls_down_a_slope_as_it_must() {
    // Without slipping: g sin(θ) / (1 + 2/5).
    let slope = 0.3f64;
    let up = DVec3::new(slope.sin(), 0.0, slope.cos());
    let mut world = World::new();
    let material = Material { friction: Friction { fixed: 1.0, sliding: 1.0 }, ..Material::default() };
    world.add_body(floor(up, material)).unwrap();
    let ball = Superellipsoid::new([0.2; 3], [1.0; 2]).unwrap();
    let ball = Body::dynamic(ball, Pose::from_translation(up * 0.202), 1000.0).with_material(material);
    let ball = world.add_body(ball).unwrap();
    run(&mut world, 2.0);
    let [velocity, turning] = world.body(ball).unwrap().velocities();
    let expected = 9.81 * slope.sin() / 1.4 * world.time;
    assert!((velocity.length() / expected - 1.0).abs() < 0.01, "{} for {expected}", velocity.length());
    assert!((turning.length() * 0.2 / velocity.length() - 1.0).abs() < 0.01);
    assert!(measure::body_penetration(&world).unwrap().max < 1e-3);
}

#[test]
fn a_block_slides_beyond_the_angle_of_friction_only() {
    let friction = Friction { fixed: 0.4, sliding: 0.3 };
    let material = Material { friction, ..Material::default() };
    for (tangent, slides) in [(0.36, false), (0.44, true)] {
        let angle = f64::atan(tangent);
        let up = DVec3::new(angle.sin(), 0.0, angle.cos());
        let mut world = World::new();
        world.add_body(floor(up, material)).unwrap();
        let block = Superellipsoid::new([0.5, 0.5, 0.2], [0.1, 0.1]).unwrap();
        let pose = Pose::new(DQuat::from_rotation_y(angle), up * 0.202).unwrap();
        let block = world.add_body(Body::dynamic(block, pose, 500.0).with_material(material)).unwrap();
        run(&mut world, 2.0);
        let speed = world.body(block).unwrap().velocity().length();
        if slides {
            // It sticks a little at first; once it slides, its acceleration is the sliding coefficient's.
            run(&mut world, 1.0);
            let gained = world.body(block).unwrap().velocity().length() - speed;
            let expected = 9.81 * (angle.sin() - friction.sliding * angle.cos());
            assert!((gained / expected - 1.0).abs() < 0.03, "{gained} for {expected} from {speed}");
        } else {
            assert!(speed < 1e-3, "{speed}");
            let place = world.body(block).unwrap().center();
            run(&mut world, 1.0);
            assert!(world.body(block).unwrap().center().distance(place) < 1e-3);
        }
    }
}

#[test]
fn a_tower_stands_still() {
    let mut scene = scene_of("tower", Some(20));
    // Nothing sleeps while it is measured: a tower that is asleep cannot tremble.
    scene.world.sleeping = false;
    let start = scene.world.body(scene.bodies[20]).unwrap().center();
    let mut fastest = 0.0f64;
    for index in 0..240 {
        let report = scene.advance(&options()).unwrap();
        if index > 60 {
            fastest = fastest.max(report.max_speed);
        }
        let depth = measure::body_penetration(&scene.world).unwrap().max;
        assert!(depth < 1e-3, "{depth} m in step {index}");
    }
    // Slower than what counts as still, all the time, so that it sleeps as soon as it may.
    assert!(fastest < 0.03, "{fastest}");
    assert!(scene.world.body(scene.bodies[20]).unwrap().center().distance(start) < 0.02);
    scene.world.sleeping = true;
    for _ in 0..60 {
        scene.advance(&options()).unwrap();
    }
    assert!(scene.world.body(scene.bodies[20]).unwrap().is_asleep());
}

#[test]
fn a_superegg_stands_on_its_end_until_it_is_pushed_enough() {
    let mut scene = scene_of("egg", None);
    let mut lowest = [1.0f64; 2];
    for _ in 0..scene.step_count() {
        scene.advance(&options()).unwrap();
        assert!(measure::body_penetration(&scene.world).unwrap().max < 1e-3);
        for (body, lowest) in lowest.iter_mut().enumerate() {
            let axis = scene.world.body(scene.bodies[body + 1]).unwrap().pose().transform_vector(DVec3::Z);
            *lowest = lowest.min(axis.z.abs());
        }
    }
    assert!(lowest[0] > 0.995, "the one that was nudged leaned by {}", lowest[0].acos());
    assert!(lowest[1] < 0.1, "the one that was pushed leaned by {}", lowest[1].acos());
}

#[test]
fn momentum_passes_through_a_row() {
    let mut scene = scene_of("billiard", None);
    for _ in 0..scene.step_count() {
        scene.advance(&options()).unwrap();
        assert!(measure::body_penetration(&scene.world).unwrap().max < 1e-3);
    }
    let speeds: Vec<DVec3> = (0..6).map(|i| scene.world.body(scene.bodies[i]).unwrap().velocity()).collect();
    assert!((speeds[4] - DVec3::X * 2.0).length() < 1e-6, "{speeds:?}");
    for other in [0, 1, 2, 3, 5] {
        assert!(speeds[other].length() < 1e-6, "{speeds:?}");
    }
}

#[test]
fn a_bouncing_ball_rises_to_the_square_of_its_restitution() {
    let mut world = World::new();
    let material = Material { restitution: 0.8, ..Material::default() };
    world.add_body(floor(DVec3::Z, material)).unwrap();
    let ball = Superellipsoid::new([0.1; 3], [1.0; 2]).unwrap();
    let pose = Pose::from_translation(DVec3::Z * 1.102);
    let ball = world.add_body(Body::dynamic(ball, pose, 1000.0).with_material(material)).unwrap();
    let (mut bounced, mut highest) = (false, 0.0f64);
    for _ in 0..55 {
        world.step(DT, &options()).unwrap();
        bounced |= world.body(ball).unwrap().velocity().z > 0.0;
        if bounced {
            highest = highest.max(world.body(ball).unwrap().center().z - 0.102);
        }
    }
    // The impact falls somewhere within a substep of 2 ms at 4.4 m/s.
    assert!((highest - 0.64).abs() < 0.02, "{highest}");
}

#[test]
fn a_fast_ball_does_not_pass_a_thin_plate() {
    for speed in [10.0, 100.0, 400.0] {
        let mut world = World::new();
        world.gravity = DVec3::ZERO;
        let plate = Superellipsoid::new([1.0, 1.0, 0.01], [0.3, 0.3]).unwrap();
        world.add_body(Body::fixed(plate, Pose::IDENTITY)).unwrap();
        let ball = Superellipsoid::new([0.05; 3], [1.0; 2]).unwrap();
        let body = Body::dynamic(ball, Pose::from_translation(DVec3::Z * 3.0), 1000.0);
        let ball = world.add_body(Body { velocity: -DVec3::Z * speed, ..body }).unwrap();
        run(&mut world, 1.0);
        assert!(world.body(ball).unwrap().center().z > 0.05, "{speed}: {}", world.body(ball).unwrap().center());
    }
}

#[test]
fn a_kinematic_lift_carries() {
    let mut world = World::new();
    let lift = Superellipsoid::new([1.0, 1.0, 0.1], [0.1, 0.1]).unwrap();
    let lift = Body { motion: Motion::Kinematic, ..Body::fixed(lift, Pose::IDENTITY) };
    let lift = world.add_body(lift).unwrap();
    let block = Superellipsoid::new([0.3; 3], [0.2; 2]).unwrap();
    let block = world.add_body(Body::dynamic(block, Pose::from_translation(DVec3::Z * 0.402), 500.0)).unwrap();
    run(&mut world, 2.0);
    world.set_velocities(lift, DVec3::Z, DVec3::ZERO).unwrap();
    run(&mut world, 1.0);
    assert!(!world.body(block).unwrap().is_asleep());
    let risen = world.body(block).unwrap().center().z - 0.402;
    assert!((risen - 1.0).abs() < 0.01, "{risen}");
}

#[test]
fn scenes_are_the_same_on_one_thread_and_on_two() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    // Bodies enough for both threads to have pairs to ask; joints; cloth.
    for (name, count, steps) in [("bowl", 150, 120), ("ragdoll", 3, 90), ("hammock", 3, 40)] {
        let [mut one, mut two] = [0; 2].map(|_| scene_of(name, Some(count)));
        for _ in 0..steps {
            one.advance(&options()).unwrap();
            pool.install(|| two.advance(&StepOptions { threads: Threads::All, ..options() })).unwrap();
        }
        for (&body, &same) in one.bodies.iter().zip(&two.bodies) {
            let (body, same) = (one.world.body(body).unwrap(), two.world.body(same).unwrap());
            assert_eq!(body.pose(), same.pose(), "{name}");
            assert_eq!(body.velocities(), same.velocities(), "{name}");
        }
        assert_eq!(one.world.particles(), two.world.particles(), "{name}");
    }
}

/// A heap wide enough to be cut into slabs, whose contacts several threads solve at a time; some of its bodies roll, some bounce,
/// some hang together, and a long one lies across several slabs.
fn heap() -> World {
    let mut world = World::new();
    let rolling = Material { rolling: 0.01, spinning: 0.01, ..Material::default() };
    world.add_body(floor(DVec3::Z, rolling)).unwrap();
    let mut random = fastrand::Rng::with_seed(4);
    let mut last = None;
    for index in 0..960 {
        let (column, layer) = (index % 160, index / 160);
        let place = DVec3::new(f64::from(column % 40), f64::from(column / 40), 0.55 + f64::from(layer) * 1.02);
        let exponents = [0; 2].map(|_| 0.2 + random.f64());
        let shape = Superellipsoid::new([0.49; 3], exponents).unwrap();
        let turn = DQuat::from_scaled_axis(DVec3::new(random.f64(), random.f64(), random.f64()) * 0.2);
        let material = Material { restitution: if column < 20 { 0.5 } else { 0.0 }, ..rolling };
        let body = Body::dynamic(shape, Pose::new(turn, place).unwrap(), 500.0).with_material(material);
        let body = world.add_body(body).unwrap();
        if let Some(last) = last.filter(|_| index % 50 == 1) {
            let rod = JointKind::Distance(None);
            world.add_joint(Joint::new(Some(last), Pose::IDENTITY, body, Pose::IDENTITY, rod)).unwrap();
        }
        last = Some(body);
    }
    let beam = Superellipsoid::new([12.0, 0.3, 0.3], [0.2; 2]).unwrap();
    world.add_body(Body::dynamic(beam, Pose::from_translation(DVec3::new(20.0, 1.5, 7.2)), 500.0)).unwrap();
    world
}

#[test]
fn a_heap_is_the_same_on_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut world = heap();
        let threads = if threads == 1 { Threads::One } else { Threads::All };
        let mut contacts = 0;
        for _ in 0..40 {
            let done = pool.install(|| world.step(DT, &StepOptions { threads, ..options() })).unwrap();
            contacts = done.contacts.bodies;
        }
        let states = world.bodies().map(|body| {
            let body = world.body(body).unwrap();
            (body.pose(), body.velocities())
        });
        (contacts, states.collect::<Vec<_>>())
    };
    let (contacts, alone) = run(1);
    assert!(contacts > 1024, "{contacts} contacts are too few to be shared");
    for threads in 2..=4 {
        assert!(run(threads).1 == alone, "other bits on {threads} threads");
    }
}

#[test]
fn bad_bodies_and_steps_are_refused() {
    let mut world = World::new();
    let egg = Superellipsoid::new([1.0; 3], [1.0; 2]).unwrap();
    let refused = |result: Result<BodyId, SimError>| result.unwrap_err().to_string();
    for density in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let text = refused(world.add_body(Body::dynamic(egg, Pose::IDENTITY, density)));
        assert!(text.contains("density"), "{text}");
    }
    let body = Body { velocity: DVec3::NAN, ..Body::dynamic(egg, Pose::IDENTITY, 1.0) };
    assert!(refused(world.add_body(body)).contains("velocity"));
    let material = Material { restitution: 1.5, ..Material::default() };
    assert!(refused(world.add_body(floor(DVec3::Z, material))).contains("restitution"));
    let plane = Plane::new(DVec3::Z, 0.0).unwrap();
    assert!(refused(world.add_body(Body::dynamic(plane, Pose::IDENTITY, 1.0))).contains("plane"));
    assert!(world.step(f64::NAN, &options()).unwrap_err().to_string().contains("dt"));
    let mut other = World::new();
    let stranger = other.add_body(floor(DVec3::Z, Material::default())).unwrap();
    assert_eq!(world.body(stranger).err(), Some(SimError::Foreign { what: "body" }));
}

/// Sharp boxes, cylinders, cones and capsules rest on each other as they were put, and sink into nothing.
#[test]
fn primitives_rest_on_each_other() {
    let mut world = World::new();
    world.add_body(floor(DVec3::Z, Material::default())).unwrap();
    let mut place = |shape: Primitive, x: f64, z: f64, turn: DQuat| {
        let pose = Pose::new(turn, DVec3::new(x, 0.0, z)).unwrap();
        world.add_body(Body::dynamic(shape, pose, 500.0)).unwrap()
    };
    let flat = DQuat::IDENTITY;
    let lying = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
    let crate_ = Primitive::cuboid([0.3, 0.2, 0.1]).unwrap();
    let bodies = [
        place(crate_, 0.0, 0.101, flat),
        place(crate_, 0.0, 0.303, flat),
        place(crate_, 0.0, 0.505, flat),
        place(Primitive::cylinder(0.15, 0.2).unwrap(), 1.0, 0.201, flat),
        place(Primitive::cone(0.15, 0.1).unwrap(), 1.0, 0.503, flat),
        place(Primitive::capsule(0.1, 0.2).unwrap(), 2.0, 0.101, lying),
        place(Primitive::cuboid([0.1; 3]).unwrap().rounded(0.05).unwrap(), 3.0, 0.152, flat),
        place(Primitive::sphere(0.2).unwrap(), 4.0, 0.202, flat),
    ];
    let places: Vec<DVec3> = bodies.iter().map(|&body| world.body(body).unwrap().center()).collect();
    run(&mut world, 4.0);
    for (body, start) in bodies.into_iter().zip(places) {
        let body = world.body(body).unwrap();
        // The skin between bodies is 2 mm: that is how far they may settle.
        assert!(body.center().distance(start) < 0.01, "{start} to {}", body.center());
        assert!(body.velocity().length() < 1e-3 && body.angular_velocity().length() < 1e-2, "{start}");
    }
    assert!(measure::body_penetration(&world).unwrap().max < 1e-3);
}

/// A stack of hulls of a crate's corners, given about another origin, falls and rests as a stack of exact crates does; so does a rounded
/// one, and a tetrahedron lies on its face.
#[test]
fn hulls_rest_as_the_boxes_that_they_are() {
    let half = DVec3::new(0.3, 0.2, 0.1);
    let shift = DVec3::new(0.4, -0.3, 0.2);
    let corners: Vec<DVec3> = (0..8u32)
        .map(|i| {
            let sign = |bit: u32| if i >> bit & 1 == 0 { -1.0 } else { 1.0 };
            half * DVec3::new(sign(0), sign(1), sign(2)) + shift
        })
        .collect();
    let mut world = World::new();
    world.add_body(floor(DVec3::Z, Material::default())).unwrap();
    let mut bodies = Vec::new();
    for (level, rounding) in [(0, 0.0), (1, 0.0), (2, 0.05)] {
        let hull = Hull::new(&corners).unwrap().rounded(rounding).unwrap();
        let z = 0.101 + 0.202 * f64::from(level) + rounding;
        let body = Body::dynamic(hull, Pose::from_translation(DVec3::new(0.0, 0.0, z) - shift), 500.0);
        bodies.push((world.add_body(body).unwrap(), DVec3::new(0.0, 0.0, z)));
    }
    let base = [DVec3::new(0.3, 0.0, 0.0), DVec3::new(-0.2, 0.25, 0.0), DVec3::new(-0.2, -0.25, 0.0)];
    let wedge = Hull::new(&[base[0], base[1], base[2], DVec3::Z * 0.3]).unwrap();
    let centroid = wedge.mass_properties().centroid;
    let lying = Body::dynamic(wedge, Pose::from_translation(DVec3::new(2.0, 0.0, 0.001)), 500.0);
    bodies.push((world.add_body(lying).unwrap(), DVec3::new(2.0, 0.0, 0.001) + centroid));
    run(&mut world, 3.0);
    for (body, start) in bodies {
        let body = world.body(body).unwrap();
        assert!(body.center().distance(start) < 0.01, "{start} to {}", body.center());
        assert!(body.velocity().length() < 1e-3 && body.angular_velocity().length() < 1e-2, "{start}");
    }
    assert!(measure::body_penetration(&world).unwrap().max < 1e-3);
}

/// A cylinder that rolls without slipping: g sin(θ) / (1 + 1/2).
#[test]
fn a_cylinder_rolls_down_a_slope_as_it_must() {
    let slope = 0.2f64;
    let up = DVec3::new(slope.sin(), 0.0, slope.cos());
    let mut world = World::new();
    let material = Material { friction: Friction { fixed: 1.0, sliding: 1.0 }, ..Material::default() };
    world.add_body(floor(up, material)).unwrap();
    let turn = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let pose = Pose::new(turn, up * 0.201).unwrap();
    let roller = Primitive::cylinder(0.2, 0.3).unwrap();
    let roller = world.add_body(Body::dynamic(roller, pose, 500.0).with_material(material)).unwrap();
    run(&mut world, 2.0);
    let speed = world.body(roller).unwrap().velocity().length();
    let wanted = 9.81 * slope.sin() / 1.5 * 2.0;
    assert!((speed / wanted - 1.0).abs() < 0.02, "{speed} instead of {wanted}");
}
