//! One test run: its steps, one after another, as in a run that is not stored.

use std::{sync::Arc, time::Duration};

use sluice_infra::compute_ms;
use sluice_model::workflow::PauseKind;
use sluice_runtime::{Outcome, ProcessSpec};
use sluice_store::{
    Conn,
    inbox::InboxKind,
    kv,
    run_steps::StepState,
    runs::{Run, RunState},
    usage::Usage,
};

use super::{
    plan::{TestEnd, TestPlan, TestedStep},
    process::TestProcess,
    services::TestServices,
};
use crate::{
    commit::{
        builder::failure,
        progress::{After, Progress, StepEnd},
    },
    error::EngineError,
    owner::workflow::{
        step_input::{StepCall, pause_key},
        version::Version,
    },
    process::{
        credentials::GrantStatus,
        uploads::{PLACEHOLDER, UploadError, write_uploads},
    },
    state::KvState,
    work::Work,
};

/// Of all exports, logs and sends: the result is kept in memory until it is sent.
const MAX_RESULT: usize = 32 * 1024 * 1024;

pub(super) struct TestRun {
    services: TestServices,
    plan: TestPlan,
    progress: Progress,
    process: Option<TestProcess>,
    /// Time of steps that no process reported.
    uncharged: Duration,
    result_bytes: usize,
    steps: Vec<TestedStep>,
    exit_reason: Option<String>,
}

impl TestRun {
    pub(super) fn new(services: TestServices, mut plan: TestPlan) -> TestRun {
        let infra = &services.infra;
        let now_ms = infra.now_ms();
        let run = Run {
            id: infra.ids.invocation(),
            workflow_id: plan.workflow.id.clone(),
            deployment_id: plan.workflow.deployment_id.clone(),
            state: RunState::Running,
            origin: plan.origin.clone(),
            depth: 0,
            accepted_at: now_ms,
            started_at: now_ms,
            finished_at: None,
            due_at: None,
            pause: None,
            pause_key: None,
            error: None,
            exit_reason: None,
            event: std::mem::take(&mut plan.event),
            trace: None,
        };
        TestRun {
            services,
            plan,
            progress: Progress::new(run),
            process: None,
            uncharged: Duration::ZERO,
            result_bytes: 0,
            steps: Vec::new(),
            exit_reason: None,
        }
    }

    /// Runs all steps, or as many as a run would.
    pub(super) async fn steps(&mut self) -> Result<(), EngineError> {
        let version = self.version()?;
        self.process = Some(self.start(&version).await?);
        let event = self.event().await?;
        while self.progress.position() < version.definition.steps.len() {
            let outcome = match self.authorize(&version).await? {
                Ok(()) => self.invoke(&event).await?,
                Err(reason) => Outcome {
                    failure: Some(failure("AccountError", reason)),
                    ..Outcome::default()
                },
            };
            if !self.ended(&version, outcome)? {
                break;
            }
        }
        Ok(())
    }

    fn version(&self) -> Result<Arc<Version>, EngineError> {
        let version = Version::unstored(
            self.plan.workflow.deployment_id.clone(),
            self.plan.definition.clone(),
            &self.plan.components,
            self.plan.secrets.clone(),
        );
        Ok(Arc::new(version?))
    }

    async fn start(&self, version: &Version) -> Result<TestProcess, EngineError> {
        let TestServices {
            infra,
            disk,
            credentials,
            starter,
            ..
        } = &self.services;
        let workflow = &self.plan.workflow;
        let user = &workflow.user_id;
        let kv = self.key_values().await?;
        let spec = version
            .process_spec(workflow, &infra.settings, &infra.vault, &kv)
            .map_err(EngineError::Invalid)?;
        let spec = ProcessSpec {
            max_db: disk.is_full(user).then(|| kv.bytes()),
            ..spec
        };
        let access = version.data_store_access(workflow, None);
        let grants = version.grants(credentials, user);
        let process = starter.clone().start(user.clone(), spec, access, grants);
        TestProcess::start(process).await
    }

    /// The key-value store as it is now. The test changes a copy.
    async fn key_values(&self) -> Result<KvState, EngineError> {
        let workflow = self.plan.workflow.id.clone();
        let read = move |c: &mut dyn Conn| KvState::load(kv::load_all(c, &workflow)?, &workflow);
        Ok(self.services.infra.store.read(read).await?)
    }

    /// The event, with the paths of its files in the folder of the process.
    async fn event(&mut self) -> Result<Arc<str>, EngineError> {
        let event: Arc<str> = Arc::from(self.progress.run.event.as_str());
        let Some(run) = self.plan.uploads_of.filter(|_| event.contains(PLACEHOLDER)) else {
            return Ok(event);
        };
        let work = Work {
            id: run,
            kind: InboxKind::Manual,
            prop: None,
            event,
            attempts: 0,
            accepted_at: 0,
            depth: 0,
            dispatched_at: None,
            trace: None,
        };
        let emitter = (*self.plan.workflow.id).clone();
        let store = self.services.infra.store.clone();
        let folder = self.live()?.live()?.tmp_folder();
        match write_uploads(store, emitter, work, folder).await {
            Ok(work) => Ok(work.event),
            Err((_, UploadError::Store(error))) => Err(error.into()),
            Err((_, error @ UploadError::Disk(_))) => {
                Err(EngineError::Unavailable(error.to_string()))
            }
        }
    }

    fn live(&mut self) -> Result<&mut TestProcess, EngineError> {
        let missing = || EngineError::Internal("the test has no process".to_owned());
        self.process.as_mut().ok_or_else(missing)
    }

    /// Gives the process the credentials of the next step; `Err` with the reason why an account cannot be used.
    async fn authorize(&mut self, version: &Version) -> Result<Result<(), String>, EngineError> {
        let position = self.progress.position();
        let (credentials, infra) = (
            self.services.credentials.clone(),
            self.services.infra.clone(),
        );
        loop {
            let live = self.live()?.live()?;
            let grants = live.grants.get_mut(position);
            let Some(grants) = grants.filter(|grants| !grants.is_empty()) else {
                return Ok(Ok(()));
            };
            match grants.check(infra.now_ms()) {
                GrantStatus::Current => return Ok(Ok(())),
                GrantStatus::Changed(auths) => {
                    live.authorize(&version.definition.steps[position].name, &auths);
                    return Ok(Ok(()));
                }
                GrantStatus::Rejected(reason) => return Ok(Err(reason.to_string())),
                GrantStatus::Unknown => {
                    let entries = grants.entries();
                    credentials.refresh_all(&entries).await?;
                }
            }
        }
    }

    async fn invoke(&mut self, event: &str) -> Result<Outcome, EngineError> {
        let infra = &self.services.infra;
        let key = pause_key(&mut infra.ids.rng());
        let call = StepCall {
            workflow: &self.plan.workflow,
            definition: &self.plan.definition,
            progress: &self.progress,
            event,
            key: &key,
            tested: Some(&self.plan.given),
        };
        let invocation = call.invocation(infra.ids.invocation(), &infra.settings);
        self.live()?.invoke(invocation).await
    }

    /// Takes the outcome of the next step. Returns whether another one may run.
    fn ended(&mut self, version: &Version, outcome: Outcome) -> Result<bool, EngineError> {
        self.uncharged += outcome.uncharged;
        let now_ms = self.services.infra.now_ms();
        let took = i64::try_from(outcome.duration.as_millis()).unwrap_or(i64::MAX);
        let started_at = now_ms.saturating_sub(took);
        let end = self
            .progress
            .step_ended(&version.definition, started_at, outcome);
        let StepEnd {
            mut record,
            sends,
            after,
        } = end;
        let mut pause_ms = None;
        let goes_on = match after {
            After::NextStep => true,
            After::Finished { exit_reason } => {
                self.exit_reason = exit_reason;
                false
            }
            After::Failed(_) => false,
            After::Waiting { pause, ms } => {
                pause_ms = Some(ms);
                record.pause = Some(pause.kind);
                pause.kind != PauseKind::Retry
            }
        };
        if record.state == StepState::Repeated {
            // A run would repeat it. Here the next step gets what it has exported.
            let exports = (record.name.clone(), record.exports.clone());
            self.progress.exports.push(exports);
            self.progress.attempts = 0;
        }
        let sent: usize = sends.iter().map(|send| send.payload.get().len()).sum();
        self.result_bytes += record.exports.len() + record.logs.len() + sent;
        if self.result_bytes > MAX_RESULT {
            return Err(EngineError::TooLarge(format!(
                "the results of the test are larger than {MAX_RESULT} bytes"
            )));
        }
        self.steps.push(TestedStep {
            record,
            sends,
            pause_ms,
        });
        Ok(goes_on)
    }

    /// Counts the test in the quotas of its user, as one run.
    pub(super) async fn charge(&self) {
        let reported = self.process.as_ref().map(|process| process.computed);
        let usage = Usage {
            invocations: 1,
            compute_ms: compute_ms(self.uncharged + reported.unwrap_or_default()),
        };
        let user = &self.plan.workflow.user_id;
        if let Err(error) = self.services.quotas.charge(user, usage).await {
            tracing::warn!(%user, %error, "usage of a test run was not stored");
        }
    }

    pub(super) fn into_end(self) -> TestEnd {
        let immediate = self.process.and_then(|process| process.reply);
        TestEnd {
            id: self.progress.run.id,
            steps: self.steps,
            exit_reason: self.exit_reason,
            reply: immediate.or(self.progress.reply),
        }
    }
}
