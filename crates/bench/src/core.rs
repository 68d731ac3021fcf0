//! The distance core beside parry: single queries, warm starts, overlap, ellipsoids, superovoids, derivatives, growth, batches; whether bodies
//! intersect; and every pair of kinds of body on its own (`kinds`).
//!
//! Inputs are made before the clock starts, from fixed seeds. Both sides of a row run alternately on the same inputs in
//! several rounds, and the median round counts, so that a busy machine disturbs both alike. Every answer is compared
//! with the truth: by construction for pairs that are apart, by our own certified bounds for points, by branch and bound
//! or dense sampling for depths.

mod gradient;
mod growth;
mod intersect;

use std::convert::Infallible;

use cpu_time::ThreadTime;

use glam::{DQuat, DVec3};
use parry3d_f64::query::details::{contact_support_map_support_map, distance_support_map_support_map};
use rand::RngExt;
use superegg::Pose;
use superegg::query::batch::{Placed, Threads, closest_points, distances};
use superegg::query::{Options, Status, Track, closest_point, distance, tracked_distance};
use superegg::shape::{Shape, Spacing, Superellipsoid, Superovoid};
use testkit::Pair;
use testkit::generate::{Rng, battery, direction, rotation, seeded};
use testkit::oracle::sampling;

use crate::measure::spend;
use crate::peers::{ParryEgg, ParryMesh, ParryPose, parry_pose};
use crate::report::{Report, Section};
use crate::{Progress, Settings, Table};

/// How much to measure.
#[derive(Clone, Copy)]
struct Effort {
    /// Pairs or points in a row.
    count: usize,
    /// Rounds, of which the median counts.
    rounds: usize,
    /// Overlapping pairs whose depth is sampled.
    sampled: usize,
}

impl Effort {
    /// A few seconds.
    const QUICK: Effort = Effort { count: 2_000, rounds: 3, sampled: 150 };
    /// What the documentation's figures come from.
    const FULL: Effort = Effort { count: 20_000, rounds: 7, sampled: 1_000 };
}

/// Median seconds per item of two pieces of work that take turns.
fn compare(effort: Effort, items: usize, mut ours: impl FnMut(), mut peer: impl FnMut()) -> (f64, f64) {
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for _ in 0..effort.rounds {
        let start = ThreadTime::now();
        ours();
        first.push(start.elapsed().as_secs_f64());
        let start = ThreadTime::now();
        peer();
        second.push(start.elapsed().as_secs_f64());
    }
    let median = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2] / items as f64
    };
    (median(&mut first), median(&mut second))
}

fn micro(seconds: f64) -> String {
    format!("{:.3}", seconds * 1e6)
}

/// What pairs are made of.
#[derive(Clone, Copy, PartialEq)]
enum Family {
    /// Exponents in [0.3, 1.1].
    Superellipsoids,
    /// The same with exponents of one.
    Ellipsoids,
}

impl Family {
    fn name(self) -> &'static str {
        match self {
            Family::Superellipsoids => "superellipsoid pairs",
            Family::Ellipsoids => "ellipsoid pairs",
        }
    }
}

/// A pair of superellipsoids in the frame of the first, and the distance along the normal it was built for.
struct Case {
    a: Superellipsoid,
    b: Superellipsoid,
    /// The same, made before the clock starts.
    shapes: [Shape; 2],
    pose_b: Pose,
    normal: DVec3,
    distance: f64,
}

impl Case {
    fn size(&self) -> f64 {
        let largest = |egg: &Superellipsoid| egg.radii().into_iter().fold(0.0, f64::max);
        largest(&self.a) + largest(&self.b)
    }

    fn placed(&self) -> [Placed; 2] {
        let [a, b] = self.shapes.clone();
        [Placed { shape: a, pose: Pose::IDENTITY }, Placed { shape: b, pose: self.pose_b }]
    }

    fn for_parry(&self) -> (ParryEgg, ParryEgg, ParryPose) {
        (ParryEgg(self.a.into()), ParryEgg(self.b.into()), parry_pose(&self.pose_b))
    }
}

/// A thousandth of the size apart to all of it, even in the logarithm.
fn clear(part: f64) -> f64 {
    10f64.powf(-3.0 + 3.0 * part)
}

/// Pairs with radii in [0.1, 1] whose tangent planes are the given distances apart.
fn cases(family: Family, seed: u64, count: usize, spacing: impl Fn(f64) -> f64) -> Vec<Case> {
    let mut rng = seeded(seed);
    (0..count)
        .map(|_| {
            let mut egg = || {
                let radii = [0; 3].map(|_| 0.1 + 0.9 * rng.random_range(0.0..1.0));
                let exponents = [0; 2].map(|_| 0.3 + 0.8 * rng.random_range(0.0..1.0));
                let exponents = if family == Family::Ellipsoids { [1.0; 2] } else { exponents };
                Superellipsoid::new(radii, exponents).expect("within the domain")
            };
            let (a, b) = (egg(), egg());
            let turn = rotation(&mut rng);
            let normal = direction(&mut rng);
            let largest = |egg: &Superellipsoid| egg.radii().into_iter().fold(0.0, f64::max);
            let distance = spacing(rng.random_range(0.0..1.0)) * (largest(&a) + largest(&b));
            let x_a = a.support(normal);
            let x_b = turn * b.support(turn.conjugate() * -normal);
            let pose_b = Pose { rotation: turn, translation: x_a + normal * distance - x_b };
            Case { a, b, shapes: [a.into(), b.into()], pose_b, normal, distance }
        })
        .collect()
}

/// Runs the suite.
pub fn run(settings: &Settings, progress: &dyn Progress) -> Result<Report, Infallible> {
    let effort = if settings.quick { Effort::QUICK } else { Effort::FULL };
    let mut table = Table::new(&["work", "ours µs", "compared with", "theirs µs", "ratio", "checked"]);
    let options = Options::default();
    let (eggs, ellipsoids) = (Family::Superellipsoids, Family::Ellipsoids);
    let rows: [&dyn Fn(&mut Table); 22] = [
        &|table| apart(table, effort, &options, eggs),
        &|table| warm(table, effort, &options, pairs_apart(eggs, effort), 0.01),
        &|table| warm(table, effort, &options, pairs_apart(eggs, effort), 0.001),
        &|table| pair_batch(table, effort, &options, eggs),
        &|table| gradient::rows(table, effort, &options, eggs),
        &|table| growth::rows(table, effort, &options, eggs),
        &|table| intersect::rows(table, effort, eggs),
        &|table| apart(table, effort, &options, ellipsoids),
        &|table| warm(table, effort, &options, pairs_apart(ellipsoids, effort), 0.01),
        &|table| pair_batch(table, effort, &options, ellipsoids),
        &|table| gradient::rows(table, effort, &options, ellipsoids),
        &|table| growth::rows(table, effort, &options, ellipsoids),
        &|table| intersect::rows(table, effort, ellipsoids),
        &|table| overlapping(table, effort, &options, "depth < 0.2 of the size", |u| -0.2 * u),
        &|table| overlapping(table, effort, &options, "deeper, to 0.6", |u| -0.2 - 0.4 * u),
        &|table| warm(table, effort, &options, overlaps("depth < 0.2 of the size", effort, |u| -0.2 * u), 0.01),
        &|table| warm(table, effort, &options, overlaps("deeper, to 0.6", effort, |u| -0.2 - 0.4 * u), 0.01),
        &|table| tracked(table, effort, &options, overlaps("depth < 0.2 of the size", effort, |u| -0.2 * u), 0.01),
        &|table| tracked(table, effort, &options, overlaps("deeper, to 0.6", effort, |u| -0.2 - 0.4 * u), 0.01),
        &|table| superovoids(table, effort, &options),
        &|table| points(table, effort, &options),
        &|table| superovoid_points(table, effort, &options),
    ];
    progress.begin("distance core", rows.len() as u64);
    for row in rows {
        row(&mut table);
        progress.advance(1);
    }
    let text = format!(
        "Our default method, certified to 1e-9 of the size, beside parry: one thread, {} pairs or about as many points a \
         row, the median of {} alternating rounds. Every answer is checked: by construction for pairs that are apart, by \
         dense sampling for depths, by the certified single query for batches.",
        effort.count, effort.rounds
    );
    let section = Section { title: String::new(), text, tables: vec![("distance".into(), table)], plots: Vec::new() };
    let kinds = crate::kinds::section(settings, progress);
    Ok(Report { name: "core", title: "Distance core".into(), sections: vec![section, kinds] })
}

fn apart(table: &mut Table, effort: Effort, options: &Options, family: Family) {
    let cases = cases(family, 1, effort.count, clear);
    let worst = cases
        .iter()
        .map(|case| {
            let answer = answer(case, options);
            assert_eq!(answer.status, Status::Separated);
            (answer.distance - case.distance).abs() / case.size()
        })
        .fold(0.0, f64::max);
    let eggs = cases.iter().map(Case::for_parry).collect::<Vec<_>>();
    let parry_worst = cases
        .iter()
        .zip(&eggs)
        .map(|(case, (a, b, pose))| (distance_support_map_support_map(pose, a, b) - case.distance).abs() / case.size())
        .fold(0.0, f64::max);
    let (ours, theirs) = compare(
        effort,
        cases.len(),
        || cases.iter().for_each(|case| spend(answer(case, options))),
        || eggs.iter().for_each(|(a, b, pose)| spend(distance_support_map_support_map(pose, a, b))),
    );
    table.push([
        match family {
            Family::Superellipsoids => "superellipsoid pairs apart, e in [0.3, 1.1], cold".into(),
            Family::Ellipsoids => "ellipsoid pairs apart, cold".into(),
        },
        micro(ours),
        "parry GJK distance".into(),
        micro(theirs),
        format!("{:.1}×", theirs / ours),
        format!("largest error {worst:.1e} of the size (parry {parry_worst:.1e})"),
    ]);
}

fn answer(case: &Case, options: &Options) -> superegg::query::Outcome {
    distance(&case.shapes[0], &Pose::IDENTITY, &case.shapes[1], &case.pose_b, options).expect("valid input")
}

fn overlapping(table: &mut Table, effort: Effort, options: &Options, name: &str, spacing: impl Fn(f64) -> f64) {
    let cases = cases(Family::Superellipsoids, 2, effort.count, spacing);
    // Sampling costs a thousand times a query; a part of the pairs tells the rate.
    let sampled = effort.sampled;
    let missed = cases[..sampled]
        .iter()
        .filter(|case| {
            let [a, b] = case.placed();
            let pair = Pair { a: a.shape, pose_a: a.pose, b: b.shape, pose_b: b.pose };
            answer(case, options).distance < sampling::over_normals(&pair).distance - 1e-6 * case.size()
        })
        .count();
    let eggs = cases.iter().map(Case::for_parry).collect::<Vec<_>>();
    let parry_missed = eggs[..sampled]
        .iter()
        .zip(&cases)
        .filter(|((a, b, pose), case)| {
            let ours = answer(case, options).distance;
            contact_support_map_support_map(pose, a, b, 0.0)
                .is_none_or(|contact| contact.dist < ours - 1e-4 * case.size())
        })
        .count();
    let (ours, theirs) = compare(
        effort,
        cases.len(),
        || cases.iter().for_each(|case| spend(answer(case, options))),
        || eggs.iter().for_each(|(a, b, pose)| spend(contact_support_map_support_map(pose, a, b, 0.0))),
    );
    table.push([
        format!("superellipsoid pairs overlapping, {name}"),
        micro(ours),
        "parry contact (GJK + EPA)".into(),
        micro(theirs),
        format!("{:.1}×", theirs / ours),
        format!(
            "global minimum in {:.2} % of {sampled} (parry within 1e-4: {:.2} %)",
            100.0 * (1.0 - missed as f64 / sampled as f64),
            100.0 * (1.0 - parry_missed as f64 / sampled as f64)
        ),
    ]);
}

fn superovoids(table: &mut Table, effort: Effort, options: &Options) {
    let is_convex = |shape: &Shape| match shape {
        Shape::Superovoid(ovoid) => ovoid.is_convex(),
        _ => true,
    };
    let mut rng = seeded(3);
    let mut apart = Vec::with_capacity(effort.count);
    while apart.len() < effort.count {
        let pair = battery::superovoid_pair(&mut rng);
        let answer = distance(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, options).expect("valid input");
        if answer.status == Status::Separated {
            apart.push(pair);
        }
    }
    let plain: Vec<_> = apart
        .iter()
        .map(|pair| {
            let without_taper = |shape: &Shape| match shape {
                Shape::Superovoid(ovoid) => {
                    Superellipsoid::new(ovoid.radii(), ovoid.exponents()).expect("within the domain").into()
                }
                other => other.clone(),
            };
            (without_taper(&pair.a), pair.pose_a, without_taper(&pair.b), pair.pose_b)
        })
        .collect();
    let query = |(a, pose_a, b, pose_b): &(Shape, Pose, Shape, Pose)| {
        distance(a, pose_a, b, pose_b, options).expect("valid input")
    };
    for (name, convex) in [("convex", true), ("not convex", false)] {
        // The battery itself holds few convex pairs; equal tapers make more.
        let pairs: Vec<_> = if convex {
            apart
                .iter()
                .map(|pair| {
                    let equal = |shape: &Shape| match shape {
                        Shape::Superovoid(ovoid) => {
                            let [t, _] = ovoid.taper();
                            Superovoid::new(ovoid.radii(), ovoid.exponents(), [t, t]).expect("within the domain").into()
                        }
                        other => other.clone(),
                    };
                    (equal(&pair.a), pair.pose_a, equal(&pair.b), pair.pose_b)
                })
                .filter(|(a, _, b, _)| is_convex(a) && is_convex(b))
                // Other tapers may have brought them into contact.
                .filter(|pair| query(pair).status == Status::Separated)
                .collect()
        } else {
            apart
                .iter()
                .filter(|pair| !(is_convex(&pair.a) && is_convex(&pair.b)))
                .map(|pair| (pair.a.clone(), pair.pose_a, pair.b.clone(), pair.pose_b))
                .collect()
        };
        let open = pairs.iter().filter(|pair| query(pair).status == Status::NotConverged).count();
        let (ours, theirs) = compare(
            effort,
            1,
            || pairs.iter().for_each(|pair| spend(query(pair))),
            || plain.iter().for_each(|pair| spend(query(pair))),
        );
        let (ours, theirs) = (ours / pairs.len() as f64, theirs / plain.len() as f64);
        table.push([
            format!("superovoid pairs apart (paper 003's battery), {name}"),
            micro(ours),
            "the same pairs without taper".into(),
            micro(theirs),
            format!("{:.2}× as long", ours / theirs),
            format!("{} pairs, {open} not converged", pairs.len()),
        ]);
        let placed: Vec<_> = pairs
            .iter()
            .map(|(a, pose_a, b, pose_b)| {
                [Placed { shape: a.clone(), pose: *pose_a }, Placed { shape: b.clone(), pose: *pose_b }]
            })
            .collect();
        let worst = distances(&placed, options, Threads::One)
            .iter()
            .zip(&pairs)
            .map(|(answer, pair)| (answer.as_ref().expect("valid input").distance - query(pair).distance).abs())
            .fold(0.0, f64::max);
        let (ours, theirs) = compare(
            effort,
            pairs.len(),
            || spend(distances(&placed, options, Threads::One)),
            || pairs.iter().for_each(|pair| spend(query(pair))),
        );
        table.push([
            format!("the same superovoid pairs in a batch, {name}"),
            micro(ours),
            "our single queries".into(),
            micro(theirs),
            format!("{:.2}×", theirs / ours),
            format!("within {worst:.1e} of the single query"),
        ]);
    }
}

/// Where b is after a motion by a part of the size and by as many radians.
fn moved(case: &Case, motion: f64, rng: &mut Rng) -> Pose {
    Pose {
        rotation: (DQuat::from_scaled_axis(direction(rng) * motion) * case.pose_b.rotation).normalize(),
        translation: case.pose_b.translation + direction(rng) * (motion * case.size()),
    }
}

/// Pairs apart, and what they are called.
fn pairs_apart(family: Family, effort: Effort) -> (String, Vec<Case>) {
    (format!("{} apart", family.name()), cases(family, 4, effort.count, clear))
}

/// Overlapping pairs, and what they are called.
fn overlaps(depth: &str, effort: Effort, spacing: impl Fn(f64) -> f64) -> (String, Vec<Case>) {
    let family = Family::Superellipsoids;
    (format!("{} overlapping, {depth}", family.name()), cases(family, 2, effort.count, spacing))
}

/// A motion of b by a part of the size, and by as many radians, for pairs that stay apart, or in overlap.
fn warm(table: &mut Table, effort: Effort, options: &Options, (work, cases): (String, Vec<Case>), motion: f64) {
    let mut rng = seeded(5);
    let moved: Vec<_> = cases
        .iter()
        .map(|case| {
            let last = answer(case, options);
            (case, moved(case, motion, &mut rng), Options { warm_start: Some(last.warm_start), ..*options })
        })
        .collect();
    let query = |case: &Case, pose_b: &Pose, options: &Options| {
        distance(&case.shapes[0], &Pose::IDENTITY, &case.shapes[1], pose_b, options).expect("valid input")
    };
    // Pairs that the motion has brought into contact, or out of it, take another path, with or without a warm start.
    let moved: Vec<_> = moved
        .into_iter()
        .filter(|(case, pose_b, _)| query(case, pose_b, options).status == answer(case, options).status)
        .collect();
    let difference = moved
        .iter()
        .map(|(case, pose_b, warm)| {
            (query(case, pose_b, warm).distance - query(case, pose_b, options).distance).abs() / case.size()
        })
        .fold(0.0, f64::max);
    let (ours, theirs) = compare(
        effort,
        moved.len(),
        || moved.iter().for_each(|(case, pose_b, warm)| spend(query(case, pose_b, warm))),
        || moved.iter().for_each(|(case, pose_b, _)| spend(query(case, pose_b, options))),
    );
    table.push([
        format!("{work}, warm start after a motion of {} %", 100.0 * motion),
        micro(ours),
        "our cold time".into(),
        micro(theirs),
        format!("{:.2}×", theirs / ours),
        format!("largest difference {difference:.1e} of the size"),
    ]);
}

/// Pairs that are followed: each moves to and fro, by the same motion every time, and its track remembers.
fn tracked(table: &mut Table, effort: Effort, options: &Options, (work, cases): (String, Vec<Case>), motion: f64) {
    let mut rng = seeded(5);
    let moved: Vec<_> = cases.iter().map(|case| [moved(case, motion, &mut rng), case.pose_b]).collect();
    let mut tracks = vec![Track::default(); cases.len()];
    let query = |case: &Case, pose_b: &Pose, track: &mut Track| {
        let [a, b] = &case.shapes;
        tracked_distance(a, &Pose::IDENTITY, b, pose_b, options, track).expect("valid input")
    };
    let untracked = |case: &Case, pose_b: &Pose| {
        distance(&case.shapes[0], &Pose::IDENTITY, &case.shapes[1], pose_b, options).expect("valid input")
    };
    let mut difference: f64 = 0.0;
    for ((case, poses), track) in cases.iter().zip(&moved).zip(&mut tracks) {
        for pose_b in [&case.pose_b, &poses[0], &poses[1]] {
            let (known, new) = (query(case, pose_b, track), untracked(case, pose_b));
            if known.status == new.status {
                difference = difference.max((known.distance - new.distance).abs() / case.size());
            }
        }
    }
    let (mut side, mut other_side) = (0, 0);
    let (ours, theirs) = compare(
        effort,
        cases.len(),
        || {
            for ((case, poses), track) in cases.iter().zip(&moved).zip(&mut tracks) {
                spend(query(case, &poses[side], track));
            }
            side ^= 1;
        },
        || {
            cases.iter().zip(&moved).for_each(|(case, poses)| spend(untracked(case, &poses[other_side])));
            other_side ^= 1;
        },
    );
    table.push([
        format!("{work}, tracked, a motion of {} % each time", 100.0 * motion),
        micro(ours),
        "our cold time".into(),
        micro(theirs),
        format!("{:.2}×", theirs / ours),
        format!("largest difference {difference:.1e} of the size"),
    ]);
}

fn points(table: &mut Table, effort: Effort, options: &Options) {
    for (place, change) in [("outside +0.05", 0.05), ("inside -0.015", -0.015)] {
        let rows = (effort.count as f64).sqrt() as usize;
        let mut worst: f64 = 0.0;
        let mut mesh_worst: f64 = 0.0;
        let (mut ours, mut theirs) = (0.0, 0.0);
        for index in 0..7 {
            let egg = battery::shape_of_seven(index);
            let shape: Shape = egg.into();
            let points = battery::points_around(index, change, rows);
            let mesh = parry_mesh(&egg);
            let answers = closest_points(&shape, &Pose::IDENTITY, &points, options, Threads::One);
            for (answer, point) in answers.iter().zip(&points) {
                let answer = answer.as_ref().expect("valid input");
                let single = closest_point(&shape, &Pose::IDENTITY, *point, options).expect("valid input");
                worst = worst.max((answer.distance - single.distance).abs());
                let away = mesh.nearest(*point).distance(*point);
                mesh_worst = mesh_worst.max((away - single.distance.abs()).abs());
            }
            let (our_time, their_time) = compare(
                effort,
                points.len(),
                || spend(closest_points(&shape, &Pose::IDENTITY, &points, options, Threads::One)),
                || points.iter().for_each(|point| spend(mesh.nearest(*point))),
            );
            ours += our_time / 7.0;
            theirs += their_time / 7.0;
        }
        table.push([
            format!("points against one body, batch, {place}, seven shapes of paper 000"),
            micro(ours),
            "parry projection on a 272-vertex TriMesh".into(),
            micro(theirs),
            format!("{:.1}×", theirs / ours),
            format!("within {worst:.1e} of the certified single query (parry's mesh {mesh_worst:.1e})"),
        ]);
    }
}

/// Points around superovoids of paper 003's ranges, seven with equal tapers that are convex and seven that are not.
fn superovoid_points(table: &mut Table, effort: Effort, options: &Options) {
    let rows = (effort.count as f64).sqrt() as usize;
    for (name, convex) in [("convex", true), ("not convex", false)] {
        let mut rng = seeded(8);
        let mut ovoids = Vec::new();
        while ovoids.len() < 7 {
            let mut between = |low: f64, high: f64| rng.random_range(low..high);
            let (exponents, taper) = ([between(0.3, 1.1), between(0.3, 1.1)], [between(-0.4, 0.4), between(-0.4, 0.4)]);
            let taper = if convex { [taper[0]; 2] } else { taper };
            let ovoid = Superovoid::new([1.0; 3], exponents, taper).expect("within the domain");
            if ovoid.is_convex() == convex {
                ovoids.push(ovoid);
            }
        }
        for (place, change) in [("outside +0.05", 0.05), ("inside -0.015", -0.015)] {
            let mut worst: f64 = 0.0;
            let (mut ours, mut theirs) = (0.0, 0.0);
            for ovoid in &ovoids {
                let shape: Shape = (*ovoid).into();
                let points = battery::points_around_superovoid(ovoid, change, rows);
                let single =
                    |point: &DVec3| closest_point(&shape, &Pose::IDENTITY, *point, options).expect("valid input");
                let answers = closest_points(&shape, &Pose::IDENTITY, &points, options, Threads::One);
                for (answer, point) in answers.iter().zip(&points) {
                    let answer = answer.as_ref().expect("valid input");
                    worst = worst.max((answer.distance - single(point).distance).abs());
                }
                let (our_time, their_time) = compare(
                    effort,
                    points.len(),
                    || spend(closest_points(&shape, &Pose::IDENTITY, &points, options, Threads::One)),
                    || points.iter().for_each(|point| spend(single(point))),
                );
                ours += our_time / 7.0;
                theirs += their_time / 7.0;
            }
            table.push([
                format!("points against a superovoid, {name}, batch, {place}, seven shapes"),
                micro(ours),
                "our single queries".into(),
                micro(theirs),
                format!("{:.1}×", theirs / ours),
                format!("within {worst:.1e} of the single query"),
            ]);
        }
    }
}

/// A mesh of about the 272 vertices that paper 000 compares with.
fn parry_mesh(egg: &Superellipsoid) -> ParryMesh {
    ParryMesh::new(&egg.tessellate(272, Spacing::Angles).expect("enough vertices"))
}

fn pair_batch(table: &mut Table, effort: Effort, options: &Options, family: Family) {
    let cases = cases(family, 6, effort.count, clear);
    let pairs: Vec<_> = cases.iter().map(Case::placed).collect();
    let worst = distances(&pairs, options, Threads::One)
        .iter()
        .zip(&cases)
        .map(|(answer, case)| (answer.as_ref().expect("valid input").distance - case.distance).abs() / case.size())
        .fold(0.0, f64::max);
    let (ours, theirs) = compare(
        effort,
        pairs.len(),
        || spend(distances(&pairs, options, Threads::One)),
        || cases.iter().for_each(|case| spend(answer(case, options))),
    );
    table.push([
        format!("{} apart, batch, one core", family.name()),
        micro(ours),
        "our single queries".into(),
        micro(theirs),
        format!("{:.2}×", theirs / ours),
        format!("largest error {worst:.1e} of the size"),
    ]);
}
