//! Output as tables for people and as JSON for programs.

use std::io::{self, Write};

use anyhow::Result;
use comfy_table::{CellAlignment, LineStyle, Table, TableStyle};
use serde::Serialize;
use serde_json::Value;

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

/// Lays out rows of JSON as a table of these columns, between bars: each a field with its header
/// before a colon, or a field alone, whose name is the header.
pub(crate) fn columns(rows: &[Value], columns: &str) -> Table {
    let column = |text: &str| match text.trim().split_once(": ") {
        Some((header, field)) => (header.to_owned(), field.to_owned()),
        None => (text.trim().replace('_', " "), text.trim().to_owned()),
    };
    let columns: Vec<_> = columns.split('|').map(column).collect();
    let cells = |row: &Value| columns.iter().map(|(_, column)| field(row, column)).collect();
    table(columns.iter().map(|(header, _)| header), rows.iter().map(cells).collect())
}

/// Formats the cell of a field: `=field` is `=` if the value equals the name, `2^field` is a power
/// of two, `0xfield` is hexadecimal.
fn field(row: &Value, column: &str) -> String {
    let form = ["=", "2^", "0x"].into_iter().find(|form| column.starts_with(form));
    let form = form.unwrap_or_default();
    match (form, &row[&column[form.len()..]]) {
        ("=", value) if *value == row["name"] => "=".to_owned(),
        ("0x", Value::Number(number)) => {
            cell(number.as_u64().map(|number| format!("{number:#06x}")))
        }
        (form, Value::Number(number)) => format!("{form}{number}"),
        (_, Value::String(text)) => text.clone(),
        (_, Value::Array(list)) => {
            list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" + ")
        }
        (_, Value::Bool(true)) => "yes".to_owned(),
        _ => cell(None::<&str>),
    }
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
