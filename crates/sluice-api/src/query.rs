//! Parameters in the query string. Numbers and cursors are text here; the server parses them, so that its errors name the field.

use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use utoipa::{IntoParams, ToSchema};

/// Which fields of each item to return.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FieldQuery {
    /// Comma-separated names of the fields to return. Default: all.
    pub include: Option<String>,
    /// Comma-separated names of the fields to leave out. Default: none.
    pub exclude: Option<String>,
}

/// Which page of a list to return.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageQuery {
    /// Size of the page. More than 100 counts as 100.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 100, default = 10)]
    pub limit: Option<String>,
    /// Return the items after this cursor.
    pub after: Option<String>,
    /// Return the items before this cursor.
    pub before: Option<String>,
}

/// Which events of a source to show, and how.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct EventsQuery {
    /// `event` returns complete events of any size.
    pub expand: Option<String>,
    /// A channel; `default` and the empty name are the default channel. Default: all channels except those that begin with `$`.
    pub event_name: Option<String>,
    /// Words, phrases and conditions on fields, such as `total:>100 status:paid "rush order" -test`. With this or with a time, all
    /// stored events are searched.
    pub q: Option<String>,
    /// Only events of this time or later: epoch milliseconds or ISO 8601.
    pub since: Option<String>,
    /// Only events of this time or earlier: epoch milliseconds or ISO 8601.
    pub until: Option<String>,
}

/// Which events of a source to show in the format for older clients.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct OlderEventsQuery {
    /// The same as `limit`, and takes precedence.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 100)]
    pub n: Option<String>,
    /// Only `event`, which has no effect, because events are always complete.
    pub expand: Option<String>,
    /// A channel. Default: all channels except those that begin with `$`.
    pub event_name: Option<String>,
}

/// Which events of a source to stream.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct EventStreamQuery {
    /// A channel; `default` and the empty name are the default channel. Default: all channels except those that begin with `$`.
    pub event_name: Option<String>,
    /// Only events that match this query, as in the list.
    pub q: Option<String>,
    /// The same as the `Last-Event-ID` header, for clients that cannot send headers.
    pub last_event_id: Option<String>,
}

/// Which messages of a workflow to stream.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SendStreamQuery {
    /// Only this channel.
    pub channel: Option<String>,
    /// The same as the `Last-Event-ID` header, for clients that cannot send headers.
    pub last_event_id: Option<String>,
}

/// Which lines of a log to show.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LogsQuery {
    /// Words, phrases and conditions on fields, such as `level:error timeout`. With this or with a time, all stored lines are
    /// searched.
    pub q: Option<String>,
    /// Only lines of this time or later: epoch milliseconds or ISO 8601.
    pub since: Option<String>,
    /// Only lines of this time or earlier: epoch milliseconds or ISO 8601.
    pub until: Option<String>,
}

/// Which lines of the log of a source to stream, and from where.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LogStreamQuery {
    /// Only lines that match this query, as in the list.
    pub q: Option<String>,
    /// The same as the `Last-Event-ID` header, for clients that cannot send headers.
    pub last_event_id: Option<String>,
}

/// Which events of a source to delete. Both bounds are inclusive.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DeleteEventsQuery {
    /// The oldest event to delete.
    pub start_id: Option<String>,
    /// The newest event to delete.
    pub end_id: Option<String>,
    /// A channel. Default: all channels except those that begin with `$`.
    pub event_name: Option<String>,
}

/// How to delete a source.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DeleteSourceQuery {
    /// Delete the source even when its `deactivate` hook fails.
    #[serde(default)]
    #[param(value_type = bool, required = false, default = false)]
    pub ignore_hook_errors: IgnoreHookErrors,
}

/// Whether a failing hook stops the deletion of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum IgnoreHookErrors {
    #[serde(rename = "true")]
    Yes,
    #[default]
    #[serde(rename = "false")]
    No,
}

/// Which apps to list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AppsQuery {
    /// Part of the name or the slug.
    pub q: Option<String>,
    /// Only apps with components in the registry, or only apps without.
    #[serde(default, deserialize_with = "flag")]
    pub has_components: Option<bool>,
    /// Only apps with actions in the registry, or only apps without.
    #[serde(default, deserialize_with = "flag")]
    pub has_actions: Option<bool>,
    /// Only apps with sources in the registry, or only apps without.
    #[serde(default, deserialize_with = "flag")]
    pub has_triggers: Option<bool>,
    /// The order of the list.
    #[serde(default)]
    #[param(required = false, inline)]
    pub sort: AppsOrder,
}

/// The order of a list of apps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AppsOrder {
    /// Newest first.
    #[default]
    CreatedAt,
    /// Best known first.
    Popularity,
}

/// A flag in a query: `true`, `false`, `1` or `0`.
pub(crate) fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<bool>, D::Error> {
    match Option::<String>::deserialize(deserializer)?.as_deref() {
        None | Some("") => Ok(None),
        Some("true" | "1") => Ok(Some(true)),
        Some("false" | "0") => Ok(Some(false)),
        Some(_) => Err(D::Error::custom("must be true or false")),
    }
}

/// Which accounts to list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AccountsQuery {
    /// Slug or id of an app.
    pub app: Option<String>,
}

/// How to show an account.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AccountQuery {
    /// Include the credentials.
    #[serde(default)]
    #[param(value_type = bool, required = false, default = false)]
    pub include_credentials: IncludeCredentials,
}

/// Whether an account is shown with its credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum IncludeCredentials {
    #[serde(rename = "true")]
    Yes,
    #[default]
    #[serde(rename = "false")]
    No,
}

/// Which users to list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct UsersQuery {
    /// Only the user with exactly this name.
    pub username: Option<String>,
    /// Part of the name or the email address, case-insensitive.
    pub q: Option<String>,
}
