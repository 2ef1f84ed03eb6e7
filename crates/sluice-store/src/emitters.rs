//! Queries over sources and workflows alike.

use std::collections::HashMap;

use sluice_model::{EmitterId, UserId};

use crate::{
    conn::{Conn, Dialect, query_all},
    error::Result,
    id_list::{IdList, ids_in},
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
                let since = params.len();
                format!(
                    " AND (EXISTS (SELECT 1 FROM activity a WHERE a.emitter_id = {table}.id \
                     AND a.hour >= ?{since} AND a.errors > 0) OR {table}.id IN \
                     (SELECT emitter_id FROM count_ledger WHERE hour >= ?{since} AND errors > 0))"
                )
            }
        });
        in_text.unwrap_or_default() + &in_state.unwrap_or_default()
    }
}

/// The activity of a source or a workflow since some hour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmitterActivity {
    pub id: EmitterId,
    pub events: u64,
    pub errors: u64,
}

impl FromRow for EmitterActivity {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(EmitterActivity {
            id: row.get(0)?,
            events: row.get(1)?,
            errors: row.get(2)?,
        })
    }
}

/// The user's live sources in which something happened from the hour `since` on.
pub fn sources(c: &mut dyn Conn, user: &UserId, since: i64) -> Result<Vec<EmitterActivity>> {
    let live = "SELECT id FROM sources WHERE user_id = ?1 AND phase = 'live'";
    activity(c, live, user, since)
}

/// As [`sources`], for workflows.
pub fn workflows(c: &mut dyn Conn, user: &UserId, since: i64) -> Result<Vec<EmitterActivity>> {
    activity(
        c,
        "SELECT id FROM workflows WHERE user_id = ?1 AND NOT internal",
        user,
        since,
    )
}

/// Not a sum looked up for each, which PostgreSQL takes three times as long for when there are many, nor a join, which SQLite
/// would sort.
fn activity(
    c: &mut dyn Conn,
    which: &str,
    user: &UserId,
    since: i64,
) -> Result<Vec<EmitterActivity>> {
    let sql = format!(
        "SELECT emitter_id, CAST(SUM(events) AS BIGINT), CAST(SUM(errors) AS BIGINT) \
         FROM activity_counts WHERE emitter_id IN ({which}) AND hour >= ?2 GROUP BY emitter_id"
    );
    query_all(c, &sql, params![user, since])
}

/// The name of a source or a workflow, and its user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmitterName {
    pub name: String,
    pub name_slug: String,
    pub username: String,
}

impl FromRow for (EmitterId, EmitterName) {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        let named = EmitterName {
            name: row.get(1)?,
            name_slug: row.get(2)?,
            username: row.get(3)?,
        };
        Ok((row.get(0)?, named))
    }
}

/// The emitters with these ids that exist, of any user.
pub fn names(c: &mut dyn Conn, emitters: &[EmitterId]) -> Result<HashMap<EmitterId, EmitterName>> {
    let ids = IdList::new(emitters)?;
    let among = ids_in(c.dialect(), "?1");
    let of = |table: &str| {
        format!(
            "SELECT e.id, e.name, e.name_slug, u.username FROM {table} e \
             JOIN users u ON u.id = e.user_id WHERE e.id IN {among}"
        )
    };
    let sql = format!("{} UNION ALL {}", of("sources"), of("workflows"));
    let named: Vec<(EmitterId, EmitterName)> = query_all(c, &sql, params![&ids])?;
    Ok(named.into_iter().collect())
}
