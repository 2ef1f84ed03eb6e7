//! Running a tool: the values of the program complete the preset ones.

use serde_json::{Map, Value};
use sluice_engine::EngineError;
use sluice_model::{PropError, PropErrorCode, TraceContext};
use sluice_store::tools;

use super::{preset, service::Tools};
use crate::{
    actions::{ActionRunView, RunAction},
    audit::Actor,
    components::ComponentRef,
};

impl Tools {
    pub async fn run(
        &self,
        actor: &Actor,
        name: String,
        given: Map<String, Value>,
        trace: Option<TraceContext>,
    ) -> Result<ActionRunView, EngineError> {
        let (user, wanted) = (actor.user_id.clone(), name.clone());
        let tool = self
            .infra
            .store
            .read(move |c| tools::get(c, &user, &wanted))
            .await?
            .ok_or(EngineError::NotFound("tool"))?;
        let preset = preset::open(&self.infra, &tool)?;
        let request = RunAction {
            component: ComponentRef::Named(tool.component),
            configured_props: completed(preset, given)?,
            account: None,
            dynamic_props_id: None,
            timeout_seconds: None,
            wait: true,
            tool: Some(name),
            trace,
        };
        self.actions.run(actor, request).await
    }
}

/// Values of the program never replace preset ones: the account, for example, is the user's choice.
fn completed(
    mut preset: Map<String, Value>,
    given: Map<String, Value>,
) -> Result<Map<String, Value>, EngineError> {
    let replaced = given.keys().filter(|name| preset.contains_key(*name));
    let errors: Vec<PropError> = replaced
        .map(|name| PropError::new(name, PropErrorCode::UnknownProp, "is preset for this tool"))
        .collect();
    if !errors.is_empty() {
        return Err(EngineError::InvalidProps(errors));
    }
    preset.extend(given);
    Ok(preset)
}
