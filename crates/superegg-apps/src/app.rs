//! What the author of an app writes, and how that becomes a [`Session`] over texts.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::limits::Limits;
use crate::session::{Asked, Context, Opened, Pace, Session, Slice, Step, Task, Work, Written};
use crate::wire::state_frame::Block;
use crate::wire::{Control, Refusal, read};

/// What a session starts from.
#[derive(Clone, Debug, Default)]
pub struct Open {
    /// The only source of chance.
    pub seed: u64,
    /// What a document may hold.
    pub limits: Limits,
}

/// What is new.
pub struct Outgoing<A: App> {
    /// Binary geometry, before the state.
    pub geometry: Vec<Vec<u8>>,
    /// The newest state and the number of the last edit in it.
    pub state: Option<(u32, A::State)>,
    /// What changes all the time.
    pub blocks: Option<Vec<Block>>,
    /// What must not be missed, in order.
    pub events: Vec<A::Event>,
}

impl<A: App> Default for Outgoing<A> {
    fn default() -> Self {
        Outgoing { geometry: vec![], state: None, blocks: None, events: vec![] }
    }
}

/// An app: its messages, and what they do. Five methods; the others have defaults.
pub trait App: Sized + Send + 'static {
    /// As in the address and in `hello`.
    const NAME: &'static str;
    /// Version of its messages.
    const VERSION: u32;
    /// What a client has to know: methods, ready scenes, limits.
    type Facts: Serialize;
    /// What is undone, saved and sent.
    type Document: Serialize;
    /// What is computed from it.
    type State: Serialize;
    /// Answers to questions.
    type Answer: Serialize + 'static;
    /// What must not be missed.
    type Event: Serialize;
    /// Changes of the document.
    type Edit: DeserializeOwned;
    /// Questions.
    type Ask: DeserializeOwned;

    /// A new session; its document comes as an edit.
    fn open(open: &Open) -> (Self, Self::Facts);
    /// Carries out an edit, as a whole or not at all. Quick.
    fn edit(&mut self, edit: Self::Edit, context: &Context) -> Result<(), Refusal>;
    /// Answers a question, now or by a task.
    fn ask(&mut self, ask: Self::Ask, context: &Context) -> Result<Asked<Self::Answer>, Refusal>;
    /// Writes what is new since the last call.
    fn frame(&mut self, out: &mut Outgoing<Self>);
    /// The document as the session holds it.
    fn document(&self) -> Self::Document;

    /// What hands do; clamped to its domain, never refused.
    fn input(&mut self, _controls: &[Control]) {}
    /// What the session wants next.
    fn pace(&self) -> Pace {
        Pace::Idle
    }
    /// One fixed step, never cut by a clock.
    fn advance(&mut self, _dt: f64) {}
    /// Computes what edits made due, unit by unit.
    fn work(&mut self, _slice: &Slice) -> Work {
        Work::Done
    }
}

/// An app as a session.
pub struct Typed<A>(A);

impl<A: App> Typed<A> {
    /// Opens a session of the app.
    pub fn open(open: &Open) -> Opened {
        let (app, facts) = A::open(open);
        Opened { version: A::VERSION, session: Box::new(Typed(app)), facts: raw(&facts) }
    }
}

/// A value as JSON. Messages are plain data without maps by other keys than texts, so this does not fail.
pub(crate) fn raw(value: &impl Serialize) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).unwrap_or_default()
}

fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned())
}

/// A task whose answer is written.
struct Writing<Answer>(Box<dyn Task<Answer>>);

impl<Answer: Serialize> Task<String> for Writing<Answer> {
    fn step(&mut self, slice: &Slice) -> Result<Step<String>, Refusal> {
        Ok(match self.0.step(slice)? {
            Step::More => Step::More,
            Step::Done(answer, bytes) => Step::Done(text(&answer), bytes),
        })
    }
}

impl<A: App> Session for Typed<A> {
    fn edit(&mut self, edit: &str, context: &Context) -> Result<(), Refusal> {
        self.0.edit(read(edit)?, context)
    }

    fn ask(&mut self, ask: &str, context: &Context) -> Result<Asked<String>, Refusal> {
        Ok(match self.0.ask(read(ask)?, context)? {
            Asked::Now(answer) => Asked::Now(text(&answer)),
            Asked::Later { slot, task } => Asked::Later { slot, task: Box::new(Writing(task)) },
        })
    }

    fn input(&mut self, controls: &[Control]) {
        self.0.input(controls);
    }

    fn pace(&self) -> Pace {
        self.0.pace()
    }

    fn advance(&mut self, dt: f64) {
        self.0.advance(dt);
    }

    fn work(&mut self, slice: &Slice) -> Work {
        self.0.work(slice)
    }

    fn frame(&mut self) -> Written {
        let mut out = Outgoing::default();
        self.0.frame(&mut out);
        Written {
            geometry: out.geometry,
            state: out.state.map(|(revision, state)| (revision, text(&state))),
            blocks: out.blocks,
            events: out.events.iter().map(text).collect(),
        }
    }

    fn document(&self) -> String {
        text(&self.0.document())
    }
}
