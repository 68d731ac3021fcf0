//! The documentation holds: every command in it is run and its output compared, every link in it leads somewhere.

mod program;

use std::fs;
use std::path::{Path, PathBuf};

use program::{Ran, run, superegg};
use serde_json::Value;

/// The Markdown files of the project and their texts.
fn pages() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = [root.clone(), root.join("docs")];
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path());
    let pages = files.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages.map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

/// The contents of the code blocks with this tag.
fn blocks<'t>(text: &'t str, tag: &str) -> Vec<&'t str> {
    let start = format!("\n```{tag}\n");
    text.split(&start).skip(1).map(|rest| rest.split_once("\n```").expect("the block ends").0).collect()
}

/// Equal but for rounding in the last shown digits and for the number of iterations.
fn alike(found: &Value, shown: &Value) -> bool {
    match (found, shown) {
        (Value::Number(found), Value::Number(shown)) => {
            let (found, shown) = (found.as_f64().unwrap(), shown.as_f64().unwrap());
            (found - shown).abs() <= 1e-6 * shown.abs().max(1.0)
        }
        (Value::Array(found), Value::Array(shown)) => {
            found.len() == shown.len() && found.iter().zip(shown).all(|(found, shown)| alike(found, shown))
        }
        (Value::Object(found), Value::Object(shown)) => {
            found.keys().eq(shown.keys())
                && shown.iter().all(|(name, value)| name == "iterations" || alike(&found[name], value))
        }
        _ => found == shown,
    }
}

#[test]
fn shown_answers_are_true() {
    let mut checked = 0;
    for (path, text) in pages() {
        for block in blocks(&text, "console") {
            let lines = block.strip_prefix("$ superegg query <<'END'\n").expect("a command this test can run");
            let (queries, shown) = lines.split_once("\nEND\n").expect("a here-document");
            let Ran { code, out, err } = run(superegg(&["query"]), queries);
            let refused = shown.lines().any(|line| line.starts_with("{\"error\""));
            assert_eq!(code, Some(if refused { 2 } else { 0 }), "{}: {err}", path.display());
            assert_eq!(out.lines().count(), shown.lines().count(), "{}\n{out}", path.display());
            for (found, shown) in out.lines().zip(shown.lines()) {
                let [found_value, shown_value] = [found, shown].map(|line| serde_json::from_str(line).unwrap());
                assert!(alike(&found_value, &shown_value), "{}:\n{found}\ninstead of\n{shown}", path.display());
                checked += 1;
            }
        }
    }
    assert!(checked >= 5, "only {checked} answers found");
}

#[test]
fn links_lead_somewhere() {
    let mut checked = 0;
    for (path, text) in pages() {
        for piece in text.split("](").skip(1) {
            let target = piece.split(')').next().unwrap();
            if !target.contains("://") {
                let file = path.parent().unwrap().join(target.split('#').next().unwrap());
                assert!(file.exists(), "{} links to {target}", path.display());
                checked += 1;
            }
        }
    }
    assert!(checked >= 10, "only {checked} links found");
}
