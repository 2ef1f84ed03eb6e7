//! The specification of a process, and errors of loading it.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    sync::Arc,
};

use serde::Serialize;
use serde_json::{Value, value::RawValue};
use sluice_model::{
    CodeError, CodeFiles, ComponentKind, ComponentShape, ModuleFormat, RawShape, SourceId,
    WorkflowId,
};

use crate::{
    fair_queue::PermitUser,
    packages::{PackageError, PackageLock},
};

/// The contents of a process: the component of a source, or all steps of a workflow.
pub struct ProcessSpec {
    pub owner: ProcessOwner,
    /// The user whose permits it takes.
    pub user: PermitUser,
    /// A smaller limit than usual for the key-value store, in bytes.
    pub max_db: Option<usize>,
    /// At least one.
    pub modules: Vec<ModuleSpec>,
    /// The variables that expressions in props read as `process.env.<name>`.
    pub env: BTreeMap<String, String>,
    /// Those of them that recorded inputs do not show.
    pub secret_env: BTreeSet<String>,
    /// The key-value store: key and JSON text. Keys of a step begin with its name and a slash.
    pub stored: Vec<(String, Box<RawValue>)>,
}

/// The owner of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProcessOwner {
    /// A short-lived process that analyses code or answers a question.
    Unowned,
    Source(SourceId),
    Workflow(WorkflowId),
}

/// A module with its packages and props.
pub struct ModuleSpec {
    /// The name of the step, or [`ModuleSpec::COMPONENT`].
    pub name: String,
    pub files: Arc<CodeFiles>,
    /// The format of the entry.
    pub format: ModuleFormat,
    pub packages: Option<Arc<PackageLock>>,
    pub props: Vec<PropBinding>,
}

impl ModuleSpec {
    pub const COMPONENT: &'static str = "component";

    /// The name of the entry in errors. Code without a file has the name of its module.
    pub(crate) fn entry_location(&self) -> String {
        let location = &self.files.entry.link.location;
        match location.strip_prefix("component.") {
            Some(extension) if !extension.contains('/') => format!("{}.{extension}", self.name),
            _ => location.clone(),
        }
    }
}

/// The purpose of code, which decides the forms that are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role<'a> {
    /// A component object with a name and a version.
    Component,
    /// The step of this name: an object that may lack both, or a function. Functions need [`sluice_code::parse_step`] first.
    Step(&'a str),
}

/// The value of `this.<name>`.
#[derive(Debug, Clone, Serialize)]
pub struct PropBinding {
    pub name: String,
    pub kind: BindingKind,
    pub value: Value,
    /// Recorded inputs do not show it.
    pub secret: bool,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BindingKind {
    Value,
    Http,
    Db,
    App,
    DataStore,
    Dir,
    HttpRequest,
}

#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The component has errors.
    #[error("the component does not load")]
    Code(Vec<CodeError>),
    /// The component imports packages that do not exist or cannot run here.
    #[error("the component imports packages that cannot be used")]
    Imports(Vec<CodeError>),
    /// The process did not start.
    #[error("the component process did not start: {0}")]
    Start(String),
    /// Its packages are not installed and cannot be fetched now.
    #[error("packages could not be fetched: {0}")]
    Packages(String),
}

impl From<PackageError> for LoadError {
    fn from(error: PackageError) -> LoadError {
        match error {
            PackageError::Code(errors) => LoadError::Imports(errors),
            PackageError::Unavailable(reason) => LoadError::Packages(reason),
        }
    }
}

impl From<io::Error> for LoadError {
    fn from(error: io::Error) -> LoadError {
        LoadError::Start(error.to_string())
    }
}

/// The outcome of analysing code.
pub struct Analysis {
    pub shape: ComponentShape,
    /// `None` if the code imports no package.
    pub packages: Option<PackageLock>,
}

/// The default version of a step.
const NO_VERSION: &str = "0.0.0";

impl Role<'_> {
    pub(crate) fn module_name(&self) -> &str {
        match self {
            Role::Component => ModuleSpec::COMPONENT,
            Role::Step(name) => name,
        }
    }

    /// The checked shape of the only module, with defaults for a step; or all its errors.
    pub(crate) fn check(
        self,
        shapes: Vec<RawShape>,
        format: ModuleFormat,
    ) -> Result<ComponentShape, Vec<String>> {
        let mut shape = shapes.into_iter().next().unwrap_or_default();
        let Role::Step(name) = self else {
            return shape.check(format);
        };
        for (field, default) in [
            (&mut shape.name, name),
            (&mut shape.version, NO_VERSION),
            (&mut shape.kind, "action"),
        ] {
            if field.is_null() {
                *field = Value::from(default);
            }
        }
        match shape.check(format)? {
            shape if shape.kind == ComponentKind::Action => Ok(shape),
            _ => Err(vec!["a source cannot be a step".to_owned()]),
        }
    }
}
