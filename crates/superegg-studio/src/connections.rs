//! Connections before they become clients: how many, from where, and for how long.
//!
//! A connection that sends its request byte by byte, or none at all, is closed after [`Limits::head`]; one that reads its
//! answer byte by byte after [`Limits::visit`]. One address may hold only a part of the connections, so that it cannot
//! keep the others out. A connection that is upgraded leaves this list and takes a client's seat instead.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::crowd::{Crowd, Peer, Place};
use crate::limits::Limits;

/// Bytes of a request's head.
const HEAD: usize = 16 * 1024;
/// Pause after the system refused a connection: too many open files, say.
const PAUSE: Duration = Duration::from_millis(50);

/// Accepts connections until the server closes.
pub(crate) async fn accept(listener: TcpListener, app: Router, limits: &Limits, mut closing: watch::Receiver<bool>) {
    let crowd = Arc::new(Crowd::new(limits.connections, limits.connections_each));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = closing.wait_for(|closing| *closing) => return,
        };
        let Ok((stream, peer)) = accepted else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        // One too many is closed at once.
        if let Some(place) = crowd.enter(peer.ip()) {
            let (app, closing) = (app.clone().layer(axum::Extension(Peer(peer.ip()))), closing.clone());
            tokio::spawn(attend(stream, app, limits.clone(), closing, place));
        }
    }
}

/// Answers one connection's requests, until it is upgraded or over.
async fn attend(stream: TcpStream, app: Router, limits: Limits, mut closing: watch::Receiver<bool>, _place: Place) {
    // A mouse does not wait for a full packet.
    let _ = stream.set_nodelay(true);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_buf_size(HEAD)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(app))
        .with_upgrades();
    let mut connection = pin!(connection);
    let closed = async move { drop(closing.wait_for(|closing| *closing).await) };
    // How a connection ends is its client's business.
    let over = tokio::time::timeout(limits.visit, async {
        tokio::select! {
            ended = connection.as_mut() => drop(ended),
            () = closed => {
                connection.as_mut().graceful_shutdown();
                let _ = connection.as_mut().await;
            }
        }
    });
    let _ = over.await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::SocketAddr;
    use std::time::Instant;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    const SHORT: Duration = Duration::from_millis(400);

    /// A listening studio with such limits; it closes with its sender.
    async fn studio(limits: Limits) -> (SocketAddr, watch::Sender<bool>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, closing) = watch::channel(false);
        tokio::spawn(async move { accept(listener, crate::app(), &limits, closing).await });
        (address, sender)
    }

    async fn connect(address: SocketAddr) -> TcpStream {
        TcpStream::connect(address).await.unwrap()
    }

    /// The status line of the answer to a request for the start page.
    async fn visit(stream: &mut TcpStream) -> Option<String> {
        stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").await.ok()?;
        let mut start = [0; 12];
        stream.read_exact(&mut start).await.ok()?;
        Some(String::from_utf8_lossy(&start).into_owned())
    }

    /// How long it takes until the other side hangs up.
    async fn until_end(stream: &mut TcpStream) -> Duration {
        let start = Instant::now();
        let mut rest = vec![];
        // One that never hangs up would hang the test; how it ends is the system's business.
        let _ = stream.read_to_end(&mut rest).await;
        start.elapsed()
    }

    #[tokio::test]
    async fn a_request_that_drips_is_cut_off_while_others_are_answered() {
        let (address, _studio) = studio(Limits { head: SHORT, ..Limits::default() }).await;
        let mut silent = connect(address).await;
        let (mut reading, mut writing) = connect(address).await.into_split();
        let dripping = tokio::spawn(async move {
            for byte in b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ".iter().chain(std::iter::repeat_n(&b'x', 1000))
            {
                if writing.write_all(&[*byte]).await.is_err() {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            panic!("the whole drip was taken");
        });
        // 200, or 503 where the pages were not built.
        assert!(visit(&mut connect(address).await).await.is_some_and(|status| status.starts_with("HTTP/1.1 ")));
        assert!(until_end(&mut silent).await >= SHORT / 2);
        let mut rest = vec![];
        let _ = reading.read_to_end(&mut rest).await;
        dripping.await.unwrap();
    }

    #[tokio::test]
    async fn an_answer_that_is_not_fetched_ends_with_the_visit() {
        let (address, _studio) = studio(Limits { visit: SHORT, ..Limits::default() }).await;
        let mut idle = connect(address).await;
        assert!(visit(&mut idle).await.is_some());
        until_end(&mut idle).await;
    }

    #[tokio::test]
    async fn one_too_many_is_closed_at_once_and_places_are_given_back() {
        let (address, _studio) = studio(Limits { connections: 3, ..Limits::default() }).await;
        let mut held = vec![connect(address).await, connect(address).await, connect(address).await];
        // All three are known to be inside once one of them is answered.
        for stream in &mut held {
            assert!(visit(stream).await.is_some());
        }
        assert_eq!(visit(&mut connect(address).await).await, None);
        held.pop();
        // One that is never given back would hang the test.
        while visit(&mut connect(address).await).await.is_none() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    #[tokio::test]
    async fn an_upgraded_connection_gives_its_place_back_and_outlives_the_visit() {
        let limits = Limits { connections: 1, visit: SHORT, ..Limits::default() };
        let (address, _studio) = studio(limits).await;
        let mut clients = vec![];
        for _ in 0..5 {
            let link = format!("ws://{address}/socket");
            // The place of the one before is given back soon, not at once.
            let client = loop {
                match tokio_tungstenite::client_async(&link, connect(address).await).await {
                    Ok((client, _)) => break client,
                    Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
                }
            };
            clients.push(client);
        }
        tokio::time::sleep(2 * SHORT).await;
        for client in &mut clients {
            use futures_util::{SinkExt, StreamExt};
            let hello = format!(
                r#"{{"hello":{{"version":{},"app":"contact-lab","app_version":1}}}}"#,
                superegg_apps::wire::VERSION
            );
            client.send(hello.into()).await.unwrap();
            assert!(client.next().await.unwrap().unwrap().to_string().contains("welcome"));
        }
    }
}
