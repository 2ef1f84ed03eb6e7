//! Running a component once, and showing what it did.

use std::{collections::BTreeMap, path::Path, process::ExitCode, sync::Arc, time::Duration};

use anyhow::bail;
use serde_json::{Map, Value, json};
use sluice_code::{Language, ParsedModule, parse_step};
use sluice_engine::process::bindings::binding;
use sluice_model::{
    Clock, ComponentKind, ComponentShape, IdGen, InvocationId, PropDef, PropType, SystemClock,
    WorkflowId, configure,
};
use sluice_runtime::{
    Analysis, BindingKind, Call, Failure, Invocation, Lines, LoadError, ModuleSpec, Outcome,
    ProcessEvent, ProcessOwner, ProcessSpec, PropBinding, Reply, Role, Runtime,
};

use super::{TestOptions, event, faults, local::LocalRuntime, report::Report, stores::Stores};
use crate::commands::{
    code::{Module, read_javascript},
    event::read,
    output::{complain, show, show_json},
};

const ENDPOINT: &str = "http://localhost/e/test";
const WORKFLOW: &str = "p_localtestrun";

pub(super) async fn run(
    local: &LocalRuntime,
    file: &Path,
    options: &TestOptions,
) -> anyhow::Result<ExitCode> {
    let given = options.event.as_deref().map(read).transpose()?;
    let name = file.display().to_string();
    let module = match read_javascript(file).await? {
        Ok(module) => module,
        Err(faults) => return refused(&faults),
    };
    let (analysis, code) = match analyze(&local.runtime, &module).await {
        Ok(found) => found,
        Err(error) => return refused(&faults::told(&name, error)?),
    };
    let shape = &analysis.shape;
    let values = values(options, shape)?;
    let now = SystemClock.now_ms();
    let event = event::event(shape, &values, given, now);
    let spec = process(&analysis, code, &values);
    let (call, input) = match shape.kind {
        ComponentKind::Source => (Call::Run, event),
        ComponentKind::Action => (Call::Step, step_input(&event)),
    };
    let invocation = Invocation {
        id: InvocationId::generate(&mut IdGen::new(0), 0),
        call,
        event: input.to_string().into(),
        timeout: local.invocation_timeout,
    };
    let (outcome, reply) = match invoke(&local.runtime, &spec, invocation).await {
        Ok(ended) => ended,
        Err(error) => return refused(&faults::told(&name, error)?),
    };
    let report = Report::new(&name, outcome, reply);
    if options.json {
        show_json(&report)?;
    } else {
        show(&report.text())?;
    }
    Ok(if report.is_good() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn refused(faults: &[String]) -> anyhow::Result<ExitCode> {
    complain(&format!("{}\n", faults.join("\n")))?;
    Ok(ExitCode::FAILURE)
}

/// Reads the shape of the component; what lacks a name, or is a function, is taken as a step of a workflow.
async fn analyze(runtime: &Runtime, module: &Module) -> Result<(Analysis, Arc<str>), LoadError> {
    let lines = if module.is_built() {
        Lines::Built
    } else {
        Lines::Written
    };
    let code: Arc<str> = module.sent().into();
    let error = match ParsedModule::parse(Arc::clone(&code), Some(Language::JavaScript)) {
        Ok(module) => match runtime.analyze(&module, lines, Role::Component).await {
            Ok(analysis) => return Ok((analysis, code)),
            Err(error) => error,
        },
        Err(errors) => LoadError::Code(errors),
    };
    if !is_step(&error) {
        return Err(error);
    }
    let step = parse_step(code, Some(Language::JavaScript)).map_err(LoadError::Code)?;
    let role = Role::Step(ModuleSpec::COMPONENT);
    let analysis = runtime.analyze(&step, lines, role).await?;
    Ok((analysis, Arc::clone(step.code())))
}

fn is_step(error: &LoadError) -> bool {
    let LoadError::Code(faults) = error else {
        return false;
    };
    let told = |words: &str| faults.iter().any(|fault| fault.message.contains(words));
    told("name is required") && told("version is required") || told("exports a function")
}

/// Complete, with defaults; or an error that names all that is missing.
fn values(options: &TestOptions, shape: &ComponentShape) -> anyhow::Result<Map<String, Value>> {
    let given = options.props.values(&shape.props)?;
    // Their values are what the component sees, and no accounts or addresses of a server.
    let (ours, checked): (Vec<_>, Vec<_>) = given.into_iter().partition(|(name, _)| {
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
            values.extend(ours);
            Ok(values)
        }
        Err(errors) => {
            let messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
            bail!(
                "{}\nGive values with --prop NAME=VALUE, or all of them with --props FILE",
                messages.join("\n")
            )
        }
    }
}

fn is_app(prop: &PropDef) -> bool {
    prop.prop_type == PropType::App
}

fn process(analysis: &Analysis, code: Arc<str>, values: &Map<String, Value>) -> ProcessSpec {
    let shape = &analysis.shape;
    ProcessSpec {
        owner: match (shape.kind, WorkflowId::parse(WORKFLOW)) {
            (ComponentKind::Action, Some(id)) => ProcessOwner::Workflow(id),
            _ => ProcessOwner::Unowned,
        },
        modules: vec![ModuleSpec {
            name: ModuleSpec::COMPONENT.to_owned(),
            code,
            format: shape.format,
            packages: analysis.packages.clone().map(Arc::new),
            props: shape
                .props
                .iter()
                .filter_map(|prop| bound(prop, values))
                .collect(),
        }],
        env: BTreeMap::new(),
        stored: Vec::new(),
    }
}

/// The credentials of an app are given as `{"$auth": {…}}`, as the component reads them.
fn bound(prop: &PropDef, values: &Map<String, Value>) -> Option<PropBinding> {
    let value = values.get(&prop.name);
    if is_app(prop) {
        return Some(PropBinding {
            name: prop.name.clone(),
            kind: BindingKind::App,
            value: value.cloned().unwrap_or_else(|| json!({})),
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
                ProcessEvent::Exited { reason, unfinished } => {
                    early.extend(unfinished.into_iter().flat_map(|one| one.logs));
                    return Ok((died(&reason, early), reply));
                }
            }
        }
    }
    Ok((died("it ended", early), reply))
}

fn died(reason: &str, logs: Vec<sluice_runtime::LogLine>) -> Outcome {
    Outcome {
        logs,
        failure: Some(Failure {
            name: "ProcessDied".to_owned(),
            message: format!("the component process died: {reason}"),
            stack: String::new(),
            code: None,
        }),
        duration: Duration::ZERO,
        ..Outcome::default()
    }
}
