//! JSON read so that every complaint names its field, as in `a.exponents[0]`.
//!
//! A document becomes a tree of [`Node`]s; a [`Field`] is a node together with the path that leads to it. Reading is
//! strict: unknown and repeated fields, wrong types and numbers beyond `f64` are refused, so that a misspelt field
//! never turns silently into a default. Paths are linked lists on the stack and are spelt out only when something is
//! refused.

mod field;
pub mod geometry;
mod node;
pub mod shape;

pub use field::{Field, Object};
pub use node::parse;

use std::fmt;

use serde::Serialize;
use superegg::InvalidInput;

/// What went wrong with an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The text is not JSON.
    Parse,
    /// A field is missing, unknown, of the wrong type or outside its domain.
    InvalidInput,
    /// The input is understood, but there is no method for it.
    Unsupported,
    /// A defect of the program itself.
    Internal,
}

/// An input that was not answered, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What went wrong.
    pub kind: Kind,
    /// Path of the field to mend; `None` where it is the input as a whole.
    pub field: Option<String>,
    /// One sentence for people.
    pub message: String,
}

impl Refusal {
    /// Refuses the input as a whole.
    pub fn whole(kind: Kind, message: impl fmt::Display) -> Refusal {
        Refusal { kind, field: None, message: message.to_string() }
    }

    /// Refuses what a constructor refused, with its field spelt from the top.
    pub fn invalid(path: impl fmt::Display, refused: InvalidInput) -> Refusal {
        let path = path.to_string();
        let field = if path.is_empty() { refused.field.to_owned() } else { format!("{path}.{}", refused.field) };
        Refusal { kind: Kind::InvalidInput, field: Some(field), message: refused.reason() }
    }
}

/// Longest piece of the user's own text that a message repeats, in characters: a hostile line stays out of the answers.
const LONGEST_QUOTE: usize = 60;

/// The text, cut where it grows too long to repeat.
fn shorten(text: &str) -> String {
    match text.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The known name that a misspelt one is probably meant to be.
fn did_you_mean<'k>(found: &str, known: &[&'k str]) -> Option<&'k str> {
    let likeness = |name: &str| strsim::jaro_winkler(&shorten(found).to_lowercase(), name);
    let closest = known.iter().max_by(|one, other| likeness(one).total_cmp(&likeness(other)))?;
    (likeness(closest) > 0.8).then_some(closest)
}

/// Refuses a name that is not in the table, with a suggestion or else the table.
pub fn unknown_name(found: &str, known: &[&str]) -> String {
    let found = shorten(found);
    match did_you_mean(&found, known) {
        Some(name) => format!("`{found}` is unknown; did you mean `{name}`?"),
        None => format!("`{found}` is unknown; known are {}", known.join(", ")),
    }
}
