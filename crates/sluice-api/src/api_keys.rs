//! Named API keys.

use serde::{Deserialize, Serialize};
use sluice_model::{ApiKeyId, Scope};
use utoipa::ToSchema;

/// The requests that a key may make: `read` for reads and streams, `run` for runs of tools, `deploy` for changes and runs, `operate` for keys, sessions,
/// users and everything for operators only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum KeyScope {
    Read,
    Run,
    Deploy,
    Operate,
}

impl From<KeyScope> for Scope {
    fn from(scope: KeyScope) -> Scope {
        match scope {
            KeyScope::Read => Scope::Read,
            KeyScope::Run => Scope::Run,
            KeyScope::Deploy => Scope::Deploy,
            KeyScope::Operate => Scope::Operate,
        }
    }
}

impl From<Scope> for KeyScope {
    fn from(scope: Scope) -> KeyScope {
        match scope {
            Scope::Read => KeyScope::Read,
            Scope::Run => KeyScope::Run,
            Scope::Deploy => KeyScope::Deploy,
            Scope::Operate => KeyScope::Operate,
        }
    }
}

/// A named API key. The key itself is shown only when it is created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NamedKey {
    #[schema(value_type = String, example = "key_Aiot2b")]
    pub id: ApiKeyId,
    pub name: String,
    pub scopes: Vec<KeyScope>,
    /// The last characters of the key.
    pub last_characters: String,
    /// Epoch seconds.
    pub created_at: i64,
    /// Epoch seconds; null if the key does not expire.
    #[schema(required = true)]
    pub expires_at: Option<i64>,
    /// Epoch seconds, to the minute; null if the key was never used.
    #[schema(required = true)]
    pub last_used_at: Option<i64>,
}

/// Body of `POST /users/me/keys`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({ "name": "deploy from CI", "scopes": ["read", "deploy"] }))]
pub struct CreateNamedKey {
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[schema(required = true, value_type = String)]
    pub name: Option<String>,
    #[schema(required = true, value_type = Vec<KeyScope>)]
    pub scopes: Option<Vec<KeyScope>>,
    /// The time until the key expires, in seconds. Default: it does not expire.
    pub expires_in: Option<u64>,
}

/// A new named key, with the key itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CreatedNamedKey {
    #[serde(flatten)]
    pub key: NamedKey,
    pub api_key: String,
}
