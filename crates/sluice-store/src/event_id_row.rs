//! An event id as the first two columns of a row.

use sluice_model::EventId;

use crate::{
    error::Result,
    row::{FromRow, Row},
};

pub(crate) struct EventIdRow(pub(crate) EventId);

impl FromRow for EventIdRow {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(EventIdRow(EventId {
            ms: row.get(0)?,
            seq: row.get(1)?,
        }))
    }
}
