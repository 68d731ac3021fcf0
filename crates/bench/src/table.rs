//! A table of measured figures.

use std::fmt;

/// Rows of text under a head. Printed as Markdown.
#[derive(Clone, Debug, Default)]
pub struct Table {
    head: Vec<String>,
    rows: Vec<Row>,
}

/// A row of a table.
#[derive(Clone, Debug)]
pub struct Row {
    /// As many as the head has.
    pub cells: Vec<String>,
    /// Whether these are a paper's own numbers, measured on another machine.
    pub published: bool,
}

impl Table {
    /// An empty table with the given column names.
    pub fn new(head: &[&str]) -> Table {
        Table { head: head.iter().map(|name| (*name).to_owned()).collect(), rows: Vec::new() }
    }

    /// Adds a row; it should have as many cells as the head.
    pub fn push(&mut self, row: impl IntoIterator<Item = String>) {
        self.rows.push(Row { cells: row.into_iter().collect(), published: false });
    }

    /// Adds a row of a paper's own numbers.
    pub fn push_published(&mut self, row: impl IntoIterator<Item = String>) {
        self.rows.push(Row { cells: row.into_iter().collect(), published: true });
    }

    /// The names of the columns.
    pub fn head(&self) -> &[String] {
        &self.head
    }

    /// The rows.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The table as comma-separated values, quoted where needed.
    pub fn csv(&self) -> String {
        let line = |cells: &[String]| cells.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",") + "\n";
        std::iter::once(line(&self.head)).chain(self.rows.iter().map(|row| line(&row.cells))).collect()
    }
}

/// A field as RFC 4180 wants it.
fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |cells: &[String], slanted: bool| {
            let cells: Vec<String> = cells
                .iter()
                .map(|cell| {
                    let cell = cell.replace('|', "\\|");
                    if slanted && !cell.is_empty() { format!("*{cell}*") } else { cell }
                })
                .collect();
            writeln!(f, "| {} |", cells.join(" | "))
        };
        line(&self.head, false)?;
        line(&vec!["---".to_owned(); self.head.len()], false)?;
        self.rows.iter().try_for_each(|row| line(&row.cells, row.published))
    }
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn cells_are_quoted_where_the_format_needs_it() {
        let mut table = Table::new(&["name", "value"]);
        table.push(["a, \"b\"".to_owned(), "1".to_owned()]);
        table.push_published(["a|b".to_owned(), "2".to_owned()]);
        assert_eq!(table.csv(), "name,value\n\"a, \"\"b\"\"\",1\na|b,2\n");
        assert_eq!(table.to_string(), "| name | value |\n| --- | --- |\n| a, \"b\" | 1 |\n| *a\\|b* | *2* |\n");
    }
}
