//! Replaying a run: the same version of the action runs again, with the same props.

use sluice_engine::EngineError;
use sluice_model::{InvocationId, TraceContext};
use sluice_store::{
    audit::{Action, TargetKind},
    deployments, runs,
};

use super::{run::NewRun, service::Actions, view::ActionRunView};
use crate::{
    audit::{Actor, Change, Target},
    replay_span::ReplaySpan,
};

impl Actions {
    /// Starts the new run and returns it at once.
    pub async fn replay(
        &self,
        actor: &Actor,
        run: InvocationId,
        trace: Option<TraceContext>,
    ) -> Result<ActionRunView, EngineError> {
        let user = &actor.user_id;
        self.stored_runs.check_quota(user).await?;
        let missing = || EngineError::NotFound("run");
        let home = self.home_if_any(user).await?.ok_or_else(missing)?;
        let found = self.infra.store.read({
            let home = home.clone();
            move |c| {
                let Some(run) = runs::get(c, &home, &run)? else {
                    return Ok(None);
                };
                let version = deployments::get(c, &run.deployment_id)?;
                Ok(version.map(|version| (run, version.definition)))
            }
        });
        let (before, definition) = found.await?.ok_or_else(missing)?;
        let target = Target::new(TargetKind::Run, run, &definition.name);
        let change = Change::new(&self.infra, actor, Action::RunReplay, target);
        let mut span = ReplaySpan::begin(&self.infra, trace);
        let new = NewRun {
            home,
            definition,
            event: before.event,
            key_id: actor.credential_id.clone(),
            replay_of: Some(before.origin.replay_of.unwrap_or(before.id)),
            change: change.with("replayed", run.to_string()),
            trace: span.context().cloned(),
        };
        let started = self.start(actor, new, None).await;
        span.link(before.trace);
        span.end(&self.infra, "run");
        started
    }
}
