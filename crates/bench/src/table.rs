//! A table of measured figures, printed as markdown.

use std::fmt;

/// Rows of text under a head.
#[derive(Clone, Debug, Default)]
pub struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table with the given column names.
    pub fn new(head: &[&str]) -> Table {
        Table { head: head.iter().map(|name| (*name).to_owned()).collect(), rows: Vec::new() }
    }

    /// Adds a row; it should have as many cells as the head.
    pub fn push(&mut self, row: impl IntoIterator<Item = String>) {
        self.rows.push(row.into_iter().collect());
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |cells: &[String]| writeln!(f, "| {} |", cells.join(" | "));
        line(&self.head)?;
        line(&vec!["---".to_owned(); self.head.len()])?;
        self.rows.iter().try_for_each(|row| line(row))
    }
}
