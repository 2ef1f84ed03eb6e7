//! What a process is asked to load, and why it may not.

use std::{collections::BTreeMap, io, sync::Arc};

use serde::Serialize;
use serde_json::{Value, value::RawValue};
use sluice_code::CodeError;
use sluice_model::{ComponentKind, ComponentShape, ModuleFormat, RawShape, SourceId, WorkflowId};

use crate::packages::{PackageError, PackageLock};

/// What a process does before it has a component.
#[derive(Clone, Copy)]
pub(crate) enum Preload {
    /// It is needed at once.
    Nothing,
    /// It has time to import the modules of Node that packages use.
    NodeModules,
}

impl Preload {
    pub(crate) fn argument(self) -> Option<&'static str> {
        match self {
            Preload::Nothing => None,
            Preload::NodeModules => Some("warm"),
        }
    }
}

/// What a process holds: the component of a source, or all steps of a workflow.
pub struct ProcessSpec {
    pub owner: ProcessOwner,
    /// At least one.
    pub modules: Vec<ModuleSpec>,
    /// What expressions in props read as `process.env.<name>`.
    pub env: BTreeMap<String, String>,
    /// The key-value store: key and JSON text. Keys of a step begin with its name and a slash.
    pub stored: Vec<(String, Box<RawValue>)>,
}

/// Whose process it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProcessOwner {
    /// Code that is only looked at, or asked something.
    Nobody,
    Source(SourceId),
    Workflow(WorkflowId),
}

/// Code with a folder, packages and props of its own.
pub struct ModuleSpec {
    /// The name of the step; [`ModuleSpec::COMPONENT`] for what is no step. Its files are called so.
    pub name: String,
    /// JavaScript.
    pub code: Arc<str>,
    pub format: ModuleFormat,
    pub packages: Option<Arc<PackageLock>>,
    pub props: Vec<PropBinding>,
}

impl ModuleSpec {
    pub const COMPONENT: &'static str = "component";
}

/// What code is for, which decides the forms it may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role<'a> {
    /// A component object with a name and a version.
    Component,
    /// The step of this name: an object that may lack both, or a function. Functions need [`sluice_code::parse_step`] first.
    Step(&'a str),
}

/// What `this.<name>` is.
#[derive(Debug, Clone, Serialize)]
pub struct PropBinding {
    pub name: String,
    pub kind: BindingKind,
    pub value: Value,
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
    /// The component's own fault.
    #[error("the component does not load")]
    Code(Vec<CodeError>),
    /// The process did not get as far as loading it.
    #[error("the component process did not start: {0}")]
    Start(String),
    /// Its packages are not on this machine and cannot be had now.
    #[error("packages could not be fetched: {0}")]
    Packages(String),
}

impl From<PackageError> for LoadError {
    fn from(error: PackageError) -> LoadError {
        match error {
            PackageError::Code(faults) => LoadError::Code(faults),
            PackageError::Unavailable(reason) => LoadError::Packages(reason),
        }
    }
}

impl From<io::Error> for LoadError {
    fn from(error: io::Error) -> LoadError {
        LoadError::Start(error.to_string())
    }
}

impl LoadError {
    pub(crate) fn without_positions(mut self) -> LoadError {
        if let LoadError::Code(errors) = &mut self {
            for error in errors {
                (error.line, error.column) = (None, None);
            }
        }
        self
    }

    /// Built code was parsed when it was built: what the runtime still finds wrong with its syntax is an import of
    /// something that a module does not have, at a place that no source map has brought back to the author's lines.
    pub(crate) fn without_built_lines(mut self) -> LoadError {
        if let LoadError::Code(faults) = &mut self {
            for fault in faults {
                if fault.message.starts_with("SyntaxError: ") {
                    (fault.line, fault.column) = (None, None);
                }
            }
        }
        self
    }
}

/// Whose lines the code has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    /// The author's: a fault can name them.
    Written,
    /// Those of a program that made the code.
    Built,
}

/// What saving code brings to light.
pub struct Analysis {
    pub shape: ComponentShape,
    /// None when the code names no package.
    pub packages: Option<PackageLock>,
}

/// The version of a step's code that names none.
const NO_VERSION: &str = "0.0.0";

impl Role<'_> {
    pub(crate) fn module_name(&self) -> &str {
        match self {
            Role::Component => ModuleSpec::COMPONENT,
            Role::Step(name) => name,
        }
    }

    /// The shape of what the only module says it is, with what a step need not say; or everything that is wrong with it.
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
