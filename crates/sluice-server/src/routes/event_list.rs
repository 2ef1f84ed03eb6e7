//! Reads a page of events: of the newest ones, or of the matches of a search.

use sluice_api::{EventSummary, List};
use sluice_infra::Infra;
use sluice_model::{EmitterId, EmitterKind, EventId, UserId};
use sluice_store::{
    Store, StoreError,
    events::{self, ChannelFilter, StoredEvent},
    kept_rows,
    logs::{self, StoredLog, event_id},
    routes::LOG_CHANNEL,
    search::{Matches, Search},
    sources, workflows,
};

use crate::{
    error::ApiError,
    page::{self, PageRequest},
    routes::{
        event_parameters::channel_filter,
        event_search::{find_events, find_logs},
        log_summary::summarise_log,
        summary::{Detail, summarise},
    },
};

/// How many of the newest events are listed without a search.
const MAX_LISTED: u32 = 100;

/// The selected page of events of a source or a workflow.
pub(super) struct EventSelection {
    pub(super) rows: Rows,
    pub(super) page: PageRequest<EventId>,
    pub(super) search: Option<Search>,
    pub(super) detail: Detail,
}

/// Log lines are the events of the channel `$logs`. They are stored separately.
pub(super) enum Rows {
    Events(ChannelFilter),
    Logs,
}

impl Rows {
    pub(super) fn parse(event_name: Option<String>) -> Result<Rows, ApiError> {
        if event_name.as_deref() == Some(LOG_CHANNEL) {
            return Ok(Rows::Logs);
        }
        channel_filter(event_name).map(Rows::Events)
    }
}

/// A page of events, newest first.
pub(super) async fn read(
    infra: &Infra,
    user: &UserId,
    emitter: &EmitterId,
    selection: EventSelection,
) -> Result<List<EventSummary>, ApiError> {
    let EventSelection {
        rows,
        page,
        search,
        detail,
    } = selection;
    must_exist(infra, user, emitter).await?;
    let store = &infra.store;
    match rows {
        Rows::Events(filter) => {
            let summaries = |events: Vec<StoredEvent>| {
                let events = events.into_iter();
                let summaries = events.map(|event| summarise(emitter, event, detail));
                summaries.collect::<Result<Vec<_>, _>>()
            };
            match search {
                None => {
                    let (total, events) = newest_events(store, emitter, filter, page).await?;
                    Ok(page::list(total, summaries(events)?, cursor))
                }
                Some(search) => {
                    let Matches { rows, searched_to } =
                        find_events(store, emitter, filter, search, page).await?;
                    let searched_to = searched_to.map(|id| id.to_string());
                    Ok(page::matches(summaries(rows)?, searched_to, cursor))
                }
            }
        }
        Rows::Logs => log_lines(store, emitter, search, page).await,
    }
}

async fn log_lines(
    store: &Store,
    emitter: &EmitterId,
    search: Option<Search>,
    page: PageRequest<EventId>,
) -> Result<List<EventSummary>, ApiError> {
    // Lines are ordered by the second part of their id.
    let page = PageRequest {
        limit: page.limit,
        after: page.after.map(|id| id.seq),
        before: page.before.map(|id| id.seq),
    };
    let summaries = |lines: Vec<StoredLog>| {
        let lines = lines.into_iter();
        lines.map(|line| summarise_log(emitter, line)).collect()
    };
    match search {
        None => {
            let (total, lines) = newest_logs(store, emitter, page).await?;
            Ok(page::list(total, summaries(lines), cursor))
        }
        Some(search) => {
            let Matches { rows, searched_to } = find_logs(store, emitter, search, page).await?;
            let searched_to = searched_to.map(|seq| event_id(0, seq).to_string());
            Ok(page::matches(summaries(rows), searched_to, cursor))
        }
    }
}

fn cursor(summary: &EventSummary) -> String {
    summary.id.to_string()
}

/// An error unless the emitter exists and belongs to the user.
pub(super) async fn must_exist(
    infra: &Infra,
    user: &UserId,
    emitter: &EmitterId,
) -> Result<(), ApiError> {
    let (owner, id) = (user.clone(), emitter.clone());
    let missing = infra.store.read(move |c| {
        Ok(match id.kind() {
            EmitterKind::Source(id) => sources::get(c, &owner, &id)?.is_none().then_some("source"),
            EmitterKind::Workflow(id) => workflows::get(c, &owner, &id)?
                .is_none()
                .then_some("workflow"),
        })
    });
    match missing.await? {
        Some(what) => Err(ApiError::NotFound(what)),
        None => Ok(()),
    }
}

async fn newest_events(
    store: &Store,
    emitter: &EmitterId,
    filter: ChannelFilter,
    page: PageRequest<EventId>,
) -> Result<(u64, Vec<StoredEvent>), StoreError> {
    let emitter = emitter.clone();
    let read = store.read(move |c| {
        let total = events::known_count(c, &emitter, &filter)?;
        let beyond = if page.is_first() {
            None
        } else {
            events::id_behind(c, &emitter, &filter, MAX_LISTED)?
        };
        let (after, before) = (page.after, page.before.max(beyond));
        let rows = events::newest(c, &emitter, &filter, page.limit, after, before)?;
        Ok((total, rows))
    });
    read.await
}

async fn newest_logs(
    store: &Store,
    emitter: &EmitterId,
    page: PageRequest<i64>,
) -> Result<(u64, Vec<StoredLog>), StoreError> {
    let emitter = emitter.clone();
    let read = store.read(move |c| {
        let total = kept_rows::logs(c, &emitter)?;
        let beyond = if page.is_first() {
            None
        } else {
            logs::seq_behind(c, &emitter, MAX_LISTED.into())?
        };
        let before = page.before.max(beyond);
        let rows = logs::page(c, &emitter, page.limit, page.after, before)?;
        Ok((total, rows))
    });
    read.await
}
