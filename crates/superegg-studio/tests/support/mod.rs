//! A studio and its clients, joined by pipes in memory: the whole server without a socket.
#![allow(dead_code, reason = "each test binary uses its part")]

use std::time::Duration;

use axum::Router;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use superegg_apps::wire::VERSION;
use superegg_apps::wire::upload::Upload;
use tokio::io::DuplexStream;
use tokio_tungstenite::tungstenite::handshake::client::Response;
use tokio_tungstenite::tungstenite::http::Request;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

/// Nothing takes longer, even on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// Starts a connection to the studio and hands over the client's end. `pipe` is how many bytes fit into it.
pub fn connect(app: &Router, pipe: usize) -> DuplexStream {
    let (near, far) = tokio::io::duplex(pipe);
    let service = hyper_util::service::TowerToHyperService::new(app.clone());
    tokio::spawn(async move {
        let connection = hyper::server::conn::http1::Builder::new()
            .serve_connection(hyper_util::rt::TokioIo::new(far), service)
            .with_upgrades();
        // Clients of these tests break connections on purpose.
        let _ = connection.await;
    });
    near
}

/// A request for a WebSocket with these headers on top of the necessary ones.
pub fn upgrade(path: &str, headers: &[(&str, &str)]) -> Request<()> {
    let mut request = Request::builder().uri(format!("ws://127.0.0.1{path}"));
    let given = |name: &str| headers.iter().any(|(other, _)| other.eq_ignore_ascii_case(name));
    for (name, value) in [
        ("Host", "127.0.0.1"),
        ("Connection", "Upgrade"),
        ("Upgrade", "websocket"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ] {
        if !given(name) {
            request = request.header(name, value);
        }
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(()).unwrap()
}

/// A browser window.
pub struct Client {
    pub socket: WebSocketStream<DuplexStream>,
    revision: u32,
}

impl From<WebSocketStream<DuplexStream>> for Client {
    fn from(socket: WebSocketStream<DuplexStream>) -> Client {
        Client { socket, revision: 0 }
    }
}

impl Client {
    /// Connects and greets.
    pub async fn new(app: &Router) -> Client {
        let mut client = Client::silent(app, 1 << 16).await;
        client.say(hello()).await;
        let welcome = client.hear("welcome").await;
        assert_eq!(welcome["version"], VERSION);
        client
    }

    /// Connects without a word, through a pipe of some bytes.
    pub async fn silent(app: &Router, pipe: usize) -> Client {
        let stream = connect(app, pipe);
        let (socket, _) = Client::try_connect(stream, &[]).await.unwrap();
        Client { socket, revision: 0 }
    }

    /// Connects without a word, with these headers.
    pub async fn silent_at(app: &Router, headers: &[(&str, &str)]) -> Client {
        let (socket, _) = Client::try_connect(connect(app, 1 << 16), headers).await.unwrap();
        Client { socket, revision: 0 }
    }

    pub async fn try_connect(
        stream: DuplexStream,
        headers: &[(&str, &str)],
    ) -> Result<(WebSocketStream<DuplexStream>, Response), Box<Error>> {
        client_async_with_config(upgrade("/socket", headers), stream, None).await.map_err(Box::new)
    }

    /// Says something; edits and questions of Contact Lab go into their envelopes.
    pub async fn say(&mut self, message: Value) {
        self.socket.send(Message::text(enveloped(message).to_string())).await.unwrap();
    }

    /// The next message of this kind, or the next state or answer of that kind; others are passed over.
    pub async fn hear(&mut self, kind: &str) -> Value {
        loop {
            if let Message::Text(text) = self.next().await
                && let Some(content) = opened(&serde_json::from_str(&text).unwrap(), kind)
            {
                return content;
            }
        }
    }

    /// The next geometry.
    pub async fn frame(&mut self) -> Vec<u8> {
        loop {
            if let Message::Binary(bytes) = self.next().await {
                return bytes.to_vec();
            }
        }
    }

    pub async fn next(&mut self) -> Message {
        let message = tokio::time::timeout(PATIENCE, self.socket.next()).await.expect("an answer in time");
        message.expect("the connection stands").unwrap()
    }

    /// How the connection ends; what comes before is passed over.
    pub async fn end(&mut self) -> Option<String> {
        loop {
            match tokio::time::timeout(PATIENCE, self.socket.next()).await.expect("an end in time") {
                None | Some(Err(_)) => return None,
                Some(Ok(Message::Close(frame))) => return frame.map(|frame| frame.reason.to_string()),
                Some(Ok(_)) => {}
            }
        }
    }

    /// Says an edit and waits for the contacts computed from it.
    pub async fn edit(&mut self, kind: &str, mut content: Value) -> Value {
        self.revision += 1;
        content["revision"] = self.revision.into();
        self.say(json!({kind: content})).await;
        loop {
            let contacts = self.hear("contacts").await;
            if contacts["revision"] == self.revision {
                return contacts;
            }
        }
    }

    /// Sends a file of a mesh.
    pub async fn upload(&mut self, request: u32, name: &str, content: &[u8]) {
        let bytes = Upload { request, name, content }.write();
        self.socket.send(Message::binary(bytes)).await.unwrap();
    }

    /// Says that it draws, as a page does in every animation frame.
    pub async fn look(&mut self, sequence: u32) {
        let input = superegg_apps::wire::input::Input { sequence, drawn: u32::MAX, controls: vec![] };
        self.socket.send(Message::binary(input.write())).await.unwrap();
    }

    /// Proves that the connection is alive.
    pub async fn ping(&mut self) {
        self.say(json!({"ping": {"request": 77}})).await;
        assert_eq!(self.hear("pong").await["request"], 77);
    }
}

/// The greeting of Contact Lab.
pub fn hello() -> Value {
    json!({"hello": {"version": VERSION, "app": "contact-lab", "app_version": 1}})
}

/// An edit or a question of Contact Lab, with its number inside, as it is sent.
pub fn enveloped(mut message: Value) -> Value {
    if message.get("edit").is_some() || message.get("ask").is_some() {
        return message;
    }
    let fields = message.as_object_mut().and_then(|object| object.values_mut().next()).and_then(Value::as_object_mut);
    let Some(fields) = fields else { return message };
    if let Some(revision) = fields.remove("revision") {
        return json!({"edit": {"revision": revision, "edit": message}});
    }
    let is_platform = ["hello", "ping", "cancel", "ask", "edit"].iter().any(|kind| message.get(kind).is_some());
    match message.as_object_mut().and_then(|object| object.values_mut().next()?.as_object_mut()?.remove("request")) {
        Some(request) if !is_platform => json!({"ask": {"request": request, "ask": message}}),
        Some(request) => {
            if let Some(fields) = message.as_object_mut().and_then(|object| object.values_mut().next()) {
                fields["request"] = request;
            }
            message
        }
        None => message,
    }
}

/// What a message of this kind says, with its number beside it.
pub fn opened(message: &Value, kind: &str) -> Option<Value> {
    if kind == "contacts" {
        let mut contacts = message.get("state")?["state"].clone();
        contacts["revision"] = message["state"]["revision"].clone();
        return Some(contacts);
    }
    if let Some(answer) = message.get("answer").and_then(|answer| answer["answer"].get(kind)) {
        return Some(json!({"request": message["answer"]["request"], kind: answer}));
    }
    message.get(kind).cloned()
}

/// Two unit balls, so far apart.
pub fn balls(distance: f64) -> Value {
    let ball = |id: u32, x: f64| json!({"id": id, "name": "ball", "type": "superellipsoid", "radii": [1, 1, 1], "exponents": [1, 1], "position": [x, 0, 0]});
    json!({"name": "balls", "bodies": [ball(1, 0.0), ball(2, 2.0 + distance)],
        "solver": {"method": "default", "tolerance": 1e-9}, "duration": 1})
}

/// A tetrahedron as an OBJ file.
pub const TETRAHEDRON: &[u8] = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

/// A wavy square of n by n quads as an OBJ file.
pub fn waves(n: usize) -> Vec<u8> {
    let mut text = String::new();
    for k in 0..(n + 1) * (n + 1) {
        let (x, y) = ((k % (n + 1)) as f64 / n as f64, (k / (n + 1)) as f64 / n as f64);
        text += &format!("v {x:.4} {y:.4} {:.4}\n", 0.1 * (9.0 * x).sin() * (7.0 * y).cos());
    }
    for k in 0..n * n {
        let corner = k / n * (n + 1) + k % n + 1;
        text += &format!("f {corner} {} {} {}\n", corner + 1, corner + n + 2, corner + n + 1);
    }
    text.into_bytes()
}

/// Waits until a seat is free, however long a busy machine takes to give it back; one that is never given back would hang the
/// test.
pub async fn until_seated(app: &Router) -> Client {
    loop {
        match Client::try_connect(connect(app, 1 << 16), &[]).await {
            Ok((socket, _)) => return Client::from(socket),
            Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    }
}
