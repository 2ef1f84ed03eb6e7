//! Taking an event out, to store it again under another id.

use std::borrow::Cow;

use sluice_model::{EmitterId, EventId};

use super::StoredEvent;
use crate::{
    conn::{Dialect, Query},
    error::Result,
    params,
    provenance::{self, Provenance},
    row::{FromRow, Row},
    value::Value,
};

/// Takes an event out.
#[derive(Debug)]
pub struct Take<'a> {
    emitter: &'a EmitterId,
    id: EventId,
    /// `None` when it was deleted meanwhile.
    pub taken: Option<StoredEvent>,
    pub provenance: Option<Provenance>,
}

impl<'a> Take<'a> {
    pub fn new(emitter: &'a EmitterId, id: EventId) -> Take<'a> {
        Take {
            emitter,
            id,
            taken: None,
            provenance: None,
        }
    }
}

impl<'a> Query<'a> for Take<'a> {
    fn sql(&self, _: Dialect) -> Cow<'static, str> {
        let columns = provenance::COLUMNS;
        let sql = format!(
            "DELETE FROM events WHERE emitter_id = ?1 AND ms = ?2 AND seq = ?3 \
             RETURNING ms, seq, channel, emit_id, meta, data, {columns}"
        );
        sql.into()
    }

    fn params(&self) -> Vec<Value<'a>> {
        params![self.emitter, self.id.ms, self.id.seq].to_vec()
    }

    fn row(&mut self, row: &Row<'_>) -> Result<()> {
        self.taken = Some(StoredEvent::from_row(row)?);
        self.provenance = provenance::read(row, 6)?;
        Ok(())
    }
}
