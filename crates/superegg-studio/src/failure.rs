//! Refusals as they are sent: with the request or the edit that they are about.

use crate::protocol::{ClientMessage, ErrorKind, Failure, Refusal, ServerMessage};

/// What is said when a query or a reader panics: it must not end the session.
pub(crate) fn defect() -> Refusal {
    Refusal::whole(ErrorKind::Internal, "a defect of superegg itself; please report this scene")
}

/// What a refusal is about.
#[derive(Clone, Copy)]
pub(crate) enum Subject {
    /// A message that was not understood.
    Nothing,
    Request(u32),
    Edit(u32),
}

impl Subject {
    pub fn of(message: &ClientMessage) -> Subject {
        match *message {
            ClientMessage::Hello { .. } => Subject::Nothing,
            ClientMessage::SetScene { revision, .. }
            | ClientMessage::SetBody { revision, .. }
            | ClientMessage::Move { revision, .. }
            | ClientMessage::Remove { revision, .. }
            | ClientMessage::SetSolver { revision, .. } => Subject::Edit(revision),
            ClientMessage::GetScene { request }
            | ClientMessage::GetTrace { request, .. }
            | ClientMessage::GetPlot { request, .. }
            | ClientMessage::GetPreviews { request, .. }
            | ClientMessage::Parse { request, .. }
            | ClientMessage::Ping { request } => Subject::Request(request),
        }
    }
}

/// A refusal as it is sent.
pub(crate) fn failure(subject: Subject, refusal: Refusal) -> ServerMessage {
    let (request, revision) = match subject {
        Subject::Nothing => (None, None),
        Subject::Request(request) => (Some(request), None),
        Subject::Edit(revision) => (None, Some(revision)),
    };
    let Refusal { kind, field, message } = refusal;
    ServerMessage::Failure(Failure { request, revision, kind, field, message })
}
