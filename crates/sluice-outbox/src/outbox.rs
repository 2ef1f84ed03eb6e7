//! The outbox as the rest of the server uses it.

use std::sync::Arc;

use sluice_infra::{ClockWatch, Exit, Infra, Supervisor};
use sluice_model::{UserId, WebhookId};
use sluice_store::{
    StoreError, deliveries,
    sends::{SendKind, outbox::SendQueue},
};

use crate::{
    claims::Claims,
    clock_correction::correct_due_times,
    delivery_observer::DeliveryObserver,
    dispatcher::{Dispatcher, Limits, RESTART_PAUSE},
    error::OutboxError,
    finder::Finder,
    journal::Journal,
    net_guard::NetGuard,
    pruning,
    queue_key::QueueKey,
    senders::{SendSenders, WebhookSender},
    wakeup::Signal,
};

/// One per server. Clones share it.
#[derive(Clone)]
pub struct Outbox {
    pub(crate) dispatcher: Arc<Dispatcher>,
    finder: Arc<Finder>,
}

impl Outbox {
    /// Sends nothing before [`Outbox::start`].
    pub fn new(infra: Infra, observer: Arc<dyn DeliveryObserver>) -> Result<Outbox, OutboxError> {
        let settings = &infra.settings;
        let guard = NetGuard::new(settings.allow_private_network);
        let journal = Arc::new(Journal::open(&settings.data_dir));
        let webhook = WebhookSender::new(
            guard,
            settings.webhook_timeout,
            Arc::clone(&infra.clock),
            Arc::clone(&journal),
            infra.traces.clone(),
        )?;
        let sends = SendSenders::new(&infra, guard)?;
        let dispatcher = Dispatcher {
            webhooks: Limits::new(
                Arc::new(webhook),
                &settings.webhook_retries,
                settings.max_deliveries,
            ),
            sends: Limits::new(
                sends,
                &settings.sends.retries,
                settings.sends.max_concurrent,
            ),
            supervisor: Supervisor::new(infra.shutdown.clone(), Arc::clone(&infra.metrics)),
            registry: Arc::default(),
            claims: Arc::new(Claims::new(infra.clone())),
            clock_watch: Arc::new(ClockWatch::default()),
            journal,
            observer,
            infra,
        };
        Ok(Outbox::with(dispatcher))
    }

    pub(crate) fn with(dispatcher: Dispatcher) -> Outbox {
        Outbox {
            dispatcher: Arc::new(dispatcher),
            finder: Arc::new(Finder::new()),
        }
    }

    /// Records the successes that the last run left in the journal, then starts to send.
    pub async fn start(&self) -> Result<(), StoreError> {
        let Dispatcher {
            infra,
            journal,
            clock_watch,
            ..
        } = &*self.dispatcher;
        journal.record_leftover(infra).await?;
        correct_due_times(clock_watch, infra).await?;
        let node = infra.cluster.incarnation().to_owned();
        let may_take_over = infra.cluster.lease().may_take_over();
        let read = infra
            .store
            .read(move |c| deliveries::webhooks_due(c, i64::MAX, &node, may_take_over));
        for webhook in &read.await? {
            self.wake_webhook(webhook);
        }
        self.start_finder();
        Ok(())
    }

    fn start_finder(&self) {
        let (finder, dispatcher) = (Arc::clone(&self.finder), Arc::clone(&self.dispatcher));
        let outbox = self.clone();
        let supervisor = &self.dispatcher.supervisor;
        supervisor.spawn(
            "send_queue_finder",
            "finder",
            async move { finder.run(&dispatcher).await },
            move |exit| {
                if exit == Exit::Panicked {
                    outbox.restart_finder();
                }
            },
        );
    }

    fn restart_finder(self) {
        let shutdown = self.dispatcher.infra.shutdown.clone();
        shutdown.clone().spawn(async move {
            shutdown.sleep(RESTART_PAUSE).await;
            if !shutdown.is_draining() {
                self.start_finder();
            }
        });
    }

    /// Something may be due for a webhook.
    pub fn wake_webhook(&self, webhook: &WebhookId) {
        self.dispatcher.wake(QueueKey::Webhook(webhook.clone()));
    }

    /// A webhook was changed or removed: nothing more is sent to its old address, and its circuit breaker is closed.
    pub fn webhook_changed(&self, webhook: &WebhookId) {
        let key = QueueKey::Webhook(webhook.clone());
        self.dispatcher.dispatch(key, Signal::Change);
    }

    /// Another node says that something may be due in a queue.
    pub fn wake_queue(&self, queue: &str) {
        self.signal_queue(queue, Signal::Wake);
    }

    /// Another node has changed or removed the destination of a queue.
    pub fn queue_changed(&self, queue: &str) {
        self.signal_queue(queue, Signal::Change);
    }

    /// A text that names no queue is ignored: it may come from a later version.
    fn signal_queue(&self, queue: &str, signal: Signal) {
        if let Some(key) = QueueKey::parse(queue) {
            self.dispatcher.dispatch_here(key, signal);
        }
    }

    /// A send that was stored is due then.
    pub fn wake_sends(&self, due_at: i64) {
        self.finder.wake(due_at);
    }

    /// A user has changed where notifications go: those that wait are sent there now.
    pub fn notification_settings_changed(&self, user: &UserId) {
        for kind in [SendKind::NotificationEmail, SendKind::NotificationWebhook] {
            let user_id = user.clone();
            let key = QueueKey::Sends(SendQueue { user_id, kind });
            self.dispatcher.dispatch(key, Signal::Change);
        }
    }

    /// Lets other nodes have the queues of this one at once. Called when all workers have ended.
    pub async fn release(&self) -> Result<(), StoreError> {
        self.dispatcher.claims.release().await
    }

    /// Removes deliveries that are older than they are kept.
    pub async fn prune(&self) {
        pruning::prune_old(&self.dispatcher.infra).await;
    }

    /// Whether no queue has a worker.
    #[cfg(test)]
    pub(crate) fn is_idle(&self) -> bool {
        self.dispatcher.registry.is_empty()
    }
}
