//! `sluice keys list`

use clap::Args;
use sluice_api::{KeyScope, NamedKey};

use crate::commands::{
    common::Common,
    output::{local_time, sanitized, show_list},
};

/// List your named API keys, newest first
///
/// The main key of your account is not among them. `sluice rotate-key` replaces it.
#[derive(Debug, Args)]
pub(crate) struct ListOptions {
    #[command(flatten)]
    common: Common,
}

pub(super) async fn list(options: ListOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let keys: Vec<NamedKey> = client.all("/users/me/keys").await?;
    let header = [
        "ID",
        "NAME",
        "SCOPES",
        "ENDS WITH",
        "CREATED",
        "EXPIRES",
        "LAST USED",
    ];
    let hint = "No named keys: create one with `sluice keys create`";
    show_list(&keys, options.common.json, &header, hint, |key| {
        let time = |at: Option<i64>| at.map_or("never".to_owned(), |at| local_time(at * 1000));
        vec![
            key.id.to_string(),
            sanitized(&key.name),
            scopes(&key.scopes),
            sanitized(&key.last_characters),
            local_time(key.created_at * 1000),
            time(key.expires_at),
            time(key.last_used_at),
        ]
    })
}

fn scopes(scopes: &[KeyScope]) -> String {
    let words: Vec<&str> = scopes
        .iter()
        .map(|scope| match scope {
            KeyScope::Read => "read",
            KeyScope::Run => "run",
            KeyScope::Deploy => "deploy",
            KeyScope::Operate => "operate",
        })
        .collect();
    words.join(",")
}
