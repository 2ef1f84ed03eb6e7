//! One scripted process.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use parking_lot::Mutex;
use serde_json::{Map, Value};
use sluice_model::InvocationId;
use tokio::sync::mpsc;

use super::{
    invocation::{ScriptedInvocation, ScriptedModule},
    outcome::{End, ScriptedOutcome},
};
use crate::{
    ask::{Answer, Answers},
    outcome::{Call, Invocation, LogLine, ProcessEvent, Unfinished},
    process::ProcessControl,
    spec::ProcessOwner,
    tmp_folder::TmpFolder,
};

/// The decisions of a script and its record of calls.
pub(super) trait Director: Send + Sync {
    fn invoked(&self, invocation: ScriptedInvocation) -> ScriptedOutcome;
    fn authorized(&self, process: usize, module: &str, auths: &Map<String, Value>);
    fn answered(&self, answers: Vec<(u64, Answer)>);
}

pub(super) struct ScriptedProcess {
    pub(super) number: usize,
    pub(super) owner: ProcessOwner,
    pub(super) modules: Arc<[ScriptedModule]>,
    pub(super) director: Arc<dyn Director>,
    pub(super) tmp: TmpFolder,
    pub(super) state: Arc<Mutex<State>>,
}

pub(super) struct State {
    /// `None` after the process has exited.
    events: Option<mpsc::Sender<Vec<ProcessEvent>>>,
    running: HashMap<InvocationId, Vec<LogLine>>,
    stored: BTreeMap<String, Value>,
}

impl State {
    pub(super) fn new(
        events: mpsc::Sender<Vec<ProcessEvent>>,
        stored: BTreeMap<String, Value>,
    ) -> State {
        State {
            events: Some(events),
            running: HashMap::new(),
            stored,
        }
    }

    fn send(&self, batch: Vec<ProcessEvent>) {
        if let Some(events) = self.events.as_ref().filter(|_| !batch.is_empty()) {
            let _ = events.try_send(batch);
        }
    }

    /// Ends the process. The channel closes after this batch.
    fn exit(&mut self, mut batch: Vec<ProcessEvent>, reason: String) {
        let running = self.running.drain();
        let unfinished = running.map(|(id, logs)| Unfinished { id, logs }).collect();
        batch.push(ProcessEvent::Exited {
            reason,
            unfinished,
            is_at_fault: true,
        });
        self.send(batch);
        self.events = None;
    }

    fn end(&mut self, id: InvocationId, call: Call, outcome: ScriptedOutcome) -> Vec<ProcessEvent> {
        let mut batch = Vec::new();
        if self.running.remove(&id).is_none() {
            return batch;
        }
        if let Some(reply) = outcome.reply.clone().filter(|_| call != Call::Step) {
            batch.push(ProcessEvent::Replied(id, reply));
        }
        let outcome = outcome.into_outcome(call);
        batch.extend(outcome.map(|outcome| ProcessEvent::Ended(id, outcome)));
        batch
    }

    fn apply_writes(&mut self, outcome: &ScriptedOutcome) {
        for (key, value) in outcome.writes() {
            match value {
                Some(value) => {
                    let value = serde_json::from_str(value.get()).unwrap_or_default();
                    self.stored.insert(key.clone(), value);
                }
                None => {
                    self.stored.remove(key);
                }
            }
        }
    }
}

impl ScriptedProcess {
    fn script(&self, invocation: &Invocation) -> ScriptedOutcome {
        let stored = self.state.lock().stored.clone();
        self.director.invoked(ScriptedInvocation {
            process: self.number,
            owner: self.owner.clone(),
            modules: Arc::clone(&self.modules),
            id: invocation.id,
            call: invocation.call,
            event: serde_json::from_str(&invocation.event).unwrap_or_default(),
            stored,
        })
    }

    fn end_later(&self, invocation: &Invocation, outcome: ScriptedOutcome) {
        let (id, call) = (invocation.id, invocation.call);
        let state = Arc::clone(&self.state);
        let delay = outcome.delay.unwrap_or_default();
        tokio::spawn(async move {
            tokio::time::sleep(delay).await;
            let mut state = state.lock();
            match outcome.end {
                End::Exits(reason) => state.exit(Vec::new(), reason),
                End::Never => {}
                End::Returns(_) => {
                    let batch = state.end(id, call, outcome);
                    state.send(batch);
                }
            }
        });
    }
}

impl ProcessControl for ScriptedProcess {
    /// The outcomes without a delay are reported in one batch.
    fn invoke(&self, invocations: &[Invocation]) {
        {
            let mut state = self.state.lock();
            if state.events.is_none() {
                return;
            }
            let ids = invocations.iter().map(|invocation| invocation.id);
            state.running.extend(ids.map(|id| (id, Vec::new())));
        }
        let mut batch = Vec::new();
        for invocation in invocations {
            let outcome = self.script(invocation);
            let mut state = self.state.lock();
            state.apply_writes(&outcome);
            if outcome.delay.is_some() {
                self.end_later(invocation, outcome);
                continue;
            }
            match outcome.end {
                End::Never => {
                    state.running.insert(invocation.id, outcome.into_logs());
                }
                End::Exits(reason) => return state.exit(batch, reason),
                End::Returns(_) => batch.extend(state.end(invocation.id, invocation.call, outcome)),
            }
        }
        self.state.lock().send(batch);
    }

    fn authorize(&self, module: &str, auths: &Map<String, Value>) {
        self.director.authorized(self.number, module, auths);
    }

    fn answers(&self) -> Answers {
        let director = Arc::clone(&self.director);
        Answers::new(move |answers| director.answered(answers))
    }

    fn tmp(&self) -> TmpFolder {
        self.tmp.clone()
    }

    fn kill(&self) {
        let mut state = self.state.lock();
        if state.events.is_some() {
            state.exit(Vec::new(), "it was killed".to_owned());
        }
    }
}
