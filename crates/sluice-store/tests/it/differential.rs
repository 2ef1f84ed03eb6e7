//! The same random operations on both databases must have the same results.

mod operations;

use proptest::{
    collection::vec,
    prop_assert_eq,
    test_runner::{Config, TestRunner},
};
use sluice_store::StoreError;

use self::operations::{Operation, operation};
use crate::support::{Db, TestStore};

/// The kind of an error must agree; its words are the database's own.
fn outcome(t: &TestStore, operation: &Operation) -> String {
    let run = operation.run();
    match t.write(move |c| run(c)) {
        Ok(seen) => seen,
        Err(StoreError::Conflict(_)) => "conflict".to_owned(),
        Err(StoreError::Invalid(_)) => "invalid".to_owned(),
        Err(other) => panic!("{operation:?}: {other:?}"),
    }
}

fn clear(t: &TestStore) {
    t.write(|c| {
        for table in [
            "usage",
            "sources",
            "timers",
            "kv",
            "inbox",
            "events",
            "logs",
            "data_stores",
            "data_store_entries",
        ] {
            c.execute(&format!("DELETE FROM {table}"), &[])?;
        }
        Ok(())
    })
    .unwrap();
}

#[test]
fn both_databases_behave_alike() {
    let (Some(sqlite), Some(postgres)) = (TestStore::new(Db::Sqlite), TestStore::new(Db::Postgres))
    else {
        return;
    };
    let config = Config {
        cases: 40,
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new(config)
        .run(&vec(operation(), 1..120), |operations| {
            clear(&sqlite);
            clear(&postgres);
            for operation in &operations {
                let (left, right) = (outcome(&sqlite, operation), outcome(&postgres, operation));
                prop_assert_eq!(left, right, "{:?}", operation);
            }
            Ok(())
        })
        .unwrap();
}
