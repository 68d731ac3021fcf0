//! `superegg bench` as a user runs it: what it prints and what it leaves behind.

mod program;

use program::{Ran, run, superegg};

#[test]
fn a_suite_prints_its_tables_and_writes_a_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("report");
    let path = out.to_str().expect("UTF-8");
    let Ran { code, out: printed, err } = run(superegg(&["bench", "optimisation", "--quick", "--out", path]), "");
    assert_eq!(code, Some(0), "{err}");
    let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(read("report.md"), printed);
    let html = read("report.html");
    assert!(html.contains("<table>") && html.contains("<svg") && html.contains("href=\"#optimisation-1\""));
    // Nothing is loaded from elsewhere.
    assert!(!html.contains("src=") && !html.contains("<script") && !html.contains("url("));
    let csv = read("optimisation-sets.csv");
    let mut lines = csv.lines();
    assert!(lines.next().expect("a head").starts_with("pairs,constraints,method,right %"));
    assert_eq!(lines.count(), 32, "eight sets, two methods, two kinds of pairs");
    assert!(read("optimisation-sets-apart.svg").contains("</svg>"));
}

#[test]
fn an_unknown_suite_is_refused() {
    let Ran { code, err, .. } = run(superegg(&["bench", "pairs"]), "");
    assert_eq!(code, Some(1));
    assert!(err.contains("pair"), "{err}");
}
