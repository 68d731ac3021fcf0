//! One client's connection: a reader that hands messages on, and a loop that gives the client's [`Actor`] its turns and sends
//! what they come to.
//!
//! Nothing is queued without bound: the reader stops when 64 messages wait, the actor computes nothing newer before the last
//! is sent, and a client that fetches nothing is disconnected.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::extract::ws::{self, CloseFrame, WebSocket, WebSocketUpgrade, close_code};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use superegg_apps::wire::envelope::ServerMessage;
use superegg_apps::wire::{ErrorKind, Failure, defect};
use superegg_apps::{Clock, Close, Conversation, Message, Refusal, Setup};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, timeout};

use crate::actor::{Actor, HostClock, Turn};
use crate::admission::{Core, Seat, Waiting};
use crate::crowd::Peer;
use crate::limits::Limits;
use crate::{Access, Studio};

/// Messages that wait for the actor.
const INCOMING: usize = 64;
/// Bytes that may wait inside the connection itself. The largest message is the geometry of a mesh with as many triangles
/// as one may have, none of which share a normal: 42 bytes each.
const WRITE_BUFFER: usize = 4 << 20;
/// Bytes of a message beside what it is about.
const ENVELOPE: usize = 4096;
/// What the page understands as "try again": the studio closed for want of words.
const IDLE_CODE: u16 = 4000;

/// Lets a client in, if there is room.
pub(crate) async fn upgrade(State(studio): State<Studio>, upgrade: WebSocketUpgrade, request: Request) -> Response {
    let address = request.extensions().get::<Peer>().map(|peer| peer.0);
    let Some(seat) = studio.admission.enter(address) else {
        return (StatusCode::SERVICE_UNAVAILABLE, "The studio is full. Close another window first.\n").into_response();
    };
    let documents = &studio.config.limits.documents;
    let bytes = documents.edit_bytes.max(documents.mesh_bytes) + ENVELOPE;
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
    /// Nobody is at the other end of the line, or what was sent was not fetched.
    Lost,
    /// Nobody said hello.
    Silent,
    /// The client's bytes made no sense or were too many.
    Broken,
    /// Another version, or no such app.
    Version,
    /// The token is wrong.
    Token,
    /// The session failed.
    Defect,
    /// The server stops.
    Closing,
}

impl End {
    fn frame(self) -> Option<CloseFrame> {
        let (code, reason) = match self {
            End::Left | End::Lost => return None,
            End::Idle => (IDLE_CODE, "nothing was heard for too long"),
            End::Silent => (close_code::POLICY, "nobody said hello"),
            End::Broken => (close_code::SIZE, "the message is too large or damaged"),
            End::Version => (close_code::POLICY, "this page is of another version: reload it"),
            End::Token => (close_code::POLICY, "the link's token is wrong"),
            End::Defect => (close_code::ERROR, "a defect of superegg itself"),
            End::Closing => (close_code::AWAY, "the studio is closing"),
        };
        Some(CloseFrame { code, reason: reason.into() })
    }

    /// What is said before the end.
    fn last_words(self) -> Option<Failure> {
        let refusal = match self {
            End::Broken => Refusal::whole(ErrorKind::Limit, "the message is too large or damaged"),
            End::Defect => defect(),
            _ => return None,
        };
        Some(refusal.failure(None, None))
    }
}

async fn attend(socket: WebSocket, studio: Studio, seat: Seat) {
    let limits = &studio.config.limits;
    let token = match &studio.config.access {
        Access::Loopback => None,
        Access::Token(token) => Some(token.clone()),
    };
    let setup = Setup {
        catalogue: studio.config.catalogue,
        limits: limits.documents.clone(),
        seed: studio.next_seed(),
        token,
        program: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let (mut sink, stream) = socket.split();
    let (hand_on, incoming) = mpsc::channel(INCOMING);
    let (tell_end, ended) = oneshot::channel();
    let gone = Arc::new(AtomicBool::new(false));
    let reader = tokio::spawn({
        let (limits, gone) = (limits.clone(), gone.clone());
        async move {
            let end = read(stream, &hand_on, &limits).await;
            // Seen by a computation that runs.
            gone.store(true, Ordering::Relaxed);
            let _ = tell_end.send(end);
        }
    });
    let conversation = Conversation::new(setup);
    let actor =
        Actor { conversation, incoming, clock: HostClock::start(), gone: gone.clone(), core: None, _seat: seat };
    let (end, actor) = drive(actor, &mut sink, &studio, ended).await;
    reader.abort();
    if let Some(frame) = end.frame() {
        // Whether it arrives no longer matters.
        let _ = timeout(limits.stall, async {
            if let Some(failure) = end.last_words() {
                let text = serde_json::to_string(&ServerMessage::Failure(failure)).unwrap_or_default();
                sink.send(ws::Message::Text(text.into())).await?;
            }
            sink.send(ws::Message::Close(Some(frame))).await
        })
        .await;
    }
    drop(actor);
}

/// Hands messages on until the client leaves; why it did.
async fn read(mut stream: SplitStream<WebSocket>, hand_on: &mpsc::Sender<Message>, limits: &Limits) -> End {
    let mut spoke = Instant::now();
    loop {
        let silence = spoke + limits.idle;
        let patience = silence.min(Instant::now() + limits.quiet);
        let message = match tokio::time::timeout_at(patience, stream.next()).await {
            Err(_) if Instant::now() >= silence => return End::Idle,
            Err(_) => return End::Lost,
            Ok(None) => return End::Left,
            Ok(Some(Err(_))) => return End::Broken,
            Ok(Some(Ok(message))) => message,
        };
        let message = match message {
            ws::Message::Text(words) => Message::Text(words.to_string()),
            ws::Message::Binary(bytes) => Message::Binary(bytes.to_vec()),
            ws::Message::Close(_) => return End::Left,
            ws::Message::Ping(_) | ws::Message::Pong(_) => continue,
        };
        spoke = Instant::now();
        if hand_on.send(message).await.is_err() {
            return End::Left;
        }
    }
}

/// Gives the actor its turns until the connection ends.
async fn drive(
    mut actor: Actor,
    sink: &mut SplitSink<WebSocket, ws::Message>,
    studio: &Studio,
    mut ended: oneshot::Receiver<End>,
) -> (End, Option<Actor>) {
    let limits = &studio.config.limits;
    let mut closing = studio.closing.clone();
    let hello = Instant::now() + limits.hello;
    let mut ping = Instant::now() + limits.ping;
    let mut queue: Option<Waiting> = None;
    loop {
        claim_core(&mut actor, studio, &mut queue);
        // A live session has its own core; everyone else waits for leave to work.
        let worker = match actor.core {
            Some(_) => None,
            None => studio.admission.work().await,
        };
        let turn = tokio::task::spawn_blocking(move || {
            let turn = actor.turn();
            drop(worker);
            (turn, actor)
        });
        let turn = match turn.await {
            Ok((turn, same)) => {
                actor = same;
                turn
            }
            // The actor is gone with its panic, and its seat and core with it.
            Err(_) => return (End::Defect, None),
        };
        match turn {
            Turn::Send(messages) => {
                if let Some(end) = send(messages, sink, limits, &mut ended).await {
                    return (end, Some(actor));
                }
            }
            Turn::Again => {}
            Turn::Left => return (why(&mut ended, limits).await, Some(actor)),
            Turn::Close(Close::Version) => return (End::Version, Some(actor)),
            Turn::Close(Close::Token) => return (End::Token, Some(actor)),
            Turn::Wait(until) => {
                let greeted = actor.conversation.is_greeted();
                let due = until.map_or(ping, |until| actor.clock.instant(until).into());
                let due = if greeted { due.min(ping) } else { due.min(ping).min(hello) };
                tokio::select! {
                    message = actor.incoming.recv() => match message {
                        Some(message) => {
                            let now = actor.clock.now();
                            // Large ones may take their time to be read.
                            actor = match receive(actor, message, now, studio).await {
                                Some(actor) => actor,
                                None => return (End::Defect, None),
                            };
                        }
                        None => return (why(&mut ended, limits).await, Some(actor)),
                    },
                    core = studio.admission.core_in_turn(), if queue.is_some() => give_core(&mut actor, core, &mut queue),
                    () = tokio::time::sleep_until(due) => {
                        if !actor.conversation.is_greeted() && Instant::now() >= hello {
                            return (End::Silent, Some(actor));
                        }
                        if Instant::now() >= ping {
                            ping = Instant::now() + limits.ping;
                            if !matches!(timeout(limits.stall, sink.send(ws::Message::Ping(vec![].into()))).await, Ok(Ok(()))) {
                                return (End::Lost, Some(actor));
                            }
                        }
                    }
                    end = &mut ended => return (end.unwrap_or(End::Left), Some(actor)),
                    () = closed(&mut closing) => return (End::Closing, Some(actor)),
                }
            }
        }
        if *closing.borrow() {
            return (End::Closing, Some(actor));
        }
    }
}

/// What the reader says about how the connection ended.
async fn why(ended: &mut oneshot::Receiver<End>, limits: &Limits) -> End {
    timeout(limits.stall, ended).await.ok().and_then(Result::ok).unwrap_or(End::Left)
}

/// Sends messages one after the other; how the connection ended meanwhile, if it did.
async fn send(
    messages: Vec<Message>,
    sink: &mut SplitSink<WebSocket, ws::Message>,
    limits: &Limits,
    ended: &mut oneshot::Receiver<End>,
) -> Option<End> {
    for message in messages {
        let message = match message {
            Message::Text(text) => ws::Message::Text(text.into()),
            Message::Binary(bytes) => ws::Message::Binary(bytes.into()),
        };
        tokio::select! {
            sent = timeout(limits.stall, sink.send(message)) => match sent {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return Some(End::Left),
                Err(_) => return Some(End::Lost),
            },
            end = &mut *ended => return Some(end.unwrap_or(End::Left)),
        }
    }
    None
}

/// When the server stops.
async fn closed(closing: &mut watch::Receiver<bool>) {
    drop(closing.wait_for(|closing| *closing).await);
}

/// Carries out a message: short ones here, files on a thread where they may take their time.
async fn receive(mut actor: Actor, message: Message, now: f64, studio: &Studio) -> Option<Actor> {
    let long = match &message {
        Message::Text(text) => text.len() > 16 * 1024,
        Message::Binary(bytes) => bytes.len() > 4096,
    };
    if !long {
        // An edit or a question may panic too; then the connection ends like any other defect.
        let carried_out =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| actor.conversation.receive(&message, now)));
        return carried_out.ok().map(|()| actor);
    }
    let worker = studio.admission.work().await;
    tokio::task::spawn_blocking(move || {
        actor.conversation.receive(&message, now);
        drop(worker);
        actor
    })
    .await
    .ok()
}

/// Takes a core for a session that became live, gives back that of one that rests.
fn claim_core(actor: &mut Actor, studio: &Studio, queue: &mut Option<Waiting>) {
    let now = actor.clock.now();
    if !actor.conversation.wants_core(now) {
        if actor.core.take().is_some() {
            actor.conversation.grant(false, now);
        }
        if queue.take().is_some() {
            actor.conversation.told_place(0);
        }
    } else if actor.core.is_none() && queue.is_none() {
        match studio.admission.try_core() {
            Some(core) => give_core(actor, Some(core), queue),
            None => {
                let waiting = studio.admission.queue();
                actor.conversation.told_place(waiting.place);
                *queue = Some(waiting);
            }
        }
    }
}

fn give_core(actor: &mut Actor, core: Option<Core>, queue: &mut Option<Waiting>) {
    *queue = None;
    actor.core = core;
    let now = actor.clock.now();
    actor.conversation.grant(actor.core.is_some(), now);
}
