//! Held events: an event that is due becomes work of its source, which stores it under a new id.

use std::collections::BTreeSet;

use serde_json::json;
use sluice_infra::{Ids, Infra};
use sluice_model::EmitterId;
use sluice_store::{
    Conn, StoreError,
    held_events::{self, HeldEvent},
    inbox::{self, InboxKind, NewInboxItem},
};

use super::batch::BATCH;
use crate::owner::Owners;

/// Releases events that are due. Returns how many there were.
pub(super) async fn release_due(
    infra: &Infra,
    owners: &Owners,
    due: Vec<HeldEvent>,
) -> Result<usize, StoreError> {
    if due.is_empty() {
        return Ok(0);
    }
    let (ids, now_ms) = (infra.ids.clone(), infra.now_ms());
    let stored = infra.store.write(move |c| release(c, &ids, now_ms)).await;
    // After an error all of them: a commit whose reply was lost may have been kept.
    let released = stored.as_deref().unwrap_or(&due).iter();
    let emitters: BTreeSet<&EmitterId> = released.map(|held| &held.emitter_id).collect();
    for emitter in emitters {
        owners.wake(emitter);
    }
    stored.map(|released| released.len())
}

fn release(c: &mut dyn Conn, ids: &Ids, now_ms: i64) -> Result<Vec<HeldEvent>, StoreError> {
    let due = held_events::take_due(c, now_ms, BATCH)?;
    for held in &due {
        let item = NewInboxItem {
            id: &ids.invocation(),
            kind: InboxKind::Held,
            prop: None,
            payload: &json!(held.id).to_string(),
            accepted_at: held.due_at,
            depth: held.depth,
            reply_to: None,
            trace: None,
        };
        inbox::insert_all(c, std::iter::once((&held.emitter_id, item)))?;
    }
    Ok(due)
}
