//! Subscriptions: which listener receives the events of which emitter.

use serde::{Deserialize, Serialize};
use sluice_model::SubscriptionId;
use utoipa::{IntoParams, ToSchema};

/// A subscription of a listener to one channel of an emitter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Subscription {
    #[schema(value_type = String, example = "sub_abc123")]
    pub id: SubscriptionId,
    /// A source, `dc_*` for all sources, `p_*` for all workflows, or `*` for an auto-subscription.
    pub emitter_id: String,
    /// A source or a webhook.
    pub listener_id: String,
    /// As sent by the client; empty when it was absent.
    pub event_name: String,
}

/// Parameters of `POST` and `DELETE /subscriptions`, in the query string or the body.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SubscriptionParameters {
    /// A source, `dc_*` for all sources or `p_*` for all workflows; to delete an auto-subscription, `*`.
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[schema(required = true, value_type = String)]
    #[param(required = true, value_type = String)]
    pub emitter_id: Option<String>,
    /// A channel: `default` or the empty name for the default one, `$errors`, `$logs`, or a custom name. Default: the default one.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub event_name: Option<String>,
    /// A source or a webhook.
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[schema(required = true, value_type = String)]
    #[param(required = true, value_type = String)]
    pub listener_id: Option<String>,
}

/// Parameters of `POST /auto_subscriptions`, in the query string or the body.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({ "event_name": "", "listener_id": "wh_abc123" }))]
pub struct AutoSubscribe {
    /// A channel: `default` or the empty name for the default one, `$errors`, `$logs`, or a custom name.
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[schema(required = true, value_type = String)]
    pub event_name: Option<String>,
    /// A source or a webhook.
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[schema(required = true, value_type = String)]
    pub listener_id: Option<String>,
}
