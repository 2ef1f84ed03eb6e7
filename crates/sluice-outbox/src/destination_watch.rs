//! Notices webhooks that another node changed or removed, although its hint was lost.

use std::sync::Arc;

use sluice_store::{StoreError, webhooks};

use crate::{dispatcher::Dispatcher, queue_key::QueueKey, wakeup::Signal};

/// Compares the destinations of all workers with the store.
pub(crate) async fn check(dispatcher: &Arc<Dispatcher>) -> Result<(), StoreError> {
    let known = dispatcher.registry.destinations();
    if known.is_empty() {
        return Ok(());
    }
    let read = dispatcher
        .infra
        .store
        .read(move |c| webhooks::changed(c, &known));
    for webhook in read.await? {
        dispatcher.dispatch_here(QueueKey::Webhook(webhook), Signal::Change);
    }
    Ok(())
}
