//! The audit log.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sluice_model::{AuditEntryId, UserId};
use utoipa::{IntoParams, ToSchema};

/// One change: who did what to what, when and from where.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct AuditEntry {
    #[schema(value_type = String, example = "aud_0VYJXPd1e0003v8cQ2mXyT5uNw1")]
    pub id: AuditEntryId,
    /// Epoch milliseconds.
    pub at: i64,
    /// The account that was changed; null after a failed sign-in and for the server as a whole.
    #[schema(required = true, value_type = Option<String>, example = "u_abc123")]
    pub user_id: Option<UserId>,
    /// The present name of that account; null if it was deleted.
    #[schema(required = true)]
    pub username: Option<String>,
    pub actor: AuditActor,
    /// The subject and the verb.
    #[schema(example = "source.create")]
    pub action: String,
    pub target: AuditTarget,
    /// Further facts, such as the names of changed fields. Never secrets or values of props.
    #[schema(value_type = Value)]
    pub details: Box<RawValue>,
}

/// The author of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditActor {
    /// Null after a failed sign-in and for commands on the server's own machine.
    #[schema(required = true, value_type = Option<String>, example = "u_abc123")]
    pub id: Option<UserId>,
    /// The username at that time; `server` for the server itself, and the account of the operating system for `machine`.
    pub name: String,
    /// `key` is the main API key, `named_key` another one, `session` the console, `oidc` single sign-on, `machine` a command on
    /// the server's own machine, `server` the server itself, and `none` a sign-up or a failed sign-in.
    #[schema(example = "key")]
    pub credential: String,
    /// The id of the named key.
    #[schema(required = true)]
    pub credential_id: Option<String>,
    /// The name of the named key; null if it was deleted.
    #[schema(required = true)]
    pub credential_name: Option<String>,
    /// The address of the client; null when it was the server itself.
    #[schema(required = true)]
    pub address: Option<String>,
}

/// The thing that was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditTarget {
    #[schema(example = "source")]
    pub kind: String,
    /// Empty for a target without an id.
    pub id: String,
    /// The name at that time; empty for a target without a name.
    pub name: String,
    /// Whether it still exists; null for kinds that are not looked up.
    #[schema(required = true)]
    pub exists: Option<bool>,
}

/// Which entries of the audit log to list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AuditQuery {
    /// The beginning of the action, such as `source` or `webhook.rotate_secret`.
    pub action: Option<String>,
    /// The id or the name of the author, or the id of the named key.
    pub actor: Option<String>,
    /// The id or the name of the target.
    pub target: Option<String>,
    /// Text in the action, the author, the target or the address, case-insensitive.
    pub q: Option<String>,
    /// Only entries of this time or later: epoch milliseconds or ISO 8601.
    pub since: Option<String>,
    /// Only entries of this time or earlier: epoch milliseconds or ISO 8601.
    pub until: Option<String>,
    /// `all` lists the entries of all accounts. For operators only.
    pub scope: Option<String>,
    /// The id of another account. For operators only.
    pub user: Option<String>,
}
