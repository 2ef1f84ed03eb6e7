//! Bindings: the values of `this.<prop>` in a component.

use serde_json::{Map, Value, json};
use sluice_infra::Settings;
use sluice_model::{PropDef, PropType, label_value};
use sluice_runtime::{BindingKind, PropBinding};
use sluice_store::{Vault, endpoints::Endpoint};

use super::credentials::app_value;
use crate::{
    secrets::{self, UnreadableSecret},
    state::Definition,
};

/// The bindings of a source. This is the one place that opens its secrets for code.
pub(crate) fn bindings(
    definition: &Definition,
    settings: &Settings,
    vault: &Vault,
) -> Result<Vec<PropBinding>, UnreadableSecret> {
    let props = &definition.shape.props;
    let values = secrets::opened(vault, props, &definition.source.configured_props)?;
    Ok(bind(props, &values, &definition.endpoints, settings))
}

/// Bindings of props with opened values and their endpoints.
pub fn bind(
    props: &[PropDef],
    values: &Map<String, Value>,
    endpoints: &[Endpoint],
    settings: &Settings,
) -> Vec<PropBinding> {
    let one = |prop: &PropDef| {
        let endpoint = endpoints
            .iter()
            .find(|endpoint| endpoint.prop == prop.name)
            .map(|endpoint| settings.endpoint_url(&endpoint.key));
        binding(prop, values.get(&prop.name), endpoint)
    };
    props.iter().filter_map(one).collect()
}

/// The binding of one prop; `None` when the component sees nothing under its name.
pub fn binding(
    prop: &PropDef,
    configured: Option<&Value>,
    endpoint: Option<String>,
) -> Option<PropBinding> {
    let (kind, value) = match &prop.prop_type {
        PropType::Http => (BindingKind::Http, json!({ "endpoint": endpoint? })),
        PropType::Apphook => (BindingKind::Value, json!({ "endpoint": endpoint? })),
        PropType::Timer => {
            let mut value = json!({ "type": "$.interface.timer" });
            if let (Some(fields), Some(Value::Object(schedule))) =
                (value.as_object_mut(), configured)
            {
                fields.extend(schedule.clone());
            }
            (BindingKind::Value, value)
        }
        PropType::Db => (BindingKind::Db, Value::Null),
        PropType::App => (BindingKind::App, app_value(configured)),
        PropType::DataStore => (BindingKind::DataStore, configured?.clone()),
        PropType::Dir => (BindingKind::Dir, Value::Null),
        PropType::HttpRequest => (BindingKind::HttpRequest, configured?.clone()),
        PropType::Alert => return None,
        PropType::Boolean
        | PropType::Integer
        | PropType::String
        | PropType::Object
        | PropType::Any
        | PropType::Array(_)
        | PropType::Sql
        | PropType::Other(_) => (BindingKind::Value, label_value::for_code(prop, configured?)),
    };
    Some(PropBinding {
        name: prop.name.clone(),
        kind,
        value,
        secret: prop.is_secret(),
    })
}
