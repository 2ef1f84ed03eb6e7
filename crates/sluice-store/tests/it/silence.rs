//! A PostgreSQL that stops responding without closing its connections.

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use sluice_store::{Conn, Location, Result, StoreError, users};
use sluice_testkit::TcpProxy;

use crate::support::{Db, Place, TestStore, user};

/// A connection that was lost without a sign is detected and replaced within this time.
const DETECTED: Duration = Duration::from_secs(5);

fn store_behind_a_proxy() -> Option<(TestStore, TcpProxy)> {
    let place = Place::with_schema(Db::Postgres)?;
    let Location::Postgres(url) = place.location() else {
        unreachable!()
    };
    let (proxy, url) = TcpProxy::before_database(&url);
    let mut options = place.options();
    options.location = Location::Postgres(url);
    Some((TestStore::with(place, options), proxy))
}

fn sleep(c: &mut dyn Conn, time: &str) -> Result<()> {
    c.query(&format!("SELECT pg_sleep({time})"), &[], &mut |_| Ok(()))
}

#[test]
fn an_idle_connection_that_is_silent_goes_unnoticed() {
    let Some((t, proxy)) = store_behind_a_proxy() else {
        return;
    };
    t.write(|c| users::insert(c, &user("a"), "a")).unwrap();
    assert_eq!(t.read(users::count), Ok(1));
    proxy.silence_connections();
    let begun = Instant::now();
    assert_eq!(t.read(users::count), Ok(1));
    t.write(|c| {
        assert_eq!(users::count(c)?, 1);
        users::insert(c, &user("b"), "b")
    })
    .unwrap();
    assert!(begun.elapsed() < 2 * DETECTED, "{:?}", begun.elapsed());
    assert_eq!(t.read(users::count), Ok(2));
}

#[test]
fn a_connection_that_falls_silent_in_a_transaction_is_unavailable_in_time() {
    let Some((t, proxy)) = store_behind_a_proxy() else {
        return;
    };
    let proxy = Arc::new(proxy);
    let begun = Instant::now();
    let silent = Arc::clone(&proxy);
    let result = t.write(move |c| {
        users::insert(c, &user("a"), "a")?;
        assert_eq!(users::count(c)?, 1);
        silent.silence_connections();
        users::count(c)
    });
    assert!(
        matches!(result, Err(StoreError::Unavailable(_))),
        "{result:?}"
    );
    assert!(begun.elapsed() < DETECTED, "{:?}", begun.elapsed());
    assert_eq!(t.read(users::count), Ok(0));
}

#[test]
fn a_silent_server_is_unavailable_and_used_again_when_it_responds() {
    let Some((t, proxy)) = store_behind_a_proxy() else {
        return;
    };
    assert_eq!(t.read(users::count), Ok(0));
    proxy.cut();
    let begun = Instant::now();
    let result = t.read(users::count);
    assert!(
        matches!(result, Err(StoreError::Unavailable(_))),
        "{result:?}"
    );
    // The time of one attempt to connect is added, which must fail too.
    assert!(begun.elapsed() < DETECTED + Duration::from_secs(3));

    proxy.heal();
    let begun = Instant::now();
    while t.read(users::count).is_err() {
        assert!(begun.elapsed() < DETECTED, "it did not recover");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_slow_statement_and_one_that_waits_for_a_lock_are_left_alone() {
    let Some((t, _proxy)) = store_behind_a_proxy() else {
        return;
    };
    t.write(|c| users::insert(c, &user("a"), "a")).unwrap();
    let update = |c: &mut dyn Conn| c.execute("UPDATE users SET email = 'x'", &[]).map(drop);
    t.runtime.block_on(async {
        let slow = t.store.write(move |c| {
            update(c)?;
            sleep(c, "3.5")
        });
        let waiting = t.store.commit(update);
        let (slow, waiting) = tokio::join!(slow, waiting);
        assert_eq!((slow, waiting), (Ok(()), Ok(())));
    });
}
