//! App props: which accounts they may name, and the `$auth` they get.

use serde_json::{Map, Value};
use sluice_model::{ACCOUNT_FIELD, AccountId, PropDef, PropError, PropErrorCode, PropType, UserId};
use sluice_runtime::{BindingKind, PropBinding};
use sluice_store::{Conn, StoreError, accounts, apps};

use super::{Grants, Standing};
use crate::{Engine, error::EngineError};

const AUTH_FIELD: &str = "$auth";
const UNKNOWN_ACCOUNT: &str = "names an account that does not exist";

impl Engine {
    /// The result of checking configured values, with the errors of the accounts they name.
    pub(crate) async fn with_accounts(
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
            .context
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

    /// Fills `$auth` into the bindings of app props that name an account, renewed when it is due.
    pub async fn bind_accounts(
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
        let accounts = &self.context.accounts;
        let mut grants = Grants::of(accounts, user, props, &configured);
        let slots = grants.slots();
        // Whoever asked may leave; tokens that are renewed meanwhile must reach the store all the same.
        self.to_the_end(
            |engine| async move { Ok(engine.context.accounts.find_out_all(&slots).await?) },
        )
        .await?;
        match grants.check(self.context.clock.now_ms()) {
            Standing::Current => Ok(()),
            Standing::Changed(auths) => {
                for (name, auth) in auths {
                    let binding = bindings.iter_mut().find(|binding| binding.name == name);
                    if let Some(Value::Object(value)) = binding.map(|binding| &mut binding.value) {
                        value.insert(AUTH_FIELD.to_owned(), auth);
                    }
                }
                Ok(())
            }
            Standing::Refused(why) => Err(EngineError::Invalid(why.to_string())),
            Standing::Unknown => Err(EngineError::Unavailable(
                "an account is being changed".to_owned(),
            )),
        }
    }
}

/// What code gets of an app prop's value before its account is known.
pub(crate) fn app_value(configured: Option<&Value>) -> Value {
    let account = configured.and_then(|value| value.get(ACCOUNT_FIELD));
    let field = account.map(|account| (ACCOUNT_FIELD.to_owned(), account.clone()));
    Value::Object(field.into_iter().collect())
}

/// The account that an app prop's value names, if it names one.
pub(super) fn account_of(
    prop: &PropDef,
    configured: &Map<String, Value>,
) -> Result<Option<AccountId>, &'static str> {
    let named = configured
        .get(&prop.name)
        .filter(|_| is_app(prop))
        .and_then(|value| value.get(ACCOUNT_FIELD))
        .filter(|account| !account.is_null());
    match named {
        None => Ok(None),
        Some(account) => account
            .as_str()
            .and_then(AccountId::parse)
            .map(Some)
            .ok_or(UNKNOWN_ACCOUNT),
    }
}

fn is_app(prop: &PropDef) -> bool {
    prop.prop_type == PropType::App
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
        Some(slug) => apps::by_slug(c, slug)?,
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
