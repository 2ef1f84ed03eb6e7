//! A run of an action as its user sees it.

use serde_json::{Map, Value};
use sluice_model::{masked, workflow::WorkflowDefinition};
use sluice_store::{
    Conn, StoreError,
    run_history::{self, Content, ListedStep},
    runs::Run,
    sends::{self, SendSummary},
};

use super::ran::RanAction;

pub struct ActionRunView {
    pub run: Run,
    /// None if the stored event cannot be read.
    pub action: Option<RanAction>,
    /// Without secrets.
    pub props: Map<String, Value>,
    /// The last execution of the action; none before its end, and in lists.
    pub step: Option<ListedStep>,
    /// Empty in lists.
    pub sends: Vec<SendSummary>,
}

impl ActionRunView {
    pub(super) fn new(run: Run, definition: Option<&WorkflowDefinition>) -> ActionRunView {
        let step = definition.and_then(|definition| definition.steps.first());
        let props = step.map(|step| {
            let declared = step.declared.as_deref().unwrap_or_default();
            masked(declared, &step.props)
        });
        ActionRunView {
            action: serde_json::from_str(&run.event).ok(),
            run,
            props: props.unwrap_or_default(),
            step: None,
            sends: Vec::new(),
        }
    }

    /// With its outcome.
    pub(super) fn complete(self, c: &mut dyn Conn) -> Result<ActionRunView, StoreError> {
        let (workflow, id) = (&self.run.workflow_id, &self.run.id);
        let steps = run_history::steps(c, workflow, id, Content::Whole)?;
        Ok(ActionRunView {
            step: steps.into_iter().next_back(),
            sends: sends::of_run(c, workflow, id)?,
            ..self
        })
    }
}
