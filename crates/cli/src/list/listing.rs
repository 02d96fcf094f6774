//! The data from which a kind of identities is printed.
use anyhow::Result;
use comfy_table::Table;

use crate::list::fields::Fields;
use crate::table::objects;

/// The listing of one kind, to be printed as tables or as JSON.
pub(super) struct Listing {
    pub(super) title: &'static str,
    pub(super) tables: Vec<Table>,
    /// One JSON object per row.
    pub(super) objects: Vec<String>,
}

impl Listing {
    pub(super) fn new(title: &'static str, tables: Vec<Table>, rows: &[Fields]) -> Result<Self> {
        Ok(Self { title, tables, objects: objects(rows)? })
    }
}
