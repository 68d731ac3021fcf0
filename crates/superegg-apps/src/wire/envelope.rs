//! The texts around every app's own messages.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::refusal::refusal_of;
use super::{Failure, Refusal};

/// What a client may say. What an edit or a question is about is the app's own, and read in a second step.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum ClientMessage {
    /// The first message of every connection.
    Hello {
        /// [`VERSION`](super::VERSION)
        version: u32,
        /// Name of the app.
        app: String,
        /// Version of the app's messages.
        app_version: u32,
        /// Of the printed link, where one is needed.
        #[serde(default)]
        #[cfg_attr(test, ts(optional))]
        token: Option<String>,
    },
    /// Changes the document.
    Edit {
        /// Repeated in the state that includes it; grows.
        revision: u32,
        /// The app's own.
        #[cfg_attr(test, ts(type = "unknown"))]
        edit: Box<RawValue>,
    },
    /// Asks something. Every question ends: in an `answer`, a `failure` or `replaced`.
    Ask {
        /// Repeated in the answer.
        request: u32,
        /// The app's own.
        #[cfg_attr(test, ts(type = "unknown"))]
        ask: Box<RawValue>,
    },
    /// Takes a question back.
    Cancel {
        /// Which.
        request: u32,
    },
    /// Says that the client is there.
    Ping {
        /// Repeated in the answer.
        request: u32,
    },
}

impl ClientMessage {
    /// Reads a text of a client.
    pub fn read(text: &str) -> Result<ClientMessage, Refusal> {
        serde_json::from_str(text).map_err(|error| refusal_of(&error))
    }
}

/// What a session's host may say.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum ServerMessage {
    /// Answers `hello`.
    Welcome(Welcome),
    /// What was computed from the document.
    State {
        /// Of the last edit in it.
        revision: u32,
        /// The app's own.
        #[cfg_attr(test, ts(type = "unknown"))]
        state: Box<RawValue>,
    },
    /// Answers a question.
    Answer {
        /// As asked.
        request: u32,
        /// The app's own.
        #[cfg_attr(test, ts(type = "unknown"))]
        answer: Box<RawValue>,
    },
    /// A question was taken back, or a newer one of its kind took its place.
    Replaced {
        /// Which.
        request: u32,
    },
    /// Something happened that must not be missed.
    Event {
        /// The app's own.
        #[cfg_attr(test, ts(type = "unknown"))]
        event: Box<RawValue>,
    },
    /// A live session waits for a free core.
    Load {
        /// How many are to be served before it, itself included; 0: it runs.
        place: u32,
    },
    /// Answers an upload: all files that are held. One that nothing needs may be given up for a later one.
    Files {
        /// As asked.
        request: u32,
        /// Every one.
        held: Vec<FileFacts>,
    },
    /// Answers `ping`.
    Pong {
        /// As asked.
        request: u32,
    },
    /// A message was not carried out; the session is as it was.
    Failure(Failure),
}

/// What a client has to know about its host.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Welcome {
    /// Of the platform's messages.
    pub version: u32,
    /// Of the program.
    pub program: String,
    /// What the client may send.
    pub limits: WireLimits,
    /// The app's own.
    #[cfg_attr(test, ts(type = "unknown"))]
    pub facts: Box<RawValue>,
}

/// How long messages may be. A client checks before it sends.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct WireLimits {
    /// Bytes of an edit.
    pub edit_bytes: u32,
    /// Bytes of a question.
    pub ask_bytes: u32,
    /// Bytes of a file.
    pub file_bytes: u32,
}

/// A file that is held.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FileFacts {
    /// Its name.
    pub file: String,
    /// How many.
    pub vertices: u32,
    /// How many.
    pub triangles: u32,
}
