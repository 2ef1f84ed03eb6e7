//! Which user is meant, and who may ask.

use anyhow::anyhow;
use clap::Args;
use sluice_api::ListedUser;
use sluice_model::UserId;

use crate::{
    client::{Client, ClientError},
    exit::NotFound,
};

/// What the server says of paths that are the operator's.
const NOT_FOR_YOU: &str = "there is nothing at this path";

#[derive(Debug, Args)]
pub(super) struct Target {
    /// Id or name of the user
    #[arg(value_name = "ID|NAME")]
    user: String,
}

impl Target {
    pub(super) async fn find(&self, client: &Client) -> anyhow::Result<ListedUser> {
        let name = self.user.as_str();
        let named: Vec<ListedUser> = client.selected("/users", &[("username", name)]).await?;
        let mut found = named.into_iter().next();
        if let (None, Some(id)) = (&found, UserId::parse(name)) {
            let all: Vec<ListedUser> = client.all("/users").await?;
            found = all.into_iter().find(|user| user.id == id);
        }
        found.ok_or_else(|| {
            NotFound(format!(
                "there is no user {name}: `sluice users list` shows all"
            ))
            .into()
        })
    }
}

/// For everyone but the operator these paths do not exist, which would read as a fault.
pub(super) fn explained(error: anyhow::Error) -> anyhow::Error {
    match error.downcast_ref::<ClientError>() {
        Some(cause) if cause.is_not_found() && cause.to_string() == NOT_FOR_YOU => anyhow!(
            "only the operator of the server looks after its users, and this key is not the operator's"
        ),
        _ => error,
    }
}
