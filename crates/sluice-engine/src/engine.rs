//! Wiring: the parts of the engine, put together once at start.

use std::{sync::Arc, time::Duration};

use sluice_infra::{Infra, Supervisor};
use sluice_model::EmitterId;
use sluice_outbox::Outbox;
use sluice_runtime::{PermitLimits, PermitUse, Processes};
use sluice_store::{Conn, StoreError, inbox, server_clock, sources};

use crate::{
    accept::{Accept, Endpoints, StoredRuns},
    disk_quota::{self, DiskQuotas},
    due_times::DueTimes,
    error::EngineError,
    hints::{self, HintTargets},
    inbox::{Inbox, sweep as inbox_sweep},
    new_locks::NewLocks,
    owner::{
        Owners, Ownership, Replies, Waker, WorkflowTests, after_commit::AfterCommit,
        claims::Claims, hand_over, services::Services, supervise::start_owners,
    },
    process::{Permits, ProcessStarter, credentials::Credentials, memory_budget},
    quotas::Quotas,
    retention::{Retention, roll_up, sweep},
    streams::Streams,
    tick_health::TickHealth,
    timers::Scheduler,
};

/// The parts of a running engine. Each is a cheap handle.
#[derive(Clone)]
pub struct Engine {
    pub accept: Accept,
    pub endpoints: Endpoints,
    pub quotas: Quotas,
    pub disk: DiskQuotas,
    pub inbox: Inbox,
    pub owners: Owners,
    pub credentials: Credentials,
    pub timers: DueTimes,
    pub streams: Streams,
    pub retention: Retention,
    pub outbox: Outbox,
    pub replies: Replies,
    pub stored_runs: StoredRuns,
    pub new_locks: NewLocks,
    pub workflow_tests: WorkflowTests,
    claims: Claims,
    permits: Permits,
}

impl Engine {
    /// Cleans up after a crash, resumes stored work, and starts the background tasks.
    pub async fn start(
        infra: &Infra,
        processes: &Arc<dyn Processes>,
    ) -> Result<Engine, EngineError> {
        let supervisor = Supervisor::new(infra.shutdown.clone(), Arc::clone(&infra.metrics));
        let claims = Claims::default();
        let replies = Replies::new(infra.clone());
        let (owners, new_owners) = Owners::new(infra.clone(), claims.clone());
        let quotas = Quotas::new(infra.clone());
        let disk = DiskQuotas::new(infra.settings.max_disk_per_account);
        let streams = Streams::new(infra.clone());
        let due_times = DueTimes::default();
        let tick_health = TickHealth::new(infra);
        let permits = Permits::new(PermitLimits {
            total: infra.settings.max_processes,
            per_user: infra.settings.max_processes_per_account,
        });
        let credentials = Credentials::new(infra.clone())
            .map_err(|error| EngineError::Internal(error.to_string()))?;
        let outbox = Outbox::new(infra.clone(), Arc::new(streams.clone()))
            .map_err(|error| EngineError::Invalid(error.to_string()))?;
        let services = Services {
            infra: infra.clone(),
            claims: claims.clone(),
            replies: replies.clone(),
            quotas: quotas.clone(),
            disk: disk.clone(),
            credentials: credentials.clone(),
            permits: permits.clone(),
            starter: ProcessStarter::new(
                infra.clone(),
                Arc::clone(processes),
                permits.clone(),
                disk.clone(),
            ),
            after_commit: AfterCommit {
                metrics: Arc::clone(&infra.metrics),
                streams: streams.clone(),
                waker: Waker::new(owners.clone(), outbox.clone()),
                quotas: quotas.clone(),
                disk: disk.clone(),
                due_times: due_times.clone(),
                tick_health: tick_health.clone(),
            },
            tick_health: tick_health.clone(),
        };
        let workflow_tests = WorkflowTests::new(&services);
        let inbox = Inbox::start(infra.clone(), owners.clone(), replies.clone());
        let node = infra.cluster.incarnation().to_owned();
        let recovery = infra.store.write(move |c| recover(c, &node));
        let (waiting, latest_ms) = recovery.await?;
        infra.ids.not_before(latest_ms);
        tokio::spawn(start_owners(
            services,
            owners.clone(),
            supervisor,
            new_owners,
        ));
        outbox.start().await?;
        wake_all(&owners, &waiting);
        let scheduler = Scheduler {
            infra: infra.clone(),
            owners: owners.clone(),
            quotas: quotas.clone(),
            streams: streams.clone(),
            due_times: due_times.clone(),
        };
        infra.shutdown.spawn(scheduler.run());
        infra.shutdown.spawn(tick_health.warn());
        infra.shutdown.spawn(sweep::run(infra.clone()));
        infra.shutdown.spawn(roll_up::run(infra.clone()));
        let budget = memory_budget::enforce(infra.clone(), Arc::clone(processes), permits.clone());
        infra.shutdown.spawn(budget);
        let disk_sweep = disk_quota::run(infra.clone(), Arc::clone(processes), disk.clone());
        infra.shutdown.spawn(disk_sweep);
        let endpoints = Endpoints::new(infra.clone());
        let engine = Engine {
            accept: Accept::new(
                infra.clone(),
                quotas.clone(),
                inbox.clone(),
                endpoints.clone(),
            ),
            endpoints,
            stored_runs: StoredRuns::new(infra.clone(), quotas.clone(), replies.clone()),
            replies,
            new_locks: NewLocks::new(infra.cluster.clone()),
            workflow_tests,
            claims,
            quotas,
            disk,
            inbox,
            owners,
            credentials,
            timers: due_times,
            streams,
            retention: Retention::new(infra.clone()),
            outbox,
            permits,
        };
        engine.start_node_tasks(infra);
        Ok(engine)
    }

    /// Starts what a node does beside others on the same database.
    fn start_node_tasks(&self, infra: &Infra) {
        let (owners, claims) = (self.owners.clone(), self.claims.clone());
        let targets = HintTargets {
            owners: owners.clone(),
            endpoints: self.endpoints.clone(),
            streams: self.streams.clone(),
            outbox: self.outbox.clone(),
            credentials: self.credentials.clone(),
            new_locks: self.new_locks.clone(),
        };
        tokio::spawn(hints::receive(infra.clone(), targets));
        let shutdown = &infra.shutdown;
        shutdown.spawn(inbox_sweep::run(infra.clone(), owners.clone()));
        shutdown.spawn(hand_over::run(infra.clone(), owners, claims));
        shutdown.spawn(self.replies.clone().poll());
        shutdown.spawn(self.streams.clone().follow_other_nodes());
    }

    /// Gives up what this node owns and does not run, so that other nodes go on with it. What runs is given up when it ends.
    pub async fn release_idle(&self, infra: &Infra) {
        hand_over::release_idle(infra, &self.owners, &self.claims).await;
    }

    /// Tells which node has an emitter.
    pub fn ownership(&self, infra: &Infra) -> Ownership {
        Ownership::new(infra.clone(), self.owners.clone())
    }

    /// The use of the permits for processes of sources and workflows.
    pub fn process_permits(&self) -> PermitUse {
        self.permits.in_use()
    }
}

fn wake_all(owners: &Owners, waiting: &[EmitterId]) {
    for emitter in waiting {
        owners.wake(emitter);
    }
}

/// Waits for running work. Work that does not end within `patience` runs again at the next start.
pub async fn drain(infra: &Infra, patience: Duration) {
    if !infra.shutdown.drain(patience).await {
        tracing::warn!(
            ?patience,
            "drain timed out; unfinished invocations run again at the next start"
        );
    }
}

/// Removes sources whose creation a crash interrupted. Returns the emitters with work, and the last stored clock time.
fn recover(c: &mut dyn Conn, node: &str) -> Result<(Vec<EmitterId>, i64), StoreError> {
    for unfinished in sources::abandoned(c, node)? {
        sources::remove(c, &unfinished)?;
    }
    let latest_ms = server_clock::latest(c)?.unwrap_or(0);
    Ok((inbox::emitters_with_work(c)?, latest_ms))
}
