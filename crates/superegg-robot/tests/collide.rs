//! Distances, gradients, batches and trajectories against brute force.

mod support;

use std::path::Path;

use glam::{DQuat, DVec3};
use superegg::shape::Superellipsoid;
use superegg_robot::collide::{AllowedCollisions, CollisionModel, Other, Scratch};
use superegg_robot::contact_geometry::{ContactGeometry, ContactPart, FitOptions};
use superegg_robot::hand::{HandShapes, Side, built_in_hand};
use superegg_robot::kinematics::Kinematics;
use superegg_robot::model::Robot;
use superegg_robot::trajectory::{TrajectoryOptions, check_trajectory};
use superegg_robot::urdf::{ReadOptions, read, read_file};
use superegg_robot::{AcmOptions, Pose, Reason, Threads, generate_acm, srdf};
use support::shared;

/// An arm of smooth links, a box, a cylinder and a capsule.
fn arm() -> Robot {
    let shapes = [
        "<superellipsoid radii=\"0.06 0.06 0.1\" exponents=\"1 0.5\"/>",
        "<capsule radius=\"0.04\" length=\"0.2\"/>",
        "<superovoid radii=\"0.05 0.05 0.14\" exponents=\"1 0.8\" taper=\"-0.2 -0.2\"/>",
        "<box size=\"0.08 0.06 0.2\"/>",
        "<cylinder radius=\"0.04\" length=\"0.18\"/>",
        "<sphere radius=\"0.05\"/>",
    ];
    let mut text = String::from("<robot name=\"arm\">");
    for (number, shape) in shapes.iter().enumerate() {
        text += &format!(
            "<link name=\"l{number}\"><collision><origin xyz=\"0 0 0.12\"/><geometry>{shape}</geometry></collision></link>"
        );
        if number > 0 {
            let axis = if number % 2 == 1 { "0 1 0" } else { "1 0 0" };
            text += &format!(
                "<joint name=\"j{number}\" type=\"revolute\"><parent link=\"l{}\"/><child link=\"l{number}\"/><origin xyz=\"0 0 0.24\"/>\
                 <axis xyz=\"{axis}\"/><limit lower=\"-2.6\" upper=\"2.6\" effort=\"50\" velocity=\"2\"/></joint>",
                number - 1
            );
        }
    }
    text += "</robot>";
    read(Path::new("arm.urdf"), &text, &ReadOptions::default()).unwrap().robot
}

fn model(robot: &Robot, obstacles: &[ContactPart]) -> CollisionModel {
    let geometry = ContactGeometry::new(robot, &FitOptions::default(), &mut |_| {}).unwrap();
    let allowed = AllowedCollisions::adjacent(robot, &Kinematics::new(robot));
    CollisionModel::new(robot, &geometry, &allowed, obstacles).unwrap()
}

fn obstacles(count: usize, seed: u64) -> Vec<ContactPart> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut number = |low: f64, high: f64| low + (high - low) * random.f64();
    (0..count)
        .map(|_| {
            let radii = [number(0.04, 0.12), number(0.04, 0.12), number(0.04, 0.2)];
            let shape = Superellipsoid::new(radii, [number(0.2, 1.2), number(0.2, 1.2)]).unwrap();
            let direction = DVec3::new(number(-1.0, 1.0), number(-1.0, 1.0), number(-0.2, 1.0)).normalize_or(DVec3::X);
            let turn = DQuat::from_xyzw(number(-1.0, 1.0), number(-1.0, 1.0), number(-1.0, 1.0), 0.5).normalize();
            ContactPart::new(shape, Pose { rotation: turn, translation: direction * number(0.35, 1.0) })
        })
        .collect()
}

/// Bounds against points of the true surfaces: a box's corners and edges reach beyond its superellipsoid.
#[test]
fn bounds_hold_for_boxes_cylinders_and_capsules() {
    let robot = arm();
    let model = model(&robot, &[]);
    let kinematics = Kinematics::new(&robot);
    let mut random = fastrand::Rng::with_seed(8);
    // Surface points of the shapes as the file says them.
    let mut surface = |link: usize| -> Vec<DVec3> {
        let mut unit = || 2.0 * random.f64() - 1.0;
        let mut points = Vec::new();
        for _ in 0..4000 {
            let (x, y, z) = (unit(), unit(), unit());
            let center = DVec3::Z * 0.12;
            points.push(
                center
                    + match link {
                        3 => DVec3::new(0.04 * x.signum(), 0.03 * y.signum(), 0.1 * z),
                        4 => DVec3::new(x, y, 0.0).normalize_or(DVec3::X) * 0.04 + DVec3::Z * (0.09 * z.signum()),
                        1 => DVec3::new(x, y, z).normalize_or(DVec3::X) * 0.04 + DVec3::Z * (0.1 * z.signum()),
                        _ => DVec3::new(x, y, z).normalize_or(DVec3::X) * 0.05,
                    },
            );
        }
        points
    };
    let clouds: Vec<(usize, Vec<DVec3>)> = [1, 3, 4, 5].into_iter().map(|link| (link, surface(link))).collect();
    let mut close = 0;
    for seed in 0..60 {
        let q = kinematics.random(&robot, &mut fastrand::Rng::with_seed(seed));
        let poses = kinematics.link_poses(&q, &Pose::IDENTITY);
        for pair in model.distances(&q).unwrap() {
            let Other::Link(b) = pair.b else { continue };
            let cloud = |link: usize| clouds.iter().find(|(l, _)| *l == link).map(|(_, points)| points);
            let (Some(one), Some(other)) = (cloud(pair.a), cloud(b)) else { continue };
            if pair.outcome.distance < 0.0 {
                continue;
            }
            let bounds = pair.outcome.bounds.unwrap();
            assert!(bounds.upper - bounds.lower < 2e-4, "{bounds:?}");
            // No two points of the true surfaces are closer than the lower bound.
            let normal = pair.outcome.normal;
            let far = |points: &Vec<DVec3>, link: usize, along: DVec3| {
                points.iter().map(|p| poses[link].transform_point(*p).dot(along)).fold(f64::NEG_INFINITY, f64::max)
            };
            let gap = -far(one, pair.a, normal) - far(other, b, -normal);
            assert!(gap >= bounds.lower - 1e-12, "{gap} {bounds:?}");
            close += usize::from(gap < bounds.upper + 5e-3);
        }
    }
    assert!(close > 100, "{close}: the samples come near the bounds");
}

#[test]
fn gradients_agree_with_finite_differences() {
    let mut compared = 0;
    for robot in [arm(), built_in_hand(Side::Right, HandShapes::Mixed).unwrap()] {
        let model = model(&robot, &obstacles(2, 3));
        let kinematics = Kinematics::new(&robot);
        for seed in 0..6 {
            let q = kinematics.random(&robot, &mut fastrand::Rng::with_seed(100 + seed));
            let here = model.distances(&q).unwrap();
            for number in 0..q.len() {
                let h = 1e-6;
                let moved = |by: f64| {
                    let mut q = q.clone();
                    q[number] += by;
                    model.distances(&q).unwrap()
                };
                let (ahead, behind) = (moved(h), moved(-h));
                for ((now, more), less) in here.iter().zip(&ahead).zip(&behind) {
                    let smooth =
                        now.outcome.is_differentiable() && more.parts == less.parts && now.outcome.distance > 1e-3;
                    if !smooth {
                        continue;
                    }
                    let slope = (more.outcome.distance - less.outcome.distance) / (2.0 * h);
                    // Distances are exact to 1e-9 of the size: 1e-3 a difference over 2e-6 at worst, commonly far less.
                    assert!((slope - now.gradient[number]).abs() < 2e-3, "{slope} {}", now.gradient[number]);
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 2000, "{compared}");
}

#[test]
fn batches_agree_with_distances() {
    let robot = arm();
    let model = model(&robot, &obstacles(6, 1));
    let kinematics = Kinematics::new(&robot);
    let mut random = fastrand::Rng::with_seed(11);
    let (mut many, mut expected) = (Vec::new(), Vec::new());
    for _ in 0..1500 {
        let q = kinematics.random(&robot, &mut random);
        let least =
            model.distances(&q).unwrap().iter().map(|p| p.outcome.bounds.unwrap().lower).fold(f64::INFINITY, f64::min);
        expected.push(least);
        many.extend(q);
    }
    let answers = model.are_free(&many, Threads::One).unwrap();
    assert_eq!(answers, model.are_free(&many, Threads::All).unwrap());
    let mut free = 0;
    for (answer, least) in answers.iter().zip(&expected) {
        // What is within rounding of touching may be either.
        if least.abs() > 1e-8 {
            assert_eq!(*answer, *least > 0.0, "{least}");
        }
        free += usize::from(*answer);
    }
    assert!(free > 100 && free < 1400, "{free} free");
    assert!(model.are_free(&[f64::NAN; 5], Threads::One).is_err());
    assert!(model.are_free(&many[1..], Threads::One).is_err());
    let mut scratch = Scratch::default();
    assert_eq!(model.is_free(&many[..5], &mut scratch).unwrap(), answers[0]);
}

/// Against a thousand samples between two configurations: contact is never reported later than they see it, and hardly earlier.
#[test]
fn trajectories_are_never_late() {
    let robot = arm();
    let (contacts, clear) = never_late(&robot, &model(&robot, &obstacles(5, 2)), 120);
    assert!(contacts > 20 && clear > 2, "{contacts} contacts, {clear} clear");
}

/// The same for robots made by others, fitted, with pairs allowed that touch where joints are at zero.
#[test]
fn trajectories_of_robots_made_by_others_are_never_late() {
    for path in support::robots() {
        let robot = read_file(&path, &ReadOptions::default()).unwrap().robot;
        let geometry = ContactGeometry::new(&robot, &FitOptions::default(), &mut |_| {}).unwrap();
        let allowed = AllowedCollisions::at_rest(&robot, &geometry).unwrap();
        let model = CollisionModel::new(&robot, &geometry, &allowed, &[]).unwrap();
        let (contacts, clear) = never_late(&robot, &model, 12);
        println!("{}: {contacts} contacts, {clear} clear", path.display());
        assert!(contacts > 0);
    }
}

/// Random straight motions, compared with a thousand samples of each; how many have contacts and how many are clear.
fn never_late(robot: &Robot, model: &CollisionModel, motions: u64) -> (usize, usize) {
    let kinematics = Kinematics::new(robot);
    let (mut contacts, mut clear) = (0, 0);
    for seed in 0..motions {
        let mut random = fastrand::Rng::with_seed(seed);
        let (from, to) = (kinematics.random(robot, &mut random), kinematics.random(robot, &mut random));
        let report = check_trajectory(model, &[from.clone(), to.clone()], &TrajectoryOptions::default()).unwrap();
        let at = |t: f64| -> Vec<f64> { from.iter().zip(&to).map(|(p, q)| p + (q - p) * t).collect() };
        let mut scratch = Scratch::default();
        let dense = (0..=1000).map(|n| f64::from(n) / 1000.0).find(|t| !model.is_free(&at(*t), &mut scratch).unwrap());
        match (report.first_contact, dense) {
            (None, None) => clear += 1,
            (Some(found), seen) => {
                assert!(seen.is_none_or(|seen| found.sample <= seen + 1e-9), "late: {} after {seen:?}", found.sample);
                // There the pair really is within the tolerance.
                let there = model.distances(&at(found.sample)).unwrap();
                let pair = there.iter().find(|p| p.a == found.a && p.b == found.b).unwrap();
                assert!(pair.outcome.bounds.unwrap().lower <= 1.1e-5, "{:?}", pair.outcome.bounds);
                contacts += 1;
            }
            (None, Some(seen)) => panic!("seed {seed}: a contact at {seen} was missed"),
        }
    }
    (contacts, clear)
}

#[test]
fn allowed_collisions_are_what_samples_say() {
    let robot = built_in_hand(Side::Left, HandShapes::Superovoids).unwrap();
    let geometry = ContactGeometry::new(&robot, &FitOptions::default(), &mut |_| {}).unwrap();
    let options = AcmOptions { samples: 400, ..AcmOptions::default() };
    let pairs = generate_acm(&robot, &geometry, &options).unwrap();
    assert_eq!(pairs, generate_acm(&robot, &geometry, &options).unwrap());
    let adjacent = pairs.iter().filter(|pair| pair.reason == Reason::Adjacent).count();
    assert_eq!(adjacent, robot.joints.len());
    assert!(pairs.iter().any(|pair| pair.reason == Reason::Never));
    // Written, read, and applied.
    let written = srdf::Srdf::default().with_pairs(&robot, &pairs).write().unwrap();
    let (read, said) = srdf::read(Path::new("hand.srdf"), &written).unwrap();
    assert!(said.is_empty());
    let mut allowed = AllowedCollisions::default();
    assert!(read.allow(&robot, &mut allowed).is_empty());
    assert!(pairs.iter().all(|pair| allowed.allows(pair.a, pair.b)));
    let at_rest = AllowedCollisions::at_rest(&robot, &geometry).unwrap();
    assert!(
        CollisionModel::new(&robot, &geometry, &at_rest, &[]).unwrap().link_pairs().len() < 21 * 20 / 2 - adjacent + 1
    );
}

/// All of the shared robots: loaded, fitted, written, and read back to the same shapes.
#[test]
fn robots_made_by_others_are_fitted_and_come_back() {
    let Some(folder) = shared("robots") else { return };
    for name in [
        "panda/panda.urdf",
        "schunk_hand_right/schunk_svh_hand_right.urdf",
        "allegro_hand_right/allegro_hand_right.urdf",
    ] {
        let robot = read_file(&folder.join(name), &ReadOptions::default()).unwrap().robot;
        let options = FitOptions::default();
        let geometry = ContactGeometry::new(&robot, &options, &mut |_| {}).unwrap();
        assert!(geometry.diagnostics.is_empty(), "{:?}", geometry.diagnostics);
        for fit in &geometry.fits {
            let triangles = fit.certificate.expect("proved").proved;
            assert!(triangles > 0 && fit.metrics.coverage > 0.999, "{name}: {}", robot.links[fit.link].name);
        }
        let smooth = geometry.applied_to(&robot, &options);
        let folder = tempfile::tempdir().unwrap();
        for compat in [false, true] {
            let path = folder.path().join("smooth.urdf");
            let written = superegg_robot::urdf::WriteOptions { compat, folder: None };
            superegg_robot::urdf::write_file(&smooth, &path, &written).unwrap();
            let again = read_file(&path, &ReadOptions::default()).unwrap().robot;
            let back = ContactGeometry::new(&again, &options, &mut |_| {}).unwrap();
            assert!(back.fits.is_empty(), "nothing is left to fit");
            let sorted = |geometry: &ContactGeometry| {
                let mut all: Vec<String> = geometry.parts().map(|(link, part)| format!("{link} {part:?}")).collect();
                all.sort();
                all
            };
            assert_eq!(sorted(&back), sorted(&geometry), "{name}");
        }
    }
}
