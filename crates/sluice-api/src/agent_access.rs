//! Access of AI applications by OAuth, as the console approves it.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::api_keys::KeyScope;

/// The request of an application, from the parameters of its authorization URL.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AgentQuery {
    pub client_id: Option<String>,
    pub redirect_uri: Option<String>,
}

/// An application that asks for access. Its name is not verified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentApplication {
    pub name: String,
    /// Where the browser returns to.
    pub redirect_uri: String,
}

/// Body of `POST /agent_access`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ApproveAgent {
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[schema(required = true, value_type = String)]
    pub client_id: Option<String>,
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[schema(required = true, value_type = String)]
    pub redirect_uri: Option<String>,
    /// Of PKCE, by S256.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub code_challenge: Option<String>,
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub state: Option<String>,
    /// The scopes of the key that the application gets. Absent to deny access.
    pub scopes: Option<Vec<KeyScope>>,
    /// How long the key works. Default: 90.
    pub days: Option<u32>,
}

/// The answer for the application.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentAnswer {
    /// The address to open in the browser of the user.
    pub redirect_to: String,
}
