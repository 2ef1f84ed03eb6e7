//! App props: which accounts they may name, and the `$auth` they get.

use serde_json::{Map, Value};
use sluice_model::{ACCOUNT_FIELD, AccountId, PropDef, PropType, UserId};
use sluice_runtime::{BindingKind, PropBinding};
use sluice_store::{Conn, StoreError, accounts, apps};

use super::{Grants, Standing};
use crate::{Engine, error::EngineError};

const AUTH_FIELD: &str = "$auth";

impl Engine {
    /// The result of checking configured values, with what is wrong with the accounts they name.
    pub(crate) async fn with_accounts(
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
            .context
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
        match grants.check(self.context.infra.clock.now_ms()) {
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
            .ok_or("names an account that does not exist"),
    }
}

fn is_app(prop: &PropDef) -> bool {
    prop.prop_type == PropType::App
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
