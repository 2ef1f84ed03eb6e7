//! An entry as text.

use serde_json::{Map, Value};
use sluice_api::AuditEntry;

use crate::commands::output::{FAINT, local_time, sanitized, styled};

/// The cells of an entry.
pub(super) struct Row<'e>(&'e AuditEntry);

impl Row<'_> {
    pub(super) fn new(entry: &AuditEntry) -> Row<'_> {
        Row(entry)
    }

    pub(super) fn header(with_account: bool) -> Vec<&'static str> {
        let header = [
            "TIME", "ACCOUNT", "AUTHOR", "FROM", "ACTION", "TARGET", "DETAILS",
        ];
        let shown = |name: &&str| with_account || *name != "ACCOUNT";
        header.into_iter().filter(shown).collect()
    }

    pub(super) fn cells(&self, with_account: bool) -> Vec<String> {
        let entry = self.0;
        let id = entry.user_id.as_ref().map(ToString::to_string);
        let account = entry.username.clone().or(id);
        let account = account.map_or("-".to_owned(), |name| sanitized(&name));
        let mut cells = vec![local_time(entry.at)];
        cells.extend(with_account.then_some(account));
        cells.extend([
            self.author(),
            sanitized(entry.actor.address.as_deref().unwrap_or("-")),
            entry.action.clone(),
            self.target(),
            styled(FAINT, &details(entry.details.get())),
        ]);
        cells
    }

    fn author(&self) -> String {
        let actor = &self.0.actor;
        let credential = match actor.credential.as_str() {
            "key" => "key",
            "named_key" => "named key",
            "session" => "console",
            "oidc" => "single sign-on",
            "machine" => "on the server",
            _ => "",
        };
        match (sanitized(&actor.name).as_str(), credential) {
            ("", _) => "-".to_owned(),
            (name, "") => name.to_owned(),
            (name, credential) => {
                let key = actor.credential_name.as_deref().map(sanitized);
                let key = key.map(|key| format!(" {key}")).unwrap_or_default();
                format!("{name} ({credential}{key})")
            }
        }
    }

    fn target(&self) -> String {
        let target = &self.0.target;
        let kind = target.kind.replace('_', " ");
        let (name, id) = (sanitized(&target.name), sanitized(&target.id));
        match (name.as_str(), id.as_str()) {
            ("", "") => kind,
            ("", id) => format!("{kind} {id}"),
            (name, "") => format!("{kind} {name}"),
            (name, id) => format!("{kind} {name} ({id})"),
        }
    }
}

/// Such as `fields name, url; sessions 2`.
fn details(json: &str) -> String {
    let details: Map<String, Value> = serde_json::from_str(json).unwrap_or_default();
    let parts: Vec<String> = details
        .iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| {
            let text = match value.as_i64().filter(|_| name.ends_with("_at")) {
                Some(time) => local_time(time),
                None => words(value),
            };
            format!("{} {text}", name.replace('_', " "))
        })
        .collect();
    sanitized(&parts.join("; ")).replace(['\n', '\t'], " ")
}

fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(flag) => if *flag { "yes" } else { "no" }.to_owned(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(words).collect();
            items.join(", ")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_are_words() {
        let json = r#"{"fields":["name","url"],"sessions":2,"expires_at":null,"operator":true,"a_b":"c\u001b[1m\n"}"#;
        assert_eq!(
            details(json),
            "fields name, url; sessions 2; operator yes; a b c "
        );
        assert_eq!(details("{}"), "");
        let expiry = details(r#"{"expires_at":1784800000000}"#);
        assert!(expiry.starts_with("expires at 2026-07-2"), "{expiry}");
    }
}
