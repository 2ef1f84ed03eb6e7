//! An invocation of a source, put together from what it left: its inbox row, its events and its log lines.

use std::collections::{HashMap, hash_map::Entry};

use sluice_model::{EmitId, EmitterId, EventAddress, InvocationId, UserId};
use sluice_store::{
    Conn, StoreError,
    inbox::{self, InboxItem},
    provenance::Cause,
    traces::{self, Emitted},
};

/// Events of a source among which those of an invocation are looked for.
const SCAN: u32 = 10_000;
/// The most events of one invocation.
const MOST_EVENTS: u32 = 200;
/// Events and log lines that one trace looks at. A read of more would keep its thread from others.
const MOST_ROWS: u32 = 100_000;
/// Queries for the effects of events that one trace makes. Each id of an event takes some, and each replay is one more id.
const MOST_QUERIES: u32 = 4_000;

/// The record of an invocation.
pub(super) struct SourceRun {
    /// While it waits or runs.
    pub(super) item: Option<InboxItem>,
    pub(super) emitted: Emitted,
    /// The times of its first and last log line. Only read if it emitted nothing.
    pub(super) logged: Option<(i64, i64)>,
}

/// The records that one trace has read: each once, from a limited number of rows and with a limited number of queries.
pub(super) struct Records {
    read: HashMap<(EmitterId, InvocationId), SourceRun>,
    rows_left: u32,
    queries_left: u32,
}

impl Default for Records {
    fn default() -> Records {
        Records {
            read: HashMap::new(),
            rows_left: MOST_ROWS,
            queries_left: MOST_QUERIES,
        }
    }
}

impl Records {
    pub(super) fn of(
        &mut self,
        c: &mut dyn Conn,
        source: &EmitterId,
        id: &InvocationId,
    ) -> Result<&SourceRun, StoreError> {
        match self.read.entry((source.clone(), *id)) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(place) => {
                let run = SourceRun::load(c, source, id, &mut self.rows_left)?;
                Ok(place.insert(run))
            }
        }
    }

    /// Takes so many queries from the limit. Returns whether there were enough left.
    pub(super) fn take_queries(&mut self, count: usize) -> bool {
        let left = u32::try_from(count).ok();
        let left = left.and_then(|count| self.queries_left.checked_sub(count));
        self.queries_left = left.unwrap_or(0);
        left.is_some()
    }

    /// Whether further records are not looked for.
    pub(super) fn are_spent(&self) -> bool {
        self.rows_left == 0
    }
}

impl SourceRun {
    fn load(
        c: &mut dyn Conn,
        source: &EmitterId,
        id: &InvocationId,
        rows_left: &mut u32,
    ) -> Result<SourceRun, StoreError> {
        let item = inbox::get(c, source, id)?;
        let emitted = traces::emitted_by(c, source, id, SCAN.min(*rows_left), MOST_EVENTS)?;
        *rows_left = rows_left.saturating_sub(emitted.scanned);
        let logged = if emitted.events.is_empty() && *rows_left > 0 {
            *rows_left = rows_left.saturating_sub(traces::LOG_LINES);
            traces::logged(c, source, id)?
        } else {
            None
        };
        Ok(SourceRun {
            item,
            emitted,
            logged,
        })
    }

    /// The cause of the invocation, as far as it is recorded.
    pub(super) fn cause(&self) -> Option<Cause> {
        if let Some(item) = &self.item {
            return Some(Cause::of(item.kind, item.prop.as_deref()));
        }
        let first = self.emitted.events.first()?;
        Some(first.provenance.as_ref()?.cause.clone())
    }

    /// Whether the source has any record of the invocation.
    pub(super) fn is_recorded(&self) -> bool {
        self.item.is_some() || !self.emitted.events.is_empty() || self.logged.is_some()
    }
}

/// The event that caused an invocation whose cause is not recorded: the invocation has its id.
pub(super) fn event_with_its_id(
    c: &mut dyn Conn,
    user: &UserId,
    id: &InvocationId,
) -> Result<Option<EventAddress>, StoreError> {
    let Some(emit) = EmitId::parse(id.as_str()) else {
        return Ok(None);
    };
    match traces::event_of_emit(c, user, &emit)? {
        Some(event) => Ok(Some(event.address)),
        None => traces::payload(c, user, &emit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_limited() {
        let mut records = Records::default();
        let most = MOST_QUERIES as usize;
        assert!(records.take_queries(most - 1));
        assert!(!records.take_queries(2));
        assert!(!records.take_queries(1));
        assert!(!Records::default().take_queries(usize::MAX));
    }
}
