//! Conversion of PostgreSQL's answers into values and errors.

use postgres::Row;
use postgres::types::FromSql;

use crate::error::StoreError;

pub(super) fn column<'a, T: FromSql<'a>>(row: &'a Row, at: usize) -> Result<T, StoreError> {
    row.try_get(at).map_err(|error| failed(&error))
}

/// Converts a number to PostgreSQL's signed type; indices are below 2^63.
pub(super) fn signed(number: u64) -> Result<i64, StoreError> {
    i64::try_from(number).map_err(|_| StoreError::OutOfRange { end: 1 << 63, found: number })
}

pub(super) fn unsigned(number: i64) -> Result<u64, StoreError> {
    u64::try_from(number).map_err(|_| StoreError::Corrupt("the database has a negative number"))
}

/// Converts an error with its causes, since the client's own message is only "db error".
pub(super) fn failed(error: &dyn std::error::Error) -> StoreError {
    let causes = std::iter::successors(Some(error), |error| error.source());
    StoreError::Database(causes.map(ToString::to_string).collect::<Vec<_>>().join(": "))
}
