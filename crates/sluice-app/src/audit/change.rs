//! The entry of a change, which the transaction of the change writes.

use serde_json::{Map, Value};
use sluice_infra::Infra;
use sluice_model::{AuditEntryId, UserId};
use sluice_store::{
    Conn, StoreError,
    audit::{self, Action, AuditActor, AuditEntry, AuditTarget, TargetKind},
};

use super::Actor;

/// The longest name in an entry, in characters.
const MAX_NAME: usize = 200;
/// The most names in a list of details, such as those of changed props.
const MAX_NAMES: usize = 50;

/// The thing that a change concerns.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    kind: TargetKind,
    id: String,
    name: String,
}

impl Target {
    pub(crate) fn new(kind: TargetKind, id: impl AsRef<str>, name: impl AsRef<str>) -> Target {
        Target {
            kind,
            id: short(id.as_ref()),
            name: short(name.as_ref()),
        }
    }
}

/// PostgreSQL cannot store NUL.
fn short(text: &str) -> String {
    let text = text.chars().filter(|char| *char != '\0');
    text.take(MAX_NAME).collect()
}

/// An entry of the audit log that is not written yet. The transaction of the change calls [`Change::record`].
#[must_use = "the entry is written by `record`"]
#[derive(Debug, Clone)]
pub(crate) struct Change {
    entry: AuditEntry,
    details: Map<String, Value>,
}

impl Change {
    /// A change of the author's own account.
    pub(crate) fn new(infra: &Infra, actor: &Actor, action: Action, target: Target) -> Change {
        let user_id = Some(actor.user_id.clone());
        Change::by(infra, user_id, actor.stored(), action, target)
    }

    pub(super) fn by(
        infra: &Infra,
        user_id: Option<UserId>,
        actor: AuditActor,
        action: Action,
        target: Target,
    ) -> Change {
        let Target { kind, id, name } = target;
        Change {
            entry: AuditEntry {
                id: AuditEntryId::ordered(&infra.ids.emit()),
                user_id,
                actor,
                action,
                target: AuditTarget { kind, id, name },
                details: String::new(),
                created_at: infra.creation_ms(),
            },
            details: Map::new(),
        }
    }

    /// A change of another account.
    pub(crate) fn of_account(mut self, user: &UserId) -> Change {
        self.entry.user_id = Some(user.clone());
        self
    }

    pub(crate) fn set_action(&mut self, action: Action) {
        self.entry.action = action;
    }

    pub(crate) fn set_target(&mut self, target: Target) {
        let Target { kind, id, name } = target;
        self.entry.target = AuditTarget { kind, id, name };
    }

    /// Adds a detail. Secrets and values of props must not be among them.
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Change {
        self.add(name, value);
        self
    }

    pub(crate) fn add(&mut self, name: &str, value: impl Into<Value>) {
        self.details.insert(name.to_owned(), value.into());
    }

    /// Adds a list of names, if there are any.
    pub(crate) fn add_names<N: AsRef<str>>(
        &mut self,
        name: &str,
        names: impl IntoIterator<Item = N>,
    ) {
        let names = names.into_iter().take(MAX_NAMES);
        let names: Vec<Value> = names.map(|one| short(one.as_ref()).into()).collect();
        if !names.is_empty() {
            self.add(name, names);
        }
    }

    /// Adds the names of the fields that differ.
    pub(crate) fn add_fields(&mut self, fields: &[(&str, bool)]) {
        let changed = fields.iter().filter(|(_, differs)| *differs);
        self.add_names("fields", changed.map(|(name, _)| name));
    }

    /// Writes the entry in the transaction of the change.
    pub(crate) fn record(self, c: &mut dyn Conn) -> Result<(), StoreError> {
        audit::insert(c, &self.into_entry())
    }

    /// The entry, for a transaction of the engine.
    pub(crate) fn into_entry(self) -> AuditEntry {
        AuditEntry {
            details: Value::Object(self.details).to_string(),
            ..self.entry
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_and_have_no_nul() {
        let target = Target::new(TargetKind::Source, "dc_a\0", "ä".repeat(300));
        assert_eq!(
            (target.id.as_str(), target.name.chars().count()),
            ("dc_a", 200)
        );
    }
}
