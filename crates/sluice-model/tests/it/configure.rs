//! The rules by which given prop values become stored ones.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use sluice_model::{
    MASK, PropDef, PropError, PropErrorCode, carried_over, configure, masked, merged, provisional,
};

fn props(defs: Value) -> Vec<PropDef> {
    let Value::Object(defs) = defs else {
        panic!("declare props as an object")
    };
    defs.into_iter()
        .map(|(name, def)| PropDef::from_declaration(&name, def).unwrap())
        .collect()
}

fn map(value: Value) -> Map<String, Value> {
    serde_json::from_value(value).unwrap()
}

fn stored(defs: Value, given: Value) -> Value {
    configure(&props(defs), &map(given), None).unwrap().into()
}

fn updated(defs: Value, given: Value, previous: Value) -> Value {
    configure(&props(defs), &map(given), Some(&map(previous)))
        .unwrap()
        .into()
}

fn errors(defs: Value, given: Value) -> Vec<PropError> {
    configure(&props(defs), &map(given), None).unwrap_err()
}

fn messages(defs: Value, given: Value) -> Vec<String> {
    let errors = errors(defs, given);
    errors.iter().map(ToString::to_string).collect()
}

#[test]
fn values_are_stored_in_declaration_order_with_defaults_captured() {
    let defs = json!({
        "z": "string",
        "limit": {"type": "integer", "default": 10},
        "note": {"type": "string", "optional": true},
        "a": "boolean",
    });
    let values = stored(defs, json!({"a": true, "z": "x", "note": null}));
    assert_eq!(values.to_string(), r#"{"z":"x","limit":10,"a":true}"#);
}

#[test]
fn all_errors_are_reported_at_once() {
    let defs = json!({
        "url": "string",
        "count": {"type": "integer", "min": 1, "max": 9},
        "low": {"type": "integer", "min": 1},
        "high": {"type": "integer", "max": 9},
        "tags": "string[]",
        "color": {"type": "string", "options": ["red", "green"]},
        "timer": "$.interface.timer",
        "page": {"type": "integer", "default": "first"},
    });
    let given = json!({
        "foo": 1, "url": null, "count": "five", "low": 0, "high": 10, "tags": [{}], "color": "blue",
        "timer": {"intervalSeconds": 0}, "bar": null,
    });
    assert_eq!(
        messages(defs.clone(), given.clone()),
        [
            "url is required",
            "count must be an integer",
            "low must be at least 1",
            "high must be at most 9",
            "tags must be a list of strings",
            "color must be one of red, green",
            "timer must be at least 1 second",
            "page default must be an integer",
            "foo is not a prop of this component",
            "bar is not a prop of this component",
        ]
    );
    let errors = errors(defs, given);
    let data: Vec<_> = errors
        .iter()
        .map(|error| (error.prop.as_str(), error.code))
        .collect();
    assert_eq!(
        data,
        [
            ("url", PropErrorCode::Required),
            ("count", PropErrorCode::WrongType),
            ("low", PropErrorCode::OutOfRange),
            ("high", PropErrorCode::OutOfRange),
            ("tags", PropErrorCode::WrongType),
            ("color", PropErrorCode::NotAnOption),
            ("timer", PropErrorCode::InvalidSchedule),
            ("page", PropErrorCode::InvalidDefault),
            ("foo", PropErrorCode::UnknownProp),
            ("bar", PropErrorCode::UnknownProp),
        ]
    );
    assert_eq!(errors[0].reason, "is required");
}

#[test]
fn empty_values_count_as_given() {
    let defs = json!({"text": "string", "list": "string[]", "object": "object"});
    let given = json!({"text": "", "list": [], "object": {}});
    assert_eq!(stored(defs, given.clone()), given);
}

#[test]
fn interfaces_and_the_store_take_no_value() {
    let defs = json!({"http": "$.interface.http", "db": "$.service.db", "hint": {"type": "alert", "content": "!"}});
    assert_eq!(
        stored(defs, json!({"http": {"endpoint_url": "x"}, "db": 5})),
        json!({})
    );
}

#[test]
fn an_app_may_be_left_out() {
    let defs = json!({"slack": {"type": "app", "app": "slack"}});
    assert_eq!(stored(defs.clone(), json!({})), json!({}));
    assert_eq!(
        stored(defs.clone(), json!({"slack": {}})),
        json!({"slack": {}})
    );
    assert_eq!(
        messages(defs, json!({"slack": "apn_1"})),
        ["slack must be an object"]
    );
}

#[test]
fn a_timer_is_hourly_unless_the_code_or_the_user_says_otherwise() {
    let hourly = json!({"timer": {"cron": null, "interval_seconds": 3600}});
    assert_eq!(
        stored(json!({"timer": "$.interface.timer"}), json!({})),
        hourly
    );
    let defs = json!({"timer": {"type": "$.interface.timer", "default": {"cron": "0 9 * * *"}}});
    assert_eq!(
        stored(defs.clone(), json!({})),
        json!({"timer": {"cron": "0 9 * * *", "interval_seconds": null}})
    );
    assert_eq!(
        stored(defs, json!({"timer": {"intervalSeconds": 60}})),
        json!({"timer": {"cron": null, "interval_seconds": 60}})
    );
}

#[test]
fn a_timer_keeps_its_schedule_when_the_default_changes() {
    let defs = json!({"timer": {"type": "$.interface.timer", "default": {"intervalSeconds": 5}}});
    let previous = json!({"timer": {"cron": null, "interval_seconds": 60}});
    assert_eq!(updated(defs.clone(), json!({}), previous.clone()), previous);
    // A value that was stored when the prop had another type is not a schedule.
    assert_eq!(
        updated(defs, json!({}), json!({"timer": "text"})),
        json!({"timer": {"cron": null, "interval_seconds": 5}})
    );
}

#[test]
fn a_static_timer_cannot_be_changed() {
    let defs = json!({"timer": {"type": "$.interface.timer", "static": {"intervalSeconds": 30}}});
    let fixed = json!({"timer": {"cron": null, "interval_seconds": 30}});
    let previous = json!({"timer": {"cron": null, "interval_seconds": 60}});
    assert_eq!(
        updated(defs, json!({"timer": {"intervalSeconds": 5}}), previous),
        fixed
    );
}

#[test]
fn bad_schedules_in_the_code_are_named_as_such() {
    let defs = json!({
        "a": {"type": "$.interface.timer", "static": {}},
        "b": {"type": "$.interface.timer", "default": {"intervalSeconds": 0}},
    });
    assert_eq!(
        messages(defs, json!({})),
        [
            "a static needs intervalSeconds or cron",
            "b default must be at least 1 second"
        ]
    );
}

#[test]
fn a_masked_secret_keeps_what_is_stored() {
    let defs = json!({"token": {"type": "string", "secret": true}, "name": "string"});
    let previous = json!({"token": "s3cret", "name": "x"});
    let shown = masked(&props(defs.clone()), &map(previous.clone()));
    assert_eq!(
        Value::from(shown.clone()),
        json!({"token": MASK, "name": "x"})
    );
    assert_eq!(
        updated(defs.clone(), shown.into(), previous.clone()),
        previous
    );
    assert_eq!(
        updated(
            defs.clone(),
            json!({"token": "new", "name": MASK}),
            previous
        ),
        json!({"token": "new", "name": MASK})
    );
    // With nothing stored, the text is taken at its word.
    let literal = json!({"token": MASK, "name": "x"});
    assert_eq!(stored(defs, literal.clone()), literal);
}

#[test]
fn values_of_props_that_are_gone_are_not_carried_over() {
    let stored = map(json!({"kept": "x", "gone": 1}));
    let carried = carried_over(&props(json!({"new": "string", "kept": "string"})), &stored);
    assert_eq!(Value::from(carried), json!({"kept": "x"}));
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec(("[a-z]{1,4}", inner), 0..3)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn what_was_stored_is_accepted_again_unchanged(
        type_name in prop::sample::select(vec![
            "boolean", "integer", "string", "object", "any", "app", "string[]", "integer[]", "object[]", "$.interface.timer",
        ]),
        value in json_value(),
    ) {
        let props = props(json!({"p": {"type": type_name, "app": "slack"}}));
        let given = map(json!({"p": value}));
        if let Ok(stored) = configure(&props, &given, None) {
            prop_assert_eq!(configure(&props, &stored, None), Ok(stored));
        }
    }
}

#[test]
fn a_secret_that_stands_as_the_mask_is_kept_whatever_its_type() {
    let defs = json!({"list": {"type": "string[]", "secret": true}, "choice": {"type": "string", "secret": true, "options": ["a"]}});
    let unread = json!({"list": MASK, "choice": MASK});
    assert_eq!(updated(defs, unread.clone(), unread.clone()), unread);
}

#[test]
fn values_that_the_server_reads_are_never_secret() {
    for kind in ["app", "$.interface.timer", "data_store"] {
        let declared = props(json!({"p": {"type": kind, "app": "slack", "secret": true}}));
        assert!(!declared[0].is_secret(), "{kind}");
    }
}

#[test]
fn props_without_an_input_in_forms_are_not_required() {
    let defs = json!({
        "hidden": {"type": "string", "hidden": true},
        "disabled": {"type": "string", "disabled": true},
        "alert": {"type": "alert", "alertType": "info", "content": "Read this"},
        "hook": {"type": "$.interface.apphook", "appProp": "app", "eventNames": ["message"]},
    });
    assert_eq!(stored(defs, json!({"alert": "x", "hook": {}})), json!({}));
}

#[test]
fn provisional_values_are_not_checked() {
    let defs = props(json!({
        "count": {"type": "integer", "default": 3},
        "name": "string",
        "key": {"type": "string", "secret": true},
        "missing": "string",
        "timer": "$.interface.timer",
        "db": "$.service.db",
    }));
    let given = map(json!({"name": 5, "key": MASK, "other": 1}));
    let previous = map(json!({"key": "hush", "name": "old"}));
    assert_eq!(
        Value::from(provisional(&defs, &given, Some(&previous))),
        json!({"count": 3, "name": 5, "key": "hush", "timer": {"cron": null, "interval_seconds": 3600}})
    );
}

#[test]
fn later_props_replace_earlier_ones_of_the_same_name() {
    let declared = props(json!({"a": "string", "b": "integer"}));
    let later = props(json!({"c": "any", "a": {"type": "string", "hidden": true}}));
    assert_eq!(
        serde_json::to_value(merged(&declared, &later)).unwrap(),
        json!([
            {"name": "a", "type": "string", "hidden": true},
            {"name": "b", "type": "integer"},
            {"name": "c", "type": "any"},
        ])
    );
}
