//! A pose's fields are public: whatever quaternion they hold, a query answers as for its direction or refuses it by name.

use glam::{DQuat, DVec3};
use superegg::Pose;
use superegg::query::{Options, Ray};
use superegg::shape::{Plane, Shape, Spacing, Superellipsoid, Superovoid, Triangle};
use superegg_mesh::TriangleMesh;
use superegg_world::WorldError;
use superegg_world::bound::{Bound, Dop18, Obb, gap_along};
use superegg_world::collision_mesh::CollisionMesh;
use superegg_world::compound::{Compound, Part};
use superegg_world::geometry::{Geometry, contacts, distance, intersect, ray};
use superegg_world::motion::{Impact, Motion, ToiOptions, time_of_impact};
use superegg_world::superquadric::Superquadric;
use superegg_world::world::{Filter, World, WorldOptions};

fn bodies() -> Vec<Geometry> {
    let egg = Superovoid::new([0.6, 0.4, 0.9], [0.8, 1.2], [0.2, 0.2]).unwrap();
    let indexed = egg.tessellate(60, Spacing::Angles).unwrap();
    let mesh = CollisionMesh::new(TriangleMesh::new(indexed.vertices, indexed.triangles).unwrap()).unwrap();
    let part = |x: f64| Part { shape: egg.into(), pose: Pose::from_translation(DVec3::new(x, 0.1, 0.0)) };
    let corners = [DVec3::new(0.5, 0.0, 0.1), DVec3::new(-0.4, 0.3, 0.0), DVec3::new(0.0, -0.5, 0.2)];
    vec![
        egg.into(),
        Superellipsoid::new([0.5, 0.8, 0.3], [0.5, 0.9]).unwrap().into(),
        Shape::from(Triangle::new(corners).unwrap()).into(),
        Shape::from(Plane::new(DVec3::new(0.1, 0.2, 1.0), -0.4).unwrap()).into(),
        Superquadric::toroid([0.2, 0.3, 0.25], [0.9, 1.1], 2.0).unwrap().into(),
        Compound::new(vec![part(-0.7), part(0.7)]).unwrap().into(),
        mesh.into(),
    ]
}

#[test]
fn the_length_of_a_quaternion_does_not_matter() {
    let turn = DQuat::from_scaled_axis(DVec3::new(0.3, -0.8, 0.5));
    let other = DQuat::from_scaled_axis(DVec3::new(-0.6, 0.2, 1.1));
    let options = Options::DEFAULT;
    let line = Ray::new(DVec3::new(4.0, 0.2, 0.1), -DVec3::X).unwrap();
    for a in bodies() {
        for b in bodies() {
            let plane = |body: &Geometry| !body.reach().is_finite();
            if plane(&a) && plane(&b) {
                continue;
            }
            for length in [1.0 + 1e-9, 0.999, 1e-3, 40.0] {
                let unit = [
                    Pose { rotation: turn, translation: DVec3::new(0.1, 0.0, 0.2) },
                    Pose { rotation: other, translation: DVec3::new(2.0, 1.0, 0.5) },
                ];
                let long = unit.map(|pose| Pose { rotation: pose.rotation * length, ..pose });
                let expected = distance(&a, &unit[0], &b, &unit[1], &options).unwrap().contact.outcome;
                let found = distance(&a, &long[0], &b, &long[1], &options).unwrap().contact.outcome;
                let names = [a.name(), b.name()];
                // Off by the rounding of one normalisation; descents on ridges end a little apart.
                assert!((found.distance - expected.distance).abs() < 1e-8, "{names:?} {length}");
                let bounds = found.bounds.unwrap_or(expected.bounds.unwrap());
                assert!(bounds.lower <= expected.distance + 1e-12 && expected.distance <= bounds.upper + 1e-8);
                assert_eq!(
                    intersect(&a, &long[0], &b, &long[1]).unwrap(),
                    intersect(&a, &unit[0], &b, &unit[1]).unwrap()
                );
                let near = |poses: &[Pose; 2]| {
                    contacts(&a, &poses[0], &b, &poses[1], 10.0, &options, |_, _| None).unwrap()[0].outcome.distance
                };
                assert!((near(&long) - near(&unit)).abs() < 1e-8, "{names:?}");
            }
        }
        let unit = Pose { rotation: turn, translation: DVec3::ZERO };
        let long = Pose { rotation: turn * 1.5, ..unit };
        let hits = [unit, long].map(|pose| ray(&a, &pose, &line).unwrap().map(|(_, hit)| hit.t));
        assert!(
            hits[0].zip(hits[1]).is_none_or(|(p, q)| (p - q).abs() < 1e-12) && hits[0].is_some() == hits[1].is_some()
        );
        if a.reach().is_finite() {
            let boxes = [unit, long].map(|pose| a.aabb(&pose));
            assert!((boxes[0].min - boxes[1].min).length() < 1e-12 && (boxes[0].max - boxes[1].max).length() < 1e-12);
        }
    }
    let shape: Shape = Superellipsoid::new([0.5, 0.8, 0.3], [0.5, 0.9]).unwrap().into();
    let [unit, long] = [1.0, 3.0].map(|length| Pose { rotation: turn * length, translation: DVec3::X });
    let gaps = [unit, long].map(|pose| gap_along(DVec3::X, &shape, &Pose::IDENTITY, &shape, &pose));
    assert!((gaps[0] - gaps[1]).abs() < 1e-14);
    let boxes = [unit, long].map(|pose| Obb::of(&shape, &pose).unwrap());
    assert!((boxes[0].axes.x_axis - boxes[1].axes.x_axis).length() < 1e-14);
    let wide = [unit, long].map(|pose| Dop18::of(&shape, &pose).unwrap());
    let merged = wide[0].merged(&wide[1]);
    assert!(merged.distance(&wide[0]) == 0.0 && format!("{merged:.9?}") == format!("{:.9?}", wide[0]));
}

#[test]
fn moving_and_remembered_bodies_are_normalised_too() {
    let ball = Geometry::from(Superellipsoid::new([0.5, 0.3, 0.4], [0.8, 1.0]).unwrap());
    let turn = DQuat::from_rotation_y(0.7);
    let motion = |length: f64| Motion {
        pose: Pose { rotation: turn * length, translation: DVec3::X * 4.0 },
        velocity: -DVec3::X,
        angular_velocity: DVec3::Z,
    };
    let when = |length: f64| {
        let rest = Motion::rest(Pose::IDENTITY);
        match time_of_impact(&ball, &motion(length), &ball, &rest, &ToiOptions::within(9.0)).unwrap().impact {
            Impact::At(time, _) => time,
            other => panic!("{other:?}"),
        }
    };
    assert!((when(1.0) - when(7.0)).abs() < 1e-9);
    let mut world = World::new(WorldOptions::within(0.1)).unwrap();
    let body = world.add(ball.clone(), Pose { rotation: turn * 5.0, translation: DVec3::ZERO }).unwrap();
    assert!((world.pose(body).unwrap().rotation.length() - 1.0).abs() < 1e-15);
    let hit = world.cast(&ball, &motion(0.2), &ToiOptions::within(9.0), Filter::ALL).unwrap().unwrap();
    assert!(hit.found.impact.free_until() > 2.0);
}

#[test]
fn no_direction_is_refused_by_name() {
    let here = Pose::IDENTITY;
    for rotation in [DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), DQuat::from_xyzw(f64::NAN, 0.0, 0.0, 1.0)] {
        let nowhere = Pose { rotation, translation: DVec3::X * 3.0 };
        let named = |error: WorldError| matches!(error, WorldError::Input(refused) if refused.field == "orientation");
        for a in bodies() {
            for b in bodies() {
                assert!(named(distance(&a, &here, &b, &nowhere, &Options::DEFAULT).unwrap_err()));
                assert!(named(intersect(&a, &nowhere, &b, &here).unwrap_err()));
            }
            let line = Ray::new(DVec3::ZERO, DVec3::X).unwrap();
            assert!(named(ray(&a, &nowhere, &line).unwrap_err()));
        }
    }
}
