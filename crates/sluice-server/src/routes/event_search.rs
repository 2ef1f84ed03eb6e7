//! Searches the stored events or log lines of an emitter.

use sluice_model::{EmitterId, EventId};
use sluice_store::{
    Store, StoreError,
    events::{ChannelFilter, StoredEvent},
    logs::StoredLog,
    search::{self, Matches, Range, Search},
};

use super::search_parameters::BUDGET;
use crate::page::PageRequest;

pub(super) async fn find_events(
    store: &Store,
    emitter: &EmitterId,
    filter: ChannelFilter,
    search: Search,
    page: PageRequest<EventId>,
) -> Result<Matches<EventId, StoredEvent>, StoreError> {
    let emitter = emitter.clone();
    search::scan(store, range(page), BUDGET, move |c, part| {
        search::events(c, &emitter, &filter, &search, part)
    })
    .await
}

pub(super) async fn find_logs(
    store: &Store,
    emitter: &EmitterId,
    search: Search,
    page: PageRequest<i64>,
) -> Result<Matches<i64, StoredLog>, StoreError> {
    let emitter = emitter.clone();
    search::scan(store, range(page), BUDGET, move |c, part| {
        search::logs(c, &emitter, &search, part)
    })
    .await
}

fn range<K>(page: PageRequest<K>) -> Range<K> {
    let PageRequest {
        limit,
        after,
        before,
    } = page;
    Range {
        limit,
        after,
        before,
    }
}
