//! Ids of stored resources: a prefix for the kind of resource, and a random tail.
//!
//! A value of one of these types always has its prefix and a tail of 1 to 67 ASCII letters and digits, so it needs
//! no escaping in SQL, URLs and log lines. Clones share the text.

use std::sync::Arc;

use rand::{Rng, RngExt, distr::Alphanumeric};

use crate::{id_gen::EmitId, text_id::text_id};

const RANDOM_TAIL: usize = 12;
const MAX_TAIL: usize = 67;

macro_rules! prefixed_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Arc<str>);

        impl $name {
            pub const PREFIX: &'static str = $prefix;

            /// A new id. The caller supplies the randomness.
            pub fn random(rng: &mut impl Rng) -> Self {
                Self(random_text(Self::PREFIX, rng))
            }

            /// Parses an id of this type.
            pub fn parse(text: &str) -> Option<Self> {
                let tail = text.strip_prefix(Self::PREFIX)?;
                is_tail(tail).then(|| Self(text.into()))
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        text_id!($name);
    };
}

prefixed_id!(
    /// A person or program with an API key.
    UserId,
    "u_"
);
prefixed_id!(
    /// A named API key of a user.
    ApiKeyId,
    "key_"
);
prefixed_id!(
    /// A session of the console.
    SessionId,
    "ses_"
);
prefixed_id!(
    /// A saved component: code that is not running.
    ComponentId,
    "sc_"
);
prefixed_id!(
    /// An import of a tree of components.
    ImportId,
    "imp_"
);
prefixed_id!(
    /// One deploy of a workflow: a version of it that never changes.
    DeploymentId,
    "d_"
);
prefixed_id!(
    /// An app that components can authenticate to.
    AppId,
    "app_"
);
prefixed_id!(
    /// A user's account with an app: the credentials to use there.
    AccountId,
    "apn_"
);
prefixed_id!(
    /// An account that is being connected in a browser.
    ConnectionId,
    "con_"
);

prefixed_id!(
    /// The props that a component's `additionalProps` declared for some values, kept for a limited time.
    DynamicPropsId,
    "dyp_"
);

prefixed_id!(
    /// A filter of a list that a user saved.
    SavedFilterId,
    "flt_"
);

prefixed_id!(
    /// A webhook: an address that events are delivered to.
    WebhookId,
    "wh_"
);
prefixed_id!(
    /// A subscription of a listener to a channel of an emitter.
    SubscriptionId,
    "sub_"
);
prefixed_id!(
    /// The delivery of one event to one webhook.
    DeliveryId,
    "dlv_"
);

impl DeliveryId {
    /// The id is derived from the payload and the webhook, so that a delivery is created only once. Ids follow the order of
    /// emits.
    pub fn of(payload: &EmitId, webhook: &WebhookId) -> DeliveryId {
        let (_, tail) = webhook.0.split_at(WebhookId::PREFIX.len());
        DeliveryId(format!("{}{}{tail}", Self::PREFIX, payload.as_str()).into())
    }
}

prefixed_id!(
    /// An entry of the audit log.
    AuditEntryId,
    "aud_"
);

impl AuditEntryId {
    /// Ids follow the order in which `of` was generated.
    pub fn ordered(of: &EmitId) -> AuditEntryId {
        AuditEntryId(format!("{}{of}", Self::PREFIX).into())
    }
}

pub(crate) fn random_text(prefix: &str, rng: &mut impl Rng) -> Arc<str> {
    let mut text = String::with_capacity(prefix.len() + RANDOM_TAIL);
    text.push_str(prefix);
    text.extend((0..RANDOM_TAIL).map(|_| char::from(rng.sample(Alphanumeric))));
    text.into()
}

pub(crate) fn is_tail(tail: &str) -> bool {
    (1..=MAX_TAIL).contains(&tail.len()) && tail.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

impl UserId {
    /// The owner of components that come with the server. No user has this id: it is longer than those of users.
    pub fn server() -> UserId {
        UserId("u_serveritself".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_right_prefix_and_a_plain_tail_parse() {
        assert!(UserId::parse("u_a").is_some());
        assert!(ComponentId::parse("sc_K0uAee").is_some());
        for bad in ["", "u_", "sc_abc", "U_abc", "u_a b", "u_a\0", "u_ä", "abc"] {
            assert_eq!(UserId::parse(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn serde_is_the_text_and_rejects_other_kinds() {
        let id = UserId::parse("u_abc").unwrap();
        assert_eq!(serde_json::to_string(&id).unwrap(), "\"u_abc\"");
        assert_eq!(serde_json::from_str::<UserId>("\"u_abc\"").unwrap(), id);
        assert!(serde_json::from_str::<UserId>("\"dc_abc\"").is_err());
    }
}
