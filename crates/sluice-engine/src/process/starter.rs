//! Starting component processes within their permits.

use std::sync::Arc;

use sluice_infra::Infra;
use sluice_runtime::{LoadError, ProcessSpec, Processes};

use super::{
    credentials::Grants,
    data_stores::{DataStoreAccess, DataStoreServer},
    live::{LiveProcess, ProcessLease},
    permits::Permits,
};

#[derive(Clone)]
pub(crate) struct ProcessStarter {
    infra: Infra,
    processes: Arc<dyn Processes>,
    permits: Permits,
}

impl ProcessStarter {
    pub(crate) fn new(
        infra: Infra,
        processes: Arc<dyn Processes>,
        permits: Permits,
    ) -> ProcessStarter {
        ProcessStarter {
            infra,
            processes,
            permits,
        }
    }

    /// Waits for a permit and starts a process.
    pub(crate) async fn start(
        self,
        spec: ProcessSpec,
        access: DataStoreAccess,
        grants: Vec<Grants>,
    ) -> Result<LiveProcess, LoadError> {
        let permit = self.permits.acquire().await;
        self.infra.metrics.process_starts.inc();
        let (process, events) = self.processes.start(&spec).await?;
        let data_stores = DataStoreServer::start(&self.infra, access, process.answers());
        let lease = ProcessLease::new(Arc::clone(&self.infra.metrics), permit);
        Ok(LiveProcess::new(
            process,
            events,
            data_stores,
            grants,
            lease,
        ))
    }
}
