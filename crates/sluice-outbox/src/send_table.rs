//! Sends of one user and kind, as the store has them.

use std::{collections::BTreeSet, sync::Arc};

use sluice_infra::{Infra, SendLabel};
use sluice_model::EmitId;
use sluice_store::{
    BatchLimit, StoreError,
    sends::{
        SendRow, SendState,
        outbox::{self, SendQueue},
    },
};

use crate::{
    http_response::one_line,
    row::{Fate, Finished, Row},
    table::{Page, Table},
};

impl Row for SendRow {
    type Id = EmitId;
    type Report = String;

    fn id(&self) -> EmitId {
        self.id
    }

    fn tries(&self) -> u32 {
        self.tries
    }

    fn bytes(&self) -> usize {
        self.payload.len()
    }

    fn waiting_since(&self) -> i64 {
        // Its due time is later when it was postponed.
        self.created_at
    }

    fn given_up(reason: String, _: i64) -> String {
        reason
    }
}

pub(crate) struct SendTable {
    pub(crate) infra: Infra,
    pub(crate) queue: SendQueue,
}

impl Table for SendTable {
    type Row = SendRow;

    async fn read(
        &self,
        in_hand: BTreeSet<EmitId>,
        portion: BatchLimit,
    ) -> Result<Page<SendRow>, StoreError> {
        let (queue, now) = (self.queue.clone(), self.infra.now_ms());
        let read = self.infra.store.read(move |c| {
            let rows = outbox::due(c, &queue, now, &in_hand, portion)?;
            let next_due = match rows.as_slice() {
                [] => outbox::next_due_in(c, &queue, now)?,
                _ => None,
            };
            Ok(Page {
                rows,
                next_due,
                concurrency: None,
                destination_time: None,
            })
        });
        read.await
    }

    async fn write(&self, finished: Arc<[Finished<SendRow>]>) -> Result<(), StoreError> {
        let now = self.infra.now_ms();
        let write = self.infra.store.write(move |c| {
            for finished in finished.iter() {
                for row in &finished.batch.rows {
                    match finished.fate {
                        Fate::Postponed { due_at } => outbox::postpone(c, &row.id, due_at, now)?,
                        _ => outbox::record(c, &updated(row, finished, now))?,
                    }
                }
            }
            Ok(())
        });
        write.await
    }

    fn count(&self, finished: &Finished<SendRow>) {
        let result = match finished.fate {
            Fate::Sent => "sent",
            Fate::Failed | Fate::Gone => "failed",
            Fate::Retry { .. } | Fate::StillDue | Fate::Postponed { .. } => "retried",
        };
        let kind = self.queue.kind.as_str();
        let counter = self
            .infra
            .metrics
            .sends
            .get_or_create_owned(&SendLabel { kind, result });
        counter.inc_by(finished.batch.rows.len() as u64);
    }

    fn written(&self, _: &[Finished<SendRow>]) {}
}

/// A row after an attempt. The rows of a batch have the same state, and stay together when they are retried.
fn updated(row: &SendRow, finished: &Finished<SendRow>, now: i64) -> SendRow {
    let (state, due_at) = match finished.fate {
        Fate::Sent => (SendState::Sent, None),
        Fate::Failed | Fate::Gone => (SendState::Failed, None),
        Fate::Retry { due_at } | Fate::Postponed { due_at } => (SendState::Pending, Some(due_at)),
        Fate::StillDue => (SendState::Pending, row.due_at),
    };
    SendRow {
        state,
        due_at,
        tries: finished.tries,
        result: finished.report.as_deref().map(one_line),
        updated_at: now,
        payload: String::new(),
        ..row.clone()
    }
}
