//! What sources and workflows have in common in lists and in comparison with one another.

use sluice_model::{EmitterId, EmitterKind, UserId};

use crate::{
    conn::{Conn, Dialect, query_all, query_opt},
    error::Result,
    params,
    row::{FromRow, Row},
    search::contains,
    value::Value,
};

/// Which of a user's sources, or workflows, to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EmitterFilter {
    text: Option<String>,
    state: Option<EmitterState>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmitterState {
    Active,
    Inactive,
    /// Something in it has failed since the beginning of an hour.
    Failing {
        since: i64,
    },
}

impl EmitterFilter {
    /// `text` is part of the name or the slug; letters of ASCII are found in either case.
    pub fn new(text: Option<&str>, state: Option<EmitterState>) -> EmitterFilter {
        EmitterFilter {
            text: text.map(str::to_ascii_lowercase),
            state,
        }
    }

    /// Further conditions on rows of `table`, whose parameters follow those that are there.
    pub(crate) fn conditions<'a>(
        &'a self,
        dialect: Dialect,
        table: &str,
        params: &mut Vec<Value<'a>>,
    ) -> String {
        let in_text = self.text.as_ref().map(|text| {
            params.push(text.into());
            let needle = format!("?{}", params.len());
            let in_name = contains(dialect, "name", &needle);
            let in_slug = contains(dialect, "name_slug", &needle);
            format!(" AND ({in_name} OR {in_slug})")
        });
        let in_state = self.state.map(|state| match state {
            EmitterState::Active => " AND active".to_owned(),
            EmitterState::Inactive => " AND NOT active".to_owned(),
            EmitterState::Failing { since } => {
                params.push(since.into());
                format!(
                    " AND EXISTS (SELECT 1 FROM activity a WHERE a.emitter_id = {table}.id \
                     AND a.hour >= ?{} AND a.errors > 0)",
                    params.len()
                )
            }
        });
        in_text.unwrap_or_default() + &in_state.unwrap_or_default()
    }
}

/// How a source or a workflow has fared since some hour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    pub id: EmitterId,
    pub active: bool,
    pub events: u64,
    pub errors: u64,
}

impl FromRow for Standing {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Standing {
            id: row.get(0)?,
            active: row.get(1)?,
            events: row.get(2)?,
            errors: row.get(3)?,
        })
    }
}

/// All of a user's live sources, with what happened in them from the hour `since` on.
pub fn sources(c: &mut dyn Conn, user: &UserId, since: i64) -> Result<Vec<Standing>> {
    standings(
        c,
        "sources e WHERE e.phase = 'live' AND e.user_id = ?1",
        user,
        since,
    )
}

/// As [`sources`], for workflows.
pub fn workflows(c: &mut dyn Conn, user: &UserId, since: i64) -> Result<Vec<Standing>> {
    standings(c, "workflows e WHERE e.user_id = ?1", user, since)
}

/// The sums are looked up one by one: a join would sort what it joins, which takes three times as long.
fn standings(c: &mut dyn Conn, which: &str, user: &UserId, since: i64) -> Result<Vec<Standing>> {
    let sum = |what: &str| {
        format!(
            "(SELECT CAST(COALESCE(SUM(a.{what}), 0) AS BIGINT) FROM activity a \
             WHERE a.emitter_id = e.id AND a.hour >= ?2 AND a.{what} > 0)"
        )
    };
    let sql = format!(
        "SELECT e.id, e.active, {}, {} FROM {which}",
        sum("events"),
        sum("errors")
    );
    query_all(c, &sql, params![user, since])
}

/// What people call a source or a workflow, and its user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    pub name: String,
    pub username: String,
}

impl FromRow for Named {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Named {
            name: row.get(0)?,
            username: row.get(1)?,
        })
    }
}

/// Whoever's it is: for the operator.
pub fn named(c: &mut dyn Conn, emitter: &EmitterId) -> Result<Option<Named>> {
    let table = match emitter.kind() {
        EmitterKind::Source(_) => "sources",
        EmitterKind::Workflow(_) => "workflows",
    };
    let sql = format!(
        "SELECT e.name, u.username FROM {table} e JOIN users u ON u.id = e.user_id WHERE e.id = ?1"
    );
    query_opt(c, &sql, params![emitter])
}
