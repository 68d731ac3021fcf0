//! One client's connection.
//!
//! Four activities share it, all within one task: the *reader* carries out edits, two *computers* turn the newest world
//! into contacts and meshes and answer requests, each on a thread of its own, the *writer* sends. Between computers and
//! writer there is one slot for the newest state, and they wait until it is empty: a slow client gets fewer states, never
//! old ones.
//! Requests have one slot a kind, so a new one replaces one that was not begun. Direct replies have a short queue; when
//! it is full the reader stops reading, and the network tells the client to wait.

use std::sync::Arc;

use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::timeout;

use crate::Studio;
use crate::client::{Client, text};
use crate::failure::{Subject, defect, failure};
use crate::lab::Known;
use crate::limits::Limits;
use crate::protocol::{ErrorKind, Refusal};

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

async fn attend(socket: WebSocket, studio: Studio, seat: OwnedSemaphorePermit) {
    let client = Arc::new(Client::new(studio.config.limits.clone()));
    let (mut sink, mut stream) = socket.split();
    let (reply, mut replies) = mpsc::channel(REPLIES);
    let mut closing = studio.closing.clone();
    let end = tokio::select! {
        end = listen(&client, &studio, &mut stream, &reply) => end,
        end = send(&client, &mut sink, &mut replies) => end,
        end = compute(&client, &studio, &reply) => end,
        end = answer(&client, &studio, &reply) => end,
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
        client.sent();
    }
}

async fn compute(client: &Arc<Client>, studio: &Studio, reply: &mpsc::Sender<Message>) -> End {
    let mut known = Known::default();
    loop {
        client.edited.notified().await;
        client.until_taken().await;
        // The semaphore is never closed.
        let Ok(_worker) = studio.workers.acquire().await else { return End::Closing };
        let (shared, told) = (client.clone(), std::mem::take(&mut known));
        match tokio::task::spawn_blocking(move || shared.compute(told)).await {
            Ok(told) => known = told,
            Err(_) => {
                // The meshes will be sent anew.
                let answer = failure(Subject::Edit(client.revision()), defect());
                if reply.send(text(&answer)).await.is_err() {
                    return End::Left;
                }
            }
        }
    }
}

async fn answer(client: &Arc<Client>, studio: &Studio, reply: &mpsc::Sender<Message>) -> End {
    loop {
        client.asked.notified().await;
        client.until_taken().await;
        // The semaphore is never closed.
        let Ok(_worker) = studio.workers.acquire().await else { return End::Closing };
        let shared = client.clone();
        if tokio::task::spawn_blocking(move || shared.answer()).await.is_err()
            && reply.send(text(&failure(Subject::Nothing, defect()))).await.is_err()
        {
            return End::Left;
        }
    }
}
