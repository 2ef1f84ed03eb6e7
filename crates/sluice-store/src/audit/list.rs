//! Pages of the audit log.

use sluice_model::UserId;

use super::{AuditEntry, COLUMNS};
use crate::{
    conn::{Conn, Dialect, query_all, query_one},
    error::Result,
    page::Page,
    search::contains,
    value::Value,
};

/// Sorts after every word of an action.
const AFTER_WORDS: char = '\u{7f}';

/// Which entries to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// The account. None is all accounts, for operators.
    pub user: Option<UserId>,
    /// The beginning of the action.
    pub action: Option<String>,
    /// The id or the name of the author, or the id of the named key.
    pub actor: Option<String>,
    /// The id or the name of the target.
    pub target: Option<String>,
    /// Part of the action, the author, the target or the address; letters of ASCII are found in either case.
    pub text: Option<String>,
    /// Epoch milliseconds, included.
    pub since: Option<i64>,
    /// Epoch milliseconds, included.
    pub until: Option<i64>,
}

/// The searched columns as one text.
const SEARCHED: &str = "action || ' ' || actor_name || ' ' || COALESCE(actor_id, '') || ' ' || target_name \
                        || ' ' || target_id || ' ' || COALESCE(address, '')";

/// The filter in the form of its parameters. The bounds of time are those of the page.
struct Bound {
    from_action: String,
    below_action: Option<String>,
    text: Option<String>,
}

impl Bound {
    fn new(filter: &AuditFilter) -> Bound {
        let prefix = filter.action.clone().unwrap_or_default();
        Bound {
            below_action: (!prefix.is_empty()).then(|| format!("{prefix}{AFTER_WORDS}")),
            from_action: prefix,
            text: filter.text.as_deref().map(str::to_ascii_lowercase),
        }
    }

    /// The condition, whose first parameter is `?1`. Others follow those that are there.
    fn condition<'a>(
        &'a self,
        filter: &'a AuditFilter,
        dialect: Dialect,
        params: &mut Vec<Value<'a>>,
    ) -> String {
        let mut sql = "action >= ?1".to_owned();
        let mut add = |value: Value<'a>, condition: &dyn Fn(&str) -> String| {
            params.push(value);
            let number = format!("?{}", params.len());
            sql.push_str(" AND ");
            sql.push_str(&condition(&number));
        };
        if let Some(user) = &filter.user {
            add(user.into(), &|n| format!("user_id = {n}"));
        }
        if let Some(below) = &self.below_action {
            add(below.into(), &|n| format!("action < {n}"));
        }
        if let Some(actor) = &filter.actor {
            add(actor.into(), &|n| {
                format!("(actor_id = {n} OR actor_name = {n} OR credential_id = {n})")
            });
        }
        if let Some(target) = &filter.target {
            add(target.into(), &|n| {
                format!("(target_id = {n} OR target_name = {n})")
            });
        }
        if let Some(text) = &self.text {
            add(text.into(), &|n| contains(dialect, SEARCHED, n));
        }
        sql
    }
}

/// A page of the entries that the filter admits, newest first.
pub fn page(c: &mut dyn Conn, filter: &AuditFilter, page: &Page) -> Result<Vec<AuditEntry>> {
    let bound = Bound::new(filter);
    let span = page.span(filter.since, filter.until);
    let mut params = span.params((&bound.from_action).into()).to_vec();
    let sql = format!(
        "SELECT {COLUMNS} FROM audit_log WHERE {} AND {} LIMIT ?6",
        bound.condition(filter, c.dialect(), &mut params),
        span.condition()
    );
    let mut entries: Vec<AuditEntry> = query_all(c, &sql, &params)?;
    entries.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
    Ok(entries)
}

/// How many entries [`page`] has in all.
pub fn count(c: &mut dyn Conn, filter: &AuditFilter) -> Result<u64> {
    let bound = Bound::new(filter);
    let (since, until) = (
        filter.since.unwrap_or(i64::MIN),
        filter.until.unwrap_or(i64::MAX),
    );
    let mut params = vec![Value::from(&bound.from_action), since.into(), until.into()];
    let sql = format!(
        "SELECT COUNT(*) FROM audit_log WHERE created_at >= ?2 AND created_at <= ?3 AND {}",
        bound.condition(filter, c.dialect(), &mut params)
    );
    query_one(c, &sql, &params)
}
