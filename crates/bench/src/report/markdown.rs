//! A report as Markdown.

use std::fmt::Write;

use super::{Report, setting};

/// The whole page.
pub fn page(reports: &[Report]) -> String {
    let mut text = format!("# Superegg benchmarks\n\nMeasured on {}.\n", setting());
    for report in reports {
        // Writing to a string does not fail.
        let _ = write!(text, "\n## {}\n", report.title);
        for section in &report.sections {
            if !section.title.is_empty() {
                let _ = write!(text, "\n### {}\n", section.title);
            }
            if !section.text.is_empty() {
                let _ = write!(text, "\n{}\n", section.text.trim_end());
            }
            for (_, table) in &section.tables {
                let _ = write!(text, "\n{table}");
            }
            for plot in &section.plots {
                let _ = write!(text, "\n![{}]({}-{}.svg)\n", plot.title, report.name, plot.name);
            }
        }
    }
    text
}
