//! What a kind of identities is printed from.
use anyhow::Result;
use comfy_table::Table;

use crate::list::fields::Fields;
use crate::table::objects;

/// One kind, ready to be printed either way.
pub(super) struct Listing {
    pub(super) title: &'static str,
    pub(super) tables: Vec<Table>,
    /// One JSON object a row.
    pub(super) objects: Vec<String>,
}

impl Listing {
    pub(super) fn new(title: &'static str, tables: Vec<Table>, rows: &[Fields]) -> Result<Self> {
        Ok(Self { title, tables, objects: objects(rows)? })
    }
}
