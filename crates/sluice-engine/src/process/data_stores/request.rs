//! One request of a component to a data store. It comes from the component's process, so nothing in it is trusted.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use sluice_model::UserId;
use sluice_runtime::{Answer, Ask};
use sluice_store::{
    Conn, StoreError,
    data_stores::{
        StoreRef,
        entries::{self, Entry, Expiry, MAX_KEY_BYTES, WriteResult},
    },
};

const KEYS_AT_ONCE: u32 = 1_000;
const ENTRIES_AT_ONCE: u32 = 200;
const BYTES_AT_ONCE: u64 = 1024 * 1024;

#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) value_bytes: usize,
    pub(super) store_bytes: u64,
    /// The user has reached its disk quota.
    pub(super) is_disk_full: bool,
}

pub(super) struct StoreRequest {
    store: String,
    operation: Operation,
}

enum Operation {
    Get(String),
    Has(String),
    Set(String, Box<RawValue>, Lifetime),
    SetTtl(String, Lifetime),
    Delete(String),
    Clear,
    /// Keys or entries after a key.
    Keys(String),
    Entries(String),
}

/// Lifetime of an entry from now on.
#[derive(Clone, Copy)]
enum Lifetime {
    Unchanged,
    Endless,
    Ms(i64),
}

#[derive(Deserialize)]
struct Args {
    prop: String,
    key: Option<String>,
    value: Option<Box<RawValue>>,
    ttl_ms: Option<i64>,
    after: Option<String>,
}

impl StoreRequest {
    /// `stores` maps props to the stores they name. No other store can be reached.
    pub(super) fn parse(
        ask: &Ask,
        stores: &HashMap<String, String>,
        max_value: usize,
    ) -> Result<StoreRequest, String> {
        let unknown = || format!("there is no {:?} to ask for", ask.op);
        let op = ask.op.strip_prefix("data_store.").ok_or_else(unknown)?;
        let args: Args = serde_json::from_str(ask.args.get())
            .map_err(|error| format!("{} was asked in a wrong way: {error}", ask.op))?;
        let store = stores
            .get(&args.prop)
            .ok_or_else(|| format!("{} names no data store", args.prop))?
            .clone();
        let lifetime = match args.ttl_ms {
            None => Lifetime::Unchanged,
            Some(ms) if ms <= 0 => Lifetime::Endless,
            Some(ms) => Lifetime::Ms(ms),
        };
        let key = checked_key(args.key);
        let after = args.after.unwrap_or_default();
        let operation = match op {
            "get" => Operation::Get(key?),
            "has" => Operation::Has(key?),
            "set" => {
                // A value that is `null` reads like one that is absent.
                let value = args.value.unwrap_or_else(|| RawValue::NULL.to_owned());
                if value.get().len() > max_value {
                    return Err(format!(
                        "a value of a data store must be at most {max_value} bytes long"
                    ));
                }
                Operation::Set(key?, value, lifetime)
            }
            "set_ttl" => Operation::SetTtl(key?, lifetime),
            "delete" => Operation::Delete(key?),
            "clear" => Operation::Clear,
            "keys" => Operation::Keys(after.replace('\0', "")),
            "entries" => Operation::Entries(after.replace('\0', "")),
            _ => return Err(unknown()),
        };
        Ok(StoreRequest { store, operation })
    }

    pub(super) fn store(&self) -> &str {
        &self.store
    }

    /// The size of the value to be stored.
    pub(super) fn bytes(&self) -> usize {
        match &self.operation {
            Operation::Set(key, value, _) => key.len() + value.get().len(),
            _ => 0,
        }
    }

    pub(super) fn writes(&self) -> bool {
        match self.operation {
            Operation::Set(..)
            | Operation::SetTtl(..)
            | Operation::Delete(_)
            | Operation::Clear => true,
            Operation::Get(_) | Operation::Has(_) | Operation::Keys(_) | Operation::Entries(_) => {
                false
            }
        }
    }

    pub(super) fn perform(
        &self,
        c: &mut dyn Conn,
        user: &UserId,
        limits: Limits,
        now_ms: i64,
    ) -> Result<Answer, StoreError> {
        let store = StoreRef {
            user,
            name: &self.store,
        };
        let answer = match &self.operation {
            Operation::Get(key) => list(entries::get(c, store, key, now_ms)?),
            Operation::Has(key) => json(&entries::has(c, store, key, now_ms)?),
            Operation::Set(..) if limits.is_disk_full => Err(
                "the account has used its disk space (--max-disk-per-account): nothing was stored"
                    .to_owned(),
            ),
            Operation::Set(key, value, lifetime) => {
                let expiry = lifetime.expiry(now_ms);
                let entry = (key.as_str(), value.get());
                match entries::set(c, store, entry, expiry, limits.store_bytes, now_ms)? {
                    WriteResult::Stored => json(&()),
                    WriteResult::Full => Err(format!(
                        "the data store {:?} would become larger than {} bytes",
                        self.store, limits.store_bytes
                    )),
                }
            }
            Operation::SetTtl(key, lifetime) => {
                let expires_at = match lifetime.expiry(now_ms) {
                    Expiry::At(at) => Some(at),
                    Expiry::Keep | Expiry::Never => None,
                };
                json(&entries::set_expiry(c, store, key, expires_at, now_ms)?)
            }
            Operation::Delete(key) => json(&entries::delete(c, store, key, now_ms)?),
            Operation::Clear => json(&entries::clear(c, store, now_ms)?),
            Operation::Keys(after) => json(&entries::keys(c, store, after, KEYS_AT_ONCE, now_ms)?),
            Operation::Entries(after) => {
                let room = (ENTRIES_AT_ONCE, BYTES_AT_ONCE);
                let page = entries::page(c, store, after, room, now_ms)?;
                list(page.into_iter().map(|Entry { key, json }| {
                    format!("[{},{json}]", serde_json::Value::from(key))
                }))
            }
        };
        Ok(answer)
    }
}

impl Lifetime {
    fn expiry(self, now_ms: i64) -> Expiry {
        match self {
            Lifetime::Unchanged => Expiry::Keep,
            Lifetime::Endless => Expiry::Never,
            Lifetime::Ms(ms) => Expiry::At(now_ms.saturating_add(ms)),
        }
    }
}

fn checked_key(key: Option<String>) -> Result<String, String> {
    key.filter(|key| !key.is_empty() && key.len() <= MAX_KEY_BYTES && !key.contains('\0'))
        .ok_or_else(|| {
            format!("a key of a data store is a text of 1 to {MAX_KEY_BYTES} bytes without NUL")
        })
}

fn json(value: &impl serde::Serialize) -> Answer {
    to_raw_value(value).map_err(|error| error.to_string())
}

/// A list of values that are JSON already.
fn list(items: impl IntoIterator<Item = String>) -> Answer {
    let items: Vec<String> = items.into_iter().collect();
    RawValue::from_string(format!("[{}]", items.join(","))).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(op: &str, args: &str) -> Result<StoreRequest, String> {
        let ask = Ask {
            number: 1,
            module: "component".to_owned(),
            op: op.to_owned(),
            args: RawValue::from_string(args.to_owned()).unwrap(),
        };
        let stores = HashMap::from([("notes".to_owned(), "My notes".to_owned())]);
        StoreRequest::parse(&ask, &stores, 10)
    }

    #[test]
    fn a_prop_stands_for_its_store_and_for_no_other() {
        let request = parse("data_store.get", r#"{"prop":"notes","key":"k"}"#).unwrap();
        assert_eq!(request.store, "My notes");
        assert!(!request.writes());
        assert!(parse("data_store.get", r#"{"prop":"My notes","key":"k"}"#).is_err());
    }

    #[test]
    fn questions_no_harness_would_ask_are_refused() {
        let long = format!(r#"{{"prop":"notes","key":"{}"}}"#, "x".repeat(2_001));
        for (op, args) in [
            ("data_store.drop", r#"{"prop":"notes"}"#),
            ("get", r#"{"prop":"notes","key":"k"}"#),
            ("data_store.get", "null"),
            ("data_store.get", "[]"),
            ("data_store.get", r#"{"prop":"notes"}"#),
            ("data_store.get", r#"{"prop":"notes","key":""}"#),
            ("data_store.get", r#"{"prop":"notes","key":"\u0000"}"#),
            ("data_store.get", &long),
            (
                "data_store.set",
                r#"{"prop":"notes","key":"k","value":"123456789"}"#,
            ),
        ] {
            assert!(parse(op, args).is_err(), "{op} {args}");
        }
        assert!(
            parse(
                "data_store.set",
                r#"{"prop":"notes","key":"k","value":"12345678"}"#
            )
            .is_ok()
        );
    }
}
