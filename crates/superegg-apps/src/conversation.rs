//! One client and its session: greeting, slots, acknowledgements, pacing and back-pressure. Pure: time is an argument, and
//! a host does nothing but carry messages to [`receive`](Conversation::receive), call [`poll`](Conversation::poll) and wait.
//!
//! - **Nothing piles up.** A session is asked for what is new only when all before is sent; the newest state *is* the slot.
//!   Of state frames at most [`IN_FLIGHT`] are unacknowledged. Questions have one slot a kind. Direct replies have a short
//!   queue; when it is full the host stops reading.
//! - **Every question ends**: answered, refused or `replaced`.
//! - **Pace.** Steps are due on a grid of `dt`. Waiting input may start one half a step early, and the grid leans towards the
//!   rhythm of the client's frames, so that what a hand does in one is computed before the next. More than `PATIENCE` steps
//!   late, the debt is dropped: simulated time slows, visibly, and never catches up in a spiral.

use std::collections::VecDeque;

use serde_json::value::RawValue;

use crate::app::{Open, raw};
use crate::catalogue::{self, Catalogue};
use crate::files::Files;
use crate::inbox::Inbox;
use crate::limits::Limits;
use crate::session::{Asked, Clock, Context, Opened, Pace, Session, Slice, Step, Task, Work, Written};
use crate::wire::envelope::{ClientMessage, ServerMessage, Welcome, WireLimits};
use crate::wire::input::Input;
use crate::wire::state_frame::{self, Head};
use crate::wire::upload::Upload;
use crate::wire::{ErrorKind, Refusal, VERSION};

/// State frames that may be on their way.
pub const IN_FLIGHT: u32 = 2;
/// Steps that a live session may be late before time slows.
const PATIENCE: f64 = 2.0;
/// How long before a step is due the client's input should come, in steps: as far from too late as from too early.
const LEAD: f64 = 0.25;
/// Part of what is missing to that by which the grid moves, once a step: simulated time is wrong by a twentieth at most, and not
/// at all when input comes in the rhythm of the steps, or in none.
const LEANING: f64 = 0.1;
/// Without an acknowledgement for so long a live session rests, in seconds: nobody looks.
const UNSEEN: f64 = 1.0;
/// Bytes of a greeting.
const HELLO_BYTES: usize = 4096;
/// Direct replies that may wait.
const REPLIES: usize = 16;
/// Length of a slice of work, in seconds.
const SLICE: f64 = 0.01;

/// A message as it travels.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// JSON.
    Text(String),
    /// Begins with `SEGG`.
    Binary(Vec<u8>),
}

/// What a host does next.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Send this; the next one when it is sent.
    Send(Message),
    /// Poll again: something was computed.
    Again,
    /// Wait for a message, or until this time.
    Wait(Option<f64>),
    /// End the connection.
    Close(Close),
}

/// Why a conversation ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Close {
    /// Another version, or an app that is not there.
    Version,
    /// The token is wrong.
    Token,
}

/// How a conversation is set up.
#[derive(Clone)]
pub struct Setup {
    /// What may be opened.
    pub catalogue: Catalogue,
    /// What a document may hold.
    pub limits: Limits,
    /// The only source of chance.
    pub seed: u64,
    /// What a client has to know to be greeted.
    pub token: Option<String>,
    /// Version of the program.
    pub program: String,
}

impl Default for Setup {
    fn default() -> Setup {
        Setup {
            catalogue: catalogue::studio,
            limits: Limits::default(),
            seed: 0,
            token: None,
            program: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

/// One client and its session.
pub struct Conversation {
    setup: Setup,
    session: Option<Box<dyn Session>>,
    files: Files,
    inbox: Inbox,
    /// Failures and quick answers.
    replies: VecDeque<Message>,
    /// What the session wrote last.
    lane: VecDeque<Message>,
    /// Answers of tasks.
    answers: VecDeque<Message>,
    tasks: Vec<Underway>,
    /// The task whose turn it is.
    turn: usize,
    revision: u32,
    /// Edits made work due.
    working: bool,
    /// The session may have something new.
    dirty: bool,
    /// What is new answers an edit, and does not wait for acknowledgements.
    urgent: bool,
    live: Live,
    close: Option<Close>,
}

struct Underway {
    slot: &'static str,
    request: u32,
    task: Box<dyn Task<String>>,
}

#[derive(Default)]
struct Live {
    /// The host gave a core.
    granted: bool,
    /// What the client was told about waiting for one.
    place: u32,
    /// When the next step is due.
    due: Option<f64>,
    /// When input came since the last step.
    rhythm: Rhythm,
    /// Of the last state frame.
    sequence: u32,
    /// Of the last one that the client has drawn.
    drawn: u32,
    /// When the client was last seen drawing, or began.
    seen: f64,
    tick: u32,
    step: f64,
    speed: Speed,
}

/// When in a step input came: the sum of directions on a clock whose hand goes round once a step. What comes at any time adds up
/// to nothing, and so moves nothing.
#[derive(Default)]
struct Rhythm {
    sum: [f64; 2],
    count: u32,
}

impl Rhythm {
    /// Something came so many steps too early.
    fn note(&mut self, early: f64) {
        let (sine, cosine) = (std::f64::consts::TAU * early).sin_cos();
        self.sum = [self.sum[0] + cosine, self.sum[1] + sine];
        self.count += 1;
    }

    /// How many steps too late the grid is, half a step at most.
    fn lag(&self) -> f64 {
        let [x, y] = self.sum;
        y.atan2(x) / std::f64::consts::TAU * x.hypot(y) / f64::from(self.count.max(1))
    }
}

/// Simulated seconds in a second, over the last second or so.
#[derive(Default)]
struct Speed {
    since: f64,
    simulated: f64,
    last: f64,
}

impl Speed {
    fn start(now: f64) -> Speed {
        Speed { since: now, simulated: 0.0, last: 1.0 }
    }

    fn step(&mut self, now: f64, dt: f64) {
        self.simulated += dt;
        let elapsed = now - self.since;
        if elapsed >= 1.0 {
            *self = Speed { since: now, simulated: 0.0, last: self.simulated / elapsed };
        }
    }
}

impl Conversation {
    /// Before the greeting.
    pub fn new(setup: Setup) -> Conversation {
        Conversation {
            setup,
            session: None,
            files: Files::default(),
            inbox: Inbox::default(),
            replies: VecDeque::new(),
            lane: VecDeque::new(),
            answers: VecDeque::new(),
            tasks: vec![],
            turn: 0,
            revision: 0,
            working: false,
            dirty: false,
            urgent: false,
            live: Live::default(),
            close: None,
        }
    }

    /// Whether `hello` was heard.
    pub fn is_greeted(&self) -> bool {
        self.session.is_some()
    }

    /// Whether the host has to stop reading until something is sent.
    pub fn is_full(&self) -> bool {
        self.replies.len() >= REPLIES || self.inbox.is_full()
    }

    /// Whether the session wants a core of its own.
    pub fn wants_core(&self, now: f64) -> bool {
        let live = self.session.as_ref().is_some_and(|session| matches!(session.pace(), Pace::Live { .. }));
        live && now - self.live.seen <= UNSEEN
    }

    /// The host gave a core, or took it back.
    pub fn grant(&mut self, granted: bool, now: f64) {
        if granted && !self.live.granted {
            self.live.due = None;
            self.live.speed = Speed::start(now);
            self.told_place(0);
        }
        self.live.granted = granted;
    }

    /// The host has no core: how many are to be served first, this one included.
    pub fn told_place(&mut self, place: u32) {
        if place != self.live.place {
            self.live.place = place;
            self.reply(&ServerMessage::Load { place });
        }
    }

    /// The document as the session holds it, for tests.
    pub fn document(&self) -> Option<String> {
        self.session.as_ref().map(|session| session.document())
    }

    /// Takes a message of the client. Reading the file of a mesh may take its time; all else is quick.
    pub fn receive(&mut self, message: &Message, now: f64) {
        match message {
            Message::Text(text) => self.receive_text(text, now),
            Message::Binary(bytes) if Input::claims(bytes) => self.receive_input(bytes, now),
            Message::Binary(bytes) => {
                let answer = self.receive_upload(bytes);
                self.reply(&answer);
            }
        }
    }

    fn receive_text(&mut self, text: &str, now: f64) {
        let Limits { edit_bytes, ask_bytes, .. } = self.setup.limits;
        let is_edit = text.trim_start().starts_with(r#"{"edit""#);
        let most = match (&self.session, is_edit) {
            (None, _) => HELLO_BYTES,
            (Some(_), true) => edit_bytes,
            (Some(_), false) => ask_bytes,
        };
        if text.len() > most {
            let refusal = Refusal::whole(
                ErrorKind::Limit,
                format!("a message of {} bytes; at most {most} are taken", text.len()),
            );
            // Its revision, so that the client knows which edit was refused.
            let revision = is_edit.then(|| revision_of(text)).flatten();
            return self.reply(&ServerMessage::Failure(refusal.failure(None, revision)));
        }
        let message = match ClientMessage::read(text) {
            Ok(message) => message,
            Err(refusal) => return self.reply(&ServerMessage::Failure(refusal.failure(None, None))),
        };
        let (request, revision) = match &message {
            ClientMessage::Edit { revision, .. } => (None, Some(*revision)),
            ClientMessage::Ask { request, .. }
            | ClientMessage::Ping { request }
            | ClientMessage::Cancel { request } => (Some(*request), None),
            ClientMessage::Hello { .. } => (None, None),
        };
        match self.obey(message, now) {
            Ok(Some(answer)) => self.reply(&answer),
            Ok(None) => {}
            Err(refusal) => self.reply(&ServerMessage::Failure(refusal.failure(request, revision))),
        }
    }

    fn obey(&mut self, message: ClientMessage, now: f64) -> Result<Option<ServerMessage>, Refusal> {
        if let ClientMessage::Hello { version, app, app_version, token } = message {
            return self.greet(version, &app, app_version, token.as_deref(), now).map(Some);
        }
        let silent = || Refusal::whole(ErrorKind::Protocol, "the first message is `hello`");
        let session = self.session.as_mut().ok_or_else(silent)?;
        match message {
            ClientMessage::Hello { .. } => Ok(None),
            ClientMessage::Edit { revision, edit } => {
                session.edit(edit.get(), &Context { files: &self.files, number: revision })?;
                self.revision = revision;
                // What is new is written when the work is done. Whoever edits is there.
                self.working = true;
                self.live.seen = now;
                Ok(None)
            }
            ClientMessage::Ask { request, ask } => {
                match session.ask(ask.get(), &Context { files: &self.files, number: request })? {
                    Asked::Now(answer) => Ok(Some(ServerMessage::Answer { request, answer: as_raw(answer) })),
                    Asked::Later { slot, task } => {
                        self.drop_task(|other| other.slot == slot);
                        self.tasks.push(Underway { slot, request, task });
                        Ok(None)
                    }
                }
            }
            ClientMessage::Cancel { request } => {
                self.drop_task(|other| other.request == request);
                Ok(None)
            }
            ClientMessage::Ping { request } => Ok(Some(ServerMessage::Pong { request })),
        }
    }

    fn greet(
        &mut self,
        version: u32,
        app: &str,
        app_version: u32,
        token: Option<&str>,
        now: f64,
    ) -> Result<ServerMessage, Refusal> {
        let protocol = |field: &str, text: String| Refusal { kind: ErrorKind::Protocol, ..Refusal::at(field, text) };
        if self.session.is_some() {
            return Err(Refusal::whole(ErrorKind::Protocol, "the greeting is over"));
        }
        if version != VERSION {
            self.close = Some(Close::Version);
            return Err(protocol("hello.version", format!("this studio speaks version {VERSION}; reload the page")));
        }
        if let Some(wanted) = &self.setup.token
            && !is_equal(wanted.as_bytes(), token.unwrap_or_default().as_bytes())
        {
            self.close = Some(Close::Token);
            let text = "this studio needs the link that its program printed, with its token".to_owned();
            return Err(protocol("hello.token", text));
        }
        let open = Open { seed: self.setup.seed, limits: self.setup.limits.clone() };
        let Some(opened) = (self.setup.catalogue)(app, &open) else {
            self.close = Some(Close::Version);
            let shown: String = app.chars().take(60).collect();
            return Err(protocol("hello.app", format!("there is no app {shown:?} here")));
        };
        let Opened { version, session, facts } = opened;
        if version != app_version {
            self.close = Some(Close::Version);
            return Err(protocol("hello.app_version", format!("{app} speaks version {version}; reload the page")));
        }
        self.session = Some(session);
        self.live.seen = now;
        let Limits { edit_bytes, ask_bytes, mesh_bytes, .. } = self.setup.limits;
        let limits =
            WireLimits { edit_bytes: edit_bytes as u32, ask_bytes: ask_bytes as u32, file_bytes: mesh_bytes as u32 };
        Ok(ServerMessage::Welcome(Welcome { version: VERSION, program: self.setup.program.clone(), limits, facts }))
    }

    fn receive_input(&mut self, bytes: &[u8], now: f64) {
        let refused = match (Input::read(bytes), &self.session) {
            (Err(refusal), _) => refusal,
            (Ok(_), None) => Refusal::whole(ErrorKind::Protocol, "the first message is `hello`"),
            (Ok(input), Some(session)) => {
                // What was never sent cannot have been drawn.
                self.live.drawn = self.live.drawn.max(input.drawn.min(self.live.sequence));
                self.live.seen = now;
                if let (Pace::Live { dt }, Some(due)) = (session.pace(), self.live.due) {
                    self.live.rhythm.note((due - now) / dt - LEAD);
                }
                self.inbox.push(&input);
                return;
            }
        };
        self.reply(&ServerMessage::Failure(refused.failure(None, None)));
    }

    fn receive_upload(&mut self, bytes: &[u8]) -> ServerMessage {
        let (request, held) = match Upload::read(bytes) {
            Err(refusal) => return ServerMessage::Failure(refusal.failure(None, None)),
            Ok(Upload { request, .. }) if self.session.is_none() => {
                (request, Err(Refusal::whole(ErrorKind::Protocol, "the first message is `hello`")))
            }
            Ok(Upload { request, name, content }) => (request, self.files.take(name, content, &self.setup.limits)),
        };
        match held {
            Ok(held) => ServerMessage::Files { request, held },
            Err(refusal) => ServerMessage::Failure(refusal.failure(Some(request), None)),
        }
    }

    fn reply(&mut self, message: &ServerMessage) {
        self.replies.push_back(written(message));
    }

    /// Ends the tasks that are meant; their clients are told.
    fn drop_task(&mut self, is_meant: impl Fn(&Underway) -> bool) {
        while let Some(index) = self.tasks.iter().position(&is_meant) {
            let request = self.tasks.remove(index).request;
            self.reply(&ServerMessage::Replaced { request });
        }
    }

    /// One thing to send, one slice of work, or how long to wait. `gone` tells whether the client has left.
    pub fn poll(&mut self, clock: &dyn Clock, gone: &dyn Fn() -> bool) -> Next {
        let waiting = self.replies.pop_front().or_else(|| self.lane.pop_front()).or_else(|| self.answers.pop_front());
        if let Some(message) = waiting {
            return Next::Send(message);
        }
        if let Some(close) = self.close {
            return Next::Close(close);
        }
        let Some(session) = self.session.as_mut() else { return Next::Wait(None) };
        let now = clock.now();
        let is_live = matches!(session.pace(), Pace::Live { .. });
        let in_flight = self.live.sequence.saturating_sub(self.live.drawn);
        // A session that rests has nobody who draws; what an edit changed is sent all the same.
        if self.dirty && (self.urgent || in_flight < IN_FLIGHT || !is_live) {
            (self.dirty, self.urgent) = (false, false);
            let written = session.frame();
            self.fill_lane(written);
            if !self.lane.is_empty() {
                return Next::Again;
            }
            return self.poll(clock, gone);
        }
        let slice = Slice { clock, until: now + SLICE, gone };
        let mut until = None;
        if let Pace::Live { dt } = session.pace() {
            if self.live.granted && now - self.live.seen <= UNSEEN {
                let due = *self.live.due.get_or_insert(now);
                let early = if self.inbox.is_waiting() { 0.5 * dt } else { 0.0 };
                if now >= due - early {
                    self.advance(clock, now, due, dt);
                    return Next::Again;
                }
                until = Some(due - early);
            }
        } else if self.inbox.is_waiting() {
            // A session that rests still sees what hands do.
            session.input(&self.inbox.take());
            self.dirty = true;
            return Next::Again;
        }
        if self.working {
            if session.work(&slice) == Work::Done {
                (self.working, self.dirty, self.urgent) = (false, true, true);
            }
            return Next::Again;
        }
        if !self.tasks.is_empty() {
            self.step_task(&slice);
            return Next::Again;
        }
        Next::Wait(until)
    }

    fn advance(&mut self, clock: &dyn Clock, now: f64, due: f64, dt: f64) {
        let Some(session) = self.session.as_mut() else { return };
        // Input that waited tells by how early it started this step; else all that came tells.
        let (early, rhythm) = ((due - now) / dt, std::mem::take(&mut self.live.rhythm));
        let lag = if self.inbox.is_waiting() && early > 0.0 { early - LEAD } else { rhythm.lag() };
        session.input(&self.inbox.take());
        session.advance(dt);
        self.live.step = clock.now() - now;
        self.live.tick = self.live.tick.wrapping_add(1);
        self.live.speed.step(now, dt);
        let next = due + dt - LEANING * dt * lag;
        // More than that late: the debt is dropped.
        self.live.due = Some(if now - next > PATIENCE * dt { now + dt } else { next });
        self.dirty = true;
    }

    fn fill_lane(&mut self, written: Written) {
        let Written { geometry, state, blocks, events } = written;
        self.lane.extend(geometry.into_iter().map(Message::Binary));
        self.lane.extend(events.into_iter().map(|event| self::written(&ServerMessage::Event { event: as_raw(event) })));
        if let Some((revision, state)) = state {
            self.lane.push_back(self::written(&ServerMessage::State { revision, state: as_raw(state) }));
        }
        if let Some(blocks) = blocks {
            self.live.sequence += 1;
            let head = Head {
                sequence: self.live.sequence,
                input: self.inbox.consumed(),
                revision: self.revision,
                tick: self.live.tick,
                speed: self.live.speed.last as f32,
                step: (self.live.step * 1e6) as u32,
            };
            self.lane.push_back(Message::Binary(state_frame::write(head, &blocks)));
        }
    }

    /// One slice of the task whose turn it is.
    fn step_task(&mut self, slice: &Slice) {
        self.turn %= self.tasks.len();
        let underway = &mut self.tasks[self.turn];
        let request = underway.request;
        let message = match underway.task.step(slice) {
            Ok(Step::More) => {
                self.turn += 1;
                return;
            }
            Ok(Step::Done(answer, bytes)) => {
                self.answers.extend(bytes.into_iter().map(Message::Binary));
                ServerMessage::Answer { request, answer: as_raw(answer) }
            }
            Err(refusal) => ServerMessage::Failure(refusal.failure(Some(request), None)),
        };
        self.tasks.remove(self.turn);
        self.answers.push_back(written(&message));
    }
}

/// A text that is JSON already.
fn as_raw(text: String) -> Box<RawValue> {
    RawValue::from_string(text).unwrap_or_else(|_| raw(&()))
}

fn written(message: &ServerMessage) -> Message {
    // Messages are plain data; they always have a text.
    Message::Text(serde_json::to_string(message).unwrap_or_default())
}

/// The revision of an edit that is too long to be read.
fn revision_of(text: &str) -> Option<u32> {
    let (_, rest) = text.get(..200.min(text.len()))?.split_once(r#""revision":"#)?;
    let digits: String = rest.trim_start().chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// Compares in a time that tells nothing about where two tokens differ.
fn is_equal(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && std::hint::black_box(a.iter().zip(b).fold(0, |sum, (a, b)| sum | (a ^ b))) == 0
}

#[cfg(test)]
#[path = "conversation_tests.rs"]
mod tests;
