//! Looking up a user.

use clap::Args;
use sluice_api::ListedUser;
use sluice_model::UserId;

use crate::{client::Client, commands::operator_only::operator_only, exit::NotFound};

/// What only the operator can do.
pub(super) const MANAGE_USERS: &str = "manage users";

#[derive(Debug, Args)]
pub(super) struct Target {
    /// Id or name of the user
    #[arg(value_name = "ID|NAME")]
    user: String,
}

impl Target {
    pub(super) fn new(user: String) -> Target {
        Target { user }
    }

    pub(super) async fn find(&self, client: &Client) -> anyhow::Result<ListedUser> {
        let name = self.user.as_str();
        let named: Vec<ListedUser> = client
            .all_matching("/users", &[("username", name)])
            .await
            .map_err(operator_only(MANAGE_USERS))?;
        let mut found = named.into_iter().next();
        if let (None, Some(id)) = (&found, UserId::parse(name)) {
            let all: Vec<ListedUser> = client.all("/users").await?;
            found = all.into_iter().find(|user| user.id == id);
        }
        found.ok_or_else(|| {
            NotFound(format!(
                "no user {name}: list them with `sluice users list`"
            ))
            .into()
        })
    }
}
