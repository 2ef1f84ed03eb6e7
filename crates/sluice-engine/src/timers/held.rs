//! Held events: an event that is due becomes work of its source, which stores it under a new id.

use std::collections::BTreeSet;

use serde_json::json;
use sluice_infra::Infra;
use sluice_model::{EmitterId, InvocationId};
use sluice_store::{
    StoreError,
    held_events::{self, HeldEvent},
    inbox::{self, InboxKind, NewInboxItem},
};

use crate::owner::Owners;

pub(super) async fn release_due(
    infra: &Infra,
    owners: &Owners,
    due: Vec<HeldEvent>,
) -> Result<(), StoreError> {
    if due.is_empty() {
        return Ok(());
    }
    let ids: Vec<InvocationId> = due.iter().map(|_| infra.ids.invocation()).collect();
    let emitters: BTreeSet<EmitterId> = due.iter().map(|held| held.emitter_id.clone()).collect();
    let write = infra.store.write(move |c| {
        for (held, id) in due.iter().zip(&ids) {
            if !held_events::claim(c, &held.emitter_id, held.id)? {
                continue;
            }
            let item = NewInboxItem {
                id,
                kind: InboxKind::Held,
                prop: None,
                payload: &json!(held.id).to_string(),
                accepted_at: held.due_at,
                depth: held.depth,
                reply_to: None,
            };
            inbox::insert(c, &held.emitter_id, &item)?;
        }
        Ok(())
    });
    let stored = write.await;
    // Also after an error: a commit whose reply was lost may have been kept.
    for emitter in &emitters {
        owners.wake(emitter);
    }
    stored
}
