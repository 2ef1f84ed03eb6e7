//! A registered application. Its id is its registration, sealed.

use serde::{Deserialize, Serialize};
use sluice_infra::Infra;

use super::{error::AccessError, redirect};

const MAX_NAME: usize = 80;
const MAX_REDIRECTS: usize = 10;
const DEFAULT_NAME: &str = "AI application";
/// Tells a sealed registration from other sealed texts.
const KIND: &str = "agent application";

/// An application as it registered itself. Nothing of it is verified but the addresses at which it gets codes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Application {
    kind: String,
    pub name: String,
    pub redirect_uris: Vec<String>,
    /// Whether it renews its tokens. Others get a token for the whole time.
    #[serde(default)]
    pub renews: bool,
}

impl Application {
    pub(super) fn new(
        name: Option<&str>,
        redirect_uris: Vec<String>,
        renews: bool,
    ) -> Result<Application, AccessError> {
        let invalid = |text: &str| AccessError::InvalidClientMetadata(text.to_owned());
        if redirect_uris.is_empty() {
            return Err(invalid("redirect_uris is required"));
        }
        if redirect_uris.len() > MAX_REDIRECTS {
            return Err(invalid("there are too many redirect_uris"));
        }
        for uri in &redirect_uris {
            redirect::check(uri)?;
        }
        let shown = name.unwrap_or_default().trim().chars();
        let shown = shown.filter(|char| !char.is_control());
        let name: String = shown.take(MAX_NAME).collect();
        Ok(Application {
            kind: KIND.to_owned(),
            name: if name.is_empty() {
                DEFAULT_NAME.to_owned()
            } else {
                name
            },
            redirect_uris,
            renews,
        })
    }

    pub(super) fn seal(&self, infra: &Infra) -> String {
        let text = serde_json::to_vec(self).expect("texts are JSON");
        infra.vault.seal(&text, &mut infra.ids.rng())
    }

    pub(super) fn open(id: &str, infra: &Infra) -> Result<Application, AccessError> {
        let text = infra.vault.open(id).ok();
        let opened: Option<Application> = text.and_then(|text| serde_json::from_slice(&text).ok());
        opened
            .filter(|application| application.kind == KIND)
            .ok_or(AccessError::InvalidClient)
    }

    pub(super) fn must_have(&self, redirect_uri: &str) -> Result<(), AccessError> {
        redirect::check(redirect_uri)?;
        let mut registered = self.redirect_uris.iter();
        if registered.any(|uri| redirect::is_same(uri, redirect_uri)) {
            return Ok(());
        }
        Err(AccessError::InvalidRedirectUri(
            "is none of those that the application registered",
        ))
    }
}
