//! Known answers: free fall, pendulum, hanging length, energy, friction, soft solids. Each says how exact it can be.

use superegg::Threads;
use superegg::shape::{Plane, Spacing, Superellipsoid};
use superegg::{DQuat, DVec3, Pose};
use superegg_mesh::TriangleMesh;
use superegg_sim::{
    Bending, Body, Cloth, Fabric, Friction, Groups, RestLength, SimError, SoftSolid, StepOptions, Wind, World, measure,
};
use superegg_world::geometry::Geometry;

fn options(substeps: u32) -> StepOptions<'static> {
    StepOptions { substeps, ..StepOptions::default() }
}

fn undamped() -> Fabric {
    Fabric { damping: 0.0, internal_damping: 0.0, ..Fabric::default() }
}

/// A fixed body with the friction of cotton on wood.
fn fixed(geometry: impl Into<Geometry>, pose: Pose) -> Body {
    Body::fixed(geometry, pose).with_friction(Friction::default())
}

#[test]
fn free_fall_is_exact_for_the_discrete_steps() {
    let mut world = World::new();
    let cloth = world.add_cloth(&Cloth::grid([7, 6], [1.0, 1.0], DVec3::ZERO).unwrap(), &undamped()).unwrap();
    let start = world.cloth_positions(cloth).unwrap().to_vec();
    for _ in 0..100 {
        world.step(0.01, &options(4)).unwrap();
    }
    // Semi-implicit Euler with n substeps of h falls g h² n (n + 1) / 2.
    let (h, n) = (0.0025, 400.0);
    let fallen = 9.81 * h * h * n * (n + 1.0) / 2.0;
    for (p, q) in world.cloth_positions(cloth).unwrap().iter().zip(start) {
        assert!((*p - (q - DVec3::Z * fallen)).length() < 1e-9, "{p}");
    }
}

#[test]
fn a_pendulum_keeps_its_period() {
    // A narrow strip of two triangles, hung at one side: a physical pendulum of four equal masses at the corners (thirds
    // of the triangles' masses, 1 and 2 a corner), swinging about the pinned side.
    let mut world = World::new();
    let sheet = Cloth::grid([2, 2], [1.0, 0.2], DVec3::ZERO).unwrap().pinned([0, 2]);
    let fabric = Fabric { compliance: [0.0; 3], compression_compliance: 0.0, bending_compliance: 0.0, ..undamped() };
    let cloth = world.add_cloth(&sheet, &fabric).unwrap();
    // Released at 5° from the vertical, the free side at distance 1 from the pinned one.
    let angle = 5f64.to_radians();
    let hang = |p: &DVec3| DVec3::new(p.x * angle.sin(), p.y, -p.x * angle.cos());
    let hung: Vec<DVec3> = sheet.mesh.positions().iter().map(hang).collect();
    world.place_cloth(cloth, &hung).unwrap();
    let (dt, mut crossings, mut before) = (0.002, Vec::new(), angle.sin());
    while crossings.len() < 9 {
        world.step(dt, &options(4)).unwrap();
        let now = world.cloth_positions(cloth).unwrap()[1].x;
        if before.signum() != now.signum() {
            crossings.push(world.time - dt * now / (now - before));
        }
        before = now;
        assert!(world.time < 20.0);
    }
    let period = (crossings[8] - crossings[0]) / 4.0;
    // All moving mass is at distance 1: 2π √(1/g), longer by θ²/16 for the amplitude.
    let exact = std::f64::consts::TAU / 9.81f64.sqrt() * (1.0 + angle * angle / 16.0);
    assert!((period / exact - 1.0).abs() < 2e-3, "{period} s instead of {exact} s");
}

#[test]
fn tethers_keep_the_hanging_length() {
    let hang = |tethers: Option<RestLength>| {
        let mut world = World::new();
        let sheet = Cloth::grid([3, 41], [0.1, 2.0], DVec3::ZERO).unwrap().pinned([0, 1, 2]);
        // Soft in stretch: without tethers it grows visibly.
        let fabric =
            Fabric { compliance: [1e-2; 3], strain_limit: f64::INFINITY, tethers, damping: 5.0, ..Fabric::default() };
        let cloth = world.add_cloth(&sheet, &fabric).unwrap();
        for _ in 0..400 {
            world.step(0.01, &options(4)).unwrap();
        }
        let positions = world.cloth_positions(cloth).unwrap();
        positions[0].distance(positions[3 * 40])
    };
    let free = hang(None);
    assert!(free > 2.02, "{free}");
    for kind in [RestLength::Euclidean, RestLength::Geodesic] {
        let held = hang(Some(kind));
        assert!(held < 2.0 + 1e-6 && held > 1.95, "{kind:?}: {held}");
    }
}

#[test]
fn strain_is_limited() {
    let mut world = World::new();
    let sheet = Cloth::grid([2, 11], [0.1, 1.0], DVec3::ZERO).unwrap().pinned([0, 1]);
    let fabric = Fabric { compliance: [1.0; 3], strain_limit: 1.05, damping: 5.0, ..Fabric::default() };
    let cloth = world.add_cloth(&sheet, &fabric).unwrap();
    for _ in 0..200 {
        world.step(0.005, &options(20)).unwrap();
    }
    let p = world.cloth_positions(cloth).unwrap();
    let worst = (0..10).map(|j| p[2 * j].distance(p[2 * j + 2]) / 0.1).fold(0.0, f64::max);
    // One projection a substep leaves a part of the error, here below a hundredth.
    assert!(worst < 1.06, "{worst}");
}

#[test]
fn warp_and_weft_stretch_by_their_own_compliance() {
    // Hung up by one side or the other; diagonals carry nothing. Edges are springs in a row, so lengths are in the ratio of the
    // compliances, each larger by h² times the inverse masses (one projection a substep): within half a percent here.
    let stretch = |down: DVec3, pins: [usize; 5]| {
        let mut world = World::new();
        world.gravity = down * 9.81;
        let fabric = Fabric {
            compliance: [0.03, 0.12, 1e6],
            compression_compliance: 1e6,
            strain_limit: f64::INFINITY,
            bending: Bending::None,
            damping: 5.0,
            ..Fabric::default()
        };
        let cloth =
            world.add_cloth(&Cloth::grid([5, 5], [1.0, 1.0], DVec3::ZERO).unwrap().pinned(pins), &fabric).unwrap();
        for _ in 0..400 {
            world.step(0.01, &options(10)).unwrap();
        }
        world.cloth_positions(cloth).unwrap()[24].dot(down) - 1.0
    };
    let warp = stretch(DVec3::X, [0, 5, 10, 15, 20]);
    let weft = stretch(DVec3::Y, [0, 1, 2, 3, 4]);
    assert!(warp > 1e-4 && (weft / warp - 4.0).abs() < 0.05, "{weft} m and {warp} m");
}

#[test]
fn energy_is_never_gained() {
    for bending in [Bending::Isometric, Bending::Dihedral] {
        let mut world = World::new();
        let sheet = Cloth::grid([13, 13], [1.0, 1.0], DVec3::ZERO).unwrap().pinned([0, 12]);
        let fabric = Fabric { bending, bending_compliance: 1e3, ..undamped() };
        world.add_cloth(&sheet, &fabric).unwrap();
        let first = measure::energy(&world);
        let mut last = first;
        for _ in 0..600 {
            world.step(0.005, &options(5)).unwrap();
            last = measure::energy(&world);
            // Elastic energy is not counted; what is stored in it may come back, but no more than was there.
            assert!(last < first + 1e-3, "{bending:?}: {last} J after {first} J");
        }
        assert!(last < first - 0.1, "{bending:?}: a falling corner loses height and settles");
    }
}

/// How far a small cloth slides down a slope in a second.
fn slide(angle: f64, friction: Friction) -> f64 {
    let mut world = World::new();
    let normal = DVec3::new(angle.sin(), 0.0, angle.cos());
    world.add_body(fixed(Plane::new(normal, 0.0).unwrap(), Pose::IDENTITY).with_friction(friction)).unwrap();
    let sheet = Cloth::grid([5, 5], [0.4, 0.4], DVec3::ZERO).unwrap();
    let cloth = world.add_cloth(&sheet, &Fabric { friction, ..undamped() }).unwrap();
    let tilt = DQuat::from_rotation_arc(DVec3::Z, normal);
    let on_slope: Vec<DVec3> = sheet.mesh.positions().iter().map(|p| tilt * *p + normal * 0.005).collect();
    world.place_cloth(cloth, &on_slope).unwrap();
    for _ in 0..200 {
        world.step(0.005, &options(5)).unwrap();
    }
    let mean = |points: &[DVec3]| points.iter().sum::<DVec3>() / points.len() as f64;
    mean(world.cloth_positions(cloth).unwrap()).distance(mean(&on_slope))
}

#[test]
fn friction_holds_up_to_its_angle_and_slows_beyond() {
    let friction = Friction { fixed: 0.5, sliding: 0.4 };
    let held = slide(0.49f64.atan(), friction);
    assert!(held < 1e-6, "slid by {held} m below the angle of friction");
    let angle = 0.7f64.atan();
    let slid = slide(angle, friction);
    let exact = 0.5 * 9.81 * (angle.sin() - 0.4 * angle.cos());
    assert!((slid / exact - 1.0).abs() < 0.01, "{slid} m instead of {exact} m");
}

#[test]
fn held_particles_go_where_they_are_taken_and_fall_when_let_go() {
    let mut world = World::new();
    let cloth = world.add_cloth(&Cloth::grid([5, 5], [0.4, 0.4], DVec3::ZERO).unwrap(), &Fabric::default()).unwrap();
    let pin = world.pin(cloth, 12).unwrap();
    for i in 1..=100 {
        world.move_pin(pin, DVec3::new(0.2, 0.2, 0.005 * f64::from(i))).unwrap();
        world.step(0.01, &options(5)).unwrap();
        assert!((world.cloth_positions(cloth).unwrap()[12].z - 0.005 * f64::from(i)).abs() < 1e-12);
    }
    assert!(world.cloth_positions(cloth).unwrap().iter().all(|p| p.z > 0.1), "the rest is carried along");
    world.unpin(pin).unwrap();
    for _ in 0..100 {
        world.step(0.01, &options(5)).unwrap();
    }
    assert!(world.cloth_positions(cloth).unwrap()[12].z < -3.0);
    assert!(matches!(world.move_pin(pin, DVec3::ZERO), Err(SimError::Stale { what: "pin", .. })));
    assert!(matches!(world.pin(cloth, 99), Err(SimError::NoSuch { .. })));
}

#[test]
fn air_slows_a_fall_to_its_final_speed() {
    let mut world = World::new();
    world.wind = Some(Wind::default());
    let fabric = Fabric { bending_compliance: 0.0, ..undamped() };
    let cloth = world.add_cloth(&Cloth::grid([3, 3], [1.0, 1.0], DVec3::ZERO).unwrap(), &fabric).unwrap();
    // Long enough to settle within e⁻¹⁰, not for a flutter to grow.
    for _ in 0..200 {
        world.step(0.005, &options(2)).unwrap();
    }
    let speed = -world.cloth_velocities(cloth).unwrap()[4].z;
    // ½ ρ v² = density g; the drag acts on velocities before a step's gravity does, so within g dt.
    let exact = (2.0 * fabric.density * 9.81 / 1.2).sqrt();
    assert!((speed - exact).abs() < 9.81 * 0.005 * 1.5, "{speed} m/s instead of {exact} m/s");
}

#[test]
fn a_soft_solid_recovers_its_shape() {
    let ball = Superellipsoid::new([0.3; 3], [1.0; 2]).unwrap();
    let soup = ball.tessellate(200, Spacing::Angles).unwrap();
    let lifted: Vec<DVec3> = soup.vertices.iter().map(|p| *p + DVec3::Z * 1.5).collect();
    let mesh = TriangleMesh::new(lifted, soup.triangles).unwrap();
    let mut world = World::new();
    world.add_body(fixed(Plane::new(DVec3::Z, 0.0).unwrap(), Pose::IDENTITY)).unwrap();
    let (offset, friction) = (0.005, Friction::default());
    let solid = SoftSolid { mesh, mass: 2.0, compliance: 1e-3, offset, friction, groups: Groups::ALL, damping: 1.0 };
    let id = world.add_soft_solid(&solid).unwrap();
    let height = |world: &World| {
        let z = || world.soft_solid_positions(id).unwrap().iter().map(|p| p.z);
        z().fold(f64::NEG_INFINITY, f64::max) - z().fold(f64::INFINITY, f64::min)
    };
    let mut flattest = f64::INFINITY;
    for _ in 0..600 {
        world.step(0.005, &options(5)).unwrap();
        flattest = flattest.min(height(&world));
        assert_eq!(measure::cloth_penetration(&world).unwrap().count, 0);
    }
    assert!(flattest < 0.58, "it gives way: {flattest}");
    assert!((height(&world) - 0.6).abs() < 0.02, "and recovers: {}", height(&world));
}

#[test]
fn threads_change_no_bit() {
    let run = |threads: Threads| {
        let mut world = World::new();
        let table = Superellipsoid::new([1.5, 1.2, 0.5], [0.4, 0.3]).unwrap();
        world.add_body(fixed(table, Pose::IDENTITY)).unwrap();
        // Large enough for colours to be shared.
        let sheet = Cloth::grid([140, 140], [5.0, 5.0], DVec3::new(-2.5, -2.5, 0.55)).unwrap();
        let cloth = world.add_cloth(&sheet, &Fabric::default()).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        for _ in 0..15 {
            pool.install(|| world.step(0.01, &StepOptions { substeps: 2, threads, ..StepOptions::default() })).unwrap();
        }
        world.cloth_positions(cloth).unwrap().to_vec()
    };
    assert!(run(Threads::One) == run(Threads::All));
}

#[test]
fn nonsense_is_refused_by_name() {
    let field = |error: SimError| match error {
        SimError::InvalidInput(refused) => refused.field,
        other => panic!("{other}"),
    };
    let mut world = World::new();
    let sheet = Cloth::grid([3, 3], [1.0, 1.0], DVec3::ZERO).unwrap();
    let bad = |fabric: Fabric| field(World::new().add_cloth(&sheet, &fabric).unwrap_err());
    assert_eq!(bad(Fabric { density: 0.0, ..Fabric::default() }), "density");
    assert_eq!(bad(Fabric { strain_limit: 0.9, ..Fabric::default() }), "strain_limit");
    assert_eq!(bad(Fabric { self_separation: Some(0.0), ..Fabric::default() }), "self_separation");
    assert_eq!(bad(Fabric { compliance: [0.0, f64::NAN, 0.0], ..Fabric::default() }), "compliance[1]");
    world.add_cloth(&sheet, &Fabric::default()).unwrap();
    for dt in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(field(world.step(dt, &options(5)).unwrap_err()), "dt");
    }
    assert_eq!(field(world.step(0.01, &options(0)).unwrap_err()), "substeps");
    let point = superegg::shape::Point::new([DVec3::ZERO]).unwrap();
    assert_eq!(field(world.add_body(fixed(superegg::shape::Shape::from(point), Pose::IDENTITY)).unwrap_err()), "shape");
    assert!(matches!(world.add_cloth(&sheet.clone().pinned([9]), &Fabric::default()), Err(SimError::NoSuch { .. })));
    // A degenerate mesh is a cloth of its own kind: it may not move, but it does not break anything.
    let flat = TriangleMesh::new(vec![DVec3::ZERO; 4], vec![[0, 1, 2], [1, 1, 3]]).unwrap();
    world.add_cloth(&Cloth { mesh: flat, pins: vec![] }, &Fabric::default()).unwrap();
    world
        .add_cloth(&Cloth { mesh: TriangleMesh::new(vec![], vec![]).unwrap(), pins: vec![] }, &Fabric::default())
        .unwrap();
    world.step(0.01, &options(5)).unwrap();
}
