//! Rows of a listing, each defined once and printed as a line of a table or as a JSON object.

use comfy_table::Table;
use serde::{Serialize, Serializer};

use crate::table::{cell, table};

/// The fields of one row by name, in the order of the JSON object.
pub(super) struct Fields(pub(super) Vec<(&'static str, Field)>);

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Field {
    Text(Option<&'static str>),
    Number(usize),
    /// Whether this build has the code.
    Built(bool),
    List(Vec<&'static str>),
    Rows(Vec<Fields>),
}

/// Builds fields: `fields! { name: value, … }`.
macro_rules! fields {
    ($($name:ident: $value:expr),* $(,)?) => {
        $crate::list::fields::Fields(vec![$((stringify!($name), $value.into())),*])
    };
}
pub(super) use fields;

macro_rules! field_from {
    ($($variant:ident($value:ident: $type:ty) $field:expr;)*) => {
        $(impl From<$type> for Field {
            fn from($value: $type) -> Self {
                Self::$variant($field)
            }
        })*
    };
}

field_from! {
    Text(text: &'static str) Some(text);
    Text(text: Option<&'static str>) text;
    Number(number: u8) number.into();
    Number(number: u16) number.into();
    Number(number: u32) number as usize;
    Number(number: usize) number;
    Built(is_built: bool) is_built;
    List(list: Vec<&'static str>) list;
    Rows(rows: Vec<Fields>) rows;
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, field)| (name, field)))
    }
}

impl Fields {
    fn get(&self, name: &str) -> Option<&Field> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, field)| field)
    }

    /// Formats the cell of a field: `=field` is `=` if the value equals the name, `2^field` is a
    /// power of two, `0xfield` is hexadecimal.
    fn cell(&self, column: &str) -> String {
        let form = ["=", "2^", "0x"].into_iter().find(|form| column.starts_with(form));
        let form = form.unwrap_or_default();
        match (form, self.get(&column[form.len()..])) {
            ("=", Some(Field::Text(text))) => {
                let is_same = matches!(self.get("name"), Some(Field::Text(name)) if name == text);
                cell(if is_same { Some("=") } else { *text })
            }
            ("0x", Some(Field::Number(number))) => format!("{number:#06x}"),
            (form, Some(Field::Number(number))) => format!("{form}{number}"),
            (_, Some(Field::Text(text))) => cell(*text),
            (_, Some(Field::List(list))) => list.join(" + "),
            (_, Some(Field::Built(true))) => "yes".to_owned(),
            _ => cell(None::<&str>),
        }
    }
}

/// Builds a table of these columns, between bars: each a field with its header before a colon, or a
/// field alone, whose name is the header.
pub(super) fn columns(rows: &[Fields], columns: &str) -> Table {
    let column = |text: &str| match text.trim().split_once(": ") {
        Some((header, field)) => (header.to_owned(), field.to_owned()),
        None => (text.trim().replace('_', " "), text.trim().to_owned()),
    };
    let columns: Vec<_> = columns.split('|').map(column).collect();
    let cells = |row: &Fields| columns.iter().map(|(_, column)| row.cell(column)).collect();
    table(columns.iter().map(|(header, _)| header), rows.iter().map(cells).collect())
}
