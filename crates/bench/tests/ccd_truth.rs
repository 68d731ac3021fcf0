//! Continuous collision detection against published exact truth, read from the data beside the repository when it is
//! there: `SUPEREGG_SHARED` or `../shared`.

use std::path::{Path, PathBuf};

use superegg_io::ccd_queries::read_queries;
use superegg_mesh::ccd::elementary::{Margin, edge_edge_verdict, vertex_face_verdict};

fn ccd_data() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let shared = std::env::var_os("SUPEREGG_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
    let data = shared.join("data/ccd");
    if data.is_dir() {
        return Some(data);
    }
    eprintln!("skipped: no collision data at {}", data.display());
    None
}

fn csv_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries
        .flatten()
        .flat_map(|entry| if entry.path().is_dir() { csv_files(&entry.path()) } else { vec![entry.path()] })
        .filter(|path| path.extension().is_some_and(|e| e == "csv"))
        .collect();
    found.sort();
    found
}

#[test]
fn labelled_queries_have_no_false_negative() {
    let Some(data) = ccd_data() else { return };
    let files = csv_files(&data.join("queries"));
    assert!(!files.is_empty());
    for path in files {
        let edges = path.parent().is_some_and(|p| p.ends_with("edge-edge"));
        let mut false_positives = 0;
        let mut refined = 0;
        let queries = read_queries(&path).unwrap();
        for query in &queries {
            let test = if edges { edge_edge_verdict } else { vertex_face_verdict };
            let verdict = test(&query.start, &query.end, Margin::EXACT);
            let truth = query.truth.expect("a labelled file");
            assert!(verdict.time.is_some() || !truth, "{} line {}: false negative", path.display(), query.line);
            false_positives += usize::from(verdict.time.is_some() && !truth);
            refined += usize::from(verdict.refined);
        }
        println!("{}: {} queries, {false_positives} false positives, {refined} refined", path.display(), queries.len());
    }
}
