//! Connected accounts: the names under which the folder refers to them.
//!
//! Sources refer to an account by name and app. Documents of workflows need the id that the account has on the server.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use sluice_model::slug_of;

use super::{
    listings::{AccountRow, shown},
    report::{AccountUse, Report},
};

const ACCOUNT_ID: &str = "authProvisionId";

pub(super) struct Accounts<'a> {
    rows: BTreeMap<&'a str, &'a AccountRow>,
    /// Ids on the server by ids at Pipedream.
    replaced: BTreeMap<String, String>,
    used: BTreeMap<String, AccountUse>,
}

/// An account of an app on the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AccountName {
    pub(super) name: String,
    pub(super) app: String,
}

/// The app of an account, as far as its use tells.
#[derive(Debug, Clone, Copy)]
pub(super) struct AppHint<'a> {
    /// The declaration or the key of the component says so.
    pub(super) of_component: Option<&'a str>,
    /// The name of the prop, which is usually that of the app.
    pub(super) prop: &'a str,
}

impl<'a> Accounts<'a> {
    pub(super) fn new(rows: &'a [AccountRow], replaced: BTreeMap<String, String>) -> Accounts<'a> {
        Accounts {
            rows: rows.iter().map(|row| (row.id.as_str(), row)).collect(),
            replaced,
            used: BTreeMap::new(),
        }
    }

    /// The name of an account that `user` uses.
    pub(super) fn of_source(&mut self, id: &str, app: AppHint<'_>, user: &str) -> AccountName {
        let account = self.account(id, app);
        account.used_by.insert(user.to_owned());
        AccountName {
            name: account.name.clone(),
            app: account.app.clone(),
        }
    }

    /// The id of an account in the document of a workflow. Without a known id, it is the id at Pipedream.
    pub(super) fn of_step(&mut self, id: &str, app: AppHint<'_>, user: &str) -> String {
        let replaced = self.replaced.get(id).cloned();
        let account = self.account(id, app);
        account.used_by.insert(user.to_owned());
        replaced.unwrap_or_else(|| {
            account.documents.insert(user.to_owned());
            id.to_owned()
        })
    }

    /// Adds the accounts to the report.
    pub(super) fn finish(self, report: &mut Report) {
        for (id, row) in &self.rows {
            if !self.used.contains_key(*id) {
                report
                    .unused_accounts
                    .insert(shown(row.name.as_deref(), id));
            }
        }
        report.accounts = self.used;
    }

    fn account(&mut self, id: &str, app: AppHint<'_>) -> &mut AccountUse {
        if !self.used.contains_key(id) {
            let account = self.new_account(id, app);
            self.used.insert(id.to_owned(), account);
        }
        self.used.entry(id.to_owned()).or_default()
    }

    fn new_account(&self, id: &str, app: AppHint<'_>) -> AccountUse {
        let row = self.rows.get(id);
        let of_row = row.and_then(|row| row.app.as_ref());
        let app_name = of_row.and_then(|app| app.name.as_deref());
        let slug = of_row.and_then(|app| app.name_slug.clone());
        let slug = slug.or_else(|| app.of_component.map(str::to_owned));
        let slug = slug.or_else(|| app_slug(&app_name?.to_lowercase()));
        let slug = slug.or_else(|| app_slug(app.prop));
        let app = slug.unwrap_or_else(|| "unknown".to_owned());
        let name = row.and_then(|row| row.name.as_deref()).or(app_name);
        let name = shown(name, id);
        // Two accounts of an app need different names.
        let is_taken = |other: &AccountUse| other.name == name && other.app == app;
        let name = if self.used.values().any(is_taken) {
            format!("{name} ({id})")
        } else {
            name
        };
        AccountUse {
            name,
            app,
            used_by: BTreeSet::new(),
            documents: BTreeSet::new(),
        }
    }
}

/// The id of the account in the value of an app prop.
pub(super) fn account_id(value: &Value) -> Option<&str> {
    value.get(ACCOUNT_ID)?.as_str()
}

/// The usual slug of an app: `Google Sheets` and `googleSheets` are `google_sheets`.
fn app_slug(name: &str) -> Option<String> {
    Some(slug_of(name)?.replace('-', "_"))
}

/// The app in the key of a component: `google_sheets-add-row` belongs to `google_sheets`.
pub(super) fn app_of_key(key: &str) -> Option<&str> {
    key.split_once('-').map(|(app, _)| app)
}
