//! Whether pairs intersect: single queries, the plane of the last one kept, and batches, beside parry's test.

use glam::DQuat;
use parry3d_f64::query::details::intersection_test_support_map_support_map;
use superegg::Pose;
use superegg::query::batch::{Threads, intersects};
use superegg::query::{intersect, tracked_intersect};
use testkit::generate::{direction, seeded};

use super::{Case, Effort, Family, cases, clear, compare, micro};
use crate::Table;
use crate::measure::spend;

/// How b moves between two queries on the same pair: a part of the size, and as many radians.
const MOTION: f64 = 0.01;

pub(super) fn rows(table: &mut Table, effort: Effort, family: Family) {
    let apart = cases(family, 7, effort.count, clear);
    let overlapping = cases(family, 8, effort.count, |u| -1e-3 - 0.2 * u);
    single(table, effort, family, "apart", &apart, false);
    tracked(table, effort, family, &apart);
    batch(table, effort, family, "apart", &apart, false);
    single(table, effort, family, "overlapping by up to 0.2 of the size", &overlapping, true);
    batch(table, effort, family, "overlapping by up to 0.2 of the size", &overlapping, true);
}

fn answer(case: &Case, pose_b: &Pose) -> bool {
    intersect(&case.shapes[0], &Pose::IDENTITY, &case.shapes[1], pose_b).expect("valid input")
}

fn single(table: &mut Table, effort: Effort, family: Family, name: &str, cases: &[Case], truth: bool) {
    let wrong = cases.iter().filter(|case| answer(case, &case.pose_b) != truth).count();
    let eggs: Vec<_> = cases.iter().map(Case::for_parry).collect();
    let (ours, theirs) = compare(
        effort,
        cases.len(),
        || cases.iter().for_each(|case| spend(answer(case, &case.pose_b))),
        || eggs.iter().for_each(|(a, b, pose)| spend(intersection_test_support_map_support_map(pose, a, b))),
    );
    let parry_wrong =
        eggs.iter().filter(|(a, b, pose)| intersection_test_support_map_support_map(pose, a, b) != truth).count();
    table.push([
        format!("{} {name}, intersect", family.name()),
        micro(ours),
        "parry GJK intersection test".into(),
        micro(theirs),
        format!("{:.1}×", theirs / ours),
        format!("{wrong} of {} wrong (parry {parry_wrong})", cases.len()),
    ]);
}

/// The plane that parted them before b moved is tried first.
fn tracked(table: &mut Table, effort: Effort, family: Family, cases: &[Case]) {
    let mut rng = seeded(9);
    let moved: Vec<_> = cases
        .iter()
        .map(|case| {
            let [a, b] = &case.shapes;
            let mut axis = None;
            spend(tracked_intersect(a, &Pose::IDENTITY, b, &case.pose_b, &mut axis).expect("valid input"));
            let pose_b = Pose {
                rotation: (DQuat::from_scaled_axis(direction(&mut rng) * MOTION) * case.pose_b.rotation).normalize(),
                translation: case.pose_b.translation + direction(&mut rng) * (MOTION * case.size()),
            };
            (case, pose_b, axis)
        })
        .collect();
    let query = |(case, pose_b, axis): &(&Case, Pose, Option<glam::DVec3>)| {
        let [a, b] = &case.shapes;
        tracked_intersect(a, &Pose::IDENTITY, b, pose_b, &mut axis.clone()).expect("valid input")
    };
    let wrong = moved.iter().filter(|moved| query(moved) != answer(moved.0, &moved.1)).count();
    let (ours, theirs) = compare(
        effort,
        moved.len(),
        || moved.iter().for_each(|moved| spend(query(moved))),
        || moved.iter().for_each(|(case, pose_b, _)| spend(answer(case, pose_b))),
    );
    table.push([
        format!("{} apart, intersect, tracked after a motion of {} %", family.name(), 100.0 * MOTION),
        micro(ours),
        "our cold time".into(),
        micro(theirs),
        format!("{:.2}×", theirs / ours),
        format!("{wrong} of {} differ", moved.len()),
    ]);
}

fn batch(table: &mut Table, effort: Effort, family: Family, name: &str, cases: &[Case], truth: bool) {
    let pairs: Vec<_> = cases.iter().map(Case::placed).collect();
    let wrong = intersects(&pairs, Threads::One).iter().filter(|answer| **answer != Ok(truth)).count();
    let (ours, theirs) = compare(
        effort,
        pairs.len(),
        || spend(intersects(&pairs, Threads::One)),
        || cases.iter().for_each(|case| spend(answer(case, &case.pose_b))),
    );
    table.push([
        format!("{} {name}, intersect, batch, one core", family.name()),
        micro(ours),
        "our single queries".into(),
        micro(theirs),
        format!("{:.2}×", theirs / ours),
        format!("{wrong} of {} wrong", pairs.len()),
    ]);
}
