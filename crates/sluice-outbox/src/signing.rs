//! Standard Webhooks signatures, which prove to a receiver that a delivery is ours.

use base64::{Engine, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use sluice_store::{
    Vault,
    webhooks::{PreviousSecret, Webhook},
};

/// The prefix of a secret as users see it.
const PREFIX: &str = "whsec_";

/// The keys of a webhook: the current one, and for a while the previous one.
pub(crate) struct Keys {
    current: Vec<u8>,
    previous: Option<Previous>,
}

struct Previous {
    key: Vec<u8>,
    until: i64,
}

impl Keys {
    /// Opens the secrets of a webhook. An error is text for the user.
    pub(crate) fn open(vault: &Vault, webhook: &Webhook) -> Result<Keys, String> {
        Keys::new(vault, &webhook.secret, webhook.previous.as_ref())
    }

    /// Opens secrets that are sealed. An error is text for the user.
    pub(crate) fn new(
        vault: &Vault,
        secret: &str,
        previous: Option<&PreviousSecret>,
    ) -> Result<Keys, String> {
        let open = |sealed: &str| {
            key(vault, sealed).map_err(|why| {
                format!("the signing secret of the webhook cannot be used: {why}. Rotate it")
            })
        };
        let previous = previous.map(|previous| {
            open(&previous.secret).map(|key| Previous {
                key,
                until: previous.until,
            })
        });
        Ok(Keys {
            current: open(secret)?,
            previous: previous.transpose()?,
        })
    }

    /// The value of `webhook-signature`: a signature for each key that is valid now.
    pub(crate) fn sign(&self, id: &str, now_ms: i64, body: &str) -> String {
        let mut signatures = signature(&self.current, id, seconds(now_ms), body);
        if let Some(Previous { key, until }) = &self.previous
            && *until > now_ms
        {
            signatures.push(' ');
            signatures.push_str(&signature(key, id, seconds(now_ms), body));
        }
        signatures
    }
}

/// The value of `webhook-timestamp`.
pub(crate) fn seconds(now_ms: i64) -> i64 {
    now_ms.div_euclid(1_000)
}

fn key(vault: &Vault, sealed: &str) -> Result<Vec<u8>, String> {
    let secret = vault.open(sealed).map_err(|error| error.to_string())?;
    let text = std::str::from_utf8(&secret).map_err(|_| "it is no text")?;
    STANDARD
        .decode(text.strip_prefix(PREFIX).unwrap_or(text))
        .map_err(|_| "it is no base64".to_owned())
}

fn signature(key: &[u8], id: &str, timestamp: i64, body: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    mac.update(format!("{id}.{timestamp}.").as_bytes());
    mac.update(body.as_bytes());
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use rand::{SeedableRng, rngs::StdRng};
    use sluice_model::{UserId, WebhookId};
    use standardwebhooks::Webhook as Reference;

    use super::*;

    const NEW: &str = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
    const OLD: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    fn rng() -> StdRng {
        StdRng::seed_from_u64(1)
    }

    fn vault() -> Vault {
        Vault::new([1; 32])
    }

    fn webhook(previous: Option<PreviousSecret>) -> Webhook {
        Webhook {
            id: WebhookId::parse("wh_a").unwrap(),
            user_id: UserId::parse("u_a").unwrap(),
            name: None,
            description: None,
            url: "https://example.com".to_owned(),
            active: true,
            concurrency: 1,
            secret: vault().seal(NEW.as_bytes(), &mut rng()),
            previous,
            created_at: 0,
            updated_at: 0,
        }
    }

    fn reference(secret: &str, id: &str, timestamp: i64, body: &str) -> String {
        let reference = Reference::new(secret).unwrap();
        reference.sign(id, timestamp, body.as_bytes()).unwrap()
    }

    #[test]
    fn a_signature_matches_the_reference_implementation() {
        let keys = Keys::open(&vault(), &webhook(None)).unwrap();
        for body in ["{}", "\"ä\u{1f600}\"", "null"] {
            assert_eq!(
                keys.sign("dlv_1", 1_700_000_000_999, body),
                reference(NEW, "dlv_1", 1_700_000_000, body)
            );
        }
    }

    #[test]
    fn a_replaced_secret_signs_too_until_its_time() {
        let previous = PreviousSecret {
            secret: vault().seal(OLD.as_bytes(), &mut rng()),
            until: 5_000,
        };
        let keys = Keys::open(&vault(), &webhook(Some(previous))).unwrap();
        let both = format!(
            "{} {}",
            reference(NEW, "dlv_1", 4, "1"),
            reference(OLD, "dlv_1", 4, "1")
        );
        assert_eq!(keys.sign("dlv_1", 4_999, "1"), both);
        assert_eq!(
            keys.sign("dlv_1", 5_000, "1"),
            reference(NEW, "dlv_1", 5, "1")
        );
    }

    #[test]
    fn a_secret_of_another_master_key_is_named_in_the_error() {
        let other = Vault::new([2; 32]);
        let error = Keys::open(&other, &webhook(None)).err().unwrap();
        assert!(error.contains("another key"), "{error}");
    }
}
