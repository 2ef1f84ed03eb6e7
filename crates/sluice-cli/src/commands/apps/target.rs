//! Looking up an app.

use sluice_api::{App, ListedUser};

use crate::{
    client::{Client, escaped},
    commands::operator_only::operator_only,
    exit::NotFound,
};

const MANAGE_APPS: &str = "manage apps";

/// The app with this slug or id.
pub(super) async fn find(client: &Client, slug: &str) -> anyhow::Result<App> {
    let app = client.find(&path(slug)).await?;
    app.ok_or_else(|| {
        NotFound(format!(
            "no app {slug}: search with `sluice apps list --query TEXT`, or add it with `sluice apps add`"
        ))
        .into()
    })
}

pub(super) fn path(slug: &str) -> String {
    format!("/apps/{}", escaped(slug))
}

/// Fails for users who are not the operator, before the command asks them for anything.
pub(super) async fn require_operator(client: &Client) -> anyhow::Result<()> {
    let listed = client.page::<ListedUser>("/users", &[("limit", "1")]).await;
    listed.map(drop).map_err(operator_only(MANAGE_APPS))
}
