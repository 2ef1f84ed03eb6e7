//! The values of a source's props: checked against the declarations, completed with defaults, and shown without secrets.
//!
//! The result of [`configure`] includes defaults. A later change of a default does not change a source that is already
//! deployed.

use serde_json::{Map, Value};

use crate::{
    prop_def::PropDef,
    prop_error::{PropError, PropErrorCode, ValueError},
    prop_type::PropType,
    prop_value::check_value,
    timer::TimerSpec,
};

/// Stands for a secret value in responses. A request that sends it back keeps the stored value.
pub const MASK: &str = "********";

/// Checks all given values. Returns the values to store, in declaration order, or all errors.
///
/// `null` counts as no value. `previous` are the stored values: masked secrets and timers without a value keep theirs.
pub fn configure(
    props: &[PropDef],
    given: &Map<String, Value>,
    previous: Option<&Map<String, Value>>,
) -> Result<Map<String, Value>, Vec<PropError>> {
    let mut values = Map::new();
    let mut errors = Vec::new();
    for prop in props.iter().filter(|prop| !prop.prop_type.takes_no_value()) {
        let given = given.get(&prop.name).filter(|value| !value.is_null());
        let previous = previous.and_then(|previous| previous.get(&prop.name));
        let value = if prop.prop_type == PropType::Timer {
            timer_value(prop, given, previous).map(Some)
        } else {
            plain_value(prop, given, previous)
        };
        match value {
            Ok(value) => values.extend(value.map(|value| (prop.name.clone(), value))),
            Err(error) => errors.push(error.of(&prop.name)),
        }
    }
    let unknown = given.keys().filter(|key| find(props, key).is_none());
    errors.extend(unknown.map(|key| {
        let reason = "is not a prop of this component";
        PropError::new(key, PropErrorCode::UnknownProp, reason)
    }));
    if errors.is_empty() {
        Ok(values)
    } else {
        Err(errors)
    }
}

/// The stored values of props that still exist in new code. An update without values starts with these.
pub fn carried_over(props: &[PropDef], stored: &Map<String, Value>) -> Map<String, Value> {
    stored
        .iter()
        .filter(|(name, _)| find(props, name).is_some())
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// The values of a form that is not complete: the given ones, else the defaults. They are not checked. `previous` supplies
/// masked secrets.
pub fn provisional(
    props: &[PropDef],
    given: &Map<String, Value>,
    previous: Option<&Map<String, Value>>,
) -> Map<String, Value> {
    props
        .iter()
        .filter(|prop| !prop.prop_type.takes_no_value())
        .filter_map(|prop| {
            let given = given.get(&prop.name).filter(|value| !value.is_null());
            let previous = previous.and_then(|previous| previous.get(&prop.name));
            let value = if prop.prop_type == PropType::Timer {
                timer_value(prop, given, previous).ok()
            } else {
                unmasked(prop, given, previous)
                    .or_else(|| prop.default_value())
                    .cloned()
            };
            Some((prop.name.clone(), value?))
        })
        .collect()
}

/// Declared props together with later ones. A later prop replaces a declared prop of the same name.
pub fn merged(declared: &[PropDef], later: &[PropDef]) -> Vec<PropDef> {
    let replaced = declared
        .iter()
        .map(|prop| find(later, &prop.name).unwrap_or(prop));
    let added = later
        .iter()
        .filter(|prop| find(declared, &prop.name).is_none());
    replaced.chain(added).cloned().collect()
}

/// The values without secrets.
pub fn masked(props: &[PropDef], values: &Map<String, Value>) -> Map<String, Value> {
    values
        .iter()
        .map(|(name, value)| {
            let is_secret = find(props, name).is_some_and(PropDef::is_secret);
            let shown = if is_secret {
                Value::from(MASK)
            } else {
                value.clone()
            };
            (name.clone(), shown)
        })
        .collect()
}

fn find<'a>(props: &'a [PropDef], name: &str) -> Option<&'a PropDef> {
    props.iter().find(|prop| prop.name == name)
}

fn plain_value(
    prop: &PropDef,
    given: Option<&Value>,
    previous: Option<&Value>,
) -> Result<Option<Value>, ValueError> {
    if prop.is_secret() && given == Some(&MASK.into()) && previous == given {
        // The stored secret cannot be decrypted, so it cannot be checked. It stays as it is.
        return Ok(given.cloned());
    }
    match (unmasked(prop, given, previous), prop.default_value()) {
        (Some(value), _) => check_value(prop, value).map(Some),
        (None, Some(default)) => check_value(prop, default)
            .map(Some)
            .map_err(|error| error.declared_as("default")),
        // Whether an app needs an account depends on its registration, which is not available here.
        (None, None) if prop.is_optional() || prop.prop_type == PropType::App => Ok(None),
        (None, None) if prop.cannot_be_filled_in() => Ok(None),
        (None, None) => Err(ValueError::new(PropErrorCode::Required, "is required")),
    }
}

/// The given value, or the stored one if the given value is the mask.
fn unmasked<'a>(
    prop: &PropDef,
    given: Option<&'a Value>,
    previous: Option<&'a Value>,
) -> Option<&'a Value> {
    match (given, previous) {
        (Some(given), Some(previous)) if prop.is_secret() && given == MASK => Some(previous),
        (given, _) => given,
    }
}

/// A timer always has a schedule. It keeps its schedule when the default in the code changes.
fn timer_value(
    prop: &PropDef,
    given: Option<&Value>,
    previous: Option<&Value>,
) -> Result<Value, ValueError> {
    let spec = if let Some(fixed) = prop.static_value() {
        schedule(fixed).map_err(|error| error.declared_as("static"))
    } else if let Some(given) = given {
        schedule(given)
    } else if let Some(previous) = previous.and_then(|previous| TimerSpec::from_json(previous).ok())
    {
        Ok(previous)
    } else if let Some(default) = prop.default_value() {
        schedule(default).map_err(|error| error.declared_as("default"))
    } else {
        Ok(TimerSpec::HOURLY)
    };
    spec.map(|spec| spec.to_json())
}

fn schedule(value: &Value) -> Result<TimerSpec, ValueError> {
    TimerSpec::from_json(value)
        .map_err(|reason| ValueError::new(PropErrorCode::InvalidSchedule, reason))
}
