//! `superegg query` from the outside: answers, refusals, order, exit codes, pipes and memory.

mod program;

use std::f64::consts::SQRT_2;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;
use std::thread;

use program::{Ran, run, superegg};
use serde_json::{Value, json};

/// Answers to these lines, and the exit code.
fn ask(lines: &str) -> (Vec<Value>, Option<i32>) {
    let Ran { code, out, .. } = run(superegg(&["query"]), lines);
    (out.lines().map(|line| serde_json::from_str(line).expect("an answer is JSON")).collect(), code)
}

fn sphere(radius: f64, x: f64) -> Value {
    json!({"type": "superellipsoid", "radii": [radius, radius, radius], "exponents": [1, 1], "position": [x, 0, 0]})
}

fn distance_between(a: Value, b: Value) -> Value {
    let (answers, code) = ask(&json!({"query": "distance", "a": a, "b": b}).to_string());
    assert_eq!((answers.len(), code), (1, Some(0)), "{answers:?}");
    answers[0].clone()
}

#[track_caller]
fn assert_close(found: &Value, expected: f64) {
    let found = found.as_f64().expect("a number");
    assert!((found - expected).abs() <= 4e-9 * expected.abs().max(1.0), "{found} instead of {expected}");
}

#[test]
fn distances_whose_truth_is_known() {
    let apart = distance_between(sphere(1.0, 0.0), sphere(0.5, 4.0));
    assert_close(&apart["distance"], 2.5);
    assert_close(&apart["point_a"][0], 1.0);
    assert_close(&apart["point_b"][0], 3.5);
    assert_close(&apart["normal"][0], 1.0);
    assert_eq!(apart["status"], "separated");
    let bounds = [&apart["lower"], &apart["upper"]].map(|bound| bound.as_f64().unwrap());
    assert!(bounds[0] <= 2.5 + 1e-15 && bounds[1] >= 2.5 - 1e-15 && bounds[1] - bounds[0] <= 1.5e-9, "{bounds:?}");

    let deep = distance_between(sphere(1.0, 0.0), sphere(0.5, 1.2));
    assert_close(&deep["distance"], -0.3);
    assert_eq!(deep["status"], "penetrating");

    let floor = json!({"type": "plane", "normal": [0, 0, 2], "offset": -4});
    assert_close(&distance_between(sphere(1.0, 7.0), floor)["distance"], 1.0);

    let point = json!({"type": "point", "position": [1, 1, 0]});
    let ellipsoid = json!({"type": "superellipsoid", "radii": [1, 1, 3], "exponents": [1, 1]});
    assert_close(&distance_between(ellipsoid, point)["distance"], SQRT_2 - 1.0);

    // A quarter turn about z brings the long axis, 3, from y to x. The quaternion is not of unit length.
    let turned = json!({"type": "superovoid", "radii": [1, 3, 1], "exponents": [1, 1], "taper": [0, 0],
        "orientation": [0, 0, 2, 2]});
    let segment = json!({"type": "segment", "points": [[5, -1, 0], [5, 1, 0]]});
    assert_close(&distance_between(turned.clone(), segment)["distance"], 2.0);
    let triangle = json!({"type": "triangle", "points": [[0, -1, -1], [0, 1, -1], [0, 0, 1]], "position": [4, 0, 0]});
    assert_close(&distance_between(turned, triangle)["distance"], 1.0);
}

#[test]
fn primitives_whose_truth_is_known() {
    let at = |mut body: Value, position: [f64; 3]| {
        body["position"] = json!(position);
        body
    };
    let die = json!({"type": "box", "half_extents": [1, 1, 1]});
    let soft = json!({"type": "box", "half_extents": [1, 1, 1], "rounding": 0.25});
    let can = json!({"type": "cylinder", "radius": 1, "half_height": 2});
    let cone = json!({"type": "cone", "radius": 1, "half_height": 1});
    let ball = json!({"type": "sphere", "radius": 0.5});
    let pill = json!({"type": "capsule", "radius": 0.5, "half_height": 1});
    let bucket = json!({"type": "frustum", "end_radii": [0.5, 1], "half_height": 1});
    for (a, b, wanted) in [
        (&die, at(die.clone(), [3.0, 3.0, 0.0]), SQRT_2),
        (&soft, at(soft.clone(), [3.0, 3.0, 0.0]), SQRT_2 - 0.5),
        (&die, at(ball.clone(), [0.0, 0.0, 0.75]), -0.75),
        (&can, at(ball.clone(), [0.0, 3.0, 0.0]), 1.5),
        (&cone, at(ball.clone(), [0.0, 0.0, 3.0]), 1.5),
        (&pill, at(pill.clone(), [0.0, 0.0, 4.0]), 1.0),
        (&bucket, at(die.clone(), [0.0, 0.0, 3.0]), 1.0),
    ] {
        let answer = distance_between(a.clone(), b);
        assert_close(&answer["distance"], wanted);
        assert!(answer["lower"].as_f64().unwrap() <= wanted && wanted <= answer["upper"].as_f64().unwrap());
    }
    let spoilt = [
        (json!({"type": "box", "half_extents": [1, 0, 1]}), "a.half_extents[1]"),
        (json!({"type": "capsule", "radius": -1, "half_height": 1}), "a.radius"),
        (json!({"type": "frustum", "end_radii": [1, -1], "half_height": 1}), "a.end_radii[1]"),
        (json!({"type": "cylinder", "radius": 1, "half_height": 1, "rounding": -1}), "a.rounding"),
        (json!({"type": "cone", "radius": 1, "half_height": 1, "taper": 1}), "a.taper"),
    ];
    for (body, field) in spoilt {
        let (answers, code) = ask(&json!({"query": "distance", "a": body, "b": ball}).to_string());
        assert_eq!((&answers[0]["error"]["field"], code), (&json!(field), Some(2)), "{answers:?}");
    }
}

#[test]
fn hulls_whose_truth_is_known() {
    let corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]];
    let wedge = json!({"type": "hull", "points": corners});
    let point = |at: [f64; 3]| json!({"type": "point", "points": [at]});
    // Above the slanted face, beside an edge, within the rounding, inside.
    let third = 1.0 / 3.0;
    assert_close(&distance_between(wedge.clone(), point([third + 1.0; 3]))["distance"], 3f64.sqrt());
    assert_close(&distance_between(wedge.clone(), point([-3.0, -4.0, 0.5]))["distance"], 5.0);
    let soft = json!({"type": "hull", "points": corners, "rounding": 0.5});
    assert_close(&distance_between(soft, point([-3.0, -4.0, 0.5]))["distance"], 4.5);
    let inside = distance_between(wedge.clone(), point([0.2, 0.3, 0.25]));
    assert_close(&inside["distance"], -(0.25 / 3f64.sqrt()).min(0.2));
    assert!(inside["lower"].as_f64().unwrap() <= -0.25 / 3f64.sqrt() + 1e-9);
    let spoilt = [
        (json!({"type": "hull", "points": [[0, 0, 0]]}), "a.points"),
        (json!({"type": "hull", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}), "a.points"),
        (json!({"type": "hull", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, "x"]]}), "a.points[3][2]"),
        (json!({"type": "hull", "points": corners, "rounding": -1}), "a.rounding"),
        (json!({"type": "hull"}), "a.points"),
    ];
    for (body, field) in spoilt {
        let (answers, code) = ask(&json!({"query": "distance", "a": body, "b": point([0.0; 3])}).to_string());
        assert_eq!((&answers[0]["error"]["field"], code), (&json!(field), Some(2)), "{answers:?}");
    }
}

#[test]
fn intersections_whose_truth_is_known() {
    let lines = [1.2, 1.4, 1.6, 1.8].map(|x| json!({"query": "intersect", "a": sphere(1.0, 0.0), "b": sphere(0.5, x)}));
    let (answers, code) = ask(&lines.map(|line| line.to_string()).join("\n"));
    let expected = [true, true, false, false].map(|intersect| json!({"intersect": intersect}));
    assert_eq!((answers, code), (expected.to_vec(), Some(0)));
}

#[test]
fn gradients_agree_with_differences_of_distances() {
    let egg = json!({"type": "superovoid", "radii": [1.0, 0.8, 1.3], "exponents": [0.7, 0.9], "taper": [0.2, 0.2],
        "position": [0.1, 0.2, 0.3], "orientation": [0.1, 0.2, 0.3, 0.9]});
    let others = [
        json!({"type": "superellipsoid", "radii": [0.5, 0.6, 0.7], "exponents": [0.8, 1.1], "position": [3, 1, -0.5]}),
        json!({"type": "plane", "normal": [0.36, 0.48, 0.8], "offset": -2.5, "position": [0, 0, 0]}),
        json!({"type": "segment", "points": [[2.5, 1, 0.4], [2, -2, 3]], "position": [0, 0, 0]}),
    ];
    // Central differences: their error is about the tolerance, 1e-13 of the size, divided by the step.
    let step = 1e-5;
    let distance = |a: &Value, b: &Value| {
        let (answers, code) =
            ask(&json!({"query": "distance", "a": a, "b": b, "options": {"tolerance": 1e-13}}).to_string());
        assert_eq!(code, Some(0), "{answers:?}");
        answers[0]["distance"].as_f64().unwrap()
    };
    for other in others {
        let (answers, code) = ask(&json!({"query": "gradient", "a": egg, "b": other}).to_string());
        assert_eq!(code, Some(0), "{answers:?}");
        let both = [("a", &egg), ("b", &other)];
        for (name, body) in both {
            let gradient = &answers[0]["gradient"][name];
            for field in gradient.as_object().unwrap().keys().filter(|field| *field != "rotation") {
                // Every number of the field has an address like /points/1/2.
                for address in addresses(&body[field]) {
                    let shifted = [-step, step].map(|by| {
                        let mut moved = body.clone();
                        let value = moved[field].pointer_mut(&address).unwrap();
                        *value = json!(value.as_f64().unwrap() + by);
                        if name == "a" { distance(&moved, &other) } else { distance(&egg, &moved) }
                    });
                    let expected = (shifted[1] - shifted[0]) / (2.0 * step);
                    let found = gradient[field].pointer(&address).unwrap().as_f64().unwrap();
                    assert!((found - expected).abs() < 1e-6, "{name}.{field}{address}: {found}, not {expected}");
                }
            }
        }
    }
}

/// JSON pointers to all numbers of a value.
fn addresses(value: &Value) -> Vec<String> {
    let Value::Array(items) = value else { return vec![String::new()] };
    let numbered = items.iter().enumerate();
    numbered.flat_map(|(index, item)| addresses(item).into_iter().map(move |rest| format!("/{index}{rest}"))).collect()
}

#[test]
fn rays_whose_truth_is_known() {
    let ray = |origin: Value, direction: Value| {
        json!({"query": "ray", "a": sphere(1.0, 3.0), "origin": origin, "direction": direction}).to_string()
    };
    let lines = [
        ray(json!([0, 0, 0]), json!([2, 0, 0])),
        ray(json!([3, 0, 0]), json!([0, 0, 1])),
        ray(json!([0, 0, 0]), json!([-1, 0, 0])),
        ray(json!([0, 0, 0]), json!([0, 0, 0])),
    ];
    let (answers, code) = ask(&lines.join("\n"));
    let [entering, leaving, missing, refused] = &answers[..] else { panic!("{answers:?}") };
    assert_eq!(entering["hit"], true);
    assert_close(&entering["t"], 1.0);
    assert_close(&entering["point"][0], 2.0);
    assert_close(&entering["normal"][0], -1.0);
    assert_eq!((&leaving["from_inside"], &entering["from_inside"]), (&json!(true), &json!(false)));
    assert_close(&leaving["point"][2], 1.0);
    assert_eq!(missing, &json!({"hit": false}));
    assert_eq!((&refused["error"]["field"], code), (&json!("direction"), Some(2)));
}

/// A line that is answered, with one piece replaced.
fn spoilt(piece: &str, replacement: &str) -> String {
    let line = r#"{"query":"distance","a":{"type":"superovoid","radii":[1,2,3],"exponents":[0.8,1],"taper":[0.1,0.1]},"b":{"type":"triangle","points":[[9,0,0],[9,1,0],[9,0,1]],"position":[0,0,0],"orientation":[0,0,0,1]},"options":{"method":"default","tolerance":1e-9,"max_iterations":100}}"#;
    assert!(line.contains(piece), "{piece}");
    line.replacen(piece, replacement, 1)
}

#[test]
fn every_refusal_names_its_field() {
    let cases = [
        (spoilt("0.8", "2.5"), "invalid_input", "a.exponents[0]", "2.5 is outside ]0, 2["),
        (spoilt("[1,2,3]", "[1,-2,3]"), "invalid_input", "a.radii[1]", "-2 is outside [1e-60, 1e60]"),
        (spoilt("[1,2,3]", "[1,2]"), "invalid_input", "a.radii", "expected a list of 3 numbers, found 2 values"),
        (spoilt("[1,2,3]", "[1,2,\"3\"]"), "invalid_input", "a.radii[2]", "expected a number, found a string"),
        (spoilt("[1,2,3]", "[1,2,null]"), "invalid_input", "a.radii[2]", "expected a number, found null"),
        (spoilt("[1,2,3]", "7"), "invalid_input", "a.radii", "expected a list of 3 numbers, found a number"),
        (spoilt("[1,2,3]", "[1,2,1e999]"), "invalid_input", "a.radii[2]", "the number is too large for f64"),
        (spoilt("[1,2,3]", "[1,2,NaN]"), "parse", "a.radii[2]", "expected value at column"),
        (spoilt("[0.1,0.1]", "[0.1,1]"), "invalid_input", "a.taper[1]", "1 is outside ]-1, 1["),
        (spoilt("\"taper\":[0.1,0.1]", "\"tapper\":[0,0]"), "invalid_input", "a.tapper", "did you mean `taper`?"),
        (spoilt(",\"taper\":[0.1,0.1]", ""), "invalid_input", "a.taper", "missing"),
        (spoilt("\"radii\"", "\"exponents\":[1,1],\"radii\""), "invalid_input", "a.exponents", "comes twice"),
        (spoilt("superovoid", "mesh"), "invalid_input", "a.radii", "a mesh has no such field"),
        (spoilt("superovoid", "supertoroid"), "invalid_input", "a.taper", "a supertoroid has no such field"),
        (
            spoilt("\"taper\":[0.1,0.1]", "\"hole\":1").replace("superovoid", "supertoroid"),
            "invalid_input",
            "a.hole",
            "]1, 1000]",
        ),
        (
            spoilt("\"taper\":[0.1,0.1]", "\"height\":0").replace("superovoid", "superhyperboloid1"),
            "invalid_input",
            "a.height",
            "0 is outside",
        ),
        (spoilt("superovoid", "superellipsoid"), "invalid_input", "a.taper", "a superellipsoid has no such field"),
        (spoilt("superovoid", "superovid"), "invalid_input", "a.type", "did you mean `superovoid`?"),
        (spoilt("\"superovoid\"", "5"), "invalid_input", "a.type", "expected a string, found a number"),
        (spoilt("[9,1,0]", "[9,1,true]"), "invalid_input", "b.points[1][2]", "expected a number, found a boolean"),
        (spoilt("[9,1,0],", ""), "invalid_input", "b.points", "expected a list of 3 points, found 2 values"),
        (spoilt("[0,0,0,1]", "[0,0,0,0]"), "invalid_input", "b.orientation", "non-zero quaternion"),
        (spoilt("[0,0,0,1]", "[0,0,1]"), "invalid_input", "b.orientation", "expected a list of 4 numbers"),
        (spoilt("\"distance\"", "\"time_of_impact\""), "invalid_input", "horizon", "missing"),
        (spoilt("\"distance\"", "\"distanse\""), "invalid_input", "query", "did you mean `distance`?"),
        (spoilt("\"query\":\"distance\",", ""), "invalid_input", "query", "missing"),
        (spoilt("\"query\"", "\"unit\":1,\"query\""), "invalid_input", "unit", "a distance query has no such field"),
        (
            spoilt("\"default\"", "\"sqp\"").replacen("distance", "gradient", 1),
            "unsupported",
            "options.method",
            "available: default",
        ),
        (spoilt("\"default\"", "\"sqq\""), "invalid_input", "options.method", "did you mean `sqp`?"),
        (spoilt("100}", "100,\"trace\":true}"), "invalid_input", "options.trace", "the options of the default method"),
        (
            spoilt("\"default\"", "\"sqp\",\"constraints\":\"z\""),
            "invalid_input",
            "options.constraints",
            "known are a, b",
        ),
        (spoilt("\"default\"", "\"sqp\",\"trace\":1"), "invalid_input", "options.trace", "expected true or false"),
        (spoilt("\"default\"", "\"magic\""), "invalid_input", "options.method", "`magic` is unknown"),
        (spoilt("1e-9", "-1"), "invalid_input", "options.tolerance", "-1 is outside"),
        (spoilt("100", "0.5"), "invalid_input", "options.max_iterations", "0.5 is not a whole number"),
        (spoilt("{\"method\"", "[{\"method\"").replace("100}", "100}]"), "invalid_input", "options", "found a list"),
    ];
    let lines: Vec<&str> = cases.iter().map(|(line, ..)| line.as_str()).collect();
    let (answers, code) = ask(&lines.join("\n"));
    assert_eq!((answers.len(), code), (cases.len(), Some(2)));
    for (index, ((line, kind, field, message), answer)) in cases.iter().zip(answers).enumerate() {
        let error = &answer["error"];
        assert_eq!((&error["kind"], &error["field"]), (&json!(kind), &json!(field)), "{line}\n{answer}");
        assert!(error["message"].as_str().unwrap().contains(message), "{line}\n{answer}");
        assert_eq!(error["line"], json!(index + 1));
    }
    assert_eq!(ask(&spoilt("100", "100")).1, Some(0), "the line itself is sound");
}

#[test]
fn a_line_that_is_refused_as_a_whole_has_no_field() {
    let plane = r#"{"type":"plane","normal":[0,0,1],"offset":0}"#;
    let cases = [
        ("[1]", "invalid_input", "expected an object, found a list"),
        ("nonsense", "parse", "expected ident at column 2"),
        ("{", "parse", "EOF while parsing an object at column 1"),
        (
            &spoilt("\"default\"", "\"sqp\""),
            "unsupported",
            "distance by sqp is not defined between a superovoid and a triangle",
        ),
        (&format!(r#"{{"query":"distance","a":{plane},"b":{plane}}}"#), "unsupported", "between a plane and a plane"),
    ];
    let (answers, code) = ask(&cases.map(|(line, ..)| line).join("\n"));
    assert_eq!((answers.len(), code), (cases.len(), Some(2)));
    for ((line, kind, message), answer) in cases.iter().zip(answers) {
        let error = &answer["error"];
        assert_eq!((&error["kind"], &error["field"]), (&json!(kind), &Value::Null), "{line}\n{answer}");
        assert!(error["message"].as_str().unwrap().contains(message), "{line}\n{answer}");
    }
}

/// A query whose answer, `offset + 1`, tells where in the input it came from.
fn numbered(offset: usize) -> String {
    let a = r#"{"type":"superellipsoid","radii":[1,1,1],"exponents":[1,1]}"#;
    format!("{{\"query\":\"distance\",\"a\":{a},\"b\":{{\"type\":\"point\",\"position\":[{},0,0]}}}}\n", offset + 2)
}

#[test]
fn a_hundred_thousand_lines_keep_their_order() {
    let refused_at = |number: usize| number % 1000 == 7;
    let input: String =
        (0..100_000).map(|number| if refused_at(number) { "{\n".to_owned() } else { numbered(number) }).collect();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &input).unwrap();

    let Ran { code, out, err } = run(superegg(&["query", file.path().to_str().unwrap()]), "");
    assert_eq!((code, err.as_str()), (Some(2), "superegg: 100 of 100000 queries refused, the first on line 8\n"));
    assert_eq!(out.lines().count(), 100_000);
    for (number, line) in out.lines().enumerate() {
        let answer: Value = serde_json::from_str(line).unwrap();
        if refused_at(number) {
            assert_eq!(answer["error"]["line"], json!(number + 1));
        } else {
            assert_close(&answer["distance"], number as f64 + 1.0);
        }
    }

    for threads in ["1", "3", "16"] {
        let mut command = superegg(&["query", "-"]);
        command.env("RAYON_NUM_THREADS", threads);
        assert!(run(command, input.as_str()).out == out, "other bits on {threads} threads");
    }
}

#[test]
fn blank_lines_are_skipped_but_counted() {
    let (answers, code) = ask("\n \t\r\n{}\n\n[]\r\n\n");
    let lines: Vec<&Value> = answers.iter().map(|answer| &answer["error"]["line"]).collect();
    assert_eq!((lines, code), (vec![&json!(3), &json!(5)], Some(2)));
    assert_eq!(ask(""), (vec![], Some(0)));
}

#[test]
fn unreadable_files_exit_with_1() {
    let directory = tempfile::tempdir().unwrap();
    for path in [directory.path().to_path_buf(), directory.path().join("missing.jsonl")] {
        let path = path.to_str().unwrap();
        let Ran { code, out, err } = run(superegg(&["query", path]), "");
        assert_eq!((code, out.as_str()), (Some(1), ""));
        assert!(err.starts_with(&format!("superegg: cannot read {path}: ")), "{err}");
    }
}

#[test]
fn a_closed_pipe_ends_it_quietly() {
    let mut command = superegg(&["query"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // Endless input: only the closed output ends the program.
    let writer = thread::spawn(move || (0..).find(|&number| stdin.write_all(numbered(number).as_bytes()).is_err()));
    let mut answers = BufReader::new(child.stdout.take().unwrap());
    let mut first = String::new();
    answers.read_line(&mut first).unwrap();
    assert!(first.contains("distance"), "{first}");
    drop(answers);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(writer.join().unwrap().is_some());
    let mut complaints = String::new();
    child.stderr.take().unwrap().read_to_string(&mut complaints).unwrap();
    assert_eq!(complaints, "");
}

/// The largest amount of memory the program has held so far, in KiB.
#[cfg(target_os = "linux")]
fn peak_memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Feeds so many lines and returns the peak memory, in KiB, after the first tenth of them and after all.
#[cfg(target_os = "linux")]
fn memory_for(lines: usize) -> (u64, u64) {
    let mut child = superegg(&["query"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let (finish, wait) = std::sync::mpsc::channel::<()>();
    let writer = thread::spawn(move || {
        for number in 0..lines {
            stdin.write_all(numbered(number).as_bytes()).unwrap();
        }
        // The input stays open while the memory is measured.
        wait.recv().unwrap();
    });
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut answered = |count: usize| {
        for _ in 0..count {
            assert!(answers.next().unwrap().unwrap().contains("\"distance\""));
        }
        peak_memory(child.id())
    };
    let (early, late) = (answered(lines / 10), answered(lines - lines / 10));
    finish.send(()).unwrap();
    writer.join().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    println!("{lines} lines: peak memory {early} KiB after a tenth of them, {late} KiB in the end");
    (early, late)
}

/// What the queues and the allocator may still take after the first tenth of the lines, in KiB.
#[cfg(target_os = "linux")]
const SETTLING: u64 = 4096;

#[test]
#[cfg(target_os = "linux")]
fn memory_stays_constant() {
    let (early, late) = memory_for(100_000);
    assert!(late < early + SETTLING && late < 64 * 1024, "{early} KiB, then {late} KiB");
}

#[test]
#[cfg(target_os = "linux")]
#[ignore = "a million lines: run by `cargo xtask long`"]
fn a_million_lines_run_in_constant_memory() {
    let (early, late) = memory_for(1_000_000);
    assert!(late < early + SETTLING && late < 64 * 1024, "{early} KiB, then {late} KiB");
}

/// Every method of the format answers the same pair, and says how.
#[test]
fn published_schemes_answer_by_name() {
    let pair = r#""a":{"type":"superellipsoid","radii":[1,1,1],"exponents":[0.8,0.9]},"b":{"type":"superovoid","radii":[1,1,1],"exponents":[0.9,1],"taper":[0.2,0.2],"position":[0.4,2.6,0.3]}"#;
    let methods = [
        "default",
        "quad_implicit",
        "quad_parametric",
        "ntb_parametric",
        "oct_implicit",
        "interior_point",
        "sqp",
        "mesh",
    ];
    let lines: Vec<String> = methods
        .iter()
        .map(|method| format!(r#"{{"query":"distance",{pair},"options":{{"method":"{method}"}}}}"#))
        .collect();
    let (answers, code) = ask(&lines.join("\n"));
    assert_eq!(code, Some(0));
    let truth = answers[0]["distance"].as_f64().unwrap();
    for (method, answer) in methods.iter().zip(&answers) {
        assert_eq!(answer["status"], json!("separated"), "{method}: {answer}");
        let error = (answer["distance"].as_f64().unwrap() - truth).abs();
        assert!(error < if *method == "mesh" { 0.05 } else { 1e-6 }, "{method}: {answer}");
        assert_eq!(answer["lower"].is_null(), *method != "default", "{method}: {answer}");
    }
    let point = r#"{"query":"distance","a":{"type":"superellipsoid","radii":[1,1,1],"exponents":[0.8,0.9]},"b":{"type":"point","position":[0,1.5,0.3]},"options":{"method":"geometric"}}"#;
    let (answers, code) = ask(&[point, &point.replace(r#""method":"geometric""#, "")].join("\n"));
    assert_eq!(code, Some(0));
    let [one, other] = [0, 1].map(|index| answers[index]["distance"].as_f64().unwrap());
    assert!((one - other).abs() < 1e-3);
}

#[test]
fn a_trace_shows_cells_and_iterates() {
    let line = r#"{"query":"distance","a":{"type":"superellipsoid","radii":[1,1,1],"exponents":[0.8,0.9]},"b":{"type":"superellipsoid","radii":[1,1,1],"exponents":[0.9,1],"position":[0.4,2.6,0.3]},"options":{"method":"quad_implicit","trace":true}}"#;
    let (answers, code) = ask(line);
    assert_eq!(code, Some(0));
    let trace = &answers[0]["trace"];
    assert_eq!(trace["cells"].as_array().unwrap().len(), 12, "six levels, two bodies: {trace}");
    let iterates = trace["iterates"].as_array().unwrap();
    assert_eq!(iterates.len() as u64, answers[0]["iterations"].as_u64().unwrap());
    assert!(iterates[iterates.len() - 1]["residual"].as_f64().unwrap() < 1e-5);
}

#[test]
fn further_superquadrics_have_distances_to_all_and_intersections() {
    let ring = r#"{"type":"supertoroid","radii":[0.5,0.5,0.5],"exponents":[1,1],"hole":3}"#;
    let ball = r#"{"type":"superellipsoid","radii":[0.4,0.4,0.4],"exponents":[1,1],"position":[0.2,0,0]}"#;
    let lines = [
        format!(r#"{{"query":"distance","a":{ring},"b":{ball}}}"#),
        format!(
            r#"{{"query":"distance","a":{ring},"b":{{"type":"superhyperboloid2","radii":[1,1,1],"exponents":[1,1],"height":2,"position":[0,0,4]}}}}"#
        ),
        format!(r#"{{"query":"intersect","a":{ring},"b":{ball}}}"#),
        format!(r#"{{"query":"intersect","a":{ring},"b":{{"type":"point","position":[1.5,0,0.2]}}}}"#),
        format!(r#"{{"query":"distance","a":{{"type":"point","position":[0,0,2]}},"b":{ring}}}"#),
        format!(r#"{{"query":"distance","a":{ring},"b":{{"type":"plane","normal":[0,0,1],"offset":-0.3}}}}"#),
        format!(r#"{{"query":"distance","a":{ring},"b":{{"type":"segment","points":[[0.2,0,-2],[0.2,0,2]]}}}}"#),
        format!(
            r#"{{"query":"distance","a":{ring},"b":{{"type":"triangle","points":[[1.5,0,0.7],[2,0,3],[1,0,3]]}}}}"#
        ),
        format!(r#"{{"query":"ray","a":{ring},"origin":[0,0,5],"direction":[0,0,-1]}}"#),
        format!(r#"{{"query":"gradient","a":{ring},"b":{ball}}}"#),
    ];
    let (answers, code) = ask(&lines.join("\n"));
    assert_eq!(code, Some(2));
    assert!((answers[0]["distance"].as_f64().unwrap() - 0.4).abs() < 1e-6, "{}", answers[0]);
    assert_eq!(answers[1]["status"], json!("separated"), "{}", answers[1]);
    assert_eq!((&answers[2]["intersect"], &answers[3]["intersect"]), (&json!(false), &json!(true)));
    // Centre line of radius 1.5, tube of radius 0.5.
    for (answer, exact) in answers[4..8].iter().zip([2.5 - 0.5, -0.2, 0.8, 0.2]) {
        assert!((answer["distance"].as_f64().unwrap() - exact).abs() < 1e-8, "{answer}");
        let [lower, upper] = ["lower", "upper"].map(|name| answer[name].as_f64().expect("bounded"));
        assert!(lower <= exact + 1e-12 && exact <= upper + 1e-12, "{answer}");
    }
    assert_eq!(answers[8], json!({"hit": false}), "through the hole");
    assert_eq!(answers[9]["error"]["field"], json!("a.type"), "{}", answers[9]);
}
