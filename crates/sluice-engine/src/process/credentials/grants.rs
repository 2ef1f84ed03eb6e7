//! The accounts that one process uses, and the `$auth` it has received.

use std::sync::Arc;

use serde_json::{Map, Value};
use sluice_model::{PropDef, UserId};

use super::{
    Credentials,
    entry::{AccountEntry, Auth, AuthResult},
    props::account_of,
};

/// Empty for most sources, whose checks then cost nothing.
pub struct Grants(Vec<Grant>);

struct Grant {
    prop: String,
    app: String,
    entry: Arc<AccountEntry>,
    sent: Option<Arc<Auth>>,
}

/// Whether a process may run with the `$auth` it has.
pub enum GrantStatus {
    Current,
    /// The process must get this first: `$auth` by prop.
    Changed(Map<String, Value>),
    /// The entries must be refreshed.
    Unknown,
    /// The reason why an account cannot be used.
    Rejected(Arc<str>),
}

impl Grants {
    /// The accounts that the configured values name.
    pub fn of(
        credentials: &Credentials,
        user: &UserId,
        props: &[PropDef],
        configured: &Map<String, Value>,
    ) -> Grants {
        let grant = |prop: &PropDef| {
            let account = account_of(prop, configured).ok()??;
            Some(Grant {
                prop: prop.name.clone(),
                app: prop.app().unwrap_or_default().to_owned(),
                entry: credentials.entry(user, &account),
                sent: None,
            })
        };
        Grants(props.iter().filter_map(grant).collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Checks the accounts before an invocation. `Changed` is reported once: the caller sends it to the process.
    pub fn check(&mut self, now: i64) -> GrantStatus {
        let results: Option<Vec<AuthResult>> =
            self.0.iter().map(|grant| grant.entry.result(now)).collect();
        let Some(results) = results else {
            return GrantStatus::Unknown;
        };
        let mut changed = Map::new();
        for (grant, result) in self.0.iter_mut().zip(results) {
            let auth = match result {
                Ok(auth) if auth.app_slug == grant.app => auth,
                Ok(auth) => {
                    let message = format!(
                        "{} is for {}, and its account is one of {}",
                        grant.prop, grant.app, auth.app_slug
                    );
                    return GrantStatus::Rejected(Arc::from(message));
                }
                Err(message) => return GrantStatus::Rejected(message),
            };
            let has_changed = grant
                .sent
                .as_ref()
                .is_none_or(|sent| !Arc::ptr_eq(sent, &auth) && **sent != *auth);
            if has_changed {
                changed.insert(grant.prop.clone(), Value::Object(auth.fields.clone()));
            }
            grant.sent = Some(auth);
        }
        if changed.is_empty() {
            GrantStatus::Current
        } else {
            GrantStatus::Changed(changed)
        }
    }

    /// The entries to refresh, independent of the process.
    pub fn entries(&self) -> Vec<Arc<AccountEntry>> {
        self.0
            .iter()
            .map(|grant| Arc::clone(&grant.entry))
            .collect()
    }
}
