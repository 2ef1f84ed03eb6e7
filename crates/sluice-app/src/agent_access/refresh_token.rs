//! The token by which an application renews its access: the number of its renewal, sealed. The application keeps it.

use serde::{Deserialize, Serialize};
use sluice_infra::Infra;
use sluice_model::ApiKeyId;
use sluice_store::api_keys::AgentAccess;

/// Tells it from other sealed texts.
const KIND: &str = "agent refresh token";

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RefreshToken {
    kind: String,
    key_id: String,
    /// A digest of the application's id.
    application: String,
    /// How many renewals came before it.
    renewals: i64,
}

impl RefreshToken {
    /// The token for the next renewal of a key.
    pub(super) fn newest(key: &ApiKeyId, access: &AgentAccess) -> RefreshToken {
        RefreshToken {
            kind: KIND.to_owned(),
            key_id: key.to_string(),
            application: access.application.clone(),
            renewals: access.renewals,
        }
    }

    pub(super) fn seal(&self, infra: &Infra) -> String {
        let text = serde_json::to_vec(self).expect("texts and numbers are JSON");
        infra.vault.seal(&text, &mut infra.ids.rng())
    }

    /// None for a text that is no such token.
    pub(super) fn open(text: &str, infra: &Infra) -> Option<RefreshToken> {
        let opened = infra.vault.open(text).ok()?;
        let token: RefreshToken = serde_json::from_slice(&opened).ok()?;
        (token.kind == KIND).then_some(token)
    }

    pub(super) fn key_id(&self) -> Option<ApiKeyId> {
        ApiKeyId::parse(&self.key_id)
    }

    pub(super) fn is_of(&self, application: &str) -> bool {
        self.application == application
    }

    pub(super) fn renewals(&self) -> i64 {
        self.renewals
    }
}
