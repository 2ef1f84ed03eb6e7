//! Where the notifications of a user go.

use sluice_infra::Infra;
use sluice_model::{EmitId, UserId};
use sluice_store::{
    notification_settings::NotificationSettings,
    sends::{SendKind, SendRow, SendState},
    server_clock::AT_ONCE,
    users::User,
};

/// The first user of a server has an address here. No mail can go there unless it is changed.
const LOCAL: &str = "@localhost";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Recipients {
    /// Whether the server can send mail.
    pub(super) can_mail: bool,
    /// Whether the user wants mail.
    pub(super) mail: bool,
    pub(super) address: String,
    pub(super) webhook: bool,
}

impl Recipients {
    pub(super) fn new(infra: &Infra, user: &User, settings: &NotificationSettings) -> Recipients {
        let can_mail = infra.settings.sends.smtp.is_some();
        let address = settings.mail_to.as_ref().unwrap_or(&user.email).clone();
        let by_default = can_mail && !address.ends_with(LOCAL);
        Recipients {
            can_mail,
            mail: settings.mail.unwrap_or(by_default),
            address,
            webhook: settings.webhook.is_some(),
        }
    }

    pub(super) fn kinds(&self) -> Vec<SendKind> {
        let mail = (self.can_mail && self.mail).then_some(SendKind::NotificationEmail);
        let webhook = self.webhook.then_some(SendKind::NotificationWebhook);
        mail.into_iter().chain(webhook).collect()
    }
}

/// A notification for the outbox, which is due at once.
pub(super) fn send(
    id: EmitId,
    user: &UserId,
    kind: SendKind,
    now_ms: i64,
    payload: String,
) -> SendRow {
    SendRow {
        id,
        step: None,
        user_id: user.clone(),
        kind,
        state: SendState::Pending,
        due_at: Some(AT_ONCE),
        tries: 0,
        result: None,
        created_at: now_ms,
        updated_at: now_ms,
        payload,
        trace: None,
    }
}
