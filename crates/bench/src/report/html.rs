//! A report as one HTML page without anything outside of itself: style and plots are part of it.

use std::fmt::Write;

use pulldown_cmark::{Options, Parser, html};

use super::{Report, plot, setting};
use crate::Table;

/// The whole page.
pub fn page(reports: &[Report]) -> Result<String, plot::PlotError> {
    let mut contents = String::new();
    let mut body = String::new();
    for report in reports {
        // Writing to a string does not fail.
        let _ = write!(contents, "<li><a href=\"#{0}\">{1}</a><ol>", report.name, escape(&report.title));
        let _ = writeln!(body, "<section class=\"suite\" id=\"{}\"><h2>{}</h2>", report.name, escape(&report.title));
        for (number, section) in report.sections.iter().enumerate() {
            let anchor = format!("{}-{}", report.name, number + 1);
            if !section.title.is_empty() {
                let title = escape(&section.title);
                let _ = write!(contents, "<li><a href=\"#{anchor}\">{title}</a></li>");
                let _ = writeln!(body, "<h3 id=\"{anchor}\">{title}</h3>");
            }
            html::push_html(&mut body, Parser::new_ext(&section.text, Options::ENABLE_TABLES));
            for (stem, table) in &section.tables {
                push_table(&mut body, table, &format!("{}-{stem}.csv", report.name));
            }
            body.push_str("<div class=\"plots\">\n");
            for plot in &section.plots {
                let svg = plot::inline(plot)?;
                let _ = writeln!(body, "<figure>{svg}<figcaption>{}</figcaption></figure>", escape(&plot.title));
            }
            body.push_str("</div>\n");
        }
        contents.push_str("</ol></li>\n");
        body.push_str("</section>\n");
    }
    let setting = escape(&setting());
    let style = include_str!("style.css");
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Superegg benchmarks</title>\n<style>\n{style}</style></head>\n<body>\n\
         <header><h1>Superegg benchmarks</h1><p>Measured on {setting}.</p></header>\n\
         <div class=\"page\"><nav><h2>Contents</h2><ol>{contents}</ol></nav>\n<main>{body}</main></div>\n\
         </body></html>\n"
    ))
}

fn push_table(body: &mut String, table: &Table, file: &str) {
    // A column of numbers is aligned to the right, head included.
    let numeric = |column: usize| {
        let cells = || table.rows().iter().filter_map(|row| row.cells.get(column));
        2 * cells().filter(|cell| is_number(cell)).count() > cells().count()
    };
    let class = |right: bool| if right { " class=\"number\"" } else { "" };
    body.push_str("<div class=\"table\"><table><thead><tr>");
    for (column, name) in table.head().iter().enumerate() {
        let _ = write!(body, "<th{}>{}</th>", class(numeric(column)), escape(name));
    }
    body.push_str("</tr></thead><tbody>\n");
    let mut group: Option<&String> = None;
    for row in table.rows() {
        // Rows that share their first cell belong together: it is shown once, above a stronger line.
        let repeated = row.cells.first() == group;
        group = row.cells.first();
        let published = if row.published { " published" } else { "" };
        let _ = write!(body, "<tr class=\"{}{published}\">", if repeated { "same" } else { "new" });
        for (column, cell) in row.cells.iter().enumerate() {
            let _ = write!(body, "<td{}>{}</td>", class(numeric(column)), escape(cell));
        }
        body.push_str("</tr>\n");
    }
    let _ = writeln!(body, "</tbody></table></div><p class=\"file\"><a href=\"{file}\">{file}</a></p>");
}

/// Whether a cell is a number, with or without deviation, thousands, times, unit or a second number, or the dash that
/// stands for none.
fn is_number(cell: &str) -> bool {
    let first = |c: char| c.is_ascii_digit() || "+-−–<".contains(c);
    cell.starts_with(first) && cell.chars().all(|c| c.is_ascii_digit() || " .eE+-−–<±×%/Kx".contains(c))
}

/// Text as HTML shows it.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
