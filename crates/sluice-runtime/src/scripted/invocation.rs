//! An invocation as a script gets it.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Map, Value};
use sluice_model::InvocationId;

use crate::{outcome::Call, spec::ProcessOwner};

/// A component or a step with the values of its props.
#[derive(Debug, Clone)]
pub struct ScriptedModule {
    pub name: String,
    /// The text of the entry.
    pub code: Arc<str>,
    pub props: Map<String, Value>,
}

#[derive(Debug, Clone)]
pub struct ScriptedInvocation {
    /// Processes are numbered from zero, in the order of their starts.
    pub process: usize,
    pub owner: ProcessOwner,
    /// The modules of the process.
    pub modules: Arc<[ScriptedModule]>,
    pub id: InvocationId,
    pub call: Call,
    pub event: Value,
    /// The key-value store of the process, with the writes of earlier invocations.
    pub stored: BTreeMap<String, Value>,
}

impl ScriptedInvocation {
    /// The name of the step, for a call of a step.
    pub fn step(&self) -> Option<&str> {
        self.event.get("step")?.as_str()
    }
}
