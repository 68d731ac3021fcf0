//! From one line of text to one line of text: the answer, or the error that names the field to mend.

use serde::Serialize;
use superegg::query::{self, QueryError};
use superegg_world::WorldError;

use super::bodies::{self, GeneralAnswer};
use super::derivatives::{GradientAnswer, GrowthAnswer, SecondDerivativesAnswer};
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
        Request::SecondDerivatives(Pair { a, b, options }) => {
            let found = query::second_derivatives(&a.shape, &a.pose, &b.shape, &b.pose, &options).map_err(refuse)?;
            Ok(Answer::SecondDerivatives(Box::new(SecondDerivativesAnswer::new(&found))))
        }
        Request::Growth(Pair { a, b, options }) => {
            let found = query::growth_distance(&a.shape, &a.pose, &b.shape, &b.pose, &options).map_err(refuse)?;
            Ok(Answer::Growth(Box::new(GrowthAnswer::new(&found))))
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
    SecondDerivatives(Box<SecondDerivativesAnswer>),
    Growth(Box<GrowthAnswer>),
    Intersect { intersect: bool },
    Hit(HitAnswer),
    Miss { hit: bool },
    General(GeneralAnswer),
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
