//! In-memory data stores for one run of a component.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;
use serde_json::{Value, json};
use sluice_runtime::{Answer, Ask};

/// By the name of their prop.
#[derive(Default)]
pub(super) struct Stores(HashMap<String, BTreeMap<String, Value>>);

#[derive(Deserialize)]
struct Request {
    prop: String,
    #[serde(default)]
    key: String,
    #[serde(default)]
    value: Value,
    #[serde(default)]
    after: String,
}

impl Stores {
    pub(super) fn answer(&mut self, ask: &Ask) -> Answer {
        let request = serde_json::from_str(ask.args.get()).map_err(|error| error.to_string())?;
        let op = ask.op.strip_prefix("data_store.").unwrap_or(&ask.op);
        let answer = self
            .perform(op, request)
            .ok_or_else(|| format!("{} is not available without a server", ask.op))?;
        serde_json::value::to_raw_value(&answer).map_err(|error| error.to_string())
    }

    /// Expiry is ignored, because the store lasts for one run only.
    fn perform(&mut self, op: &str, request: Request) -> Option<Value> {
        let Request {
            prop,
            key,
            value,
            after,
        } = request;
        let store = self.0.entry(prop).or_default();
        Some(match op {
            "get" => store.get(&key).into_iter().cloned().collect(),
            "set" => {
                store.insert(key, value);
                Value::Null
            }
            "has" | "set_ttl" => store.contains_key(&key).into(),
            "delete" => store.remove(&key).is_some().into(),
            "clear" => {
                store.clear();
                Value::Null
            }
            "keys" => {
                let keys = store.keys().filter(|key| **key > after);
                keys.cloned().collect()
            }
            "entries" => {
                let entries = store.iter().filter(|(key, _)| **key > after);
                entries.map(|(key, value)| json!([key, value])).collect()
            }
            _ => return None,
        })
    }
}
