//! Accounts for app props: from a flag, picked from a list, or newly connected.

use anyhow::{anyhow, bail};
use serde_json::{Value, json};
use sluice_api::Account;
use sluice_model::PropDef;

use super::{fill::Form, question::question};
use crate::{
    client::ClientError,
    commands::{
        output::sanitized,
        prompt::{self, Row},
    },
    exit::NotFound,
};

impl Form<'_> {
    /// The account with this id or name.
    pub(super) async fn named_account(
        &mut self,
        prop: &PropDef,
        id_or_name: &str,
    ) -> anyhow::Result<Value> {
        let app = prop.app().unwrap_or(&prop.name).to_owned();
        let accounts = self.accounts(&app).await?;
        let mut matching = accounts
            .iter()
            .filter(|account| account.id.to_string() == id_or_name || account.name == id_or_name);
        match (matching.next(), matching.next()) {
            (Some(account), None) => Ok(account_value(account)),
            (Some(_), Some(_)) => bail!(
                "several accounts of {app} are named {id_or_name}: use the id of one (see `sluice accounts list`)"
            ),
            (None, _) => Err(anyhow!(NotFound(format!(
                "no account {id_or_name} of {app}: list yours with `sluice accounts list`"
            )))),
        }
    }

    pub(super) async fn ask_for_account(&mut self, prop: &PropDef) -> anyhow::Result<Value> {
        let Some(app) = self.app(prop).await? else {
            return Ok(json!({}));
        };
        loop {
            let accounts = self.accounts(&app.name_slug).await?;
            let mut rows: Vec<Row<Option<Account>>> = accounts
                .into_iter()
                .map(|account| {
                    let state = if account.dead {
                        ", must be reconnected"
                    } else {
                        ""
                    };
                    let label = format!("{} ({}{state})", sanitized(&account.name), account.id);
                    Row::new(label, Some(account))
                })
                .collect();
            if !rows.is_empty() {
                rows.push(Row::fixed(
                    format!("Connect another account of {}…", sanitized(&app.name)),
                    None,
                ));
                let mut question = question(prop, &[]);
                question.message = format!("Account of {}", sanitized(&app.name));
                let current = self
                    .current(prop)
                    .and_then(|value| value["authProvisionId"].as_str());
                let is_current = |row: &Row<Option<Account>>| {
                    let id = row.value.as_ref().map(|account| account.id.to_string());
                    id.is_some() && id.as_deref() == current
                };
                let at = rows.iter().position(is_current).unwrap_or_default();
                if let Some(account) = prompt::pick(question, rows, at).await? {
                    return Ok(account_value(&account));
                }
            }
            if let Some(account) = self.connect_account(&app).await? {
                return Ok(account_value(&account));
            }
        }
    }

    async fn accounts(&self, app: &str) -> Result<Vec<Account>, ClientError> {
        let query = [("app", app), ("limit", "100")];
        Ok(self.client.page("/accounts", &query).await?.data)
    }
}

fn account_value(account: &Account) -> Value {
    json!({ "authProvisionId": account.id })
}
