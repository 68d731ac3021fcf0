//! Certified bounds of the distance of two meshes, where nearest points lose digits: edges that are nearly parallel, slivers, bodies far from the
//! world's origin. Against distances known by construction, and against the core's certified distances of all pairs of
//! triangles, which are tested in 77 digits on their own.

use fastrand::Rng;
use superegg::query::{Bounds, Options, distance};
use superegg::{DQuat, DVec3, Pose};
use superegg_mesh::TriangleMesh;
use superegg_world::collision_mesh::CollisionMesh;
use superegg_world::distance_of_meshes;

fn mesh(corners: &[[DVec3; 3]]) -> CollisionMesh {
    let triangles = (0..corners.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    CollisionMesh::new(TriangleMesh::new(corners.as_flattened().to_vec(), triangles).unwrap()).unwrap()
}

fn bounds(a: &CollisionMesh, pose_a: &Pose, b: &CollisionMesh, pose_b: &Pose) -> Bounds {
    distance_of_meshes(a, pose_a, b, pose_b, 1e-9).outcome.bounds.expect("two meshes have bounds")
}

fn vector(random: &mut Rng) -> DVec3 {
    DVec3::from([0; 3].map(|_| 2.0 * random.f64() - 1.0))
}

/// Two edges that cross at the origin, each with its triangle on its own side: the distance is zero. The nearest points of edges are
/// found by a determinant that vanishes with the square of the angle: a lower bound of 4e-9 was called certified.
#[test]
fn edges_that_cross_at_small_angles_touch() {
    for exponent in 1..=15 {
        let angle = 10f64.powi(-exponent);
        let turned = DVec3::new(angle.cos(), angle.sin(), 0.0);
        for shift in [0.0, 0.3, -0.7] {
            let one = mesh(&[[-DVec3::X, DVec3::X, -DVec3::Z]]);
            let other = mesh(&[[turned * (shift - 1.0), turned * (shift + 1.0), DVec3::Z]]);
            let found = bounds(&one, &Pose::IDENTITY, &other, &Pose::IDENTITY);
            assert!(found.lower <= 0.0 && found.upper < 1e-9, "{angle:e} {shift}: {found:?}");
        }
    }
}

/// A metre apart by construction, and nine orders of magnitude from the origin.
#[test]
fn far_from_the_origin_bounds_hold() {
    let square = [[DVec3::ZERO, DVec3::X, DVec3::Y], [DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Y]];
    let flat = mesh(&square);
    let mut random = Rng::with_seed(5);
    for _ in 0..200 {
        // Translations whose difference is exact.
        let away = (vector(&mut random) * 1e9).round();
        let turn = DQuat::from_scaled_axis(vector(&mut random) * 3.0);
        let pose = |rotation, offset| Pose { rotation, translation: away + offset };
        let found = bounds(&flat, &pose(DQuat::IDENTITY, DVec3::ZERO), &flat, &pose(DQuat::IDENTITY, DVec3::Z));
        assert!(found.lower <= 1.0 && 1.0 <= found.upper && found.upper - found.lower < 1e-11, "{found:?}");
        // The same turn of both about the first one's corner, with the offset that the turn gives to rounding.
        let found = bounds(&flat, &pose(turn, DVec3::ZERO), &flat, &pose(turn, turn * DVec3::Z));
        let lost = 1e-6;
        assert!(
            found.lower <= 1.0 + lost && 1.0 - lost <= found.upper && found.upper - found.lower < 1e-11,
            "{found:?}"
        );
    }
}

/// Slivers, nearly parallel edges and ordinary triangles: the bounds agree with the least of all certified distances.
#[test]
fn bounds_agree_with_all_pairs_of_triangles() {
    let mut random = Rng::with_seed(7);
    for index in 0..400 {
        let thin = 10f64.powf(-14.0 * random.f64());
        let along = vector(&mut random);
        let mut triangle = |offset: DVec3| {
            let base = offset + vector(&mut random) * 0.2;
            let mut near = || vector(&mut random) * thin;
            let (p, q) = (base - along + near(), base + along + near());
            let third = if index % 3 == 0 { base + near() } else { base + vector(&mut random) };
            [p, q, third]
        };
        let ones: Vec<_> = (0..4).map(|_| triangle(DVec3::ZERO)).collect();
        let offset = DVec3::new(0.0, 0.0, [1.5, 0.6, 0.1][index % 3]);
        let others: Vec<_> = (0..4).map(|_| triangle(offset)).collect();
        let (one, other) = (mesh(&ones), mesh(&others));
        let turn = DQuat::from_scaled_axis(vector(&mut random));
        let (pose_a, pose_b) = (Pose::IDENTITY, Pose { rotation: turn, translation: vector(&mut random) * 0.1 });
        let found = bounds(&one, &pose_a, &other, &pose_b);
        let (mut lower, mut upper) = (f64::INFINITY, f64::INFINITY);
        for i in 0..4 {
            for j in 0..4 {
                let (a, b) = (one.triangle(i).into(), other.triangle(j).into());
                let pair = distance(&a, &pose_a, &b, &pose_b, &Options::DEFAULT).unwrap().bounds.unwrap();
                (lower, upper) = (lower.min(pair.lower), upper.min(pair.upper));
            }
        }
        assert!(found.lower <= upper && lower <= found.upper, "{index}: {found:?}, truth in [{lower}, {upper}]");
        assert!(found.upper - found.lower <= 1e-7, "{index}: {found:?}, truth in [{lower}, {upper}]");
    }
}
