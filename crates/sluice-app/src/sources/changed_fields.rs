//! The changed fields of a source, for the audit log.

use serde_json::{Map, Value};
use sluice_store::{audit::Action, sources::Source};

use crate::audit::Change;

/// The names of the props with another value. The values are not sealed: the same secret is sealed differently each time.
pub(super) fn changed_props(old: &Map<String, Value>, new: &Map<String, Value>) -> Vec<String> {
    let removed = old.keys().filter(|name| !new.contains_key(*name));
    let names = new.keys().chain(removed);
    let changed = names.filter(|name| old.get(*name) != new.get(*name));
    changed.cloned().collect()
}

/// Adds the names of the changed fields and props.
pub(super) fn describe(change: &mut Change, old: &Source, new: &Source, props: &[String]) {
    let fields = [
        ("name", old.name != new.name),
        ("component", old.component_id != new.component_id),
        ("configured_props", !props.is_empty()),
        ("retention", old.retention != new.retention),
    ];
    let nothing_else = fields.iter().all(|(_, differs)| !differs);
    if old.active != new.active && nothing_else {
        change.set_action(if new.active {
            Action::SourceActivate
        } else {
            Action::SourceDeactivate
        });
        return;
    }
    change.add_fields(&fields);
    change.add_names("props", props);
    if old.active != new.active {
        change.add("active", new.active);
    }
}
