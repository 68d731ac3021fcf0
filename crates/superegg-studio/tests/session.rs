//! What a client may ask, and what it gets.

mod support;

use serde_json::{Value, json};
use superegg_studio::app;
use support::{Client, balls};

#[tokio::test]
async fn contacts_follow_every_edit() {
    let mut client = Client::new(&app()).await;
    let contacts = client.edit("set_scene", json!({"scene": balls(0.5)})).await;
    let answer = &contacts["pairs"][0]["answer"];
    assert_eq!(answer["status"], "separated");
    let (lower, upper) = (answer["lower"].as_f64().unwrap(), answer["upper"].as_f64().unwrap());
    assert!(lower <= 0.5 && 0.5 <= upper && upper - lower < 1e-8, "{lower} {upper}");
    assert!(answer["nanoseconds"].as_f64().unwrap() > 0.0);
    assert_eq!(contacts["bodies"][0]["convex"], true);
    let volume = contacts["bodies"][0]["volume"].as_f64().unwrap();
    assert!((volume - 4.0 / 3.0 * std::f64::consts::PI).abs() < 1e-9);

    let overlap = json!({"placements": [{"id": 2, "position": [1.5, 0, 0], "orientation": [0, 0, 0, 1]}]});
    let contacts = client.edit("move", overlap).await;
    let answer = &contacts["pairs"][0]["answer"];
    assert_eq!(answer["status"], "penetrating");
    assert!((answer["distance"].as_f64().unwrap() + 0.5).abs() < 1e-8);

    let dented = json!({"body": {"id": 3, "name": "horn", "type": "superovoid", "radii": [1, 1, 1],
        "exponents": [1, 1.6], "taper": [0.9, 0.9], "position": [0, 5, 0]}});
    let contacts = client.edit("set_body", dented).await;
    assert_eq!(contacts["pairs"].as_array().unwrap().len(), 3);
    assert_eq!(contacts["bodies"][2]["convex"], false);
    assert_eq!(contacts["pairs"][1]["answer"]["lower"], Value::Null);

    let contacts = client.edit("remove", json!({"id": 1})).await;
    assert_eq!(contacts["pairs"].as_array().unwrap().len(), 1);

    // The server's world is what was edited.
    client.say(json!({"get_scene": {"request": 9}})).await;
    let scene = client.hear("scene").await;
    assert_eq!((&scene["request"], &scene["revision"]), (&json!(9), &json!(4)));
    assert_eq!(scene["scene"]["bodies"][0]["position"], json!([1.5, 0.0, 0.0]));
    assert_eq!(scene["scene"]["bodies"][1]["name"], "horn");
}

#[tokio::test]
async fn meshes_come_once_for_every_new_shape() {
    let mut client = Client::new(&app()).await;
    client.say(json!({"set_scene": {"revision": 1, "scene": balls(0.5)}})).await;
    let header = |bytes: &[u8]| -> Vec<u32> {
        [8, 12, 16, 20].map(|at| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())).to_vec()
    };
    for id in [1, 2] {
        let frame = client.frame().await;
        assert_eq!(&frame[..6], b"SEGG\x01\x01");
        let numbers = header(&frame);
        assert_eq!((numbers[0], numbers[1]), (id, 1));
        assert!(numbers[2] > 1000 && numbers[3] > 2000, "{numbers:?}");
    }
    client.hear("contacts").await;
    // A move has no mesh; a new shape has one.
    client.say(json!({"move": {"revision": 2, "placements": [{"id": 2, "position": [4, 0, 0], "orientation": [0, 0, 0, 1]}]}})).await;
    let mut egg = balls(2.0)["bodies"][1].clone();
    egg["exponents"] = json!([0.5, 0.5]);
    client.hear("contacts").await;
    client.say(json!({"set_body": {"revision": 3, "body": egg}})).await;
    assert_eq!(header(&client.frame().await)[..2], [2, 3]);
}

#[tokio::test]
async fn previews_traces_plots_and_pasted_lines_are_answered() {
    let mut client = Client::new(&app()).await;
    let mut scene = balls(0.5);
    scene["bodies"][1]["keys"] = json!([
        {"time": 0, "position": [3, 0, 0], "orientation": [0, 0, 0, 1]},
        {"time": 1, "position": [1, 0, 0], "orientation": [0, 0, 0, 1]}]);
    client.edit("set_scene", json!({"scene": scene})).await;

    client.say(json!({"get_plot": {"request": 1, "pair": [1, 2], "samples": 5}})).await;
    let plot = client.hear("plot").await["plot"].take();
    let distances: Vec<f64> = plot["distances"].as_array().unwrap().iter().map(|d| d.as_f64().unwrap()).collect();
    for (found, expected) in distances.iter().zip([1.0, 0.5, 0.0, -0.5, -1.0]) {
        assert!((found - expected).abs() < 1e-8, "{distances:?}");
    }

    client.say(json!({"get_trace": {"request": 2, "pair": [1, 2]}})).await;
    let trace = client.hear("trace").await["trace"].take();
    let steps = trace["steps"].as_array().unwrap();
    assert!(!steps.is_empty() && trace["curves"][0]["values"].as_array().unwrap().len() == steps.len(), "{trace}");

    client.say(json!({"get_previews": {"request": 3, "id": 1, "grid": 5}})).await;
    let frames = client.frame().await;
    assert_eq!(frames.windows(4).filter(|bytes| bytes == b"SEGG").count(), 25);

    let line = r#"{"query":"distance","a":{"type":"point"},"b":{"type":"plane","normal":[0,0,1],"offset":-1}}"#;
    client.say(json!({"parse": {"request": 4, "text": line}})).await;
    let parsed = client.hear("parsed").await;
    assert_eq!(parsed["scene"]["bodies"].as_array().unwrap().len(), 2);
    let contacts = client.edit("set_scene", json!({"scene": parsed["scene"]})).await;
    assert_eq!(contacts["pairs"][0]["answer"]["distance"], 1.0);
}

#[tokio::test]
async fn every_ready_scene_loads() {
    let mut client = Client::silent(&app(), 1 << 16).await;
    client.say(json!({"hello": {"version": 1}})).await;
    let welcome = client.hear("welcome").await;
    assert_eq!(welcome["methods"][0]["name"], "default");
    for scene in welcome["scenes"].as_array().unwrap() {
        let contacts = client.edit("set_scene", json!({"scene": scene})).await;
        assert!(contacts["pairs"].as_array().unwrap().iter().all(|pair| pair["answer"].is_object()), "{contacts}");
    }
}

#[tokio::test]
async fn fifty_clients_have_worlds_of_their_own() {
    let app = app();
    let clients = (0..50).map(|k| {
        let app = app.clone();
        tokio::spawn(async move {
            let mut client = Client::new(&app).await;
            for step in 0..4 {
                let distance = 0.01 * f64::from(k) + f64::from(step) + 0.1;
                let contacts = client.edit("set_scene", json!({"scene": balls(distance)})).await;
                let found = contacts["pairs"][0]["answer"]["distance"].as_f64().unwrap();
                assert!((found - distance).abs() < 1e-8, "client {k}: {found} instead of {distance}");
            }
        })
    });
    for client in clients.collect::<Vec<_>>() {
        client.await.unwrap();
    }
}
