//! The report of the sandboxed loader about a component, and the check that turns it into a [`ComponentShape`].
//!
//! A [`RawShape`] is not trusted, because the component's own code computed it. The check reports all errors at once, for
//! the author of the component.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    component::{ComponentKind, ComponentShape, DedupeStrategy, Hook, ModuleFormat},
    prop_type::PropType,
    raw_props::{MAX_NAME, RawProp, check_props, too_long, without_nul},
};

const MAX_WARNINGS: usize = 100;
const MAX_WARNING: usize = 500;

/// The loader's report. Absent values are null; functions have been replaced by the loader.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RawShape {
    pub name: Value,
    pub key: Value,
    pub version: Value,
    pub description: Value,
    #[serde(rename = "type")]
    pub kind: Value,
    pub dedupe: Value,
    /// In declaration order.
    pub props: Vec<RawProp>,
    pub hooks: Vec<String>,
    pub has_run: bool,
    pub has_additional_props: bool,
    pub warnings: Vec<String>,
}

impl RawShape {
    /// The shape, or all errors in it.
    pub fn check(self, format: ModuleFormat) -> Result<ComponentShape, Vec<String>> {
        let mut errors = Vec::new();
        let kind = note(&mut errors, kind(&self.kind));
        let name = note(&mut errors, required_text("name", self.name));
        let key = optional_text("key", self.key).and_then(|key| match key {
            Some(key) if key.len() > MAX_NAME => Err(too_long("key")),
            key => Ok(key),
        });
        let key = note(&mut errors, key);
        // `version: 1` is accepted too, because authors write it.
        let version = note(
            &mut errors,
            required_text("version", number_as_text(self.version)),
        );
        let description = note(&mut errors, optional_text("description", self.description));
        let dedupe = note(&mut errors, dedupe(&self.dedupe));
        let mut prop_errors = Vec::new();
        let mut props = check_props(&mut prop_errors, self.props);
        if kind == Some(ComponentKind::Action) {
            // A step runs when its workflow does.
            props.retain(|prop| !prop.prop_type.is_interface());
        }
        errors.extend(prop_errors.iter().map(ToString::to_string));

        let has_timer = props.iter().any(|prop| prop.prop_type == PropType::Timer);
        let emits_ticks = has_timer && kind == Some(ComponentKind::Source);
        if !self.has_run && !emits_ticks {
            errors.push("run is required".to_owned());
        }
        match (name, key, version, description, kind, dedupe) {
            (Some(name), Some(key), Some(version), Some(description), Some(kind), Some(dedupe))
                if errors.is_empty() =>
            {
                Ok(ComponentShape {
                    name,
                    key,
                    version,
                    description,
                    kind,
                    dedupe,
                    props,
                    hooks: known_hooks(&self.hooks),
                    has_run: self.has_run,
                    format,
                    has_additional_props: self.has_additional_props,
                    warnings: warnings(self.warnings),
                })
            }
            _ => Err(errors),
        }
    }
}

/// Returns the value of a valid part, and collects the error of an invalid one.
fn note<T>(errors: &mut Vec<String>, part: Result<T, String>) -> Option<T> {
    part.map_err(|error| errors.push(error)).ok()
}

fn kind(value: &Value) -> Result<ComponentKind, String> {
    match value {
        Value::Null => Ok(ComponentKind::Source),
        Value::String(kind) if kind == "source" => Ok(ComponentKind::Source),
        Value::String(kind) if kind == "action" => Ok(ComponentKind::Action),
        _ => Err("type must be \"action\" or \"source\"".to_owned()),
    }
}

fn dedupe(value: &Value) -> Result<Option<DedupeStrategy>, String> {
    match value {
        Value::Null => Ok(None),
        other => other
            .as_str()
            .and_then(DedupeStrategy::parse)
            .map(Some)
            .ok_or_else(|| "dedupe must be one of unique, greatest, last".to_owned()),
    }
}

fn number_as_text(value: Value) -> Value {
    match value {
        Value::Number(number) => Value::String(number.to_string()),
        other => other,
    }
}

fn required_text(field: &str, value: Value) -> Result<String, String> {
    optional_text(field, value)?
        .filter(|text| !text.trim().is_empty())
        .ok_or_else(|| format!("{field} is required"))
}

/// An empty text counts as absent.
fn optional_text(field: &str, value: Value) -> Result<Option<String>, String> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(without_nul(text)).filter(|text| !text.is_empty())),
        _ => Err(format!("{field} must be a string")),
    }
}

fn warnings(raw: Vec<String>) -> Vec<String> {
    raw.into_iter()
        .take(MAX_WARNINGS)
        .map(|text| without_nul(text).chars().take(MAX_WARNING).collect())
        .collect()
}

/// Hooks of other names are never called. They are ignored.
fn known_hooks(names: &[String]) -> Vec<Hook> {
    [Hook::Deploy, Hook::Activate, Hook::Deactivate]
        .into_iter()
        .filter(|hook| names.iter().any(|name| name == hook.as_str()))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(raw: Value) -> Result<ComponentShape, Vec<String>> {
        serde_json::from_value::<RawShape>(raw)
            .unwrap()
            .check(ModuleFormat::CommonJs)
    }

    #[test]
    fn long_names_and_too_many_props_are_rejected() {
        let sound = |key: &str, props: Value| {
            check(json!({"name": "N", "version": "1", "hasRun": true, "key": key, "props": props}))
        };
        let prop = |name: &str| json!({"name": name, "def": "string"});
        let (fits, too_long) = ("x".repeat(500), "x".repeat(501));
        assert!(sound(&fits, json!([prop(&fits)])).is_ok());
        assert_eq!(
            sound(&too_long, json!([prop(&too_long)])).unwrap_err(),
            [
                "key must be at most 500 bytes long",
                "the name of a prop must be at most 500 bytes long"
            ]
        );
        let many: Vec<Value> = (0..1_001)
            .map(|number| prop(&format!("p{number}")))
            .collect();
        assert!(sound("k", json!(many[..1_000])).is_ok());
        assert_eq!(
            sound("k", json!(many)).unwrap_err(),
            ["there are more than 1000 props"]
        );
    }

    #[test]
    fn a_valid_component_keeps_its_parts_in_order() {
        let shape = check(json!({
            "name": "My source", "key": "my-source", "version": 2, "description": "Emits.\u{0}",
            "type": null, "dedupe": "unique", "hasRun": true, "hooks": ["activate", "deploy", "other"],
            "props": [
                {"name": "zebra", "def": "string"},
                {"name": "http", "def": {"type": "$.interface.http", "customResponse": true}},
                {"name": "apple", "def": {"type": "string", "options": {"$function": true}}},
            ],
        }))
        .unwrap();
        assert_eq!(shape.version, "2");
        assert_eq!(shape.description.as_deref(), Some("Emits."));
        assert_eq!(shape.kind, ComponentKind::Source);
        assert_eq!(shape.hooks, [Hook::Deploy, Hook::Activate]);
        assert!(shape.has_hook(Hook::Deploy) && !shape.has_hook(Hook::Deactivate));
        assert_eq!(shape.props_of(&PropType::Http).count(), 1);
        assert_eq!(
            serde_json::to_string(&shape.props).unwrap(),
            r#"[{"name":"zebra","type":"string"},{"name":"http","type":"$.interface.http","customResponse":true},{"name":"apple","type":"string","remoteOptions":true}]"#
        );
        let stored = serde_json::to_string(&shape).unwrap();
        assert_eq!(
            serde_json::from_str::<ComponentShape>(&stored).unwrap(),
            shape
        );
    }

    #[test]
    fn interfaces_of_an_action_are_ignored() {
        let interfaces = [
            "$.interface.http",
            "$.interface.timer",
            "$.interface.apphook",
        ];
        let mut props: Vec<_> = interfaces
            .iter()
            .map(|interface| json!({"name": interface.rsplit('.').next(), "def": interface}))
            .collect();
        props.push(json!({"name": "text", "def": "string"}));
        let shape = check(json!({
            "name": "Act", "version": "1", "type": "action", "hasRun": true, "props": props,
        }));
        let shape = shape.unwrap();
        let names: Vec<_> = shape.props.iter().map(|prop| prop.name.as_str()).collect();
        assert_eq!(names, ["text"]);
    }

    #[test]
    fn an_empty_component_lacks_everything_required() {
        assert_eq!(
            check(json!({})).unwrap_err(),
            ["name is required", "version is required", "run is required"]
        );
    }

    #[test]
    fn all_errors_are_reported_at_once() {
        let errors = check(json!({
            "name": 5, "key": [], "version": {}, "description": false, "type": "app", "dedupe": "first", "hasRun": true,
            "props": [
                {"name": "count", "def": "foo"},
                {"name": "same", "def": "any"},
                {"name": "same", "def": "any"},
                {"name": "none", "def": {}},
                {"name": "odd", "def": 7},
            ],
        }))
        .unwrap_err();
        assert_eq!(
            errors,
            [
                "type must be \"action\" or \"source\"",
                "name must be a string",
                "key must be a string",
                "version must be a string",
                "description must be a string",
                "dedupe must be one of unique, greatest, last",
                "prop count: unknown type \"foo\"",
                "prop same: declared twice",
                "prop none: type is required",
                "prop odd: must be a type or an object",
            ]
        );
    }

    #[test]
    fn only_a_source_with_a_timer_may_lack_run() {
        let timer = json!([{"name": "timer", "def": "$.interface.timer"}]);
        let shape = check(json!({"name": "a", "version": "1", "props": timer})).unwrap();
        assert!(!shape.has_run);
        let action = json!({"name": "a", "version": "1", "type": "action", "props": timer});
        assert_eq!(check(action).unwrap_err(), ["run is required"]);
    }

    #[test]
    fn nul_characters_are_dropped_everywhere() {
        let shape = check(json!({
            "name": "a\u{0}b", "version": "1", "hasRun": true,
            "props": [{"name": "p\u{0}", "def": {"type": "string", "label": "\u{0}x", "options": ["\u{0}y"]}}],
        }))
        .unwrap();
        assert!(!serde_json::to_string(&shape).unwrap().contains("\\u0000"));
        assert_eq!(shape.name, "ab");
    }
}
