//! Accounts of app props: named by a flag, picked from a list, or connected on the spot.

use anyhow::{anyhow, bail};
use serde_json::{Value, json};
use sluice_api::Account;
use sluice_model::PropDef;

use super::{Form, question::question};
use crate::{
    client::ClientError,
    commands::{
        output::harmless,
        prompt::{self, Row},
    },
    exit::NotFound,
};

impl Form<'_> {
    /// The account of that id or name.
    pub(super) async fn named_account(
        &mut self,
        prop: &PropDef,
        named: &str,
    ) -> anyhow::Result<Value> {
        let app = prop.app().unwrap_or(&prop.name).to_owned();
        let accounts = self.accounts(&app).await?;
        let mut matching = accounts
            .iter()
            .filter(|account| account.id.to_string() == named || account.name == named);
        match (matching.next(), matching.next()) {
            (Some(account), None) => Ok(chosen(account)),
            (Some(_), Some(_)) => bail!(
                "there are several accounts of {app} named {named}: give the id of one, as `sluice accounts list` shows it"
            ),
            (None, _) => Err(anyhow!(NotFound(format!(
                "there is no account {named} of {app}: `sluice accounts list` shows yours"
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
                        ", must be connected again"
                    } else {
                        ""
                    };
                    let label = format!("{} ({}{state})", harmless(&account.name), account.id);
                    Row::new(label, Some(account))
                })
                .collect();
            if !rows.is_empty() {
                rows.push(Row::fixed(
                    format!("Connect another account of {}…", harmless(&app.name)),
                    None,
                ));
                let mut question = question(prop, &[]);
                question.message = format!("Account of {}", harmless(&app.name));
                if let Some(account) = prompt::pick(question, rows, 0).await? {
                    return Ok(chosen(&account));
                }
            }
            if let Some(account) = self.connect_account(&app).await? {
                return Ok(chosen(&account));
            }
        }
    }

    async fn accounts(&self, app: &str) -> Result<Vec<Account>, ClientError> {
        let query = [("app", app), ("limit", "100")];
        Ok(self.client.page("/accounts", &query).await?.data)
    }
}

fn chosen(account: &Account) -> Value {
    json!({ "authProvisionId": account.id })
}
