//! Running a source manually, and deleting its events and logs.

use serde_json::value::RawValue;
use sluice_engine::EngineError;
use sluice_model::{EventId, InvocationId, SourceId, TraceContext};
use sluice_store::{
    audit::{Action, TargetKind},
    events::{self, ChannelFilter},
    last_requests, logs,
};

use super::{requests::EventRange, service::Sources};
use crate::{
    audit::{Actor, Change, Target},
    lookup,
};

impl Sources {
    /// Runs a source with an event of the caller.
    pub async fn run(
        &self,
        actor: &Actor,
        id: &SourceId,
        event: Box<RawValue>,
        trace: Option<TraceContext>,
    ) -> Result<InvocationId, EngineError> {
        let user = &actor.user_id;
        let source = lookup::source(&self.infra.store, user, id).await?;
        if !source.active {
            return Err(EngineError::Conflict(
                "the source is inactive: activate it to run it".to_owned(),
            ));
        }
        let target = Target::new(TargetKind::Source, id, &source.name);
        let change = Change::new(&self.infra, actor, Action::SourceRun, target);
        let entry = |run: InvocationId| Some(change.with("run", run.to_string()).into_entry());
        self.accept.run(user, &source.id, event, trace, entry).await
    }

    /// Deletes events, and the last request if it was handled between them.
    pub async fn delete_events(
        &self,
        actor: &Actor,
        id: &SourceId,
        range: EventRange,
    ) -> Result<(), EngineError> {
        let source = lookup::source(&self.infra.store, &actor.user_id, id).await?;
        let target = Target::new(TargetKind::Source, id, &source.name);
        let change = Change::new(&self.infra, actor, Action::EventDelete, target);
        let change = recorded_range(change, &range);
        let EventRange {
            start,
            end,
            channel,
        } = range;
        let deleted = self.infra.store.write(move |c| {
            events::delete_range(c, &source.id, &channel, start, end)?;
            if channel == ChannelFilter::AllButSystem {
                let first = start.map_or(i64::MIN, |id| id.ms);
                let last = end.map_or(i64::MAX, |id| id.ms);
                last_requests::remove_between(c, &source.id, first, last)?;
            }
            change.record(c)
        });
        deleted.await?;
        Ok(())
    }

    /// Deletes log lines from `start` to `end`, both included. A missing end is open.
    pub async fn delete_logs(
        &self,
        actor: &Actor,
        id: &SourceId,
        start: Option<i64>,
        end: Option<i64>,
    ) -> Result<(), EngineError> {
        let source = lookup::source(&self.infra.store, &actor.user_id, id).await?;
        let target = Target::new(TargetKind::Source, id, &source.name);
        let change = Change::new(&self.infra, actor, Action::LogDelete, target);
        let change = change.with("start", start).with("end", end);
        let deleted = self.infra.store.write(move |c| {
            logs::delete_range(c, &source.id, start, end)?;
            change.record(c)
        });
        deleted.await?;
        Ok(())
    }
}

/// The change with the range of events that it concerns.
pub(super) fn recorded_range(change: Change, range: &EventRange) -> Change {
    let text = |id: Option<EventId>| id.map(|id| id.to_string());
    let EventRange {
        start,
        end,
        channel: _,
    } = range;
    change.with("start", text(*start)).with("end", text(*end))
}
