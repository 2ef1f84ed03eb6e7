//! An invocation of a source, put together from what it left: its inbox row, its events and its log lines.

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

/// The record of an invocation.
pub(super) struct SourceRun {
    /// While it waits or runs.
    pub(super) item: Option<InboxItem>,
    pub(super) emitted: Emitted,
    /// The times of its first and last log line. Only read if it emitted nothing.
    pub(super) logged: Option<(i64, i64)>,
}

impl SourceRun {
    pub(super) fn load(
        c: &mut dyn Conn,
        source: &EmitterId,
        id: &InvocationId,
    ) -> Result<SourceRun, StoreError> {
        let item = inbox::get(c, source, id)?;
        let emitted = traces::emitted_by(c, source, id, SCAN, MOST_EVENTS)?;
        let logged = if emitted.events.is_empty() {
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
}

/// Whether the source has any record of an invocation.
pub(super) fn was_here(
    c: &mut dyn Conn,
    source: &EmitterId,
    id: &InvocationId,
) -> Result<bool, StoreError> {
    let run = SourceRun::load(c, source, id)?;
    Ok(run.item.is_some() || !run.emitted.events.is_empty() || run.logged.is_some())
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
