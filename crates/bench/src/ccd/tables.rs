//! The measured rows as Markdown, CSV and a plot.

use std::fmt::Write;
use std::path::Path;

use super::{BenchError, Elementary, Row, Version, measure_elementary};

/// Writes `ccd.md`, `ccd.csv` and `ccd-culling.svg` into a folder, and returns the Markdown.
pub fn write_all(rows: &[Row], folder: &Path) -> Result<String, BenchError> {
    std::fs::create_dir_all(folder)?;
    let text = markdown(rows);
    std::fs::write(folder.join("ccd.md"), &text)?;
    std::fs::write(folder.join("ccd.csv"), csv(rows))?;
    std::fs::write(folder.join("ccd-culling.svg"), culling_plot(rows))?;
    Ok(text)
}

/// Thousands, as the paper counts.
fn thousands(count: f64) -> String {
    if count >= 10_000.0 { format!("{:.0}K", count / 1e3) } else { format!("{count:.0}") }
}

fn markdown(rows: &[Row]) -> String {
    let mut text = String::from(
        "# Continuous collision detection\n\nOne thread, one run, by processor time, best of three; every version found the same collisions (the plain pipeline may not).\n",
    );
    let mut table = |title: &str, head: &str, line: &dyn Fn(&Row) -> String| {
        let columns = head.matches('|').count() - 1;
        // Writing to a string does not fail.
        let _ = write!(text, "\n## {title}\n\n{head}\n|{}\n", "---|".repeat(columns));
        for row in rows {
            let _ = writeln!(text, "{}", line(row));
        }
    };
    table(
        "Orphan sets (table I of the paper)",
        "| scene | triangles | adjacent pairs | tests between them at 4 or 9 a pair, about | orphan pairs |",
        &|row| {
            let tests = thousands(7.8 * row.adjacent_pairs as f64);
            let (triangles, pairs) = (thousands(row.triangles as f64), thousands(row.adjacent_pairs as f64));
            format!("| {} | {triangles} | {pairs} | {tests} | {} |", row.scene, row.orphans)
        },
    );
    table(
        "Query time (table II)",
        "| scene | collisions | base ms | ours ms | speed-up | first contact ms | plain pipeline ms | speed-up over it | it finds | update | bytes a triangle |",
        &|row| {
            format!(
                "| {} | {:.0} | {:.1} | {:.1} | {:.1}x | {:.1} | {:.1} | {:.1}x | {:.0} | {:.0} % | {:.0} |",
                row.scene,
                row.collisions,
                row.base.query_ms,
                row.ours.query_ms,
                row.base.query_ms / row.ours.query_ms,
                row.first.query_ms,
                row.plain.query_ms,
                row.plain.query_ms / row.ours.query_ms,
                row.plain_collisions,
                100.0 * row.ours.update_part,
                row.bytes_per_triangle,
            )
        },
    );
    table(
        "Elementary tests a frame (table III)",
        "| scene | base | ours | ours of base | decided by the slow search |",
        &|row| {
            format!(
                "| {} | {} | {} | {:.2} % | {:.0} |",
                row.scene,
                thousands(row.base.elementary_tests),
                thousands(row.ours.elementary_tests),
                100.0 * row.ours.elementary_tests / row.base.elementary_tests.max(1.0),
                row.ours.refined_tests,
            )
        },
    );
    table(
        "Culling (figure 15): elementary tests of the base version that remain",
        "| scene | high-level culling | low-level culling | all, with bounds in motion |",
        &|row| {
            let [high, low, ours] = remaining(row).map(|part| format!("{:.1} %", 100.0 * part));
            format!("| {} | {high} | {low} | {ours} |", row.scene)
        },
    );
    text.push_str(
        "\n## Elementary tests beside the plain cubic\n\n| test | ours ns | plain ns | ratio | colliding | answers that differ |\n|---|---|---|---|---|---|\n",
    );
    for Elementary { kind, ours_ns, plain_ns, colliding, disagreeing } in measure_elementary() {
        let _ = writeln!(
            text,
            "| {kind} | {ours_ns:.0} | {plain_ns:.0} | {:.2} | {:.0} % | {:.3} % |",
            ours_ns / plain_ns,
            100.0 * colliding,
            100.0 * disagreeing
        );
    }
    text
}

/// Elementary tests with high-level, low-level and all culling, as parts of the base version's.
fn remaining(row: &Row) -> [f64; 3] {
    [&row.high_level, &row.low_level, &row.ours]
        .map(|version| version.elementary_tests / row.base.elementary_tests.max(1.0))
}

fn csv(rows: &[Row]) -> String {
    let mut text = String::from(
        "scene,triangles,adjacent_pairs,orphans,frames,collisions,version,query_ms,update_part,triangle_pairs,elementary_tests,refined_tests\n",
    );
    for row in rows {
        let versions: [(&str, &Version); 6] = [
            ("base", &row.base),
            ("high_level", &row.high_level),
            ("low_level", &row.low_level),
            ("all", &row.ours),
            ("first_contact", &row.first),
            ("plain", &row.plain),
        ];
        for (name, version) in versions {
            let _ = writeln!(
                text,
                "{},{},{},{},{},{},{name},{},{},{},{},{}",
                row.scene,
                row.triangles,
                row.adjacent_pairs,
                row.orphans,
                row.frames,
                row.collisions,
                version.query_ms,
                version.update_part,
                version.triangle_pairs,
                version.elementary_tests,
                version.refined_tests
            );
        }
    }
    text
}

/// Bars for what remains of the base version's elementary tests.
fn culling_plot(rows: &[Row]) -> String {
    let (left, top, height, group) = (60.0, 40.0, 220.0, 110.0);
    let width = left + group * rows.len() as f64 + 20.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} 320\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"{width}\" height=\"320\" fill=\"white\"/>\n\
         <text x=\"{left}\" y=\"20\" font-size=\"14\">Elementary tests that remain of the base version's</text>\n"
    );
    for percent in [0, 20, 40, 60, 80, 100] {
        let y = top + height * (1.0 - f64::from(percent) / 100.0);
        let end = width - 10.0;
        let _ = writeln!(
            svg,
            "<line x1=\"{left}\" x2=\"{end}\" y1=\"{y}\" y2=\"{y}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{percent} %</text>",
            left - 6.0,
            y + 4.0
        );
    }
    let colours = ["#8c8c8c", "#e69f00", "#56b4e9", "#009e73"];
    for (index, row) in rows.iter().enumerate() {
        let x = left + group * index as f64 + 12.0;
        let [high, low, ours] = remaining(row);
        for (bar, (part, colour)) in [1.0, high, low, ours].into_iter().zip(colours).enumerate() {
            let tall = height * part.min(1.0);
            let _ = writeln!(
                svg,
                "<rect x=\"{}\" y=\"{}\" width=\"18\" height=\"{tall}\" fill=\"{colour}\"/>",
                x + 21.0 * bar as f64,
                top + height - tall
            );
        }
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            x + 41.0,
            top + height + 16.0,
            row.scene
        );
    }
    for (index, (name, colour)) in ["no culling", "high-level", "low-level", "all"].iter().zip(colours).enumerate() {
        let x = left + 110.0 * index as f64;
        let _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"296\" width=\"10\" height=\"10\" fill=\"{colour}\"/><text x=\"{}\" y=\"305\">{name}</text>",
            x + 15.0
        );
    }
    svg.push_str("</svg>\n");
    svg
}
