//! `sluice users update`

use anyhow::bail;
use clap::{Args, ValueEnum};
use sluice_api::{ListedUser, UpdateOwnUser, UpdateUser, UserPlan};

use super::target::{MANAGE_USERS, Target};
use crate::commands::{
    common::Common,
    operator_only::operator_only,
    output::{sanitized, show, show_json},
};

const EXAMPLES: &str = "\
Examples:
  sluice users update --email ada@example.com
  sluice users update ada --plan paid
  sluice users update ada --operator true";

/// Change the name, email address, plan or role of a user
///
/// Without a user it changes your own name or address, which needs no operator. The last operator stays one.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct UpdateOptions {
    /// Id or name of the user [default: you]
    #[arg(value_name = "ID|NAME")]
    user: Option<String>,
    /// New name
    #[arg(long, value_name = "NAME")]
    username: Option<String>,
    /// New email address
    #[arg(long, value_name = "ADDRESS")]
    email: Option<String>,
    /// New plan
    #[arg(long, value_enum, value_name = "PLAN")]
    plan: Option<Plan>,
    /// Whether the user is an operator of the server
    #[arg(long, value_name = "BOOL")]
    operator: Option<bool>,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Plan {
    Free,
    Paid,
}

pub(super) async fn update(options: UpdateOptions) -> anyhow::Result<()> {
    let UpdateOptions {
        user,
        username,
        email,
        plan,
        operator,
        common,
    } = options;
    if username.is_none() && email.is_none() && plan.is_none() && operator.is_none() {
        bail!("there is nothing to change: give one of --username, --email, --plan and --operator");
    }
    let client = common.connection.client()?;
    let updated: ListedUser = match user {
        None if plan.is_some() || operator.is_some() => {
            bail!("--plan and --operator need the name of a user")
        }
        None => {
            let body = UpdateOwnUser { username, email };
            client.put("/users/me", &body).await?
        }
        Some(name) => {
            let user = Target::new(name).find(&client).await?;
            let body = UpdateUser {
                username,
                email,
                plan: plan.map(|plan| match plan {
                    Plan::Free => UserPlan::Free,
                    Plan::Paid => UserPlan::Paid,
                }),
                operator,
            };
            let path = format!("/users/{}", user.id);
            let updated = client.put(&path, &body).await;
            updated.map_err(operator_only(MANAGE_USERS))?
        }
    };
    if common.json {
        return show_json(&updated);
    }
    let name = sanitized(&updated.username);
    Ok(show(&format!("Updated {name}\n"))?)
}
