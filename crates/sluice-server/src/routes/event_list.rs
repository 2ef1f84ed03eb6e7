//! Reads a page of events: of the newest ones, or of the matches of a search.

use sluice_api::EventSummary;
use sluice_infra::Infra;
use sluice_model::{EmitterId, EmitterKind, EventId, UserId};
use sluice_store::{
    Store, StoreError,
    events::{self, ChannelFilter, StoredEvent},
    logs::{self, StoredLog},
    routes::LOG_CHANNEL,
    search::Search,
    sources, workflows,
};

use crate::{
    error::ApiError,
    page::PageRequest,
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

/// The total count, and the events of the page, newest first.
pub(super) async fn read(
    infra: &Infra,
    user: &UserId,
    emitter: &EmitterId,
    selection: EventSelection,
) -> Result<(u64, Vec<EventSummary>), ApiError> {
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
            let (total, events) = match search {
                None => newest_events(store, emitter, filter, page).await?,
                Some(search) => find_events(store, emitter, filter, search, page).await?,
            };
            let events = events.into_iter();
            let summaries = events.map(|event| summarise(emitter, event, detail));
            Ok((total, summaries.collect::<Result<_, _>>()?))
        }
        Rows::Logs => {
            // Lines are ordered by the second part of their id.
            let page = PageRequest {
                limit: page.limit,
                after: page.after.map(|id| id.seq),
                before: page.before.map(|id| id.seq),
            };
            let (total, lines) = match search {
                None => newest_logs(store, emitter, page).await?,
                Some(search) => find_logs(store, emitter, search, page).await?,
            };
            let lines = lines.into_iter();
            Ok((
                total,
                lines.map(|line| summarise_log(emitter, line)).collect(),
            ))
        }
    }
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
        let total = events::count(c, &emitter, &filter)?;
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
        let total = logs::count(c, &emitter)?;
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
