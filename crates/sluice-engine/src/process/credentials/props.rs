//! App props: the accounts that they name.

use serde_json::{Map, Value};
use sluice_model::{ACCOUNT_FIELD, AccountId, PropDef, PropType};

/// An app prop's value for code, before its account is known.
pub fn app_value(configured: Option<&Value>) -> Value {
    let account = configured.and_then(|value| value.get(ACCOUNT_FIELD));
    let field = account.map(|account| (ACCOUNT_FIELD.to_owned(), account.clone()));
    Value::Object(field.into_iter().collect())
}

/// The account that an app prop's value names, if it names one.
pub fn account_of(
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

pub fn is_app(prop: &PropDef) -> bool {
    prop.prop_type == PropType::App
}
