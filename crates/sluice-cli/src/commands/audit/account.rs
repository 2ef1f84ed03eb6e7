//! Whose entries are shown.

use clap::Args;
use sluice_api::ListedUser;
use sluice_model::UserId;

use crate::{client::Client, commands::operator_only::operator_only, exit::NotFound};

#[derive(Debug, Args)]
pub(super) struct Account {
    /// Show the entries of all accounts (operator only)
    #[arg(long, conflicts_with = "user")]
    all_accounts: bool,
    /// Show the entries of another account (operator only). A deleted user is found by id
    #[arg(long, value_name = "ID|NAME")]
    user: Option<String>,
}

impl Account {
    pub(super) fn is_all(&self) -> bool {
        self.all_accounts
    }

    /// The parameter of the request. Without one it is the own account.
    pub(super) async fn parameter(
        &self,
        client: &Client,
    ) -> anyhow::Result<Option<(&'static str, String)>> {
        if self.all_accounts {
            return Ok(Some(("scope", "all".to_owned())));
        }
        let Some(user) = &self.user else {
            return Ok(None);
        };
        if UserId::parse(user).is_some() {
            return Ok(Some(("user", user.clone())));
        }
        let named: Vec<ListedUser> = client
            .all_matching("/users", &[("username", user)])
            .await
            .map_err(operator_only("read the audit log of others"))?;
        let missing = || {
            NotFound(format!(
                "no user {user}: list them with `sluice users list`"
            ))
        };
        let found = named.into_iter().next().ok_or_else(missing)?;
        Ok(Some(("user", found.id.to_string())))
    }
}
