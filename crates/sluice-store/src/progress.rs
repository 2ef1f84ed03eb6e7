//! How far emitters have come. Stream readers compare it with what they know, because another node may commit.

use sluice_model::{EmitterId, EventId};

use crate::{
    conn::{Conn, query_all},
    error::Result,
    id_list::{IdList, is_among},
    params,
    row::{FromRow, Row},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    pub emitter_id: EmitterId,
    /// The claim under which the last commits were made.
    pub epoch: i64,
    pub last_event: Option<EventId>,
    /// The place of the newest log line; 0 without lines.
    pub last_line: i64,
}

impl FromRow for Progress {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        let (ms, seq): (Option<i64>, Option<i64>) = (row.get(2)?, row.get(3)?);
        Ok(Progress {
            emitter_id: row.get(0)?,
            epoch: row.get(1)?,
            last_event: ms.zip(seq).map(|(ms, seq)| EventId { ms, seq }),
            last_line: row.get(4)?,
        })
    }
}

/// Those of emitters, in any order. An emitter that was removed is left out.
pub fn of_emitters(c: &mut dyn Conn, emitters: &[EmitterId]) -> Result<Vec<Progress>> {
    let sql = format!(
        "SELECT emitter_id, epoch, last_event_ms, last_event_seq, \
         COALESCE((SELECT MAX(seq) FROM logs WHERE logs.emitter_id = emitter_state.emitter_id), 0) \
         FROM emitter_state WHERE {}",
        is_among(c.dialect(), "emitter_id", "?1")
    );
    query_all(c, &sql, params![&IdList::new(emitters)?])
}
