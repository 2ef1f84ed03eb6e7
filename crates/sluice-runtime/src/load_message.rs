//! The message that makes a process load its modules.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use serde::Serialize;
use serde_json::{Value, value::RawValue};
use sluice_model::CodeFiles;

use crate::{
    harness_limits::HarnessLimits,
    limits::Limits,
    node_use::{needs_node, survey_needs_node},
    prop_template::template,
    spec::{BindingKind, ProcessOwner, ProcessSpec, PropBinding, Role},
    tenant_number::TenantNumber,
};

/// The files of a module in the folder of its process.
pub(crate) struct ModuleFiles {
    /// The folder of its files and its packages.
    pub(crate) folder: PathBuf,
    /// The entry.
    pub(crate) file: PathBuf,
    /// The folder of its packages, if it has any.
    pub(crate) packages: Option<PathBuf>,
}

#[derive(Serialize)]
struct LoadMessage<'a> {
    t: &'static str,
    tenant: u32,
    modules: Vec<Module<'a>>,
    /// Whether the modules are steps, which may be functions.
    steps: bool,
    source: Option<&'a str>,
    workflow: Option<&'a str>,
    /// The environment of expressions.
    env: &'a BTreeMap<String, String>,
    secret_env: &'a BTreeSet<String>,
    /// The texts as they were stored. They may be nested more deeply than a parser here accepts.
    db: BTreeMap<&'a str, &'a RawValue>,
    limits: HarnessLimits,
}

#[derive(Serialize)]
struct Module<'a> {
    name: &'a str,
    /// The folder of its files and its packages.
    folder: String,
    /// The entry.
    file: String,
    /// The locations of files that have other paths in the folder, by these paths. Errors name locations.
    locations: BTreeMap<&'a str, &'a str>,
    /// The location of the entry.
    entry: String,
    packages: Option<&'a Path>,
    /// Whether it may use Node before it reads a global.
    node: bool,
    props: Vec<Prop<'a>>,
}

#[derive(Serialize)]
struct Prop<'a> {
    name: &'a str,
    kind: BindingKind,
    value: &'a Value,
    secret: bool,
    /// Evaluated for each step, in place of `value`.
    #[serde(skip_serializing_if = "Option::is_none")]
    template: Option<Value>,
}

/// The line that makes a process load the modules of a tenant.
pub(crate) fn load_line(
    tenant: TenantNumber,
    spec: &ProcessSpec,
    role: Role<'_>,
    files: &[ModuleFiles],
    limits: &Limits,
) -> String {
    let db = spec
        .stored
        .iter()
        .map(|(key, value)| (key.as_str(), &**value))
        .collect();
    let (source, workflow) = match &spec.owner {
        ProcessOwner::Unowned => (None, None),
        ProcessOwner::Source(id) => (Some(id.as_str()), None),
        ProcessOwner::Workflow(id) => (None, Some(id.as_str())),
    };
    let modules = spec.modules.iter().zip(files);
    let message = LoadMessage {
        t: "load",
        tenant: tenant.value(),
        modules: modules
            .map(|(module, files)| Module {
                name: &module.name,
                folder: file_url(&files.folder),
                file: file_url(&files.file),
                locations: locations(&module.files),
                entry: module.entry_location(),
                packages: files.packages.as_deref(),
                node: needs_node(module),
                props: props(&module.props, workflow.is_some()),
            })
            .collect(),
        steps: matches!(role, Role::Step(_)),
        source,
        workflow,
        env: &spec.env,
        secret_env: &spec.secret_env,
        db,
        limits: HarnessLimits::of(limits).with_store(spec.max_db),
    };
    let mut line = serde_json::to_string(&message).unwrap_or_default();
    line.push('\n');
    line
}

fn props(bindings: &[PropBinding], in_workflow: bool) -> Vec<Prop<'_>> {
    let bindings = bindings.iter();
    bindings
        .map(|binding| Prop::of(binding, in_workflow))
        .collect()
}

impl Prop<'_> {
    /// Only values of steps may hold expressions.
    fn of(binding: &PropBinding, in_workflow: bool) -> Prop<'_> {
        let PropBinding {
            name,
            kind,
            value,
            secret,
        } = binding;
        let may_hold_expressions =
            in_workflow && matches!(kind, BindingKind::Value | BindingKind::HttpRequest);
        Prop {
            name,
            kind: *kind,
            value,
            secret: *secret,
            template: may_hold_expressions.then(|| template(value)).flatten(),
        }
    }
}

fn locations(files: &CodeFiles) -> BTreeMap<&str, &str> {
    let links = files.all().map(|file| &file.link);
    let moved = links.filter(|link| link.path != link.location);
    moved
        .map(|link| (link.path.as_str(), link.location.as_str()))
        .collect()
}

fn file_url(file: &Path) -> String {
    format!("file://{}", file.display())
}

/// The line that makes a process import packages ahead, through a file that imports them.
pub(crate) fn prime_line(folder: &Path, file: &Path, modules: &Path) -> String {
    let message = serde_json::json!({
        "t": "prime",
        "folder": file_url(folder),
        "file": file_url(file),
        "modules": modules,
    });
    format!("{message}\n")
}

/// The line that makes a process survey a module.
pub(crate) fn survey_line(folder: &Path, file: &Path, files: &CodeFiles) -> String {
    let message = serde_json::json!({
        "t": "survey",
        "module": {
            "folder": file_url(folder),
            "file": file_url(file),
            "locations": locations(files),
            "entry": files.entry.link.location,
            "node": survey_needs_node(files),
        },
    });
    format!("{message}\n")
}
