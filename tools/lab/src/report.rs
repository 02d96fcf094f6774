//! A table as data, and its forms: Markdown, CSV, JSON, text.

use serde::{Deserialize, Serialize, Serializer};

/// The name of the column that says how far ahead ours is: above 1 it is ahead. Columns whose names
/// end with it compare something else in this way.
pub const RATIO: &str = "ratio";

/// A table, ready to be written in any form.
#[derive(Clone, Debug, Serialize)]
pub struct Table {
    /// A short name, for files, blocks and the command line.
    pub id: &'static str,
    /// Its heading.
    pub title: String,
    /// Its contents and how they were measured, one paragraph each.
    pub notes: Vec<String>,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// A cell for each column.
    pub rows: Vec<Vec<Cell>>,
    /// Reasons why rows are behind, each with a text that such rows contain.
    #[serde(skip)]
    reasons: Vec<(&'static str, &'static str)>,
    /// When it was measured, if earlier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<Measured>,
}

/// Time and machine of a measurement that is read from a file, in one of its lines.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Measured {
    /// The processor's name.
    pub cpu: String,
    /// The number of cores that it could use.
    pub cores: usize,
    /// The best SIMD level.
    pub level: String,
    /// The day: `2026-11-21`.
    pub measured: String,
    /// The load average of the minute before.
    pub load: f64,
}

/// The content of a column of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A whole number.
    Count(u64),
    /// A number, shown with this many digits after the decimal point.
    Number(f64, usize),
    /// An empty cell.
    Nothing,
}

impl Table {
    /// Makes a table without rows.
    #[must_use]
    pub fn new(id: &'static str, title: &str, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|&name| name.to_owned()).collect();
        let (title, notes, rows) = (title.to_owned(), Vec::new(), Vec::new());
        Self { id, title, notes, columns, rows, reasons: Vec::new(), measured: None }
    }

    /// Adds a paragraph.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Adds a row.
    ///
    /// # Panics
    /// If it does not have a cell for each column.
    pub fn push(&mut self, row: Vec<Cell>) {
        assert_eq!(row.len(), self.columns.len(), "a cell for each column of {}", self.id);
        self.rows.push(row);
    }

    /// Returns the index of a column.
    ///
    /// # Panics
    /// If the table has no column of this name.
    #[must_use]
    pub fn column(&self, name: &str) -> usize {
        let found = self.columns.iter().position(|column| column == name);
        found.unwrap_or_else(|| panic!("the table {} has no column `{name}`", self.id))
    }

    /// Says why rows with this text in a cell are behind, if they are.
    #[must_use]
    pub fn because(mut self, text: &'static str, why: &'static str) -> Self {
        self.reasons.push((text, why));
        self
    }

    /// Returns why a row is behind: the first reason that was given for a text in it.
    #[must_use]
    pub fn reason(&self, row: &[Cell]) -> Option<&'static str> {
        let has =
            |text: &str| row.iter().any(|cell| matches!(cell, Cell::Text(t) if t.contains(text)));
        self.reasons.iter().find(|(text, _)| has(text)).map(|(_, why)| *why)
    }

    /// Returns the rows with a ratio below 1, the worst first.
    #[must_use]
    pub fn behind(&self) -> Vec<&[Cell]> {
        let is_ratio = |at: &usize| self.columns[*at].ends_with(RATIO);
        let ratios: Vec<usize> = (0..self.columns.len()).filter(is_ratio).collect();
        let least = |row: &[Cell]| {
            let values = ratios.iter().filter_map(|&at| row[at].value());
            values.fold(f64::INFINITY, f64::min)
        };
        let mut behind: Vec<&[Cell]> =
            self.rows.iter().map(Vec::as_slice).filter(|row| least(row) < 1.0).collect();
        behind.sort_by(|a, b| least(a).total_cmp(&least(b)));
        behind
    }

    /// Reports whether a column holds only numbers, so that it is aligned to the right.
    pub(crate) fn is_numeric(&self, column: usize) -> bool {
        !self.rows.is_empty() && self.rows.iter().all(|row| !matches!(row[column], Cell::Text(_)))
    }

    /// Formats the table in Markdown, without title and notes.
    #[must_use]
    pub fn markdown(&self) -> String {
        let rule = |i| if self.is_numeric(i) { "---:" } else { "---" };
        let rules: Vec<_> = (0..self.columns.len()).map(rule).collect();
        let mut text = format!("| {} |\n|{}|\n", self.columns.join(" | "), rules.join("|"));
        for row in &self.rows {
            let cells: Vec<_> = row.iter().map(Cell::shown).collect();
            text += &format!("| {} |\n", cells.join(" | "));
        }
        text
    }

    /// Formats the table as comma-separated values, numbers in full.
    #[must_use]
    pub fn csv(&self) -> String {
        let line = |cells: Vec<String>| cells.join(",") + "\n";
        let quoted = |text: &str| match text.contains([',', '"', '\n']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text.to_owned(),
        };
        let rows = self
            .rows
            .iter()
            .map(|row| line(row.iter().map(|cell| quoted(&cell.plain())).collect()));
        line(self.columns.iter().map(|name| quoted(name)).collect()) + &rows.collect::<String>()
    }

    /// Formats the table for a terminal: columns two blanks apart, numbers to the right.
    #[must_use]
    pub fn text(&self) -> String {
        let rows = self.rows.iter().map(|row| row.iter().map(Cell::shown).collect::<Vec<_>>());
        let lines: Vec<_> = [self.columns.clone()].into_iter().chain(rows).collect();
        let width = |i: usize| lines.iter().map(|line| line[i].chars().count()).max().unwrap_or(0);
        let widths: Vec<_> = (0..self.columns.len()).map(width).collect();
        let mut text = String::new();
        for (number, line) in lines.iter().enumerate() {
            let cell = |(i, cell): (usize, &String)| match self.is_numeric(i) {
                true => format!("{cell:>w$}", w = widths[i]),
                false => format!("{cell:<w$}", w = widths[i]),
            };
            let cells: Vec<_> = line.iter().enumerate().map(cell).collect();
            text += &format!("{}\n", cells.join("  ").trim_end());
            if number == 0 {
                let rules: Vec<_> = widths.iter().map(|&width| "-".repeat(width)).collect();
                text += &format!("{}\n", rules.join("  "));
            }
        }
        text
    }
}

impl Cell {
    /// Makes a cell of words.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// Makes a cell of a whole number.
    #[must_use]
    pub fn count(count: usize) -> Self {
        Self::Count(count as u64)
    }

    /// Makes a cell of a number, or an empty one.
    #[must_use]
    pub fn some(value: Option<f64>, digits: usize) -> Self {
        value.map_or(Self::Nothing, |value| Self::Number(value, digits))
    }

    /// Returns the number in the cell.
    #[must_use]
    pub fn value(&self) -> Option<f64> {
        match self {
            Self::Count(count) => Some(*count as f64),
            Self::Number(value, _) => Some(*value),
            Self::Text(_) | Self::Nothing => None,
        }
    }

    /// Formats the cell for people, with thousands separated.
    #[must_use]
    pub fn shown(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Count(count) => apart(&count.to_string()),
            Self::Number(value, digits) => apart(&format!("{value:.digits$}")),
            Self::Nothing => String::new(),
        }
    }

    /// Formats the cell for programs.
    #[must_use]
    pub fn plain(&self) -> String {
        match self {
            Self::Number(value, digits) => format!("{value:.digits$}"),
            Self::Count(count) => count.to_string(),
            other => other.shown(),
        }
    }
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Count(count) => serializer.serialize_u64(*count),
            Self::Number(value, digits) => {
                let scale = 10f64.powi(i32::try_from(*digits).unwrap_or(0));
                serializer.serialize_f64((value * scale).round() / scale)
            }
            Self::Nothing => serializer.serialize_none(),
        }
    }
}

/// Separates the thousands of a number: `8,467.5`.
fn apart(number: &str) -> String {
    let (sign, digits) = number.strip_prefix('-').map_or(("", number), |digits| ("-", digits));
    let (whole, rest) = digits.find('.').map_or((digits, ""), |at| digits.split_at(at));
    let mut out = sign.to_owned();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new("test", "Title", &["name", "bytes", RATIO]);
        table.push(vec![Cell::text("a, b"), Cell::count(12_345), Cell::Number(2.0, 2)]);
        table.push(vec![Cell::text("c"), Cell::Nothing, Cell::Number(0.5, 2)]);
        table.push(vec![Cell::text("d"), Cell::Number(-1234.56, 1), Cell::Number(0.25, 2)]);
        table
    }

    #[test]
    fn forms() {
        assert_eq!(
            table().markdown(),
            "| name | bytes | ratio |\n|---|---:|---:|\n| a, b | 12,345 | 2.00 |\n\
             | c |  | 0.50 |\n| d | -1,234.6 | 0.25 |\n"
        );
        assert_eq!(
            table().csv(),
            "name,bytes,ratio\n\"a, b\",12345,2.00\nc,,0.50\nd,-1234.6,0.25\n"
        );
        assert_eq!(
            table().text(),
            "name     bytes  ratio\n----  --------  -----\na, b    12,345   2.00\n\
             c                0.50\nd     -1,234.6   0.25\n"
        );
        let json = serde_json::to_value(table()).unwrap();
        assert_eq!(json["rows"][2], serde_json::json!(["d", -1234.6, 0.25]));
        assert_eq!(json["rows"][1][1], serde_json::Value::Null);
    }

    #[test]
    fn the_worst_comes_first() {
        let table = table();
        let names: Vec<_> = table.behind().iter().map(|row| row[0].shown()).collect();
        assert_eq!(names, ["d", "c"]);
        let table = table.clone().because("d", "the reason");
        assert_eq!(table.reason(&table.rows[2]), Some("the reason"));
        assert_eq!(table.reason(&table.rows[1]), None);
    }
}
