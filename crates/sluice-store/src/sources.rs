//! Sources: deployed components.

use serde_json::{Map, Value as Json};
use sluice_model::{ComponentId, PropDef, SourceId, UserId};

use crate::{
    conn::{Conn, query_all, query_one, query_opt},
    count_ledger,
    emitters::EmitterFilter,
    error::Result,
    nodes,
    page::Page,
    params,
    row::{FromRow, Row, to_json},
    state,
    text_enum::text_enum,
    value::Value,
};

/// Where a source is in its life. There is no phase for the end: a removed source has no row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Its hooks are running; users do not see it yet. One left over from a crash is removed.
    Creating,
    Live,
}

text_enum!(Phase {
    Creating = "creating",
    Live = "live",
});

/// The retention limits of a source. A missing limit is that of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Retention {
    pub max_events: Option<u32>,
    pub max_age_seconds: Option<u32>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    pub id: SourceId,
    pub user_id: UserId,
    pub component_id: ComponentId,
    pub name: String,
    /// Unique for each user.
    pub name_slug: String,
    pub phase: Phase,
    pub active: bool,
    pub configured_props: Map<String, Json>,
    /// The props that its component's `additionalProps` declared for these values.
    pub dynamic_props: Vec<PropDef>,
    pub retention: Retention,
    /// The number of the version that it runs, the newest.
    pub version: u32,
    pub created_at: i64,
    pub updated_at: i64,
}

const SELECT: &str = "SELECT id, user_id, component_id, name, name_slug, phase, active, \
     configured_props, created_at, updated_at, dynamic_props, max_events, max_age_seconds, \
     version FROM sources";

impl FromRow for Source {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Source {
            id: row.get(0)?,
            user_id: row.get(1)?,
            component_id: row.get(2)?,
            name: row.get(3)?,
            name_slug: row.get(4)?,
            phase: row.get(5)?,
            active: row.get(6)?,
            configured_props: row.json(7)?,
            created_at: row.get(8)?,
            updated_at: row.get(9)?,
            dynamic_props: row.json(10)?,
            retention: Retention {
                max_events: row.get(11)?,
                max_age_seconds: row.get(12)?,
            },
            version: row.get(13)?,
        })
    }
}

/// Conflicts on the id and on the user's slug.
pub fn insert(c: &mut dyn Conn, source: &Source) -> Result<()> {
    let Source {
        id,
        user_id,
        component_id,
        name,
        name_slug,
        phase,
        active,
        configured_props,
        dynamic_props,
        retention,
        version,
        created_at,
        updated_at,
    } = source;
    c.execute(
        "INSERT INTO sources (id, user_id, component_id, name, name_slug, phase, active, \
         configured_props, created_at, updated_at, dynamic_props, max_events, max_age_seconds, \
         version) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
        params![
            id,
            user_id,
            component_id,
            name,
            name_slug,
            *phase,
            *active,
            &to_json(configured_props)?,
            *created_at,
            *updated_at,
            &to_json(dynamic_props)?,
            retention.max_events,
            retention.max_age_seconds,
            *version
        ],
    )?;
    state::insert(c, id)
}

/// The user's source, once it is live.
pub fn get(c: &mut dyn Conn, user: &UserId, id: &SourceId) -> Result<Option<Source>> {
    let sql = format!("{SELECT} WHERE id = ?1 AND user_id = ?2 AND phase = 'live'");
    query_opt(c, &sql, params![id, user])
}

/// Whether the user has it, live. If so, it is locked until the transaction ends.
pub fn hold(c: &mut dyn Conn, user: &UserId, id: &SourceId) -> Result<bool> {
    // The lock that both databases have.
    let held = c.execute(
        "UPDATE sources SET id = id WHERE id = ?1 AND user_id = ?2 AND phase = 'live'",
        params![id, user],
    )?;
    Ok(held == 1)
}

/// A source of any user, in any phase: for its owner in the engine.
pub fn get_for_run(c: &mut dyn Conn, id: &SourceId) -> Result<Option<Source>> {
    query_opt(c, &format!("{SELECT} WHERE id = ?1"), params![id])
}

/// The live source with this slug.
pub fn by_slug(c: &mut dyn Conn, user: &UserId, slug: &str) -> Result<Option<Source>> {
    let sql = format!("{SELECT} WHERE user_id = ?1 AND name_slug = ?2 AND phase = 'live'");
    query_opt(c, &sql, params![user, slug])
}

/// Whether the user has a source with this slug, in any phase.
pub fn slug_taken(c: &mut dyn Conn, user: &UserId, slug: &str) -> Result<bool> {
    query_one(
        c,
        "SELECT EXISTS (SELECT 1 FROM sources WHERE user_id = ?1 AND name_slug = ?2)",
        params![user, slug],
    )
}

/// The user's live sources that the filter admits, newest first.
pub fn list(
    c: &mut dyn Conn,
    user: &UserId,
    filter: &EmitterFilter,
    page: &Page,
) -> Result<Vec<Source>> {
    let mut params = page.params(Value::from(user)).to_vec();
    let sql = format!(
        "{SELECT} WHERE user_id = ?1 AND phase = 'live'{} AND {} LIMIT ?6",
        filter.conditions(c.dialect(), "sources", &mut params),
        page.condition()
    );
    let mut sources: Vec<Source> = query_all(c, &sql, &params)?;
    sources.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
    Ok(sources)
}

/// How many sources [`list`] has in all.
pub fn count(c: &mut dyn Conn, user: &UserId, filter: &EmitterFilter) -> Result<u64> {
    let mut params = vec![Value::from(user)];
    let sql = format!(
        "SELECT COUNT(*) FROM sources WHERE user_id = ?1 AND phase = 'live'{}",
        filter.conditions(c.dialect(), "sources", &mut params)
    );
    query_one(c, &sql, &params)
}

/// Saves all fields of a source that can change. Returns whether it existed. Conflicts on the
/// user's slug.
pub fn update(c: &mut dyn Conn, source: &Source) -> Result<bool> {
    let Source {
        id,
        user_id,
        component_id,
        name,
        name_slug,
        phase,
        active,
        configured_props,
        dynamic_props,
        retention,
        version,
        created_at: _,
        updated_at,
    } = source;
    let updated = c.execute(
        "UPDATE sources SET component_id = ?3, name = ?4, name_slug = ?5, phase = ?6, \
         active = ?7, configured_props = ?8, updated_at = ?9, dynamic_props = ?10, \
         max_events = ?11, max_age_seconds = ?12, version = ?13 WHERE id = ?1 AND user_id = ?2",
        params![
            id,
            user_id,
            component_id,
            name,
            name_slug,
            *phase,
            *active,
            &to_json(configured_props)?,
            *updated_at,
            &to_json(dynamic_props)?,
            retention.max_events,
            retention.max_age_seconds,
            *version
        ],
    )?;
    state::definition_changed(c, id)?;
    Ok(updated == 1)
}

/// Ends the creation of a source. Returns whether it existed.
pub fn set_live(c: &mut dyn Conn, id: &SourceId) -> Result<bool> {
    let updated = c.execute(
        "UPDATE sources SET phase = 'live' WHERE id = ?1",
        params![id],
    )?;
    Ok(updated == 1)
}

/// Removes a source and all its rows. Returns whether it existed.
pub fn remove(c: &mut dyn Conn, id: &SourceId) -> Result<bool> {
    // The row first: this waits for a transaction that locks it to add a subscription, and then sees that.
    let removed = c.execute("DELETE FROM sources WHERE id = ?1", params![id])?;
    count_ledger::forget_emitter(c, id)?;
    for belongings in [
        // First: a commit in progress ends before, and there is none after.
        "DELETE FROM emitter_state WHERE emitter_id = ?1",
        "DELETE FROM source_versions WHERE source_id = ?1",
        "DELETE FROM endpoints WHERE emitter_id = ?1",
        "DELETE FROM timers WHERE emitter_id = ?1",
        "DELETE FROM kv WHERE emitter_id = ?1",
        "DELETE FROM inbox WHERE emitter_id = ?1",
        "DELETE FROM uploads WHERE emitter_id = ?1",
        // As deletions of a range do.
        "DELETE FROM held_events WHERE emitter_id = ?1",
        "DELETE FROM events WHERE emitter_id = ?1",
        "DELETE FROM logs WHERE emitter_id = ?1",
        "DELETE FROM event_replays WHERE emitter_id = ?1",
        "DELETE FROM last_requests WHERE emitter_id = ?1",
        "DELETE FROM saved_events WHERE emitter_id = ?1",
        "DELETE FROM subscriptions WHERE emitter_id = ?1",
        "DELETE FROM subscriptions WHERE listener_id = ?1",
        "DELETE FROM activity WHERE emitter_id = ?1",
        "DELETE FROM subject_health WHERE subject_id = ?1",
        // Last, as in all other transactions: two that lock rows in different orders end in a deadlock.
        "DELETE FROM kept_rows WHERE emitter_id = ?1",
    ] {
        c.execute(belongings, params![id])?;
    }
    Ok(removed == 1)
}

/// Sources of all users that are not live yet, and that no other node that is alive has claimed. Right after the start of a node,
/// these are left from a crash.
pub fn abandoned(c: &mut dyn Conn, node: &str) -> Result<Vec<SourceId>> {
    let sql = format!(
        "SELECT s.id FROM sources s JOIN emitter_state e ON e.emitter_id = s.id \
         WHERE s.phase = 'creating' AND {} ORDER BY s.id",
        nodes::is_free(c.dialect(), "e.owner", "?1", "?2")
    );
    query_all(c, &sql, params![node, true])
}
