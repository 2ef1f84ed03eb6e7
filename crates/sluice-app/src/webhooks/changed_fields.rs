//! Webhooks and their changed fields, for the audit log.

use sluice_store::{
    audit::{Action, TargetKind},
    webhooks::Webhook,
};

use crate::audit::{Change, Target};

/// The address is left out: it may hold a secret.
pub(super) fn target(webhook: &Webhook) -> Target {
    let name = webhook.name.as_deref().unwrap_or_default();
    Target::new(TargetKind::Webhook, &webhook.id, name)
}

/// Adds the names of the changed fields.
pub(super) fn describe(change: &mut Change, old: &Webhook, new: &Webhook) {
    let fields = [
        ("url", old.url != new.url),
        ("name", old.name != new.name),
        ("description", old.description != new.description),
        ("concurrency", old.concurrency != new.concurrency),
    ];
    change.add_fields(&fields);
    if old.active == new.active {
        return;
    }
    if fields.iter().any(|(_, differs)| *differs) {
        change.add("active", new.active);
    } else {
        change.set_action(if new.active {
            Action::WebhookActivate
        } else {
            Action::WebhookDeactivate
        });
    }
}
