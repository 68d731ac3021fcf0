//! Clients that leave, hang or crowd: what they began is counted until it has stopped, and given back then.

mod support;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use superegg_apps::wire::VERSION;
use superegg_apps::wire::input::Input;
use superegg_apps::wire::state_frame;
use superegg_apps::{App, Asked, Context, Open, Opened, Outgoing, Refusal, Slice, Typed, Work};
use superegg_studio::{Config, Limits, app_with};
use support::{Client, balls, connect};
use tokio_tungstenite::tungstenite::Message;

/// Rings whose distances take long.
fn slow_scene() -> Value {
    let ring = |id: u32| {
        let tilt = 0.1 * f64::from(id);
        json!({"id": id, "name": "ring", "type": "supertoroid", "radii": [0.3, 0.3, 0.3], "exponents": [0.4, 1.6], "hole": 3,
            "position": [f64::from(id), 0, 0], "orientation": [tilt, 0.2, 0, 1]})
    };
    json!({"name": "slow", "bodies": (1..=16).map(ring).collect::<Vec<_>>(),
        "solver": {"method": "default", "tolerance": 1e-9}, "duration": 1})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_that_leave_during_slow_scenes_keep_their_seats_until_their_work_has_stopped() {
    let seats = 4;
    let app = app_with(Config { limits: Limits { clients: seats, ..Limits::default() }, ..Config::default() });
    // Connect, ask for something slow, leave, again and again: only so many can be at it at once.
    for _ in 0..30 {
        let stream = connect(&app, 1 << 16);
        let Ok((socket, _)) = Client::try_connect(stream, &[]).await else {
            // Full of work that is being stopped: that is what bounds it.
            tokio::time::sleep(Duration::from_millis(30)).await;
            continue;
        };
        let mut client = Client::from(socket);
        client.say(support::hello()).await;
        client.say(json!({"set_scene": {"revision": 1, "scene": slow_scene()}})).await;
        client.say(json!({"plot": {"request": 1, "pair": [1, 2], "samples": 400}})).await;
        drop(client);
    }
    // Their work ends within a unit each, and a new client is served at once.
    let mut client = support::until_seated(&app).await;
    client.say(support::hello()).await;
    client.hear("welcome").await;
    let contacts = client.edit("set_scene", json!({"scene": balls(0.5)})).await;
    assert_eq!(contacts["pairs"].as_array().unwrap().len(), 1);
}

/// An app whose unit of work lasts until the test ends it.
#[derive(Default)]
struct Endless {
    due: bool,
}

static WORKING: AtomicUsize = AtomicUsize::new(0);
static ENDED: (Mutex<bool>, Condvar) = (Mutex::new(false), Condvar::new());

impl App for Endless {
    const NAME: &'static str = "endless";
    const VERSION: u32 = 1;
    type Facts = ();
    type Document = ();
    type State = ();
    type Answer = ();
    type Event = ();
    type Edit = ();
    type Ask = ();

    fn open(_open: &Open) -> (Endless, ()) {
        (Endless::default(), ())
    }

    fn edit(&mut self, (): (), _context: &Context) -> Result<(), Refusal> {
        self.due = true;
        Ok(())
    }

    fn ask(&mut self, (): (), _context: &Context) -> Result<Asked<()>, Refusal> {
        Ok(Asked::Now(()))
    }

    fn frame(&mut self, _out: &mut Outgoing<Endless>) {}

    fn document(&self) {}

    fn work(&mut self, _slice: &Slice) -> Work {
        if std::mem::take(&mut self.due) {
            WORKING.fetch_add(1, Ordering::SeqCst);
            let ended = ENDED.1.wait_while(ENDED.0.lock().unwrap(), |ended| !*ended);
            drop(ended);
            WORKING.fetch_sub(1, Ordering::SeqCst);
        }
        Work::Done
    }
}

fn endless(name: &str, open: &Open) -> Option<Opened> {
    (name == Endless::NAME).then(|| Typed::<Endless>::open(open))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_departed_client_has_begun_counts_until_it_has_stopped() {
    let limits = Limits { clients: 2, ..Limits::default() };
    let app = app_with(Config { limits, catalogue: endless, cores: Some(2), ..Config::default() });
    for working in 1..=2 {
        let mut client = support::until_seated(&app).await;
        client.say(json!({"hello": {"version": VERSION, "app": "endless", "app_version": 1}})).await;
        client.hear("welcome").await;
        client.say(json!({"edit": {"revision": 1, "edit": null}})).await;
        while WORKING.load(Ordering::SeqCst) < working {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    // Both have left, and what they began goes on: nobody may begin more, for as long as one likes.
    for _ in 0..100 {
        assert!(Client::try_connect(connect(&app, 1 << 16), &[]).await.is_err());
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    assert_eq!(WORKING.load(Ordering::SeqCst), 2);
    *ENDED.0.lock().unwrap() = true;
    ENDED.1.notify_all();
    support::until_seated(&app).await;
}

#[tokio::test]
async fn a_legal_scene_of_full_size_is_taken() {
    let key = |k: u32| {
        json!({"time": f64::from(k) + 0.123_456_789_012_345, "position": vec![0.123_456_789_012_345_6; 3],
        "orientation": [0.012_345_678_901_234_5, 0.112_345_678_901_234_5, 0.212_345_678_901_234_5, 0.912_345_678_901_234_5]})
    };
    let body = |id: u32| {
        json!({"id": id, "name": format!("body {id}"), "type": "superellipsoid", "radii": [0.1, 0.1, 0.1], "exponents": [1, 1],
            "position": [f64::from(id), 0, 0], "keys": (0..32).map(key).collect::<Vec<_>>()})
    };
    let scene = json!({"name": "full", "bodies": (1..=24).map(body).collect::<Vec<_>>(),
        "solver": {"method": "default", "tolerance": 1e-9}, "duration": 40});
    let mut client = Client::silent(&app_with(Config::default()), 1 << 20).await;
    client.say(support::hello()).await;
    let edit = json!({"set_scene": {"revision": 1, "scene": scene}});
    // More than the message limit of protocol version 2, which was 128 kB.
    assert!(edit.to_string().len() > 131_072, "{}", edit.to_string().len());
    client.say(edit).await;
    assert_eq!(client.hear("contacts").await["pairs"].as_array().unwrap().len(), 24 * 23 / 2);
}

#[tokio::test(start_paused = true)]
async fn whoever_does_not_say_hello_is_shown_out() {
    let mut client = Client::silent(&app_with(Config::default()), 1 << 16).await;
    // The runtime's own clock, which goes on only when nothing else does.
    let start = tokio::time::Instant::now();
    assert_eq!(client.end().await.as_deref(), Some("nobody said hello"));
    assert!(start.elapsed() < 2 * Limits::default().hello);
}

// The runtime's own clock: it goes on only when nothing else does, however busy the machine is.
#[tokio::test(start_paused = true)]
async fn a_link_whose_other_end_is_gone_without_a_word_ends() {
    let app = app_with(Config { limits: Limits { clients: 1, ..Limits::default() }, ..Config::default() });
    let mut client = Client::new(&app).await;
    client.ping().await;
    // Nothing is read or written from here on, but the line is not cut: no answers to the server's pings.
    let held = client;
    support::until_seated(&app).await;
    drop(held);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_answers_pings_stays() {
    let limits = Limits { idle: Duration::from_secs(1000), ..Limits::default() };
    let mut client = Client::new(&app_with(Config { limits, ..Config::default() })).await;
    // Reading answers pings: far more of them than a silent client would be sent.
    for _ in 0..20 {
        assert!(client.next().await.is_ping());
    }
    client.ping().await;
}

#[tokio::test]
async fn every_question_ends() {
    let mut client = Client::new(&app_with(Config::default())).await;
    client.edit("set_scene", json!({"scene": slow_scene()})).await;
    for request in 1..=3 {
        client.say(json!({"plot": {"request": request, "pair": [1, 2], "samples": 400}})).await;
    }
    client.say(json!({"cancel": {"request": 3}})).await;
    // In what order and how is tested with a clock that the test turns; here a machine may be so busy that one is answered first.
    let mut ended = vec![];
    while ended.len() < 3 {
        let message = client.next().await;
        let Ok(message) = serde_json::from_str::<Value>(message.to_text().unwrap_or_default()) else { continue };
        let end = message.get("replaced").or(message.get("answer"));
        ended.extend(end.map(|end| end["request"].as_u64().unwrap()));
    }
    ended.sort_unstable();
    assert_eq!(ended, [1, 2, 3]);
    client.ping().await;
}

/// A live client: what it heard of frames.
async fn pong(app: &axum::Router) -> Client {
    let mut client = Client::silent(app, 1 << 16).await;
    client.say(json!({"hello": {"version": VERSION, "app": "pong", "app_version": 1}})).await;
    client.hear("welcome").await;
    client.say(json!({"edit": {"revision": 1, "edit": {"begin": {"match": {"right": "easy", "points": 3}}}}})).await;
    client
}

async fn next_frame(client: &mut Client) -> state_frame::Head {
    loop {
        let bytes = client.frame().await;
        if let Some(head) = state_frame::read_head(&bytes) {
            let input = Input { sequence: head.sequence, drawn: head.sequence, controls: vec![] };
            client.socket.send(Message::binary(input.write())).await.unwrap();
            return head;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn live_sessions_are_admitted_by_cores_and_wait_in_turn() {
    let app = app_with(Config { cores: Some(1), ..Config::default() });
    let mut first = pong(&app).await;
    let start = next_frame(&mut first).await;
    // The first plays all the time: a session that nobody looks at would rest and give its core away.
    let (tell, mut ticks) = tokio::sync::watch::channel(start.tick);
    let playing = tokio::spawn(async move {
        loop {
            let _ = tell.send(next_frame(&mut first).await.tick);
        }
    });
    let mut second = pong(&app).await;
    assert_eq!(second.hear("load").await["place"], 1);
    let heard = *ticks.borrow();
    ticks.wait_for(|tick| *tick > heard + 20).await.unwrap();
    // Others still get their work done.
    let mut lab = Client::new(&app).await;
    lab.edit("set_scene", json!({"scene": balls(0.5)})).await;
    playing.abort();
    let mut sequence = 1000;
    loop {
        sequence += 1;
        second.look(sequence).await;
        let heard = tokio::time::timeout(Duration::from_millis(50), second.socket.next()).await;
        if let Ok(Some(Ok(Message::Binary(bytes)))) = heard
            && state_frame::read_head(&bytes).is_some_and(|head| head.tick > 0)
        {
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_live_client_that_does_not_draw_gets_two_frames_and_no_more() {
    let mut client = pong(&app_with(Config::default())).await;
    // They come when they come; a third one would come within a few steps.
    for _ in 0..2 {
        assert!(state_frame::read_head(&client.frame().await).is_some());
    }
    while let Ok(Some(Ok(message))) = tokio::time::timeout(Duration::from_millis(500), client.socket.next()).await {
        assert!(!message.is_binary(), "a frame that nobody has room for");
    }
}

/// Floods, stalls, half messages, early departures.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_hostile_clients_leave_the_studio_running_and_its_seats_free() {
    let limits = Limits { clients: 60, stall: Duration::from_millis(500), ..Limits::default() };
    let app = app_with(Config { limits, ..Config::default() });
    let hostile = (0..50u32).map(|k| {
        let app = app.clone();
        tokio::spawn(async move {
            let mut client = Client::silent(&app, if k % 5 == 4 { 4096 } else { 1 << 16 }).await;
            let patience = Duration::from_millis(400);
            let mut send = async |message: Message| {
                let _ = tokio::time::timeout(patience, client.socket.send(message)).await;
            };
            if k % 5 != 3 {
                let app = if k % 2 == 0 { "contact-lab" } else { "pong" };
                send(Message::text(json!({"hello": {"version": VERSION, "app": app, "app_version": 1}}).to_string()))
                    .await;
            }
            for revision in 0..60u32 {
                let edit = if k % 2 == 0 {
                    json!({"set_scene": {"scene": slow_scene()}})
                } else {
                    json!({"begin": {"match": {"right": "hard", "points": 9}}})
                };
                match k % 5 {
                    0 => send(Message::text(json!({"edit": {"revision": revision, "edit": edit}}).to_string())).await,
                    1 => {
                        send(Message::text(
                            json!({"ask": {"request": revision, "ask": {"plot": {"pair": [1, 2], "samples": 400}}}})
                                .to_string(),
                        ))
                        .await
                    }
                    2 => {
                        send(Message::binary(Input { sequence: revision, drawn: 9999, controls: vec![] }.write())).await
                    }
                    3 => send(Message::text("{\"hello\"")).await,
                    _ => send(Message::binary(vec![revision as u8; 3000])).await,
                }
            }
        })
    });
    for task in hostile.collect::<Vec<_>>() {
        let _ = task.await;
    }
    // All sixty seats are to be had again, and no more than that.
    let mut clients = vec![];
    while clients.len() < 60 {
        let mut client = support::until_seated(&app).await;
        client.say(support::hello()).await;
        client.hear("welcome").await;
        clients.push(client);
    }
    assert!(Client::try_connect(connect(&app, 1 << 16), &[]).await.is_err());
}
