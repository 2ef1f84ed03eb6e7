//! `sluice accounts …`

mod connect;
mod delete;
mod describe;
mod fields;
mod health;
mod list;
mod oauth;
mod target;

use clap::{Args, Subcommand};

pub(crate) use self::{
    fields::prompt_fields,
    list::show_all,
    oauth::{NoClient, connect_oauth},
};

const EXAMPLES: &str = "\
Examples:
  sluice accounts
  sluice accounts connect slack
  sluice accounts connect acme --name 'Our shop' --field api_key=@key.txt
  sluice accounts connect shopify --field shop_id=our-shop
  sluice accounts connect github --field oauth_access_token=@token.txt
  sluice accounts delete apn_a1b2c3";

/// Manage the accounts of apps that sources and workflows use
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
