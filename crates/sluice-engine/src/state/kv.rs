//! `$.service.db` of a source or a workflow, as its owner keeps it in memory.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use sluice_model::EmitterId;
use sluice_runtime::Writes;
use sluice_store::{StoreError, kv};

#[derive(Default)]
pub struct KvState {
    values: BTreeMap<String, Box<RawValue>>,
    bytes: usize,
}

impl KvState {
    fn new(values: BTreeMap<String, Box<RawValue>>) -> KvState {
        let bytes = values.iter().map(|(key, json)| size(key, json)).sum();
        KvState { values, bytes }
    }

    pub fn load(rows: Vec<(String, String)>, of: &EmitterId) -> Result<KvState, StoreError> {
        let parse = |(key, json)| match RawValue::from_string(json) {
            Ok(value) => Ok((key, value)),
            Err(error) => Err(StoreError::Corrupt(format!(
                "a stored value of {of}: {error}"
            ))),
        };
        let values = rows.into_iter().map(parse).collect::<Result<_, _>>()?;
        Ok(KvState::new(values))
    }

    /// The size of all keys and values.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub fn entries(&self) -> Vec<(String, Box<RawValue>)> {
        self.values
            .iter()
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect()
    }

    /// Applies writes and returns those that were applied. The harness enforces the limits; a write that evades it is
    /// dropped here. The harness also counts deletions of unfinished invocations, so this limit has slack.
    pub fn apply(&mut self, writes: Writes, max_bytes: usize) -> Writes {
        let most = max_bytes.saturating_mul(4);
        writes
            .into_iter()
            .filter(|(key, json)| {
                let before = self.values.get(key).map_or(0, |old| size(key, old));
                let after = json.as_ref().map_or(0, |json| size(key, json));
                let bytes = self.bytes - before + after;
                let fits = after <= before || bytes <= most;
                if !fits || key.len() > kv::MAX_KEY_BYTES || key.contains('\0') {
                    return false;
                }
                self.bytes = bytes;
                match json {
                    Some(json) => self.values.insert(key.clone(), json.clone()),
                    None => self.values.remove(key),
                };
                true
            })
            .collect()
    }
}

fn size(key: &str, json: &RawValue) -> usize {
    key.len() + json.get().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(key: &str, json: Option<&str>) -> (String, Option<Box<RawValue>>) {
        let json = json.map(|json| RawValue::from_string(json.to_owned()).unwrap());
        (key.to_owned(), json)
    }

    #[test]
    fn writes_that_no_harness_would_send_are_dropped() {
        let mut stored = KvState::default();
        let long = "x".repeat(kv::MAX_KEY_BYTES + 1);
        let taken = stored.apply(
            vec![
                write("a", Some("1234567")),
                write("b", Some("12345678")),
                write(&long, Some("1")),
                write("\0", Some("1")),
                write("a", None),
                write("b", Some("1")),
            ],
            4,
        );
        let keys: Vec<&str> = taken.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(keys, ["a", "a", "b"]);
        assert_eq!(stored.bytes, 2);
        assert_eq!(stored.entries().len(), 1);
    }
}
