//! Why something was not carried out, with the field to mend.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use superegg::InvalidInput;
use superegg::query::QueryError;
use superegg_world::WorldError;

/// Why a message was not carried out.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// What went wrong.
    pub kind: ErrorKind,
    /// Path of the field to mend.
    pub field: Option<String>,
    /// One sentence for people.
    pub message: String,
}

impl Refusal {
    /// Refuses the value at a path.
    pub fn at(field: impl Into<String>, message: impl Into<String>) -> Refusal {
        Refusal { kind: ErrorKind::InvalidInput, field: Some(field.into()), message: message.into() }
    }

    /// Refuses the message as a whole.
    pub fn whole(kind: ErrorKind, message: impl Into<String>) -> Refusal {
        Refusal { kind, field: None, message: message.into() }
    }

    /// What a constructor of the library refused, named from the top of the message.
    pub fn invalid(path: &str, refused: InvalidInput) -> Refusal {
        Refusal::at(format!("{path}.{}", refused.field), refused.reason())
    }

    /// The same, with the field named from further up.
    pub fn within(self, path: &str) -> Refusal {
        Refusal { field: self.field.map(|field| format!("{path}.{field}")), ..self }
    }

    /// The refusal as it is sent.
    pub fn failure(self, request: Option<u32>, revision: Option<u32>) -> Failure {
        let Refusal { kind, field, message } = self;
        Failure { request, revision, kind, field, message }
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

impl From<WorldError> for Refusal {
    fn from(error: WorldError) -> Refusal {
        let kind = match error {
            WorldError::Unsupported { .. } | WorldError::Query(_) => ErrorKind::Unsupported,
            _ => ErrorKind::InvalidInput,
        };
        Refusal::whole(kind, error.to_string())
    }
}

/// What is said when a session panics.
pub fn defect() -> Refusal {
    Refusal::whole(ErrorKind::Internal, "a defect of superegg itself; please report this scene")
}

/// A message that was not carried out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Failure {
    /// Of the request, where it had one.
    pub request: Option<u32>,
    /// Of the edit, where it was one.
    pub revision: Option<u32>,
    /// What went wrong.
    pub kind: ErrorKind,
    /// Path of the field to mend.
    pub field: Option<String>,
    /// One sentence for people.
    pub message: String,
}

/// What went wrong with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum ErrorKind {
    /// Not JSON.
    Parse,
    /// A field is missing, unknown, of the wrong type or outside its domain.
    InvalidInput,
    /// Understood, but there is no method for it.
    Unsupported,
    /// Out of turn or of another version.
    Protocol,
    /// A limit was reached.
    Limit,
    /// A defect of the program itself.
    Internal,
}

/// Reads a JSON text so that a complaint names its field.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, Refusal> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = error.path().to_string();
        let field = Some(shorten(&path)).filter(|path| path != "." && path != "?");
        Refusal { field, ..refusal_of(error.inner()) }
    })?;
    deserializer.end().map_err(|error| refusal_of(&error))?;
    Ok(value)
}

/// What a JSON reader complained about.
pub(super) fn refusal_of(error: &serde_json::Error) -> Refusal {
    let kind = if error.is_data() { ErrorKind::InvalidInput } else { ErrorKind::Parse };
    Refusal::whole(kind, shorten(&error.to_string()))
}

/// Longest piece of a client's own text that an answer repeats, in characters.
const LONGEST_QUOTE: usize = 200;

fn shorten(text: &str) -> String {
    match text.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
