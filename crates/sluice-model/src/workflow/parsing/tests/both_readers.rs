//! JSON means the same to both readers, to the position of each value.

use proptest::prelude::*;
use serde_json::{Map, Value};

use super::*;

fn any_json() -> impl Strategy<Value = Value> {
    let text = r"[ -~äß😀\n\t]{0,8}";
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-1_000_000_000_000_i64..1_000_000_000_000).prop_map(Value::from),
        (-1e9..1e9_f64).prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, move |inner| {
        let list = prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from);
        let entries = prop::collection::vec((text, inner), 0..5);
        let object = entries.prop_map(|entries| Value::Object(entries.into_iter().collect()));
        prop_oneof![list, object]
    })
}

fn value_of(root: &Node, errors: &ErrorCollector) -> Option<Value> {
    values::json(&Field::root(root, errors)).ok()
}

proptest! {
    #[test]
    fn json_reads_back(value in any_json(), pretty in any::<bool>()) {
        let object = Value::Object(Map::from_iter([("root".to_owned(), value)]));
        let text = if pretty {
            serde_json::to_string_pretty(&object).expect("text").replace("  ", "\t").replace('\n', "\r\n")
        } else {
            object.to_string()
        };
        prop_assume!(!text.contains("{{") && serde_json::from_str::<Value>(&text).is_ok_and(|value| value == object));
        let errors = ErrorCollector::default();
        let by_json = json::read(&text, &errors).expect("JSON").expect("a tree");
        let by_yaml = yaml::read(&text, &errors).expect("a tree");
        prop_assert_eq!(format!("{by_json:?}"), format!("{by_yaml:?}"));
        prop_assert_eq!(value_of(&by_json, &errors), Some(object));
    }
}
