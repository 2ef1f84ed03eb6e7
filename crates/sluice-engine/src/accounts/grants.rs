//! The accounts that one process uses, and what it has been told of them.

use std::sync::Arc;

use serde_json::{Map, Value};
use sluice_model::{PropDef, UserId};

use super::{
    Accounts, Slot,
    props::account_of,
    slot::{Answer, Auth},
};

/// Empty for most sources, which then pay nothing.
pub(crate) struct Grants(Vec<Grant>);

struct Grant {
    prop: String,
    app: String,
    slot: Arc<Slot>,
    told: Option<Arc<Auth>>,
}

/// Whether a process may go on with what it knows.
pub(crate) enum Standing {
    Current,
    /// It must be told this first: `$auth` by prop.
    Changed(Map<String, Value>),
    /// Somebody has to find out.
    Unknown,
    /// In words, why it may not.
    Refused(Arc<str>),
}

impl Grants {
    /// The accounts that configured values name.
    pub(crate) fn of(
        accounts: &Accounts,
        user: &UserId,
        props: &[PropDef],
        configured: &Map<String, Value>,
    ) -> Grants {
        let grant = |prop: &PropDef| {
            let account = account_of(prop, configured).ok()??;
            Some(Grant {
                prop: prop.name.clone(),
                app: prop.app().unwrap_or_default().to_owned(),
                slot: accounts.slot(user, &account),
                told: None,
            })
        };
        Grants(props.iter().filter_map(grant).collect())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What must happen before the process runs something; with `Changed`, the process counts as told.
    pub(crate) fn check(&mut self, now: i64) -> Standing {
        let answers: Option<Vec<Answer>> =
            self.0.iter().map(|grant| grant.slot.answer(now)).collect();
        let Some(answers) = answers else {
            return Standing::Unknown;
        };
        let mut changed = Map::new();
        for (grant, answer) in self.0.iter_mut().zip(answers) {
            let auth = match answer {
                Ok(auth) if auth.app_slug == grant.app => auth,
                Ok(auth) => {
                    let message = format!(
                        "{} is for {}, and its account is one of {}",
                        grant.prop, grant.app, auth.app_slug
                    );
                    return Standing::Refused(Arc::from(message));
                }
                Err(message) => return Standing::Refused(message),
            };
            let is_news = grant
                .told
                .as_ref()
                .is_none_or(|told| !Arc::ptr_eq(told, &auth) && **told != *auth);
            if is_news {
                changed.insert(grant.prop.clone(), Value::Object(auth.fields.clone()));
            }
            grant.told = Some(auth);
        }
        if changed.is_empty() {
            Standing::Current
        } else {
            Standing::Changed(changed)
        }
    }

    /// What it takes to find out: independent of the process, so that it can be awaited elsewhere.
    pub(crate) fn slots(&self) -> Vec<Arc<Slot>> {
        self.0.iter().map(|grant| Arc::clone(&grant.slot)).collect()
    }
}
