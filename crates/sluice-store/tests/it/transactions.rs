//! Guarantees of a transaction.

use std::{sync::mpsc, time::Duration};

use rstest::rstest;
use sluice_store::{Conn, Result, StoreError, kv, params, query_one, users};
use tokio::task::JoinSet;

use crate::support::{Db, TestStore, source_id, user, write_together};

fn set(c: &mut dyn Conn, key: &str) -> Result<()> {
    kv::set(c, &source_id("s"), key, "1")
}

fn keys(t: &TestStore) -> Vec<String> {
    let pairs = t.read(|c| kv::load_all(c, &source_id("s"))).unwrap();
    pairs.into_iter().map(|(key, _)| key).collect()
}

#[rstest]
fn an_error_undoes_everything(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    let result: Result<()> = t.write(|c| {
        set(c, "a")?;
        Err(StoreError::Internal("no".to_owned()))
    });
    assert_eq!(result, Err(StoreError::Internal("no".to_owned())));
    assert_eq!(keys(&t), Vec::<String>::new());
}

#[rstest]
fn one_failing_write_leaves_the_others_of_its_group(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    let results = write_together(
        &t,
        vec![
            Box::new(|c| set(c, "a")),
            Box::new(|c| {
                set(c, "b")?;
                Err(StoreError::Internal("no".to_owned()))
            }),
            Box::new(|c| {
                set(c, "c")?;
                panic!("at the disco")
            }),
            Box::new(|c| set(c, "d")),
        ],
    );
    assert_eq!(results[0], Ok(()));
    assert_eq!(results[1], Err(StoreError::Internal("no".to_owned())));
    let panicked = StoreError::Internal("a job panicked: at the disco".to_owned());
    assert_eq!(results[2], Err(panicked));
    assert_eq!(results[3], Ok(()));
    assert_eq!(keys(&t), ["a", "d"]);
}

#[rstest]
fn a_panicking_read_is_an_error_and_the_next_works(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    for _ in 0..5 {
        let result: Result<()> = t.read(|c| panic!("{}", users::count(c)?));
        assert!(matches!(result, Err(StoreError::Internal(_))), "{result:?}");
    }
    assert_eq!(t.read(users::count), Ok(0));
}

#[rstest]
fn a_swallowed_error_still_fails_the_transaction(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| users::insert(c, &user("a"), "f")).unwrap();
    let result = t.write(|c| {
        set(c, "before")?;
        let refused = users::insert(c, &user("a"), "f");
        assert!(matches!(refused, Err(StoreError::Conflict(_))));
        let after = set(c, "after");
        assert!(matches!(after, Err(StoreError::Conflict(_))));
        Ok(())
    });
    assert!(matches!(result, Err(StoreError::Conflict(_))), "{result:?}");
    assert_eq!(keys(&t), Vec::<String>::new());
}

#[rstest]
fn text_with_nul_is_invalid(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    let result = t.write(|c| set(c, "a\0b"));
    assert!(matches!(result, Err(StoreError::Invalid(_))), "{result:?}");
    let result = t.read(|c| users::by_fingerprint(c, "\0"));
    assert!(matches!(result, Err(StoreError::Invalid(_))), "{result:?}");
}

#[rstest]
fn bad_sql_is_an_internal_error(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    let result = t.write(|c| c.execute("NONSENSE", &[]));
    assert!(matches!(result, Err(StoreError::Internal(_))), "{result:?}");
    assert_eq!(t.read(users::count), Ok(0));
}

#[rstest]
fn a_read_cannot_write(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    assert!(t.read(|c| set(c, "a")).is_err());
    assert_eq!(keys(&t), Vec::<String>::new());
}

#[rstest]
fn a_read_sees_one_snapshot(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    let (looked, first_look) = mpsc::channel();
    let (wrote, write_done) = mpsc::channel();
    t.runtime.block_on(async {
        let store = t.store.clone();
        let reading = tokio::spawn(async move {
            let two_looks = store.read(move |c| {
                let first = kv::load_all(c, &source_id("s"))?.len();
                looked.send(()).unwrap();
                write_done.recv().unwrap();
                Ok((first, kv::load_all(c, &source_id("s"))?.len()))
            });
            two_looks.await
        });
        tokio::task::yield_now().await;
        first_look.recv().unwrap();
        t.store.write(|c| set(c, "a")).await.unwrap();
        wrote.send(()).unwrap();
        assert_eq!(reading.await.unwrap(), Ok((0, 0)));
    });
    assert_eq!(keys(&t), ["a"]);
}

#[rstest]
fn an_answered_write_is_there_after_a_restart(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| set(c, "a")).unwrap();
    let t = t.reopen();
    assert_eq!(keys(&t), ["a"]);
}

#[rstest]
fn a_write_is_done_though_its_caller_went_away(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.runtime.block_on(async {
        let store = t.store.clone();
        let caller = tokio::spawn(async move { store.write(|c| set(c, "a")).await });
        tokio::task::yield_now().await;
        caller.abort();
    });
    let t = t.reopen();
    assert_eq!(keys(&t), ["a"]);
}

#[rstest]
fn a_closed_store_finishes_its_work_and_takes_no_more(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| set(c, "a")).unwrap();
    t.store.close();
    let result = t.write(|c| set(c, "b"));
    assert!(
        matches!(result, Err(StoreError::Unavailable(_))),
        "{result:?}"
    );
    t.store.close();
    let t = t.reopen();
    assert_eq!(keys(&t), ["a"]);
}

#[rstest]
fn a_job_may_own_the_last_handle(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    let TestStore {
        store,
        runtime,
        place,
    } = t;
    let (release, alone) = mpsc::channel::<()>();
    let (finish, finished) = mpsc::channel();
    runtime.block_on(async {
        tokio::spawn(async move {
            let last = store.clone();
            let work = move |c: &mut dyn Conn| {
                alone.recv().unwrap();
                drop(last);
                finish.send(()).unwrap();
                set(c, "a")
            };
            store.write(work).await
        });
        tokio::task::yield_now().await;
    });
    drop(runtime);
    release.send(()).unwrap();
    // Would never come if the thread waited for itself.
    finished.recv_timeout(Duration::from_secs(10)).unwrap();
    drop(place);
}

#[rstest]
fn hundreds_of_writers_at_once_all_commit(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.runtime.block_on(async {
        let mut tasks = JoinSet::new();
        for number in 0..300 {
            let store = t.store.clone();
            tasks.spawn(async move { store.write(move |c| set(c, &number.to_string())).await });
        }
        assert!(tasks.join_all().await.iter().all(Result::is_ok));
    });
    assert_eq!(keys(&t).len(), 300);
}

#[rstest]
fn values_come_back_as_they_went(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    for text in ["", "plain", "ünï\u{1F980}", "it's ?1 and $1", "\u{1}\n\t\\"] {
        let stored = t.write(move |c| {
            kv::set(c, &source_id("s"), "k", text)?;
            query_one::<String>(c, "SELECT value FROM kv WHERE key = ?1", params!["k"])
        });
        assert_eq!(stored.as_deref(), Ok(text));
    }
}
