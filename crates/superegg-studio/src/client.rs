//! What the server holds for one client, and what its messages do to that: a message is carried out at once and answered at
//! once where it can be; what takes computing waits in a slot, and so does the newest state until it is sent.
//!
//! States and requests are computed apart from each other, so that an edit never waits for the plot of a slow pair.

use std::sync::{Mutex, PoisonError};

use axum::extract::ws::Message;
use tokio::sync::Notify;

use crate::failure::{Subject, failure};
use crate::lab::{self, Known, Reply, Request};
use crate::limits::Limits;
use crate::method::METHODS;
use crate::protocol::{ClientMessage, ErrorKind, PublicLimits, Refusal, ServerMessage, Upload, VERSION, Welcome, read};
use crate::world::World;
use crate::{meshes, scenes};

/// What a connection's reader, computers and writer share.
pub(crate) struct Client {
    pub limits: Limits,
    inbox: Mutex<Inbox>,
    /// There is a new world to compute.
    pub edited: Notify,
    /// There is a request to answer.
    pub asked: Notify,
    outbox: Mutex<Outbox>,
    /// There is something to send.
    ready: Notify,
    /// What waited was sent.
    taken: Notify,
}

struct Inbox {
    world: World,
    greeted: bool,
    edited: bool,
    /// One slot a kind of request.
    trace: Option<Request>,
    plot: Option<Request>,
    previews: Option<Request>,
}

#[derive(Default)]
struct Outbox {
    state: Option<lab::State>,
    /// At most one for each slot of the inbox, and one more of each while it waits.
    replies: Vec<Message>,
}

impl Client {
    pub fn new(limits: Limits) -> Client {
        let inbox =
            Inbox { world: World::empty(), greeted: false, edited: false, trace: None, plot: None, previews: None };
        Client {
            limits,
            inbox: Mutex::new(inbox),
            edited: Notify::new(),
            asked: Notify::new(),
            outbox: Mutex::new(Outbox::default()),
            ready: Notify::new(),
            taken: Notify::new(),
        }
    }

    /// Of the last edit.
    pub fn revision(&self) -> u32 {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner).world.revision()
    }

    /// Carries out a message; returns what can be answered at once.
    pub fn hear(&self, words: &str) -> Option<ServerMessage> {
        let message: ClientMessage = match read(words) {
            Ok(message) => message,
            Err(refusal) => return Some(failure(Subject::Nothing, refusal)),
        };
        self.obey(&message).unwrap_or_else(|refusal| Some(failure(Subject::of(&message), refusal)))
    }

    /// Reads the file of a mesh, on a thread where that may take its time.
    pub fn take(&self, bytes: &[u8]) -> ServerMessage {
        let upload = match Upload::read(bytes) {
            Ok(upload) => upload,
            Err(refusal) => return failure(Subject::Nothing, refusal),
        };
        let Upload { request, name, content } = upload;
        let held = meshes::read(name, content, &self.limits).and_then(|mesh| {
            let mut inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
            if !inbox.greeted {
                return Err(Refusal::whole(ErrorKind::Protocol, "the first message is `hello`"));
            }
            inbox.world.hold(name, mesh, &self.limits)
        });
        match held {
            Ok(meshes) => ServerMessage::Meshes { request, meshes },
            Err(refusal) => failure(Subject::Request(request), refusal),
        }
    }

    fn obey(&self, message: &ClientMessage) -> Result<Option<ServerMessage>, Refusal> {
        let mut inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
        if let ClientMessage::Hello { version } = message {
            if *version != VERSION {
                let text = format!("this studio speaks version {VERSION}; reload the page");
                return Err(Refusal { kind: ErrorKind::Protocol, ..Refusal::at("hello.version", text) });
            }
            inbox.greeted = true;
            return Ok(Some(ServerMessage::Welcome(self.welcome())));
        }
        if !inbox.greeted {
            return Err(Refusal::whole(ErrorKind::Protocol, "the first message is `hello`"));
        }
        if inbox.world.apply(message, &self.limits)? {
            inbox.edited = true;
            self.edited.notify_one();
            return Ok(None);
        }
        match *message {
            ClientMessage::GetTrace { request, pair } => inbox.trace = Some(Request::Trace { request, pair }),
            ClientMessage::GetPlot { request, pair, samples } => {
                inbox.plot = Some(Request::Plot { request, pair, samples });
            }
            ClientMessage::GetPreviews { request, id, grid } => {
                inbox.previews = Some(Request::Previews { request, id, grid });
            }
            ClientMessage::GetScene { request } => {
                let (revision, scene) = (inbox.world.revision(), inbox.world.scene().clone());
                return Ok(Some(ServerMessage::Scene { request, revision, scene }));
            }
            ClientMessage::Parse { request, ref text } => {
                let scene = lab::parse(text, inbox.world.meshes(), &self.limits)?;
                return Ok(Some(ServerMessage::Parsed { request, scene }));
            }
            ClientMessage::Ping { request } => return Ok(Some(ServerMessage::Pong { request })),
            // Edits and the greeting were dealt with above.
            _ => return Ok(None),
        }
        self.asked.notify_one();
        Ok(None)
    }

    fn welcome(&self) -> Welcome {
        let Limits { bodies, keys, samples, preview_grid, message_bytes, mesh_bytes, mesh_triangles, parts, .. } =
            self.limits;
        Welcome {
            version: VERSION,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            limits: PublicLimits {
                bodies,
                keys,
                samples,
                preview_grid,
                message_bytes,
                mesh_bytes,
                mesh_triangles,
                parts,
            },
            methods: METHODS.iter().map(crate::method::Method::facts).collect(),
            scenes: scenes::all(),
        }
    }

    /// Computes the newest state, if it is not computed yet; `known` is what the client was told before.
    pub fn compute(&self, mut known: Known) -> Known {
        let (world, edited) = {
            let mut inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
            (inbox.world.clone(), std::mem::take(&mut inbox.edited))
        };
        if edited {
            let state = lab::state(&world, &mut known, &self.limits);
            self.outbox.lock().unwrap_or_else(PoisonError::into_inner).state = Some(state);
            self.ready.notify_one();
        }
        known
    }

    /// Answers what was asked. A long answer ends early, and is not given, when the same is asked anew meanwhile.
    pub fn answer(&self) {
        let (world, requests) = {
            let mut inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
            (inbox.world.clone(), [inbox.trace.take(), inbox.plot.take(), inbox.previews.take()])
        };
        let plot_is_stale = || self.inbox.lock().unwrap_or_else(PoisonError::into_inner).plot.is_some();
        for request in requests.into_iter().flatten() {
            let message = match lab::respond(&world, request, &self.limits, &plot_is_stale) {
                Ok(Some(Reply::Text(message))) => text(&message),
                Ok(Some(Reply::Frames(bytes))) => Message::Binary(bytes.into()),
                Ok(None) => continue,
                Err(refusal) => {
                    let (Request::Trace { request, .. }
                    | Request::Plot { request, .. }
                    | Request::Previews { request, .. }) = request;
                    text(&failure(Subject::Request(request), refusal))
                }
            };
            self.outbox.lock().unwrap_or_else(PoisonError::into_inner).replies.push(message);
            self.ready.notify_one();
        }
    }

    /// Waits until the writer has taken everything.
    pub async fn until_taken(&self) {
        loop {
            // Before the look, so that what is taken between the two is not missed.
            let taken = self.taken.notified();
            if self.has_sent_all() {
                return;
            }
            taken.await;
        }
    }

    fn has_sent_all(&self) -> bool {
        let outbox = self.outbox.lock().unwrap_or_else(PoisonError::into_inner);
        outbox.state.is_none() && outbox.replies.is_empty()
    }

    /// What [`outgoing`](Self::outgoing) gave was sent.
    pub fn sent(&self) {
        self.taken.notify_waiters();
    }

    /// Waits for something to send, and takes all of it.
    pub async fn outgoing(&self) -> Vec<Message> {
        loop {
            let Outbox { state, mut replies } =
                std::mem::take(&mut *self.outbox.lock().unwrap_or_else(PoisonError::into_inner));
            if let Some(state) = state {
                replies.extend(state.meshes.into_values().map(|bytes| Message::Binary(bytes.into())));
                replies.extend(state.contacts.map(|contacts| text(&ServerMessage::Contacts(contacts))));
            }
            if !replies.is_empty() {
                return replies;
            }
            self.ready.notified().await;
        }
    }
}

/// A message as it is sent.
pub(crate) fn text(message: &ServerMessage) -> Message {
    // Messages are plain data; they always have a text.
    Message::Text(serde_json::to_string(message).unwrap_or_default().into())
}
