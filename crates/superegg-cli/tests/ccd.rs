//! `superegg ccd` as a user runs it.

mod program;

use std::fs;

use program::{Ran, run, superegg};
use serde_json::Value;

/// A square at height 0 under a triangle at some height, the square torn along its diagonal or not.
fn frame(height: f64, torn: bool) -> String {
    let vertices = format!(
        "v 0 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 0\nv 1 1 {height}\nv 2 1 {height}\nv 1 2 {height}\n{}",
        if torn { "v 0 0 -1\nv 4 4 -1\n" } else { "" }
    );
    let faces = if torn { "f 1 2 3\nf 8 9 4\nf 5 6 7\n" } else { "f 1 2 3\nf 1 3 4\nf 5 6 7\n" };
    format!("{vertices}{faces}")
}

fn start(arguments: &[&str]) -> Ran {
    run(superegg(arguments), "")
}

#[test]
fn frames_give_times_and_pairs() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let heights = [
        ("a.obj", 1.0, false),
        ("b.obj", 0.5, false),
        ("c.obj", -0.5, false),
        ("d.obj", -1.5, true),
        ("e.obj", -3.0, false),
    ];
    for (name, height, torn) in heights {
        fs::write(path(name), frame(height, torn)).unwrap();
    }
    let names = heights.map(|(name, ..)| path(name));
    let ran = start(&["ccd", &names[0], &names[1], &names[2], &names[3], "--json", "-"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let output: Value = serde_json::from_str(&ran.out).unwrap();
    let pairs = output["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 3);
    assert_eq!(pairs[0]["toi"], Value::Null);
    let toi = pairs[1]["toi"].as_f64().unwrap();
    assert!(toi <= 0.5 && toi > 0.5 - 1e-9, "{toi}");
    let hits = pairs[1]["vertex_face"].as_array().unwrap();
    assert!(hits.iter().any(|hit| (hit[0].as_u64(), hit[1].as_u64()) == (Some(5), Some(0))), "{hits:?}");
    assert_eq!(pairs[1]["stats"]["culled"].as_object().unwrap().len(), 4);
    // Torn in the last step: the lower half falls from where it was, ahead of the triangle.
    assert!(pairs[2]["stats"]["elementary_tests"].as_u64().is_some());

    let ran = start(&["ccd", &names[0], &names[2], "--first", "--json", "-"]);
    let output: Value = serde_json::from_str(&ran.out).unwrap();
    let pair = &output["pairs"][0];
    let witnesses = pair["vertex_face"].as_array().unwrap().len() + pair["edge_edge"].as_array().unwrap().len();
    assert_eq!(witnesses, 1);

    let dip = start(&["ccd", "--degree", "2", &names[0], &names[2], &names[0], "--json", "-"]);
    assert_eq!(dip.code, Some(0), "{}", dip.err);
    let output: Value = serde_json::from_str(&dip.out).unwrap();
    // Heights 1, -0.5, 1 as control points: 1 - 3 t (1 - t) stays above 0.25.
    assert_eq!(output["pairs"][0]["toi"], Value::Null);
    let dip = start(&["ccd", "--degree", "3", &names[0], &names[4], &names[4], &names[0], "--json", "-"]);
    let output: Value = serde_json::from_str(&dip.out).unwrap();
    // Heights 1, -3, -3, 1: 1 - 12 t (1 - t) = 0.
    let toi = output["pairs"][0]["toi"].as_f64().unwrap();
    assert!((toi - (0.5 - (1.0f64 / 6.0).sqrt())).abs() < 1e-6, "{toi}");

    let near = start(&["ccd", &names[0], &names[1], "--min-separation", "0.75"]);
    assert!(near.out.contains("first contact at 0.49") || near.out.contains("first contact at 0.5"), "{}", near.out);
}

#[test]
fn queries_are_tallied() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("through.csv");
    let row = |x: i32, y: i32, z: i32| format!("{x},1,{y},1,{z},2,1\n");
    let face = [row(-1, -1, 0), row(1, -1, 0), row(0, 1, 0)].concat();
    fs::write(&file, format!("{}{face}{}{face}", row(0, 0, 1), row(0, 0, -1))).unwrap();
    let name = file.to_str().unwrap();
    let ran = start(&["ccd", "--queries", name, "--kind", "vertex-face", "--json", "-"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let output: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(output["files"][0]["true_positives"], 1);
    let ran = start(&["ccd", "--queries", name]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("--kind is needed"), "{}", ran.err);
}

#[test]
fn bad_files_and_usage_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken.obj");
    fs::write(&broken, "v 0 0 0\nf 1 2 3\n").unwrap();
    let broken = broken.to_str().unwrap();
    for (arguments, message) in [
        (vec!["ccd", broken, broken], "line 2: \"2\" names none of the 1 vertices so far"),
        (vec!["ccd", "missing.ply", "missing.ply"], "cannot read missing.ply"),
        (vec!["ccd", "frame.abc", "frame.abc"], "unknown kind of mesh file"),
        (vec!["ccd", broken], "FRAME"),
        (vec!["ccd", broken, broken, "--min-separation=-1"], "outside [0, 1e30]"),
        (vec!["ccd", broken, broken, "--degree", "2"], "2 frames are not a start and 2 for each step"),
        (vec!["ccd", broken, broken, "--degree", "4"], "4 is not in 1..=3"),
    ] {
        let ran = start(&arguments);
        assert_eq!(ran.code, Some(1), "{arguments:?}");
        assert!(ran.err.contains(message), "{}", ran.err);
    }
}
