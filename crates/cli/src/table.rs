//! Output as tables for people and as JSON for programs.

use std::io::{self, Write};

use anyhow::Result;
use comfy_table::{CellAlignment, LineStyle, Table, TableStyle};
use serde::Serialize;

/// The style of tables: columns two blanks apart, only the header underlined, and one line per row,
/// so that `grep` works.
const STYLE: TableStyle =
    TableStyle::new().header_separator(LineStyle::none().fill('-').junction(' '));

/// Lays out a table. Columns whose cells are all numbers are right-aligned.
pub(crate) fn table(
    header: impl IntoIterator<Item = impl ToString>,
    rows: Vec<Vec<String>>,
) -> Table {
    let mut table = Table::new();
    let header: Vec<_> = header.into_iter().map(|text| text.to_string()).collect();
    table.load_style(STYLE).set_header(header);
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 1));
        if rows.iter().all(|row| is_number(&row[i])) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.add_rows(rows);
    table
}

/// Reports whether a cell holds a number or a power of two.
fn is_number(cell: &str) -> bool {
    cell.strip_prefix("2^").unwrap_or(cell).parse::<u64>().is_ok()
}

/// Formats a cell that may be empty.
#[must_use]
pub fn cell(text: Option<impl ToString>) -> String {
    text.map_or_else(|| "-".to_owned(), |text| text.to_string())
}

/// Returns each row as one JSON object on one line.
pub(crate) fn objects<T: Serialize>(rows: &[T]) -> Result<Vec<String>> {
    let object = |row| serde_json::to_string(row).map(|json| escaped(&json));
    Ok(rows.iter().map(object).collect::<Result<_, _>>()?)
}

/// Escapes the control characters that JSON allows in strings but a terminal would interpret.
pub(crate) fn escaped(json: &str) -> String {
    json.chars().fold(String::with_capacity(json.len()), |mut out, c| {
        match c.is_control() && c != '\n' {
            true => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            false => out.push(c),
        }
        out
    })
}

/// Prints the rows as one array, with one object per line.
///
/// # Errors
/// If a row cannot be represented in JSON, or the output cannot be written.
pub fn print_json<T: Serialize>(rows: &[T]) -> Result<()> {
    Ok(writeln!(io::stdout(), "[\n{}\n]", objects(rows)?.join(",\n"))?)
}
