//! Notifications of failures and recoveries, as each user sets them.

use serde::{Deserialize, Serialize};
use sluice_model::TextChange;
use utoipa::ToSchema;

/// The notifications of the current user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of the API")]
pub struct NotificationSettings {
    /// Whether to send mail. By default it is sent if the server can.
    pub mail: bool,
    /// The address for mail; null for the address of the account.
    #[schema(required = true)]
    pub mail_to: Option<String>,
    /// The address that mail goes to.
    pub mail_address: String,
    /// Whether the server can send mail.
    pub mail_available: bool,
    /// The URL that gets notifications as signed requests; null for none.
    #[schema(required = true)]
    pub webhook_url: Option<String>,
    /// The secret that signs these requests, as in Standard Webhooks. Present only when it is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD")]
    pub signing_secret: Option<String>,
    /// Whether to report sources.
    pub sources: bool,
    /// Whether to report workflows.
    pub workflows: bool,
    /// Whether to report webhooks.
    pub webhooks: bool,
    /// A source or a workflow is reported after this many failures in a row.
    pub failures: u64,
    /// A webhook is reported when it has failed for this long.
    pub webhook_seconds: i64,
    /// The same source, workflow or webhook is not reported again within this time.
    pub quiet_seconds: i64,
    /// The last notification by mail.
    #[schema(required = true)]
    pub last_mail: Option<SentNotification>,
    /// The last notification to the webhook.
    #[schema(required = true)]
    pub last_webhook: Option<SentNotification>,
}

/// A notification that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SentNotification {
    pub state: NotificationState,
    /// Epoch milliseconds.
    pub created_at: i64,
    /// The last attempt, in epoch milliseconds.
    pub updated_at: i64,
    /// The answer to the last attempt, or its error.
    #[schema(required = true)]
    pub result: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum NotificationState {
    /// Not sent yet, or waiting for a retry.
    Pending,
    Sent,
    /// Given up.
    Failed,
}

/// Body of `PUT /users/me/notifications`. Absent fields stay the same.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({ "mail": true, "webhook_url": "https://example.com/alerts" }))]
pub struct UpdateNotifications {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mail: Option<bool>,
    /// Null for the address of the account.
    #[serde(
        default,
        deserialize_with = "crate::text::change",
        skip_serializing_if = "TextChange::is_keep"
    )]
    #[schema(value_type = Option<String>)]
    pub mail_to: TextChange,
    /// Null for none, which also removes the secret.
    #[serde(
        default,
        deserialize_with = "crate::text::change",
        skip_serializing_if = "TextChange::is_keep"
    )]
    #[schema(value_type = Option<String>)]
    pub webhook_url: TextChange,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sources: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflows: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhooks: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 100, default = 3)]
    pub failures: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 86_400, default = 60)]
    pub webhook_seconds: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 60, maximum = 604_800, default = 3_600)]
    pub quiet_seconds: Option<i64>,
}

/// The results of a test message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NotificationTest {
    /// Null when notifications by mail are off.
    #[schema(required = true)]
    pub mail: Option<NotificationTestResult>,
    /// Null when there is no webhook.
    #[schema(required = true)]
    pub webhook: Option<NotificationTestResult>,
}

/// The result of one attempt to send a test message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NotificationTestResult {
    pub sent: bool,
    /// The answer of the receiver, or the error.
    pub result: String,
}
