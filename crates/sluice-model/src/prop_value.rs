//! Checks one JSON value against the declaration of its prop and returns the form in which it is stored.
//!
//! The reason of an error continues after the name of the prop: "must be an integer".

use serde_json::Value;

use crate::{
    json_value::{boolean, integer, object, text},
    label_value,
    prop_def::PropDef,
    prop_error::{PropErrorCode, ValueError},
    prop_type::{PropType, ScalarType},
    structured_value::{data_store, http_request, sql},
};

/// The stored form of `value`, which has the declared type. A value that was picked with its label keeps it.
pub(crate) fn check_value(prop: &PropDef, value: &Value) -> Result<Value, ValueError> {
    match label_value::without_labels(value) {
        Some(plain) => {
            check_plain(prop, &plain).map(|checked| label_value::with_values(value, &checked))
        }
        None => check_plain(prop, value),
    }
}

fn check_plain(prop: &PropDef, value: &Value) -> Result<Value, ValueError> {
    let value = check_type(&prop.prop_type, value)?;
    let elements = match (&prop.prop_type, &value) {
        (PropType::Array(_), Value::Array(elements)) => elements.as_slice(),
        _ => std::slice::from_ref(&value),
    };
    if matches!(
        prop.prop_type,
        PropType::Integer | PropType::Array(ScalarType::Integer)
    ) {
        check_bounds(prop, elements)?;
    }
    check_options(prop, elements)?;
    Ok(value)
}

fn check_type(prop_type: &PropType, value: &Value) -> Result<Value, ValueError> {
    let typed = match prop_type {
        PropType::Boolean => scalar(ScalarType::Boolean, value).ok_or("must be true or false"),
        PropType::Integer => scalar(ScalarType::Integer, value).ok_or("must be an integer"),
        PropType::String => scalar(ScalarType::String, value).ok_or("must be a string"),
        PropType::Object => scalar(ScalarType::Object, value).ok_or("must be an object"),
        PropType::App if !value.is_object() => Err("must be an object"),
        PropType::Array(element) => list(*element, value),
        PropType::DataStore => return data_store(value),
        PropType::HttpRequest => return http_request(value),
        PropType::Sql => return sql(value),
        PropType::Any
        | PropType::App
        | PropType::Other(_)
        | PropType::Http
        | PropType::Apphook
        | PropType::Timer
        | PropType::Db
        | PropType::Dir
        | PropType::Alert => Ok(value.clone()),
    };
    typed.map_err(ValueError::wrong_type)
}

fn list(element: ScalarType, value: &Value) -> Result<Value, &'static str> {
    value
        .as_array()
        .and_then(|values| values.iter().map(|value| scalar(element, value)).collect())
        .ok_or(match element {
            ScalarType::Boolean => "must be a list of booleans",
            ScalarType::Integer => "must be a list of integers",
            ScalarType::String => "must be a list of strings",
            ScalarType::Object => "must be a list of objects",
            ScalarType::Any => "must be a list",
        })
}

fn scalar(scalar_type: ScalarType, value: &Value) -> Option<Value> {
    match scalar_type {
        ScalarType::Boolean => boolean(value).map(Value::from),
        ScalarType::Integer => integer(value).map(Value::from),
        ScalarType::String => text(value).map(Value::from),
        ScalarType::Object => object(value),
        ScalarType::Any => Some(value.clone()),
    }
}

fn check_bounds(prop: &PropDef, values: &[Value]) -> Result<(), ValueError> {
    let out_of_range = |reason: String| Err(ValueError::new(PropErrorCode::OutOfRange, reason));
    let numbers = || values.iter().filter_map(Value::as_i64);
    if let Some(min) = prop.min()
        && numbers().any(|number| number < min)
    {
        return out_of_range(format!("must be at least {min}"));
    }
    if let Some(max) = prop.max()
        && numbers().any(|number| number > max)
    {
        return out_of_range(format!("must be at most {max}"));
    }
    Ok(())
}

fn check_options(prop: &PropDef, values: &[Value]) -> Result<(), ValueError> {
    let Some(options) = prop.options() else {
        return Ok(());
    };
    let is_option = |value: &Value| {
        let mut options = options.iter();
        options.any(|option| *option == value || typed(prop, option).as_ref() == Some(value))
    };
    if values.iter().all(is_option) {
        return Ok(());
    }
    let names: Vec<String> = options.into_iter().map(plain_text).collect();
    Err(ValueError::new(
        PropErrorCode::NotAnOption,
        format!("must be one of {}", names.join(", ")),
    ))
}

/// An option in the type of the prop, or of its elements.
fn typed(prop: &PropDef, option: &Value) -> Option<Value> {
    match prop.prop_type {
        PropType::Array(element) => scalar(element, option),
        _ => check_type(&prop.prop_type, option).ok(),
    }
}

fn plain_text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(def: Value, value: &Value) -> Result<Value, ValueError> {
        check_value(&PropDef::from_declaration("p", def).unwrap(), value)
    }

    #[test]
    fn values_that_suit_are_stored_in_their_plain_form() {
        for (def, given, stored) in [
            ("boolean", json!(false), json!(false)),
            ("integer", json!(5.0), json!(5)),
            ("integer", json!(i64::MIN), json!(i64::MIN)),
            ("string", json!(""), json!("")),
            ("object", json!("{\"a\": 1}"), json!({"a": 1})),
            ("any", json!([1, "x"]), json!([1, "x"])),
            ("string[]", json!([]), json!([])),
            ("integer[]", json!([1.0, 2]), json!([1, 2])),
            ("object[]", json!([{}, "{}"]), json!([{}, {}])),
            ("any[]", json!([null, 1]), json!([null, 1])),
            ("$.discord.channel", json!("123"), json!("123")),
        ] {
            assert_eq!(check(json!(def), &given), Ok(stored), "{def}");
        }
    }

    #[test]
    fn values_of_another_type_are_rejected() {
        for (def, given, reason) in [
            ("boolean", json!("yes"), "must be true or false"),
            ("boolean", json!(1), "must be true or false"),
            ("integer", json!("five"), "must be an integer"),
            ("integer", json!("05"), "must be an integer"),
            ("integer", json!(true), "must be an integer"),
            ("integer", json!(1.5), "must be an integer"),
            (
                "integer",
                json!(9_223_372_036_854_775_808_u64),
                "must be an integer",
            ),
            ("integer", json!(1e300), "must be an integer"),
            ("string", json!(null), "must be a string"),
            ("string", json!(["a"]), "must be a string"),
            ("string", json!({"a": 1}), "must be a string"),
            ("object", json!("[1]"), "must be an object"),
            ("object", json!([]), "must be an object"),
            ("boolean[]", json!([1]), "must be a list of booleans"),
            ("integer[]", json!(["one"]), "must be a list of integers"),
            ("string[]", json!("a"), "must be a list of strings"),
            ("string[]", json!([null]), "must be a list of strings"),
            ("object[]", json!([1]), "must be a list of objects"),
            ("any[]", json!({}), "must be a list"),
        ] {
            let error = ValueError::wrong_type(reason);
            assert_eq!(check(json!(def), &given), Err(error), "{def}");
        }
    }

    #[test]
    fn an_account_is_an_object() {
        let app = json!({"type": "app", "app": "slack"});
        let account = json!({"authProvisionId": "apn_x"});
        assert_eq!(check(app.clone(), &account), Ok(account));
        let error = ValueError::wrong_type("must be an object");
        assert_eq!(check(app, &json!("apn_x")), Err(error));
    }

    #[test]
    fn scalars_of_another_type_are_converted_if_nothing_is_lost() {
        for (def, given, stored) in [
            ("string", json!(5), json!("5")),
            ("string", json!(-1.0), json!("-1")),
            ("string", json!(1.5), json!("1.5")),
            ("string", json!(u64::MAX), json!("18446744073709551615")),
            ("string", json!(true), json!("true")),
            ("integer", json!("-5"), json!(-5)),
            ("boolean", json!("false"), json!(false)),
            (
                "string[]",
                json!([1, "a", false]),
                json!(["1", "a", "false"]),
            ),
            ("integer[]", json!(["1", 2]), json!([1, 2])),
            (
                "string",
                json!({"__lv": {"label": "One", "value": 1}}),
                json!({"__lv": {"label": "One", "value": "1"}}),
            ),
            (
                "string[]",
                json!([{"__lv": {"label": "One", "value": 1}}, 2]),
                json!([{"__lv": {"label": "One", "value": "1"}}, "2"]),
            ),
            (
                "string[]",
                json!({"__lv": [{"label": "One", "value": 1}, {"value": 2}]}),
                json!({"__lv": [{"label": "One", "value": "1"}, {"value": "2"}]}),
            ),
        ] {
            assert_eq!(check(json!(def), &given), Ok(stored), "{def}");
        }
    }

    #[test]
    fn options_are_compared_in_the_type_of_the_prop() {
        let priority =
            json!({"type": "string", "options": [1, {"label": "High", "value": 2}, true]});
        for given in [json!(1), json!("1"), json!(2), json!("true")] {
            let stored = text(&given).map(Value::from);
            assert_eq!(check(priority.clone(), &given).ok(), stored, "{given}");
        }
        assert!(check(priority, &json!(3)).is_err());
        let several = json!({"type": "string[]", "options": [{"label": "One", "value": 1}]});
        assert_eq!(check(several, &json!([1])), Ok(json!(["1"])));
    }

    #[test]
    fn a_picked_value_is_checked_by_its_value_and_stored_as_given() {
        let picked = |value: Value| json!({"__lv": {"label": "L", "value": value}});
        let color = json!({"type": "string", "options": ["red"]});
        assert_eq!(
            check(color.clone(), &picked(json!("red"))),
            Ok(picked(json!("red")))
        );
        assert_eq!(
            check(color, &picked(json!("blue"))),
            Err(ValueError::new(
                PropErrorCode::NotAnOption,
                "must be one of red"
            ))
        );
        let several = json!([picked(json!(1)), 2]);
        assert_eq!(check(json!("integer[]"), &several), Ok(several));
        assert_eq!(
            check(json!("integer[]"), &json!([picked(json!("one"))])),
            Err(ValueError::wrong_type("must be a list of integers"))
        );
    }

    #[test]
    fn bounds_hold_for_numbers_and_lists_of_them() {
        let count = json!({"type": "integer", "min": 1, "max": 9});
        assert_eq!(check(count.clone(), &json!(1)), Ok(json!(1)));
        assert_eq!(
            check(count.clone(), &json!(0)),
            Err(ValueError::new(
                PropErrorCode::OutOfRange,
                "must be at least 1"
            ))
        );
        assert_eq!(
            check(count, &json!(10)),
            Err(ValueError::new(
                PropErrorCode::OutOfRange,
                "must be at most 9"
            ))
        );
        let counts = json!({"type": "integer[]", "max": 9});
        assert_eq!(
            check(counts, &json!([1, 10])),
            Err(ValueError::new(
                PropErrorCode::OutOfRange,
                "must be at most 9"
            ))
        );
    }

    #[test]
    fn options_hold_for_values_and_each_element() {
        let color =
            json!({"type": "string", "options": ["red", {"label": "Green", "value": "green"}]});
        assert_eq!(check(color.clone(), &json!("green")), Ok(json!("green")));
        assert_eq!(
            check(color, &json!("blue")),
            Err(ValueError::new(
                PropErrorCode::NotAnOption,
                "must be one of red, green"
            ))
        );
        let sizes = json!({"type": "integer[]", "options": [1, 2]});
        assert_eq!(check(sizes.clone(), &json!([2.0, 1])), Ok(json!([2, 1])));
        assert_eq!(
            check(sizes, &json!([1, 3])),
            Err(ValueError::new(
                PropErrorCode::NotAnOption,
                "must be one of 1, 2"
            ))
        );
    }
}
