//! What a published scheme did, as JSON: the cells of its guesses and the points on its way.

use serde::Serialize;
use superegg_schemes::{Cell, Iterate, Trace};

use super::answer::DistanceAnswer;

/// A distance with what led to it.
#[derive(Serialize)]
pub struct TracedAnswer {
    #[serde(flatten)]
    pub distance: DistanceAnswer,
    pub trace: TraceAnswer,
}

#[derive(Serialize)]
pub struct TraceAnswer {
    cells: Vec<CellAnswer>,
    iterates: Vec<IterateAnswer>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum CellAnswer {
    Angles { body: &'static str, level: u32, centre: [f64; 2], half: [f64; 2] },
    Cube { body: &'static str, centre: [f64; 3], half: f64 },
}

#[derive(Serialize)]
struct IterateAnswer {
    point_a: [f64; 3],
    point_b: [f64; 3],
    normal_a: [f64; 3],
    normal_b: [f64; 3],
    residual: f64,
}

impl TraceAnswer {
    pub fn new(trace: &Trace) -> TraceAnswer {
        let name = |body: usize| if body == 0 { "a" } else { "b" };
        let cell = |cell: &Cell| match *cell {
            Cell::Angles { body, level, centre, half } => CellAnswer::Angles { body: name(body), level, centre, half },
            Cell::Cube { body, centre, half } => CellAnswer::Cube { body: name(body), centre: centre.to_array(), half },
        };
        let iterate = |iterate: &Iterate| IterateAnswer {
            point_a: iterate.point_a.to_array(),
            point_b: iterate.point_b.to_array(),
            normal_a: iterate.normal_a.to_array(),
            normal_b: iterate.normal_b.to_array(),
            residual: iterate.residual,
        };
        TraceAnswer {
            cells: trace.cells.iter().map(cell).collect(),
            iterates: trace.iterates.iter().map(iterate).collect(),
        }
    }
}
