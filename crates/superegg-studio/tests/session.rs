//! What a client may ask, and what it gets.

mod support;

use serde_json::{Value, json};
use superegg_studio::app;
use support::{Client, TETRAHEDRON, balls};

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
    let answer = &contacts["pairs"][1]["answer"];
    let bounded = |name: &str| answer[name].as_f64().unwrap();
    assert!(bounded("lower") <= bounded("distance") && bounded("distance") <= bounded("upper"), "{answer}");

    let contacts = client.edit("remove", json!({"id": 1})).await;
    assert_eq!(contacts["pairs"].as_array().unwrap().len(), 1);

    // The server's world is what was edited.
    client.say(json!({"scene": {"request": 9}})).await;
    let scene = client.hear("scene").await;
    assert_eq!(scene["request"], 9);
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
        assert_eq!(&frame[..6], b"SEGG\x03\x01");
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

    client.say(json!({"plot": {"request": 1, "pair": [1, 2], "samples": 5}})).await;
    let plot = client.hear("plot").await["plot"].take();
    let distances: Vec<f64> = plot["distances"].as_array().unwrap().iter().map(|d| d.as_f64().unwrap()).collect();
    for (found, expected) in distances.iter().zip([1.0, 0.5, 0.0, -0.5, -1.0]) {
        assert!((found - expected).abs() < 1e-8, "{distances:?}");
    }

    client.say(json!({"trace": {"request": 2, "pair": [1, 2]}})).await;
    let trace = client.hear("trace").await["trace"].take();
    let steps = trace["steps"].as_array().unwrap();
    assert!(!steps.is_empty() && trace["curves"][0]["values"].as_array().unwrap().len() == steps.len(), "{trace}");

    client.say(json!({"previews": {"request": 3, "id": 1, "grid": 5}})).await;
    let frames = client.frame().await;
    assert_eq!(frames.windows(4).filter(|bytes| bytes == b"SEGG").count(), 25);

    let line = r#"{"query":"distance","a":{"type":"point"},"b":{"type":"plane","normal":[0,0,1],"offset":-1}}"#;
    client.say(json!({"parse": {"request": 4, "text": line}})).await;
    let parsed = client.hear("parsed").await;
    assert_eq!(parsed["parsed"]["bodies"].as_array().unwrap().len(), 2);
    let contacts = client.edit("set_scene", json!({"scene": parsed["parsed"]})).await;
    assert_eq!(contacts["pairs"][0]["answer"]["distance"], 1.0);
}

/// Two bodies of any types: their distance as a query's own scene gives it.
async fn distance_of(client: &mut Client, a: Value, b: Value) -> Result<f64, String> {
    let body = |id: u32, mut body: Value| {
        body["id"] = id.into();
        body["name"] = "body".into();
        body
    };
    let scene = json!({"name": "", "bodies": [body(1, a), body(2, b)], "solver": {"method": "default", "tolerance": 1e-9}, "duration": 1});
    let contacts = client.edit("set_scene", json!({"scene": scene})).await;
    let pair = &contacts["pairs"][0];
    match pair["answer"]["distance"].as_f64() {
        Some(distance) => Ok(distance),
        None => Err(pair["refusal"].as_str().unwrap().to_owned()),
    }
}

#[tokio::test]
async fn bodies_of_every_type_are_measured_and_drawn() {
    let mut client = Client::new(&app()).await;
    client.upload(5, "tetra.obj", TETRAHEDRON).await;
    let held = client.hear("files").await;
    assert_eq!(held, json!({"request": 5, "held": [{"file": "tetra.obj", "vertices": 4, "triangles": 4}]}));

    let ball =
        |x: f64| json!({"type": "superellipsoid", "radii": [1, 1, 1], "exponents": [1, 1], "position": [x, 0, 0]});
    let ring = json!({"type": "supertoroid", "radii": [0.5, 0.5, 0.5], "exponents": [1, 1], "hole": 3});
    let tube = json!({"type": "superhyperboloid1", "radii": [1, 1, 1], "exponents": [1, 1], "height": 2});
    let bowls = json!({"type": "superhyperboloid2", "radii": [1, 1, 1], "exponents": [1, 1], "height": 3});
    let dumbbell = json!({"type": "compound", "parts": [ball(-3.0), ball(3.0)]});
    let mesh = json!({"type": "mesh", "file": "tetra.obj"});
    let above = json!({"type": "point", "position": [0.2, 0.2, 5]});
    // A ball beside the waist is nearer to the flaring wall: the nearest point of x² = 1 + z² to (3, 0, 0), by sampling.
    let wall = |z: f64| (3.0 - (1.0 + z * z).sqrt()).hypot(z);
    let beside_the_tube = (0..200_000).map(|k| wall(1e-5 * f64::from(k))).fold(f64::MAX, f64::min) - 1.0;
    let above_the_apex = (2.0 * 0.2f64 * 0.2 + 16.0).sqrt();
    // Distances that are known: on the axis of a torus, at a waist, between two bowls, beside balls and triangles.
    let small = json!({"type": "superellipsoid", "radii": [0.25, 0.25, 0.25], "exponents": [1, 1]});
    for (a, b, exact) in [
        (ring.clone(), ball(0.0), 0.0),
        (ring.clone(), small.clone(), 0.75),
        (ring.clone(), ball(4.0), 1.0),
        (tube.clone(), ball(3.0), beside_the_tube),
        (bowls.clone(), small.clone(), 0.75),
        (dumbbell.clone(), ball(0.0), 1.0),
        (dumbbell.clone(), ball(6.0), 1.0),
        (mesh.clone(), ball(3.0), 1.0),
        (mesh.clone(), above.clone(), above_the_apex),
        (mesh.clone(), dumbbell.clone(), 1.0),
        // What is not convex against what is flat, against parts and against triangles.
        (ring.clone(), json!({"type": "point", "position": [0, 0, 2]}), 2.0),
        (ring.clone(), json!({"type": "plane", "normal": [0, 0, 1], "offset": -0.25}), -0.25),
        (ring.clone(), json!({"type": "segment", "points": [[0, 0, -9], [0, 0, 9]]}), 1.0),
        (ring.clone(), json!({"type": "compound", "parts": [small.clone(), ball(9.0)]}), 0.75),
        (ring.clone(), json!({"type": "mesh", "file": "tetra.obj", "position": [3, 0, 0]}), 1.0),
        (mesh.clone(), json!({"type": "mesh", "file": "tetra.obj", "position": [3, 0, 0]}), 2.0),
    ] {
        let found = distance_of(&mut client, a.clone(), b.clone()).await.unwrap();
        assert!((found - exact).abs() < 1e-6, "{a} {b}: {found} instead of {exact}");
    }
    // Drawn: a mesh's frame has its triangles, and facts tell its pieces.
    client.say(json!({"set_body": {"revision": 900, "body": {"id": 7, "name": "m", "type": "mesh", "file": "tetra.obj", "position": [0, 0, 9]}}})).await;
    let frame = client.frame().await;
    let word = |at: usize| u32::from_le_bytes(frame[at..at + 4].try_into().unwrap());
    assert_eq!((word(8), word(20)), (7, 4));
    let contacts = client.hear("contacts").await;
    assert_eq!(contacts["bodies"][2], json!({"id": 7, "convex": false, "pieces": 4, "volume": null}));
}

#[tokio::test]
async fn a_plot_tells_the_moments_of_contact() {
    let mut client = Client::new(&app()).await;
    let mut scene = balls(0.5);
    scene["bodies"][1]["keys"] = json!([
        {"time": 0, "position": [4, 0, 0], "orientation": [0, 0, 0, 1]},
        {"time": 1, "position": [0, 0, 0], "orientation": [0, 0, 0, 1]}]);
    client.edit("set_scene", json!({"scene": scene})).await;
    client.say(json!({"plot": {"request": 1, "pair": [1, 2], "samples": 50}})).await;
    let plot = client.hear("plot").await["plot"].take();
    let impacts = plot["impacts"].as_array().unwrap();
    assert_eq!(impacts.len(), 1, "{impacts:?}");
    let time = impacts[0]["time"].as_f64().unwrap();
    assert!(time <= 0.5 && time > 0.5 - 1e-5, "{time}");
    assert_eq!(plot["impact_refusal"], Value::Null);
}

#[tokio::test]
async fn every_ready_scene_loads() {
    let mut client = Client::silent(&app(), 1 << 16).await;
    client.say(support::hello()).await;
    let welcome = client.hear("welcome").await;
    assert_eq!(welcome["facts"]["methods"][0]["name"], "default");
    for scene in welcome["facts"]["scenes"].as_array().unwrap() {
        let contacts = client.edit("set_scene", json!({"scene": scene})).await;
        assert!(contacts["pairs"].as_array().unwrap().iter().all(|pair| pair["answer"].is_object()), "{contacts}");
        let bodies = scene["bodies"].as_array().unwrap();
        let pair = [&bodies[0]["id"], &bodies[1]["id"]];
        client.say(json!({"trace": {"request": 1, "pair": pair}})).await;
        assert!(!client.hear("trace").await["trace"]["steps"].as_array().unwrap().is_empty());
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
