//! Growth distances with their gradient: cold, and started from the answer before a motion, beside the distance of the same pairs.

use superegg::Pose;
use superegg::query::{Growth, Options, Status, growth_distance};
use testkit::generate::seeded;

use super::{Case, Effort, Family, answer, cases, clear, compare, micro, moved};
use crate::Table;
use crate::measure::spend;

/// How b moves between two queries on the same pair: a part of the size, and as many radians.
const MOTION: f64 = 0.01;

/// A pair, and what its growth is.
struct Grown {
    case: Case,
    growth: f64,
}

/// Pairs whose growth is known by construction, from a third to three: b's centre lies in line with that of bodies that touch.
fn grown(family: Family, count: usize) -> Vec<Grown> {
    let touching = cases(family, 11, count, |_| 0.0);
    let growth = |index: usize| 3f64.powf(2.0 * (index as f64 + 0.5) / count as f64 - 1.0);
    (touching.into_iter().enumerate())
        .map(|(index, case)| {
            let growth = growth(index);
            let pose_b = Pose { translation: case.pose_b.translation * growth, ..case.pose_b };
            Grown { case: Case { pose_b, ..case }, growth }
        })
        .collect()
}

fn query(case: &Case, pose_b: &Pose, options: &Options) -> Growth {
    growth_distance(&case.shapes[0], &Pose::IDENTITY, &case.shapes[1], pose_b, options).expect("valid input")
}

pub(super) fn rows(table: &mut Table, effort: Effort, options: &Options, family: Family) {
    let pairs = grown(family, effort.count);
    let mut worst = [0.0f64; 2];
    for Grown { case, growth } in &pairs {
        let found = query(case, &case.pose_b, options);
        assert!(found.status != Status::NotConverged);
        assert!(found.bounds.lower <= growth * (1.0 + 1e-12) && growth * (1.0 - 1e-12) <= found.bounds.upper);
        worst[0] = worst[0].max((found.growth / growth - 1.0).abs());
        worst[1] = worst[1].max(found.normal.distance(case.normal));
    }
    let apart = cases(family, 12, effort.count, clear);
    let (ours, theirs) = compare(
        effort,
        pairs.len(),
        || pairs.iter().for_each(|Grown { case, .. }| spend(query(case, &case.pose_b, options))),
        || apart.iter().for_each(|case| spend(answer(case, options))),
    );
    table.push([
        format!("{}, growth distance", family.name()),
        micro(ours),
        "our distance of pairs apart".into(),
        micro(theirs),
        format!("{:.2}× as long", ours / theirs),
        format!("largest error {:.1e} of the growth, {:.1e} of the normal", worst[0], worst[1]),
    ]);
    warm(table, effort, options, family, &pairs);
}

fn warm(table: &mut Table, effort: Effort, options: &Options, family: Family, pairs: &[Grown]) {
    let mut rng = seeded(13);
    let after: Vec<_> = pairs
        .iter()
        .map(|Grown { case, .. }| {
            let last = query(case, &case.pose_b, options);
            (case, moved(case, MOTION, &mut rng), Options { warm_start: Some(last.warm_start), ..*options })
        })
        .collect();
    let difference = (after.iter())
        .map(|(case, pose_b, warm)| (query(case, pose_b, warm).growth - query(case, pose_b, options).growth).abs())
        .fold(0.0, f64::max);
    let (ours, theirs) = compare(
        effort,
        after.len(),
        || after.iter().for_each(|(case, pose_b, warm)| spend(query(case, pose_b, warm))),
        || after.iter().for_each(|(case, pose_b, _)| spend(query(case, pose_b, options))),
    );
    table.push([
        format!("{}, growth distance, warm start after a motion of {} %", family.name(), 100.0 * MOTION),
        micro(ours),
        "our cold time".into(),
        micro(theirs),
        format!("{:.2}×", theirs / ours),
        format!("largest difference {difference:.1e}"),
    ]);
}
