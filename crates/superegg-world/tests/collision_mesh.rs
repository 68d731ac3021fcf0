//! Collision meshes, against brute force over all triangles.

use glam::{DQuat, DVec3};
use superegg::Pose;
use superegg::query::{Options, Ray, closest_point, distance, ray};
use superegg::shape::{Plane, Shape, Spacing, Superellipsoid, Superovoid};
use superegg_mesh::{MeshError, TriangleMesh};
use superegg_world::WorldError;
use superegg_world::collision_mesh::{CollisionMesh, Feature};
use testkit::generate::{Domain, direction, rotation, seeded, superovoid};

/// A bumpy closed surface: an egg's mesh with its vertices moved in and out.
fn potato(seed: u64, vertices: usize) -> CollisionMesh {
    let egg = Superovoid::new([2.0, 1.5, 1.8], [0.8, 1.2], [0.2, 0.2]).unwrap();
    let indexed = egg.tessellate(vertices, Spacing::Angles).unwrap();
    let mut random = fastrand::Rng::with_seed(seed);
    let positions = indexed.vertices.iter().map(|vertex| *vertex * (0.8 + 0.4 * random.f64())).collect();
    CollisionMesh::new(TriangleMesh::new(positions, indexed.triangles).unwrap()).unwrap()
}

#[test]
fn distance_and_contacts_equal_brute_force() {
    let mut rng = seeded(21);
    let options = Options::default();
    let (mut near, mut deep) = (0, 0);
    for seed in 0..12 {
        let mesh = potato(seed, 120);
        for index in 0..12 {
            let body: Shape = superovoid(&mut rng, &Domain::MODERATE).into();
            let mesh_pose = Pose { rotation: rotation(&mut rng), translation: direction(&mut rng) * 5.0 };
            let away = [0.3, 1.5, 2.2, 4.0][index % 4];
            let at = mesh_pose.translation + direction(&mut rng) * away;
            let pose = Pose { rotation: rotation(&mut rng), translation: at };
            let all: Vec<f64> = (0..mesh.topology().triangles().len() as u32)
                .map(|triangle| {
                    distance(&body, &pose, &mesh.triangle(triangle).into(), &mesh_pose, &options).unwrap().distance
                })
                .collect();
            let least = all.iter().copied().fold(f64::INFINITY, f64::min);
            let found = mesh.distance(&mesh_pose, &body, &pose, &options).unwrap();
            assert!((found.outcome.distance - least).abs() <= 1e-7, "{} {least}", found.outcome.distance);
            let margin = 0.3;
            let within = mesh.triangles_within(&mesh_pose, &body, &pose, margin, &options).unwrap();
            let expected: Vec<u32> = (0u32..).zip(&all).filter(|(_, d)| **d <= margin).map(|(t, _)| t).collect();
            let listed: Vec<u32> = within.iter().map(|contact| contact.triangle).collect();
            assert_eq!(listed, expected);
            let contacts = mesh.contacts(&mesh_pose, &body, &pose, margin, &options).unwrap();
            // The nearest of all is always among the contacts, and no feature is there twice.
            if least <= margin {
                let first = contacts.iter().map(|contact| contact.outcome.distance).fold(f64::INFINITY, f64::min);
                assert!((first - least).abs() <= 1e-7);
                near += 1;
            }
            deep += u32::from(least < 0.0);
            let mut features: Vec<Feature> = contacts.iter().map(|contact| contact.feature).collect();
            features.sort_unstable();
            features.dedup();
            assert_eq!(features.len(), contacts.len());
            assert!(contacts.iter().all(|contact| within.contains(contact)));
        }
    }
    assert!(near > 40 && deep > 20, "{near} {deep}");
}

/// Papers 000 (figure 47) and 001 (figure 6.2): a body smaller than the triangles slips between their vertices.
#[test]
fn a_small_body_does_not_fall_through_a_large_triangle_though_no_vertex_sees_it() {
    let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[x, y]| DVec3::new(x, y, 0.0));
    let floor = CollisionMesh::new(TriangleMesh::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap()).unwrap();
    let body: Shape = Superellipsoid::new([0.1, 0.1, 0.15], [0.7, 1.2]).unwrap().into();
    let options = Options::default();
    // Over a face, over the edge that the triangles share, and between.
    for [x, y] in [[0.5, -0.3], [0.2, 0.2], [-0.02, 0.03], [-0.6, 0.1]] {
        for step in 0..40 {
            let pose = Pose::from_translation(DVec3::new(x, y, 0.4 - 0.02 * f64::from(step)));
            let height = pose.translation.z;
            let by_vertices = corners.map(|corner| closest_point(&body, &pose, corner, &options).unwrap().distance);
            assert!(by_vertices.iter().all(|distance| *distance > 0.3), "the vertices see nothing all the way down");
            let found = floor.distance(&Pose::IDENTITY, &body, &pose, &options).unwrap();
            if height.abs() < 0.1499 {
                assert!(found.outcome.distance < 0.0, "{x} {y} {height}");
            } else if height.abs() > 0.1501 {
                assert!((found.outcome.distance - (height.abs() - 0.15)).abs() < 1e-8, "{height}");
                let up = if height > 0.0 { -DVec3::Z } else { DVec3::Z };
                assert!((found.outcome.normal - up).length() < 1e-6);
            }
        }
    }
}

#[test]
fn a_ball_on_a_flat_floor_of_many_triangles_has_one_upright_contact() {
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for row in 0..=20u32 {
        positions.extend((0..=20).map(|column| DVec3::new(f64::from(column), f64::from(row), 0.0) * 0.1));
    }
    for row in 0..20 {
        for column in 0..20 {
            let corner = row * 21 + column;
            triangles.extend([[corner, corner + 1, corner + 22], [corner, corner + 22, corner + 21]]);
        }
    }
    let floor = CollisionMesh::new(TriangleMesh::new(positions, triangles).unwrap()).unwrap();
    let ball: Shape = Superellipsoid::new([0.5; 3], [1.0; 2]).unwrap().into();
    let mut random = fastrand::Rng::with_seed(5);
    for height in [0.55, 0.5001, 0.49, 0.45] {
        for _ in 0..20 {
            // Also exactly above a vertex and an edge.
            let snap = |x: f64, on: bool| if on { (x * 10.0).round() / 10.0 } else { x };
            let (x, y) = (0.7 + 0.6 * random.f64(), 0.7 + 0.6 * random.f64());
            let place = DVec3::new(snap(x, random.bool()), snap(y, random.bool()), height);
            let contacts = floor
                .contacts(&Pose::IDENTITY, &ball, &Pose::from_translation(place), 0.06, &Options::default())
                .unwrap();
            assert_eq!(contacts.len(), 1, "{place}: {contacts:#?}");
            let outcome = contacts[0].outcome;
            assert!((outcome.distance - (height - 0.5)).abs() < 1e-7, "{place} {outcome:?}");
            assert!((outcome.normal + DVec3::Z).length() < 1e-3, "{place} {outcome:?}");
        }
    }
}

#[test]
fn rays_equal_brute_force() {
    let mut rng = seeded(22);
    let mesh = potato(3, 200);
    let mut hits = 0;
    for _ in 0..300 {
        let pose = Pose { rotation: rotation(&mut rng), translation: direction(&mut rng) };
        let line = {
            let origin = direction(&mut rng) * 6.0;
            Ray::new(origin, 2.0 * direction(&mut rng) - origin).unwrap()
        };
        let found = mesh.ray(&pose, &line).unwrap();
        let brute = (0..mesh.topology().triangles().len() as u32)
            .filter_map(|triangle| ray(&mesh.triangle(triangle).into(), &pose, &line).unwrap())
            .map(|hit| hit.t)
            .min_by(f64::total_cmp);
        assert_eq!(found.is_some(), brute.is_some());
        if let (Some((_, hit)), Some(t)) = (found, brute) {
            assert!((hit.t - t).abs() <= 1e-12, "{} {t}", hit.t);
        }
        hits += u32::from(brute.is_some());
    }
    assert!((100..300).contains(&hits), "{hits}");
}

#[test]
fn a_plane_meets_the_lowest_vertex() {
    let mesh = potato(4, 100);
    let mut rng = seeded(23);
    for _ in 0..20 {
        let plane: Shape = Plane::new(direction(&mut rng), 0.3).unwrap().into();
        let poses = [0; 2].map(|_| Pose { rotation: rotation(&mut rng), translation: direction(&mut rng) * 3.0 });
        let Shape::Plane(half_space) = plane else { unreachable!() };
        let height = |vertex: &DVec3| {
            half_space.signed_distance(poses[1].inverse_transform_point(poses[0].transform_point(*vertex)))
        };
        let lowest = mesh.positions().iter().map(height).fold(f64::INFINITY, f64::min);
        let found = mesh.distance(&poses[0], &plane, &poses[1], &Options::default()).unwrap();
        assert!((found.outcome.distance - lowest).abs() < 1e-12);
    }
}

#[test]
fn a_deformed_mesh_answers_like_a_fresh_one() {
    let (mut mesh, other) = (potato(6, 150), potato(7, 150));
    mesh.set_positions(other.positions()).unwrap();
    let body: Shape = Superellipsoid::new([0.5; 3], [0.6; 2]).unwrap().into();
    let mut rng = seeded(24);
    for _ in 0..30 {
        let pose = Pose { rotation: rotation(&mut rng), translation: direction(&mut rng) * 3.0 };
        let answer = |mesh: &CollisionMesh| {
            mesh.distance(&Pose::IDENTITY, &body, &pose, &Options::default()).unwrap().outcome.distance
        };
        assert_eq!(answer(&mesh), answer(&other));
    }
    assert!(mesh.set_positions(&[DVec3::ZERO]).is_err());
    let mut bad = other.positions().to_vec();
    // Beyond 1e60 the triangles could not be shapes: queries panicked.
    for value in [f64::NAN, f64::INFINITY, -1.1e60, 1.1e30] {
        bad[3].y = value;
        let refused = mesh.set_positions(&bad).unwrap_err();
        let WorldError::Mesh(MeshError::Coordinate { vertex: 3, value: named }) = refused else {
            panic!("{refused}");
        };
        assert_eq!(named.to_bits(), value.to_bits());
        assert_eq!(mesh.positions(), other.positions());
        mesh.distance(&Pose::IDENTITY, &body, &Pose::IDENTITY, &Options::default()).unwrap();
    }
}

#[test]
fn bad_input_is_refused() {
    let empty = TriangleMesh::new(vec![DVec3::ZERO], vec![]).unwrap();
    assert_eq!(CollisionMesh::new(empty).unwrap_err(), WorldError::EmptyMesh);
    let mesh = potato(8, 50);
    let body: Shape = Superellipsoid::new([0.5; 3], [0.6; 2]).unwrap().into();
    let nowhere = Pose { rotation: DQuat::IDENTITY, translation: DVec3::NAN };
    let options = Options::default();
    assert!(matches!(mesh.distance(&nowhere, &body, &Pose::IDENTITY, &options), Err(WorldError::Input(_))));
    assert!(matches!(mesh.contacts(&Pose::IDENTITY, &body, &nowhere, 0.1, &options), Err(WorldError::Input(_))));
    let refused = mesh.contacts(&Pose::IDENTITY, &body, &Pose::IDENTITY, f64::NAN, &options).unwrap_err();
    assert!(matches!(refused, WorldError::Input(refused) if refused.field == "margin"));
}
