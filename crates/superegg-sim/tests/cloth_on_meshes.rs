//! Cloth against triangle meshes, at rest and moved: known answers first, then what tries to get through. Whether cloth and mesh
//! pass through each other is judged by brute force over all pairs of triangles, and on which side cloth is by its vertices.

use std::f64::consts::TAU;

use superegg::Threads;
use superegg::shape::{Plane, Spacing, Superellipsoid};
use superegg::{DQuat, DVec3, Pose};
use superegg_mesh::TriangleMesh;
use superegg_sim::{
    Body, BodyId, Cloth, ClothId, Fabric, Friction, Groups, SimError, SoftSolid, StepOptions, World, measure,
};
use superegg_world::collision_mesh::CollisionMesh;
use superegg_world::geometry::Geometry;

fn options(substeps: u32) -> StepOptions<'static> {
    StepOptions { substeps, ..StepOptions::default() }
}

/// A fixed body with the friction of cotton on wood.
fn fixed(geometry: impl Into<Geometry>, pose: Pose) -> Body {
    Body::fixed(geometry, pose).with_friction(Friction::default())
}

/// A mesh that stays where it is, unless it is moved.
fn mesh(mesh: TriangleMesh, pose: Pose) -> Body {
    moving(mesh, pose, DVec3::ZERO, DVec3::ZERO)
}

/// A mesh that moves by its velocities.
fn moving(mesh: TriangleMesh, pose: Pose, velocity: DVec3, angular_velocity: DVec3) -> Body {
    let body = Body::kinematic(CollisionMesh::new(mesh).unwrap(), pose, velocity, angular_velocity);
    body.with_friction(Friction::default())
}

/// Two triangles in the plane z = 0, from -half to half both ways.
fn sheet(half: f64) -> TriangleMesh {
    let corners = [[-half, -half, 0.0], [half, -half, 0.0], [half, half, 0.0], [-half, half, 0.0]];
    TriangleMesh::new(corners.map(DVec3::from).to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap()
}

/// A sheet of `count`² vertices with the given heights.
fn relief(count: usize, half: f64, height: impl Fn(usize, usize) -> f64) -> TriangleMesh {
    let flat = Cloth::grid([count, count], [2.0 * half, 2.0 * half], DVec3::new(-half, -half, 0.0)).unwrap().mesh;
    let (mut positions, triangles) = flat.into_parts();
    for (index, position) in positions.iter_mut().enumerate() {
        position.z = height(index % count, index / count);
    }
    TriangleMesh::new(positions, triangles).unwrap()
}

/// Every third vertex of a fine sheet pulled up to a needle.
fn spikes(count: usize, half: f64, height: f64) -> TriangleMesh {
    relief(count, half, |i, j| if i % 3 == 1 && j % 3 == 1 { height } else { 0.0 })
}

fn egg_mesh(radii: [f64; 3], exponents: [f64; 2], vertices: usize) -> TriangleMesh {
    let soup = Superellipsoid::new(radii, exponents).unwrap().tessellate(vertices, Spacing::Curvature).unwrap();
    TriangleMesh::new(soup.vertices, soup.triangles).unwrap()
}

/// A box without a lid or with one, of twelve or ten triangles.
fn crate_mesh(half: f64, lid: bool) -> TriangleMesh {
    let corner = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) * (2.0 * half) - half;
    let mut triangles = vec![
        [0, 2, 1],
        [1, 2, 3],
        [0, 1, 4],
        [1, 5, 4],
        [2, 6, 3],
        [3, 6, 7],
        [0, 4, 2],
        [2, 4, 6],
        [1, 3, 5],
        [3, 7, 5],
    ];
    if lid {
        triangles.extend([[4, 5, 6], [5, 7, 6]]);
    }
    TriangleMesh::new((0..8).map(corner).collect(), triangles).unwrap()
}

/// Steps a world and demands that nothing ever passes through a mesh.
fn run_clear(world: &mut World, dt: f64, substeps: u32, steps: usize, what: &str) -> usize {
    let mut met = 0;
    for index in 0..steps {
        met += world.step(dt, &options(substeps)).unwrap().contacts.cloth_mesh;
        let through = measure::mesh_intersections(world).unwrap();
        assert_eq!(through, 0, "{what}: {through} pairs of triangles in step {index}");
    }
    met
}

#[test]
fn cloth_lies_on_a_flat_mesh_as_on_a_plane() {
    let rest = |on_mesh: bool| {
        let mut world = World::new();
        if on_mesh {
            world.add_body(mesh(sheet(1.0), Pose::IDENTITY)).unwrap();
        } else {
            world.add_body(fixed(Plane::new(DVec3::Z, 0.0).unwrap(), Pose::IDENTITY)).unwrap();
        }
        let fabric = Fabric { offset: 0.008, ..Fabric::default() };
        let cloth = world
            .add_cloth(&Cloth::grid([11, 11], [1.0, 1.0], DVec3::new(-0.47, -0.52, 0.05)).unwrap(), &fabric)
            .unwrap();
        let mut speed = 0.0;
        for _ in 0..100 {
            speed = world.step(0.01, &options(5)).unwrap().max_speed;
        }
        (world.cloth_positions(cloth).unwrap().to_vec(), speed)
    };
    let ((on_plane, _), (on_mesh, speed)) = (rest(false), rest(true));
    assert!(speed < 1e-3, "{speed} m/s");
    for (p, q) in on_mesh.iter().zip(&on_plane) {
        assert!((p.z - 0.008).abs() < 1e-5, "{p} is not at its offset");
        assert!(p.distance(*q) < 1e-3, "{p} on the mesh, {q} on the plane");
    }
}

#[test]
fn friction_holds_up_to_its_angle() {
    // Both have a coefficient of 0.5, so that cloth slides from tan = 0.5 on, at g (sin - 0.4 cos).
    let friction = Friction { fixed: 0.5, sliding: 0.4 };
    let slide = |tangent: f64| {
        let mut world = World::new();
        let tilt = DQuat::from_rotation_y(tangent.atan());
        let pose = Pose::new(tilt, DVec3::ZERO).unwrap();
        world.add_body(mesh(sheet(3.0), pose).with_friction(friction)).unwrap();
        let fabric = Fabric { friction, damping: 0.0, internal_damping: 0.0, ..Fabric::default() };
        let grid = Cloth::grid([9, 9], [0.5, 0.5], DVec3::new(-1.27, -0.23, 0.005)).unwrap();
        let cloth = world.add_cloth(&grid, &fabric).unwrap();
        let start: Vec<DVec3> = world.cloth_positions(cloth).unwrap().iter().map(|p| tilt * *p).collect();
        world.place_cloth(cloth, &start).unwrap();
        for _ in 0..100 {
            world.step(0.005, &options(5)).unwrap();
        }
        let along = tilt * DVec3::X;
        world.cloth_positions(cloth).unwrap().iter().zip(&start).map(|(p, q)| (*p - *q).dot(along)).sum::<f64>() / 81.0
    };
    assert!(slide(0.47).abs() < 1e-3, "{}", slide(0.47));
    let (tangent, time) = (0.6f64, 0.5);
    let angle = tangent.atan();
    let exact = 0.5 * 9.81 * (angle.sin() - 0.4 * angle.cos()) * time * time;
    assert!((slide(tangent) / exact - 1.0).abs() < 0.03, "{} instead of {exact}", slide(tangent));
}

#[test]
fn a_mesh_that_is_lifted_carries_the_cloth() {
    let mut world = World::new();
    let tray = world.add_body(mesh(relief(5, 0.6, |_, _| 0.0), Pose::IDENTITY)).unwrap();
    let fabric = Fabric { damping: 0.0, ..Fabric::default() };
    let cloth =
        world.add_cloth(&Cloth::grid([9, 9], [0.8, 0.8], DVec3::new(-0.41, -0.39, 0.005)).unwrap(), &fabric).unwrap();
    let start = world.cloth_positions(cloth).unwrap().to_vec();
    let dt = 0.005;
    // Up by a metre and to the side by 20 cm, gently: accelerations stay below 3 m/s², within friction.
    let way = |time: f64| DVec3::new(0.2, 0.0, 1.0) * (0.5 - 0.5 * (0.5 * TAU * time.min(1.5) / 1.5).cos());
    for index in 1..=400 {
        world.move_to(tray, Pose::from_translation(way(dt * f64::from(index)))).unwrap();
        world.step(dt, &options(5)).unwrap();
        assert_eq!(measure::mesh_intersections(&world).unwrap(), 0, "step {index}");
    }
    assert!(world.body(tray).unwrap().pose().translation.distance(way(2.0)) < 1e-12);
    for (p, q) in world.cloth_positions(cloth).unwrap().iter().zip(&start) {
        assert!(p.distance(*q + way(2.0)) < 2e-3, "{p} instead of {}", *q + way(2.0));
    }
}

#[test]
fn fine_and_coarse_cloth_over_fine_and_coarse_meshes() {
    let meshes = [
        ("ball", egg_mesh([0.35; 3], [1.0; 2], 80)),
        ("fine ball", egg_mesh([0.35; 3], [1.0; 2], 1200)),
        ("block", egg_mesh([0.3, 0.3, 0.3], [0.1, 0.1], 200)),
        ("spikes", spikes(10, 0.5, 0.3)),
        ("crate", crate_mesh(0.3, false)),
    ];
    for (name, shape) in meshes {
        for count in [4, 12, 26] {
            let mut world = World::new();
            let turn = Pose::new(DQuat::from_scaled_axis(DVec3::new(0.2, 0.1, 0.3)), DVec3::ZERO).unwrap();
            world.add_body(mesh(shape.clone(), turn)).unwrap();
            let sheet = Cloth::grid([count, count], [1.2, 1.2], DVec3::new(-0.57, -0.62, 0.55)).unwrap();
            let cloth = world.add_cloth(&sheet, &Fabric::default()).unwrap();
            let what = format!("{count}² vertices on the {name}");
            let met = run_clear(&mut world, 0.01, 4, 100, &what);
            assert!(met > 20, "{what}: hardly met, {met}");
            let positions = world.cloth_positions(cloth).unwrap();
            assert!(positions.iter().all(|p| p.is_finite() && p.length() < 8.0), "{what}: it flew apart");
            let highest = positions.iter().map(|p| p.z).fold(f64::NEG_INFINITY, f64::max);
            assert!(highest > 0.0, "{what}: it fell off");
        }
    }
}

#[test]
fn fast_cloth_does_not_tunnel() {
    for (name, shape) in
        [("sheet", sheet(2.0)), ("fine sheet", relief(21, 2.0, |_, _| 0.0)), ("spikes", spikes(22, 2.0, 0.1))]
    {
        for (speed, from) in [(-200.0, 1.0), (200.0, -1.0)] {
            let mut world = World::new();
            world.gravity = DVec3::ZERO;
            world.add_body(mesh(shape.clone(), Pose::IDENTITY)).unwrap();
            let grid = Cloth::grid([11, 11], [1.0, 1.0], DVec3::new(-0.48, -0.53, from)).unwrap();
            let cloth = world.add_cloth(&grid, &Fabric::default()).unwrap();
            world.set_cloth_velocities(cloth, &[DVec3::new(3.0, 1.0, speed); 121]).unwrap();
            let what = format!("{name} from {from}");
            run_clear(&mut world, 0.01, 5, 20, &what);
            // The needles of the relief are hollow from below.
            let least = if name == "spikes" && from < 0.0 { -0.1 } else { 0.0 };
            let positions = world.cloth_positions(cloth).unwrap();
            assert!(positions.iter().all(|p| p.z * from.signum() > least), "{what}: some are on the other side");
            assert!(positions.iter().all(|p| p.z.abs() < 2.0), "{what}: it was not stopped");
        }
    }
}

/// A cloth of 11 × 11 vertices in the plane z = 0 without gravity, and a mesh.
fn hit_by(mesh: &Body) -> (World, ClothId, BodyId) {
    let mut world = World::new();
    world.gravity = DVec3::ZERO;
    let id = world.add_body(mesh.clone()).unwrap();
    let cloth = world
        .add_cloth(&Cloth::grid([11, 11], [1.0, 1.0], DVec3::new(-0.48, -0.53, 0.0)).unwrap(), &Fabric::default())
        .unwrap();
    (world, cloth, id)
}

#[test]
fn fast_meshes_do_not_tunnel() {
    // A plate that is larger than the cloth, at 100 m/s: one metre a step. All of the cloth is before it ever after.
    let plate =
        moving(relief(9, 1.0, |_, _| 0.0), Pose::from_translation(DVec3::Z * -1.3), DVec3::Z * 100.0, DVec3::ZERO);
    let (mut world, cloth, id) = hit_by(&plate);
    assert!(run_clear(&mut world, 0.01, 5, 20, "plate") > 0);
    let level = world.body(id).unwrap().pose().translation.z;
    assert!((level - 18.7).abs() < 1e-9, "it was not held up: {level}");
    assert!(world.cloth_positions(cloth).unwrap().iter().all(|p| p.z > level));
    // A ball takes the middle along.
    let away = Pose::from_translation(DVec3::Z * -1.3);
    let ball = moving(egg_mesh([0.2; 3], [1.0; 2], 300), away, DVec3::Z * 50.0, DVec3::ZERO);
    let (mut world, cloth, id) = hit_by(&ball);
    assert!(run_clear(&mut world, 0.01, 5, 20, "ball") > 0);
    let centre = world.body(id).unwrap().pose().translation.z;
    assert!(world.cloth_positions(cloth).unwrap()[60].z > centre + 0.1, "the ball at {centre}");
    // Needles, and a crate that turns quickly.
    let up = Pose::from_translation(DVec3::Z * -0.6);
    let needles = moving(spikes(13, 0.8, 0.4), up, DVec3::Z * 20.0, DVec3::ZERO);
    let (mut world, ..) = hit_by(&needles);
    assert!(run_clear(&mut world, 0.01, 5, 20, "needles") > 0);
    let turning = DVec3::new(30.0, 5.0, 10.0);
    let dice = moving(crate_mesh(0.2, true), up, DVec3::Z * 3.0, turning);
    let (mut world, ..) = hit_by(&dice);
    assert!(run_clear(&mut world, 0.005, 5, 60, "dice") > 0);
}

#[test]
fn closed_meshes_keep_cloth_where_it_is() {
    // In a closed crate that is shaken: every vertex stays inside.
    let mut world = World::new();
    let shaken = world.add_body(mesh(crate_mesh(0.5, true), Pose::IDENTITY)).unwrap();
    let fabric = Fabric { self_separation: Some(0.01), ..Fabric::default() };
    let cloth =
        world.add_cloth(&Cloth::grid([12, 12], [0.8, 0.8], DVec3::new(-0.39, -0.41, 0.0)).unwrap(), &fabric).unwrap();
    for index in 1..=150 {
        let time = 0.01 * f64::from(index);
        let place = 0.4 * DVec3::new((9.0 * time).sin(), (7.0 * time).sin(), (11.0 * time).sin());
        let turn = DQuat::from_scaled_axis(DVec3::new(time, 3.0 * (2.0 * time).sin(), 0.5 * time));
        world.move_to(shaken, Pose::new(turn, place).unwrap()).unwrap();
        world.step(0.01, &options(5)).unwrap();
        assert_eq!(measure::mesh_intersections(&world).unwrap(), 0, "step {index}");
        let pose = world.body(shaken).unwrap().pose();
        let farthest = |p: &DVec3| pose.inverse_transform_point(*p).abs().max_element();
        let out = world.cloth_positions(cloth).unwrap().iter().map(farthest).fold(0.0, f64::max);
        assert!(out < 0.5, "step {index}: a vertex at {out}");
        assert_eq!(measure::self_intersections(&world), 0, "step {index}");
    }
}

/// One plane stands in for all triangles of a mesh that are convex before a triangle of cloth. Hollows are not: a plane across one would
/// hold cloth out of it.
#[test]
fn cloth_gets_into_the_hollows_of_a_mesh() {
    let offset = 0.005;
    let fabric = Fabric { offset, ..Fabric::default() };
    // Close to the walls of a crate, which would hold it up where they are in one hull with the floor.
    let mut world = World::new();
    world.add_body(mesh(crate_mesh(0.5, false), Pose::IDENTITY)).unwrap();
    let grid = Cloth::grid([16, 16], [0.96, 0.96], DVec3::new(-0.48, -0.48, -0.45)).unwrap();
    let cloth = world.add_cloth(&grid, &fabric).unwrap();
    run_clear(&mut world, 0.01, 5, 80, "a crate");
    for p in world.cloth_positions(cloth).unwrap() {
        assert!((p.z + 0.5 - offset).abs() < 1e-4, "{p} is not on the floor");
    }
    // Into a groove of 90°: the lowest vertices touch both sides, or nearly so, as the cloth does not fold sharply.
    let mut world = World::new();
    world.add_body(mesh(relief(13, 0.6, |i, _| 0.1 * (i as f64 - 6.0).abs()), Pose::IDENTITY)).unwrap();
    let grid = Cloth::grid([21, 21], [0.8, 0.8], DVec3::new(-0.4, -0.4, 0.45)).unwrap();
    let cloth = world.add_cloth(&grid, &fabric).unwrap();
    run_clear(&mut world, 0.01, 5, 150, "a groove");
    let lowest = world.cloth_positions(cloth).unwrap().iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    assert!(lowest > offset && lowest < 0.02, "{lowest}");
}

#[test]
fn a_mesh_that_would_crush_cloth_is_held_up() {
    // A plate comes down on cloth on the ground, by a plane and by another mesh, and goes up again.
    for ground_is_mesh in [false, true] {
        let mut world = World::new();
        if ground_is_mesh {
            world.add_body(mesh(sheet(1.0), Pose::IDENTITY)).unwrap();
        } else {
            world.add_body(fixed(Plane::new(DVec3::Z, 0.0).unwrap(), Pose::IDENTITY)).unwrap();
        }
        let above = Pose::from_translation(DVec3::Z * 0.1);
        let plate = moving(relief(4, 0.7, |_, _| 0.0), above, DVec3::Z * -0.5, DVec3::ZERO);
        let plate = world.add_body(plate).unwrap();
        let grid = Cloth::grid([9, 9], [0.8, 0.8], DVec3::new(-0.41, -0.39, 0.01)).unwrap();
        let cloth = world.add_cloth(&grid, &Fabric::default()).unwrap();
        let what = if ground_is_mesh { "on a mesh" } else { "on a plane" };
        run_clear(&mut world, 0.01, 5, 50, what);
        let level = world.body(plate).unwrap().pose().translation.z;
        assert!(level > 0.0 && level < 0.02, "{what}: held up at {level}");
        let between = |p: &DVec3| p.z > 0.0 && p.z < level;
        assert!(world.cloth_positions(cloth).unwrap().iter().all(between), "{what}: squeezed out");
        world.set_velocities(plate, DVec3::Z, DVec3::ZERO).unwrap();
        run_clear(&mut world, 0.01, 5, 50, what);
        let lifted = world.body(plate).unwrap().pose().translation.z - level;
        assert!((lifted - 0.5).abs() < 1e-9, "{what}: lifted by {lifted}");
        assert!(measure::cloth_penetration(&world).unwrap().max < 1e-6);
    }
}

#[test]
fn a_hand_does_not_pull_cloth_through_a_mesh() {
    let mut world = World::new();
    world.add_body(mesh(relief(6, 0.6, |i, j| 0.05 * ((i + j) % 2) as f64), Pose::IDENTITY)).unwrap();
    let cloth = world
        .add_cloth(&Cloth::grid([9, 9], [0.4, 0.4], DVec3::new(-0.21, -0.19, 0.07)).unwrap(), &Fabric::default())
        .unwrap();
    let middle = world.pin(cloth, 40).unwrap();
    for index in 1..=100 {
        world.move_pin(middle, DVec3::new(-0.01, 0.01, 0.07 - 0.005 * f64::from(index))).unwrap();
        world.step(0.005, &options(5)).unwrap();
        assert_eq!(measure::mesh_intersections(&world).unwrap(), 0, "step {index}");
    }
    let held = world.cloth_positions(cloth).unwrap()[40];
    assert!(held.z > 0.0, "{held}");
}

#[test]
fn soft_solids_and_folded_cloth_meet_meshes() {
    let mut world = World::new();
    // A bowl: the lower half of a ball, open at the top.
    let bowl = relief(17, 0.6, |i, j| {
        let (x, y) = (i as f64 / 8.0 - 1.0, j as f64 / 8.0 - 1.0);
        0.3 * (x * x + y * y)
    });
    world.add_body(mesh(bowl, Pose::IDENTITY)).unwrap();
    let place = |p: &DVec3| *p + DVec3::new(0.05, 0.02, 0.3);
    let skin = egg_mesh([0.12; 3], [1.0; 2], 60);
    let skin = TriangleMesh::new(skin.positions().iter().map(place).collect(), skin.triangles().to_vec()).unwrap();
    let solid = world
        .add_soft_solid(&SoftSolid {
            mesh: skin,
            mass: 0.5,
            compliance: 1e-4,
            offset: 0.004,
            friction: Friction::default(),
            groups: Groups::ALL,
            damping: 1.0,
        })
        .unwrap();
    let fabric = Fabric { self_separation: Some(0.012), damping: 1.0, ..Fabric::default() };
    world.add_cloth(&Cloth::grid([14, 14], [0.7, 0.7], DVec3::new(-0.37, -0.33, 0.6)).unwrap(), &fabric).unwrap();
    run_clear(&mut world, 0.01, 5, 120, "bowl");
    let centre = world.soft_solid_positions(solid).unwrap().iter().sum::<DVec3>()
        / world.soft_solid_positions(solid).unwrap().len() as f64;
    assert!(centre.z > 0.08 && centre.z < 0.2 && centre.length() < 0.3, "the ball lies in the bowl: {centre}");
    assert_eq!(measure::self_intersections(&world), 0);
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let run = |threads: Threads| {
        let mut world = World::new();
        let pose = Pose::from_translation(DVec3::Z * -0.1);
        let ball = moving(egg_mesh([0.3; 3], [0.8, 0.9], 300), pose, DVec3::X * 0.2, DVec3::new(0.0, 0.0, 2.0));
        world.add_body(ball).unwrap();
        world.add_body(fixed(Plane::new(DVec3::Z, -0.5).unwrap(), Pose::IDENTITY)).unwrap();
        let fabric = Fabric { self_separation: Some(0.01), ..Fabric::default() };
        let cloth =
            world.add_cloth(&Cloth::grid([25, 25], [1.4, 1.4], DVec3::new(-0.7, -0.7, 0.3)).unwrap(), &fabric).unwrap();
        for _ in 0..60 {
            world.step(0.01, &StepOptions { substeps: 4, threads, ..StepOptions::default() }).unwrap();
        }
        world.cloth_positions(cloth).unwrap().to_vec()
    };
    let alone = run(Threads::One);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let together = pool.install(|| run(Threads::All));
    assert!(alone.iter().zip(&together).all(|(p, q)| p.to_array().map(f64::to_bits) == q.to_array().map(f64::to_bits)));
}

#[test]
fn bad_input_is_refused_by_name() {
    let mut world = World::new();
    let empty = TriangleMesh::new(vec![DVec3::ZERO], Vec::new()).unwrap();
    let field = |error: SimError| match error {
        SimError::InvalidInput(refused) => refused.field.to_owned(),
        other => panic!("{other}"),
    };
    assert!(CollisionMesh::new(empty).is_err(), "a mesh without triangles is none");
    let good = mesh(sheet(1.0), Pose::IDENTITY);
    let nowhere = Pose { translation: DVec3::new(0.0, f64::NAN, 0.0), ..Pose::IDENTITY };
    let unturned = Pose { rotation: DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), ..Pose::IDENTITY };
    for pose in [nowhere, unturned] {
        assert!(matches!(world.add_body(Body { pose, ..good.clone() }), Err(SimError::InvalidInput(_))));
    }
    for velocity in [DVec3::splat(f64::INFINITY), DVec3::X * 1e306] {
        assert_eq!(field(world.add_body(Body { velocity, ..good.clone() }).unwrap_err()), "velocity");
    }
    let rough = good.clone().with_friction(Friction { fixed: 0.1, sliding: 0.2 });
    assert_eq!(field(world.add_body(rough).unwrap_err()), "friction.dynamic");
    assert_eq!((world.body_count(), world.particles().len()), (0, 0), "nothing is left of what was refused");

    let id = world.add_body(good).unwrap();
    let still = world.add_body(fixed(Plane::new(DVec3::Z, -9.0).unwrap(), Pose::IDENTITY)).unwrap();
    assert_eq!(field(world.move_to(still, Pose::IDENTITY).unwrap_err()), "body", "only kinematic bodies have targets");
    assert!(matches!(world.move_to(id, nowhere), Err(SimError::InvalidInput(_))));
    let spin = world.set_velocities(id, DVec3::ZERO, DVec3::new(f64::NAN, 0.0, 0.0));
    assert_eq!(field(spin.unwrap_err()), "angular_velocity");
    world.remove_body(id).unwrap();
    let stale = SimError::Stale { what: "body", index: 0 };
    assert_eq!(world.move_to(id, Pose::IDENTITY), Err(stale.clone()));
    assert_eq!(world.set_velocities(id, DVec3::ZERO, DVec3::ZERO), Err(stale));
    // One that is out of the range of numbers ends the step with an error.
    world.add_cloth(&Cloth::grid([3, 3], [1.0, 1.0], DVec3::Z).unwrap(), &Fabric::default()).unwrap();
    world.add_body(mesh(sheet(1.0), Pose::from_translation(DVec3::X * 1e31))).unwrap();
    let outcome = world.step(0.01, &options(1));
    assert!(matches!(outcome, Err(SimError::Lost { .. })), "{outcome:?}");
}

#[test]
fn degenerate_triangles_are_harmless() {
    let mut world = World::new();
    let (mut positions, mut triangles) = relief(4, 0.6, |_, _| 0.0).into_parts();
    positions.push(DVec3::new(0.1, 0.1, 0.0));
    let spare = positions.len() as u32 - 1;
    triangles.extend([[0, 0, 0], [0, 5, 5], [0, 5, 10], [spare, spare, 3]]);
    let ragged = TriangleMesh::new(positions, triangles).unwrap();
    world.add_body(mesh(ragged, Pose::IDENTITY)).unwrap();
    let cloth = world
        .add_cloth(&Cloth::grid([9, 9], [0.8, 0.8], DVec3::new(-0.4, -0.4, 0.1)).unwrap(), &Fabric::default())
        .unwrap();
    run_clear(&mut world, 0.01, 5, 60, "degenerate");
    assert!(world.cloth_positions(cloth).unwrap().iter().all(|p| p.z > 0.0 && p.z < 0.02));
}
