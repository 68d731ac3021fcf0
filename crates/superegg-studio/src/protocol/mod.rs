//! The messages between browser and server, version [`VERSION`]; described for people in `docs/studio-protocol.md`.
//!
//! Commands and answers are JSON texts, one object with one field named after the message. Geometry travels as binary
//! [`frame`]s, files of meshes as binary [`Upload`]s. The TypeScript side of these types is generated from them: see the test `typescript`.

pub mod frame;
mod message;
mod scene;
mod trace;
#[cfg(test)]
mod typescript;
mod upload;

pub use message::{
    Answer, BodyFacts, ClientMessage, Contact, Contacts, Failure, Impact, MeshFacts, MethodFacts, Plot, ServerMessage,
    Welcome,
};
pub use message::{ErrorKind, PairStatus, PublicLimits};
pub use scene::{Body, Key, Part, Placement, Scene, ShapeType, Solver};
pub use trace::{Curve, Drawing, Role, Trace, TraceStep};
pub use upload::Upload;

use serde::de::DeserializeOwned;
use superegg::InvalidInput;

/// Version of the protocol; both sides refuse any other.
pub const VERSION: u32 = 2;

/// Three numbers.
pub type Vector = [f64; 3];
/// A quaternion x, y, z, w.
pub type Quaternion = [f64; 4];

/// Why a command was not carried out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refusal {
    pub kind: ErrorKind,
    pub field: Option<String>,
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
}

/// Reads a JSON text so that a complaint names its field.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Result<T, Refusal> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = error.path().to_string();
        let kind = if error.inner().is_data() { ErrorKind::InvalidInput } else { ErrorKind::Parse };
        let field = Some(shorten(&path)).filter(|path| path != "." && path != "?");
        Refusal { kind, field, message: shorten(&error.inner().to_string()) }
    })?;
    deserializer.end().map_err(|error| Refusal::whole(ErrorKind::Parse, shorten(&error.to_string())))?;
    Ok(value)
}

/// Longest piece of a client's own text that an answer repeats, in characters.
const LONGEST_QUOTE: usize = 200;

fn shorten(text: &str) -> String {
    match text.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
