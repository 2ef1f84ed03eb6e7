//! Check of a step's prop values, as far as they are known before it runs.

use serde_json::{Map, Value};
use sluice_engine::EngineError;
use sluice_model::{PropDef, PropType, UserId, configure, workflow::PathPart};
use sluice_runtime::check_expressions;
use sluice_store::components::Component;

use super::{document_errors::DocumentErrors, service::Workflows, step_code::StepComponent};

impl Workflows {
    /// The values to store, completed with defaults; none when they have errors.
    pub(super) async fn step_props(
        &self,
        user: &UserId,
        index: usize,
        step: &StepComponent,
        given: &Map<String, Value>,
        errors: &mut DocumentErrors<'_>,
    ) -> Result<Option<Map<String, Value>>, EngineError> {
        let component = step.component();
        let declared = &component.shape.props;
        let takes_others = takes_undeclared(step);
        let is_declared = |name: &str| declared.iter().any(|prop| prop.name == name);
        let mut faults = faults_of_kind(declared, given);
        let (open, known): (Vec<_>, Vec<_>) = given
            .iter()
            .map(|(name, value)| (name.clone(), value.clone()))
            .partition(|(name, value)| {
                let undeclared = takes_others && !is_declared(name);
                undeclared || (is_declared(name) && is_open(declared, name, value))
            });
        let (open, known): (Map<_, _>, Map<_, _>) =
            (open.into_iter().collect(), known.into_iter().collect());
        let closed: Vec<PropDef> = declared
            .iter()
            .filter(|prop| !open.contains_key(&prop.name))
            .cloned()
            .collect();
        let checked = configure(&closed, &known, None);
        let values = match self
            .account_props
            .check(user, &closed, &known, checked)
            .await
        {
            Ok(values) => Some(values),
            Err(EngineError::InvalidProps(texts)) => {
                faults.extend(texts.iter().map(|text| named(text, component, given)));
                None
            }
            Err(error) => return Err(error),
        };
        let sound = faults.is_empty();
        for (name, message) in faults {
            let path = [
                "steps".into(),
                index.into(),
                "props".into(),
                name.as_str().into(),
            ];
            errors.add(&path, message);
        }
        Ok(values.filter(|_| sound).map(|mut values| {
            values.extend(open);
            values
        }))
    }
}

/// Whether values of no declared prop reach the code: as what `additionalProps` would declare, or as the `params` of a function.
fn takes_undeclared(step: &StepComponent) -> bool {
    let shape = &step.component().shape;
    shape.has_additional_props || (matches!(step, StepComponent::Own(_)) && shape.props.is_empty())
}

/// Whether a value is not known before the step runs.
fn is_open(declared: &[PropDef], name: &str, value: &Value) -> bool {
    let mut props = declared.iter();
    holds_expression(value) && !props.any(|prop| prop.name == name && is_read_here(prop))
}

/// Props that the server itself reads, such as the account to use.
fn is_read_here(prop: &PropDef) -> bool {
    matches!(prop.prop_type, PropType::App | PropType::DataStore)
}

fn holds_expression(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains("{{"),
        Value::Array(values) => values.iter().any(holds_expression),
        Value::Object(fields) => fields.values().any(holds_expression),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Values of the wrong kind: expressions where none can be, and secrets in clear.
fn faults_of_kind(declared: &[PropDef], given: &Map<String, Value>) -> Vec<(String, String)> {
    let mut faults = Vec::new();
    for prop in declared {
        let Some(value) = given.get(&prop.name).filter(|value| !value.is_null()) else {
            continue;
        };
        let fault = if is_read_here(prop) && holds_expression(value) {
            "must not hold an expression: it has to be known before the step runs"
        } else if prop.is_secret() && !holds_expression(value) {
            "is secret: use a secret environment value: {{ process.env.NAME }}"
        } else {
            continue;
        };
        faults.push((prop.name.clone(), fault.to_owned()));
    }
    faults
}

/// A fault in words begins with the name of its prop.
fn named(text: &str, component: &Component, given: &Map<String, Value>) -> (String, String) {
    let props = component.shape.props.iter().map(|prop| prop.name.as_str());
    let known = props
        .chain(given.keys().map(String::as_str))
        .filter_map(|name| {
            let message = text.strip_prefix(name)?.strip_prefix(' ')?;
            Some((name.to_owned(), message.to_owned()))
        })
        .max_by_key(|(name, _)| name.len());
    known.unwrap_or_else(|| (String::new(), text.to_owned()))
}

/// Reports expressions that are no valid JavaScript, anywhere in the values of a step.
pub(super) fn check_syntax(
    index: usize,
    given: &Map<String, Value>,
    errors: &mut DocumentErrors<'_>,
) {
    let mut path = vec!["steps".into(), index.into(), "props".into()];
    for (name, value) in given {
        path.push(name.as_str().into());
        check_value(&mut path, value, errors);
        path.pop();
    }
}

fn check_value<'a>(
    path: &mut Vec<PathPart<'a>>,
    value: &'a Value,
    errors: &mut DocumentErrors<'_>,
) {
    match value {
        Value::String(text) => {
            for fault in check_expressions(text) {
                errors.add_in_text(path, (fault.line, fault.column), fault.message);
            }
        }
        Value::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                path.push(index.into());
                check_value(path, value, errors);
                path.pop();
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                path.push(name.as_str().into());
                check_value(path, value, errors);
                path.pop();
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
