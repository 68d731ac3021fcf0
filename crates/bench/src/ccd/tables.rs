//! The measured rows as sections of a report, beside the paper's own numbers.

use super::{Elementary, Row, Version, measure_elementary};
use crate::Table;
use crate::report::{Axis, Plot, Section, Series};

/// The paper's numbers for a kind of scene; none where it gives none.
struct Published {
    scene: &'static str,
    triangles: f64,
    adjacent_pairs: Option<&'static str>,
    orphans: Option<&'static str>,
    query_ms: f64,
    speed_up: f64,
    /// Thousands of elementary tests a frame: base version, then all culling.
    tests: [f64; 2],
}

/// Tables I, II and III of the paper, measured on an Intel Pentium 4 of 2.66 GHz.
const PUBLISHED: [Published; 6] = [
    published("cloth", 92e3, Some(("564K", "4.8K")), 290.0, 9.0, [7522.0, 216.0]),
    published("princess", 40e3, Some(("269K", "2K")), 45.0, 8.8, [932.0, 14.0]),
    published("flamenco", 49e3, Some(("291K", "10.8K")), 185.0, 9.4, [1125.0, 16.0]),
    published("balls", 34e3, Some(("198K", "200")), 89.0, 14.6, [3359.0, 188.0]),
    published("letters", 5e3, Some(("29K", "114")), 9.4, 12.6, [340.0, 8.0]),
    published("dragon", 253e3, None, 878.0, 21.4, [16199.0, 981.0]),
];

const fn published(
    scene: &'static str,
    triangles: f64,
    pairs: Option<(&'static str, &'static str)>,
    query_ms: f64,
    speed_up: f64,
    tests: [f64; 2],
) -> Published {
    let (adjacent_pairs, orphans) = match pairs {
        Some((adjacent, orphans)) => (Some(adjacent), Some(orphans)),
        None => (None, None),
    };
    Published { scene, triangles, adjacent_pairs, orphans, query_ms, speed_up, tests }
}

/// The paper's numbers for a measured scene; its cloth is that of the published frames.
fn published_for(row: &Row) -> Option<&'static Published> {
    PUBLISHED.iter().find(|paper| row.scene == paper.scene || row.scene == "UNC cloth-ball" && paper.scene == "cloth")
}

/// What the row of the paper's numbers is called.
fn theirs(row: &Row) -> String {
    format!("{}, the paper", row.scene)
}

/// All sections; `shared` are milliseconds of a query on one thread and on two.
pub(super) fn sections(rows: &[Row], shared: Option<[f64; 2]>) -> Vec<Section> {
    let mut sections = vec![
        orphan_sets(rows),
        query_times(rows),
        elementary_tests(rows),
        culling(rows),
        contours(rows),
        single_tests(),
    ];
    sections.extend(shared.map(threads));
    sections
}

fn threads([one, two]: [f64; 2]) -> Section {
    let mut table = Table::new(&["scene", "one thread ms", "two threads ms", "times as fast"]);
    let scene = "UNC cloth-ball, all collisions".to_owned();
    table.push(cells([scene, format!("{one:.1}"), format!("{two:.1}"), format!("{:.2}", one / two)]));
    Section {
        title: "Threads".into(),
        text: "By the clock on the wall, best of nine in turn. Both find the same collisions at the same times.".into(),
        tables: vec![("threads".into(), table)],
        plots: Vec::new(),
    }
}

/// Thousands, as the paper counts.
fn thousands(count: f64) -> String {
    if count >= 10_000.0 { format!("{:.0}K", count / 1e3) } else { format!("{count:.0}") }
}

fn percent(part: f64) -> String {
    format!("{:.2} %", 100.0 * part)
}

fn cells<const K: usize>(cells: [String; K]) -> [String; K] {
    cells
}

fn nothing() -> String {
    "–".to_owned()
}

fn orphan_sets(rows: &[Row]) -> Section {
    let mut table =
        Table::new(&["scene", "triangles", "adjacent pairs", "their tests at 4 or 9 a pair, about", "orphan pairs"]);
    for row in rows {
        table.push(cells([
            row.scene.clone(),
            thousands(row.triangles as f64),
            thousands(row.adjacent_pairs as f64),
            thousands(7.8 * row.adjacent_pairs as f64),
            row.orphans.to_string(),
        ]));
        if let Some(paper) = published_for(row)
            && let (Some(adjacent), Some(orphans)) = (paper.adjacent_pairs, paper.orphans)
        {
            let triangles = thousands(paper.triangles);
            table.push_published(cells([theirs(row), triangles, adjacent.into(), nothing(), orphans.into()]));
        }
    }
    Section {
        title: "Orphan sets (table I of the paper)".into(),
        text: "Pairs of features that only adjacent triangles have in common.".into(),
        tables: vec![("orphans".into(), table)],
        plots: Vec::new(),
    }
}

/// An axis with a place for each scene.
fn scenes(rows: &[Row]) -> Axis {
    Axis::named(rows.iter().map(|row| row.scene.as_str()))
}

/// A dot for each scene that has a value.
fn dots(name: &str, rows: &[Row], value: impl Fn(&Row) -> Option<f64>) -> Series {
    let points = (0..).zip(rows).filter_map(|(place, row)| Some((value(row)?, f64::from(place)))).collect();
    Series { name: name.into(), points, published: false }
}

fn query_times(rows: &[Row]) -> Section {
    let mut table = Table::new(&[
        "scene",
        "triangles",
        "collisions",
        "base ms",
        "ours ms",
        "speed-up",
        "first contact ms",
        "plain pipeline ms",
        "speed-up over it",
        "it finds",
        "update",
        "change ms",
        "bytes a triangle",
    ]);
    for row in rows {
        table.push(cells([
            row.scene.clone(),
            thousands(row.triangles as f64),
            format!("{:.0}", row.collisions),
            format!("{:.1}", row.base.query_ms),
            format!("{:.1}", row.ours.query_ms),
            format!("{:.1}x", row.base.query_ms / row.ours.query_ms),
            format!("{:.1}", row.first.query_ms),
            format!("{:.1}", row.plain.query_ms),
            format!("{:.1}x", row.plain.query_ms / row.ours.query_ms),
            format!("{:.0}", row.plain_collisions),
            format!("{:.0} %", 100.0 * row.ours.update_part),
            row.ours.change_ms.map_or_else(nothing, |ms| format!("{ms:.1}")),
            format!("{:.0}", row.bytes_per_triangle),
        ]));
        if let Some(paper) = published_for(row) {
            let mut cells: Vec<String> = std::iter::repeat_with(nothing).take(13).collect();
            cells[0] = theirs(row);
            cells[1] = thousands(paper.triangles);
            cells[4] = format!("{:.1}", paper.query_ms);
            cells[5] = format!("{:.1}x", paper.speed_up);
            table.push_published(cells);
        }
    }
    let plot = Plot {
        name: "query-time".into(),
        title: "Time of a query".into(),
        x: Axis::log("milliseconds"),
        y: scenes(rows),
        series: vec![
            dots("base version", rows, |row| Some(row.base.query_ms)),
            dots("plain pipeline", rows, |row| Some(row.plain.query_ms)),
            dots("all culling", rows, |row| Some(row.ours.query_ms)),
            Series {
                published: true,
                ..dots("the paper, full size", rows, |row| published_for(row).map(|paper| paper.query_ms))
            },
        ],
    };
    Section {
        title: "Query time (table II)".into(),
        text:
            "One thread, one run, by processor time, best of three (of one for the base version in a quick run); every version found the same collisions, but the \
               plain pipeline may miss or invent some. Update: the part that fits bounds anew. Change: to follow a change of topology, where there is one."
                .into(),
        tables: vec![("query-time".into(), table)],
        plots: vec![plot],
    }
}

fn elementary_tests(rows: &[Row]) -> Section {
    let mut table = Table::new(&["scene", "base", "ours", "ours of base", "decided by the slow search"]);
    for row in rows {
        table.push(cells([
            row.scene.clone(),
            thousands(row.base.elementary_tests),
            thousands(row.ours.elementary_tests),
            percent(row.ours.elementary_tests / row.base.elementary_tests.max(1.0)),
            format!("{:.0}", row.ours.refined_tests),
        ]));
        if let Some(Published { tests: [base, ours], .. }) = published_for(row) {
            let [all, some] = [base, ours].map(|count| thousands(1e3 * count));
            table.push_published(cells([theirs(row), all, some, percent(ours / base), nothing()]));
        }
    }
    Section {
        title: "Elementary tests a frame (table III)".into(),
        text: String::new(),
        tables: vec![("elementary-tests".into(), table)],
        plots: Vec::new(),
    }
}

/// Elementary tests with high-level, low-level and all culling, as parts of the base version's.
fn remaining(row: &Row) -> [f64; 3] {
    [&row.high_level, &row.low_level, &row.ours]
        .map(|version| version.elementary_tests / row.base.elementary_tests.max(1.0))
}

const LEVELS: [&str; 3] = ["high-level culling", "low-level culling", "all, with bounds in motion"];

fn culling(rows: &[Row]) -> Section {
    let mut table = Table::new(&["scene", LEVELS[0], LEVELS[1], LEVELS[2]]);
    for row in rows {
        let [high, low, all] = remaining(row).map(percent);
        table.push(cells([row.scene.clone(), high, low, all]));
    }
    let plot = Plot {
        name: "culling".into(),
        title: "Elementary tests that remain of the base version's".into(),
        x: Axis::log("%"),
        y: scenes(rows),
        series: (0..LEVELS.len())
            .map(|level| dots(LEVELS[level], rows, |row| Some(100.0 * remaining(row)[level])))
            .collect(),
    };
    Section {
        title: "Culling (figure 15)".into(),
        text:
            "Elementary tests of the base version that remain: with normal cones and contour tests; with orphan sets, \
               representative triangles and feature bounds; with all of it and bounds in motion."
                .into(),
        tables: vec![("culling".into(), table)],
        plots: vec![plot],
    }
}

fn contours(rows: &[Row]) -> Section {
    let mut table = Table::new(&[
        "scene",
        "all three",
        "without boxes",
        "without reused projections",
        "without remembered crossings",
    ]);
    for row in rows {
        let all = &row.ours;
        let told = |version: &Version| format!("{:.1} ms, {:.0} tests", version.query_ms, version.contour_tests);
        let [boxes, projections, crossings] = &row.slower_contours;
        table.push(cells([row.scene.clone(), told(all), told(boxes), told(projections), told(crossings)]));
    }
    Section {
        title: "Accelerations of the contour test".into(),
        text: "Time of the whole query and contour tests made, with one of the three switched off.".into(),
        tables: vec![("contour".into(), table)],
        plots: Vec::new(),
    }
}

fn single_tests() -> Section {
    let mut table = Table::new(&["test", "ours ns", "plain ns", "ratio", "colliding", "answers that differ"]);
    for Elementary { kind, ours_ns, plain_ns, colliding, disagreeing } in measure_elementary() {
        table.push(cells([
            kind.to_owned(),
            format!("{ours_ns:.0}"),
            format!("{plain_ns:.0}"),
            format!("{:.2}", ours_ns / plain_ns),
            format!("{:.0} %", 100.0 * colliding),
            format!("{:.3} %", 100.0 * disagreeing),
        ]));
    }
    Section {
        title: "Single elementary tests beside the plain cubic".into(),
        text: "The plain cubic works in double precision without error bounds.".into(),
        tables: vec![("single-tests".into(), table)],
        plots: Vec::new(),
    }
}
