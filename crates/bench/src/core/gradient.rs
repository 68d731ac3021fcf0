//! The distance with its derivatives by both poses and all parameters, beside the distance alone.

use superegg::Pose;
use superegg::query::{Gradient, Options, gradient};

use super::{Case, Effort, Family, answer, cases, clear, compare, micro};
use crate::Table;
use crate::measure::spend;

pub(super) fn rows(table: &mut Table, effort: Effort, options: &Options, family: Family) {
    let cases = cases(family, 10, effort.count, clear);
    let query = |case: &Case| -> Gradient {
        gradient(&case.shapes[0], &Pose::IDENTITY, &case.shapes[1], &case.pose_b, options).expect("valid input")
    };
    // Moving b along the common normal, which the pair was built by, widens the gap one to one.
    let worst = cases.iter().map(|case| query(case).b.translation.distance(case.normal)).fold(0.0, f64::max);
    let (ours, theirs) = compare(
        effort,
        cases.len(),
        || cases.iter().for_each(|case| spend(query(case))),
        || cases.iter().for_each(|case| spend(answer(case, options))),
    );
    table.push([
        format!("{} apart, distance with its gradient", family.name()),
        micro(ours),
        "our distance alone".into(),
        micro(theirs),
        format!("{:.2}× as long", ours / theirs),
        format!("largest error of the derivative by b's translation {worst:.1e}"),
    ]);
}
