//! Rigid meshes against rigid meshes. Whether two pass through each other is judged by brute force over all pairs of their
//! triangles (`measure::body_crossings`), which shares nothing with the solver; its own error is rounding, some 1e-15 m.

use std::f64::consts::TAU;

use fastrand::Rng;
use superegg::Threads;
use superegg::shape::Plane;
use superegg::{DQuat, DVec3, Pose};
use superegg_mesh::TriangleMesh;
use superegg_sim::{Body, BodyId, Friction, Groups, Material, StepOptions, World, measure};
use superegg_world::collision_mesh::CollisionMesh;

/// Bodies at rest stay so far apart.
const SKIN: f64 = 2e-3;
const DT: f64 = 1.0 / 120.0;

fn options() -> StepOptions<'static> {
    StepOptions { substeps: 4, ..StepOptions::default() }
}

fn collision_mesh(positions: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> CollisionMesh {
    CollisionMesh::new(TriangleMesh::new(positions, triangles).unwrap()).unwrap()
}

/// A box of twelve triangles.
fn block(half: [f64; 3]) -> CollisionMesh {
    let corner =
        |i: usize| DVec3::from_array(std::array::from_fn(|a| if i >> a & 1 == 1 { half[a] } else { -half[a] }));
    let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = sides.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    collision_mesh((0..8).map(corner).collect(), triangles)
}

fn torus(radius: f64, thickness: f64, counts: [u32; 2]) -> CollisionMesh {
    let [around, across] = counts;
    let at = |i: u32, n: u32| TAU * f64::from(i) / f64::from(n);
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..around {
        for j in 0..across {
            let (u, v) = (at(i, around), at(j, across));
            let r = radius + thickness * v.cos();
            positions.push(DVec3::new(r * u.cos(), r * u.sin(), thickness * v.sin()));
            let [a, b, c, d] =
                [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)].map(|(i, j)| i % around * across + j % across);
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    collision_mesh(positions, triangles)
}

/// A flat sheet of `cells`² squares in the plane z = 0, open.
fn sheet(half: f64, cells: u32) -> CollisionMesh {
    let side = cells + 1;
    let place = |i: u32| 2.0 * half * f64::from(i) / f64::from(cells) - half;
    let positions = (0..side * side).map(|n| DVec3::new(place(n % side), place(n / side), 0.0)).collect();
    let square = |n: u32| {
        let a = n / cells * side + n % cells;
        [[a, a + 1, a + side + 1], [a, a + side + 1, a + side]]
    };
    collision_mesh(positions, (0..cells * cells).flat_map(square).collect())
}

fn steel() -> Material {
    Material { friction: Friction { fixed: 0.5, sliding: 0.4 }, ..Material::default() }
}

fn fixed(mesh: CollisionMesh, pose: Pose) -> Body {
    Body::fixed(mesh, pose).with_material(steel())
}

fn dynamic(mesh: CollisionMesh, pose: Pose) -> Body {
    Body::dynamic(mesh, pose, 1000.0).with_material(steel())
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z))
}

/// Steps a world and demands that no meshes ever cross.
fn run_clear(world: &mut World, steps: usize, what: &str) {
    for index in 0..steps {
        world.step(DT, &options()).unwrap();
        let crossings = measure::body_crossings(world).unwrap();
        assert_eq!(crossings, 0, "{what}: pairs of triangles that cross in step {index}");
    }
}

fn height(world: &World, body: BodyId) -> f64 {
    world.body(body).unwrap().center().z
}

#[test]
fn a_box_rests_on_a_box_and_sleeps() {
    for ground in [block([1.0, 1.0, 0.1]), sheet(1.0, 7)] {
        let top = if ground.positions().len() == 8 { 0.1 } else { 0.0 };
        let mut world = World::new();
        world.add_body(fixed(ground, Pose::IDENTITY)).unwrap();
        let pose = Pose::new(DQuat::from_rotation_z(0.4), DVec3::new(0.1, 0.05, top + 0.25)).unwrap();
        let body = world.add_body(dynamic(block([0.2, 0.3, 0.1]), pose)).unwrap();
        run_clear(&mut world, 120, "a box");
        let told = StepOptions { contacts: true, ..options() };
        let state = world.body(body).unwrap();
        assert!((height(&world, body) - (top + 0.1 + SKIN)).abs() < 2e-4, "{}", height(&world, body));
        assert!(state.is_asleep(), "{:?}", state.velocity());
        assert!(state.center().distance(DVec3::new(0.1, 0.05, state.center().z)) < 1e-3);
        // What the ground does to it is its weight, once it is awake.
        let center = state.center();
        world.sleeping = false;
        world.push(body, center, DVec3::ZERO).unwrap();
        world.step(DT, &told).unwrap();
        world.step(DT, &told).unwrap();
        let reports = world.contacts();
        assert_eq!(reports.len(), 1);
        let total: DVec3 = reports[0].points.iter().map(|point| point.impulse).sum();
        let weight = 1000.0 * 0.4 * 0.6 * 0.2 * 9.81 * DT;
        assert!((total.z.abs() - weight).abs() < 1e-3 * weight, "{total} instead of {weight}");
        assert!(reports[0].points.len() >= 4 && reports[0].points.iter().all(|p| p.normal.z.abs() > 0.999));
    }
}

#[test]
fn friction_holds_below_its_angle_and_lets_slide_above() {
    // Sliding friction is 0.4 and fixed 0.5: 21.8° and 26.6°.
    for (degrees, slides) in [(22.0f64, false), (31.0, true)] {
        let turn = DQuat::from_rotation_y(degrees.to_radians());
        let mut world = World::new();
        world.add_body(fixed(sheet(4.0, 9), Pose::new(turn, DVec3::ZERO).unwrap())).unwrap();
        let start = Pose::new(turn, turn * DVec3::new(-3.0, 0.1, 0.1 + SKIN)).unwrap();
        let body = world.add_body(dynamic(block([0.2, 0.2, 0.1]), start)).unwrap();
        run_clear(&mut world, 120, "a slope");
        let way = world.body(body).unwrap().center().distance(start.translation);
        if slides {
            // Fixed friction up to 0.05 m/s, sliding friction then, over inner edges, which must not catch it.
            let (sin, cos) = degrees.to_radians().sin_cos();
            let [slow, fast] = [0.5, 0.4].map(|friction| 9.81 * (sin - friction * cos));
            let (first, speed) = (0.05 / slow, 0.05);
            let left = 1.0 - first;
            let known = 0.5 * slow * first * first + speed * left + 0.5 * fast * left * left;
            assert!((way - known).abs() < 0.01 * known, "{way} m instead of {known}");
        } else {
            assert!(way < 1e-3, "{way} m");
        }
    }
}

#[test]
fn what_is_fast_does_not_pass_through_what_is_thin() {
    for speed in [5.0, 40.0, 200.0] {
        for turn in [DVec3::ZERO, DVec3::new(30.0, -50.0, 20.0)] {
            let mut world = World::new();
            world.gravity = DVec3::ZERO;
            world.add_body(fixed(sheet(0.6, 5), Pose::IDENTITY)).unwrap();
            let mut body = dynamic(torus(0.1, 0.02, [16, 8]), at(0.03, -0.02, 0.5));
            (body.velocity, body.angular_velocity) = (DVec3::new(0.0, 0.0, -speed), turn);
            let body = world.add_body(body).unwrap();
            run_clear(&mut world, 60, "a ring that was shot");
            assert!(height(&world, body) > 0.0, "{speed} m/s, {turn}");
        }
    }
}

#[test]
fn moved_meshes_push_others() {
    // A paddle that turns sweeps boxes around; a table that goes up lifts one.
    let mut world = World::new();
    world.add_body(fixed(block([2.0, 2.0, 0.1]), at(0.0, 0.0, -0.1))).unwrap();
    let paddle = Body::kinematic(block([0.5, 0.03, 0.1]), at(0.0, 0.0, 0.12), DVec3::ZERO, DVec3::Z * 2.0);
    world.add_body(paddle.with_material(steel())).unwrap();
    let swept = world.add_body(dynamic(block([0.08; 3]), at(0.3, 0.2, 0.083))).unwrap();
    let lift = Body::kinematic(block([0.2, 0.2, 0.02]), at(1.2, 0.0, 0.1), DVec3::Z * 0.3, DVec3::ZERO);
    world.add_body(lift.with_material(steel())).unwrap();
    let lifted = world.add_body(dynamic(torus(0.1, 0.03, [16, 8]), at(1.2, 0.0, 0.17))).unwrap();
    let before = world.body(swept).unwrap().center();
    run_clear(&mut world, 120, "kinematic meshes");
    assert!(world.body(swept).unwrap().center().distance(before) > 0.2);
    assert!((height(&world, lifted) - (0.1 + 0.3 + 0.02 + 0.03 + SKIN)).abs() < 2e-3, "{}", height(&world, lifted));
}

#[test]
fn a_ring_stays_on_its_peg() {
    // What is not convex is met as it is: the ring lies around the peg, which its hull would not allow.
    let mut world = World::new();
    world.add_body(fixed(block([1.0, 1.0, 0.1]), at(0.0, 0.0, -0.1))).unwrap();
    world.add_body(fixed(block([0.04, 0.04, 0.3]), at(0.0, 0.0, 0.3))).unwrap();
    let pose = Pose::new(DQuat::from_rotation_x(0.1), DVec3::new(0.0, 0.0, 0.35)).unwrap();
    let ring = world.add_body(dynamic(torus(0.1, 0.03, [20, 10]), pose)).unwrap();
    world.push(ring, DVec3::new(0.0, 0.0, 0.35), DVec3::X).unwrap();
    run_clear(&mut world, 180, "a ring on a peg");
    let center = world.body(ring).unwrap().center();
    // The lowest vertices of ten are at the bottom, not at the angle 270°.
    let lowest = 0.03 * (TAU * 0.75 - TAU * 0.7).cos();
    assert!(center.truncate().length() < 0.05 && (center.z - lowest - SKIN).abs() < 1e-3, "{center} {lowest}");
}

#[test]
fn meshes_that_were_put_into_each_other_are_let_out() {
    let mut world = World::new();
    world.add_body(fixed(block([1.0, 1.0, 0.1]), at(0.0, 0.0, -0.1))).unwrap();
    let body = world.add_body(dynamic(block([0.2, 0.2, 0.1]), at(0.0, 0.0, 0.08))).unwrap();
    assert!(measure::body_crossings(&world).unwrap() > 0);
    assert!((measure::body_penetration(&world).unwrap().max - 0.02).abs() < 1e-9);
    let mut fastest = 0.0f64;
    for _ in 0..120 {
        fastest = fastest.max(world.step(DT, &options()).unwrap().max_speed);
    }
    assert_eq!(measure::body_crossings(&world).unwrap(), 0);
    assert!(
        (height(&world, body) - 0.1 - SKIN).abs() < 1e-3 && fastest < 4.0,
        "{} m, {fastest} m/s",
        height(&world, body)
    );
}

#[test]
fn groups_keep_meshes_from_meeting() {
    let mut world = World::new();
    world.add_body(Body::fixed(Plane::new(DVec3::Z, 0.0).unwrap(), Pose::IDENTITY)).unwrap();
    let groups = Groups { member_of: 2, collides_with: 1 };
    world.add_body(fixed(block([0.5, 0.5, 0.1]), at(0.0, 0.0, 0.5)).with_groups(groups)).unwrap();
    let ghost = world.add_body(dynamic(block([0.1; 3]), at(0.0, 0.0, 1.0)).with_groups(groups)).unwrap();
    let solid = dynamic(block([0.1; 3]), at(0.3, 0.0, 1.0)).with_groups(Groups { member_of: 3, collides_with: !0 });
    let solid = world.add_body(solid).unwrap();
    for _ in 0..120 {
        world.step(DT, &options()).unwrap();
    }
    assert!(
        height(&world, ghost) < 0.4 && height(&world, solid) > 0.69,
        "{} {}",
        height(&world, ghost),
        height(&world, solid)
    );
}

/// A closed room with boxes and tori thrown about in it.
fn thrown(seed: u64, count: usize) -> World {
    let mut rng = Rng::with_seed(seed);
    let mut world = World::new();
    for (axis, sign) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0), (2, 1.0), (2, -1.0)] {
        let mut half = [0.7; 3];
        half[axis] = 0.05;
        let mut place = DVec3::ZERO;
        place[axis] = 0.65 * sign;
        world.add_body(fixed(block(half), Pose::from_translation(place))).unwrap();
    }
    for index in 0..count {
        let between = |rng: &mut Rng, low: f64, high: f64| low + (high - low) * rng.f64();
        let mesh = if rng.bool() {
            block([0; 3].map(|_| between(&mut rng, 0.02, 0.12)))
        } else {
            torus(between(&mut rng, 0.06, 0.1), between(&mut rng, 0.015, 0.05), [rng.u32(5..14), rng.u32(3..8)])
        };
        let spot = DVec3::from_array([0, 1, 2].map(|axis| if index >> axis & 1 == 1 { 0.3 } else { -0.3 }));
        let spot = if index >= 8 { DVec3::ZERO } else { spot };
        let mut any = |size: f64| DVec3::from_array([0; 3].map(|_| size * (2.0 * rng.f64() - 1.0)));
        let mut body = dynamic(mesh, Pose::new(DQuat::from_scaled_axis(any(3.0)), spot).unwrap());
        (body.velocity, body.angular_velocity) = (any(6.0), any(20.0));
        world.add_body(body).unwrap();
    }
    world
}

#[test]
fn thrown_boxes_and_tori_never_cross() {
    for seed in 0..6 {
        let mut world = thrown(seed, 9);
        assert_eq!(measure::body_crossings(&world).unwrap(), 0, "seed {seed} begins clear");
        run_clear(&mut world, 60, &format!("seed {seed}"));
    }
}

#[test]
#[ignore = "minutes: run by `cargo xtask long`"]
fn many_thrown_boxes_and_tori_never_cross_and_come_to_rest() {
    let mut awake = 0;
    for seed in 100..160 {
        let mut world = thrown(seed, 9);
        run_clear(&mut world, 600, &format!("seed {seed}"));
        awake += world.step(DT, &options()).unwrap().awake;
    }
    assert!(awake <= 5, "{awake} of 540 bodies are awake after five seconds");
}

#[test]
fn threads_and_snapshots_keep_all_bits() {
    let bits = |world: &World| -> Vec<u64> {
        let vectors = world.bodies().flat_map(|body| {
            let body = world.body(body).unwrap();
            [body.pose().translation, body.pose().rotation.xyz(), body.velocity(), body.angular_velocity()]
        });
        vectors.flat_map(|v| v.to_array().map(f64::to_bits)).collect()
    };
    let all = StepOptions { threads: Threads::All, ..options() };
    let (mut one, mut other) = (thrown(3, 9), thrown(3, 9));
    for _ in 0..20 {
        one.step(DT, &options()).unwrap();
        other.step(DT, &all).unwrap();
    }
    assert!(bits(&one) == bits(&other));
    let snapshot = one.snapshot();
    for _ in 0..20 {
        one.step(DT, &options()).unwrap();
    }
    let known = bits(&one);
    one.restore(&snapshot).unwrap();
    for _ in 0..20 {
        one.step(DT, &options()).unwrap();
    }
    assert!(bits(&one) == known);
}
