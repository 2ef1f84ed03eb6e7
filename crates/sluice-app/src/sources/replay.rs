//! Replaying stored events: they are routed again, to the current listeners of their source.

use std::sync::Arc;

use sluice_engine::{
    EngineError,
    owner::Waker,
    route::{Recipients, Router},
    streams::Streams,
};
use sluice_infra::Infra;
use sluice_model::{EventId, SourceId, TraceContext, UserId};
use sluice_store::{
    BatchLimit, Conn, StoreError,
    activity::Counts,
    audit::{Action, TargetKind},
    deliveries::Outgoing,
    event_replays,
    events::{self, ChannelFilter, StoredEvent},
    held_events, traces,
};

use super::{events::recorded_range, requests::EventRange, service::Sources};
use crate::{
    audit::{Actor, Change, Target},
    detached, lookup,
    replay_span::ReplaySpan,
};

/// Events that one transaction routes.
const PORTION: BatchLimit = BatchLimit {
    rows: 100,
    bytes: 8 * 1024 * 1024,
};

impl Sources {
    /// Routes one event again.
    pub async fn replay_event(
        &self,
        actor: &Actor,
        id: &SourceId,
        event: EventId,
        trace: Option<TraceContext>,
    ) -> Result<(), EngineError> {
        let mut span = ReplaySpan::begin(&self.infra, trace);
        let (replay, change) = self.replay(actor, id, &span).await?;
        let with_traces = span.wants_links();
        let change = change.with("event", event.to_string());
        let waker = Arc::clone(&replay);
        let replayed = move |c: &mut dyn Conn| {
            let Some(found) = events::get(c, &replay.source, event)? else {
                return Ok(Err(EngineError::NotFound("event")));
            };
            if held_events::is_held(c, &replay.source, event)? {
                return Ok(Err(EngineError::Conflict(
                    "the event waits for its time: it has not been sent yet".to_owned(),
                )));
            }
            change.record(c)?;
            Ok(Ok(replay.route(c, &[found], with_traces)?))
        };
        // The listeners must be woken even if the client disconnects.
        detached::run(&self.infra.shutdown, async move {
            let portion = waker.infra.store.write(replayed).await??;
            waker.wake(&portion.recipients);
            span.link(portion.traces);
            span.end(&waker.infra, "event");
            Ok(())
        })
        .await
    }

    /// Routes the events of a range again, oldest first; returns their number. Delayed events that are not due are skipped.
    pub async fn replay_events(
        &self,
        actor: &Actor,
        id: &SourceId,
        range: EventRange,
        trace: Option<TraceContext>,
    ) -> Result<u64, EngineError> {
        let mut span = ReplaySpan::begin(&self.infra, trace);
        let (replay, change) = self.replay(actor, id, &span).await?;
        let change = recorded_range(change, &range);
        detached::run(&self.infra.shutdown, async move {
            let replayed = replay.range(range, change, &mut span).await;
            span.end(&replay.infra, "event");
            replayed
        })
        .await
    }

    async fn replay(
        &self,
        actor: &Actor,
        id: &SourceId,
        span: &ReplaySpan,
    ) -> Result<(Arc<Replay>, Change), EngineError> {
        let source = lookup::source(&self.infra.store, &actor.user_id, id).await?;
        let target = Target::new(TargetKind::Source, id, &source.name);
        let change = Change::new(&self.infra, actor, Action::EventReplay, target);
        let replay = Arc::new(Replay {
            infra: self.infra.clone(),
            streams: self.streams.clone(),
            waker: self.waker.clone(),
            user: actor.user_id.clone(),
            source: source.id,
            trace: span.context().cloned(),
        });
        Ok((replay, change))
    }
}

/// A replay of one source.
struct Replay {
    infra: Infra,
    streams: Streams,
    waker: Waker,
    user: UserId,
    source: SourceId,
    /// The span that causes what the listeners do.
    trace: Option<TraceContext>,
}

/// Events that one transaction routed.
struct Portion {
    ids: Vec<EventId>,
    recipients: Recipients,
    /// Those of the events, if they are wanted.
    traces: Vec<TraceContext>,
}

impl Replay {
    /// The first transaction records the change. Links the span to the traces of the events.
    async fn range(
        self: &Arc<Self>,
        range: EventRange,
        change: Change,
        span: &mut ReplaySpan,
    ) -> Result<u64, EngineError> {
        let EventRange {
            start,
            end,
            channel,
        } = range;
        let (source, newest_of) = (self.source.clone(), channel.clone());
        let newest = self
            .infra
            .store
            .read(move |c| events::id_behind(c, &source, &newest_of, 0));
        // Events emitted from now on are excluded. A source that listens to itself would never finish otherwise.
        let Some(newest) = newest.await? else {
            return Ok(0);
        };
        let end = end.map_or(newest, |end| end.min(newest));
        let mut after = start.map(just_before);
        let mut count = 0;
        let mut unrecorded = Some(change);
        loop {
            self.infra.shutdown.check()?;
            let (replay, channel) = (Arc::clone(self), channel.clone());
            let (change, with_traces) = (unrecorded.take(), span.wants_links());
            let portion = move |c: &mut dyn Conn| {
                let portion = replay.portion(c, &channel, (after, end), with_traces)?;
                change.map_or(Ok(()), |change| change.record(c))?;
                Ok(portion)
            };
            let portion = self.infra.store.write(portion).await?;
            self.wake(&portion.recipients);
            let Some(last) = portion.ids.last() else {
                return Ok(count);
            };
            count += portion.ids.len() as u64;
            span.link(portion.traces);
            after = Some(*last);
        }
    }

    fn portion(
        &self,
        c: &mut dyn Conn,
        channel: &ChannelFilter,
        (after, end): (Option<EventId>, EventId),
        with_traces: bool,
    ) -> Result<Portion, StoreError> {
        let mut found = events::after(c, &self.source, channel, after, PORTION)?;
        found.retain(|event| event.id <= end);
        self.route(c, &found, with_traces)
    }

    fn route(
        &self,
        c: &mut dyn Conn,
        events: &[StoredEvent],
        with_traces: bool,
    ) -> Result<Portion, StoreError> {
        let infra = &self.infra;
        let ids: Vec<EventId> = events.iter().map(|event| event.id).collect();
        let traces = if with_traces {
            traces::contexts(c, &self.source, &ids)?
        } else {
            Vec::new()
        };
        let (now_ms, max_depth) = (infra.now_ms(), infra.settings.max_event_depth);
        let mut router = Router::load(c, &self.user, &self.source, now_ms, max_depth)?;
        let mut replays = Vec::with_capacity(events.len());
        for event in events {
            if !router.has_listeners(&event.channel) {
                continue;
            }
            // A new id, since receivers deduplicate by it.
            let emit_id = infra.ids.emit();
            replays.push((event.id, emit_id));
            let outgoing = Outgoing {
                emit_id: &emit_id,
                emitter: &self.source,
                id: event.id,
                channel: &event.channel,
                meta: &event.meta,
                data: &event.data,
                trace: self.trace.as_ref(),
            };
            router.route_copy(&outgoing, 0);
        }
        event_replays::insert_all(c, &self.source, &replays)?;
        Ok(Portion {
            ids,
            recipients: router.write(c)?,
            traces,
        })
    }

    /// Wakes the listeners once their work is stored.
    fn wake(&self, recipients: &Recipients) {
        self.streams
            .count_commit(&self.user, &self.source, Counts::default(), recipients);
        self.waker.wake(recipients);
    }
}

fn just_before(id: EventId) -> EventId {
    EventId {
        ms: id.ms,
        seq: id.seq - 1,
    }
}
