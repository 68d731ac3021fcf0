//! One client's connection.
//!
//! Three activities share it, all within one task: the *reader* carries out edits, the *computer* turns the newest world
//! into contacts and meshes on a thread of its own, the *writer* sends. Between computer and writer there is one slot
//! for the newest state, and the computer waits until it is empty: a slow client gets fewer states, never old ones.
//! Requests have one slot a kind, so a new one replaces one that was not begun. Direct replies have a short queue; when
//! it is full the reader stops reading, and the network tells the client to wait.

use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use tokio::sync::{Notify, OwnedSemaphorePermit, mpsc};
use tokio::time::timeout;

use crate::form;
use crate::lab::{self, Known, Reply, Request};
use crate::limits::Limits;
use crate::method::METHODS;
use crate::protocol::{
    ClientMessage, ErrorKind, Failure, PublicLimits, Refusal, ServerMessage, Upload, VERSION, Welcome, read,
};
use crate::world::World;
use crate::{Studio, scenes};

/// Direct replies that may wait for the writer.
const REPLIES: usize = 16;
/// Bytes that may wait inside the connection itself. The largest message is the geometry of a mesh with as many triangles
/// as one may have, none of which share a normal: 42 bytes each.
const WRITE_BUFFER: usize = 4 << 20;
/// Bytes of an upload beside the file.
const UPLOAD_HEADER: usize = 512;

/// Lets a client in, if there is room.
pub(crate) async fn upgrade(State(studio): State<Studio>, upgrade: WebSocketUpgrade) -> Response {
    let Ok(seat) = studio.seats.clone().try_acquire_owned() else {
        return (StatusCode::SERVICE_UNAVAILABLE, "The studio is full. Close another window first.\n").into_response();
    };
    let Limits { message_bytes, mesh_bytes, .. } = studio.config.limits;
    let bytes = message_bytes.max(mesh_bytes + UPLOAD_HEADER);
    upgrade
        .max_message_size(bytes)
        .max_frame_size(bytes)
        .max_write_buffer_size(WRITE_BUFFER)
        .on_upgrade(move |socket| attend(socket, studio, seat))
}

/// How a connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The client left.
    Left,
    /// The client said nothing for too long.
    Idle,
    /// The client's bytes made no sense or were too many.
    Broken,
    /// The client did not fetch what it was sent.
    Stalled,
    /// The server stops.
    Closing,
}

impl End {
    fn frame(self) -> Option<CloseFrame> {
        let (code, reason) = match self {
            End::Left | End::Stalled => return None,
            End::Idle => (close_code::POLICY, "nothing was heard for too long"),
            End::Broken => (close_code::SIZE, "the message is too large or damaged"),
            End::Closing => (close_code::AWAY, "the studio is closing"),
        };
        Some(CloseFrame { code, reason: reason.into() })
    }
}

/// What the three activities share.
struct Client {
    limits: Limits,
    inbox: Mutex<Inbox>,
    /// There is something to compute.
    wanted: Notify,
    outbox: Mutex<Outbox>,
    /// There is something to send.
    ready: Notify,
    /// The state was sent.
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

async fn attend(socket: WebSocket, studio: Studio, seat: OwnedSemaphorePermit) {
    let inbox = Inbox { world: World::empty(), greeted: false, edited: false, trace: None, plot: None, previews: None };
    let client = Arc::new(Client {
        limits: studio.config.limits.clone(),
        inbox: Mutex::new(inbox),
        wanted: Notify::new(),
        outbox: Mutex::new(Outbox::default()),
        ready: Notify::new(),
        taken: Notify::new(),
    });
    let (mut sink, mut stream) = socket.split();
    let (reply, mut replies) = mpsc::channel(REPLIES);
    let mut closing = studio.closing.clone();
    let end = tokio::select! {
        end = listen(&client, &studio, &mut stream, &reply) => end,
        end = send(&client, &mut sink, &mut replies) => end,
        end = compute(&client, &studio, &reply) => end,
        _ = closing.wait_for(|closing| *closing) => End::Closing,
    };
    if let Some(frame) = end.frame() {
        // Whether it arrives no longer matters.
        let _ = timeout(client.limits.stall, async {
            if end == End::Broken {
                let refusal = Refusal::whole(ErrorKind::Limit, "the message is too large or damaged");
                sink.send(text(&failure(Subject::Nothing, refusal))).await?;
            }
            sink.send(Message::Close(Some(frame))).await
        })
        .await;
    }
    drop(seat);
}

async fn listen(
    client: &Arc<Client>,
    studio: &Studio,
    stream: &mut SplitStream<WebSocket>,
    reply: &mpsc::Sender<Message>,
) -> End {
    loop {
        let message = match timeout(client.limits.idle, stream.next()).await {
            Err(_) => return End::Idle,
            Ok(None) => return End::Left,
            Ok(Some(Err(_))) => return End::Broken,
            Ok(Some(Ok(message))) => message,
        };
        let answer = match message {
            // Only files of meshes may be longer.
            Message::Text(words) if words.len() > client.limits.message_bytes => return End::Broken,
            Message::Text(words) => client.hear(&words),
            Message::Binary(bytes) => {
                // The semaphore is never closed.
                let Ok(_worker) = studio.workers.acquire().await else { return End::Closing };
                let shared = client.clone();
                let read = tokio::task::spawn_blocking(move || shared.take(&bytes)).await;
                Some(read.unwrap_or_else(|_| failure(Subject::Nothing, defect())))
            }
            Message::Close(_) => return End::Left,
            Message::Ping(_) | Message::Pong(_) => None,
        };
        if let Some(answer) = answer
            && reply.send(text(&answer)).await.is_err()
        {
            return End::Left;
        }
    }
}

async fn send(client: &Client, sink: &mut SplitSink<WebSocket, Message>, replies: &mut mpsc::Receiver<Message>) -> End {
    loop {
        let messages = tokio::select! {
            Some(message) = replies.recv() => vec![message],
            messages = client.outgoing() => messages,
        };
        for message in messages {
            match timeout(client.limits.stall, sink.send(message)).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return End::Left,
                Err(_) => return End::Stalled,
            }
        }
        client.taken.notify_one();
    }
}

async fn compute(client: &Arc<Client>, studio: &Studio, reply: &mpsc::Sender<Message>) -> End {
    let mut known = Known::default();
    loop {
        client.wanted.notified().await;
        while client.has_unsent_state() {
            client.taken.notified().await;
        }
        // The semaphore is never closed.
        let Ok(_worker) = studio.workers.acquire().await else { return End::Closing };
        let (shared, told) = (client.clone(), std::mem::take(&mut known));
        match tokio::task::spawn_blocking(move || shared.work(told)).await {
            Ok(told) => known = told,
            Err(_) => {
                // The meshes will be sent anew.
                let revision = client.inbox.lock().unwrap_or_else(PoisonError::into_inner).world.revision();
                let answer = failure(Subject::Edit(revision), defect());
                if reply.send(text(&answer)).await.is_err() {
                    return End::Left;
                }
            }
        }
    }
}

impl Client {
    /// Carries out a message; returns what can be answered at once.
    fn hear(&self, words: &str) -> Option<ServerMessage> {
        let message: ClientMessage = match read(words) {
            Ok(message) => message,
            Err(refusal) => return Some(failure(Subject::Nothing, refusal)),
        };
        self.obey(&message).unwrap_or_else(|refusal| Some(failure(Subject::of(&message), refusal)))
    }

    /// Reads the file of a mesh, on a thread where that may take its time.
    fn take(&self, bytes: &[u8]) -> ServerMessage {
        let upload = match Upload::read(bytes) {
            Ok(upload) => upload,
            Err(refusal) => return failure(Subject::Nothing, refusal),
        };
        let Upload { request, name, content } = upload;
        let held = form::read_mesh(name, content, &self.limits).and_then(|mesh| {
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
            self.wanted.notify_one();
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
        self.wanted.notify_one();
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

    /// Computes what is wanted; `known` is what the client was told before.
    fn work(&self, mut known: Known) -> Known {
        let (world, edited, requests) = {
            let mut inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
            let requests = [inbox.trace.take(), inbox.plot.take(), inbox.previews.take()];
            (inbox.world.clone(), std::mem::take(&mut inbox.edited), requests)
        };
        if edited {
            let state = lab::state(&world, &mut known, &self.limits);
            self.outbox.lock().unwrap_or_else(PoisonError::into_inner).state = Some(state);
            self.ready.notify_one();
        }
        for request in requests.into_iter().flatten() {
            let message = match lab::respond(&world, request, &self.limits) {
                Ok(Reply::Text(message)) => text(&message),
                Ok(Reply::Frames(bytes)) => Message::Binary(bytes.into()),
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
        known
    }

    fn has_unsent_state(&self) -> bool {
        let outbox = self.outbox.lock().unwrap_or_else(PoisonError::into_inner);
        outbox.state.is_some() || !outbox.replies.is_empty()
    }

    /// Waits for something to send, and takes all of it.
    async fn outgoing(&self) -> Vec<Message> {
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

fn text(message: &ServerMessage) -> Message {
    // Messages are plain data; they always have a text.
    Message::Text(serde_json::to_string(message).unwrap_or_default().into())
}

/// What is said when a query or a reader panics: it must not end the session.
fn defect() -> Refusal {
    Refusal::whole(ErrorKind::Internal, "a defect of superegg itself; please report this scene")
}

/// What a refusal is about.
#[derive(Clone, Copy)]
enum Subject {
    /// A message that was not understood.
    Nothing,
    Request(u32),
    Edit(u32),
}

impl Subject {
    fn of(message: &ClientMessage) -> Subject {
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
fn failure(subject: Subject, refusal: Refusal) -> ServerMessage {
    let (request, revision) = match subject {
        Subject::Nothing => (None, None),
        Subject::Request(request) => (Some(request), None),
        Subject::Edit(revision) => (None, Some(revision)),
    };
    let Refusal { kind, field, message } = refusal;
    ServerMessage::Failure(Failure { request, revision, kind, field, message })
}
