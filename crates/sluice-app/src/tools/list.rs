//! Reading tools, with the schema of their input.

use serde_json::{Map, Value, json};
use sluice_engine::EngineError;
use sluice_infra::Infra;
use sluice_model::{ComponentKind, UserId, masked, props_schema};
use sluice_store::{
    Conn, StoreError,
    components::Component,
    tools::{self, Tool},
};

use super::{preset, service::Tools};
use crate::components;

/// A tool as its user and programs see it.
pub struct ToolView {
    pub name: String,
    pub component: String,
    /// The name of the action; none when it is gone.
    pub title: Option<String>,
    /// The own description, or that of the action.
    pub description: Option<String>,
    pub has_own_description: bool,
    /// Without secrets.
    pub preset: Map<String, Value>,
    /// JSON Schema of the props that programs give.
    pub input_schema: Value,
    /// Why it cannot run.
    pub problem: Option<String>,
    pub created_at: i64,
    pub updated_at: i64,
}

impl Tools {
    pub async fn get(&self, user: &UserId, name: &str) -> Result<ToolView, EngineError> {
        let (user, name) = (user.clone(), name.to_owned());
        let read = self.infra.store.read(move |c| {
            let tool = tools::get(c, &user, &name)?;
            tool.map(|tool| with_component(c, tool)).transpose()
        });
        let (tool, component) = read.await?.ok_or(EngineError::NotFound("tool"))?;
        Ok(view(&self.infra, tool, component.as_ref()))
    }

    /// All tools of the user, by name.
    pub async fn list(&self, user: &UserId) -> Result<Vec<ToolView>, EngineError> {
        let user = user.clone();
        let read = self.infra.store.read(move |c| {
            let tools = tools::list(c, &user)?.into_iter();
            tools
                .map(|tool| with_component(c, tool))
                .collect::<Result<Vec<_>, StoreError>>()
        });
        let tools = read.await?.into_iter();
        Ok(tools
            .map(|(tool, component)| view(&self.infra, tool, component.as_ref()))
            .collect())
    }
}

/// The component as it is stored: a list must not wait for packages.
fn with_component(c: &mut dyn Conn, tool: Tool) -> Result<(Tool, Option<Component>), StoreError> {
    let component = components::find(c, &tool.user_id, &tool.component)?;
    Ok((tool, component))
}

fn view(infra: &Infra, tool: Tool, component: Option<&Component>) -> ToolView {
    let (values, unreadable) = match preset::open(infra, &tool) {
        Ok(values) => (values, None),
        Err(error) => (Map::new(), Some(error.to_string())),
    };
    let shape = component.map(|component| &component.shape);
    let problem = match shape {
        None => Some(format!("there is no component {} any more", tool.component)),
        Some(shape) if shape.kind == ComponentKind::Source => {
            Some(format!("{} is a source, not an action", tool.component))
        }
        Some(_) => unreadable,
    };
    let description = tool.description.clone();
    ToolView {
        title: shape.map(|shape| shape.name.clone()),
        has_own_description: description.is_some(),
        description: description.or_else(|| shape.and_then(|shape| shape.description.clone())),
        input_schema: shape.map_or_else(
            || json!({ "type": "object" }),
            |shape| props_schema(&shape.props, &values, shape.has_additional_props),
        ),
        preset: shape.map_or_else(Map::new, |shape| masked(&shape.props, &values)),
        problem,
        name: tool.name,
        component: tool.component,
        created_at: tool.created_at,
        updated_at: tool.updated_at,
    }
}
