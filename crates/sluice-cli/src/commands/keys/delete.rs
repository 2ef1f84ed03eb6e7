//! `sluice keys delete`

use anyhow::bail;
use clap::Args;
use sluice_api::NamedKey;

use crate::{
    client::Client,
    commands::{
        deletion::{DeleteFlags, Deletion},
        output::sanitized,
    },
    exit::NotFound,
};

/// Delete a named API key
///
/// It stops working at once, and streams that it opened end.
#[derive(Debug, Args)]
pub(crate) struct DeleteOptions {
    /// Id or name of the key
    #[arg(value_name = "ID|NAME")]
    key: String,
    #[command(flatten)]
    flags: DeleteFlags,
}

pub(super) async fn delete(options: DeleteOptions) -> anyhow::Result<()> {
    let client = options.flags.client()?;
    let key = find(&client, &options.key).await?;
    let name = sanitized(&key.name);
    let deletion = Deletion {
        collection: "/users/me/keys",
        id: key.id.to_string(),
        question: format!("Delete the key {name}?"),
        name,
    };
    options.flags.delete(&client, deletion).await
}

async fn find(client: &Client, name: &str) -> anyhow::Result<NamedKey> {
    let mut keys: Vec<NamedKey> = client.all("/users/me/keys").await?;
    if let Some(at) = keys.iter().position(|key| key.id.as_str() == name) {
        return Ok(keys.swap_remove(at));
    }
    keys.retain(|key| key.name == name);
    if keys.len() > 1 {
        bail!("several keys are named {name}: use the id of one");
    }
    keys.pop().ok_or_else(|| {
        NotFound(format!("no key {name}: list yours with `sluice keys list`")).into()
    })
}
