//! Continuous collision detection against published exact truth, read from the data beside the repository when it is
//! there: `SUPEREGG_SHARED` or `../shared`. Without it the tests are ignored, and listed as such.

use std::path::{Path, PathBuf};

use serde_json::Value;
use superegg_io::ccd_queries::read_queries;
use superegg_io::read_mesh;
use superegg_mesh::DVec3;
use superegg_mesh::ccd::elementary::{Margin, edge_edge_verdict, vertex_face_verdict};
use superegg_mesh::ccd::{Bounds, ContourTest, Culling, Detector, Options, Report};

fn ccd_data() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let shared = std::env::var_os("SUPEREGG_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
    shared.join("data/ccd")
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

/// How far a point is from a segment, at most.
fn to_segment(point: DVec3, [a, b]: [DVec3; 2]) -> f64 {
    let along = (point - a).dot(b - a) / (b - a).length_squared();
    point.distance(a.lerp(b, if along.is_finite() { along.clamp(0.0, 1.0) } else { 0.0 }))
}

/// How far four points at one moment, as a vertex and a face, are from each other at most: any two points tell.
fn vertex_face_distance([v, a, b, c]: [DVec3; 4]) -> f64 {
    let rim = [[a, b], [b, c], [c, a]].map(|side| to_segment(v, side)).into_iter().fold(f64::INFINITY, f64::min);
    let normal = (b - a).cross(c - a).normalize_or_zero();
    let inside = [[a, b], [b, c], [c, a]].iter().all(|[p, q]| (q - p).cross(v - p).dot(normal) >= 0.0);
    if inside && normal != DVec3::ZERO { rim.min((v - a).dot(normal).abs()) } else { rim }
}

/// The same as two edges.
fn edge_edge_distance([a, b, c, d]: [DVec3; 4]) -> f64 {
    let ends = [(a, [c, d]), (b, [c, d]), (c, [a, b]), (d, [a, b])].map(|(end, edge)| to_segment(end, edge));
    let normal = (b - a).cross(d - c);
    let across = |edge: DVec3| ((c - a).cross(edge).dot(normal) / normal.length_squared()).clamp(0.0, 1.0);
    let crossing = a.lerp(b, across(d - c)).distance(c.lerp(d, across(b - a)));
    // Parallel edges have no crossing; `min` passes over it.
    ends.into_iter().fold(crossing, f64::min)
}

#[test]
#[cfg_attr(not(ccd_data), ignore = "needs the collision data beside the repository")]
fn labelled_queries_have_no_false_negative_and_false_positives_only_within_the_stated_distance() {
    let data = ccd_data();
    let files = csv_files(&data.join("queries"));
    assert!(!files.is_empty());
    for path in files {
        let edges = path.parent().is_some_and(|p| p.ends_with("edge-edge"));
        let mut false_positives = 0;
        let mut farthest: f64 = 0.0;
        let mut refined = 0;
        let queries = read_queries(&path).unwrap();
        for query in &queries {
            let test = if edges { edge_edge_verdict } else { vertex_face_verdict };
            let verdict = test(&query.start, &query.end, Margin::EXACT);
            let truth = query.truth.expect("a labelled file");
            assert!(verdict.time.is_some() || !truth, "{} line {}: false negative", path.display(), query.line);
            refined += usize::from(verdict.refined);
            let Some(time) = verdict.time.filter(|_| !truth) else { continue };
            false_positives += 1;
            let all = [query.start, query.end].concat();
            let size = all.iter().flat_map(|p| all.iter().map(|q| p.distance(*q))).fold(0.0, f64::max);
            let then = std::array::from_fn(|i| query.start[i].lerp(query.end[i], time));
            let distance = if edges { edge_edge_distance(then) } else { vertex_face_distance(then) };
            assert!(distance <= 1e-12 * size, "{} line {}: {distance} apart", path.display(), query.line);
            farthest = farthest.max(distance / size);
        }
        println!(
            "{}: {} queries, {false_positives} false positives up to {farthest:.1e} of their size apart, {refined} refined",
            path.display(),
            queries.len()
        );
    }
}

/// The true collisions of a candidate file: pairs of box numbers.
fn true_pairs(folder: &Path, name: &str) -> Vec<[u32; 2]> {
    let read =
        |name: String| -> Vec<Value> { serde_json::from_slice(&std::fs::read(folder.join(name)).unwrap()).unwrap() };
    let pairs = read(format!("{name}.json"));
    let truth = read(format!("{name}_mma_bool.json"));
    assert_eq!(pairs.len(), truth.len());
    let number = |pair: &Value, i: usize| pair[i].as_u64().unwrap() as u32;
    let true_ones = pairs.iter().zip(&truth).filter(|(_, truth)| truth.as_bool().unwrap());
    true_ones.map(|(pair, _)| [number(pair, 0), number(pair, 1)]).collect()
}

fn pairs_of(detector: &Detector, report: &Report) -> (Vec<[u32; 2]>, Vec<[u32; 2]>) {
    let topology = detector.topology();
    let vertices = topology.vertex_count() as u32;
    let edges = topology.edges().len() as u32;
    let box_of_edge = |[a, b]: [u32; 2]| vertices + topology.edge_between(a, b).unwrap();
    let mut vf: Vec<[u32; 2]> =
        report.vertex_face.iter().map(|hit| [hit.vertex, vertices + edges + hit.face]).collect();
    let mut ee: Vec<[u32; 2]> = report
        .edge_edge
        .iter()
        .map(|hit| {
            let [a, b] = hit.edges.map(box_of_edge);
            [a.min(b), a.max(b)]
        })
        .collect();
    vf.sort_unstable();
    ee.sort_unstable();
    (vf, ee)
}

/// Checks that the cloth-ball frames have exactly the true collisions under each of these cullings.
fn check_cloth_ball(cullings: &[Culling]) {
    let data = ccd_data();
    let folder = data.join("cloth-ball");
    let [first, second] = ["cloth_ball92.ply", "cloth_ball93.ply"].map(|name| read_mesh(&folder.join(name)).unwrap());
    let [mut vf, mut ee] = ["92vf", "92ee"].map(|name| true_pairs(&folder, name));
    vf.iter_mut().chain(&mut ee).for_each(|pair| pair.sort_unstable());
    vf.sort_unstable();
    ee.sort_unstable();
    assert_eq!((vf.len(), ee.len()), (19_032, 94_822));
    for &culling in cullings {
        let mut detector = Detector::new(&first, Options { culling, ..Options::default() });
        let report = detector.detect(first.positions(), second.positions()).unwrap();
        let found = pairs_of(&detector, &report);
        println!("{culling:?}\n{:?}", report.stats);
        println!(
            "orphans {} memory {:?} a triangle",
            detector.orphans().len(),
            detector.memory().total / first.triangles().len()
        );
        let missed = vf.iter().filter(|pair| found.0.binary_search(pair).is_err()).count()
            + ee.iter().filter(|pair| found.1.binary_search(pair).is_err()).count();
        assert_eq!(missed, 0, "false negatives");
        assert_eq!(found.0.len() + found.1.len(), vf.len() + ee.len(), "false positives");
    }
}

#[test]
#[cfg_attr(not(ccd_data), ignore = "needs the collision data beside the repository")]
fn cloth_ball_has_exactly_the_true_collisions() {
    check_cloth_ball(&[Culling::ALL, Culling::BASE]);
}

#[test]
#[ignore = "a minute: run by `cargo xtask long`"]
fn cloth_ball_has_exactly_the_true_collisions_without_each_culling() {
    let all = Culling::ALL;
    check_cloth_ball(&[
        Culling { bounds: Bounds::SweptBoxes, ..all },
        Culling { bounds: Bounds::Swept18Dops, ..all },
        Culling { two_level: false, ..all },
        Culling { normal_cones: false, ..all },
        Culling { contour: ContourTest { boxes: false, ..ContourTest::ALL }, ..all },
        Culling { contour: ContourTest { reuse_projections: false, ..ContourTest::ALL }, ..all },
        Culling { contour: ContourTest { remember_crossings: false, ..ContourTest::ALL }, ..all },
        Culling { orphans: false, ..all },
        Culling { representatives: false, ..all },
        Culling { feature_bounds: false, ..all },
    ]);
}
