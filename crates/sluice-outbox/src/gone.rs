//! Switches off a webhook whose receiver is gone, with an entry of the audit log.

use sluice_infra::Infra;
use sluice_model::{AuditEntryId, WebhookId};
use sluice_store::{
    Conn, StoreError,
    audit::{self, Action, AuditActor, AuditEntry, AuditTarget, TargetKind},
    webhooks,
};

/// A webhook that is off already leaves no entry.
pub(crate) fn deactivate(
    c: &mut dyn Conn,
    infra: &Infra,
    id: &WebhookId,
) -> Result<(), StoreError> {
    let Some(webhook) = webhooks::deactivate(c, id, infra.now_ms())? else {
        return Ok(());
    };
    let entry = AuditEntry {
        id: AuditEntryId::ordered(&infra.ids.emit()),
        user_id: Some(webhook.user_id),
        actor: AuditActor::server(),
        action: Action::WebhookDeactivate,
        target: AuditTarget {
            kind: TargetKind::Webhook,
            id: webhook.id.to_string(),
            name: webhook.name.unwrap_or_default(),
        },
        details: r#"{"reason":"the receiver answered 410"}"#.to_owned(),
        created_at: infra.creation_ms(),
    };
    audit::insert(c, &entry)
}
