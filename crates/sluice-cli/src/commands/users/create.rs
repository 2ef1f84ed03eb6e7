//! `sluice users create`

use clap::Args;
use sluice_api::{CreateUser, CreatedUser, UserPlan};

use super::target::MANAGE_USERS;
use crate::commands::{
    common::Common,
    operator_only::operator_only,
    output::{fields, show, show_json},
};

const EXAMPLES: &str = "\
Examples:
  sluice users create ada ada@example.com
  sluice users create ci ci@example.com --json | jq -r .api_key";

/// Create a user and print the API key
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct CreateOptions {
    /// Name of the user
    #[arg(value_name = "NAME")]
    username: String,
    /// Email address of the user
    email: String,
    /// Create the user on the paid plan, which has no quotas
    #[arg(long)]
    paid: bool,
    /// Make the user an operator of the server
    #[arg(long)]
    operator: bool,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn create(options: CreateOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let body = CreateUser {
        username: Some(options.username),
        email: Some(options.email),
        plan: options.paid.then_some(UserPlan::Paid),
        operator: options.operator.then_some(true),
    };
    let user: CreatedUser = client
        .post("/users", &body)
        .await
        .map_err(operator_only(MANAGE_USERS))?;
    if options.common.json {
        return show_json(&user);
    }
    let (url, key) = (client.url(), &user.api_key);
    let login = format!("sluice login --url {url} --api-key {key}");
    let lines = [
        ("name", user.username),
        ("id", user.id.to_string()),
        ("api key", user.api_key),
        ("log in with", login),
    ];
    Ok(show(&fields(&lines))?)
}
