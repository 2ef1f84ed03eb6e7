//! Replays of events: the ids under which an event was emitted again.

use sluice_model::{EmitId, EmitterId, EventAddress, EventId};

use crate::{
    conn::{Conn, query_all},
    error::Result,
    params,
};

/// The number of replays that are kept of each event, the newest ones.
pub const KEPT: u32 = 50;

/// Stores replays of events of one emitter, and removes older ones beyond [`KEPT`]. Deferred.
pub fn insert_all(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    replays: &[(EventId, EmitId)],
) -> Result<()> {
    let mut values = Vec::with_capacity(replays.len() * 4);
    for (EventId { ms, seq }, emit_id) in replays {
        values.extend_from_slice(params![emitter, *ms, *seq, emit_id]);
    }
    c.insert_later(
        "INSERT INTO event_replays (emitter_id, ms, seq, emit_id) VALUES (?1, ?2, ?3, ?4)",
        4,
        &values,
    )?;
    for (EventId { ms, seq }, _) in replays {
        // Emit ids are in the order of their times. Without so many replays it compares with null.
        c.execute_later(
            "DELETE FROM event_replays WHERE emitter_id = ?1 AND ms = ?2 AND seq = ?3 \
             AND emit_id <= (SELECT emit_id FROM event_replays WHERE emitter_id = ?1 AND ms = ?2 \
             AND seq = ?3 ORDER BY emit_id DESC LIMIT 1 OFFSET ?4)",
            params![emitter, *ms, *seq, KEPT],
        )?;
    }
    Ok(())
}

/// The replays of an event that are kept, newest first.
pub fn of_event(c: &mut dyn Conn, address: &EventAddress) -> Result<Vec<EmitId>> {
    let EventAddress { emitter, id } = address;
    query_all(
        c,
        "SELECT emit_id FROM event_replays WHERE emitter_id = ?1 AND ms = ?2 AND seq = ?3 \
         ORDER BY emit_id DESC LIMIT ?4",
        params![emitter, id.ms, id.seq, KEPT],
    )
}

/// Removes the replays of events from `start` to `end` that were deleted.
pub(crate) fn remove_unused(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    start: EventId,
    end: EventId,
) -> Result<()> {
    c.execute(
        "DELETE FROM event_replays WHERE emitter_id = ?1 AND (ms, seq) >= (?2, ?3) \
         AND (ms, seq) <= (?4, ?5) AND NOT EXISTS (SELECT 1 FROM events e \
         WHERE e.emitter_id = event_replays.emitter_id AND e.ms = event_replays.ms \
         AND e.seq = event_replays.seq)",
        params![emitter, start.ms, start.seq, end.ms, end.seq],
    )?;
    Ok(())
}
