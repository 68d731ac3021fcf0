//! `superegg query` on input that nobody means well with: it answers every line that is not blank, and nothing worse.

mod program;

use std::ops::Range;

use program::{Ran, run, superegg};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;

/// Asserts that every line that is not blank gets exactly one answer, in the form of an answer or of an error.
fn assert_answered(input: &[u8]) -> Vec<Value> {
    let Ran { code, out, err } = run(superegg(&["query"]), input);
    let lines: Vec<&[u8]> = input.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).collect();
    let answers: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).expect("an answer is JSON")).collect();
    assert_eq!(answers.len(), lines.len(), "{err}");
    let refused = answers.iter().filter(|answer| answer.get("error").is_some()).count();
    assert_eq!(code, Some(if refused > 0 { 2 } else { 0 }), "{err}");
    for (line, answer) in lines.into_iter().zip(&answers) {
        assert!(is_sound(answer), "{}\n{answer}\n{err}", String::from_utf8_lossy(line));
    }
    answers
}

/// Whether every leaf is a number: what is not finite is written as null.
fn all_numbers(value: &Value) -> bool {
    match value {
        Value::Array(list) => list.iter().all(all_numbers),
        Value::Object(fields) => fields.values().all(all_numbers),
        leaf => leaf.is_number(),
    }
}

/// What holds for every answer, whatever the query.
fn is_sound(answer: &Value) -> bool {
    let number = |value: &Value| value.is_number();
    let vector = |value: &Value| value.as_array().is_some_and(|list| list.len() == 3 && list.iter().all(number));
    let unit = |value: &Value| {
        let squares = [0, 1, 2].map(|axis| value[axis].as_f64().map_or(f64::NAN, |component| component * component));
        (squares.iter().sum::<f64>() - 1.0).abs() < 1e-12
    };
    if let Some(error) = answer.get("error") {
        error["kind"] != "internal"
    } else if let Some(distance) = answer.get("distance") {
        let ordered = |low: &Value, high: &Value| low.is_null() || high.is_null() || low.as_f64() <= high.as_f64();
        number(distance)
            && unit(&answer["normal"])
            && vector(&answer["point_a"])
            && vector(&answer["point_b"])
            && ordered(&answer["lower"], distance)
            && ordered(distance, &answer["upper"])
            && answer.get("gradient").is_none_or(all_numbers)
    } else if answer["hit"] == true {
        number(&answer["t"]) && vector(&answer["point"]) && unit(&answer["normal"])
    } else {
        answer["hit"] == false || answer["intersect"].is_boolean()
    }
}

fn assert_refused(line: Vec<u8>, message: &str) {
    let answers = assert_answered(&[b"{}\n", &line[..], b"\n{}"].concat());
    let said = answers[1]["error"]["message"].as_str().expect("the line is refused");
    assert!(said.contains(message), "{said}");
    assert!(answers[1].to_string().len() < 1000, "the answer repeats the attack: {}", answers[1]);
}

#[test]
fn attacks_are_refused_in_few_words() {
    let repeated = |text: &str, count: usize| text.repeat(count).into_bytes();
    assert_refused(repeated("[", 500_000), "recursion limit exceeded");
    assert_refused(repeated(r#"{"a":"#, 100_000), "recursion limit exceeded");
    assert_refused(repeated(r#"{"query":"distance","a":"#, 40_000), "recursion limit exceeded");
    assert_refused(vec![b'x'; 50_000_000], "longer than 1048576 bytes");
    assert_refused(b"{\"query\":\"\xff\xfe\"}".to_vec(), "not UTF-8 text from byte 11 on");
    assert_refused(vec![0; 1000], "expected value at column 1");
    assert_refused(format!(r#"{{"query":"{}"}}"#, "x".repeat(1_000_000)).into_bytes(), "is unknown");
    assert_refused(format!(r#"{{"query":"distance","{}":1}}"#, "é".repeat(400_000)).into_bytes(), "no such field");
    let many: String = (0..80_000).map(|number| format!(r#","f{number}":0"#)).collect();
    assert_refused(format!(r#"{{"query":"distance"{many}}}"#).into_bytes(), "no such field");
    assert_refused(format!(r#"{{"query":"distance"{}}}"#, r#","a":0"#.repeat(100_000)).into_bytes(), "comes twice");
    let long = format!(r#"{{"query":"ray","a":{{"type":"point","points":[{}0]}}}}"#, "0,".repeat(500_000));
    assert_refused(long.into_bytes(), "expected a list of 1 points, found 500001 values");
    assert_refused(repeated("9", 1_000_000), "too large");
    assert_refused(repeated("1e", 1), "EOF");
    assert_refused(format!("1e{}", "9".repeat(1_000_000)).into_bytes(), "too large");
    assert_refused(format!("0.{}e-9", "9".repeat(1_000_000)).into_bytes(), "expected an object, found a number");
}

/// A number from a range, now and then as a hostile program might write it.
fn number(sound: Range<f64>) -> impl Strategy<Value = String> {
    let strange =
        ["0", "-0.0", "1", "2", "-1", "1e61", "-1e308", "1.7976931348623157e308", "0.50000000000000000000001"];
    let nonsense = ["-1e999", "null", "true", "\"1\"", "[]", "{}", "NaN", "", "--1", "01"];
    prop_oneof![
        200 => sound.prop_map(|x| x.to_string()),
        5 => prop::sample::select(strange.to_vec()).prop_map(str::to_owned),
        1 => prop::sample::select(nonsense.to_vec()).prop_map(str::to_owned),
    ]
}

fn list(sound: Range<f64>, count: usize) -> impl Strategy<Value = String> {
    vec(number(sound), count).prop_map(|numbers| format!("[{}]", numbers.join(",")))
}

/// A body that is often sound and sometimes anything else.
fn body() -> impl Strategy<Value = String> {
    let kinds = ["superellipsoid", "superovoid", "plane", "point", "segment", "triangle", "mesh", "supertoroid"];
    let numbers = (list(0.1..3.0, 3), list(0.05..1.95, 2), list(-0.9..0.9, 2), list(-3.0..3.0, 3), list(-1.0..1.0, 4));
    let sound = (prop::sample::select(kinds.to_vec()), numbers, number(-3.0..3.0));
    let sound = sound.prop_flat_map(|(kind, (radii, exponents, taper, position, orientation), offset)| {
        let vertices = match kind {
            "point" => 1,
            "segment" => 2,
            _ => 3,
        };
        vec(list(-3.0..3.0, 3), vertices).prop_map(move |points| {
            let own = match kind {
                "superellipsoid" => format!(r#""radii":{radii},"exponents":{exponents}"#),
                "superovoid" => format!(r#""radii":{radii},"exponents":{exponents},"taper":{taper}"#),
                "supertoroid" => format!(r#""radii":{radii},"exponents":{exponents},"hole":{offset}"#),
                "plane" => format!(r#""normal":{radii},"offset":{offset}"#),
                _ => format!(r#""points":[{}]"#, points.join(",")),
            };
            format!(r#"{{"type":"{kind}",{own},"position":{position},"orientation":{orientation}}}"#)
        })
    });
    prop_oneof![100 => sound, 1 => number(0.0..1.0)]
}

/// A query that is often sound, with a few of its bytes overwritten now and then.
fn query() -> impl Strategy<Value = Vec<u8>> {
    let pair = (prop::sample::select(vec!["distance", "intersect", "gradient"]), body(), body());
    let pair = pair.prop_map(|(query, a, b)| format!(r#"{{"query":"{query}","a":{a},"b":{b}}}"#));
    let ray = (body(), list(-3.0..3.0, 3), list(-3.0..3.0, 3));
    let ray = ray.prop_map(|(a, from, to)| format!(r#"{{"query":"ray","a":{a},"origin":{from},"direction":{to}}}"#));
    let damage = prop_oneof![4 => Just(vec![]), 1 => vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)];
    (prop_oneof![4 => pair, 1 => ray], damage).prop_map(|(line, damage)| {
        let mut line = line.into_bytes();
        for (place, byte) in damage {
            let place = place.index(line.len());
            line[place] = byte;
        }
        line
    })
}

proptest! {
    // A failure names its line, which is worth more than a long search for the shortest input.
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 50, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_are_answered_line_by_line(input in vec(any::<u8>(), 0..20_000)) {
        assert_answered(&input);
    }

    #[test]
    fn random_json_is_answered_line_by_line(pieces in vec("[\\[\\]{}\",:0-9eE.+\\-a-z \\\\\n]{0,12}", 0..2_000)) {
        assert_answered(pieces.concat().as_bytes());
    }

    #[test]
    fn damaged_queries_are_answered_line_by_line(lines in vec(query(), 0..400)) {
        assert_answered(&lines.join(&b'\n'));
    }
}
