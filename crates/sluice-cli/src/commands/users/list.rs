//! `sluice users list`

use clap::Args;
use sluice_api::{ListedUser, UserPlan};

use super::target::MANAGE_USERS;
use crate::commands::{
    common::Common,
    operator_only::operator_only,
    output::{local_time, sanitized, show_list},
};

/// List all users, newest first
#[derive(Debug, Args)]
pub(crate) struct ListOptions {
    #[command(flatten)]
    common: Common,
}

pub(super) async fn list(options: ListOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let users: Vec<ListedUser> = client
        .all("/users")
        .await
        .map_err(operator_only(MANAGE_USERS))?;
    let header = ["ID", "NAME", "EMAIL", "PLAN", "OPERATOR", "CREATED"];
    show_list(&users, options.common.json, &header, "No users", |user| {
        let plan = match user.plan {
            UserPlan::Free => "free",
            UserPlan::Paid => "paid",
        };
        vec![
            user.id.to_string(),
            sanitized(&user.username),
            sanitized(&user.email),
            plan.to_owned(),
            if user.operator { "yes" } else { "no" }.to_owned(),
            local_time(user.created_at * 1000),
        ]
    })
}
