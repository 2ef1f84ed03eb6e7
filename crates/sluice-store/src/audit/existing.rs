//! What there still is of the accounts and targets of entries.

use std::collections::{HashMap, HashSet};

use sluice_model::UserId;

use super::{AuditEntry, TargetKind};
use crate::{
    conn::{Conn, query_all},
    error::Result,
    id_list::{IdList, is_among},
    params,
};

/// Entries outlive the things that they name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Existing {
    /// The names of the accounts and of the named keys, by id.
    names: HashMap<String, String>,
    targets: HashSet<(TargetKind, String)>,
}

impl Existing {
    /// The present name of the account of an entry.
    pub fn account(&self, entry: &AuditEntry) -> Option<&str> {
        let user = entry.user_id.as_ref()?;
        self.names.get(user.as_str()).map(String::as_str)
    }

    /// The name of the named key that the author used.
    pub fn key(&self, entry: &AuditEntry) -> Option<&str> {
        let key = entry.actor.credential_id.as_ref()?;
        self.names.get(key).map(String::as_str)
    }

    /// Whether the target of an entry still exists. None for kinds that are not looked up.
    pub fn target(&self, entry: &AuditEntry) -> Option<bool> {
        let target = &entry.target;
        table(target.kind)?;
        Some(self.targets.contains(&(target.kind, target.id.clone())))
    }
}

/// Looks up the accounts and targets of entries.
pub fn look_up(c: &mut dyn Conn, entries: &[AuditEntry]) -> Result<Existing> {
    let mut ids: HashMap<TargetKind, HashSet<&str>> = HashMap::new();
    for entry in entries {
        let of_kind = ids.entry(entry.target.kind).or_default();
        of_kind.insert(&entry.target.id);
    }
    let mut targets = HashSet::new();
    for (kind, ids) in ids {
        if let Some(table) = table(kind) {
            let found = among(c, table, ids)?;
            targets.extend(found.into_iter().map(|id| (kind, id)));
        }
    }
    let accounts = entries.iter().filter_map(|entry| entry.user_id.as_ref());
    let accounts = accounts.map(UserId::as_str).collect();
    let keys = entries
        .iter()
        .filter_map(|entry| entry.actor.credential_id.as_deref());
    let mut names: HashMap<_, _> = named(c, "users", "username", accounts)?
        .into_iter()
        .collect();
    names.extend(named(c, "api_keys", "name", keys.collect())?);
    Ok(Existing { names, targets })
}

/// The table of a kind of targets that the console has a page for.
fn table(kind: TargetKind) -> Option<&'static str> {
    match kind {
        TargetKind::Account => Some("accounts"),
        TargetKind::App => Some("apps"),
        TargetKind::Delivery => Some("deliveries"),
        TargetKind::Key => Some("api_keys"),
        TargetKind::Session => Some("sessions"),
        TargetKind::Source => Some("sources"),
        TargetKind::User => Some("users"),
        TargetKind::Webhook => Some("webhooks"),
        TargetKind::Workflow => Some("workflows"),
        TargetKind::Component
        | TargetKind::DataStore
        | TargetKind::Import
        | TargetKind::Registry
        | TargetKind::Run
        | TargetKind::Server
        | TargetKind::Subscription
        | TargetKind::Tool => None,
    }
}

fn among(c: &mut dyn Conn, table: &str, ids: HashSet<&str>) -> Result<Vec<String>> {
    let ids: Vec<&str> = ids.into_iter().collect();
    let condition = is_among(c.dialect(), "id", "?1");
    let sql = format!("SELECT id FROM {table} WHERE {condition}");
    query_all(c, &sql, params![&IdList::new(&ids)?])
}

/// Pairs of id and name.
fn named(
    c: &mut dyn Conn,
    table: &str,
    column: &str,
    ids: HashSet<&str>,
) -> Result<Vec<(String, String)>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<&str> = ids.into_iter().collect();
    let condition = is_among(c.dialect(), "id", "?1");
    let sql = format!("SELECT id, {column} FROM {table} WHERE {condition}");
    query_all(c, &sql, params![&IdList::new(&ids)?])
}
