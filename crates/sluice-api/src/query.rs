//! Parameters in the query string. Numbers and cursors arrive as text: the server checks them, so that its errors name them.

use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

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
    /// Size of the page; more than 100 counts as 100.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 100, default = 10)]
    pub limit: Option<String>,
    /// Return the items that follow this cursor.
    pub after: Option<String>,
    /// Return the items just ahead of this cursor.
    pub before: Option<String>,
}

/// Which events of a source to show, and how.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct EventsQuery {
    /// `event` returns each event whole, however large.
    pub expand: Option<String>,
    /// A channel; `default` and the empty name are the default channel. Left out: all but those whose name begins with `$`.
    pub event_name: Option<String>,
    /// Text in the event's data or its summary, in either case; with it, or with a time, all that is kept is searched.
    pub q: Option<String>,
    /// Only events of this time or later: epoch milliseconds or ISO 8601.
    pub since: Option<String>,
    /// Only events of this time or earlier: epoch milliseconds or ISO 8601.
    pub until: Option<String>,
}

/// Which events of a source the older list shows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct OlderEventsQuery {
    /// As `limit`, and goes before it.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 100)]
    pub n: Option<String>,
    /// Only `event`, which changes nothing: events are whole in any case.
    pub expand: Option<String>,
    /// A channel; left out: all but those whose name begins with `$`.
    pub event_name: Option<String>,
}

/// Which events of a source to follow.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct EventStreamQuery {
    /// A channel; `default` and the empty name are the default channel. Left out: all but those whose name begins with `$`.
    pub event_name: Option<String>,
    /// What `Last-Event-ID` says, for clients that cannot send headers.
    pub last_event_id: Option<String>,
}

/// What to follow of what a workflow sends.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SendStreamQuery {
    /// Only this channel.
    pub channel: Option<String>,
    /// What `Last-Event-ID` says, for clients that cannot send headers.
    pub last_event_id: Option<String>,
}

/// From where to follow the log of a source.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LogStreamQuery {
    /// What `Last-Event-ID` says, for clients that cannot send headers.
    pub last_event_id: Option<String>,
}

/// Which events of a source to delete; both bounds are included.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DeleteEventsQuery {
    /// The oldest event to delete.
    pub start_id: Option<String>,
    /// The newest event to delete.
    pub end_id: Option<String>,
    /// A channel; left out: all but those whose name begins with `$`.
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
    /// A part of the name or the slug.
    pub q: Option<String>,
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
    /// Show the credentials too.
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
    /// A part of the name or the email address, in either case.
    pub q: Option<String>,
}
