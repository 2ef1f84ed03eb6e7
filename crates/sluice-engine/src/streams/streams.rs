//! The service for streams: subscribe readers, and announce commits to them.

use std::sync::Arc;

use sluice_cluster::Hint;
use sluice_infra::Infra;
use sluice_model::{EmitterId, EventId, SourceId, UserId, WebhookId, WorkflowId};
use sluice_outbox::DeliveryObserver;
use sluice_store::{
    activity::Counts,
    events::{self, ChannelFilter, NewEvent},
    logs,
    routes::SSE_CHANNEL,
    sources,
    state::{self, Fence},
    workflows,
};

use super::{
    event_reader::{EventReader, Position},
    feed::{Feed, Feeds},
    followers::Followers,
    log_reader::LogReader,
    other_nodes,
    permit::ReaderPermits,
    subscription::Subscription,
    traffic::{Traffic, TrafficReader, WebhookTraffic},
};
use crate::{error::EngineError, route::Recipients};

/// Events of the past that a new reader of a workflow's stream gets.
const REPLAYED: u32 = 100;

/// Cheap to clone; all clones are one.
#[derive(Clone)]
pub struct Streams {
    pub(super) infra: Infra,
    pub(super) feeds: Feeds,
    /// Nodes with readers of emitters that are owned here.
    followers: Followers<EmitterId>,
    permits: Arc<ReaderPermits>,
    traffic: Traffic,
}

impl Streams {
    pub(crate) fn new(infra: Infra) -> Streams {
        Streams {
            permits: Arc::new(ReaderPermits::new(infra.clone())),
            feeds: Feeds::default(),
            followers: Followers::default(),
            traffic: Traffic::new(infra.clone()),
            infra,
        }
    }

    /// Follows the events of a source: those after `after`, or from now on.
    pub async fn follow_events(
        &self,
        user: &UserId,
        source: &SourceId,
        channels: ChannelFilter,
        after: Option<EventId>,
    ) -> Result<EventReader, EngineError> {
        // Subscribed before the store is read, so that no event falls in between.
        let subscription = self.subscribe(source, |feed| feed.events.subscribe())?;
        let (user, id) = (user.clone(), source.clone());
        let last = self.infra.store.read(move |c| {
            if sources::get(c, &user, &id)?.is_none() {
                return Ok(None);
            }
            Ok(Some(match after {
                Some(_) => after,
                None => state::load(c, &id)?.last_event,
            }))
        });
        let last = last.await?.ok_or(EngineError::NotFound("source"))?;
        let position = match after {
            Some(_) => Position::in_store(last),
            None => Position::in_feed(last),
        };
        Ok(EventReader::new(
            self.infra.clone(),
            subscription,
            channels,
            position,
        ))
    }

    /// Follows the stream of a workflow: the messages after `after`, or the last ones, and all new ones. The stream is
    /// public.
    pub async fn follow_sends(
        &self,
        workflow: &WorkflowId,
        after: Option<EventId>,
    ) -> Result<EventReader, EngineError> {
        let subscription = self.subscribe(workflow, |feed| feed.events.subscribe())?;
        let channels = ChannelFilter::One(SSE_CHANNEL.to_owned());
        let (id, filter) = (workflow.clone(), channels.clone());
        let last = self.infra.store.read(move |c| {
            if workflows::get_for_run(c, &id)?.is_none() {
                return Ok(None);
            }
            Ok(Some(match after {
                Some(_) => after,
                None => events::id_behind(c, &id, &filter, REPLAYED)?,
            }))
        });
        let last = last.await?.ok_or(EngineError::NotFound("workflow"))?;
        Ok(EventReader::new(
            self.infra.clone(),
            subscription,
            channels,
            Position::in_store(last),
        ))
    }

    /// Follows the log of a source: the lines after `after`, or from now on.
    pub async fn follow_logs(
        &self,
        user: &UserId,
        source: &SourceId,
        after: Option<i64>,
    ) -> Result<LogReader, EngineError> {
        let subscription = self.subscribe(source, |feed| feed.logs.subscribe())?;
        let (user, id) = (user.clone(), source.clone());
        let last = self.infra.store.read(move |c| {
            if sources::get(c, &user, &id)?.is_none() {
                return Ok(None);
            }
            Ok(Some(match after {
                Some(seq) => seq,
                None => logs::newest_seq(c, &id)?,
            }))
        });
        let position = last.await?.ok_or(EngineError::NotFound("source"))?;
        Ok(LogReader::new(self.infra.clone(), subscription, position))
    }

    /// Follows the traffic of an account from now on.
    pub fn follow_traffic(&self, user: &UserId) -> Result<TrafficReader, EngineError> {
        Ok(self.traffic.follow(user, self.permits.acquire()?))
    }

    /// Ends the streams of a source or a workflow that was removed.
    pub fn close(&self, emitter: &EmitterId) {
        self.feeds.close(emitter);
    }

    /// Ends the traffic streams of a user who was removed.
    pub fn close_traffic(&self, user: &UserId) {
        self.traffic.close(user);
    }

    /// Announces new log lines.
    pub fn logs_written(&self, emitter: &EmitterId) {
        self.feeds.logs_written(emitter);
        self.tell_followers(emitter, Hint::Logs);
    }

    /// Counts a commit, or events that were passed on again, in the traffic of its user.
    pub fn count_commit(
        &self,
        user: &UserId,
        emitter: &EmitterId,
        counts: Counts,
        recipients: &Recipients,
    ) {
        self.traffic.committed(user, emitter, counts, recipients);
    }

    /// Announces the events of a commit. Commits must be announced in their order.
    pub(crate) fn publish<'a>(
        &self,
        emitter: &EmitterId,
        fence: &Fence,
        events: impl ExactSizeIterator<Item = NewEvent<'a>>,
    ) {
        if events.len() == 0 {
            return;
        }
        let epoch = (!self.infra.cluster.owns_database()).then_some(fence.epoch);
        self.feeds.publish(emitter, epoch, events);
        self.tell_followers(emitter, Hint::Events);
    }

    /// Makes readers read the store: events may have been stored.
    pub(crate) fn reload(&self, emitter: &EmitterId) {
        self.feeds.reload(emitter);
        self.tell_followers(emitter, Hint::Events);
        self.tell_followers(emitter, Hint::Logs);
    }

    /// Another node has readers of an emitter: it gets a hint after each commit here.
    pub(crate) fn followed(&self, emitter: &EmitterId, by: &str) {
        self.followers.add(emitter, by);
    }

    /// Another node has readers of the traffic of an account.
    pub(crate) fn traffic_followed(&self, user: &UserId, by: &str) {
        self.traffic.followed(user, by);
    }

    /// Takes the traffic of another node, as it came to its path; false when the message is none.
    pub fn receive_traffic(&self, message: &[u8]) -> bool {
        self.traffic.receive(message)
    }

    /// Another node has stored events.
    pub(crate) fn events_elsewhere(&self, emitter: &EmitterId) {
        self.feeds.reload_events(emitter);
    }

    /// Another node has stored log lines.
    pub(crate) fn logs_elsewhere(&self, emitter: &EmitterId) {
        self.feeds.logs_written(emitter);
    }

    /// Keeps readers up with other nodes until the server drains.
    pub(crate) async fn follow_other_nodes(self) {
        other_nodes::run(self.infra, self.feeds, self.followers).await;
    }

    fn tell_followers(&self, emitter: &EmitterId, hint: fn(EmitterId) -> Hint) {
        for node in self.followers.of(emitter) {
            self.infra.cluster.hint(&node, hint(emitter.clone()));
        }
    }

    fn subscribe<R>(
        &self,
        emitter: &EmitterId,
        subscribe: impl FnOnce(&Feed) -> R,
    ) -> Result<Subscription<R>, EngineError> {
        let permit = self.permits.acquire()?;
        let subscription = Subscription::new(&self.feeds, emitter, permit, subscribe);
        let cluster = &self.infra.cluster;
        if !cluster.is_alone() {
            cluster.hint_all(&Hint::Follow(emitter.clone()));
        }
        Ok(subscription)
    }
}

impl DeliveryObserver for Streams {
    fn attempted(&self, user: &UserId, webhook: &WebhookId, delivered: u64, failed: u64) {
        let attempts = WebhookTraffic { delivered, failed };
        self.traffic.attempted(user, webhook, attempts);
    }
}
