//! The changed fields of a source, for the audit log.

use sluice_store::{audit::Action, sources::Source};

use crate::audit::Change;

/// Adds the names of the changed fields and props.
pub(super) fn describe(change: &mut Change, old: &Source, new: &Source) {
    let differs = |name: &String| old.configured_props.get(name) != new.configured_props.get(name);
    let added = new.configured_props.keys();
    let removed = old.configured_props.keys();
    let removed = removed.filter(|name| !new.configured_props.contains_key(*name));
    let props: Vec<&String> = added.chain(removed).filter(|name| differs(name)).collect();
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
