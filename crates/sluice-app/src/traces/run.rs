//! A run of a workflow in a trace, with its steps, its sends and the events that it emitted.

use std::collections::{BTreeSet, HashMap};

use sluice_model::{EmitterId, InvocationId, WorkflowId};
use sluice_store::{
    StoreError, deployments, inbox,
    run_history::{self, Content},
    run_steps::{StepRecord, StepState},
    runs::{Run, RunState},
    sends::SendKind,
    traces::{self, TracedSend},
};

use super::{
    node::{TraceKind, TraceNode, TraceStatus},
    spot::Spot,
    visit::Visit,
};
use crate::actions::SOURCE_TYPE as ACTION;

/// The most sends and replays of one run, and the most events of one of its commits.
const MOST_EACH: u32 = 200;

impl Visit<'_> {
    pub(super) fn run(
        &mut self,
        parent: Option<usize>,
        workflow: &WorkflowId,
        id: &InvocationId,
    ) -> Result<Option<usize>, StoreError> {
        let Some(run) = traces::run(self.c, workflow, id)? else {
            return self.run_without_row(parent, workflow, id);
        };
        let mut node = self.run_node(&run)?;
        node.is_replay = run.origin.replay_of.is_some() || self.is_replay(parent, id.as_str());
        let at = self.tree.add(parent, node);
        if at.is_some() {
            self.replays(at, workflow, id)?;
            let steps = self.steps(at, &run)?;
            let sends = traces::sends(self.c, workflow, id, MOST_EACH)?;
            if sends.len() >= MOST_EACH as usize {
                self.tree.cut(at);
            }
            for send in sends.iter().filter(|send| !is_event(send)) {
                let below = steps.get(&send.step).copied().or(at);
                self.tree.add(below, send_node(&run, send));
            }
            self.events(at, &run, &steps, &sends)?;
        }
        Ok(at)
    }

    /// Visits the replays of a run.
    fn replays(
        &mut self,
        at: Option<usize>,
        workflow: &WorkflowId,
        id: &InvocationId,
    ) -> Result<(), StoreError> {
        let replays = traces::replays_of_run(self.c, workflow, id, MOST_EACH)?;
        if replays.len() >= MOST_EACH as usize {
            self.tree.cut(at);
        }
        for replay in replays {
            let spot = Spot::Invocation(workflow.clone().into(), replay);
            self.tree.visit_later(at, spot);
        }
        Ok(())
    }

    /// A run that waits for its turn, or was deleted.
    fn run_without_row(
        &mut self,
        parent: Option<usize>,
        workflow: &WorkflowId,
        id: &InvocationId,
    ) -> Result<Option<usize>, StoreError> {
        let emitter: EmitterId = workflow.clone().into();
        let item = inbox::get(self.c, &emitter, id)?;
        let key = Spot::Invocation(emitter.clone(), *id).key();
        let name = self.name(&emitter)?;
        let node = TraceNode {
            status: match item {
                Some(_) => TraceStatus::Waiting,
                None => TraceStatus::Unknown,
            },
            started_at: item.map_or(id.time_ms(), |item| item.accepted_at),
            is_replay: self.is_replay(parent, id.as_str()),
            emitter_id: Some(emitter),
            run_id: Some(*id),
            ..TraceNode::new(TraceKind::WorkflowRun, key, id.to_string(), name)
        };
        Ok(self.tree.add(parent, node))
    }

    fn run_node(&mut self, run: &Run) -> Result<TraceNode, StoreError> {
        let emitter: EmitterId = run.workflow_id.clone().into();
        let is_action = run.origin.source_type == ACTION;
        let (kind, name) = if is_action {
            let version = deployments::get(self.c, &run.deployment_id)?;
            let name = version.map(|version| version.definition.name);
            (TraceKind::ActionRun, name.unwrap_or_default())
        } else {
            (TraceKind::WorkflowRun, self.name(&emitter)?)
        };
        let key = Spot::Invocation(emitter.clone(), run.id).key();
        let has_started = run.state != RunState::Queued;
        let started_at = if has_started {
            run.started_at
        } else {
            run.accepted_at
        };
        let error = run.error.as_ref();
        Ok(TraceNode {
            status: run.state.into(),
            started_at,
            duration_ms: run.finished_at.map(|end| (end - started_at).max(0)),
            error: error.map(|error| format!("{}: {}", error.code, error.message)),
            emitter_id: Some(emitter),
            run_id: Some(run.id),
            ..TraceNode::new(kind, key, run.id.to_string(), name)
        })
    }

    /// Adds the steps. Returns for each name the last one.
    fn steps(
        &mut self,
        at: Option<usize>,
        run: &Run,
    ) -> Result<HashMap<String, usize>, StoreError> {
        let mut places = HashMap::new();
        let steps = run_history::steps(self.c, &run.workflow_id, &run.id, Content::Start(0))?;
        for listed in steps {
            let record = listed.record;
            if let Some(place) = self.tree.add(at, step_node(run, &record)) {
                places.insert(record.name, place);
            }
        }
        Ok(places)
    }

    /// Visits the events of the run, below the steps that emitted them. A commit stored them when it released their sends, or
    /// when the run failed.
    fn events(
        &mut self,
        at: Option<usize>,
        run: &Run,
        steps: &HashMap<String, usize>,
        sends: &[TracedSend],
    ) -> Result<(), StoreError> {
        let emits = sends.iter().filter(|send| is_event(send));
        let steps: HashMap<&str, usize> = emits
            .clone()
            .filter_map(|send| Some((send.id.as_str(), *steps.get(&send.step)?)))
            .collect();
        let times: BTreeSet<i64> = emits
            .map(|send| send.updated_at)
            .chain(run.finished_at)
            .collect();
        for time in times {
            let emitter = &run.workflow_id;
            let events = traces::emitted_at(self.c, emitter, &run.id, time, MOST_EACH)?;
            for event in events {
                let step = steps.get(event.emit_id.as_str()).copied();
                self.tree
                    .visit_later(step.or(at), Spot::Event(event.address));
            }
        }
        Ok(())
    }
}

fn is_event(send: &TracedSend) -> bool {
    matches!(send.kind, SendKind::Emit | SendKind::Sse)
}

fn step_node(run: &Run, record: &StepRecord) -> TraceNode {
    let (position, attempt) = (record.position, record.attempt);
    let key = format!("{}/{}/{position}.{attempt}", run.workflow_id, run.id);
    let name = match attempt {
        1 => record.name.clone(),
        attempt => format!("{} (attempt {attempt})", record.name),
    };
    let error = record.error.as_ref();
    TraceNode {
        status: match record.state {
            StepState::Completed | StepState::Repeated => TraceStatus::Succeeded,
            StepState::Failed => TraceStatus::Failed,
        },
        started_at: record.started_at,
        duration_ms: i64::try_from(record.duration_ms).ok(),
        error: error.map(|error| format!("{}: {}", error.code, error.message)),
        emitter_id: Some(run.workflow_id.clone().into()),
        run_id: Some(run.id),
        ..TraceNode::new(TraceKind::Step, key, run.id.to_string(), name)
    }
}

fn send_node(run: &Run, send: &TracedSend) -> TraceNode {
    let status = TraceStatus::from(send.state);
    let is_over = matches!(status, TraceStatus::Succeeded | TraceStatus::Failed);
    TraceNode {
        status,
        started_at: send.created_at,
        duration_ms: is_over.then(|| (send.updated_at - send.created_at).max(0)),
        error: send
            .result
            .clone()
            .filter(|_| status == TraceStatus::Failed),
        emitter_id: Some(run.workflow_id.clone().into()),
        run_id: Some(run.id),
        ..TraceNode::new(
            TraceKind::Send,
            send.id.to_string(),
            send.id.to_string(),
            send.kind.as_str().to_owned(),
        )
    }
}
