//! Running a component once and showing the result.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use anyhow::bail;
use serde_json::{Map, Value, json};
use sluice_code::{CodeTree, ParsedModule, parse_step};
use sluice_engine::process::bindings::binding;
use sluice_model::{
    Clock, ComponentKind, ComponentShape, IdGen, InvocationId, PropDef, PropType, SystemClock,
    WorkflowId, configure,
};
use sluice_runtime::{
    Analysis, BindingKind, Call, Failure, Invocation, LoadError, ModuleSpec, Outcome, ProcessEvent,
    ProcessOwner, ProcessSpec, PropBinding, Reply, Role, Runtime,
};

use super::{
    event, load_errors::load_error_lines, local::LocalRuntime, report::Report, stores::Stores,
};
use crate::commands::{
    code::read_tree,
    event_arg::parse_event,
    output::{show, show_json, show_stderr},
    prop_args::PropArgs,
};

const ENDPOINT: &str = "http://localhost/e/test";
const WORKFLOW: &str = "p_localtestrun";
/// The version that the runtime gives a step without one.
const STEP_VERSION: &str = "0.0.0";

/// The input of the run, from the command line.
pub(super) struct SampleInput<'a> {
    /// The value of `--event`.
    pub(super) event: Option<&'a str>,
    pub(super) props: &'a PropArgs,
    pub(super) json: bool,
}

pub(super) async fn run(
    local: &LocalRuntime,
    file: &Path,
    input: &SampleInput<'_>,
) -> anyhow::Result<ExitCode> {
    let given = input.event.map(parse_event).transpose()?;
    let name = file.display().to_string();
    let (analysis, tree) = match analyze(&local.runtime, file).await? {
        Ok(analyzed) => analyzed,
        Err(errors) => return failed(&errors),
    };
    let shape = &analysis.shape;
    let values = values(input.props, shape)?;
    let now = SystemClock.now_ms();
    let event = event::event(shape, &values, given, now);
    let spec = process(&analysis, &tree, &values);
    let (call, argument) = match shape.kind {
        ComponentKind::Source => (Call::Run, event),
        ComponentKind::Action => (Call::Step, step_input(&event)),
    };
    let invocation = Invocation {
        id: InvocationId::generate(&mut IdGen::new(0), 0),
        call,
        event: argument.to_string().into(),
        timeout: local.invocation_timeout,
    };
    let (outcome, reply) = match invoke(&local.runtime, &spec, invocation).await {
        Ok(ended) => ended,
        Err(error) => return failed(&load_error_lines(&name, error)?),
    };
    let report = Report::new(&name, outcome, reply);
    if input.json {
        show_json(&report)?;
    } else {
        show(&report.text())?;
    }
    Ok(if report.is_success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn failed(errors: &[String]) -> anyhow::Result<ExitCode> {
    show_stderr(&format!("{}\n", errors.join("\n")))?;
    Ok(ExitCode::FAILURE)
}

/// Analyzes the component. Code without a name and a version, or a function, is analyzed as a step of a workflow.
async fn analyze(
    runtime: &Runtime,
    file: &Path,
) -> anyhow::Result<Result<(Analysis, CodeTree), Vec<String>>> {
    let name = file.display().to_string();
    let (errors, count) = match read_tree(file, ParsedModule::parse).await? {
        Ok(tree) => match runtime.analyze(&tree, Role::Component, &None).await {
            Ok(analysis) => return Ok(Ok((analysis, tree))),
            Err(LoadError::Code(errors)) => {
                let count = errors.len();
                (load_error_lines(&name, LoadError::Code(errors))?, count)
            }
            Err(error) => return Ok(Err(load_error_lines(&name, error)?)),
        },
        Err(errors) => {
            let count = errors.len();
            (errors, count)
        }
    };
    let Ok(step) = read_tree(file, parse_step).await? else {
        return Ok(Err(errors));
    };
    let role = Role::Step(ModuleSpec::COMPONENT);
    Ok(match runtime.analyze(&step, role, &None).await {
        Ok(analysis) if is_unnamed(&analysis.shape) => Ok((analysis, step)),
        // A step needs neither a name nor a version, so code that lacks both has two errors less as a step.
        Err(LoadError::Code(step_errors)) if step_errors.len() + 2 <= count => {
            Err(load_error_lines(&name, LoadError::Code(step_errors))?)
        }
        _ => Err(errors),
    })
}

/// Whether the runtime filled in the name and the version, as it does for steps.
fn is_unnamed(shape: &ComponentShape) -> bool {
    shape.name == ModuleSpec::COMPONENT && shape.version == STEP_VERSION
}

/// All values with defaults, or an error that lists the missing ones.
fn values(args: &PropArgs, shape: &ComponentShape) -> anyhow::Result<Map<String, Value>> {
    let given = args.values(&shape.props)?;
    // The values of app props are given as the component reads them, and not as accounts of a server.
    let (apps, checked): (Vec<_>, Vec<_>) = given.into_iter().partition(|(name, _)| {
        shape
            .props
            .iter()
            .any(|prop| prop.name == *name && is_app(prop))
    });
    let props: Vec<PropDef> = shape
        .props
        .iter()
        .filter(|prop| !is_app(prop))
        .cloned()
        .collect();
    match configure(&props, &Map::from_iter(checked), None) {
        Ok(mut values) => {
            values.extend(apps);
            Ok(values)
        }
        Err(errors) => {
            let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
            bail!(
                "{}\nSet values with --prop NAME=VALUE or --props FILE",
                errors.join("\n")
            )
        }
    }
}

fn is_app(prop: &PropDef) -> bool {
    prop.prop_type == PropType::App
}

fn process(analysis: &Analysis, tree: &CodeTree, values: &Map<String, Value>) -> ProcessSpec {
    let shape = &analysis.shape;
    ProcessSpec {
        owner: match (shape.kind, WorkflowId::parse(WORKFLOW)) {
            (ComponentKind::Action, Some(id)) => ProcessOwner::Workflow(id),
            _ => ProcessOwner::Unowned,
        },
        user: None,
        max_db: None,
        modules: vec![ModuleSpec {
            name: ModuleSpec::COMPONENT.to_owned(),
            files: Arc::new(tree.to_files()),
            format: shape.format,
            packages: analysis.packages.clone().map(Arc::new),
            props: shape
                .props
                .iter()
                .filter_map(|prop| bind(prop, values))
                .collect(),
        }],
        env: BTreeMap::new(),
        secret_env: BTreeSet::new(),
        stored: Vec::new(),
    }
}

/// Binds a prop. The value of an app prop is `{"$auth": {…}}`, as the component reads it.
fn bind(prop: &PropDef, values: &Map<String, Value>) -> Option<PropBinding> {
    let value = values.get(&prop.name);
    if is_app(prop) {
        return Some(PropBinding {
            name: prop.name.clone(),
            kind: BindingKind::App,
            value: value.cloned().unwrap_or_else(|| json!({})),
            secret: false,
        });
    }
    binding(prop, value, Some(ENDPOINT.to_owned()))
}

fn step_input(event: &Value) -> Value {
    let context = json!({ "id": "test", "test": true, "run": { "runs": 1 } });
    json!({
        "step": ModuleSpec::COMPONENT,
        "steps": { "trigger": { "event": event, "context": context } },
        "context": context,
        "resume_url": "http://localhost/workflows/resume/test",
        "cancel_url": "http://localhost/workflows/cancel/test",
    })
}

async fn invoke(
    runtime: &Runtime,
    spec: &ProcessSpec,
    invocation: Invocation,
) -> Result<(Outcome, Option<Reply>), LoadError> {
    let (process, mut events) = runtime.start(spec).await?;
    process.invoke(&[invocation]);
    let mut stores = Stores::default();
    let mut reply = None;
    let mut early = Vec::new();
    while let Some(batch) = events.recv().await {
        for event in batch {
            match event {
                ProcessEvent::Computed(_) => {}
                ProcessEvent::Stray(_, line) => early.push(line),
                ProcessEvent::Replied(_, answer) => reply = Some(answer),
                ProcessEvent::Asked(ask) => {
                    let answer = stores.answer(&ask);
                    process.answers().send([(ask.number, answer)]);
                }
                ProcessEvent::Ended(_, mut outcome) => {
                    early.append(&mut outcome.logs);
                    outcome.logs = early;
                    return Ok((outcome, reply));
                }
                ProcessEvent::Exited {
                    reason, unfinished, ..
                } => {
                    early.extend(unfinished.into_iter().flat_map(|one| one.logs));
                    return Ok((died(&reason, early), reply));
                }
            }
        }
    }
    Ok((died("it exited", early), reply))
}

fn died(reason: &str, logs: Vec<sluice_runtime::LogLine>) -> Outcome {
    Outcome {
        logs,
        failure: Some(Failure {
            name: "ProcessDied".to_owned(),
            message: format!("the component process died: {reason}"),
            stack: String::new(),
            code: None,
            prop: None,
        }),
        duration: Duration::ZERO,
        ..Outcome::default()
    }
}
