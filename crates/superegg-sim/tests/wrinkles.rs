//! Wrinkle meshes stay within their reach, out of bodies, and closer to their rest lengths than the cloth they lie on.

use superegg::Threads;
use superegg::shape::{Plane, Superellipsoid};
use superegg::{DQuat, DVec3, Pose};
use superegg_mesh::TriangleMesh;
use superegg_sim::{Body, Cloth, ClothId, Fabric, Friction, SimError, StepOptions, World, Wrinkles, measure};
use superegg_world::collision_mesh::CollisionMesh;
use superegg_world::geometry::Geometry;

/// A fixed body with the friction of cotton on wood.
fn fixed(geometry: impl Into<Geometry>, pose: Pose) -> Body {
    Body::fixed(geometry, pose).with_friction(Friction::default())
}

/// A cloth that falls over a table, a turning egg and the ground: pressed together in some places, stretched in others.
fn world(wrinkles: Option<Wrinkles>) -> (World, ClothId) {
    let mut world = World::new();
    world.add_body(fixed(Plane::new(DVec3::Z, -0.6).unwrap(), Pose::IDENTITY)).unwrap();
    let table = Superellipsoid::new([0.5, 0.4, 0.2], [0.4, 0.3]).unwrap();
    world.add_body(fixed(table, Pose::IDENTITY)).unwrap();
    let egg = Superellipsoid::new([0.3, 0.2, 0.15], [0.7, 1.2]).unwrap();
    let place = Pose::new(DQuat::from_rotation_x(0.5), DVec3::new(0.75, 0.0, -0.3)).unwrap();
    world
        .add_body(
            Body::kinematic(egg, place, DVec3::Z * 0.05, DVec3::new(0.0, 2.0, 3.0)).with_friction(Friction::default()),
        )
        .unwrap();
    let sheet = Cloth::grid([25, 25], [2.0, 2.0], DVec3::new(-1.0, -1.0, 0.25)).unwrap();
    let cloth = world.add_cloth(&sheet, &Fabric { offset: 0.01, ..Fabric::default() }).unwrap();
    world.set_wrinkles(cloth, wrinkles).unwrap();
    (world, cloth)
}

/// Relative changes of the lengths of all triangles' sides.
fn strains(triangles: &[[u32; 3]], rest: &[DVec3], positions: &[DVec3]) -> Vec<f64> {
    let sides = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let of = |[a, b]: [u32; 2]| {
        let length = |points: &[DVec3]| points[a as usize].distance(points[b as usize]);
        length(positions) / length(rest) - 1.0
    };
    sides.map(of).collect()
}

fn root_mean_square(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value * value, count + 1.0));
    f64::sqrt(sum / f64::max(count, 1.0))
}

#[test]
fn wrinkles_keep_their_bounds() {
    for level in [1, 2] {
        let reach = 0.02;
        let (mut world, cloth) = world(Some(Wrinkles { level, reach }));
        let mut farthest = 0.0f64;
        for index in 0..250 {
            world.step(0.005, &StepOptions::default()).unwrap();
            let places = world.skin_places(cloth).unwrap();
            let away = world.skin_positions(cloth).unwrap().iter().zip(&places).map(|(p, q)| p.distance(*q));
            farthest = away.fold(farthest, f64::max);
            assert!(farthest <= reach * (1.0 + 1e-9), "level {level}, step {index}: {farthest} m away");
            if index % 10 == 0 {
                // Whole fine triangles, not only their vertices; the cloth itself is as deep at most.
                let (skin, base) =
                    (measure::skin_penetration(&world).unwrap(), measure::cloth_penetration(&world).unwrap());
                assert!(skin.max <= base.max.max(1e-6), "level {level}, step {index}: {} m deep", skin.max);
            }
        }
        assert!(farthest > 0.5 * reach, "level {level}: hardly a wrinkle, {farthest} m");
    }
}

#[test]
fn wrinkles_take_up_what_the_cloth_is_pressed_together_by() {
    for level in [1, 2] {
        // Hung by its upper side, which is gathered by an eighth.
        let mut world = World::new();
        let sheet = Cloth::grid([13, 13], [1.0, 1.0], DVec3::ZERO).unwrap().pinned(0..13);
        let cloth = world.add_cloth(&sheet, &Fabric { damping: 3.0, ..Fabric::default() }).unwrap();
        let hang = |p: &DVec3| DVec3::new(0.875 * p.x, 0.0, -p.y);
        let hung: Vec<DVec3> = sheet.mesh.positions().iter().map(hang).collect();
        world.place_cloth(cloth, &hung).unwrap();
        world.set_wrinkles(cloth, Some(Wrinkles { level, reach: 0.03 })).unwrap();
        for _ in 0..200 {
            world.step(0.005, &StepOptions::default()).unwrap();
        }
        let (triangles, rest) = (world.skin_triangles(cloth).unwrap(), world.skin_rest(cloth).unwrap());
        let plain = strains(triangles, rest, &world.skin_places(cloth).unwrap());
        let wrinkled = strains(triangles, rest, world.skin_positions(cloth).unwrap());
        // Where the cloth is pressed together by more than two percent the wrinkles take up most of it, and elsewhere they
        // do little harm.
        let pressed = || plain.iter().zip(&wrinkled).filter(|(plain, _)| **plain < -0.02);
        assert!(pressed().count() > 50, "level {level}: {} sides", pressed().count());
        let (before, after) =
            (root_mean_square(pressed().map(|(plain, _)| *plain)), root_mean_square(pressed().map(|(_, own)| *own)));
        assert!(after < 0.5 * before, "level {level}: {after} instead of {before}");
        let (before, after) = (root_mean_square(plain.iter().copied()), root_mean_square(wrinkled.iter().copied()));
        assert!(after < before + 0.01, "level {level}: {after} instead of {before}");
    }
}

#[test]
fn wrinkles_do_not_act_on_the_cloth_and_are_the_same_on_any_threads() {
    let run = |wrinkles: Option<Wrinkles>, threads: Threads| {
        let (mut world, cloth) = world(wrinkles);
        for _ in 0..60 {
            world.step(0.005, &StepOptions { threads, ..StepOptions::default() }).unwrap();
        }
        (world.cloth_positions(cloth).unwrap().to_vec(), world.skin_positions(cloth).unwrap().to_vec())
    };
    let fine = Some(Wrinkles { level: 2, reach: 0.02 });
    let (base, skin) = run(fine, Threads::One);
    assert!(run(None, Threads::One).0 == base);
    assert!(run(fine, Threads::All) == (base, skin));
}

#[test]
fn a_cloth_at_rest_has_hardly_a_wrinkle() {
    let mut world = World::new();
    world.gravity = DVec3::ZERO;
    let cloth = world.add_cloth(&Cloth::grid([9, 9], [1.0, 1.0], DVec3::ZERO).unwrap(), &Fabric::default()).unwrap();
    let reach = 0.03;
    world.set_wrinkles(cloth, Some(Wrinkles { level: 1, reach })).unwrap();
    for _ in 0..100 {
        world.step(0.005, &StepOptions::default()).unwrap();
    }
    let off = world.skin_positions(cloth).unwrap().iter().map(|p| p.z.abs()).fold(0.0, f64::max);
    assert!(off < 0.1 * reach, "{off} m off a flat cloth");
    // Every vertex of the finer grid is there once.
    assert_eq!(world.skin_positions(cloth).unwrap().len(), 17 * 17);
}

#[test]
fn nonsense_is_refused_by_name() {
    let mut world = World::new();
    let cloth = world.add_cloth(&Cloth::grid([3, 3], [1.0, 1.0], DVec3::ZERO).unwrap(), &Fabric::default()).unwrap();
    for (level, reach, field) in [
        (0, 0.1, "wrinkles.level"),
        (4, 0.1, "wrinkles.level"),
        (1, 0.0, "wrinkles.reach"),
        (1, f64::NAN, "wrinkles.reach"),
    ] {
        match world.set_wrinkles(cloth, Some(Wrinkles { level, reach })) {
            Err(SimError::InvalidInput(refused)) => assert_eq!(refused.field, field),
            other => panic!("{other:?}"),
        }
        assert_eq!(world.skin_positions(cloth).unwrap().len(), 9, "a refusal changes nothing");
    }
    world.remove_cloth(cloth).unwrap();
    assert!(matches!(world.set_wrinkles(cloth, None), Err(SimError::Stale { what: "cloth", .. })));
}

#[test]
fn wrinkles_keep_out_of_meshes() {
    // A cloth over a stair of boxes and a ring that turns under it: corners, hollows and what moves. Judged by all pairs of
    // fine triangles and triangles of meshes.
    let block = |half: DVec3| {
        let corner =
            |i: usize| DVec3::from_array(std::array::from_fn(|a| if i >> a & 1 == 1 { half[a] } else { -half[a] }));
        let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = sides.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        CollisionMesh::new(TriangleMesh::new((0..8).map(corner).collect(), triangles).unwrap()).unwrap()
    };
    let reach = 0.03;
    let mut world = World::new();
    world
        .add_body(fixed(block(DVec3::new(0.3, 0.5, 0.1)), Pose::from_translation(DVec3::new(-0.2, 0.0, -0.1))))
        .unwrap();
    world
        .add_body(fixed(block(DVec3::new(0.3, 0.5, 0.1)), Pose::from_translation(DVec3::new(0.3, 0.0, -0.25))))
        .unwrap();
    let turning = Body::kinematic(
        block(DVec3::new(0.1, 0.3, 0.04)),
        Pose::from_translation(DVec3::new(0.45, 0.0, 0.0)),
        DVec3::ZERO,
        DVec3::new(0.4, 0.0, 1.0),
    );
    world.add_body(turning.with_friction(Friction::default())).unwrap();
    let sheet = Cloth::grid([25, 25], [1.2, 1.2], DVec3::new(-0.6, -0.6, 0.12)).unwrap();
    let cloth = world.add_cloth(&sheet, &Fabric { offset: 0.006, ..Fabric::default() }).unwrap();
    world.set_wrinkles(cloth, Some(Wrinkles { level: 2, reach })).unwrap();
    let mut farthest = 0.0f64;
    for index in 0..200 {
        world.step(0.005, &StepOptions::default()).unwrap();
        let places = world.skin_places(cloth).unwrap();
        let away = world.skin_positions(cloth).unwrap().iter().zip(&places).map(|(p, q)| p.distance(*q));
        farthest = away.fold(farthest, f64::max);
        assert!(farthest <= reach * (1.0 + 1e-9), "step {index}: {farthest} m away");
        if index % 5 == 4 {
            assert_eq!(measure::mesh_intersections(&world).unwrap(), 0, "the cloth itself in step {index}");
            assert_eq!(measure::skin_mesh_intersections(&world).unwrap(), 0, "step {index}");
        }
    }
    // Farther from the cloth than that is from the meshes: they could have passed through.
    assert!(farthest > 0.01, "hardly a wrinkle, {farthest} m");
}
