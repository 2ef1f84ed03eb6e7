//! Enabling an action as a tool, and changing one.

use serde_json::{Map, Value};
use sluice_engine::EngineError;
use sluice_model::{ComponentShape, PropDef, PropError, PropErrorCode, UserId, configure};
use sluice_store::{
    StoreError,
    audit::Action,
    tools::{self, Tool},
    users,
};

use super::{list::ToolView, name, preset, service::Tools};
use crate::{
    actions::{must_be_an_action, use_account},
    audit::Actor,
};

/// Tools of one user. Agents choose badly among more.
const MAX_TOOLS: u64 = 200;

/// An action to enable.
pub struct EnableTool {
    pub name: String,
    /// The key of the action, or the id of its component.
    pub component: String,
    /// In place of the action's own.
    pub description: Option<String>,
    /// Values that programs neither see nor change.
    pub configured_props: Map<String, Value>,
    /// The account for the only app prop of the action.
    pub account: Option<String>,
}

impl Tools {
    /// Enables an action, or replaces the tool of this name.
    pub async fn enable(
        &self,
        actor: &Actor,
        request: EnableTool,
    ) -> Result<ToolView, EngineError> {
        let EnableTool {
            name,
            component,
            description,
            configured_props: mut given,
            account,
        } = request;
        name::check(&name)?;
        let user = &actor.user_id;
        let found = self.components.find(user, &component).await?;
        let shape = found.ok_or(EngineError::NotFound("component"))?.shape;
        must_be_an_action(&shape)?;
        if let Some(account) = account {
            use_account(&shape, &mut given, &account)?;
        }
        let before = self.preset_before(user, &name).await?;
        let values = self.check(user, &shape, &given, before.as_ref()).await?;
        let now = self.infra.creation_ms();
        let tool = Tool {
            user_id: user.clone(),
            component,
            description: description.filter(|text| !text.trim().is_empty()),
            props_sealed: preset::seal(&self.infra, values),
            created_at: now,
            updated_at: now,
            name: name.clone(),
        };
        self.store(actor, tool).await?;
        self.get(user, &name).await
    }

    async fn preset_before(
        &self,
        user: &UserId,
        name: &str,
    ) -> Result<Option<Map<String, Value>>, EngineError> {
        let (user, name) = (user.clone(), name.to_owned());
        let read = self
            .infra
            .store
            .read(move |c| tools::get(c, &user, &name))
            .await?;
        // One that cannot be read is replaced.
        Ok(read.and_then(|tool| preset::open(&self.infra, &tool).ok()))
    }

    /// The values to preset. Props without a value are given by programs later.
    async fn check(
        &self,
        user: &UserId,
        shape: &ComponentShape,
        given: &Map<String, Value>,
        before: Option<&Map<String, Value>>,
    ) -> Result<Map<String, Value>, EngineError> {
        let has_value = |name: &str| given.get(name).is_some_and(|value| !value.is_null());
        let is_declared = |name: &str| shape.props.iter().any(|prop| prop.name == name);
        let preset: Vec<PropDef> = shape
            .props
            .iter()
            .filter(|prop| has_value(&prop.name))
            .cloned()
            .collect();
        let (known, others): (Map<_, _>, Map<_, _>) = given
            .clone()
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .partition(|(name, _)| is_declared(name));
        if let Some(name) = others.keys().next()
            && !shape.has_additional_props
        {
            let reason = "is not a prop of this component";
            let error = PropError::new(name, PropErrorCode::UnknownProp, reason);
            return Err(EngineError::InvalidProps(vec![error]));
        }
        let checked = configure(&preset, &known, before);
        let mut values = self
            .account_props
            .check(user, &preset, &known, checked)
            .await?;
        values.extend(others);
        Ok(values)
    }

    async fn store(&self, actor: &Actor, tool: Tool) -> Result<(), EngineError> {
        let change = self
            .change(actor, Action::ToolEnable, &tool.name)
            .with("component", tool.component.as_str());
        let stored = self.infra.store.write(move |c| {
            // Tools that are enabled together are counted one after the other.
            users::hold(c, &tool.user_id)?;
            let is_known = tools::get(c, &tool.user_id, &tool.name)?.is_some();
            let has_room = is_known || tools::count(c, &tool.user_id)? < MAX_TOOLS;
            if has_room {
                tools::put(c, &tool)?;
                change.record(c)?;
            }
            Ok::<_, StoreError>(has_room)
        });
        if stored.await? {
            return Ok(());
        }
        Err(EngineError::Conflict(format!(
            "there are {MAX_TOOLS} tools already: disable one first"
        )))
    }
}
