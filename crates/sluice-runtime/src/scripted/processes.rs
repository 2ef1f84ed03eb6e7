//! The scripted implementation of [`Processes`].

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use sluice_code::CodeTree;
use sluice_model::{CodeError, ComponentShape, RawShape};
use tokio::sync::mpsc;

use super::{
    invocation::{ScriptedInvocation, ScriptedModule},
    outcome::ScriptedOutcome,
    process::{Director, ScriptedProcess, State},
};
use crate::{
    ask::Answer,
    box_future::BoxFuture,
    fair_permits::FairPermits,
    fair_queue::{PermitLimits, PermitUser},
    process::{Process, ProcessEvents},
    processes::Processes,
    spec::{Analysis, LoadError, ModuleSpec, ProcessSpec, Role},
    start_permit::StartPermit,
    tmp_folder::TmpFolder,
};

type RunScript = dyn Fn(&ScriptedInvocation) -> ScriptedOutcome + Send + Sync;
type StartScript = dyn Fn(&ProcessSpec) -> Result<(), LoadError> + Send + Sync;
type ShapeScript = dyn Fn(&CodeTree) -> Value + Send + Sync;

/// A script does not wait, so there is room for the batches of any test.
const MAX_BATCHES: usize = 100_000;

/// Credentials that were passed to a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authorization {
    pub process: usize,
    pub module: String,
    pub auths: Map<String, Value>,
}

/// Starts processes whose invocations are decided by a function. Clones share their scripts and their records.
#[derive(Clone)]
pub struct ScriptedProcesses {
    run: Arc<RunScript>,
    start: Arc<StartScript>,
    shape: Arc<ShapeScript>,
    tmp: PathBuf,
    starting: Option<FairPermits>,
    records: Arc<Records>,
}

#[derive(Default)]
struct Records {
    starts: AtomicUsize,
    invocations: Mutex<Vec<ScriptedInvocation>>,
    authorizations: Mutex<Vec<Authorization>>,
    answers: Mutex<Vec<(u64, Answer)>>,
}

impl ScriptedProcesses {
    /// `run` decides the outcome of each invocation. It is called in `Process::invoke`, so it must not block.
    pub fn new(
        run: impl Fn(&ScriptedInvocation) -> ScriptedOutcome + Send + Sync + 'static,
    ) -> ScriptedProcesses {
        ScriptedProcesses {
            run: Arc::new(run),
            start: Arc::new(|_| Ok(())),
            shape: Arc::new(|_| json!({ "name": "Scripted", "version": "0.0.1", "hasRun": true })),
            tmp: std::env::temp_dir(),
            starting: None,
            records: Arc::default(),
        }
    }

    /// Decides for each process whether it starts.
    #[must_use]
    pub fn with_start(
        mut self,
        start: impl Fn(&ProcessSpec) -> Result<(), LoadError> + Send + Sync + 'static,
    ) -> ScriptedProcesses {
        self.start = Arc::new(start);
        self
    }

    /// Decides the shape of code, as the JSON of a [`RawShape`]: `name`, `version`, `type`, `dedupe`, `props`, `hooks`,
    /// `hasRun` and so on.
    #[must_use]
    pub fn with_shape(
        mut self,
        shape: impl Fn(&CodeTree) -> Value + Send + Sync + 'static,
    ) -> ScriptedProcesses {
        self.shape = Arc::new(shape);
        self
    }

    /// The temporary folder of all processes. The default is that of the system.
    #[must_use]
    pub fn with_tmp(mut self, tmp: PathBuf) -> ScriptedProcesses {
        self.tmp = tmp;
        self
    }

    /// The number of processes that may be starting at once.
    #[must_use]
    pub fn with_starting_at_once(mut self, total: usize) -> ScriptedProcesses {
        let per_user = total;
        self.starting = Some(FairPermits::new(PermitLimits { total, per_user }));
        self
    }

    /// The number of processes that were started.
    pub fn starts(&self) -> usize {
        self.records.starts.load(Ordering::SeqCst)
    }

    /// All invocations so far, in order.
    pub fn invocations(&self) -> Vec<ScriptedInvocation> {
        self.records.invocations.lock().clone()
    }

    /// All credentials that were passed to processes, in order.
    pub fn authorizations(&self) -> Vec<Authorization> {
        self.records.authorizations.lock().clone()
    }

    /// All answers to questions of components, in order.
    pub fn answers(&self) -> Vec<(u64, Answer)> {
        self.records.answers.lock().clone()
    }

    fn started(&self, spec: &ProcessSpec) -> Result<(Process, ProcessEvents), LoadError> {
        (self.start)(spec)?;
        let (events, receiver) = mpsc::channel(MAX_BATCHES);
        let stored = spec.stored.iter().map(|(key, value)| {
            let value = serde_json::from_str(value.get()).unwrap_or_default();
            (key.clone(), value)
        });
        let stored: BTreeMap<String, Value> = stored.collect();
        let process = Process::new(ScriptedProcess {
            number: self.records.starts.fetch_add(1, Ordering::SeqCst),
            owner: spec.owner.clone(),
            modules: spec.modules.iter().map(scripted_module).collect(),
            director: Arc::new(self.clone()),
            tmp: TmpFolder::open(&self.tmp, self.tmp.clone(), None)?,
            state: Arc::new(Mutex::new(State::new(events, stored))),
        });
        Ok((process, receiver))
    }

    fn shape_of(&self, tree: &CodeTree, role: Role<'_>) -> Result<ComponentShape, LoadError> {
        let code_error =
            |message: String| LoadError::Code(vec![CodeError::without_position(message)]);
        let shape: RawShape = serde_json::from_value((self.shape)(tree))
            .map_err(|error| code_error(error.to_string()))?;
        role.check(vec![shape], tree.format())
            .map_err(|errors| code_error(errors.join("; ")))
    }
}

fn scripted_module(module: &ModuleSpec) -> ScriptedModule {
    let props = module.props.iter();
    ScriptedModule {
        name: module.name.clone(),
        code: Arc::clone(&module.files.entry.text),
        props: props
            .map(|prop| (prop.name.clone(), prop.value.clone()))
            .collect(),
    }
}

impl Director for ScriptedProcesses {
    fn invoked(&self, invocation: ScriptedInvocation) -> ScriptedOutcome {
        let outcome = (self.run)(&invocation);
        self.records.invocations.lock().push(invocation);
        outcome
    }

    fn authorized(&self, process: usize, module: &str, auths: &Map<String, Value>) {
        self.records.authorizations.lock().push(Authorization {
            process,
            module: module.to_owned(),
            auths: auths.clone(),
        });
    }

    fn answered(&self, answers: Vec<(u64, Answer)>) {
        self.records.answers.lock().extend(answers);
    }
}

impl Processes for ScriptedProcesses {
    fn admit<'a>(&'a self, spec: &'a ProcessSpec) -> BoxFuture<'a, Result<StartPermit, LoadError>> {
        Box::pin(async move {
            Ok(match &self.starting {
                None => StartPermit::default(),
                Some(permits) => StartPermit::limited(permits.acquire(&spec.user).await),
            })
        })
    }

    fn start<'a>(
        &'a self,
        spec: &'a ProcessSpec,
        _permit: StartPermit,
    ) -> BoxFuture<'a, Result<(Process, ProcessEvents), LoadError>> {
        Box::pin(async move { self.started(spec) })
    }

    fn analyze<'a>(
        &'a self,
        tree: &'a CodeTree,
        role: Role<'a>,
        _user: &'a PermitUser,
    ) -> BoxFuture<'a, Result<Analysis, LoadError>> {
        Box::pin(async move {
            Ok(Analysis {
                shape: self.shape_of(tree, role)?,
                packages: None,
            })
        })
    }

    fn survey<'a>(
        &'a self,
        trees: Vec<CodeTree>,
        _user: &'a PermitUser,
    ) -> BoxFuture<'a, Vec<Result<ComponentShape, LoadError>>> {
        Box::pin(async move {
            let trees = trees.iter();
            trees
                .map(|tree| self.shape_of(tree, Role::Component))
                .collect()
        })
    }
}
