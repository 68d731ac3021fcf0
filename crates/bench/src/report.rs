//! What a suite found, and how it is written down: one `report.html` and `report.md` for a whole run, a CSV file a table
//! and an SVG file a plot.
//!
//! Neither the date nor the machine's load is written, so that two runs differ in their measured figures only.

mod html;
mod markdown;
mod plot;
mod setting;

pub use setting::setting;

use std::io;
use std::path::Path;

use crate::Table;

/// What one suite found.
#[derive(Clone, Debug)]
pub struct Report {
    /// The suite's name on the command line; files begin with it.
    pub name: &'static str,
    /// Heading.
    pub title: String,
    /// Parts, in the order in which they are read.
    pub sections: Vec<Section>,
}

/// A part of a report: text, then its tables, then its plots.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// Heading.
    pub title: String,
    /// Markdown.
    pub text: String,
    /// Tables, each with the stem of its file's name.
    pub tables: Vec<(String, Table)>,
    /// Plots.
    pub plots: Vec<Plot>,
}

/// Lines over two axes.
#[derive(Clone, Debug)]
pub struct Plot {
    /// The stem of the file's name.
    pub name: String,
    /// Heading.
    pub title: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Lines.
    pub series: Vec<Series>,
}

/// An axis of a plot.
#[derive(Clone, Debug)]
pub struct Axis {
    /// What is measured, with its unit.
    pub label: String,
    /// Whether equal ratios take equal room. Values that are not positive are then left out.
    pub log: bool,
    /// What the places 0, 1, 2… along the axis are called, if it is not for numbers. Points are then not joined.
    pub names: Vec<String>,
}

impl Axis {
    /// An axis on which equal differences take equal room.
    pub fn linear(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), log: false, names: Vec::new() }
    }

    /// An axis on which equal ratios take equal room.
    pub fn log(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), log: true, names: Vec::new() }
    }

    /// An axis with a place for each of these, the first one leftmost or on top.
    pub fn named(names: impl IntoIterator<Item = impl Into<String>>) -> Axis {
        Axis { label: String::new(), log: false, names: names.into_iter().map(Into::into).collect() }
    }
}

/// A line of a plot. Points that are not finite are left out.
#[derive(Clone, Debug)]
pub struct Series {
    /// What the legend calls it.
    pub name: String,
    /// Points from left to right.
    pub points: Vec<(f64, f64)>,
    /// Whether these are a paper's own numbers, measured on another machine: drawn dashed.
    pub published: bool,
}

/// Writes `report.html`, `report.md`, `SUITE-TABLE.csv` and `SUITE-PLOT.svg` into a folder, which is made if missing.
///
/// ```
/// use bench::report::{Axis, Plot, Report, Section, Series, write_all};
/// let plot = Plot {
///     name: "squares".into(),
///     title: "Squares".into(),
///     x: Axis::linear("x"),
///     y: Axis::log("x²"),
///     series: vec![Series { name: "ours".into(), points: vec![(1.0, 1.0), (2.0, 4.0), (3.0, 9.0)], published: false }],
/// };
/// let section = Section { title: "Growth".into(), plots: vec![plot], ..Section::default() };
/// let report = Report { name: "example", title: "An example".into(), sections: vec![section] };
/// let folder = std::env::temp_dir().join("superegg-report-example");
/// write_all(&[report], &folder)?;
/// assert!(std::fs::read_to_string(folder.join("report.html"))?.contains("<svg"));
/// assert!(std::fs::read_to_string(folder.join("report.md"))?.contains("example-squares.svg"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_all(reports: &[Report], dir: &Path) -> io::Result<()> {
    std::fs::create_dir_all(dir)?;
    for report in reports {
        for section in &report.sections {
            for (stem, table) in &section.tables {
                std::fs::write(dir.join(format!("{}-{stem}.csv", report.name)), table.csv())?;
            }
            for plot in &section.plots {
                let svg = plot::standalone(plot).map_err(io::Error::other)?;
                std::fs::write(dir.join(format!("{}-{}.svg", report.name, plot.name)), svg)?;
            }
        }
    }
    std::fs::write(dir.join("report.md"), markdown::page(reports))?;
    std::fs::write(dir.join("report.html"), html::page(reports).map_err(io::Error::other)?)
}

/// A suite's report as Markdown, as `report.md` has it.
pub fn to_markdown(reports: &[Report]) -> String {
    markdown::page(reports)
}
