//! Running an action: its run is stored, and the caller waits for its end.

use std::time::Duration;

use sluice_engine::{EngineError, accept::RunEnd};
use sluice_model::{
    DeploymentId, InvocationId, TraceContext, WorkflowId,
    workflow::{RunOrigin, WorkflowDefinition},
};
use sluice_store::{
    Conn, StoreError,
    audit::{Action, TargetKind},
    inbox::{self, InboxKind, NewInboxItem},
    runs::{self, Run, RunState},
    workflows,
};
use tokio::time::{Instant, sleep};

use super::{
    home::{definition, insert_version},
    prepare::Prepared,
    ran::RanAction,
    request::RunAction,
    service::Actions,
    view::ActionRunView,
};
use crate::{
    audit::{Actor, Change, Target},
    detached,
};

/// Of runs of actions.
pub(crate) const SOURCE_TYPE: &str = "action";
const QUEUED: &str = r#"{"cause":"action"}"#;
/// No caller waits longer.
const LONGEST_WAIT: Duration = Duration::from_mins(5);
/// Added to the time limit of the action, for the start of its process.
const START: Duration = Duration::from_secs(30);
/// Pause between reads of a run that has responded and not ended.
const POLL: Duration = Duration::from_millis(200);

/// A run that is to be stored.
pub(super) struct NewRun {
    pub(super) home: WorkflowId,
    pub(super) definition: WorkflowDefinition,
    /// JSON text.
    pub(super) event: String,
    pub(super) key_id: Option<String>,
    pub(super) replay_of: Option<InvocationId>,
    pub(super) change: Change,
    /// The span that causes it.
    pub(super) trace: Option<TraceContext>,
}

impl Actions {
    /// Runs an action once. The run goes on when the caller does not wait for its end, or is gone.
    pub async fn run(
        &self,
        actor: &Actor,
        request: RunAction,
    ) -> Result<ActionRunView, EngineError> {
        let user = &actor.user_id;
        self.stored_runs.check_quota(user).await?;
        let (waits, limit) = (request.wait, request.timeout_seconds);
        let (tool, trace) = (request.tool.clone(), request.trace.clone());
        let home = self.home(user).await?;
        let Prepared { component, step } = self.prepare(user, &home, request).await?;
        let action = RanAction {
            key: component.key.clone(),
            name: component.name.clone(),
            version: component.version.clone(),
            component_id: component.id.clone(),
        };
        let target = Target::new(TargetKind::Run, "", &action.name);
        let mut change = Change::new(&self.infra, actor, Action::ActionRun, target);
        change.add(
            "component",
            action.key.as_deref().unwrap_or(component.id.as_str()),
        );
        if let Some(tool) = tool {
            change.add("tool", tool);
        }
        let new = NewRun {
            definition: definition(action.name.clone(), vec![step]),
            event: serde_json::to_string(&action)
                .map_err(|error| EngineError::Internal(error.to_string()))?,
            home,
            key_id: actor.credential_id.clone(),
            replay_of: None,
            change,
            trace,
        };
        let limit = limit.map_or(self.infra.settings.invocation_timeout, |seconds| {
            Duration::from_secs(seconds.into())
        });
        let wait = waits.then(|| (limit + START).min(LONGEST_WAIT));
        self.start(actor, new, wait).await
    }

    /// Stores a run, and waits for its end if asked to.
    pub(super) async fn start(
        &self,
        actor: &Actor,
        new: NewRun,
        wait: Option<Duration>,
    ) -> Result<ActionRunView, EngineError> {
        let user = &actor.user_id;
        let id = self.infra.ids.invocation();
        let end = wait.map(|_| self.stored_runs.expect_end(id));
        let service = self.clone();
        let node = end.is_some().then(|| self.stored_runs.node().to_owned());
        detached::run(&self.infra.shutdown, async move {
            let (home, now) = (new.home.clone(), service.infra.now_ms());
            let ids = service.infra.ids.clone();
            let stored = service.infra.store.write(move |c| {
                let version = version_of(c, &new, &ids, now)?;
                store(c, (id, version), new, node.as_deref(), now)
            });
            let stored = stored.await;
            // Also after an error: the transaction may have been committed.
            service.owners.wake(&home);
            Ok(stored?)
        })
        .await?;
        match end.zip(wait) {
            Some((end, wait)) => self.ended(user, id, end, wait).await,
            None => self.get(user, id).await,
        }
    }

    async fn ended(
        &self,
        user: &sluice_model::UserId,
        id: InvocationId,
        mut end: RunEnd,
        wait: Duration,
    ) -> Result<ActionRunView, EngineError> {
        let deadline = Instant::now() + wait;
        end.wait(wait).await;
        loop {
            let view = self.get(user, id).await?;
            let is_busy = matches!(view.run.state, RunState::Queued | RunState::Running);
            if !is_busy || Instant::now() >= deadline || self.infra.shutdown.is_draining() {
                return Ok(view);
            }
            sleep(POLL).await;
        }
    }
}

fn version_of(
    c: &mut dyn Conn,
    new: &NewRun,
    ids: &sluice_infra::Ids,
    now: i64,
) -> Result<DeploymentId, StoreError> {
    workflows::lock(c, &new.home)?;
    insert_version(c, &new.home, new.definition.clone(), ids, now)
}

fn store(
    c: &mut dyn Conn,
    (id, version): (InvocationId, DeploymentId),
    new: NewRun,
    node: Option<&str>,
    now: i64,
) -> Result<(), StoreError> {
    let NewRun {
        home,
        event,
        key_id,
        replay_of,
        mut change,
        definition,
        trace,
    } = new;
    let run = Run {
        id,
        workflow_id: home.clone(),
        deployment_id: version,
        state: RunState::Queued,
        origin: RunOrigin {
            source_type: SOURCE_TYPE.to_owned(),
            emitter_id: None,
            event_id: None,
            replay_of,
            key_id,
        },
        depth: 0,
        accepted_at: now,
        // Not started yet, so it must not count among the started runs.
        started_at: 0,
        finished_at: None,
        due_at: None,
        pause: None,
        pause_key: None,
        error: None,
        exit_reason: None,
        event,
        trace,
    };
    runs::begin(c, &run)?;
    let item = NewInboxItem {
        id: &id,
        kind: InboxKind::Continued,
        prop: None,
        payload: QUEUED,
        accepted_at: now,
        depth: 0,
        reply_to: node,
        trace: None,
    };
    inbox::insert(c, &home, &item)?;
    change.set_target(Target::new(TargetKind::Run, id, &definition.name));
    change.record(c)
}
