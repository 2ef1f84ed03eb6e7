//! The values `this.<prop>` gets in the component.

use serde_json::{Value, json};
use sluice_model::{PropDef, PropType};
use sluice_runtime::{BindingKind, PropBinding};

use super::Definition;
use crate::{accounts::app_value, settings::Settings};

pub(super) fn bindings(definition: &Definition, settings: &Settings) -> Vec<PropBinding> {
    definition
        .shape
        .props
        .iter()
        .filter_map(|prop| binding(prop, definition, settings))
        .collect()
}

fn binding(prop: &PropDef, definition: &Definition, settings: &Settings) -> Option<PropBinding> {
    let configured = definition.source.configured_props.get(&prop.name).cloned();
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
        PropType::Boolean
        | PropType::Integer
        | PropType::String
        | PropType::Object
        | PropType::Any
        | PropType::Array(_)
        | PropType::Other(_) => (BindingKind::Value, configured?),
    };
    Some(PropBinding {
        name: prop.name.clone(),
        kind,
        value,
    })
}
