//! Compounds, meshes and bodies in motion through `superegg query`.

mod program;

use program::{Ran, run, superegg};
use serde_json::{Value, json};

fn ask(lines: &[Value]) -> (Vec<Value>, Option<i32>) {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let Ran { code, out, err } = run(superegg(&["query"]), text);
    assert!(!err.contains("panicked"), "{err}");
    (out.lines().map(|line| serde_json::from_str(line).expect("an answer is JSON")).collect(), code)
}

fn ball(x: f64) -> Value {
    json!({"type": "superellipsoid", "radii": [0.5, 0.5, 0.5], "exponents": [1, 1], "position": [x, 0, 0]})
}

#[track_caller]
fn assert_close(found: &Value, expected: f64) {
    let found = found.as_f64().expect("a number");
    assert!((found - expected).abs() <= 1e-5, "{found} instead of {expected}");
}

#[test]
fn compounds_answer_distance_intersection_ray_and_impact() {
    let chain = json!({"type": "compound", "parts": [ball(0.0), ball(2.0), ball(4.0)], "position": [0, 0, 1]});
    let mut moving = chain.clone();
    moving["velocity"] = json!([0, 0, -1]);
    let floor = json!({"type": "plane", "normal": [0, 0, 1], "offset": 0});
    let (answers, code) = ask(&[
        json!({"query": "distance", "a": chain, "b": {"type": "point", "position": [4.2, 0, 3]}}),
        json!({"query": "intersect", "a": chain, "b": {"type": "point", "position": [2, 0, 1.2]}}),
        json!({"query": "intersect", "a": chain, "b": {"type": "point", "position": [1, 0, 1]}}),
        json!({"query": "ray", "a": chain, "origin": [2, 0, 5], "direction": [0, 0, -1]}),
        json!({"query": "time_of_impact", "a": moving, "b": floor, "horizon": 2}),
        json!({"query": "distance", "a": floor, "b": chain}),
        json!({"query": "time_of_impact", "a": chain, "b": chain, "horizon": 1}),
    ]);
    assert_eq!(code, Some(0), "{answers:#?}");
    assert_eq!(answers[0]["part_a"], 2);
    assert_eq!(answers[0].get("part_b"), None);
    assert_close(&answers[0]["distance"], (0.04f64 + 4.0).sqrt() - 0.5);
    assert_eq!((&answers[1]["intersect"], &answers[2]["intersect"]), (&json!(true), &json!(false)));
    assert_eq!(answers[3]["part"], 1);
    assert_close(&answers[3]["t"], 3.5);
    assert_eq!(answers[4]["status"], "impact");
    assert_close(&answers[4]["time"], 0.5);
    assert_close(&answers[5]["distance"], 0.5);
    assert_eq!((&answers[6]["status"], &answers[6]["time"]), (&json!("already"), &json!(0.0)));
}

#[test]
fn meshes_are_read_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("floor.obj");
    std::fs::write(&file, "v -9 -9 0\nv 9 -9 0\nv 9 9 0\nv -9 9 0\nf 1 2 3\nf 1 3 4\n").unwrap();
    let floor = json!({"type": "mesh", "file": file, "position": [0, 0, -1]});
    let falling = json!({"type": "superellipsoid", "radii": [0.1, 0.1, 0.1], "exponents": [1, 1],
        "position": [3, -5, 4], "velocity": [0, 0, -100], "angular_velocity": [1, 2, 3]});
    let (answers, code) = ask(&[
        json!({"query": "distance", "a": {"type": "point", "position": [-3, 5, 1]}, "b": floor}),
        json!({"query": "ray", "a": floor, "origin": [3, -5, 9], "direction": [0, 0, -2]}),
        json!({"query": "time_of_impact", "a": falling, "b": floor, "horizon": 1}),
        json!({"query": "intersect", "a": floor, "b": floor}),
        json!({"query": "distance", "a": {"type": "mesh", "file": "nowhere.obj"}, "b": floor}),
    ]);
    assert_eq!(code, Some(2), "{answers:#?}");
    assert_close(&answers[0]["distance"], 2.0);
    assert_eq!(answers[0]["part_b"], 1);
    assert_close(&answers[1]["t"], 5.0);
    assert_eq!(answers[1]["part"], 0);
    assert_close(&answers[2]["time"], 0.049);
    assert_eq!(answers[2]["part_b"], 0);
    assert_eq!(answers[3]["intersect"], true);
    assert_eq!(answers[4]["error"]["field"], "a.file");
}

#[test]
fn what_cannot_be_is_refused_by_its_field() {
    let moving = |field: &str, value: Value| {
        let mut body = ball(3.0);
        body[field] = value;
        json!({"query": "time_of_impact", "a": ball(0.0), "b": body, "horizon": 1})
    };
    let plane = json!({"type": "plane", "normal": [0, 0, 1], "offset": 0});
    let cases = [
        (moving("velocity", json!([1, 2])), "b.velocity"),
        (moving("velocity", json!([1e70, 0, 0])), "velocity[0]"),
        (moving("angular_velocity", json!("fast")), "b.angular_velocity"),
        (moving("speed", json!(1)), "b.speed"),
        (json!({"query": "time_of_impact", "a": ball(0.0), "b": ball(3.0), "horizon": -1}), "horizon"),
        (json!({"query": "time_of_impact", "a": ball(0.0), "b": ball(3.0)}), "horizon"),
        (json!({"query": "distance", "a": {"type": "compound", "parts": []}, "b": ball(0.0)}), "a.parts"),
        (json!({"query": "distance", "a": {"type": "compound", "parts": [plane]}, "b": ball(0.0)}), "a.parts"),
        (
            json!({"query": "distance", "a": {"type": "compound", "parts": [{"type": "mesh"}]}, "b": ball(0.0)}),
            "a.parts[0].type",
        ),
        (json!({"query": "distance", "a": {"type": "compound"}, "b": ball(0.0)}), "a.parts"),
        (json!({"query": "gradient", "a": {"type": "compound", "parts": [ball(0.0)]}, "b": ball(0.0)}), "query"),
    ];
    let (answers, code) = ask(&cases.clone().map(|(line, _)| line));
    assert_eq!(code, Some(2));
    for (answer, (line, field)) in answers.iter().zip(&cases) {
        assert_eq!(answer["error"]["field"], *field, "{line}: {answer}");
    }
}

#[test]
fn superquadrics_that_are_not_convex_meet_compounds_and_meshes_and_meshes_meet_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("floor.obj");
    std::fs::write(&file, "v -9 -9 0\nv 9 -9 0\nv 9 9 0\nv -9 9 0\nf 1 2 3\nf 1 3 4\n").unwrap();
    let mesh = |z: f64| json!({"type": "mesh", "file": file, "position": [0, 0, z]});
    let ring = |z: f64| json!({"type": "supertoroid", "radii": [0.5, 0.5, 0.5], "exponents": [1, 1], "hole": 3, "position": [0, 0, z]});
    let mut falling = ring(3.0);
    falling["velocity"] = json!([0, 0, -1]);
    let chain = json!({"type": "compound", "parts": [ball(0.0), ball(9.0)]});
    let (answers, code) = ask(&[
        json!({"query": "distance", "a": ring(2.0), "b": mesh(0.0)}),
        json!({"query": "distance", "a": mesh(0.2), "b": ring(0.0)}),
        json!({"query": "distance", "a": ring(0.0), "b": chain}),
        json!({"query": "distance", "a": mesh(0.0), "b": mesh(1.25)}),
        json!({"query": "intersect", "a": mesh(0.0), "b": mesh(0.0)}),
        json!({"query": "intersect", "a": ring(0.0), "b": chain}),
        json!({"query": "time_of_impact", "a": falling, "b": mesh(0.0), "horizon": 9}),
        json!({"query": "time_of_impact", "a": falling, "b": ball(0.0), "horizon": 9}),
        json!({"query": "distance", "a": ring(0.0), "b": mesh(1.0), "options": {"method": "sqp"}}),
    ]);
    assert_eq!(code, Some(2), "{answers:#?}");
    assert_close(&answers[0]["distance"], 1.5);
    assert!(answers[0]["part_b"].is_u64() && answers[0].get("part_a").is_none());
    // The floor cuts the tube: its deepest points lie on the tube's height of 0.2.
    assert_close(&answers[1]["distance"], -0.3);
    assert_eq!(answers[1]["status"], "penetrating");
    let bound = |answer: &Value, name: &str| answer[name].as_f64().expect("every answer is bounded");
    assert!(bound(&answers[1], "lower") <= -0.3 && bound(&answers[1], "upper") >= -0.3, "{}", answers[1]);
    assert!(answers[..4].iter().all(|answer| bound(answer, "lower") <= bound(answer, "upper")));
    assert_close(&answers[2]["distance"], 0.5);
    assert_eq!(answers[2]["part_b"], 0);
    assert_close(&answers[3]["distance"], 1.25);
    assert_eq!((&answers[4]["intersect"], &answers[5]["intersect"]), (&json!(true), &json!(false)));
    assert_eq!(answers[6]["status"], "impact");
    assert_close(&answers[6]["time"], 2.5);
    assert_eq!(answers[7]["status"], "none", "it falls around the ball: {}", answers[7]);
    assert_eq!(answers[8]["error"]["kind"], "unsupported");
}
