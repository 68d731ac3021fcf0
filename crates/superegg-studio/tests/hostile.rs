//! Clients that mean harm, or stumble: the studio answers, stays up, and keeps its memory within bounds.

mod support;

use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use futures_util::{SinkExt, StreamExt};
use proptest::test_runner::{Config as ProptestConfig, RngAlgorithm, TestRng, TestRunner};
use serde_json::json;
use superegg_studio::{Access, Config, Limits, app, app_with};
use support::{Client, TETRAHEDRON, balls, connect, waves};
use tokio_tungstenite::tungstenite::{Error, Message};
use tower::ServiceExt;

async fn get(app: &axum::Router, path: &str, headers: &[(&str, &str)]) -> axum::response::Response {
    let mut request = Request::builder().uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    app.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap()
}

async fn refused_upgrade(app: &axum::Router, headers: &[(&str, &str)]) -> u16 {
    match Client::try_connect(connect(app, 1 << 16), headers).await.map_err(|error| *error) {
        Err(Error::Http(response)) => response.status().as_u16(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn only_names_of_this_machine_are_answered() {
    let app = app();
    for host in ["localhost", "localhost:7340", "127.0.0.1:1", "[::1]:7340", "127.1.2.3"] {
        assert_ne!(get(&app, "/", &[("host", host)]).await.status(), StatusCode::FORBIDDEN, "{host}");
    }
    for host in
        ["evil.example", "localhost.evil.example", "192.168.1.2", "[2001:db8::1]:7340", "127.0.0.1.evil.example"]
    {
        assert_eq!(get(&app, "/", &[("host", host)]).await.status(), StatusCode::FORBIDDEN, "{host}");
        assert_eq!(refused_upgrade(&app, &[("host", host)]).await, 403, "{host}");
    }
    assert_eq!(get(&app, "/", &[]).await.status(), StatusCode::BAD_REQUEST);
    assert_eq!(get(&app, "/", &[("host", "a b c")]).await.status(), StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn other_sites_cannot_open_a_socket() {
    let app = app();
    for origin in
        ["https://evil.example", "null", "http://127.0.0.1:8080", "http://127.0.0.1.evil.example", "file://", ""]
    {
        assert_eq!(refused_upgrade(&app, &[("origin", origin)]).await, 403, "{origin}");
    }
    let ours = Client::try_connect(connect(&app, 1 << 16), &[("origin", "http://127.0.0.1")]).await;
    assert!(ours.is_ok());
}

#[tokio::test]
async fn on_the_network_every_session_needs_the_token_and_no_cookie_carries_it() {
    let app = app_with(Config { access: Access::Token("0123abcd".into()), ..Config::default() });
    let host = ("host", "192.168.1.2:7340");
    // The pages hold nothing of anybody. No cookie is set, which would reach every other port of the host.
    let page = get(&app, "/", &[host]).await;
    assert!(page.status() != StatusCode::UNAUTHORIZED && page.headers().get(header::SET_COOKIE).is_none());
    // A rebound name is refused all the same.
    assert_eq!(get(&app, "/", &[("host", "evil.example")]).await.status(), StatusCode::FORBIDDEN);
    for token in [None, Some(""), Some("0123abce"), Some("0123abcd0")] {
        let mut stranger = Client::silent_at(&app, &[host]).await;
        let mut hello = support::hello();
        if let Some(token) = token {
            hello["hello"]["token"] = token.into();
        }
        stranger.say(hello).await;
        assert_eq!(stranger.hear("failure").await["field"], "hello.token");
        assert_eq!(stranger.end().await.as_deref(), Some("the link's token is wrong"));
    }
    let mut friend = Client::silent_at(&app, &[host]).await;
    let mut hello = support::hello();
    hello["hello"]["token"] = "0123abcd".into();
    friend.say(hello).await;
    friend.hear("welcome").await;
    assert!(!format!("{:?}", Access::Token("0123abcd".into())).contains("0123"));
}

#[tokio::test]
async fn every_answer_restricts_what_the_page_may_do() {
    for (path, host) in [("/", "localhost"), ("/nothing/here", "localhost"), ("/", "evil.example")] {
        let response = get(&app(), path, &[("host", host)]).await;
        let policy = response.headers()["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("default-src 'self'") && policy.contains("frame-ancestors 'none'"), "{policy}");
        assert_eq!(response.headers()["x-content-type-options"], "nosniff");
    }
    for path in ["/../Cargo.toml", "/%2e%2e/Cargo.toml", "//etc/passwd", "/index.html/.."] {
        assert_eq!(get(&app(), path, &[("host", "localhost")]).await.status(), StatusCode::NOT_FOUND, "{path}");
    }
    let post = Request::post("/").header("host", "localhost").body(Body::empty()).unwrap();
    assert_eq!(app().oneshot(post).await.unwrap().status(), StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn bad_messages_are_answered_and_change_nothing() {
    let app = app();
    let mut client = Client::silent(&app, 1 << 16).await;
    client.say(json!({"ping": {"request": 1}})).await;
    assert_eq!(client.hear("failure").await["kind"], "protocol");
    let mut old = Client::silent(&app, 1 << 16).await;
    old.say(json!({"hello": {"version": 2, "app": "contact-lab", "app_version": 1}})).await;
    assert_eq!(old.hear("failure").await["field"], "hello.version");
    assert!(old.end().await.is_some_and(|reason| reason.contains("reload")));
    client.say(support::hello()).await;
    client.hear("welcome").await;
    client.edit("set_scene", json!({"scene": balls(1.0)})).await;
    let deep = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
    for (bad, kind) in [
        ("", "parse"),
        ("{", "parse"),
        ("null", "parse"),
        ("[1,2]", "parse"),
        (&deep, "parse"),
        (r#"{"edit":{"revision":1}}"#, "invalid_input"),
        (r#"{"edit":{"revision":1,"edit":{"set_scene":{}}}}"#, "invalid_input"),
        (r#"{"edit":{"revision":-1,"edit":{"remove":{"id":1}}}}"#, "invalid_input"),
        (r#"{"edit":{"revision":4294967296,"edit":{"remove":{"id":1}}}}"#, "invalid_input"),
        (r#"{"drop_tables":{}}"#, "invalid_input"),
        (r#"{"ping":{"request":1}} {"ping":{"request":2}}"#, "parse"),
        (r#"{"ask":{"request":1,"ask":{"plot":{"pair":[1,2],"samples":100000000}}}}"#, "invalid_input"),
        (r#"{"ask":{"request":1,"ask":{"previews":{"id":1,"grid":1000}}}}"#, "invalid_input"),
        (r#"{"ask":{"request":1,"ask":{"trace":{"pair":[1,1]}}}}"#, "invalid_input"),
        (r#"{"ask":{"request":1,"ask":{"trace":{"pair":[1,99]}}}}"#, "invalid_input"),
        (
            r#"{"ask":{"request":1,"ask":{"parse":{"text":"{\"a\":{\"type\":\"point\",\"position\":[1e999,0,0]}}"}}}}"#,
            "parse",
        ),
    ] {
        client.socket.send(Message::text(bad)).await.unwrap();
        let failure = client.hear("failure").await;
        let shown: String = bad.chars().take(60).collect();
        assert_eq!(failure["kind"], kind, "{shown}: {failure}");
        assert!(failure["message"].as_str().unwrap().len() < 1000);
    }
    client.socket.send(Message::binary(vec![0xff; 1000])).await.unwrap();
    assert_eq!(client.hear("failure").await["kind"], "protocol");
    client.say(json!({"scene": {"request": 5}})).await;
    assert_eq!(client.hear("scene").await["scene"]["bodies"].as_array().unwrap().len(), 2);
}

/// Room for small meshes only.
fn documents() -> superegg_apps::Limits {
    superegg_apps::Limits { mesh_triangles: 50, ..Default::default() }
}

#[tokio::test]
async fn bad_meshes_are_refused_by_name_and_change_nothing() {
    let app = app_with(Config { limits: Limits { documents: documents(), ..Limits::default() }, ..Config::default() });
    let mut client = Client::silent(&app, 1 << 20).await;
    client.upload(1, "early.obj", TETRAHEDRON).await;
    assert_eq!(client.hear("failure").await["kind"], "protocol");
    client.say(support::hello()).await;
    client.hear("welcome").await;
    let header = b"ply\nformat binary_little_endian 1.0\nelement vertex 4294967295\nproperty float x\nproperty float y\nproperty float z\nelement face 4294967295\nproperty list uchar uint vertex_indices\nend_header\n";
    let many = waves(6);
    let mut stl = vec![0; 84];
    stl[80..].copy_from_slice(&u32::MAX.to_le_bytes());
    for (name, content, kind) in [
        ("a.obj", b"".as_slice(), "invalid_input"),
        ("a.obj", b"v 1 2\n", "invalid_input"),
        ("a.obj", b"v 0 0 0\nf 1 2 3\n", "invalid_input"),
        ("a.exe", TETRAHEDRON, "invalid_input"),
        ("../../etc/passwd", TETRAHEDRON, "invalid_input"),
        ("a.ply", header, "invalid_input"),
        ("a.stl", &stl, "invalid_input"),
        ("a.obj", &[0xff; 3000], "invalid_input"),
        ("a.obj", &many, "limit"),
    ] {
        client.upload(9, name, content).await;
        let failure = client.hear("failure").await;
        assert_eq!((&failure["kind"], &failure["request"]), (&json!(kind), &json!(9)), "{name}: {failure}");
    }
    client.upload(2, "good.obj", TETRAHEDRON).await;
    assert_eq!(client.hear("files").await["held"].as_array().unwrap().len(), 1);
    // A file that is too large ends the connection, like any other message.
    let large = vec![b' '; superegg_apps::Limits::default().mesh_bytes + 8192];
    let bytes = superegg_apps::wire::upload::Upload { request: 1, name: "large.obj", content: &large }.write();
    let _ = client.socket.send(Message::binary(bytes)).await;
    assert!(client.end().await.is_none_or(|reason| reason.contains("too large")));
}

#[tokio::test]
async fn a_message_that_is_too_long_ends_only_its_own_connection() {
    let app = app();
    let mut witness = Client::new(&app).await;
    let mut client = Client::new(&app).await;
    let long = "x".repeat(superegg_apps::Limits::default().mesh_bytes + 8192);
    // The server may hang up before all of it is written.
    let _ = client.socket.send(Message::text(long)).await;
    assert!(client.end().await.is_none_or(|reason| reason.contains("too large")));
    witness.ping().await;
}

#[tokio::test]
async fn noise_in_place_of_the_protocol_ends_only_its_own_connection() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let app = app();
    let mut witness = Client::new(&app).await;
    let mut random = fastrand(11);
    for round in 0..20 {
        let mut stream = connect(&app, 1 << 16);
        if round % 2 == 0 {
            // Noise after a proper handshake.
            let (socket, _) = Client::try_connect(stream, &[]).await.unwrap();
            stream = socket.into_inner();
        }
        let noise: Vec<u8> = (0..2000).map(|_| random()).collect();
        let _ = stream.write_all(&noise).await;
        let _ = stream.shutdown().await;
        let mut rest = vec![];
        let ended = tokio::time::timeout(support::PATIENCE, stream.read_to_end(&mut rest)).await;
        assert!(ended.is_ok(), "the server hangs up on noise");
    }
    witness.ping().await;
}

/// Bytes of a multiplicative generator.
fn fastrand(seed: u64) -> impl FnMut() -> u8 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    }
}

#[tokio::test]
async fn mutilated_commands_never_end_the_connection() {
    let client = Client::new(&app()).await;
    let (mut sink, mut stream) = client.socket.split();
    // Read along, as a browser does, until the sign of life that is asked for last.
    let reading = tokio::spawn(async move {
        while let Some(message) = stream.next().await {
            if message.expect("the connection stands").to_text().is_ok_and(|text| text.contains("pong")) {
                return true;
            }
        }
        false
    });
    let whole = json!({"edit": {"revision": 1, "edit": {"set_scene": {"scene": balls(0.3)}}}}).to_string();
    let mut random = fastrand(5);
    for _ in 0..300 {
        let mut bytes = whole.clone().into_bytes();
        for _ in 0..3 {
            let at = usize::from(random()) * bytes.len() / 256;
            match random() % 3 {
                0 => bytes[at] = b' ' + random() % 94,
                1 => bytes.truncate(at.max(1)),
                _ => bytes.insert(at, b"9-[]{}\",e"[usize::from(random()) % 9]),
            }
        }
        sink.send(Message::text(String::from_utf8(bytes).unwrap())).await.unwrap();
    }
    sink.send(Message::text(json!({"ping": {"request": 1}}).to_string())).await.unwrap();
    assert!(reading.await.unwrap(), "the connection stands");
}

/// Any valid body at all is answered, or refused in words.
#[test]
fn any_shape_leaves_the_studio_running() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let client = std::cell::RefCell::new(runtime.block_on(Client::new(&app())));
    let extreme = || {
        proptest::prop_oneof![
            -2.0..3.0f64,
            proptest::sample::select(vec![0.0, 1e-60, 1e60, 1e-300, 1e300, 1.0, 1.999_999, 2.0, 1e-12, -1.0])
        ]
    };
    let strategy = proptest::collection::vec(extreme(), 14);
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let config = ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() };
    let outcome = TestRunner::new_with_rng(config, rng).run(&strategy, |n| {
        let body = json!({"id": 2, "name": "b", "type": "superovoid", "radii": n[0..3], "exponents": n[3..5],
            "taper": n[5..7], "position": n[7..10], "orientation": n[10..14]});
        let client = &mut *client.borrow_mut();
        runtime.block_on(async {
            client.edit("set_scene", json!({"scene": balls(1.0)})).await;
            client.say(json!({"set_body": {"revision": 1_000_000, "body": body}})).await;
            client.say(json!({"trace": {"request": 3, "pair": [1, 2]}})).await;
            client.ping().await;
        });
        Ok(())
    });
    outcome.unwrap();
}

#[tokio::test]
async fn a_flood_of_edits_is_answered_with_the_newest_state() {
    // Room for all of them: nobody waits for anybody.
    let mut client = Client::silent(&app(), 8 << 20).await;
    client.say(support::hello()).await;
    client.edit("set_scene", json!({"scene": balls(0.0)})).await;
    let edits: u32 = 3000;
    let mut last = 0;
    for k in 1..=edits {
        let position = [2.0 + 1e-3 * f64::from(k), 0.0, 0.0];
        let placements = [json!({"id": 2, "position": position, "orientation": [0, 0, 0, 1]})];
        client.say(json!({"move": {"revision": 100 + k, "placements": placements}})).await;
    }
    while last != 100 + edits {
        let contacts = client.hear("contacts").await;
        let revision = u32::try_from(contacts["revision"].as_u64().unwrap()).unwrap();
        assert!(revision > last, "states come in order: {revision} after {last}");
        let expected = 1e-3 * f64::from(revision - 100);
        assert!((contacts["pairs"][0]["answer"]["distance"].as_f64().unwrap() - expected).abs() < 1e-8);
        last = revision;
    }
}

// The runtime's own clock: it goes on only when nothing else does, however busy the machine is.
#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_is_disconnected_and_holds_nobody_up() {
    let app = app();
    // A pipe that holds less than one mesh.
    let mut lazy = Client::silent(&app, 4096).await;
    let (mut sink, mut stream) = (&mut lazy.socket).split();
    sink.send(Message::text(support::hello().to_string())).await.unwrap();
    for revision in 0..2000 {
        let edit = json!({"edit": {"revision": revision, "edit": {"set_scene": {"scene": balls(1.0)}}}}).to_string();
        if tokio::time::timeout(Duration::from_secs(5), sink.send(Message::text(edit))).await.is_err() {
            break;
        }
    }
    // Others are served while it does not fetch what is meant for it.
    Client::new(&app).await.ping().await;
    tokio::time::sleep(3 * Limits::default().stall).await;
    // Nothing is read until here. What was buffered comes out, then the connection is over.
    let drained = tokio::time::timeout(support::PATIENCE, async {
        let mut bytes = 0;
        while let Some(Ok(message)) = stream.next().await {
            bytes += message.len();
        }
        bytes
    });
    let bytes = drained.await.expect("the connection ends");
    assert!(bytes < 1 << 20, "{bytes} bytes were waiting");
}

#[tokio::test(start_paused = true)]
async fn a_silent_client_is_disconnected() {
    let app = app();
    let mut client = Client::silent(&app, 1 << 16).await;
    client.say(support::hello()).await;
    client.hear("welcome").await;
    // The runtime's own clock, which goes on only when nothing else does.
    let start = tokio::time::Instant::now();
    let end = loop {
        match client.socket.next().await {
            Some(Ok(Message::Close(frame))) => break frame.map(|frame| frame.reason.to_string()),
            Some(Ok(_)) => {}
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(end.as_deref(), Some("nothing was heard for too long"));
    assert!(start.elapsed() >= Limits::default().idle);
}

#[tokio::test]
async fn the_number_of_clients_is_limited_and_seats_are_given_back() {
    let app = app_with(Config { limits: Limits { clients: 3, ..Limits::default() }, ..Config::default() });
    let mut clients = vec![];
    for _ in 0..3 {
        clients.push(Client::new(&app).await);
    }
    assert_eq!(refused_upgrade(&app, &[]).await, 503);
    drop(clients.pop());
    // The server notices soon, not at once.
    support::until_seated(&app).await;
}
