//! Rows of each kind, and a search of each kind.

use sluice_store::{
    Conn, Result,
    events::ChannelFilter,
    logs::{self, NewLog},
    search::{self, Direction, Part},
};

use super::{events::emit, query, runs::store_runs};
use crate::support::{source_id, workflow_id};

pub(crate) fn store_one_of_each(c: &mut dyn Conn) -> Result<()> {
    emit(c, 1, "", "{}", "\"paid\"")?;
    let line = NewLog {
        invocation: None,
        ts: 1,
        kind: "console",
        level: "info",
        message: "paid",
    };
    logs::insert(c, &source_id("s"), &line)?;
    store_runs(c).map(drop)
}

/// One step of each search.
pub(crate) fn search_all(c: &mut dyn Conn, text: &str, direction: Direction) -> Result<()> {
    let (search, all) = (query(text), ChannelFilter::AllButSystem);
    search::events(c, &source_id("s"), &all, &search, &part(direction))?;
    search::logs(c, &source_id("s"), &search, &part(direction))?;
    search::runs(c, &workflow_id("a"), None, &search, &part(direction))?;
    Ok(())
}

fn part<K>(direction: Direction) -> Part<K> {
    Part {
        direction,
        from: None,
        rows: 10,
        wanted: 10,
    }
}
