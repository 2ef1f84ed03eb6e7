//! A running process with its permit, its data stores and its accounts.

use std::sync::Arc;

use serde_json::{Map, Value};
use sluice_infra::Metrics;
use sluice_runtime::{Ask, Invocation, Lease, Process, ProcessEvents, SharedPlace, TmpFolder};

use super::{
    credentials::Grants, data_stores::DataStoreServer, permits::ProcessPermit,
    start_delay::StartDelay,
};

pub(crate) struct LiveProcess {
    process: Process,
    pub(super) events: ProcessEvents,
    data_stores: DataStoreServer,
    /// For each module, in the order of the spec.
    pub(crate) grants: Vec<Grants>,
    lease: Lease,
    /// A long wait for the permit, until it is taken.
    delay: Option<StartDelay>,
}

/// Held until the process is gone, not only until it is told to stop. Owners that share a process share it.
pub(super) struct ProcessLease {
    metrics: Arc<Metrics>,
    _permit: Option<ProcessPermit>,
}

impl ProcessLease {
    pub(super) fn new(metrics: Arc<Metrics>, permit: Option<ProcessPermit>) -> ProcessLease {
        metrics.processes.inc();
        ProcessLease {
            metrics,
            _permit: permit,
        }
    }
}

impl Drop for ProcessLease {
    fn drop(&mut self) {
        self.metrics.processes.dec();
    }
}

impl LiveProcess {
    pub(super) fn new(
        process: Process,
        events: ProcessEvents,
        data_stores: DataStoreServer,
        grants: Vec<Grants>,
        lease: Lease,
        delay: Option<StartDelay>,
    ) -> LiveProcess {
        LiveProcess {
            process,
            events,
            data_stores,
            grants,
            lease,
            delay,
        }
    }

    pub(crate) fn take_delay(&mut self) -> Option<StartDelay> {
        self.delay.take()
    }

    pub(crate) fn invoke(&self, invocations: &[Invocation]) {
        self.process.invoke(invocations);
    }

    pub(crate) fn request_data_store(&self, ask: Ask) {
        self.data_stores.request(ask);
    }

    /// Sends new `$auth` values to a module.
    pub(crate) fn authorize(&self, module: &str, auths: &Map<String, Value>) {
        self.process.authorize(module, auths);
    }

    pub(crate) fn tmp_folder(&self) -> TmpFolder {
        self.process.tmp()
    }

    /// The process, if others may share it.
    pub(super) fn place(&self) -> Option<SharedPlace> {
        self.process.place()
    }

    /// An idle process is about to be stopped. If others share it, it goes on for them.
    pub(super) fn leave(&self) {
        self.process.leave();
    }

    /// Kills the process. The permit is released when it is gone.
    pub(super) async fn stop(self) {
        let LiveProcess {
            process,
            mut events,
            data_stores,
            grants: _,
            lease,
            delay: _,
        } = self;
        drop((process, data_stores));
        while events.recv().await.is_some() {}
        drop(lease);
    }
}
