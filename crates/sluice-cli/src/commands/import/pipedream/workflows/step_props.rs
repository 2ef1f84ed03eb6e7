//! The props of a step.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::super::{
    accounts::{Accounts, AppHint, account_id},
    components::Declarations,
    env_names::env_names,
    masked::is_masked,
    report::Report,
};

const EXPRESSION: &str = "{{";

/// Context of the props of one step.
pub(super) struct StepProps<'a, 'b> {
    pub(super) step: &'a str,
    /// The step with its workflow.
    pub(super) place: &'a str,
    /// The app of the component, if its key says so.
    pub(super) app: Option<&'a str>,
    pub(super) declared: Option<&'a Declarations>,
    pub(super) accounts: &'a mut Accounts<'b>,
    pub(super) report: &'a mut Report,
    /// The names of secrets that expressions read.
    pub(super) env: &'a mut BTreeSet<String>,
}

impl StepProps<'_, '_> {
    pub(super) fn translate(&mut self, given: Option<&Value>) -> Map<String, Value> {
        let given = given.and_then(Value::as_object).into_iter().flatten();
        given
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name.clone(), self.value(name, value)))
            .collect()
    }

    fn value(&mut self, name: &str, value: &Value) -> Value {
        if let Some(id) = account_id(value) {
            let declared = self.declared.and_then(|declared| declared.app_of(name));
            let app = AppHint {
                of_component: declared.or(self.app),
                prop: name,
            };
            let id = self.accounts.of_step(id, app, self.place);
            return json!({ "authProvisionId": id });
        }
        if let Some(store) = value.get("storeId").and_then(Value::as_str) {
            self.report.data_store(self.place, store);
            return json!(store);
        }
        let is_secret = self
            .declared
            .is_some_and(|declared| declared.is_secret(name));
        if is_masked(value) || (is_secret && !reads_expression(value)) {
            let variable = variable(self.step, name);
            self.env.insert(variable.clone());
            return json!(format!("{{{{ process.env.{variable} }}}}"));
        }
        collect_env(value, self.env);
        value.clone()
    }
}

fn reads_expression(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.contains(EXPRESSION))
}

/// The names that the expressions of a value read from the environment.
fn collect_env(value: &Value, env: &mut BTreeSet<String>) {
    match value {
        Value::String(text) if text.contains(EXPRESSION) => env.extend(env_names(text)),
        Value::Array(items) => items.iter().for_each(|item| collect_env(item, env)),
        Value::Object(fields) => fields.values().for_each(|item| collect_env(item, env)),
        _ => {}
    }
}

/// The name of the environment value for a secret prop.
fn variable(step: &str, prop: &str) -> String {
    let name = format!("{step}_{prop}").to_ascii_uppercase();
    name.chars()
        .map(|character| {
            if character.is_ascii_alphanumeric() {
                character
            } else {
                '_'
            }
        })
        .collect()
}
