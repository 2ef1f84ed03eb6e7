//! A pooler in front of PostgreSQL that gives a client another session for each transaction.

use std::collections::HashSet;

use sluice_store::{Conn, Location, Pooler, Result, Store, kv, params};
use sluice_testkit::PgBouncer;
use tokio::task::JoinSet;

use crate::support::{Db, Place, TestStore, sessions, source_id};

const SESSIONS: u32 = 3;
const CLIENTS: usize = 12;
const WRITES: usize = 20;

fn store_behind_a_pooler() -> Option<(TestStore, PgBouncer)> {
    let place = Place::with_schema(Db::Postgres)?;
    let Location::Postgres(url) = place.location() else {
        unreachable!()
    };
    let pooler = PgBouncer::start(&url, SESSIONS)?;
    let mut options = place.options();
    options.postgres_pooler = Some(Pooler(pooler.url().to_owned()));
    options.postgres_connections = 16;
    Some((TestStore::with(place, options), pooler))
}

fn setting(c: &mut dyn Conn, name: &str) -> Result<String> {
    let mut value = String::new();
    c.query("SELECT current_setting(?1)", params![name], &mut |row| {
        value = row.get(0)?;
        Ok(())
    })?;
    Ok(value)
}

#[test]
fn clients_share_few_sessions_and_each_transaction_has_its_settings() {
    let Some((t, _pooler)) = store_behind_a_pooler() else {
        return;
    };
    t.runtime.block_on(async {
        let mut tasks = JoinSet::new();
        for client in 0..CLIENTS {
            tasks.spawn(work_of_a_client(t.store.clone(), client));
        }
        tasks.join_all().await;
    });
    let pairs = t.read(|c| kv::load_all(c, &source_id("s"))).unwrap();
    let keys: HashSet<_> = pairs.into_iter().map(|(key, _)| key).collect();
    assert_eq!(keys.len(), CLIENTS * WRITES);
    let plan = t.write(|c| setting(c, "plan_cache_mode")).unwrap();
    assert_eq!(plan, "auto", "the settings of commits end with them");
    let Place::Database { name } = &t.place else {
        unreachable!()
    };
    let open = sessions(name);
    assert!(open <= i64::from(SESSIONS), "{open} sessions");
}

async fn work_of_a_client(store: Store, client: usize) {
    for write in 0..WRITES {
        let key = format!("{client}-{write}");
        let commit = store.commit(move |c| {
            assert_eq!(setting(c, "synchronous_commit")?, "on");
            assert_eq!(setting(c, "plan_cache_mode")?, "force_generic_plan");
            kv::set(c, &source_id("s"), &key, "1")
        });
        commit.await.unwrap();
        let timeout = store.read(|c| setting(c, "lock_timeout")).await.unwrap();
        assert_eq!(timeout, "5s");
    }
}

#[test]
fn a_read_cannot_write_and_an_error_leaves_the_session_usable() {
    let Some((t, _pooler)) = store_behind_a_pooler() else {
        return;
    };
    for _ in 0..2 * SESSIONS {
        let refused = t.read(|c| kv::set(c, &source_id("s"), "a", "1"));
        assert!(refused.is_err());
        t.write(|c| kv::set(c, &source_id("s"), "a", "1")).unwrap();
    }
}
