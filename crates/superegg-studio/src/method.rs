//! The table of contact methods that a client can choose from. A method is one entry here: its names, how it solves a
//! pair and how it tells of it. Nothing else in the studio, server or browser, knows any method.

use superegg::DVec3;
use superegg::query::{Bounds, Options, Outcome, QueryError, Status, distance};

use crate::protocol::{Curve, Drawing, ErrorKind, MethodFacts, PairStatus, Refusal, Role, TraceStep};
use crate::world::Placed;

/// What a method found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Solution {
    pub distance: f64,
    pub bounds: Option<Bounds>,
    pub point_a: DVec3,
    pub point_b: DVec3,
    pub normal: DVec3,
    pub status: PairStatus,
    pub iterations: u32,
}

/// What a method did.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Story {
    pub steps: Vec<TraceStep>,
    pub curves: Vec<Curve>,
}

/// A way of computing contacts.
pub(crate) struct Method {
    /// As in `superegg query`.
    pub name: &'static str,
    pub title: &'static str,
    pub about: &'static str,
    /// What it is meant for.
    pub tolerance: f64,
    pub solve: fn(&Placed, &Placed, tolerance: f64) -> Result<Solution, Refusal>,
    pub trace: fn(&Placed, &Placed, tolerance: f64) -> Result<Story, Refusal>,
}

/// All of them; the first is what a new scene starts with.
pub(crate) static METHODS: &[Method] = &[Method {
    name: "default",
    title: "Superegg",
    about: "Certified: a damped Newton iteration on the smoothest coordinates of each surface. Between convex bodies the \
            distance is proved by a lower and an upper bound.",
    tolerance: Options::DEFAULT.tolerance,
    solve: |a, b, tolerance| Ok(Solution::from(solve_default(a, b, tolerance, Options::DEFAULT.max_iterations)?)),
    trace: trace_default,
}];

/// The method of this name.
pub(crate) fn find(name: &str) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.name == name)
}

impl Method {
    pub fn facts(&self) -> MethodFacts {
        MethodFacts {
            name: self.name.to_owned(),
            title: self.title.to_owned(),
            about: self.about.to_owned(),
            tolerance: self.tolerance,
        }
    }
}

impl From<Outcome> for Solution {
    fn from(outcome: Outcome) -> Solution {
        Solution {
            distance: outcome.distance,
            bounds: outcome.bounds,
            point_a: outcome.point_a,
            point_b: outcome.point_b,
            normal: outcome.normal,
            status: match outcome.status {
                Status::Separated => PairStatus::Separated,
                Status::Touching => PairStatus::Touching,
                Status::Penetrating => PairStatus::Penetrating,
                Status::NotConverged => PairStatus::NotConverged,
            },
            iterations: outcome.iterations,
        }
    }
}

impl From<QueryError> for Refusal {
    fn from(error: QueryError) -> Refusal {
        let kind = match error {
            QueryError::InvalidInput(_) => ErrorKind::InvalidInput,
            QueryError::Unsupported { .. } => ErrorKind::Unsupported,
        };
        Refusal::whole(kind, error.to_string())
    }
}

fn solve_default(a: &Placed, b: &Placed, tolerance: f64, max_iterations: u32) -> Result<Outcome, QueryError> {
    let options = Options { tolerance, max_iterations, warm_start: None };
    distance(&a.shape, &a.pose, &b.shape, &b.pose, &options)
}

/// The default solver as it is seen from outside: what it would answer after one evaluation, after two, and so on. It is
/// deterministic, so these are the states it passes through.
fn trace_default(a: &Placed, b: &Placed, tolerance: f64) -> Result<Story, Refusal> {
    let end = solve_default(a, b, tolerance, Options::DEFAULT.max_iterations)?;
    let mut story = Story::default();
    let (mut gaps, mut distances) = (vec![], vec![]);
    let mut last: Option<Outcome> = None;
    for budget in 1..=end.iterations.max(1) {
        let outcome = if budget >= end.iterations { end } else { solve_default(a, b, tolerance, budget)? };
        let unchanged = last.is_some_and(|last| (last.point_a, last.point_b) == (outcome.point_a, outcome.point_b));
        if unchanged && budget < end.iterations {
            continue;
        }
        last = Some(outcome);
        let done = budget >= end.iterations;
        let gap = outcome.bounds.map(|Bounds { lower, upper }| upper - lower);
        let proof = match outcome.bounds {
            Some(Bounds { lower, upper }) => format!("proved: {lower:.9} … {upper:.9} m"),
            None => "no certificate: a body is not convex".to_owned(),
        };
        story.steps.push(TraceStep {
            title: if done { "Answer".to_owned() } else { format!("After {budget} evaluations") },
            text: format!("{:.9} m; {proof}", outcome.distance),
            drawings: vec![
                Drawing::Point { at: outcome.point_a.to_array(), role: if done { Role::Final } else { Role::A } },
                Drawing::Point { at: outcome.point_b.to_array(), role: if done { Role::Final } else { Role::B } },
                Drawing::Line {
                    points: vec![outcome.point_a.to_array(), outcome.point_b.to_array()],
                    role: if done { Role::Final } else { Role::Answer },
                },
                Drawing::Arrow { at: outcome.point_a.to_array(), direction: outcome.normal.to_array(), role: Role::A },
                Drawing::Arrow {
                    at: outcome.point_b.to_array(),
                    direction: (-outcome.normal).to_array(),
                    role: Role::B,
                },
            ],
        });
        gaps.push(gap.filter(|gap| gap.is_finite() && *gap > 0.0));
        distances.push(Some(outcome.distance).filter(|distance| distance.is_finite()));
    }
    story.curves.push(Curve { name: "upper − lower".to_owned(), log: true, values: gaps });
    story.curves.push(Curve { name: "distance".to_owned(), log: false, values: distances });
    Ok(story)
}
