//! Cloth and bodies: nothing goes through anything, measured by the certified distance of whole triangles.

use superegg::shape::{Plane, Shape, Superellipsoid, Superovoid};
use superegg::{DQuat, DVec3, Pose};
use superegg_sim::{Bending, Body, Cloth, ClothId, Fabric, Friction, StepOptions, World, measure};
use superegg_world::geometry::Geometry;

fn options(substeps: u32) -> StepOptions<'static> {
    StepOptions { substeps, ..StepOptions::default() }
}

fn egg(radii: [f64; 3], exponents: [f64; 2]) -> Shape {
    Superellipsoid::new(radii, exponents).unwrap().into()
}

/// A fixed body with the friction of cotton on wood.
fn fixed(geometry: impl Into<Geometry>, pose: Pose) -> Body {
    Body::fixed(geometry, pose).with_friction(Friction::default())
}

fn kinematic(geometry: impl Into<Geometry>, pose: Pose, velocity: DVec3, angular_velocity: DVec3) -> Body {
    Body::kinematic(geometry, pose, velocity, angular_velocity).with_friction(Friction::default())
}

/// Steps a world and demands that no triangle is ever in a body.
fn run_clear(world: &mut World, dt: f64, substeps: u32, steps: usize, what: &str) {
    for index in 0..steps {
        world.step(dt, &options(substeps)).unwrap();
        let depth = measure::cloth_penetration(world).unwrap();
        assert!(depth.max < 1e-6, "{what}: {} m deep in step {index}", depth.max);
    }
}

#[test]
fn seeds_steps_and_resolutions() {
    let mut random = fastrand::Rng::with_seed(77);
    for (seed, (dt, count)) in
        [(0.002, 9), (0.005, 15), (0.01, 21), (1.0 / 60.0, 31), (0.01, 12)].into_iter().enumerate()
    {
        let mut world = World::new();
        for _ in 0..3 {
            let mut number = |low: f64, high: f64| low + (high - low) * random.f64();
            let radii = [number(0.1, 0.6), number(0.1, 0.6), number(0.1, 0.6)];
            let exponents = [number(0.1, 1.9), number(0.1, 1.9)];
            let place = DVec3::new(number(-0.8, 0.8), number(-0.8, 0.8), number(-0.8, 0.0));
            let turn = DQuat::from_scaled_axis(DVec3::new(number(-2.0, 2.0), number(-2.0, 2.0), number(-2.0, 2.0)));
            world.add_body(fixed(egg(radii, exponents), Pose::new(turn, place).unwrap())).unwrap();
        }
        let egg = Superovoid::new([0.3, 0.3, 0.5], [0.9, 0.9], [0.2, -0.2]).unwrap();
        world.add_body(fixed(egg, Pose::from_translation(DVec3::Z * -0.5))).unwrap();
        world.add_body(fixed(Plane::new(DVec3::Z, -1.2).unwrap(), Pose::IDENTITY)).unwrap();
        let sheet = Cloth::grid([count, count], [2.2, 2.2], DVec3::new(-1.1, -1.1, 0.9)).unwrap();
        let cloth = world.add_cloth(&sheet, &Fabric::default()).unwrap();
        run_clear(&mut world, dt, 4, (0.9 / dt) as usize, &format!("seed {seed}"));
        let positions = world.cloth_positions(cloth).unwrap();
        assert!(positions.iter().all(|p| p.is_finite() && p.length() < 5.0), "seed {seed} flew apart");
    }
}

/// Seeds × time steps × resolutions, with self-collision: minutes, so only when asked for.
#[test]
#[ignore = "minutes: run by `cargo xtask long`"]
fn long_grid_of_seeds_steps_and_resolutions() {
    for seed in 0..6 {
        for dt in [0.0025, 0.005, 0.01] {
            for count in [11, 17, 25] {
                let what = format!("seed {seed}, dt {dt}, {count}² vertices");
                let mut random = fastrand::Rng::with_seed(seed);
                let mut number = |low: f64, high: f64| low + (high - low) * random.f64();
                let mut world = World::new();
                for _ in 0..3 {
                    let radii = [number(0.1, 0.5), number(0.1, 0.5), number(0.1, 0.5)];
                    let exponents = [number(0.1, 1.9), number(0.1, 1.9)];
                    let place = DVec3::new(number(-0.6, 0.6), number(-0.6, 0.6), number(-0.6, 0.0));
                    let axis = DVec3::new(number(-2.0, 2.0), number(-2.0, 2.0), number(-2.0, 2.0));
                    let pose = Pose::new(DQuat::from_scaled_axis(axis), place).unwrap();
                    world.add_body(fixed(egg(radii, exponents), pose)).unwrap();
                }
                world.add_body(fixed(Plane::new(DVec3::Z, -0.8).unwrap(), Pose::IDENTITY)).unwrap();
                let sheet = Cloth::grid([count, count], [1.6, 1.6], DVec3::new(-0.8, -0.8, 0.6)).unwrap();
                let fabric = Fabric { self_separation: Some(0.01), damping: 1.0, ..Fabric::default() };
                let cloth = world.add_cloth(&sheet, &fabric).unwrap();
                run_clear(&mut world, dt, 5, (2.5 / dt) as usize, &what);
                let positions = world.cloth_positions(cloth).unwrap();
                assert!(positions.iter().all(|p| p.is_finite() && p.length() < 4.0), "{what}: it flew apart");
                assert_eq!(measure::self_intersections(&world), 0, "{what}");
            }
        }
    }
}

/// A ball under the middle of a single pair of triangles, far from every vertex: what the papers' vertex contacts let
/// through (paper 000 figure 47, paper 001 figure 6.2).
fn coarse_cloth_over_a_small_ball() -> (World, ClothId) {
    let mut world = World::new();
    world.add_body(fixed(egg([0.1; 3], [1.0; 2]), Pose::IDENTITY)).unwrap();
    let sheet = Cloth::grid([2, 2], [2.0, 2.0], DVec3::new(-1.0, -0.7, 0.5)).unwrap().pinned([0, 3]);
    let cloth = world
        .add_cloth(
            &sheet,
            &Fabric { friction: Friction::NONE, bending: Bending::None, damping: 1.0, ..Fabric::default() },
        )
        .unwrap();
    (world, cloth)
}

#[test]
fn a_small_ball_does_not_poke_through_a_coarse_cloth() {
    // No vertex ever comes near the ball.
    let (mut world, cloth) = coarse_cloth_over_a_small_ball();
    let pins = world.pins(cloth).unwrap();
    for index in 1..=600 {
        for ((pin, _), (x, y)) in pins.iter().zip([(-1.0, -0.7), (1.0, 1.3)]) {
            world.move_pin(*pin, DVec3::new(x, y, 0.5 - 0.001 * f64::from(index.min(200)))).unwrap();
        }
        world.step(0.005, &options(5)).unwrap();
        let positions = world.cloth_positions(cloth).unwrap();
        assert!(positions.iter().all(|p| p.length() > 0.6), "vertex contacts would have nothing to do");
        let depth = measure::cloth_penetration(&world).unwrap();
        assert!(depth.max < 1e-6, "{} m deep in step {index}", depth.max);
    }
    // And there was something to do: the corner beyond the ball is held up by it, the other one hangs.
    let positions = world.cloth_positions(cloth).unwrap();
    assert!(positions[1].z > positions[2].z + 0.3, "{positions:?}");
}

#[test]
fn fast_cloth_and_fast_bodies_do_not_tunnel() {
    // A cloth thrown at a thin plate at 200 m/s: two metres a step through a plate of two centimetres.
    let mut world = World::new();
    world.gravity = DVec3::ZERO;
    world.add_body(fixed(egg([3.0, 3.0, 0.01], [0.3, 1.0]), Pose::IDENTITY)).unwrap();
    let sheet = Cloth::grid([11, 11], [1.0, 1.0], DVec3::new(-0.5, -0.5, 1.0)).unwrap();
    let cloth = world.add_cloth(&sheet, &Fabric::default()).unwrap();
    world.set_cloth_velocities(cloth, &[DVec3::Z * -200.0; 121]).unwrap();
    run_clear(&mut world, 0.01, 5, 30, "cloth");
    assert!(world.cloth_positions(cloth).unwrap().iter().all(|p| p.z > 0.0), "all of it is still above");

    // A ball shot through a hanging cloth takes it along.
    let mut world = World::new();
    world.gravity = DVec3::ZERO;
    let ball = egg([0.2; 3], [1.0; 2]);
    let away = Pose::from_translation(DVec3::new(0.0, 0.0, -3.0));
    let ball = world.add_body(kinematic(ball, away, DVec3::Z * 50.0, DVec3::ZERO)).unwrap();
    let sheet = Cloth::grid([11, 11], [2.0, 2.0], DVec3::new(-1.0, -1.0, 0.0)).unwrap();
    let cloth = world.add_cloth(&sheet, &Fabric::default()).unwrap();
    for _ in 0..20 {
        world.step(0.01, &options(5)).unwrap();
        let depth = measure::cloth_penetration(&world).unwrap();
        assert!(depth.max < 1e-3, "{} m deep", depth.max);
    }
    let centre = world.body(ball).unwrap().pose().translation.z;
    let middle = world.cloth_positions(cloth).unwrap()[60];
    assert!(middle.z > centre, "the ball at {centre} carries the middle at {middle}");
}

#[test]
fn a_spinning_blade_does_not_go_through_a_cloth() {
    // A thin blade of one metre turns under a cloth that falls on it: its ends go at 20 m/s, by their own thickness in a
    // substep.
    let mut world = World::new();
    let blade = egg([0.5, 0.05, 0.03], [0.5, 0.5]);
    let place = Pose::from_translation(DVec3::Z * -0.1);
    world.add_body(kinematic(blade.clone(), place, DVec3::ZERO, DVec3::new(0.0, 0.0, 40.0))).unwrap();
    let sheet = Cloth::grid([15, 15], [1.4, 1.4], DVec3::new(-0.7, -0.7, 0.0)).unwrap();
    let cloth = world.add_cloth(&sheet, &Fabric::default()).unwrap();
    for index in 0..100 {
        world.step(0.005, &options(10)).unwrap();
        let depth = measure::cloth_penetration(&world).unwrap();
        assert!(depth.max < 1e-3, "{} m deep in step {index}", depth.max);
    }
    assert!(world.cloth_positions(cloth).unwrap()[112].z > -0.1, "the middle lies on the blade");

    // One that turns end over end hits the cloth from below and throws it up.
    let mut world = World::new();
    world.add_body(kinematic(blade, place, DVec3::ZERO, DVec3::new(0.0, 15.0, 0.0))).unwrap();
    let sheet = Cloth::grid([15, 15], [1.4, 1.4], DVec3::new(-0.7, -0.7, 0.45)).unwrap();
    let cloth = world.add_cloth(&sheet, &Fabric::default()).unwrap();
    for index in 0..100 {
        world.step(0.005, &options(10)).unwrap();
        let depth = measure::cloth_penetration(&world).unwrap();
        assert!(depth.max < 1e-3, "{} m deep in step {index}", depth.max);
    }
    assert!(world.cloth_positions(cloth).unwrap().iter().all(|p| p.is_finite() && p.length() < 20.0));
}

/// Planes turn with their bodies, and a corner that is above one at both ends of a substep may dip below in between: by no more
/// than (θ² r + 2 θ s) / 8 for a turn by θ, a corner at distance r from the axis and its way s. Below the cloth's offset, that
/// is no contact at all.
#[test]
fn a_fast_blade_is_met_between_the_substeps_too() {
    let (h, turning, offset) = (0.0005, 200.0, 0.005);
    let blade = egg([0.5, 0.05, 0.01], [0.5, 0.5]);
    let mut met = 0;
    for (axis, height) in [(DVec3::Y, 0.45), (DVec3::new(0.0, 1.0, 1.0).normalize(), 0.3)] {
        let mut world = World::new();
        let body = world.add_body(kinematic(blade.clone(), Pose::IDENTITY, DVec3::ZERO, axis * turning)).unwrap();
        let sheet = Cloth::grid([15, 15], [1.4, 1.4], DVec3::new(-0.7, -0.7, height)).unwrap();
        let cloth = world.add_cloth(&sheet, &Fabric { offset, ..Fabric::default() }).unwrap();
        let mut between = world.clone();
        for index in 0..150 {
            let (before, start) = (world.cloth_positions(cloth).unwrap().to_vec(), world.body(body).unwrap().pose());
            met += world.step(h, &options(1)).unwrap().contacts.cloth;
            let after = world.cloth_positions(cloth).unwrap();
            let way = before.iter().zip(after).map(|(p, q)| p.distance(*q)).fold(0.0, f64::max);
            let radius = before.iter().chain(after).map(|p| p.length()).fold(0.0, f64::max);
            let dip = (turning * h * turning * h * radius + 2.0 * turning * h * way) / 8.0;
            for part in [0.2, 0.4, 0.5, 0.6, 0.8, 1.0] {
                let places: Vec<DVec3> = before.iter().zip(after).map(|(p, q)| p.lerp(*q, part)).collect();
                between.place_cloth(cloth, &places).unwrap();
                let turn = DQuat::from_scaled_axis(axis * (turning * h * part));
                let pose = Pose::new(turn * start.rotation, DVec3::ZERO).unwrap();
                between.set_pose(body, pose).unwrap();
                let depth = measure::cloth_penetration(&between).unwrap().max;
                let allowed = (dip - offset).max(1e-6);
                assert!(depth <= allowed, "{depth} m deep in step {index} and {part}, {allowed} m allowed");
            }
        }
    }
    assert!(met > 100, "the blade hardly met the cloth: {met}");
}

#[test]
fn a_hand_does_not_pull_cloth_through_cloth() {
    // A sheet held at its corners; a small one below it is pulled up by its middle, straight through.
    let mut world = World::new();
    world.gravity = DVec3::ZERO;
    let fabric = Fabric { self_separation: Some(0.02), ..Fabric::default() };
    let upper = Cloth::grid([9, 9], [0.8, 0.8], DVec3::new(-0.4, -0.4, 0.1)).unwrap().pinned([0, 8, 72, 80]);
    world.add_cloth(&upper, &fabric).unwrap();
    let lower = Cloth::grid([5, 5], [0.4, 0.4], DVec3::new(-0.21, -0.19, 0.0)).unwrap();
    let lower = world.add_cloth(&lower, &fabric).unwrap();
    let middle = world.pin(lower, 12).unwrap();
    for index in 1..=300 {
        world.move_pin(middle, DVec3::new(-0.01, 0.01, 0.005 * f64::from(index))).unwrap();
        world.step(0.005, &options(5)).unwrap();
        assert_eq!(measure::self_intersections(&world), 0, "step {index}");
    }
    let held = world.cloth_positions(lower).unwrap()[12];
    assert!(held.z > 0.1 && held.z < 0.6, "held up by the taut sheet: {held}");
}

#[test]
fn cloth_that_starts_inside_is_let_out_slowly() {
    let mut world = World::new();
    world.gravity = DVec3::ZERO;
    world.add_body(fixed(egg([1.0, 1.0, 0.5], [0.5, 0.5]), Pose::IDENTITY)).unwrap();
    let sheet = Cloth::grid([9, 9], [0.5, 0.5], DVec3::new(-0.25, -0.25, 0.46)).unwrap();
    world.add_cloth(&sheet, &Fabric::default()).unwrap();
    let before = measure::cloth_penetration(&world).unwrap();
    assert!(before.max > 0.03 && before.count == 128, "{before:?}");
    let mut fastest = 0.0f64;
    for _ in 0..200 {
        fastest = fastest.max(world.step(0.005, &options(5)).unwrap().max_speed);
    }
    assert!(measure::cloth_penetration(&world).unwrap().max < 1e-6);
    assert!(fastest < 2.0, "{fastest} m/s");
}

#[test]
fn cloth_that_falls_on_itself_does_not_pass_through_itself() {
    for (count, separation, seed) in [(13, 0.02, 1), (17, 0.01, 2)] {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut world = World::new();
        world.add_body(fixed(Plane::new(DVec3::Z, 0.0).unwrap(), Pose::IDENTITY)).unwrap();
        // Stands on its edge, slightly bent at random, and collapses onto itself.
        let sheet = Cloth::grid([count, count], [0.6, 1.0], DVec3::ZERO).unwrap();
        let fabric = Fabric { self_separation: Some(separation), damping: 1.0, ..Fabric::default() };
        let cloth = world.add_cloth(&sheet, &fabric).unwrap();
        let bend = 0.02 * random.f64();
        let standing: Vec<DVec3> = sheet
            .mesh
            .positions()
            .iter()
            .map(|p| DVec3::new(p.x, bend * (9.0 * p.y).sin() + 0.002 * random.f64(), p.y + 0.02))
            .collect();
        world.place_cloth(cloth, &standing).unwrap();
        assert_eq!(measure::self_intersections(&world), 0);
        let mut met = 0;
        for index in 0..200 {
            met += world.step(0.005, &options(5)).unwrap().contacts.cloth_cloth;
            if index % 25 == 0 {
                assert_eq!(measure::self_intersections(&world), 0, "seed {seed}, step {index}");
            }
        }
        assert!(met > 0, "seed {seed}: it never met itself");
        assert_eq!(measure::self_intersections(&world), 0, "seed {seed}, at rest");
        assert!(measure::cloth_penetration(&world).unwrap().max < 1e-3);
    }
}

#[test]
fn the_judge_of_self_intersection_sees_one() {
    let mut world = World::new();
    let fabric = Fabric { self_separation: Some(0.01), ..Fabric::default() };
    let sheet = Cloth::grid([3, 3], [1.0, 1.0], DVec3::ZERO).unwrap();
    world.add_cloth(&sheet, &fabric).unwrap();
    let upright = world.add_cloth(&sheet, &fabric).unwrap();
    let turned: Vec<DVec3> =
        sheet.mesh.positions().iter().map(|p| DVec3::new(p.x * 0.9 + 0.03, 0.41 + 0.02 * p.y, p.y - 0.47)).collect();
    world.place_cloth(upright, &turned).unwrap();
    assert!(measure::self_intersections(&world) > 0);
}
