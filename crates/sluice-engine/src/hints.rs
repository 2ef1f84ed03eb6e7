//! Hints of other nodes, handed to the parts that they are for.

use sluice_cluster::{Hint, Received};
use sluice_infra::Infra;
use sluice_model::EmitterKind;
use sluice_outbox::Outbox;

use crate::{
    accept::Endpoints, new_locks::NewLocks, owner::Owners, process::credentials::Credentials,
    streams::Streams,
};

/// The parts of the engine that hints are for.
pub(crate) struct HintTargets {
    pub(crate) owners: Owners,
    pub(crate) endpoints: Endpoints,
    pub(crate) streams: Streams,
    pub(crate) outbox: Outbox,
    pub(crate) credentials: Credentials,
    pub(crate) new_locks: NewLocks,
}

/// Runs until the server drains.
pub(crate) async fn receive(infra: Infra, targets: HintTargets) {
    let Some(mut inbound) = infra.cluster.take_inbound() else {
        return;
    };
    while let Some(Received { from, hint }) = inbound.recv().await {
        if infra.shutdown.is_draining() {
            return;
        }
        targets.take(&from, hint);
    }
}

impl HintTargets {
    fn take(&self, from: &str, hint: Hint) {
        match hint {
            Hint::Work(emitter) => self.owners.wake_here(&emitter),
            Hint::Definition(emitter) => {
                self.endpoints.forget(&emitter);
                if let EmitterKind::Workflow(id) = emitter.kind() {
                    self.owners.workflow_changed(&id);
                }
            }
            Hint::Accounts => self.credentials.read_again(),
            Hint::Follow(emitter) => self.streams.followed(&emitter, from),
            Hint::Traffic(user) => self.streams.traffic_followed(&user, from),
            Hint::Events(emitter) => self.streams.events_elsewhere(&emitter),
            Hint::Logs(emitter) => self.streams.logs_elsewhere(&emitter),
            Hint::Queue(queue) => self.outbox.wake_queue(&queue),
            Hint::QueueChanged(queue) => self.outbox.queue_changed(&queue),
            Hint::Packages(hash) => self.new_locks.saved_elsewhere(hash),
        }
    }
}
