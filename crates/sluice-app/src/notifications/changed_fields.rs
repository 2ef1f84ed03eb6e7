//! The entry of the audit log for a change of settings.

use sluice_store::notification_settings::{NotificationSettings, NotificationWebhook};

use crate::audit::Change;

/// Adds the names of the changed settings.
pub(super) fn describe(
    change: &mut Change,
    old: &NotificationSettings,
    new: &NotificationSettings,
) {
    let (was, is) = (&old.rules, &new.rules);
    change.add_fields(&[
        ("mail", old.mail != new.mail),
        ("mail_to", old.mail_to != new.mail_to),
        ("webhook_url", url(old) != url(new)),
        ("sources", was.sources != is.sources),
        ("workflows", was.workflows != is.workflows),
        ("webhooks", was.webhooks != is.webhooks),
        ("failures", was.failures != is.failures),
        ("webhook_seconds", was.webhook_seconds != is.webhook_seconds),
        ("quiet_seconds", was.quiet_seconds != is.quiet_seconds),
    ]);
}

fn url(settings: &NotificationSettings) -> Option<&String> {
    let webhook: Option<&NotificationWebhook> = settings.webhook.as_ref();
    webhook.map(|webhook| &webhook.url)
}
