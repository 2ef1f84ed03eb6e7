//! The components of sources and steps: in the registry, or with their code.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    api::{Api, ApiError},
    listings::SourceRow,
};
use crate::client::escaped;

/// Reads components, each once.
pub(super) struct Components<'a> {
    api: Option<&'a Api>,
    by_id: BTreeMap<String, Option<Row>>,
    in_registry: BTreeMap<String, Option<Row>>,
}

/// A component with the declarations of its props.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) origin: Origin,
    pub(super) props: Declarations,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    /// The key of a component of the public registry.
    Registry(String),
    /// A component of the user, with its key.
    Code {
        key: Option<String>,
        name: String,
        code: String,
    },
    /// Neither a key nor code is known.
    Unknown,
}

/// The declared props by name.
#[derive(Debug, Clone, Default)]
pub(super) struct Declarations(BTreeMap<String, Map<String, Value>>);

/// A component as the API shows it.
#[derive(Debug, Clone, Deserialize)]
struct Row {
    key: Option<String>,
    name: Option<String>,
    code: Option<String>,
    #[serde(default)]
    configurable_props: Vec<Map<String, Value>>,
}

impl Declarations {
    pub(super) fn of(rows: &[Map<String, Value>]) -> Declarations {
        let named = rows.iter().filter_map(|row| {
            let name = row.get("name")?.as_str()?;
            Some((name.to_owned(), row.clone()))
        });
        Declarations(named.collect())
    }

    pub(super) fn type_of(&self, prop: &str) -> Option<&str> {
        self.0.get(prop)?.get("type")?.as_str()
    }

    /// The app of an app prop.
    pub(super) fn app_of(&self, prop: &str) -> Option<&str> {
        self.0.get(prop)?.get("app")?.as_str()
    }

    pub(super) fn is_secret(&self, prop: &str) -> bool {
        let secret = self.0.get(prop).and_then(|row| row.get("secret"));
        secret.and_then(Value::as_bool).unwrap_or_default()
    }
}

impl<'a> Components<'a> {
    pub(super) fn new(api: Option<&'a Api>) -> Components<'a> {
        Components {
            api,
            by_id: BTreeMap::new(),
            in_registry: BTreeMap::new(),
        }
    }

    pub(super) async fn of_source(&mut self, source: &SourceRow) -> Result<Found, ApiError> {
        let saved = match &source.component_id {
            Some(id) => self.saved(id).await?,
            None => None,
        };
        let code = saved.as_ref().and_then(|row| row.code.clone());
        let key = source.component_key.clone();
        let key = key.or_else(|| saved.as_ref()?.key.clone());
        let key = key.or_else(|| key_in(code.as_deref()?));
        if let Some(key) = &key
            && let Some(published) = self.registry(key).await?
            && is_same(&published, saved.as_ref())
        {
            return Ok(Found {
                props: Declarations::of(&published.configurable_props),
                origin: Origin::Registry(key.clone()),
            });
        }
        Ok(found(key, saved))
    }

    /// A component of the user that a step names by key.
    pub(super) async fn of_step(&mut self, key: &str) -> Result<Found, ApiError> {
        let saved = self.saved(key).await?;
        Ok(found(Some(key.to_owned()), saved))
    }

    async fn saved(&mut self, id: &str) -> Result<Option<Row>, ApiError> {
        if let Some(row) = self.by_id.get(id) {
            return Ok(row.clone());
        }
        let row = self.row(&format!("/components/{}", escaped(id))).await?;
        self.by_id.insert(id.to_owned(), row.clone());
        Ok(row)
    }

    async fn registry(&mut self, key: &str) -> Result<Option<Row>, ApiError> {
        if let Some(row) = self.in_registry.get(key) {
            return Ok(row.clone());
        }
        let path = format!("/components/registry/{}", escaped(key));
        let row = self.row(&path).await?;
        self.in_registry.insert(key.to_owned(), row.clone());
        Ok(row)
    }

    async fn row(&self, path: &str) -> Result<Option<Row>, ApiError> {
        let Some(api) = self.api else {
            return Ok(None);
        };
        let body = api.find(path).await?;
        let data = body.and_then(|mut body| body.get_mut("data").map(Value::take));
        Ok(data.and_then(|data| serde_json::from_value(data).ok()))
    }
}

fn found(key: Option<String>, saved: Option<Row>) -> Found {
    let rows = saved.as_ref().map(|row| row.configurable_props.as_slice());
    let props = Declarations::of(rows.unwrap_or_default());
    let origin = match saved {
        Some(Row {
            name,
            code: Some(code),
            ..
        }) if !code.trim().is_empty() => Origin::Code {
            name: name.unwrap_or_else(|| "component".to_owned()),
            key,
            code,
        },
        _ => Origin::Unknown,
    };
    Found { origin, props }
}

/// A key that was found in code may belong to something else, so the names must match.
fn is_same(published: &Row, saved: Option<&Row>) -> bool {
    match (&published.name, saved.and_then(|row| row.name.as_ref())) {
        (Some(published), Some(saved)) => published == saved,
        _ => true,
    }
}

/// The first `key: "…"` in code.
fn key_in(code: &str) -> Option<String> {
    let after_key = code.match_indices("key").filter_map(|(at, _)| {
        let is_word = !code[..at].ends_with(|before: char| before.is_alphanumeric());
        let rest = code[at + "key".len()..].trim_start_matches(['"', '\'']);
        let value = rest.trim_start().strip_prefix(':')?.trim_start();
        let quote = value
            .chars()
            .next()
            .filter(|first| "\"'`".contains(*first))?;
        let (key, _) = value[1..].split_once(quote)?;
        (is_word && is_key(key)).then(|| key.to_owned())
    });
    after_key.into_iter().next()
}

fn is_key(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    text.contains('-') && text.bytes().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_of_a_component_is_found_in_its_code() {
        for (code, key) in [
            (
                "export default { key: \"a-new-b\", name: \"x\" }",
                Some("a-new-b"),
            ),
            ("module.exports = { 'key' : 'a_b-c' }", Some("a_b-c")),
            ("const monkey = 'x'; ({ apikey: 'a-b', key: id })", None),
            ("({ key: 'plain', other: { key: `a-b` } })", Some("a-b")),
        ] {
            assert_eq!(key_in(code).as_deref(), key, "{code}");
        }
    }
}
