//! Successes in the journal of a node that ended, while other nodes went on.

use std::{fs, path::Path};

use sluice_model::DeliveryId;
use sluice_store::{deliveries::Attempt, query_all};

use super::fixtures::{Fixture, NOW};
use crate::journal::{Journal, JournalCopy};

fn files(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}

#[tokio::test]
async fn a_journal_changes_nothing_that_another_node_did_meanwhile() {
    let fixture = Fixture::new();
    fixture.webhook("http://127.0.0.1/", 5, NOW).await;
    let sql = "SELECT id FROM deliveries ORDER BY id";
    let read = fixture.infra.store.read(|c| query_all(c, sql, &[]));
    let ids: Vec<DeliveryId> = read.await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::open(folder.path());
    for id in &ids {
        let attempt = Attempt {
            at: NOW,
            status: Some(200),
            latency_ms: 1,
            response: None,
            error: None,
        };
        assert!(journal.note(id, &attempt).is_some());
    }
    drop(journal);

    // The last one is as the node left it.
    fixture
        .write(move |c| {
            for (id, change) in ids.iter().zip([
                "UPDATE deliveries SET state = 'delivered', due_at = NULL, tries = 2",
                "UPDATE deliveries SET state = 'failed', due_at = NULL, tries = 3",
                "UPDATE deliveries SET due_at = 1700000005000, tries = 4",
                "DELETE FROM deliveries",
            ]) {
                let sql = format!("{change} WHERE id = '{id}'");
                c.execute(&sql, &[])?;
            }
            Ok(())
        })
        .await;
    assert_eq!(files(folder.path()), 1);
    let journal = Journal::open(folder.path());
    let copy = JournalCopy::open(folder.path()).unwrap().read().unwrap();
    journal.record_leftover(&fixture.infra).await.unwrap();
    let states = [
        ("delivered", 2),
        ("failed", 3),
        ("pending", 4),
        ("delivered", 1),
    ];
    let states = states.map(|(state, tries)| (state.to_owned(), tries));
    assert_eq!(fixture.states("deliveries").await, states);
    assert_eq!(files(folder.path()), 0);

    // A copy in a backup says the same.
    fixture
        .write(move |c| JournalCopy::record(c, &copy, NOW))
        .await;
    assert_eq!(fixture.states("deliveries").await, states);
}
