use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    env,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    thread,
    time::Duration,
};

use parking_lot::Mutex;
use serde_json::{Value, json, value::RawValue};
use sluice_code::{CodeTree, parse_step};
use sluice_model::{IdGen, InvocationId, SystemClock, WorkflowId};
use sluice_runtime::{
    BindingKind, Call, DenoPermissions, Failure, Invocation, Isolation, Limits, LoadError,
    ModuleSpec, Network, Outcome, PackageLimits, PackageSettings, PrivateNetworks, Process,
    ProcessEvent, ProcessEvents, ProcessOwner, ProcessSpec, PropBinding, Reply, Runtime,
    RuntimeOptions, StepOutcome, find_deno,
};
use tempfile::TempDir;

pub(crate) const PATIENCE: Duration = Duration::from_mins(1);
pub(crate) const WORKFLOW: &str = "p_abcdefghijkl";

/// In bytes; low, so that tests reach them.
pub(crate) const EMIT: usize = 64 * 1024;
pub(crate) const EMITS: usize = 256 * 1024;

struct Shared {
    runtime: Runtime,
    folder: TempDir,
}

/// Runs in a thread of its own, because the caller is within a runtime.
fn deno(data_dir: &Path) -> PathBuf {
    let configured = env::var_os("SLUICE_DENO").map(PathBuf::from);
    let search = || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let found = find_deno(configured.as_deref(), data_dir, |_| {});
        runtime
            .expect("a runtime")
            .block_on(found)
            .expect("Deno is found")
    };
    thread::scope(|scope| scope.spawn(search).join()).expect("the search ends")
}

fn shared() -> &'static Shared {
    static SHARED: OnceLock<Shared> = OnceLock::new();
    SHARED.get_or_init(|| {
        let folder = sluice_testkit::scratch_folder();
        let options = RuntimeOptions {
            deno: deno(folder.path()),
            launcher: env!("CARGO_BIN_EXE_sluice").into(),
            folder: folder.path().join("runtime"),
            limits: Limits {
                heap_mb: 64,
                memory_bytes: 512 << 20,
                tmp_bytes: 16 << 20,
                emit_bytes: EMIT,
                emits_bytes: EMITS,
                log_bytes: 8 * 1024,
                db_bytes: 64 * 1024,
                data_store_value_bytes: 1024,
                load_timeout: PATIENCE,
                grace: Duration::from_millis(500),
            },
            unstored_per_user: 16 << 20,
            network: Network {
                private: PrivateNetworks::Allowed,
                ipv6: false,
                proxy: None,
            },
            deno_permissions: DenoPermissions::Checked,
            users: None,
            control_groups: None,
            starting_at_once: 2,
            warm_processes: 0,
            isolation: Isolation::Process,
            packages: PackageSettings {
                timeout: PATIENCE,
                limits: PackageLimits {
                    bytes: 64 << 20,
                    files: 10_000,
                    depth: 64,
                },
                installs_per_user: 1,
            },
        };
        let runtime = Runtime::new(options, Arc::new(SystemClock)).expect("the runtime starts");
        Shared { runtime, folder }
    })
}

pub(crate) fn runtime() -> &'static Runtime {
    &shared().runtime
}

/// Where the processes find packages.
pub(crate) fn packages() -> PathBuf {
    shared().folder.path().join("runtime/packages")
}

/// A step's code as it is run.
pub(crate) fn module(name: &str, code: &str) -> ModuleSpec {
    let step = parse_step(code, None).unwrap_or_else(|errors| panic!("{errors:?}: {code}"));
    let step = CodeTree::single(step);
    ModuleSpec {
        name: name.to_owned(),
        files: Arc::new(step.to_files()),
        format: step.format(),
        packages: None,
        props: Vec::new(),
    }
}

pub(crate) fn with_props(mut module: ModuleSpec, props: Value) -> ModuleSpec {
    let Value::Object(props) = props else {
        panic!("props are an object");
    };
    module
        .props
        .extend(props.into_iter().map(|(name, value)| PropBinding {
            name,
            kind: BindingKind::Value,
            value,
            secret: false,
        }));
    module
}

pub(crate) fn bound(
    mut module: ModuleSpec,
    name: &str,
    kind: BindingKind,
    value: Value,
) -> ModuleSpec {
    module.props.push(PropBinding {
        name: name.to_owned(),
        kind,
        value,
        secret: false,
    });
    module
}

pub(crate) fn workflow(modules: Vec<ModuleSpec>) -> ProcessSpec {
    ProcessSpec {
        owner: ProcessOwner::Workflow(WorkflowId::parse(WORKFLOW).expect("an id")),
        user: None,
        max_db: None,
        modules,
        env: BTreeMap::from([("TARGET".to_owned(), "moon".to_owned())]),
        secret_env: BTreeSet::new(),
        stored: Vec::new(),
    }
}

/// A process with steps, and what it reported that nobody has looked at yet.
pub(crate) struct Steps {
    pub(crate) process: Process,
    events: tokio::sync::Mutex<(ProcessEvents, VecDeque<ProcessEvent>)>,
    ids: Mutex<IdGen>,
}

pub(crate) async fn try_start(spec: &ProcessSpec) -> Result<Steps, LoadError> {
    let (process, events) = runtime().start(spec).await?;
    Ok(Steps {
        process,
        events: tokio::sync::Mutex::new((events, VecDeque::new())),
        ids: Mutex::new(IdGen::new(7)),
    })
}

pub(crate) async fn start(modules: Vec<ModuleSpec>) -> Steps {
    let started = try_start(&workflow(modules)).await;
    started.unwrap_or_else(|error| panic!("{error}: {error:?}"))
}

/// A step `test` whose `run({ steps, $ })` has this body, run once without an event.
pub(crate) async fn run(body: &str) -> Ran {
    run_code(&component(body)).await
}

pub(crate) fn component(body: &str) -> String {
    format!("export default defineComponent({{ async run({{ steps, $ }}) {{ {body} }} }})")
}

pub(crate) async fn run_code(code: &str) -> Ran {
    start(vec![module("test", code)])
        .await
        .run("test", Value::Null)
        .await
}

/// What a step gives the engine, in a form that is easy to look at.
pub(crate) struct Ran {
    pub(crate) outcome: Outcome,
    pub(crate) replied: Option<Reply>,
}

impl Ran {
    pub(crate) fn step(&self) -> &StepOutcome {
        self.outcome.step.as_deref().expect("the outcome of a step")
    }

    pub(crate) fn exports(&self) -> Value {
        serde_json::from_str(self.step().exports.get()).expect("exports are JSON")
    }

    /// The exports of a step that must not have failed.
    pub(crate) fn ok(&self) -> Value {
        assert_eq!(self.outcome.failure, None, "{:?}", self.outcome.logs);
        self.exports()
    }

    pub(crate) fn returned(&self) -> Value {
        self.ok()["$return_value"].clone()
    }

    pub(crate) fn failure(&self) -> &Failure {
        self.outcome.failure.as_ref().expect("the step failed")
    }

    pub(crate) fn sends(&self) -> Vec<(&'static str, Value)> {
        let sends = self.step().sends.iter();
        sends
            .map(|send| (send.kind.as_str(), parsed(&send.payload)))
            .collect()
    }

    pub(crate) fn logs(&self) -> Vec<&str> {
        self.outcome
            .logs
            .iter()
            .map(|line| line.message.as_str())
            .collect()
    }
}

pub(crate) fn parsed(json: &RawValue) -> Value {
    serde_json::from_str(json.get()).expect("JSON")
}

/// The input of a step after a trigger with this event.
pub(crate) fn input(step: &str, event: &Value) -> Value {
    json!({
        "step": step,
        "steps": { "trigger": { "event": event, "context": { "id": "trigger id" } } },
        "context": { "id": "run id", "workflow_id": WORKFLOW, "run": { "runs": 1 } },
        "resume_url": "https://sluice.test/resume",
        "cancel_url": "https://sluice.test/cancel",
    })
}

impl Steps {
    pub(crate) async fn run(&self, step: &str, event: Value) -> Ran {
        self.run_with(input(step, &event), PATIENCE).await
    }

    pub(crate) async fn run_with(&self, input: Value, timeout: Duration) -> Ran {
        let id = self.begin(&input, timeout);
        self.ended(id).await
    }

    pub(crate) fn begin(&self, input: &Value, timeout: Duration) -> InvocationId {
        let id = InvocationId::generate(&mut self.ids.lock(), 0);
        self.process.invoke(&[Invocation {
            id,
            call: Call::Step,
            event: Arc::from(input.to_string()),
            timeout,
        }]);
        id
    }

    /// The end of an invocation, and the reply it gave before.
    pub(crate) async fn ended(&self, id: InvocationId) -> Ran {
        let mut replied = None;
        loop {
            let found = self
                .event(|event| match event {
                    ProcessEvent::Replied(of, _) | ProcessEvent::Ended(of, _) => *of == id,
                    ProcessEvent::Exited { .. } => true,
                    _ => false,
                })
                .await;
            match found {
                ProcessEvent::Replied(_, reply) => replied = Some(reply),
                ProcessEvent::Ended(_, outcome) => return Ran { outcome, replied },
                other => panic!("{other:?}"),
            }
        }
    }

    /// The first event that `fits`; others are kept.
    pub(crate) async fn event(&self, fits: impl Fn(&ProcessEvent) -> bool) -> ProcessEvent {
        let mut events = self.events.lock().await;
        loop {
            let (receiver, seen) = &mut *events;
            if let Some(at) = seen.iter().position(&fits) {
                return seen.remove(at).expect("it is there");
            }
            let batch = tokio::time::timeout(PATIENCE, receiver.recv()).await;
            let batch = batch.unwrap_or_else(|_| panic!("nothing more came after {seen:?}"));
            seen.extend(batch.unwrap_or_else(|| panic!("the process ended after {seen:?}")));
        }
    }
}
