//! The receiver of a webhook's deliveries, ready for use.

use reqwest::Url;
use sluice_model::UserId;
use sluice_store::{Vault, webhooks::Webhook};

use crate::signing::Keys;

/// An error in a part says why nothing can be sent.
pub(crate) struct Destination {
    pub(crate) user: UserId,
    pub(crate) url: Result<Url, String>,
    pub(crate) keys: Result<Keys, String>,
}

impl Destination {
    pub(crate) fn new(vault: &Vault, webhook: &Webhook) -> Destination {
        Destination {
            user: webhook.user_id.clone(),
            url: Url::parse(&webhook.url)
                .map_err(|error| format!("the address of the webhook is not valid: {error}")),
            keys: Keys::open(vault, webhook),
        }
    }
}
