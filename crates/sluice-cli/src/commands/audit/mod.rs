//! `sluice audit`

mod account;
mod fetch;
mod follow;
mod row;

use clap::Args;
use sluice_api::AuditEntry;

use self::{account::Account, fetch::newest, row::Row};
use super::{
    common::Common,
    output::{Table, show, show_json, show_stderr},
    time_arg::time,
};
use crate::{client::Client, exit::interruptible};

const EXAMPLES: &str = "\
Examples:
  sluice audit --action source --since 7d
  sluice audit --actor ada --search 203.0.113.7
  sluice audit --all-accounts -f
  sluice audit --all-accounts --since 30d -n 0 --json > audit.json";

/// Show the audit log: who changed what, when and from where
///
/// Newest first. It has the changes of your account; operators can read those of all accounts. Values of props and secrets are
/// never in it.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct AuditOptions {
    #[command(flatten)]
    account: Account,
    /// Only actions that begin with this, such as `source` or `webhook.rotate_secret`
    #[arg(long, value_name = "ACTION")]
    action: Option<String>,
    /// Only changes by this author: id or name of a user, or id of a named key
    #[arg(long, value_name = "ID|NAME")]
    actor: Option<String>,
    /// Only changes of this target
    #[arg(long, value_name = "ID|NAME")]
    target: Option<String>,
    /// Only entries with this text in action, author, target or address
    #[arg(long, value_name = "TEXT")]
    search: Option<String>,
    /// Only entries of this time or later: an age such as `7d`, ISO 8601 or epoch milliseconds
    #[arg(long, value_name = "TIME", value_parser = time)]
    since: Option<String>,
    /// Only entries of this time or earlier
    #[arg(long, value_name = "TIME", value_parser = time, conflicts_with = "follow")]
    until: Option<String>,
    /// Number of entries; 0 for all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    limit: usize,
    /// Wait for further entries, and show them as they come
    #[arg(short, long)]
    follow: bool,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn audit(options: AuditOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let query = options.query(&client).await?;
    let query: Vec<(&str, &str)> = query
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    let entries = newest(&client, &query, options.limit).await?;
    let with_account = options.account.is_all();
    if options.follow {
        let json = options.common.json;
        let line = |entry: &AuditEntry| follow::line(entry, json, with_account);
        return interruptible(follow::follow(&client, &query, entries, &line)).await;
    }
    if options.common.json {
        return show_json(&entries);
    }
    if entries.is_empty() {
        return Ok(show_stderr("No entries\n")?);
    }
    let mut table = Table::new(&Row::header(with_account));
    for entry in &entries {
        table.row(Row::new(entry).cells(with_account));
    }
    Ok(show(&table.to_text())?)
}

impl AuditOptions {
    async fn query(&self, client: &Client) -> anyhow::Result<Vec<(&'static str, String)>> {
        let given = [
            ("action", &self.action),
            ("actor", &self.actor),
            ("target", &self.target),
            ("q", &self.search),
            ("since", &self.since),
            ("until", &self.until),
        ];
        let given = given
            .into_iter()
            .filter_map(|(name, value)| Some((name, value.clone()?)));
        let account = self.account.parameter(client).await?;
        Ok(account.into_iter().chain(given).collect())
    }
}
