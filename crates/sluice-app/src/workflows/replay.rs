//! Replaying runs: a new run for the same event, from the start or from the failed step.

use std::collections::HashSet;

use sluice_engine::{EngineError, timers::waiting_runs::continue_run};
use sluice_model::{
    InvocationId, TraceContext,
    workflow::{RunOrigin, WorkflowDefinition},
};
use sluice_store::{
    Conn, StoreError,
    audit::{Action, TargetKind},
    deployments,
    run_history::{self, Outline},
    run_steps::{self, StepRecord, StepState},
    runs::{self, Run, RunState},
    workflows::{self, Workflow},
};

use super::{runs::must_be_active, service::Workflows};
use crate::{
    audit::{Actor, Change, Target},
    detached,
    replay_span::ReplaySpan,
};

const REPLAY: &str = r#"{"cause":"replay"}"#;
/// Runs that one read returns.
const OUTLINE_PAGE: u32 = 1_000;
/// Limits of one transaction.
const BATCH_RUNS: usize = 50;
const BATCH_BYTES: usize = 8 * 1024 * 1024;

/// Where a replay begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReplayFrom {
    #[default]
    Start,
    /// After the completed steps, as far as the current version has the same ones.
    Failed,
}

/// Which runs to replay: from `start` to `end`, both included. A missing end is open.
pub struct ReplayRuns {
    pub from: ReplayFrom,
    pub failed_only: bool,
    pub start: Option<InvocationId>,
    pub end: Option<InvocationId>,
}

impl Workflows {
    /// Replays one run; returns the id of the new one.
    pub async fn replay_run(
        &self,
        actor: &Actor,
        id_or_slug: &str,
        run: InvocationId,
        from: ReplayFrom,
        trace: Option<TraceContext>,
    ) -> Result<InvocationId, EngineError> {
        let workflow = self.row(&actor.user_id, id_or_slug).await?;
        must_be_active(&workflow)?;
        let (replayed, wanted) = (workflow.id.clone(), run);
        let found = self
            .infra
            .store
            .read(move |c| runs::state(c, &replayed, &wanted));
        let state = found.await?.ok_or(EngineError::NotFound("run"))?;
        if !state.is_over() {
            return Err(EngineError::Conflict(
                "the run is not over: it can be replayed when it is".to_owned(),
            ));
        }
        if from == ReplayFrom::Failed && state != RunState::Failed {
            return Err(EngineError::Conflict(
                "the run did not fail: replay it from the start".to_owned(),
            ));
        }
        let new = self.infra.ids.invocation();
        let target = Target::new(TargetKind::Run, run, &workflow.name);
        let change = Change::new(&self.infra, actor, Action::RunReplay, target);
        let change = change.with("workflow", workflow.id.as_str());
        let service = self.clone();
        detached::run(&self.infra.shutdown, async move {
            let mut span = ReplaySpan::begin(&service.infra, trace);
            let which = (vec![(run, new)], from);
            let started = service
                .start_replays(&workflow, which, &span, Some(change))
                .await?;
            if started.is_empty() {
                return Err(EngineError::NotFound("run"));
            }
            span.link(traces_of(started));
            span.end(&service.infra, "run");
            Ok(new)
        })
        .await
    }

    /// Replays finished runs, oldest first; returns their number. Of several runs for one event only the last counts, so
    /// that a run with a successful replay is not replayed again.
    pub async fn replay_runs(
        &self,
        actor: &Actor,
        id_or_slug: &str,
        which: ReplayRuns,
        trace: Option<TraceContext>,
    ) -> Result<u64, EngineError> {
        let workflow = self.row(&actor.user_id, id_or_slug).await?;
        must_be_active(&workflow)?;
        let target = Target::new(TargetKind::Workflow, &workflow.id, &workflow.name);
        let change = Change::new(&self.infra, actor, Action::RunReplay, target);
        let service = self.clone();
        detached::run(&self.infra.shutdown, async move {
            let mut wanted = service.last_runs(&workflow, &which).await?;
            let change = change.with("runs", wanted.len());
            let mut span = ReplaySpan::begin(&service.infra, trace);
            let mut count = 0;
            while !wanted.is_empty() {
                service.infra.shutdown.check()?;
                let batch = wanted.iter().rev().take(BATCH_RUNS);
                let batch = batch.map(|run| (*run, service.infra.ids.invocation()));
                let change = (count == 0).then(|| change.clone());
                let batch = (batch.collect(), which.from);
                let started = service
                    .start_replays(&workflow, batch, &span, change)
                    .await?;
                if started.is_empty() {
                    break;
                }
                wanted.truncate(wanted.len() - started.len());
                count += started.iter().flatten().count() as u64;
                span.link(traces_of(started));
            }
            span.end(&service.infra, "run");
            Ok(count)
        })
        .await
    }

    /// The runs to replay, newest first.
    async fn last_runs(
        &self,
        workflow: &Workflow,
        which: &ReplayRuns,
    ) -> Result<Vec<InvocationId>, EngineError> {
        let (mut wanted, mut events, mut after) = (Vec::new(), HashSet::new(), None);
        loop {
            let (id, range) = (workflow.id.clone(), (which.start, which.end));
            let page = self
                .infra
                .store
                .read(move |c| run_history::outlines(c, &id, range, after, OUTLINE_PAGE));
            let page = page.await?;
            let Some(oldest) = page.last() else {
                return Ok(wanted);
            };
            after = Some(oldest.id);
            for Outline { id, state, origin } in page {
                let is_last = events.insert(origin.replay_of.unwrap_or(id));
                let suits = if which.failed_only {
                    state == RunState::Failed
                } else {
                    state.is_over()
                };
                if is_last && suits {
                    wanted.push(id);
                }
            }
        }
    }

    /// Starts replays in one transaction, and records the change if one is given. Handles at least one run and may stop before the
    /// last. Returns the replay of each handled run; none when the run no longer exists.
    async fn start_replays(
        &self,
        workflow: &Workflow,
        (which, from): (Vec<(InvocationId, InvocationId)>, ReplayFrom),
        span: &ReplaySpan,
        change: Option<Change>,
    ) -> Result<Vec<Option<Started>>, EngineError> {
        let (id, user) = (workflow.id.clone(), workflow.user_id.clone());
        let trace = span.context().cloned();
        let now = self.infra.now_ms();
        let started = self.infra.store.write(move |c| {
            let Some(workflow) = workflows::get(c, &user, &id)? else {
                return Ok(Vec::new());
            };
            let Some(version) = deployments::get(c, &workflow.deployment_id)? else {
                return Ok(Vec::new());
            };
            let replay = Replay {
                workflow,
                definition: version.definition,
                from,
                now,
                trace,
            };
            let (mut started, mut bytes) = (Vec::new(), 0);
            for (old, new) in which {
                let one = replay.start(c, old, new)?;
                bytes += one.as_ref().map_or(0, |one| one.bytes);
                started.push(one);
                if bytes > BATCH_BYTES {
                    break;
                }
            }
            if started.iter().any(Option::is_some) {
                change.map_or(Ok(()), |change| change.record(c))?;
            }
            Ok(started)
        });
        let started = started.await;
        // Also after an error: the transaction may have been committed.
        self.owners.wake(&workflow.id);
        Ok(started?)
    }
}

/// A replay of runs of one workflow.
struct Replay {
    workflow: Workflow,
    definition: WorkflowDefinition,
    from: ReplayFrom,
    now: i64,
    /// The span that causes the new runs.
    trace: Option<TraceContext>,
}

/// A replay that was stored.
struct Started {
    bytes: usize,
    /// That of the run that is replayed.
    trace: Option<TraceContext>,
}

fn traces_of(started: Vec<Option<Started>>) -> impl Iterator<Item = TraceContext> {
    started.into_iter().flatten().filter_map(|one| one.trace)
}

impl Replay {
    /// Stores a replay of `old` as `new`. None when the run does not exist.
    fn start(
        &self,
        c: &mut dyn Conn,
        old: InvocationId,
        new: InvocationId,
    ) -> Result<Option<Started>, StoreError> {
        let workflow = &self.workflow.id;
        let Some(mut before) = runs::get(c, workflow, &old)? else {
            return Ok(None);
        };
        let trace = before.trace.take();
        let run = self.run(before, new);
        let mut bytes = run.event.len();
        runs::begin(c, &run)?;
        if self.from == ReplayFrom::Failed {
            let records = run_steps::of_run(c, workflow, &old)?;
            for record in still_done(records, &self.definition) {
                bytes += record.exports.len() + record.logs.len();
                run_steps::insert(c, workflow, &new, &record)?;
            }
        }
        continue_run(c, (workflow, new), run.depth, REPLAY, self.now)?;
        Ok(Some(Started { bytes, trace }))
    }

    fn run(&self, before: Run, id: InvocationId) -> Run {
        Run {
            id,
            workflow_id: self.workflow.id.clone(),
            deployment_id: self.workflow.deployment_id.clone(),
            state: RunState::Queued,
            origin: RunOrigin {
                replay_of: Some(before.origin.replay_of.unwrap_or(before.id)),
                ..before.origin
            },
            depth: before.depth,
            accepted_at: self.now,
            // Not started yet, so it must not count among the started runs.
            started_at: 0,
            finished_at: None,
            due_at: None,
            pause: None,
            pause_key: None,
            error: None,
            exit_reason: None,
            event: before.event,
            trace: self.trace.clone(),
        }
    }
}

/// The completed steps of a run that a version has too, from the first on without a gap.
fn still_done(records: Vec<StepRecord>, definition: &WorkflowDefinition) -> Vec<StepRecord> {
    let mut done: Vec<StepRecord> = Vec::new();
    for record in records {
        let is_next = record.position as usize == done.len();
        let step = definition.steps.get(done.len());
        if is_next
            && record.state == StepState::Completed
            && step.is_some_and(|step| step.name == record.name)
        {
            // A completed wait is not repeated.
            done.push(StepRecord {
                pause: None,
                ..record
            });
        }
    }
    done
}

#[cfg(test)]
mod tests {
    use sluice_model::{
        ComponentId,
        workflow::{DeployedStep, RetryPolicy, WorkflowSettings},
    };

    use super::*;

    fn record(position: u32, attempt: u32, name: &str, state: StepState) -> StepRecord {
        StepRecord {
            position,
            attempt,
            name: name.to_owned(),
            state,
            started_at: 0,
            duration_ms: 0,
            error: None,
            logs: "[]".to_owned(),
            exports: "{}".to_owned(),
            inputs: Some("{}".to_owned()),
            pause: None,
        }
    }

    fn done(names: &[&str], records: Vec<StepRecord>) -> Vec<(String, u32)> {
        let step = |name: &&str| DeployedStep {
            name: (*name).to_owned(),
            cell_id: String::new(),
            component_id: ComponentId::parse("sc_a").unwrap(),
            props: serde_json::Map::new(),
            declared: None,
            timeout_seconds: None,
            retry: RetryPolicy::default(),
        };
        let definition = WorkflowDefinition {
            name: String::new(),
            description: None,
            env: std::collections::BTreeMap::new(),
            triggers: Vec::new(),
            steps: names.iter().map(step).collect(),
            settings: WorkflowSettings::default(),
        };
        let done = still_done(records, &definition).into_iter();
        done.map(|record| (record.name, record.attempt)).collect()
    }

    #[test]
    fn completed_steps_stay_done_while_names_and_order_agree() {
        let records = || {
            vec![
                record(0, 1, "a", StepState::Failed),
                record(0, 2, "a", StepState::Completed),
                record(1, 1, "b", StepState::Completed),
                record(2, 1, "c", StepState::Failed),
            ]
        };
        let of = |name: &str, attempt| (name.to_owned(), attempt);
        assert_eq!(done(&["a", "b", "c"], records()), [of("a", 2), of("b", 1)]);
        assert_eq!(done(&["a", "x", "b", "c"], records()), [of("a", 2)]);
        assert_eq!(done(&["a"], records()), [of("a", 2)]);
        assert_eq!(done(&["b", "a"], records()), []);
    }
}
