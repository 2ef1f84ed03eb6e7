//! The dispatcher: it gives each queue with something to send a worker, and restarts workers that panic.

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use sluice_infra::{ClockWatch, Exit, Infra, Supervisor};
use sluice_model::WebhookId;
use tokio::sync::Semaphore;

use crate::{
    claims::Claims,
    delivery_observer::DeliveryObserver,
    delivery_table::{DeliveryRow, DeliveryTable},
    journal::Journal,
    queue_key::QueueKey,
    registry::Registry,
    retry_schedule::RetrySchedule,
    send_table::SendTable,
    sender::Sender,
    senders::SendSenders,
    table::Table,
    wakeup::{Signal, Wakeup},
    worker::{Worker, WorkerParts},
};

/// Before a task that panicked is started again.
pub(crate) const RESTART_PAUSE: Duration = Duration::from_secs(1);

/// For so many attempts of the dispatcher, users may ask for one more.
const REQUESTED_SHARE: usize = 4;

pub(crate) struct Dispatcher {
    pub(crate) infra: Infra,
    pub(crate) supervisor: Supervisor,
    pub(crate) registry: Arc<Registry>,
    pub(crate) claims: Arc<Claims>,
    pub(crate) clock_watch: Arc<ClockWatch>,
    pub(crate) journal: Arc<Journal>,
    pub(crate) observer: Arc<dyn DeliveryObserver>,
    pub(crate) webhooks: Limits<Arc<dyn Sender<DeliveryRow>>>,
    pub(crate) sends: Limits<SendSenders>,
}

/// Settings and limits that the queues of one table share.
pub(crate) struct Limits<S> {
    pub(crate) senders: S,
    pub(crate) schedule: RetrySchedule,
    pub(crate) permits: Arc<Semaphore>,
    /// For attempts that users ask for. They wait for no others.
    pub(crate) requested: Arc<Semaphore>,
}

impl<S> Limits<S> {
    pub(crate) fn new(senders: S, retries: &[Duration], max_concurrent: usize) -> Limits<S> {
        let permits = max_concurrent.clamp(1, Semaphore::MAX_PERMITS);
        Limits {
            senders,
            schedule: RetrySchedule::new(retries.to_vec()),
            permits: Arc::new(Semaphore::new(permits)),
            requested: Arc::new(Semaphore::new(permits.div_ceil(REQUESTED_SHARE))),
        }
    }
}

impl Dispatcher {
    /// Something may be due in a queue.
    pub(crate) fn wake(self: &Arc<Self>, key: QueueKey) {
        self.dispatch(key, Signal::Wake);
    }

    /// Signals to the node that has claimed a queue, if it is known, and otherwise here.
    pub(crate) fn dispatch(self: &Arc<Self>, key: QueueKey, signal: Signal) {
        match self.claims.elsewhere(&key) {
            Some(node) => self.infra.cluster.hint(&node, key.hint(signal)),
            None => self.dispatch_here(key, signal),
        }
    }

    /// Signals to the worker of a queue. When another node has claimed the queue, the worker passes the signal on.
    pub(crate) fn dispatch_here(self: &Arc<Self>, key: QueueKey, signal: Signal) {
        if let Some(wakeup) = self.registry.register(&key, signal) {
            self.start(key, wakeup);
        }
    }

    fn start(self: &Arc<Self>, key: QueueKey, wakeup: Arc<Wakeup>) {
        let task = self.worker(key.clone(), wakeup);
        let (dispatcher, queue) = (Arc::clone(self), key.clone());
        self.supervisor
            .spawn(key.worker(), key, task, move |exit| match exit {
                // It has unregistered itself.
                Exit::Finished => {}
                Exit::Panicked => dispatcher.restart(queue),
            });
    }

    /// The queue stays registered during the pause, so that a wake-up does not shorten it.
    fn restart(self: Arc<Self>, key: QueueKey) {
        let shutdown = self.infra.shutdown.clone();
        shutdown.clone().spawn(async move {
            shutdown.sleep(RESTART_PAUSE).await;
            self.registry.remove(&key);
            if !shutdown.is_draining() {
                self.wake(key);
            }
        });
    }

    fn worker(
        &self,
        key: QueueKey,
        wakeup: Arc<Wakeup>,
    ) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        match &key {
            QueueKey::Webhook(webhook) => {
                let table = self.delivery_table(webhook);
                let sender = Arc::clone(&self.webhooks.senders);
                let parts = self.parts(table, sender, &self.webhooks);
                Box::pin(Worker::new(key, wakeup, parts).run())
            }
            QueueKey::Sends(queue) => {
                let table = SendTable {
                    infra: self.infra.clone(),
                    queue: queue.clone(),
                };
                let sender = Arc::clone(self.sends.senders.of(queue.kind));
                let mut parts = self.parts(table, sender, &self.sends);
                if queue.kind.is_notification() {
                    // It is worth more attempts: a receiver may be down for an hour.
                    parts.schedule = self.webhooks.schedule.clone();
                }
                Box::pin(Worker::new(key, wakeup, parts).run())
            }
        }
    }

    pub(crate) fn delivery_table(&self, webhook: &WebhookId) -> DeliveryTable {
        DeliveryTable {
            infra: self.infra.clone(),
            webhook: webhook.clone(),
            journal: Arc::clone(&self.journal),
            observer: Arc::clone(&self.observer),
        }
    }

    fn parts<T: Table, S>(
        &self,
        table: T,
        sender: Arc<dyn Sender<T::Row>>,
        limits: &Limits<S>,
    ) -> WorkerParts<T> {
        WorkerParts {
            infra: self.infra.clone(),
            registry: Arc::clone(&self.registry),
            claims: Arc::clone(&self.claims),
            clock_watch: Arc::clone(&self.clock_watch),
            table,
            sender,
            schedule: limits.schedule.clone(),
            permits: Arc::clone(&limits.permits),
        }
    }
}
