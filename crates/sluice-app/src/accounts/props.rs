//! App props: a check of the accounts that they name, and their `$auth`.

use serde_json::{Map, Value};
use sluice_engine::{
    EngineError,
    process::credentials::{Credentials, GrantStatus, Grants, account_of, is_app},
};
use sluice_infra::Infra;
use sluice_model::{PropDef, PropError, PropErrorCode, UserId};
use sluice_runtime::{BindingKind, PropBinding};
use sluice_store::{Conn, StoreError, accounts};

use crate::{apps::known, detached};

const AUTH_FIELD: &str = "$auth";
const UNKNOWN_ACCOUNT: &str = "names an account that does not exist";

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
        checked: Result<Map<String, Value>, Vec<PropError>>,
    ) -> Result<Map<String, Value>, EngineError> {
        let app_props: Vec<PropDef> = props.iter().filter(|prop| is_app(prop)).cloned().collect();
        if app_props.is_empty() {
            return checked.map_err(EngineError::InvalidProps);
        }
        let (user, values) = (user.clone(), checked.as_ref().unwrap_or(given).clone());
        let account_errors = self
            .infra
            .store
            .read(move |c| account_errors(c, &user, &app_props, &values))
            .await?;
        match checked {
            Ok(values) if account_errors.is_empty() => Ok(values),
            Ok(_) => Err(EngineError::InvalidProps(account_errors)),
            Err(mut errors) => {
                // A value that is not an object has its error already.
                let is_new =
                    |error: &PropError| errors.iter().all(|known| known.prop != error.prop);
                let more: Vec<PropError> = account_errors.into_iter().filter(is_new).collect();
                errors.extend(more);
                Err(EngineError::InvalidProps(errors))
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

fn account_errors(
    c: &mut dyn Conn,
    user: &UserId,
    app_props: &[PropDef],
    values: &Map<String, Value>,
) -> Result<Vec<PropError>, StoreError> {
    let mut errors = Vec::new();
    for prop in app_props {
        if let Some((code, reason)) = account_error(c, user, prop, values)? {
            errors.push(PropError::new(&prop.name, code, reason));
        }
    }
    Ok(errors)
}

fn account_error(
    c: &mut dyn Conn,
    user: &UserId,
    prop: &PropDef,
    values: &Map<String, Value>,
) -> Result<Option<(PropErrorCode, &'static str)>, StoreError> {
    let app = match prop.app() {
        Some(slug) => known::by_slug(c, slug)?,
        None => None,
    };
    let account = match account_of(prop, values) {
        Ok(Some(id)) => accounts::get(c, user, &id)?,
        Ok(None) => {
            let needed = app.is_some_and(|app| app.auth.needs_account());
            let is_missing = needed && !prop.is_optional();
            return Ok(is_missing.then_some((PropErrorCode::Required, "is required")));
        }
        Err(reason) => return Ok(Some((PropErrorCode::UnknownAccount, reason))),
    };
    Ok(match (account, app) {
        (None, _) => Some((PropErrorCode::UnknownAccount, UNKNOWN_ACCOUNT)),
        (Some(account), Some(app)) if account.app_id == app.id => None,
        (Some(_), _) => Some((PropErrorCode::WrongApp, "names an account of another app")),
    })
}
