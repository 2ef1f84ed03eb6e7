//! Recording the results of attempts on a store that fails.

use std::{
    collections::{BTreeSet, VecDeque},
    sync::Arc,
    time::Instant,
};

use parking_lot::Mutex;
use sluice_model::{EmitId, UserId};
use sluice_store::{
    BatchLimit, StoreError,
    sends::{SendKind, SendRow, outbox::SendQueue},
};

use super::fixtures::Fixture;
use crate::{
    queue_key::QueueKey,
    recording::record,
    row::{Batch, Fate, Finished},
    table::{Page, Table},
};

/// Answers writes with these results, and then with success.
struct Failing(Mutex<VecDeque<StoreError>>);

impl Table for Failing {
    type Row = SendRow;

    async fn read(&self, _: BTreeSet<EmitId>, _: BatchLimit) -> Result<Page<SendRow>, StoreError> {
        Ok(Page::empty())
    }

    async fn write(&self, _: Arc<[Finished<SendRow>]>) -> Result<(), StoreError> {
        self.0.lock().pop_front().map_or(Ok(()), Err)
    }

    fn count(&self, _: &Finished<SendRow>) {}

    fn written(&self, _: &[Finished<SendRow>]) {}
}

fn unavailable() -> StoreError {
    StoreError::Unavailable("away".to_owned())
}

/// Whether results are recorded, and the errors that the table has left.
async fn recorded(fixture: &Fixture, errors: Vec<StoreError>) -> (bool, usize) {
    let table = Arc::new(Failing(Mutex::new(errors.into())));
    let queue = QueueKey::Sends(SendQueue {
        user_id: UserId::parse("u_a").unwrap(),
        kind: SendKind::Http,
    });
    let finished = Finished {
        batch: Batch {
            rows: Vec::new(),
            peer: String::new(),
        },
        fate: Fate::Sent,
        tries: 1,
        attempted: true,
        report: None,
    };
    let infra = fixture.infra.clone();
    let recorded = record(infra, queue, Arc::clone(&table), vec![finished]).await;
    let left = table.0.lock().len();
    (recorded.stored, left)
}

#[tokio::test]
async fn an_unavailable_store_is_retried_with_pauses() {
    let fixture = Fixture::new();
    let started = Instant::now();
    let errors = vec![unavailable(), unavailable(), unavailable()];
    assert_eq!(recorded(&fixture, errors).await, (true, 0));
    let pauses = started.elapsed().as_millis();
    assert!(pauses >= 100 + 200 + 400, "{pauses} ms");
}

#[tokio::test]
async fn results_that_the_store_rejects_are_given_up() {
    let fixture = Fixture::new();
    let errors = vec![StoreError::Invalid("NUL".to_owned()), unavailable()];
    assert_eq!(recorded(&fixture, errors).await, (false, 1));
}

#[tokio::test]
async fn a_server_that_drains_does_not_wait_for_an_unavailable_store() {
    let fixture = Fixture::new();
    let shutdown = &fixture.infra.shutdown;
    assert!(shutdown.drain(std::time::Duration::from_secs(1)).await);
    let errors = vec![unavailable(), unavailable(), unavailable()];
    assert_eq!(recorded(&fixture, errors).await, (false, 2));
}
