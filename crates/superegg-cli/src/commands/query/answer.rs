//! From one line of text to one line of text: the answer, or the error that names the field to mend.

use serde::Serialize;
use superegg::DVec3;
use superegg::query::{self, BodyGradient, Gradient, QueryError, ShapeGradient};
use superegg_world::WorldError;

use super::bodies::{self, GeneralAnswer};
use super::parts::{DistanceAnswer, HitAnswer};
use super::request::{DistanceRequest, Pair, Request};
use super::stream::{Line, MAX_LINE_BYTES};
use super::trace::{TraceAnswer, TracedAnswer};
use crate::json::{Field, Kind, Refusal, parse};

/// Appends the answer to a line, without line break; `false` when it is an error.
pub fn answer_line(number: u64, line: Line, answers: &mut Vec<u8>) -> bool {
    let outcome = match line {
        Line::Text(text) => answer(text),
        Line::TooLong => Err(Refusal::whole(Kind::Parse, format!("the line is longer than {MAX_LINE_BYTES} bytes"))),
        Line::Defect => Err(Refusal::whole(Kind::Internal, "a defect of superegg itself; please report this line")),
    };
    let accepted = outcome.is_ok();
    let written = match outcome {
        Ok(answer) => serde_json::to_writer(answers, &answer),
        Err(refusal) => serde_json::to_writer(answers, &ErrorAnswer::new(number, &refusal)),
    };
    written.expect("answers are plain data, and memory takes any number of bytes");
    accepted
}

fn answer(text: &[u8]) -> Result<Answer, Refusal> {
    let document = parse(text)?;
    if let Some(general) = bodies::answer(&Field::top(&document))? {
        return Ok(Answer::General(general));
    }
    match Request::read(&Field::top(&document))? {
        Request::Distance(DistanceRequest { a, b, method, options }) => {
            let found = superegg_schemes::distance(method, &a.shape, &a.pose, &b.shape, &b.pose, &options);
            let found = found.map_err(|error| match error {
                WorldError::Input(refused) => Refusal::invalid("", refused),
                other => Refusal::whole(Kind::Unsupported, other),
            })?;
            let distance = DistanceAnswer::new(&found.outcome);
            Ok(match &found.trace {
                Some(trace) => Answer::Traced(Box::new(TracedAnswer { distance, trace: TraceAnswer::new(trace) })),
                None => Answer::Distance(distance),
            })
        }
        Request::Gradient(Pair { a, b, options }) => {
            let found = query::gradient(&a.shape, &a.pose, &b.shape, &b.pose, &options).map_err(refuse)?;
            Ok(Answer::Gradient(Box::new(GradientAnswer::new(&found))))
        }
        Request::Ray(a, ray) => {
            let hit = query::ray(&a.shape, &a.pose, &ray).map_err(refuse)?;
            Ok(hit.map_or(Answer::Miss { hit: false }, |hit| Answer::Hit(HitAnswer::new(&hit))))
        }
        Request::Intersect(a, b) => {
            let intersect = query::intersect(&a.shape, &a.pose, &b.shape, &b.pose).map_err(refuse)?;
            Ok(Answer::Intersect { intersect })
        }
    }
}

/// What the library refuses. Shapes and poses were checked when they were read; the fields of everything else are named
/// from the top of the query.
fn refuse(error: QueryError) -> Refusal {
    match error {
        QueryError::InvalidInput(refused) => Refusal::invalid("", refused),
        QueryError::Unsupported { .. } => Refusal::whole(Kind::Unsupported, error),
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum Answer {
    Distance(DistanceAnswer),
    Traced(Box<TracedAnswer>),
    Gradient(Box<GradientAnswer>),
    Intersect { intersect: bool },
    Hit(HitAnswer),
    Miss { hit: bool },
    General(GeneralAnswer),
}

/// The distance with its derivatives by each body's pose and parameters, under the names that these have in a query.
#[derive(Serialize)]
struct GradientAnswer {
    #[serde(flatten)]
    distance: DistanceAnswer,
    gradient: BothBodies,
}

#[derive(Serialize)]
struct BothBodies {
    a: ByBody,
    b: ByBody,
}

#[derive(Serialize)]
struct ByBody {
    position: [f64; 3],
    rotation: [f64; 3],
    #[serde(flatten)]
    shape: ByShape,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ByShape {
    Plane { offset: f64 },
    Hull { points: Vec<[f64; 3]> },
    Superellipsoid { radii: [f64; 3], exponents: [f64; 2] },
    Superovoid { radii: [f64; 3], exponents: [f64; 2], taper: [f64; 2] },
}

impl GradientAnswer {
    fn new(found: &Gradient) -> GradientAnswer {
        let gradient = BothBodies { a: ByBody::new(&found.a), b: ByBody::new(&found.b) };
        GradientAnswer { distance: DistanceAnswer::new(&found.outcome), gradient }
    }
}

impl ByBody {
    fn new(body: &BodyGradient) -> ByBody {
        let hull = |points: &[DVec3]| ByShape::Hull { points: points.iter().map(|point| point.to_array()).collect() };
        let shape = match body.shape {
            ShapeGradient::Plane { offset } => ByShape::Plane { offset },
            ShapeGradient::Point(points) => hull(&points),
            ShapeGradient::Segment(points) => hull(&points),
            ShapeGradient::Triangle(points) => hull(&points),
            ShapeGradient::Superellipsoid { radii, exponents } => ByShape::Superellipsoid { radii, exponents },
            ShapeGradient::Superovoid { radii, exponents, taper } => ByShape::Superovoid { radii, exponents, taper },
        };
        ByBody { position: body.translation.to_array(), rotation: body.rotation.to_array(), shape }
    }
}

#[derive(Serialize)]
struct ErrorAnswer<'r> {
    error: ErrorBody<'r>,
}

#[derive(Serialize)]
struct ErrorBody<'r> {
    kind: Kind,
    field: Option<&'r str>,
    message: &'r str,
    line: u64,
}

impl ErrorAnswer<'_> {
    fn new(line: u64, refusal: &Refusal) -> ErrorAnswer<'_> {
        let Refusal { kind, field, message } = refusal;
        ErrorAnswer { error: ErrorBody { kind: *kind, field: field.as_deref(), message, line } }
    }
}
