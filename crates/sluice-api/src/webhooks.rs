//! Webhooks: addresses that events are delivered to.

use serde::{Deserialize, Serialize};
use sluice_model::{TextChange, UserId, WebhookId};
use utoipa::{IntoParams, ToSchema};

/// An address that events are delivered to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Webhook {
    #[schema(value_type = String, example = "wh_abc123")]
    pub id: WebhookId,
    /// Absent in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "u_Aiot2b")]
    pub user_id: Option<UserId>,
    pub name: Option<String>,
    pub description: Option<String>,
    pub url: String,
    pub active: bool,
    /// How many deliveries may be under way at once. More than 1 gives up their order.
    pub concurrency: u32,
    /// Epoch seconds.
    pub created_at: i64,
    /// Epoch seconds.
    pub updated_at: i64,
    /// What deliveries are signed with, as Standard Webhooks has it; shown only when it is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD")]
    pub signing_secret: Option<String>,
    /// Only with `expand=deliveries`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deliveries: Option<WebhookDeliveries>,
}

/// How the deliveries to a webhook are doing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WebhookDeliveries {
    /// Those that are tried, now or later.
    pub waiting: u64,
    /// Those that were given up, of all that are kept.
    pub failed: u64,
    /// When an event last reached it, in epoch milliseconds; null when none has.
    pub delivered_at: Option<i64>,
}

/// How to show webhooks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WebhookQuery {
    /// `deliveries` returns how the deliveries to each webhook are doing.
    pub expand: Option<String>,
}

/// Which webhooks to list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WebhooksQuery {
    /// A part of the name or the address, in either case.
    pub q: Option<String>,
}

/// What `POST /webhooks` takes, in the query string or the body.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct CreateWebhook {
    /// Where events are delivered: `http` or `https`, with a hostname.
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[schema(required = true, value_type = String)]
    pub url: Option<String>,
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub name: Option<String>,
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub description: Option<String>,
    /// How many deliveries may be under way at once. More than 1 gives up their order.
    #[schema(minimum = 1, maximum = 64, default = 1)]
    pub concurrency: Option<u32>,
}

/// What `PUT /webhooks/{id}` takes. What is left out stays as it is. At least one field must be present.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
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
    /// Nothing is delivered to an inactive webhook, nor kept for it.
    pub active: Option<bool>,
    /// How many deliveries may be under way at once. More than 1 gives up their order.
    #[schema(minimum = 1, maximum = 64)]
    pub concurrency: Option<u32>,
}
