//! Live streams: whoever follows a source hears at once of what it stores.
//!
//! The store is the truth and the feed only news of it: a reader that comes back, that missed something, or for whom an
//! event is too large to be passed around reads the store from where it is.

mod end;
mod events;
mod feed;
mod lines;
mod seat;
mod traffic;

use sluice_model::{EventId, SourceId, UserId, WorkflowId};
use sluice_store::{
    BatchLimit,
    events::{self as stored_events, ChannelFilter},
    logs,
    routes::SSE_CHANNEL,
    sources, state, workflows,
};

pub(crate) use self::feed::Streams;
pub use self::{
    end::StreamEnd,
    events::{EventReader, StreamedEvent},
    feed::LiveEvent,
    lines::LineReader,
    traffic::{
        EmitterTraffic, LiveTraffic, RouteTraffic, TrafficReader, TrafficSecond, WebhookTraffic,
    },
};

use self::{events::Reads, seat::Seat};
use crate::{Engine, error::EngineError};

/// What a reader takes from the store at once: it is all that waits for a slow client.
const PAGE: BatchLimit = BatchLimit {
    rows: 100,
    bytes: 256 * 1024,
};

/// What a new reader of a workflow's stream gets of the past.
const REPLAYED: u32 = 100;

impl Engine {
    /// Follows the events of a source: those after the given one and all that come, or from now on.
    pub async fn follow_events(
        &self,
        user: &UserId,
        source: &SourceId,
        channels: ChannelFilter,
        after: Option<EventId>,
    ) -> Result<EventReader, EngineError> {
        // Listening begins before the store is read, so that nothing is stored unheard in between.
        let seat = Seat::take(&self.context, source, |feed| feed.events.subscribe())?;
        let (user, id) = (user.clone(), source.clone());
        let last = self.context.store.read(move |c| {
            if sources::get(c, &user, &id)?.is_none() {
                return Ok(None);
            }
            Ok(Some(match after {
                Some(_) => after,
                None => state::load(c, &id)?.last_event,
            }))
        });
        let position = last.await?.ok_or(EngineError::NotFound("source"))?;
        let reads = match after {
            Some(_) => Reads::Store,
            None => Reads::News,
        };
        Ok(EventReader::new(seat, channels, position, reads))
    }

    /// Follows what a workflow sends to its stream: what came after the given event, or the last of it, and all that
    /// comes. Whoever knows the workflow may.
    pub async fn follow_sends(
        &self,
        workflow: &WorkflowId,
        after: Option<EventId>,
    ) -> Result<EventReader, EngineError> {
        let seat = Seat::take(&self.context, workflow, |feed| feed.events.subscribe())?;
        let channels = ChannelFilter::One(SSE_CHANNEL.to_owned());
        let (id, filter) = (workflow.clone(), channels.clone());
        let position = self.context.store.read(move |c| {
            if workflows::get_for_run(c, &id)?.is_none() {
                return Ok(None);
            }
            Ok(Some(match after {
                Some(_) => after,
                None => stored_events::id_behind(c, &id, &filter, REPLAYED)?,
            }))
        });
        let position = position.await?.ok_or(EngineError::NotFound("workflow"))?;
        Ok(EventReader::new(seat, channels, position, Reads::Store))
    }

    /// Follows the log of a source: the lines after the given one and all that come, or from now on.
    pub async fn follow_lines(
        &self,
        user: &UserId,
        source: &SourceId,
        after: Option<i64>,
    ) -> Result<LineReader, EngineError> {
        let seat = Seat::take(&self.context, source, |feed| feed.lines.subscribe())?;
        let (user, id) = (user.clone(), source.clone());
        let last = self.context.store.read(move |c| {
            if sources::get(c, &user, &id)?.is_none() {
                return Ok(None);
            }
            Ok(Some(match after {
                Some(seq) => seq,
                None => logs::newest_seq(c, &id)?,
            }))
        });
        let position = last.await?.ok_or(EngineError::NotFound("source"))?;
        Ok(LineReader::new(seat, position))
    }
}
