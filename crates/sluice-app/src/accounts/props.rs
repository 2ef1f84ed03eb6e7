//! App props: a check of the accounts that they name, and their `$auth`.

use serde_json::{Map, Value};
use sluice_engine::{
    EngineError,
    process::credentials::{Credentials, GrantStatus, Grants, account_of, is_app},
};
use sluice_infra::Infra;
use sluice_model::{PropDef, UserId};
use sluice_runtime::{BindingKind, PropBinding};
use sluice_store::{Conn, StoreError, accounts, apps};

use crate::detached;

const AUTH_FIELD: &str = "$auth";

/// Checks and binds app props.
#[derive(Clone)]
pub(crate) struct AccountProps {
    infra: Infra,
    credentials: Credentials,
}

impl AccountProps {
    pub(crate) fn new(infra: &Infra, credentials: Credentials) -> AccountProps {
        AccountProps {
            infra: infra.clone(),
            credentials,
        }
    }

    /// The result of checking configured values, with the errors of the accounts that they name.
    pub(crate) async fn check(
        &self,
        user: &UserId,
        props: &[PropDef],
        given: &Map<String, Value>,
        checked: Result<Map<String, Value>, Vec<String>>,
    ) -> Result<Map<String, Value>, EngineError> {
        let app_props: Vec<PropDef> = props.iter().filter(|prop| is_app(prop)).cloned().collect();
        if app_props.is_empty() {
            return checked.map_err(EngineError::InvalidProps);
        }
        let (user, values) = (user.clone(), checked.as_ref().unwrap_or(given).clone());
        let account_faults = self
            .infra
            .store
            .read(move |c| faults(c, &user, &app_props, &values))
            .await?;
        match checked {
            Ok(values) if account_faults.is_empty() => Ok(values),
            Ok(_) => Err(EngineError::InvalidProps(account_faults)),
            Err(mut faults) => {
                // A value that is no object at all has its fault already.
                let known = |fault: &String| {
                    let name = fault.split(' ').next().unwrap_or_default();
                    faults
                        .iter()
                        .any(|known| known.split(' ').next() == Some(name))
                };
                let more: Vec<String> = account_faults
                    .into_iter()
                    .filter(|fault| !known(fault))
                    .collect();
                faults.extend(more);
                Err(EngineError::InvalidProps(faults))
            }
        }
    }

    /// Fills `$auth` into the bindings of app props that name an account. Expiring tokens are renewed before.
    pub(crate) async fn bind(
        &self,
        user: &UserId,
        props: &[PropDef],
        bindings: &mut [PropBinding],
    ) -> Result<(), EngineError> {
        let configured = bindings
            .iter()
            .filter(|binding| matches!(binding.kind, BindingKind::App))
            .map(|binding| (binding.name.clone(), binding.value.clone()))
            .collect();
        let mut grants = Grants::of(&self.credentials, user, props, &configured);
        let entries = grants.entries();
        // Renewed tokens must be stored even if the client disconnects.
        let credentials = self.credentials.clone();
        detached::run(&self.infra.shutdown, async move {
            Ok(credentials.refresh_all(&entries).await?)
        })
        .await?;
        match grants.check(self.infra.now_ms()) {
            GrantStatus::Current => Ok(()),
            GrantStatus::Changed(auths) => {
                for (name, auth) in auths {
                    let binding = bindings.iter_mut().find(|binding| binding.name == name);
                    if let Some(Value::Object(value)) = binding.map(|binding| &mut binding.value) {
                        value.insert(AUTH_FIELD.to_owned(), auth);
                    }
                }
                Ok(())
            }
            GrantStatus::Rejected(reason) => Err(EngineError::Invalid(reason.to_string())),
            GrantStatus::Unknown => Err(EngineError::Unavailable(
                "an account is being changed".to_owned(),
            )),
        }
    }
}

fn faults(
    c: &mut dyn Conn,
    user: &UserId,
    app_props: &[PropDef],
    values: &Map<String, Value>,
) -> Result<Vec<String>, StoreError> {
    let mut faults = Vec::new();
    for prop in app_props {
        if let Some(fault) = fault(c, user, prop, values)? {
            faults.push(format!("{} {fault}", prop.name));
        }
    }
    Ok(faults)
}

fn fault(
    c: &mut dyn Conn,
    user: &UserId,
    prop: &PropDef,
    values: &Map<String, Value>,
) -> Result<Option<&'static str>, StoreError> {
    let app = match prop.app() {
        Some(slug) => apps::by_slug(c, slug)?,
        None => None,
    };
    let account = match account_of(prop, values) {
        Ok(Some(id)) => accounts::get(c, user, &id)?,
        Ok(None) => {
            let needed = app.is_some_and(|app| app.auth.needs_account());
            return Ok((needed && !prop.is_optional()).then_some("is required"));
        }
        Err(fault) => return Ok(Some(fault)),
    };
    Ok(match (account, app) {
        (None, _) => Some("names an account that does not exist"),
        (Some(account), Some(app)) if account.app_id == app.id => None,
        (Some(_), _) => Some("names an account of another app"),
    })
}
