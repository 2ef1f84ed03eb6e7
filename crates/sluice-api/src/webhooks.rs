//! Webhooks: URLs that events are delivered to.

use serde::{Deserialize, Serialize};
use sluice_model::{TextChange, UserId, WebhookId};
use utoipa::{IntoParams, ToSchema};

/// A URL that events are delivered to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Webhook {
    #[schema(value_type = String, example = "wh_abc123")]
    pub id: WebhookId,
    /// Absent in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<String>, example = "u_Aiot2b")]
    pub user_id: Option<UserId>,
    #[schema(required = true)]
    pub name: Option<String>,
    #[schema(required = true)]
    pub description: Option<String>,
    pub url: String,
    pub active: bool,
    /// The number of concurrent deliveries. With more than 1, the order of events is not kept.
    pub concurrency: u32,
    pub health: WebhookHealth,
    /// Epoch seconds.
    pub created_at: i64,
    /// Epoch seconds.
    pub updated_at: i64,
    /// The secret that signs deliveries, as in Standard Webhooks. Present only when it is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD")]
    pub signing_secret: Option<String>,
    /// Only with `expand=deliveries`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub deliveries: Option<WebhookDeliveries>,
}

/// Whether a webhook works. Times are epoch milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WebhookHealth {
    pub status: WebhookStatus,
    /// The first failed attempt since one succeeded; null when the last attempt succeeded.
    #[schema(required = true)]
    pub failing_since: Option<i64>,
    /// The error of the last attempt; null when it succeeded.
    #[schema(required = true)]
    pub error: Option<String>,
    /// The next attempt of a webhook that is failing or paused; null when no delivery waits.
    #[schema(required = true)]
    pub next_attempt_at: Option<i64>,
}

/// The status of a webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum WebhookStatus {
    /// It is switched off, or its receiver answered 410.
    Inactive,
    /// The last attempt succeeded, or there was none.
    Healthy,
    /// The last attempt failed.
    Failing,
    /// Several attempts in a row failed, or the receiver asked for a pause. Nothing is sent before `next_attempt_at`.
    Paused,
}

/// The delivery statistics of a webhook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WebhookDeliveries {
    /// Pending deliveries.
    pub waiting: u64,
    /// Failed deliveries that are still stored.
    pub failed: u64,
    /// The last successful delivery, in epoch milliseconds; null when there was none.
    #[schema(required = true)]
    pub delivered_at: Option<i64>,
}

/// How to show webhooks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WebhookQuery {
    /// `deliveries` adds the delivery statistics of each webhook.
    pub expand: Option<String>,
}

/// Which webhooks to list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WebhooksQuery {
    /// Part of the name or the URL, case-insensitive.
    pub q: Option<String>,
}

/// Parameters of `POST /webhooks`, in the query string or the body.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({ "url": "https://example.com/hook", "name": "Warehouse" }))]
pub struct CreateWebhook {
    /// The URL for deliveries: `http` or `https`, with a hostname.
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[schema(required = true, value_type = String)]
    pub url: Option<String>,
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub name: Option<String>,
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub description: Option<String>,
    /// The number of concurrent deliveries. With more than 1, the order of events is not kept.
    #[schema(minimum = 1, maximum = 64, default = 1)]
    pub concurrency: Option<u32>,
}

/// Body of `PUT /webhooks/{id}`. Absent fields stay the same. At least one field must be present.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({ "name": "Warehouse", "active": true }))]
pub struct UpdateWebhook {
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub url: Option<String>,
    /// Null removes it.
    #[serde(
        default,
        deserialize_with = "crate::text::change",
        skip_serializing_if = "TextChange::is_keep"
    )]
    #[schema(value_type = Option<String>)]
    pub name: TextChange,
    /// Null removes it.
    #[serde(
        default,
        deserialize_with = "crate::text::change",
        skip_serializing_if = "TextChange::is_keep"
    )]
    #[schema(value_type = Option<String>)]
    pub description: TextChange,
    /// An inactive webhook receives no events, and none are stored for it.
    pub active: Option<bool>,
    /// The number of concurrent deliveries. With more than 1, the order of events is not kept.
    #[schema(minimum = 1, maximum = 64)]
    pub concurrency: Option<u32>,
}
