//! What a published scheme did, as JSON: the cells of its guesses and the points on its way.

use serde::Serialize;
use superegg_schemes::{Cell, Facet, Iterate, LambdaGuess, Trace};

use super::parts::DistanceAnswer;

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
    #[serde(skip_serializing_if = "Vec::is_empty")]
    guesses: Vec<GuessAnswer>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    facets: Vec<FacetAnswer>,
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

/// One guess of `geometric`: `lambda` is the weight of the surface normal in the direction that led to it.
#[derive(Serialize)]
struct GuessAnswer {
    lambda: Option<f64>,
    foot: [f64; 3],
    point: [f64; 3],
    direction: [f64; 3],
    normal: [f64; 3],
    distance: f64,
    error: f64,
    better: bool,
}

/// A triangle of `mesh`.
#[derive(Serialize)]
struct FacetAnswer {
    body: &'static str,
    corners: [[f64; 3]; 3],
    nearest: bool,
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
        let guess = |guess: &LambdaGuess| GuessAnswer {
            lambda: guess.factor,
            foot: guess.foot.to_array(),
            point: guess.point.to_array(),
            direction: guess.direction.to_array(),
            normal: guess.normal.to_array(),
            distance: guess.distance,
            error: guess.error,
            better: guess.better,
        };
        let facet = |facet: &Facet| FacetAnswer {
            body: name(facet.body),
            corners: facet.corners.map(|corner| corner.to_array()),
            nearest: facet.nearest,
        };
        TraceAnswer {
            cells: trace.cells.iter().map(cell).collect(),
            iterates: trace.iterates.iter().map(iterate).collect(),
            guesses: trace.guesses.iter().map(guess).collect(),
            facets: trace.facets.iter().map(facet).collect(),
        }
    }
}
