//! The status of the server for its operator.

use std::sync::Arc;

use sluice_engine::{Engine, EngineError};
use sluice_infra::{Infra, PermitCounts, SettingDescription};
use sluice_model::EmitterId;
use sluice_runtime::{ProcessOwner, Processes, RunningProcess};
use sluice_store::{Dialect, emitters};

use super::usage::ResourceUsage;

pub struct ServerView {
    pub started_at: i64,
    pub public_url: String,
    pub database: Dialect,
    pub usage: ResourceUsage,
    /// Largest first.
    pub processes: Vec<ProcessView>,
    pub settings: Vec<SettingDescription>,
}

/// The process of a source or a workflow.
pub struct ProcessView {
    pub emitter_id: EmitterId,
    pub name: String,
    /// The owner's name.
    pub username: String,
    pub memory_bytes: u64,
    pub started_at: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricsFormat {
    /// The text format of Prometheus.
    Text,
    OpenMetrics,
}

/// Reads the status of the server.
#[derive(Clone)]
pub struct ServerStatus {
    infra: Infra,
    engine: Engine,
    processes: Arc<dyn Processes>,
    /// Epoch milliseconds.
    started_at: i64,
}

impl ServerStatus {
    pub fn new(infra: &Infra, engine: &Engine, processes: &Arc<dyn Processes>) -> ServerStatus {
        ServerStatus {
            infra: infra.clone(),
            engine: engine.clone(),
            processes: Arc::clone(processes),
            started_at: infra.now_ms(),
        }
    }

    /// False once the server drains.
    pub fn is_ready(&self) -> bool {
        !self.infra.shutdown.is_draining()
    }

    /// All metrics.
    pub fn metrics(&self, format: MetricsFormat) -> String {
        let (metrics, processes) = (&self.infra.metrics, &self.processes);
        let warm = i64::try_from(processes.warm_processes()).unwrap_or(i64::MAX);
        metrics.warm_processes.set(warm);
        metrics.is_warm.set(i64::from(processes.is_warm()));
        let memory = i64::try_from(processes.memory_in_use()).unwrap_or(i64::MAX);
        metrics.process_memory.set(memory);
        metrics.cluster.update(&self.infra.cluster);
        self.update_permits();
        match format {
            MetricsFormat::Text => metrics.plain_text(),
            MetricsFormat::OpenMetrics => metrics.open_metrics(),
        }
    }

    fn update_permits(&self) {
        let of_sources = ("process", self.engine.process_permits());
        let others = self.processes.permits_in_use();
        for (kind, used) in others.into_iter().chain([of_sources]) {
            let counts = PermitCounts {
                held: used.held,
                waiting: used.waiting,
                account_max: used.most_of_one_user,
                delayed: used.delayed,
            };
            self.infra.metrics.permits.set(kind, &counts);
        }
    }

    pub async fn usage(&self) -> Result<ResourceUsage, EngineError> {
        ResourceUsage::read(&self.infra, &self.processes, self.started_at).await
    }

    pub async fn view(&self) -> Result<ServerView, EngineError> {
        let usage = self.usage().await?;
        let running = self.processes.processes();
        let owners: Vec<EmitterId> = running.iter().filter_map(emitter).collect();
        let read = self
            .infra
            .store
            .read(move |c| Ok((c.dialect(), emitters::names(c, &owners)?)));
        let (database, names) = read.await?;
        let view = |process: &RunningProcess| {
            let emitter_id = emitter(process)?;
            // A process whose owner was just deleted is about to stop.
            let found = names.get(&emitter_id)?;
            Some(ProcessView {
                name: found.name.clone(),
                username: found.username.clone(),
                emitter_id,
                memory_bytes: process.memory_bytes,
                started_at: process.started_at,
            })
        };
        let mut processes: Vec<ProcessView> = running.iter().filter_map(view).collect();
        processes.sort_by_key(|process| std::cmp::Reverse(process.memory_bytes));
        Ok(ServerView {
            started_at: self.started_at,
            public_url: self.infra.settings.public_url.clone(),
            database,
            usage,
            processes,
            settings: self.infra.settings.described.to_vec(),
        })
    }
}

fn emitter(process: &RunningProcess) -> Option<EmitterId> {
    match &process.owner {
        ProcessOwner::Unowned => None,
        ProcessOwner::Source(id) => Some(id.clone().into()),
        ProcessOwner::Workflow(id) => Some(id.clone().into()),
    }
}
