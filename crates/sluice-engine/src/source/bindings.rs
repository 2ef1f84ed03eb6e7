//! The values `this.<prop>` gets in the component.

use serde_json::{Value, json};
use sluice_model::{PropDef, PropType};
use sluice_runtime::{BindingKind, PropBinding};
use sluice_store::Vault;

use super::Definition;
use crate::{
    accounts::app_value,
    secrets::{self, Unreadable},
    settings::Settings,
};

/// Opens the secrets among them: this is the one place that hands them to code.
pub(super) fn bindings(
    definition: &Definition,
    settings: &Settings,
    vault: &Vault,
) -> Result<Vec<PropBinding>, Unreadable> {
    definition
        .shape
        .props
        .iter()
        .filter_map(|prop| {
            let stored = definition.source.configured_props.get(&prop.name);
            match stored
                .map(|value| secrets::open(vault, prop, value))
                .transpose()
            {
                Ok(configured) => binding(prop, configured, definition, settings).map(Ok),
                Err(unreadable) => Some(Err(unreadable)),
            }
        })
        .collect()
}

fn binding(
    prop: &PropDef,
    configured: Option<Value>,
    definition: &Definition,
    settings: &Settings,
) -> Option<PropBinding> {
    let (kind, value) = match &prop.prop_type {
        PropType::Http => {
            let endpoint = definition.endpoints.iter().find(|e| e.prop == prop.name)?;
            (
                BindingKind::Http,
                json!({ "endpoint": settings.endpoint_url(&endpoint.key) }),
            )
        }
        PropType::Timer => {
            let mut value = json!({ "type": "$.interface.timer" });
            if let (Some(fields), Some(Value::Object(schedule))) =
                (value.as_object_mut(), configured)
            {
                fields.extend(schedule);
            }
            (BindingKind::Value, value)
        }
        PropType::Db => (BindingKind::Db, Value::Null),
        PropType::App => (BindingKind::App, app_value(configured.as_ref())),
        PropType::DataStore => (BindingKind::DataStore, configured?),
        PropType::Dir => (BindingKind::Dir, Value::Null),
        PropType::HttpRequest => (BindingKind::HttpRequest, configured?),
        PropType::Boolean
        | PropType::Integer
        | PropType::String
        | PropType::Object
        | PropType::Any
        | PropType::Array(_)
        | PropType::Sql
        | PropType::Other(_) => (BindingKind::Value, configured?),
    };
    Some(PropBinding {
        name: prop.name.clone(),
        kind,
        value,
    })
}
