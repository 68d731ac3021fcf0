//! A session over texts and bytes: what a host drives, whatever the app.

use serde_json::value::RawValue;

use crate::files::Files;
use crate::wire::state_frame::Block;
use crate::wire::{Control, Refusal};

/// Seconds that only grow. A host has one; apps are handed it for what is shown (the time of a query) and to know when a
/// slice is over, never to decide what is computed.
pub trait Clock {
    /// Seconds since some moment.
    fn now(&self) -> f64;

    /// The step in which [`now`](Self::now) grows. A browser's clock steps by 0.1 ms.
    fn resolution(&self) -> f64 {
        1e-7
    }
}

/// A piece of time in which to work.
pub struct Slice<'a> {
    /// The host's clock.
    pub clock: &'a dyn Clock,
    /// When the slice is over.
    pub until: f64,
    /// Whether the client has left.
    pub gone: &'a dyn Fn() -> bool,
}

impl Slice<'_> {
    /// Whether to stop after the present unit: the time is over, or the client has left.
    pub fn spent(&self) -> bool {
        self.clock.now() >= self.until || (self.gone)()
    }
}

/// What a session wants next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// To be left alone until something is said.
    Idle,
    /// To be advanced by `dt` seconds, every `dt` seconds.
    Live {
        /// Length of a step.
        dt: f64,
    },
}

/// Whether the work that edits made due is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// All of it.
    Done,
    /// There is more.
    More,
}

/// An answer on its way: one unit of work a call.
pub trait Task<Answer>: Send {
    /// Works until the slice is spent or the answer is there. It owns all that it was asked about; whoever drops it has
    /// cancelled it.
    fn step(&mut self, slice: &Slice) -> Result<Step<Answer>, Refusal>;
}

/// How far a task came.
#[derive(Debug)]
pub enum Step<Answer> {
    /// There is more to do.
    More,
    /// The answer, and binary messages that belong to it and go before it.
    Done(Answer, Vec<Vec<u8>>),
}

/// What a session has to say, as it is sent.
#[derive(Debug, Default)]
pub struct Written {
    /// Binary geometry, before the state.
    pub geometry: Vec<Vec<u8>>,
    /// The newest state and the revision of the last edit in it.
    pub state: Option<(u32, String)>,
    /// What changes all the time; what a client has not fetched is replaced.
    pub blocks: Option<Vec<Block>>,
    /// What must not be missed, in order.
    pub events: Vec<String>,
}

/// An app's session. Same app, same seed, same order of calls: same bytes.
pub trait Session: Send {
    /// Carries out an edit, as a whole or not at all. Quick.
    fn edit(&mut self, edit: &str, context: &Context) -> Result<(), Refusal>;
    /// Answers a question, now or by a task.
    fn ask(&mut self, ask: &str, context: &Context) -> Result<Asked<String>, Refusal>;
    /// What hands do; clamped to its domain, never refused.
    fn input(&mut self, controls: &[Control]);
    /// What it wants next.
    fn pace(&self) -> Pace;
    /// One fixed step.
    fn advance(&mut self, dt: f64);
    /// Computes what edits made due, unit by unit.
    fn work(&mut self, slice: &Slice) -> Work;
    /// What is new since the last call.
    fn frame(&mut self) -> Written;
    /// The document, for tests: client and session hold the same.
    fn document(&self) -> String;
}

/// What is known when a message is carried out.
pub struct Context<'a> {
    /// The files that the client has sent.
    pub files: &'a Files,
    /// Number of the edit or the question.
    pub number: u32,
}

/// How a question is answered.
pub enum Asked<Answer> {
    /// At once.
    Now(Answer),
    /// By and by. A newer task of the same slot replaces an older one.
    Later {
        /// Which tasks replace each other.
        slot: &'static str,
        /// The work.
        task: Box<dyn Task<Answer>>,
    },
}

/// An open session and what its client has to know about it, as JSON.
pub struct Opened {
    /// Version of the app's messages.
    pub version: u32,
    /// The session.
    pub session: Box<dyn Session>,
    /// The app's facts.
    pub facts: Box<RawValue>,
}
