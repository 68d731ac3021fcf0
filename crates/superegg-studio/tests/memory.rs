//! Memory stays bounded, whatever clients do: many that flood, send large meshes and never read.
//!
//! The only test of its binary, since it counts what the whole process allocates.

mod support;

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use peak_alloc::PeakAlloc;
use serde_json::json;
use superegg_apps::wire::upload::Upload;
use superegg_studio::{Config, Limits, app_with};
use support::{Client, waves};
use tokio_tungstenite::tungstenite::Message;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const CLIENTS: usize = 40;
/// What one client may keep busy: its meshes with their hierarchies and topology (about 400 bytes a triangle), their
/// geometry twice (waiting and being written), and the message that is being read.
const MOST_EACH: usize = 10 << 20;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_that_flood_and_never_read_cost_a_bounded_amount() {
    let limits = Limits { stall: Duration::from_secs(60), ..Limits::default() };
    let app = app_with(Config { limits, ..Config::default() });
    let file = waves(100);
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let mut clients = vec![];
    for _ in 0..CLIENTS {
        let mut client = Client::silent(&app, 8192).await;
        let file = file.clone();
        clients.push(tokio::spawn(async move {
            let (mut sink, stream) = (&mut client.socket).split();
            let words = |message: serde_json::Value| Message::text(message.to_string());
            let patience = Duration::from_millis(700);
            let _ = sink.send(words(support::hello())).await;
            let bytes = Upload { request: 1, name: "waves.obj", content: &file }.write();
            let _ = tokio::time::timeout(patience, sink.send(Message::binary(bytes))).await;
            let mut taken = 0;
            for revision in 0..3000 {
                let mesh = json!({"id": 1, "name": "m", "type": "mesh", "file": "waves.obj"});
                let egg = json!({"id": 2, "name": "e", "type": "superellipsoid", "radii": [1, 1, 1 + revision % 7],
                    "exponents": [1, 1], "position": [0, 0, 3]});
                let scene = json!({"name": "", "bodies": [mesh, egg], "duration": 1,
                    "solver": {"method": "default", "tolerance": 1e-9}});
                let edit = words(json!({"edit": {"revision": revision, "edit": {"set_scene": {"scene": scene}}}}));
                // Never reading fills the pipes; then the server stops listening, and sending stops.
                if tokio::time::timeout(patience, sink.send(edit)).await.is_err() {
                    break;
                }
                let _ = tokio::time::timeout(
                    patience,
                    sink.send(words(json!({"ask": {"request": 2, "ask": {"previews": {"id": 2, "grid": 9}}}}))),
                )
                .await;
                taken = revision;
            }
            drop((sink, stream));
            (client, taken)
        }));
    }
    let mut held = vec![];
    for client in clients {
        held.push(client.await.unwrap());
    }
    let peak = MEMORY.peak_usage().saturating_sub(before);
    let mean = peak / CLIENTS;
    println!(
        "{CLIENTS} clients that never read: {:.1} MB at most, {:.2} MB each",
        peak as f64 / 1e6,
        mean as f64 / 1e6
    );
    assert!(mean < MOST_EACH, "{mean} bytes a client");
    // Gone with their connections.
    drop(held);
    // However long a busy machine takes; what is never given back would hang the test.
    loop {
        if MEMORY.current_usage().saturating_sub(before) < CLIENTS * (MOST_EACH / 20) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
