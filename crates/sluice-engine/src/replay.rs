//! Passing stored events on again, to those who listen to their source now.

use std::sync::Arc;

use sluice_model::{EmitId, EventId, SourceId, UserId};
use sluice_store::{
    BatchLimit, Conn, StoreError,
    activity::Counts,
    deliveries::Outgoing,
    events::{self, ChannelFilter, StoredEvent},
    held_events,
};

use crate::{
    Engine, EventRange,
    context::Context,
    error::EngineError,
    routing::{Reached, Router},
};

/// What one transaction passes on.
const PORTION: BatchLimit = BatchLimit {
    rows: 100,
    bytes: 8 * 1024 * 1024,
};

impl Engine {
    /// Passes one event on again.
    pub async fn replay_event(
        &self,
        user: &UserId,
        id: &SourceId,
        event: EventId,
    ) -> Result<(), EngineError> {
        let source = self.source_row(user, id).await?.id;
        let replay = Arc::new(Replay {
            context: Arc::clone(&self.context),
            user: user.clone(),
            source,
        });
        let again = Arc::clone(&replay);
        let replayed = move |c: &mut dyn Conn| {
            let Some(found) = events::get(c, &replay.source, event)? else {
                return Ok(Err(EngineError::NotFound("event")));
            };
            if held_events::is_held(c, &replay.source, event)? {
                return Ok(Err(EngineError::Conflict(
                    "the event waits for its time: it has not been sent yet".to_owned(),
                )));
            }
            Ok(Ok(replay.pass_on(c, &[found])?))
        };
        // Whoever asked may go away; those who listen must learn of it all the same.
        self.to_the_end(|Engine { context, .. }| async move {
            let reached = context.store.write(replayed).await??;
            again.passed_on(&reached);
            Ok(())
        })
        .await
    }

    /// Passes the events of a range on again, oldest first, and answers how many. Those that wait for their time are left out.
    pub async fn replay_events(
        &self,
        user: &UserId,
        id: &SourceId,
        range: EventRange,
    ) -> Result<u64, EngineError> {
        let source = self.source_row(user, id).await?.id;
        let replay = Arc::new(Replay {
            context: Arc::clone(&self.context),
            user: user.clone(),
            source,
        });
        self.to_the_end(|_| async move { replay.range(range).await })
            .await
    }
}

struct Replay {
    context: Arc<Context>,
    user: UserId,
    source: SourceId,
}

impl Replay {
    async fn range(self: &Arc<Self>, range: EventRange) -> Result<u64, EngineError> {
        let EventRange {
            start,
            end,
            channel,
        } = range;
        let (source, newest_of) = (self.source.clone(), channel.clone());
        let newest = self
            .context
            .store
            .read(move |c| events::id_behind(c, &source, &newest_of, 0));
        // What is emitted meanwhile is no part of it: a source that listens to itself would never come to an end.
        let Some(newest) = newest.await? else {
            return Ok(0);
        };
        let end = end.map_or(newest, |end| end.min(newest));
        let mut after = start.map(just_before);
        let mut count = 0;
        loop {
            if self.context.draining.is_cancelled() {
                return Err(EngineError::shutting_down());
            }
            let (replay, channel) = (Arc::clone(self), channel.clone());
            let portion = move |c: &mut dyn Conn| replay.portion(c, &channel, (after, end));
            let (passed_on, reached) = self.context.store.write(portion).await?;
            self.passed_on(&reached);
            let Some(last) = passed_on.last() else {
                return Ok(count);
            };
            count += passed_on.len() as u64;
            after = Some(*last);
        }
    }

    fn portion(
        &self,
        c: &mut dyn Conn,
        channel: &ChannelFilter,
        (after, end): (Option<EventId>, EventId),
    ) -> Result<(Vec<EventId>, Reached), StoreError> {
        let mut found = events::after(c, &self.source, channel, after, PORTION)?;
        found.retain(|event| event.id <= end);
        let reached = self.pass_on(c, &found)?;
        let ids = found.iter().map(|event| event.id).collect();
        Ok((ids, reached))
    }

    fn pass_on(&self, c: &mut dyn Conn, events: &[StoredEvent]) -> Result<Reached, StoreError> {
        let context = &self.context;
        let (now_ms, max_depth) = (context.clock.now_ms(), context.settings.max_event_depth);
        let mut router = Router::load(c, &self.user, &self.source, now_ms, max_depth)?;
        for event in events {
            // Receivers remember ids, and shall not take this for what they had already.
            let emit_id: EmitId = context.new_emit_id();
            let outgoing = Outgoing {
                emit_id: &emit_id,
                emitter: &self.source,
                id: event.id,
                channel: &event.channel,
                data: &event.data,
            };
            router.pass_on(c, &outgoing, 0)?;
        }
        Ok(router.into_reached())
    }

    fn passed_on(&self, reached: &Reached) {
        let traffic = &self.context.streams.traffic;
        traffic.committed(&self.user, &self.source, Counts::default(), reached);
        reached.wake(&self.context);
    }
}

fn just_before(id: EventId) -> EventId {
    EventId {
        ms: id.ms,
        seq: id.seq - 1,
    }
}
