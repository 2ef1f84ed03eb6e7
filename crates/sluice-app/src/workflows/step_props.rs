//! Check of a step's prop values, as far as they are known before it runs.

use serde_json::{Map, Value};
use sluice_code::check_expressions;
use sluice_engine::EngineError;
use sluice_model::{
    PropDef, PropError, PropErrorCode, PropType, UserId, configure,
    workflow::{PathPart, Step},
};

use super::{document_errors::DocumentErrors, service::Workflows, step_code::StepComponent};

impl Workflows {
    /// The values to store, completed with defaults; none when they have errors.
    pub(super) async fn step_props(
        &self,
        user: &UserId,
        index: usize,
        component: &StepComponent,
        step: &Step,
        findings: &mut DocumentErrors<'_>,
    ) -> Result<Option<Map<String, Value>>, EngineError> {
        let given = &step.props;
        let declared = &component.component().shape.props;
        let takes_others = takes_undeclared(component);
        let is_declared = |name: &str| declared.iter().any(|prop| prop.name == name);
        let mut errors = expression_errors(declared, given);
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
            Err(EngineError::InvalidProps(more)) => {
                errors.extend(more);
                None
            }
            Err(error) => return Err(error),
        };
        let is_valid = errors.is_empty();
        for error in errors {
            findings.add_prop((index, &step.name), error);
        }
        Ok(values.filter(|_| is_valid).map(|mut values| {
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

/// Expressions where none is allowed, and secrets that are written in the document.
fn expression_errors(declared: &[PropDef], given: &Map<String, Value>) -> Vec<PropError> {
    let mut errors = Vec::new();
    for prop in declared {
        let Some(value) = given.get(&prop.name).filter(|value| !value.is_null()) else {
            continue;
        };
        let (code, reason) = if is_read_here(prop) && holds_expression(value) {
            (
                PropErrorCode::ExpressionNotAllowed,
                "must not hold an expression: it has to be known before the step runs",
            )
        } else if prop.is_secret() && !holds_expression(value) {
            (
                PropErrorCode::SecretInDocument,
                "is secret: use a secret environment value: {{ process.env.NAME }}",
            )
        } else {
            continue;
        };
        errors.push(PropError::new(&prop.name, code, reason));
    }
    errors
}

/// Reports expressions that are not valid JavaScript, anywhere in the values of a step.
pub(super) fn check_syntax(index: usize, step: &Step, findings: &mut DocumentErrors<'_>) {
    let mut path = vec!["steps".into(), index.into(), "props".into()];
    for (name, value) in &step.props {
        path.push(name.as_str().into());
        check_value(&mut path, value, (&step.name, name), findings);
        path.pop();
    }
}

fn check_value<'a>(
    path: &mut Vec<PathPart<'a>>,
    value: &'a Value,
    step_prop: (&str, &str),
    findings: &mut DocumentErrors<'_>,
) {
    match value {
        Value::String(text) => {
            for error in check_expressions(text) {
                let place = (error.line, error.column);
                findings.add_expression(path, step_prop, place, error.message);
            }
        }
        Value::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                path.push(index.into());
                check_value(path, value, step_prop, findings);
                path.pop();
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                path.push(name.as_str().into());
                check_value(path, value, step_prop, findings);
                path.pop();
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
