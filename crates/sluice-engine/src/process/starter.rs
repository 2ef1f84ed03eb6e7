//! Starting component processes within their permits.

use std::sync::Arc;

use sluice_infra::Infra;
use sluice_model::UserId;
use sluice_runtime::{Lease, LoadError, ProcessSpec, Processes, StartPermit};

use super::{
    credentials::Grants,
    data_stores::{DataStoreAccess, DataStoreServer},
    live::{LiveProcess, ProcessLease},
    permits::{Admission, Permits, ProcessPermit},
};
use crate::disk_quota::DiskQuotas;

#[derive(Clone)]
pub(crate) struct ProcessStarter {
    infra: Infra,
    processes: Arc<dyn Processes>,
    permits: Permits,
    disk: DiskQuotas,
}

impl ProcessStarter {
    pub(crate) fn new(
        infra: Infra,
        processes: Arc<dyn Processes>,
        permits: Permits,
        disk: DiskQuotas,
    ) -> ProcessStarter {
        ProcessStarter {
            infra,
            processes,
            permits,
            disk,
        }
    }

    /// Waits until this user may start a process, and starts it.
    pub(crate) async fn start(
        self,
        user: UserId,
        spec: ProcessSpec,
        access: DataStoreAccess,
        grants: Vec<Grants>,
    ) -> Result<LiveProcess, LoadError> {
        let Admission {
            start,
            permit,
            waited,
            delay,
        } = self
            .permits
            .acquire(
                &user,
                || self.processes.admit(&spec),
                |start| start.lease().is_some(),
            )
            .await?;
        let metrics = &self.infra.metrics;
        metrics.process_wait_seconds.observe(waited.as_secs_f64());
        let lease = self.lease(&start, permit);
        let start = start.with_lease(Arc::clone(&lease));
        let (process, events) = self.processes.start(&spec, start).await?;
        let data_stores =
            DataStoreServer::start(&self.infra, &self.disk, access, process.answers());
        Ok(LiveProcess::new(
            process,
            events,
            data_stores,
            grants,
            lease,
            delay,
        ))
    }

    /// The lease of a new process, or of the one that is joined.
    fn lease(&self, start: &StartPermit, permit: Option<ProcessPermit>) -> Lease {
        let metrics = &self.infra.metrics;
        if let Some(lease) = start.lease() {
            metrics.process_joins.inc();
            return Arc::clone(lease);
        }
        metrics.process_starts.inc();
        Arc::new(ProcessLease::new(Arc::clone(metrics), permit))
    }
}
