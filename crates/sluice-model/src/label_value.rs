//! Values that were picked from a list of options, together with their labels.
//!
//! Forms send `{"__lv": {"label": "Red", "value": "r"}}`, a list of such objects, or `{"__lv": [{"label": …, "value": …}, …]}`.
//! They are stored unchanged. Code sees the value alone, or label and value when its prop is declared `withLabel`.

use serde_json::{Value, json};

use crate::prop_def::PropDef;

const MARK: &str = "__lv";

/// A stored value as the code of a component sees it.
pub fn for_code(prop: &PropDef, stored: &Value) -> Value {
    if prop.with_label() {
        with_labels(stored)
    } else {
        plain(stored)
    }
}

/// A value without labels.
pub fn plain(value: &Value) -> Value {
    without_labels(value).unwrap_or_else(|| value.clone())
}

/// As [`plain`]; none when there is no label.
pub(crate) fn without_labels(value: &Value) -> Option<Value> {
    match value {
        Value::Array(items) if items.iter().any(|item| picked(item).is_some()) => {
            Some(items.iter().map(plain).collect())
        }
        _ => match picked(value)? {
            Value::Array(pairs) => Some(pairs.iter().map(|pair| pair["value"].clone()).collect()),
            pair => Some(pair["value"].clone()),
        },
    }
}

/// The labels of a value with other values, as many as [`without_labels`] gives.
pub(crate) fn with_values(labelled: &Value, values: &Value) -> Value {
    match (labelled, values) {
        (Value::Array(items), Value::Array(values)) => {
            let pairs = items.iter().zip(values);
            pairs
                .map(|(item, value)| with_values(item, value))
                .collect()
        }
        _ => match (picked(labelled), values) {
            (Some(Value::Array(pairs)), Value::Array(values)) => {
                let pairs = pairs.iter().zip(values);
                let relabelled: Vec<_> =
                    pairs.map(|(pair, value)| with_value(pair, value)).collect();
                json!({ MARK: relabelled })
            }
            (Some(pair), value) => json!({ MARK: with_value(pair, value) }),
            (None, value) => value.clone(),
        },
    }
}

fn with_value(pair: &Value, value: &Value) -> Value {
    let mut pair = pair.clone();
    pair["value"] = value.clone();
    pair
}

/// The content of the mark: one pair of label and value, or a list of them.
fn picked(value: &Value) -> Option<&Value> {
    let fields = value.as_object().filter(|fields| fields.len() == 1)?;
    let marked = fields.get(MARK)?;
    let well_formed = match marked {
        Value::Array(pairs) => pairs.iter().all(|pair| pair.get("value").is_some()),
        pair => pair.get("value").is_some(),
    };
    well_formed.then_some(marked)
}

fn with_labels(value: &Value) -> Value {
    match (picked(value), value) {
        (Some(picked), _) => picked.clone(),
        (None, Value::Array(items)) => items.iter().map(with_labels).collect(),
        // A typed value is its own label.
        (None, Value::String(_) | Value::Number(_) | Value::Bool(_)) => {
            let label = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            json!({ "label": label, "value": value })
        }
        (None, Value::Null | Value::Object(_)) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(def: Value, stored: &Value) -> Value {
        for_code(&PropDef::from_declaration("p", def).unwrap(), stored)
    }

    #[test]
    fn code_sees_the_value_alone() {
        let red = json!({"__lv": {"label": "Red", "value": "r"}});
        for (stored, plain) in [
            (red.clone(), json!("r")),
            (json!([red, "g"]), json!(["r", "g"])),
            (
                json!({"__lv": [{"label": "One", "value": 1}, {"value": 2}]}),
                json!([1, 2]),
            ),
            (
                json!({"__lv": {"label": "No value"}}),
                json!({"__lv": {"label": "No value"}}),
            ),
            (
                json!({"__lv": {"value": 1}, "more": 1}),
                json!({"__lv": {"value": 1}, "more": 1}),
            ),
            (json!({"a": red}), json!({"a": red})),
            (json!(null), json!(null)),
        ] {
            assert_eq!(seen(json!("any"), &stored), plain);
        }
    }

    #[test]
    fn with_label_it_sees_both() {
        let def = json!({"type": "any", "withLabel": true});
        let pair = json!({"label": "Red", "value": "r"});
        for (stored, both) in [
            (json!({"__lv": pair}), pair.clone()),
            (
                json!([{"__lv": pair}, "g"]),
                json!([pair, {"label": "g", "value": "g"}]),
            ),
            (json!({"__lv": [pair]}), json!([pair])),
            (json!(5), json!({"label": "5", "value": 5})),
        ] {
            assert_eq!(seen(def.clone(), &stored), both);
        }
    }
}
