//! Looking up an account.

use anyhow::bail;
use clap::Args;
use sluice_api::Account;

use crate::{
    client::{Client, escaped},
    exit::NotFound,
};

#[derive(Debug, Args)]
pub(super) struct Target {
    /// Id or name of the account
    #[arg(value_name = "ID|NAME")]
    account: String,
}

impl Target {
    pub(super) async fn find(&self, client: &Client) -> anyhow::Result<Account> {
        let name = &self.account;
        let by_id = client.find(&format!("/accounts/{}", escaped(name))).await?;
        if let Some(account) = by_id {
            return Ok(account);
        }
        let mut named: Vec<Account> = client.all("/accounts").await?;
        named.retain(|account| account.name == *name);
        match (named.pop(), named.is_empty()) {
            (Some(account), true) => Ok(account),
            (Some(_), false) => bail!("several accounts are named {name}: use the id of one"),
            (None, _) => Err(NotFound(format!(
                "no account {name}: list yours with `sluice accounts`"
            ))
            .into()),
        }
    }
}
