//! Entries as they come.
//!
//! The log has no stream, so it is read again and again. Transactions may commit in another order than that of their times, so
//! each read goes back a little, and entries that were shown already are left out.

use std::{collections::HashSet, time::Duration};

use sluice_api::AuditEntry;
use sluice_model::AuditEntryId;

use super::{fetch::newest, row::Row};
use crate::{
    client::{Client, ClientError},
    commands::output::show,
};

const PAUSE: Duration = Duration::from_secs(2);
/// How much later than others of its time an entry may appear.
const OVERLAP_MS: i64 = 10_000;

/// Shows the entries, oldest first, and then further ones, until it is interrupted.
pub(super) async fn follow(
    client: &Client,
    query: &[(&str, &str)],
    entries: Vec<AuditEntry>,
    text: &dyn Fn(&AuditEntry) -> anyhow::Result<String>,
) -> anyhow::Result<()> {
    let mut seen = Seen::default();
    let recent = recent(client, query, entries.first().map(|entry| entry.at)).await?;
    print(&entries, text)?;
    seen.add(&entries);
    // Those before the shown ones are old.
    let oldest = entries.last().map(|entry| entry.at);
    seen.add(recent.iter().filter(|entry| Some(entry.at) <= oldest));
    print_new(&recent, &mut seen, text)?;
    loop {
        tokio::time::sleep(PAUSE).await;
        let further = self::recent(client, query, seen.newest).await?;
        print_new(&further, &mut seen, text)?;
    }
}

/// The entries since a little before `at`.
async fn recent(
    client: &Client,
    query: &[(&str, &str)],
    at: Option<i64>,
) -> Result<Vec<AuditEntry>, ClientError> {
    let Some(at) = at else {
        return newest(client, query, 0).await;
    };
    let since = at.saturating_sub(OVERLAP_MS).to_string();
    let others = query.iter().filter(|(name, _)| *name != "since");
    let mut query: Vec<_> = others.copied().collect();
    query.push(("since", &since));
    newest(client, &query, 0).await
}

/// The entries that were shown, of the time that is read again.
#[derive(Default)]
struct Seen {
    newest: Option<i64>,
    entries: HashSet<(i64, AuditEntryId)>,
}

impl Seen {
    fn add<'e>(&mut self, entries: impl IntoIterator<Item = &'e AuditEntry>) {
        for entry in entries {
            self.newest = self.newest.max(Some(entry.at));
            self.entries.insert((entry.at, entry.id.clone()));
        }
        if let Some(newest) = self.newest {
            let oldest = newest.saturating_sub(OVERLAP_MS);
            self.entries.retain(|(at, _)| *at >= oldest);
        }
    }

    fn has(&self, entry: &AuditEntry) -> bool {
        self.entries.contains(&(entry.at, entry.id.clone()))
    }
}

fn print_new(
    entries: &[AuditEntry],
    seen: &mut Seen,
    text: &dyn Fn(&AuditEntry) -> anyhow::Result<String>,
) -> anyhow::Result<()> {
    let new: Vec<&AuditEntry> = entries.iter().filter(|entry| !seen.has(entry)).collect();
    print(new.iter().copied(), text)?;
    seen.add(new);
    Ok(())
}

fn print<'e, I>(
    newest_first: I,
    text: &dyn Fn(&AuditEntry) -> anyhow::Result<String>,
) -> anyhow::Result<()>
where
    I: IntoIterator<Item = &'e AuditEntry>,
    I::IntoIter: DoubleEndedIterator,
{
    for entry in newest_first.into_iter().rev() {
        show(&text(entry)?)?;
    }
    Ok(())
}

/// An entry as a line of text or JSON.
pub(super) fn line(entry: &AuditEntry, json: bool, with_account: bool) -> anyhow::Result<String> {
    let line = if json {
        serde_json::to_string(entry)?
    } else {
        Row::new(entry).cells(with_account).join("  ")
    };
    Ok(format!("{line}\n"))
}
