//! Compound bodies against all pairs of their parts.

use glam::DVec3;
use superegg::Pose;
use superegg::query::{Options, distance};
use superegg::shape::{Plane, Shape, Superellipsoid};
use superegg_world::WorldError;
use superegg_world::compound::{Compound, Part};
use superegg_world::geometry::{self, Geometry};
use testkit::generate::{Domain, Rng, convex_superovoid, direction, polytope, rotation, seeded, superovoid};

fn parts(rng: &mut Rng, count: usize, spread: f64, convex: bool) -> Vec<Part> {
    (0..count)
        .map(|index| {
            let shape: Shape = match index % 7 {
                6 => polytope(rng, 0.5),
                _ if convex => convex_superovoid(rng, &Domain::MODERATE).into(),
                _ => superovoid(rng, &Domain::MODERATE).into(),
            };
            Part { shape, pose: Pose { rotation: rotation(rng), translation: direction(rng) * spread } }
        })
        .collect()
}

fn all_pairs(a: &[Part], pose_a: &Pose, b: &[Part], pose_b: &Pose) -> Vec<(u32, u32, f64)> {
    let mut all = Vec::new();
    for (i, part_a) in (0u32..).zip(a) {
        for (j, part_b) in (0u32..).zip(b) {
            let (at_a, at_b) = (pose_a.compose(&part_a.pose), pose_b.compose(&part_b.pose));
            let found = distance(&part_a.shape, &at_a, &part_b.shape, &at_b, &Options::default()).unwrap();
            all.push((i, j, found.distance));
        }
    }
    all
}

#[test]
fn distance_and_contacts_equal_all_pairs() {
    let mut rng = seeded(41);
    let (mut queries, mut pairs) = (0, 0);
    for index in 0..60 {
        let convex = index % 4 != 0;
        let (parts_a, parts_b) = (parts(&mut rng, 9, 2.0, convex), parts(&mut rng, 12, 2.0, convex));
        let away = [1.0, 4.0, 5.0, 9.0][index % 4];
        let pose = |rng: &mut Rng, at: DVec3| Pose { rotation: rotation(rng), translation: at };
        let (pose_a, offset) = (pose(&mut rng, DVec3::ONE * 3.0), direction(&mut rng) * away);
        let pose_b = pose(&mut rng, DVec3::ONE * 3.0 + offset);
        let all = all_pairs(&parts_a, &pose_a, &parts_b, &pose_b);
        let [a, b] = [parts_a, parts_b].map(|parts| Compound::new(parts).unwrap());
        let found = a.distance(&pose_a, &b, &pose_b, &Options::default()).unwrap();
        let least = all.iter().map(|(.., distance)| *distance).fold(f64::INFINITY, f64::min);
        // Where no certificate exists, the bound of a hull may send away what the true surfaces of a pair would not.
        let slack = if convex { 1e-7 } else { 1e-3 };
        let nearest = found.contact.outcome.distance;
        assert!((nearest - least).abs() <= slack, "{index}: {nearest} {least}");
        if away > 3.0 {
            queries += found.queries;
            pairs += all.len();
        }
        let margin = 0.4;
        let contacts = a.contacts(&pose_a, &b, &pose_b, margin, &Options::default(), |_, _| None).unwrap();
        let listed: Vec<(u32, u32)> = contacts.iter().map(|contact| (contact.part_a, contact.part_b)).collect();
        for (i, j, distance) in all {
            if (distance - margin).abs() > slack {
                assert_eq!(listed.contains(&(i, j)), distance <= margin, "{index}: {i} {j} {distance}");
            }
        }
    }
    assert!(queries as usize * 4 < pairs, "{queries} of {pairs}");
}

#[test]
fn every_combination_of_bodies_has_a_distance() {
    let mut rng = seeded(42);
    let compound: Geometry = Compound::new(parts(&mut rng, 6, 1.0, true)).unwrap().into();
    let egg: Geometry = Shape::from(Superellipsoid::new([0.5; 3], [0.7; 2]).unwrap()).into();
    let plane: Geometry = Shape::from(Plane::new(DVec3::Z, 0.0).unwrap()).into();
    let high = Pose::from_translation(DVec3::Z * 4.0);
    let options = Options::default();
    for (a, b) in [(&compound, &egg), (&compound, &plane), (&egg, &plane), (&compound, &compound)] {
        let one = geometry::distance(a, &high, b, &Pose::IDENTITY, &options).unwrap().contact;
        let other = geometry::distance(b, &Pose::IDENTITY, a, &high, &options).unwrap().contact;
        assert!((one.outcome.distance - other.outcome.distance).abs() < 1e-8);
        assert_eq!((one.part_a, one.part_b), (other.part_b, other.part_a));
        assert!((one.outcome.normal + other.outcome.normal).length() < 1e-4);
        let near = geometry::contacts(a, &high, b, &Pose::IDENTITY, 10.0, &options, |_, _| None).unwrap();
        let least = near.iter().map(|contact| contact.outcome.distance).fold(f64::INFINITY, f64::min);
        assert!((least - one.outcome.distance).abs() < 1e-8);
    }
    let refused = geometry::distance(&plane, &high, &plane, &high, &options).unwrap_err();
    assert!(refused.to_string().contains("not defined between a plane and a plane"), "{refused}");
}

#[test]
fn bad_compounds_are_refused() {
    assert_eq!(Compound::new(vec![]).unwrap_err(), WorldError::EmptyCompound);
    let egg: Shape = Superellipsoid::new([0.5; 3], [0.7; 2]).unwrap().into();
    let plane: Shape = Plane::new(DVec3::Z, 0.0).unwrap().into();
    let at = |shape: Shape, pose: Pose| Part { shape, pose };
    let refused = Compound::new(vec![at(egg.clone(), Pose::IDENTITY), at(plane, Pose::IDENTITY)]).unwrap_err();
    assert_eq!(refused.to_string(), "part 1: a plane cannot be part of a compound body");
    let refused = Compound::new(vec![at(egg.clone(), Pose::from_translation(DVec3::NAN))]).unwrap_err();
    assert!(matches!(refused, WorldError::Input(refused) if refused.field == "position[0]"));
    let compound = Compound::of(egg).unwrap();
    let nowhere = Pose::from_translation(DVec3::INFINITY);
    assert!(compound.distance(&nowhere, &compound, &Pose::IDENTITY, &Options::default()).is_err());
}
