//! Kept conversations: what Contact Lab said once it says again. Numbers may differ by the last digits, because machines have
//! different vector registers; texts, orders and sizes may not.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use superegg_apps::record::{Entry, Recording, replay};
use superegg_apps::{Message, Setup};

/// Set to anything to record anew.
const UPDATE: &str = "SUPEREGG_UPDATE_RECORDINGS";
/// Relative difference of numbers, and the absolute one of those near zero.
const TOLERANCE: f64 = 1e-7;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings").join(format!("{name}.eggrec"))
}

fn same(path: &str, one: &Value, other: &Value) -> Result<(), String> {
    match (one, other) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap_or(f64::NAN), b.as_f64().unwrap_or(f64::NAN));
            // The clock of a replay counts looks, of which there may be one more or less.
            let is_time = path.ends_with("nanoseconds") || path.contains("nanoseconds[");
            let close = (a - b).abs() <= TOLERANCE * (1.0 + a.abs().max(b.abs()));
            if close || is_time { Ok(()) } else { Err(format!("{path}: {a} instead of {b}")) }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().try_for_each(|(k, (a, b))| same(&format!("{path}[{k}]"), a, b))
        }
        (Value::Object(a), Value::Object(b)) if a.len() == b.len() => {
            a.iter().try_for_each(|(name, a)| same(&format!("{path}.{name}"), a, b.get(name).unwrap_or(&Value::Null)))
        }
        (a, b) if a == b => Ok(()),
        (a, b) => Err(format!("{path}: {a} instead of {b}")),
    }
}

fn compare(found: &Entry, kept: &Entry) -> Result<(), String> {
    match (&found.message, &kept.message) {
        (Message::Text(a), Message::Text(b)) => {
            let read = |text: &str| serde_json::from_str::<Value>(text).map_err(|error| error.to_string());
            same("", &read(a)?, &read(b)?)
        }
        // Geometry: which body, how many vertices and triangles.
        (Message::Binary(a), Message::Binary(b)) if a.len() == b.len() && a[..24] == b[..24] => Ok(()),
        (a, b) => Err(format!("another kind of message: {a:?} instead of {b:?}").chars().take(300).collect()),
    }
}

fn check(name: &str, said: &[Value]) {
    let said: Vec<Message> = said.iter().map(|message| Message::Text(message.to_string())).collect();
    let found = replay(&said, Setup { program: "recorded".to_owned(), ..Setup::default() });
    if std::env::var_os(UPDATE).is_some() {
        std::fs::create_dir_all(file(name).parent().unwrap()).unwrap();
        std::fs::write(file(name), found.write()).unwrap();
    }
    let kept = Recording::read(&std::fs::read(file(name)).expect("the recording is kept")).unwrap();
    let (found, kept): (Vec<_>, Vec<_>) = (found.entries().collect(), kept.entries().collect());
    for (index, (found, kept)) in found.iter().zip(&kept).enumerate() {
        assert_eq!(found.heard, kept.heard, "{name}, message {index}");
        compare(found, kept).unwrap_or_else(|reason| panic!("{name}, message {index}: {reason}"));
    }
    assert_eq!(found.len(), kept.len(), "{name}");
}

fn hello() -> Value {
    json!({"hello": {"version": 3, "app": "contact-lab", "app_version": 1}})
}

fn edit(revision: u32, edit: Value) -> Value {
    json!({"edit": {"revision": revision, "edit": edit}})
}

fn ask(request: u32, ask: Value) -> Value {
    json!({"ask": {"request": request, "ask": ask}})
}

fn egg(id: u32, exponents: [f64; 2], position: [f64; 3]) -> Value {
    json!({"id": id, "name": format!("Egg {id}"), "type": "superovoid", "radii": [0.7, 0.7, 1.0], "exponents": exponents,
        "taper": [0.2, 0.1], "position": position, "keys": [
            {"time": 0, "position": position, "orientation": [0, 0, 0, 1]},
            {"time": 2, "position": [0.5, 0.2, 0.1], "orientation": [0.5, 0, 0.2, 0.8]}]})
}

fn scene(bodies: Value, method: &str, tolerance: f64) -> Value {
    json!({"set_scene": {"scene": {"name": "recorded", "bodies": bodies, "solver": {"method": method, "tolerance": tolerance}, "duration": 2}}})
}

#[test]
fn contact_lab_says_what_it_said() {
    let bodies = json!([egg(1, [0.8, 1.0], [0.0, 0.0, 0.0]), egg(2, [1.2, 0.6], [2.5, 0.3, 0.1]),
        {"id": 3, "name": "Table", "type": "plane", "normal": [0, 0, 1], "offset": -1.5}]);
    check(
        "contact-lab-edits",
        &[
            hello(),
            edit(1, scene(bodies, "default", 1e-9)),
            edit(
                2,
                json!({"move": {"placements": [{"id": 2, "position": [1.9, 0.2, 0], "orientation": [0, 0.2, 0, 1]}]}}),
            ),
            edit(3, json!({"set_body": {"body": {"id": 4, "name": "Point", "type": "point", "position": [0, 2, 0]}}})),
            edit(4, json!({"remove": {"id": 3}})),
            edit(5, json!({"remove": {"id": 3}})),
            edit(
                6,
                json!({"set_body": {"body": {"id": 5, "name": "b", "type": "superellipsoid", "radii": [1, -1, 1], "exponents": [1, 1]}}}),
            ),
            ask(1, json!({"scene": {}})),
        ],
    );
}

#[test]
fn contact_lab_answers_what_it_answered() {
    let bodies = json!([egg(1, [0.8, 1.0], [0.0, 0.0, 0.0]), egg(2, [1.2, 0.6], [3.5, 0.3, 0.1])]);
    check(
        "contact-lab-questions",
        &[
            hello(),
            edit(1, scene(bodies, "quad_parametric", 1e-6)),
            ask(1, json!({"trace": {"pair": [1, 2]}})),
            ask(2, json!({"plot": {"pair": [1, 2], "samples": 24}})),
            ask(3, json!({"previews": {"id": 1, "grid": 3}})),
            ask(
                4,
                json!({"parse": {"text": "{\"query\":\"distance\",\"a\":{\"type\":\"point\"},\"b\":{\"type\":\"point\",\"position\":[1,0,0]}}"}}),
            ),
            ask(5, json!({"plot": {"pair": [1, 7], "samples": 24}})),
            ask(6, json!({"export": {"ids": [9], "format": "obj"}})),
        ],
    );
}
