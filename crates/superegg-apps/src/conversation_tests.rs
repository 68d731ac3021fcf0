//! Conversations with a clock that the test turns: any order of messages, delays and departures.

use std::cell::Cell;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::wire::{Control, Phase};

/// A clock that the test turns.
#[derive(Default)]
struct Hand(Cell<f64>);

impl Clock for Hand {
    fn now(&self) -> f64 {
        // A look takes a little time, so that slices end.
        self.0.set(self.0.get() + 1e-6);
        self.0.get()
    }
}

struct Client {
    conversation: Conversation,
    clock: Hand,
    heard: Vec<Message>,
}

impl Client {
    fn new(app: &str) -> Client {
        let mut client = Client::silent(Setup::default());
        client.say(json!({"hello": {"version": VERSION, "app": app, "app_version": 1}}));
        client.run();
        assert!(client.texts("welcome").len() == 1, "{:?}", client.heard);
        client.heard.clear();
        client
    }

    fn silent(setup: Setup) -> Client {
        Client { conversation: Conversation::new(setup), clock: Hand::default(), heard: vec![] }
    }

    fn say(&mut self, message: Value) {
        self.conversation.receive(&Message::Text(message.to_string()), self.clock.now());
    }

    fn input(&mut self, sequence: u32, drawn: u32, controls: Vec<Control>) {
        let bytes = Input { sequence, drawn, controls }.write();
        self.conversation.receive(&Message::Binary(bytes), self.clock.now());
    }

    /// Until there is nothing to do at this moment; how the last poll ended.
    fn run(&mut self) -> Next {
        loop {
            match self.conversation.poll(&self.clock, &|| false) {
                Next::Send(message) => self.heard.push(message),
                Next::Again => {}
                next => return next,
            }
        }
    }

    fn texts(&self, kind: &str) -> Vec<Value> {
        let texts = self.heard.iter().filter_map(|message| match message {
            Message::Text(text) => serde_json::from_str::<Value>(text).ok(),
            Message::Binary(_) => None,
        });
        texts.filter_map(|mut message| message.get_mut(kind).map(Value::take)).collect()
    }

    fn frames(&self) -> Vec<Head> {
        let frames = self.heard.iter().filter_map(|message| match message {
            Message::Binary(bytes) => state_frame::read_head(bytes),
            Message::Text(_) => None,
        });
        frames.collect()
    }
}

fn balls(distance: f64) -> Value {
    let ball = |id: u32, x: f64| {
        json!({"id": id, "name": "ball", "type": "superellipsoid", "radii": [1, 1, 1], "exponents": [1, 1], "position": [x, 0, 0],
        "keys": [{"time": 0, "position": [x, 0, 0], "orientation": [0, 0, 0, 1]}, {"time": 1, "position": [0.5 * x, 0, 0], "orientation": [0, 0, 0, 1]}]})
    };
    json!({"name": "balls", "bodies": [ball(1, 0.0), ball(2, 2.0 + distance)],
        "solver": {"method": "default", "tolerance": 1e-9}, "duration": 1})
}

#[test]
fn strangers_are_refused_in_words_and_then_the_conversation_ends() {
    for (hello, field, close) in [
        (json!({"version": 2, "app": "contact-lab", "app_version": 1}), "hello.version", Close::Version),
        (json!({"version": 3, "app": "teapot", "app_version": 1}), "hello.app", Close::Version),
        (json!({"version": 3, "app": "contact-lab", "app_version": 9}), "hello.app_version", Close::Version),
        (json!({"version": 3, "app": "contact-lab", "app_version": 1}), "hello.token", Close::Token),
        (json!({"version": 3, "app": "contact-lab", "app_version": 1, "token": "secres"}), "hello.token", Close::Token),
    ] {
        let token = (field == "hello.token").then(|| "secret".to_owned());
        let mut client = Client::silent(Setup { token, ..Setup::default() });
        client.say(json!({ "hello": hello }));
        assert_eq!(client.run(), Next::Close(close));
        assert_eq!(client.texts("failure")[0]["field"], field);
    }
    let mut client = Client::silent(Setup { token: Some("secret".into()), ..Setup::default() });
    client.say(json!({"ping": {"request": 1}}));
    client.run();
    assert_eq!(client.texts("failure")[0]["kind"], "protocol");
    client.say(json!({"hello": {"version": 3, "app": "contact-lab", "app_version": 1, "token": "secret"}}));
    client.run();
    assert_eq!(client.texts("welcome").len(), 1);
}

#[test]
fn edits_are_answered_by_a_state_with_their_revision_and_refusals_change_nothing() {
    let mut client = Client::new("contact-lab");
    client.say(json!({"edit": {"revision": 1, "edit": {"set_scene": {"scene": balls(0.5)}}}}));
    client.say(json!({"edit": {"revision": 2, "edit": {"remove": {"id": 9}}}}));
    client.run();
    let states = client.texts("state");
    assert_eq!((states.len(), &states[0]["revision"]), (1, &json!(1)));
    assert!((states[0]["state"]["pairs"][0]["answer"]["distance"].as_f64().unwrap() - 0.5).abs() < 1e-8);
    let failure = &client.texts("failure")[0];
    assert_eq!((&failure["revision"], &failure["field"]), (&json!(2), &json!("remove.id")));
    let document: Value = serde_json::from_str(&client.conversation.document().unwrap()).unwrap();
    assert_eq!(document["bodies"].as_array().unwrap().len(), 2);
}

#[test]
fn every_question_ends_also_those_that_are_replaced_or_taken_back() {
    let mut client = Client::new("contact-lab");
    client.say(json!({"edit": {"revision": 1, "edit": {"set_scene": {"scene": balls(0.5)}}}}));
    for request in 1..=3 {
        client.say(json!({"ask": {"request": request, "ask": {"plot": {"pair": [1, 2], "samples": 50}}}}));
    }
    client.say(json!({"ask": {"request": 4, "ask": {"trace": {"pair": [1, 2]}}}}));
    client.say(json!({"cancel": {"request": 4}}));
    client.say(json!({"ask": {"request": 5, "ask": {"previews": {"id": 1, "grid": 2}}}}));
    client.say(json!({"ask": {"request": 6, "ask": {"plot": {"pair": [1, 1], "samples": 50}}}}));
    client.run();
    let of = |kind: &str| client.texts(kind).iter().map(|found| found["request"].as_u64().unwrap()).collect::<Vec<_>>();
    assert_eq!(of("replaced"), [1, 2, 4]);
    assert_eq!(of("failure"), [6]);
    let mut answered = of("answer");
    answered.sort_unstable();
    assert_eq!(answered, [3, 5]);
}

#[test]
fn edits_do_not_wait_for_a_plot_and_a_newer_plot_replaces_it() {
    let mut client = Client::new("contact-lab");
    client.say(json!({"edit": {"revision": 1, "edit": {"set_scene": {"scene": balls(0.5)}}}}));
    client.run();
    client.say(json!({"ask": {"request": 1, "ask": {"plot": {"pair": [1, 2], "samples": 400}}}}));
    for revision in 2..=4u32 {
        // The plot is under way.
        for _ in 0..3 {
            assert_eq!(client.conversation.poll(&client.clock, &|| true), Next::Again);
        }
        let place = json!({"id": 2, "position": [3, 0, f64::from(revision)], "orientation": [0, 0, 0, 1]});
        client.heard.clear();
        client.say(json!({"edit": {"revision": revision, "edit": {"move": {"placements": [place]}}}}));
        while client.heard.is_empty() {
            if let Next::Send(message) = client.conversation.poll(&client.clock, &|| true) {
                client.heard.push(message);
            }
        }
        assert_eq!(client.texts("state")[0]["revision"], revision, "{:?}", client.heard);
    }
    client.heard.clear();
    client.say(json!({"ask": {"request": 2, "ask": {"plot": {"pair": [1, 2], "samples": 2}}}}));
    client.run();
    assert_eq!(client.texts("replaced")[0]["request"], 1);
    assert_eq!(client.texts("answer")[0]["request"], 2);
}

#[test]
fn a_flood_of_edits_is_computed_together() {
    let mut client = Client::new("contact-lab");
    client.say(json!({"edit": {"revision": 1, "edit": {"set_scene": {"scene": balls(0.5)}}}}));
    client.run();
    client.heard.clear();
    for revision in 2..=500u32 {
        let place = json!({"id": 2, "position": [2.0 + f64::from(revision), 0, 0], "orientation": [0, 0, 0, 1]});
        client.say(json!({"edit": {"revision": revision, "edit": {"move": {"placements": [place]}}}}));
    }
    client.run();
    let states = client.texts("state");
    assert_eq!((states.len(), &states[0]["revision"]), (1, &json!(500)));
    assert!((states[0]["state"]["pairs"][0]["answer"]["distance"].as_f64().unwrap() - 500.0).abs() < 1e-6);
}

/// The largest scene that Contact Lab takes: 24 compounds of 48 parts with 32 keys each, every name and number at its longest.
fn largest_scene() -> Value {
    let number = -1.234_567_890_123_456_7e-7;
    let place = json!([number, number, number]);
    let turn =
        json!([-0.543_210_987_654_321_1, 0.012_345_678_901_234_56, 0.123_456_789_012_345_6, 0.998_765_432_109_876_5]);
    let part = json!({"type": "superovoid", "radii": [1.234_567_890_123_456_7, 1.234_567_890_123_456_7, 1.234_567_890_123_456_7],
        "exponents": [0.987_654_321_098_765_4, 0.987_654_321_098_765_4], "taper": [0.012_345_678_901_234_56, 0.012_345_678_901_234_56],
        "position": place, "orientation": turn});
    let bodies: Vec<Value> = (1..=24)
        .map(|id| {
            let keys: Vec<Value> =
                (0..32).map(|k| json!({"time": f64::from(k) + 0.123_456_789_012_345, "position": place, "orientation": turn})).collect();
            json!({"id": 4_294_967_000u32 + id, "name": "\u{1}".repeat(200), "type": "compound", "parts": vec![part.clone(); 48],
                "position": place, "orientation": turn, "keys": keys, "colour": "#123456", "hidden": true, "locked": true})
        })
        .collect();
    json!({"name": "\u{1}".repeat(200), "about": "\u{1}".repeat(200), "bodies": bodies,
        "solver": {"method": "default", "tolerance": 1e-9}, "duration": 3600})
}

#[test]
fn the_largest_legal_scene_is_taken_and_a_larger_message_is_refused_in_words() {
    let mut client = Client::new("contact-lab");
    let edit = json!({"edit": {"revision": 7, "edit": {"set_scene": {"scene": largest_scene()}}}});
    let bytes = edit.to_string().len();
    assert!(bytes > 600_000 && bytes < Limits::default().edit_bytes, "{bytes}");
    client.say(edit);
    client.run();
    assert_eq!(client.texts("state")[0]["revision"], 7, "{:?}", client.texts("failure"));
    let mut longer = largest_scene();
    longer["about"] = "x".repeat(1 << 20).into();
    client.say(json!({"edit": {"edit": {"set_scene": {"scene": longer}}, "revision": 8}}));
    client.say(json!({"ask": {"request": 3, "ask": {"parse": {"text": "x".repeat(200_000)}}}}));
    client.run();
    let kinds: Vec<Value> = client.texts("failure").iter().map(|failure| failure["kind"].clone()).collect();
    assert_eq!(kinds, ["limit", "limit"]);
    client.say(json!({"ping": {"request": 1}}));
    client.run();
    assert_eq!(client.texts("pong").len(), 1);
}

fn begin(client: &mut Client) {
    client.say(json!({"edit": {"revision": 1, "edit": {"begin": {"match": {"right": "medium", "points": 3}}}}}));
    let now = client.clock.now();
    client.conversation.grant(true, now);
    client.run();
}

#[test]
fn at_most_two_frames_are_on_their_way_and_time_goes_on_without_them() {
    let mut client = Client::new("pong");
    begin(&mut client);
    // A client that draws nothing but is seen now and then.
    for step in 1..=60 {
        client.clock.0.set(client.clock.0.get() + 1.0 / 60.0);
        if step % 30 == 0 {
            client.input(step, 0, vec![]);
        }
        client.run();
    }
    assert_eq!(client.frames().len(), 2);
    // It draws again: the next frame is of now, not of then.
    client.input(100, 2, vec![]);
    client.clock.0.set(client.clock.0.get() + 1.0 / 60.0);
    client.run();
    let next = client.frames()[2];
    assert!(next.sequence == 3 && next.tick >= 60, "{next:?}");
    assert_eq!(client.frames().last().unwrap().input, 100);
}

#[test]
fn input_starts_a_step_early_and_is_told_in_the_frame_that_has_it() {
    let mut client = Client::new("pong");
    begin(&mut client);
    let mut drawn = client.frames().last().unwrap().sequence;
    for step in 1..200u32 {
        // Nine milliseconds after the last step: due in seven more, and input may be half a step early.
        client.clock.0.set(client.clock.0.get() + 0.0095);
        client.input(step, drawn, vec![control(Phase::Move, 0.01 * step as f32)]);
        client.run();
        let last = *client.frames().last().unwrap();
        assert_eq!(last.input, step);
        drawn = last.sequence;
        client.clock.0.set(client.clock.0.get() + 1.0 / 60.0 - 0.0095);
        client.input(step, drawn, vec![]);
        client.run();
    }
}

fn control(phase: Phase, height: f32) -> Control {
    Control { control: 0, phase, flags: 0, object: 0, values: [0.0, height, 0.1, 0.0, 0.0, 0.0] }
}

#[test]
fn steps_fall_in_with_the_frames_of_the_client() {
    // However the two rhythms begin, after a second every input is computed as soon as it comes.
    for phase in 0..10 {
        let mut client = Client::new("pong");
        begin(&mut client);
        let frame = 1.0 / 60.0;
        let start = client.clock.0.get() + f64::from(phase) * 0.1 * frame;
        let mut waited = vec![];
        for sequence in 1..=120 {
            let at = start + f64::from(sequence) * frame;
            while let Next::Wait(Some(until)) = client.run() {
                if until >= at {
                    break;
                }
                client.clock.0.set(until);
            }
            let drawn = client.frames().last().map_or(0, |head| head.sequence);
            client.clock.0.set(at);
            client.input(sequence, drawn, vec![control(Phase::Move, 0.0)]);
            while client.frames().last().is_none_or(|head| head.input < sequence) {
                let Next::Wait(Some(until)) = client.run() else { panic!("it is live") };
                if client.frames().last().is_none_or(|head| head.input < sequence) {
                    client.clock.0.set(until);
                }
            }
            waited.push(client.clock.0.get() - at);
        }
        assert!(waited[60..].iter().all(|wait| *wait < 1e-3), "{phase}: {waited:?}");
    }
}

/// Steps of a match in ten seconds, with a client that sends input `often` times a step, first so much of a step before it is due.
fn steps_in_ten_seconds(often: u32, before: f64, controls: &[Control]) -> u32 {
    let mut client = Client::new("pong");
    begin(&mut client);
    let (start, dt) = (client.clock.0.get(), 1.0 / 60.0);
    let mut sequence = 0;
    while client.clock.0.get() - start < 10.0 {
        let Next::Wait(Some(due)) = client.run() else { panic!("it is live") };
        for k in 0..often {
            let at = due - dt * before * f64::from(often - k) / f64::from(often);
            client.clock.0.set(at.max(client.clock.0.get()));
            sequence += 1;
            let drawn = client.frames().last().map_or(0, |head| head.sequence);
            client.input(sequence, drawn, controls.to_vec());
            client.run();
        }
        client.clock.0.set(due.max(client.clock.0.get()));
        client.run();
    }
    client.frames().last().map_or(0, |head| head.tick)
}

#[test]
fn a_client_that_hurries_hardly_hurries_time() {
    // Whenever one input a step would bring the next step nearer, or push it away: a twentieth.
    assert!((600..=632).contains(&steps_in_ten_seconds(1, 0.7, &[])));
    assert!((570..=601).contains(&steps_in_ten_seconds(1, 0.8, &[])));
    // At all times: nothing, or hardly more when each could start a step.
    assert!((597..=603).contains(&steps_in_ten_seconds(40, 1.0, &[])));
    assert!((597..=632).contains(&steps_in_ten_seconds(40, 1.0, &[control(Phase::Move, 0.0)])));
}

#[test]
fn overload_slows_simulated_time_and_never_catches_up() {
    let mut client = Client::new("pong");
    begin(&mut client);
    let first = client.frames().last().unwrap().tick;
    let mut sequence = 1;
    // A host that comes by ten times a second.
    for _ in 0..40 {
        client.clock.0.set(client.clock.0.get() + 0.1);
        let drawn = client.frames().last().unwrap().sequence;
        sequence += 1;
        client.input(sequence, drawn, vec![]);
        client.run();
    }
    let last = *client.frames().last().unwrap();
    let ticks = last.tick - first;
    // Three steps a visit at most, not the six that the clock says.
    assert!((30..=130).contains(&ticks), "{ticks}");
    assert!(last.speed < 0.6, "{last:?}");
}

#[test]
fn a_session_that_nobody_sees_rests_and_gives_its_core_back() {
    let mut client = Client::new("pong");
    begin(&mut client);
    let now = client.clock.now();
    assert!(client.conversation.wants_core(now) && !client.conversation.wants_core(now + 2.0));
    client.clock.0.set(now + 2.0);
    assert_eq!(client.run(), Next::Wait(None));
    client.input(9, 1, vec![]);
    assert!(client.conversation.wants_core(client.clock.now()));
    assert!(matches!(client.run(), Next::Wait(Some(_))));
}

#[test]
fn a_match_goes_on_after_a_pause_in_which_nothing_was_acknowledged() {
    let mut client = Client::new("pong");
    begin(&mut client);
    let edit =
        |revision: u32, paused: bool| json!({"edit": {"revision": revision, "edit": {"pause": {"paused": paused}}}});
    client.say(edit(2, true));
    client.run();
    client.clock.0.set(client.clock.0.get() + 30.0);
    client.run();
    client.say(edit(3, false));
    client.run();
    let phases: Vec<Value> = client.texts("state").iter().map(|state| state["state"]["phase"].clone()).collect();
    assert_eq!(phases, ["serve", "paused", "serve"]);
    let now = client.clock.now();
    assert!(client.conversation.wants_core(now));
}

#[test]
fn a_session_without_a_core_waits_and_says_so() {
    let mut client = Client::new("pong");
    client.say(json!({"edit": {"revision": 1, "edit": {"begin": {"match": {"right": "easy", "points": 1}}}}}));
    client.conversation.told_place(2);
    client.run();
    assert_eq!(client.texts("load"), [json!({"place": 2})]);
    client.clock.0.set(client.clock.0.get() + 0.5);
    assert_eq!(client.run(), Next::Wait(None));
    let now = client.clock.now();
    client.conversation.grant(true, now);
    client.run();
    assert_eq!(client.texts("load")[1], json!({"place": 0}));
    assert!(client.frames().last().unwrap().tick > 0);
}

#[test]
fn a_departed_client_ends_a_task_after_one_unit() {
    let mut client = Client::new("contact-lab");
    client.say(json!({"edit": {"revision": 1, "edit": {"set_scene": {"scene": balls(0.5)}}}}));
    client.run();
    client.say(json!({"ask": {"request": 1, "ask": {"plot": {"pair": [1, 2], "samples": 400}}}}));
    // Gone: every poll does one unit and returns.
    for _ in 0..50 {
        assert_eq!(client.conversation.poll(&client.clock, &|| true), Next::Again);
    }
}

/// What a client may do.
#[derive(Clone, Debug)]
enum Act {
    Edit(u8),
    Ask(u8),
    Cancel(u8),
    Move(i8),
    Press,
    Draw,
    Wait(u16),
    Noise(Vec<u8>),
    Poll(u8),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        any::<u8>().prop_map(Act::Edit),
        any::<u8>().prop_map(Act::Ask),
        any::<u8>().prop_map(Act::Cancel),
        any::<i8>().prop_map(Act::Move),
        Just(Act::Press),
        Just(Act::Draw),
        any::<u16>().prop_map(Act::Wait),
        prop::collection::vec(any::<u8>(), 0..40).prop_map(Act::Noise),
        any::<u8>().prop_map(Act::Poll),
    ];
    prop::collection::vec(act, 1..120)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever comes in whatever order: nothing piles up, every question ends, states grow.
    #[test]
    fn conversations_stay_bounded_and_every_question_ends(acts in acts(), pong in any::<bool>()) {
        let mut client = Client::new(if pong { "pong" } else { "contact-lab" });
        let now = client.clock.now();
        client.conversation.grant(true, now);
        let (mut revision, mut request, mut sequence) = (0u32, 0u32, 0u32);
        let mut asked = vec![];
        for act in acts {
            if client.conversation.is_full() {
                client.run();
            }
            match act {
                Act::Edit(k) => {
                    revision += 1;
                    let edit = match (pong, k % 4) {
                        (true, 0) => json!({"begin": {"match": {"right": "hard", "points": 2}}}),
                        (true, 1) => json!({"pause": {"paused": k > 128}}),
                        (true, _) => json!({"serve": {}}),
                        (false, 0) => json!({"set_scene": {"scene": balls(f64::from(k))}}),
                        (false, 1) => json!({"remove": {"id": k}}),
                        (false, _) => json!({"move": {"placements": [{"id": 1, "position": [k, 0, 0], "orientation": [0, 0, 0, 1]}]}}),
                    };
                    client.say(json!({"edit": {"revision": revision, "edit": edit}}));
                }
                Act::Ask(k) => {
                    request += 1;
                    asked.push(request);
                    let ask = match k % 3 {
                        0 => json!({"plot": {"pair": [1, 2], "samples": 3}}),
                        1 => json!({"scene": {}}),
                        _ => json!({"previews": {"id": 1, "grid": 1}}),
                    };
                    client.say(json!({"ask": {"request": request, "ask": ask}}));
                }
                Act::Cancel(k) => client.say(json!({"cancel": {"request": k}})),
                Act::Move(k) => {
                    sequence += 1;
                    let values = [0.0, f32::from(k), 0.0, 0.0, 0.0, 0.0];
                    client.input(sequence, 0, vec![Control { control: 0, phase: Phase::Move, flags: 0, object: 0, values }]);
                }
                Act::Press => {
                    sequence += 1;
                    client.input(sequence, 0, vec![Control { control: 0, phase: Phase::Press, flags: 0, object: 0, values: [0.0; 6] }]);
                }
                Act::Draw => {
                    sequence += 1;
                    let drawn = client.frames().last().map_or(0, |head| head.sequence);
                    client.input(sequence, drawn, vec![]);
                }
                Act::Wait(k) => client.clock.0.set(client.clock.0.get() + f64::from(k) * 1e-5),
                Act::Noise(bytes) => {
                    let now = client.clock.now();
                    client.conversation.receive(&Message::Binary(bytes.clone()), now);
                    client.conversation.receive(&Message::Text(String::from_utf8_lossy(&bytes).into_owned()), now);
                }
                Act::Poll(k) => {
                    for _ in 0..k % 8 {
                        if let Next::Send(message) = client.conversation.poll(&client.clock, &|| false) {
                            client.heard.push(message);
                        }
                    }
                }
            }
            let waiting = client.conversation.replies.len() + client.conversation.lane.len() + client.conversation.answers.len();
            prop_assert!(waiting < 60 && client.conversation.tasks.len() <= 4, "{} {}", waiting, client.conversation.tasks.len());
        }
        client.run();
        let ends = |kind: &str| client.texts(kind).iter().filter_map(|found| found["request"].as_u64()).map(|found| found as u32).collect::<Vec<_>>();
        let mut ended: Vec<u32> = ["answer", "failure", "replaced"].iter().flat_map(|kind| ends(kind)).collect();
        ended.sort_unstable();
        prop_assert_eq!(ended, asked);
        let revisions: Vec<u64> = client.texts("state").iter().map(|state| state["revision"].as_u64().unwrap()).collect();
        prop_assert!(revisions.windows(2).all(|pair| pair[0] <= pair[1]), "{:?}", revisions);
        let sequences: Vec<u32> = client.frames().iter().map(|head| head.sequence).collect();
        prop_assert!(sequences.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
