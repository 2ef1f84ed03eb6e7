//! `sluice accounts …`

mod connect;
mod delete;
mod describe;
mod list;

use anyhow::bail;
use clap::{Args, Subcommand};
use sluice_api::Account;

pub(crate) use self::{
    connect::{asked_fields, in_browser},
    list::show_all,
};
use super::output::{BAD, CHANGED, GOOD, styled};
use crate::{
    client::{Client, escaped},
    exit::NotFound,
};

const EXAMPLES: &str = "\
Examples:
  sluice accounts
  sluice accounts connect slack
  sluice accounts connect acme --name 'Our shop' --field api_key=$KEY
  sluice accounts delete apn_a1b2c3";

/// Look after accounts of apps, which sources and workflows use
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct AccountsOptions {
    #[command(subcommand)]
    command: Option<AccountsCommand>,
    #[command(flatten)]
    list: list::ListOptions,
}

#[derive(Debug, Subcommand)]
enum AccountsCommand {
    List(list::ListOptions),
    Describe(describe::DescribeOptions),
    Connect(connect::ConnectOptions),
    Delete(delete::DeleteOptions),
}

pub(crate) async fn run(options: AccountsOptions) -> anyhow::Result<()> {
    match options.command {
        None => list::list(options.list).await,
        Some(AccountsCommand::List(options)) => list::list(options).await,
        Some(AccountsCommand::Describe(options)) => describe::describe(options).await,
        Some(AccountsCommand::Connect(options)) => connect::connect(options).await,
        Some(AccountsCommand::Delete(options)) => delete::delete(options).await,
    }
}

/// Which account is meant.
#[derive(Debug, Args)]
struct Target {
    /// Id or name of the account
    #[arg(value_name = "ID|NAME")]
    account: String,
}

impl Target {
    async fn find(&self, client: &Client) -> anyhow::Result<Account> {
        let name = &self.account;
        let by_id = client.find(&format!("/accounts/{}", escaped(name))).await?;
        if let Some(account) = by_id {
            return Ok(account);
        }
        let mut named: Vec<Account> = client.all("/accounts").await?;
        named.retain(|account| account.name == *name);
        match (named.pop(), named.is_empty()) {
            (Some(account), true) => Ok(account),
            (Some(_), false) => bail!("several accounts are called {name}: give the id of one"),
            (None, _) => Err(NotFound(format!(
                "there is no account {name}: `sluice accounts` shows yours"
            ))
            .into()),
        }
    }
}

/// What is wrong with an account, or that nothing is.
fn health(account: &Account) -> String {
    match (account.dead, account.healthy) {
        (true, _) => styled(BAD, "must be connected again"),
        (false, false) => styled(CHANGED, "failing"),
        (false, true) => styled(GOOD, "healthy"),
    }
}
