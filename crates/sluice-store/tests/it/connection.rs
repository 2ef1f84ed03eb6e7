//! PostgreSQL connections that are lost.

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use sluice_store::{
    Conn, Location, Result, StoreError, kv, params,
    state::{self, Advance},
    users,
};

use crate::support::{Db, Place, TestStore, admin, claimed, sessions, source_id, user};

/// Ends every connection to the test's database, as a restart of the server would.
fn end_connections(t: &TestStore) {
    let Place::Database { name } = &t.place else {
        unreachable!()
    };
    end_connections_to(name);
}

fn end_connections_to(name: &str) {
    admin(&format!(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
    ));
}

fn insert_later(c: &mut dyn Conn, key: &str) -> Result<()> {
    c.execute_later(
        "INSERT INTO kv (emitter_id, key, value) VALUES (?1, ?2, '1')",
        params![&source_id("s"), key],
    )
}

fn keys(t: &TestStore) -> Vec<String> {
    let pairs = t.read(|c| kv::load_all(c, &source_id("s"))).unwrap();
    pairs.into_iter().map(|(key, _)| key).collect()
}

/// Passes bytes on in both directions. While it is armed, it loses each connection on which a client sends `COMMIT`, and the
/// answer with it.
fn proxy_that_loses_commits(server: String, armed: &Arc<AtomicBool>) -> u16 {
    let armed = Arc::clone(armed);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for client in listener.incoming() {
            let (client, server) = (client.unwrap(), TcpStream::connect(&server).unwrap());
            let (from, to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
            let (armed, never) = (Arc::clone(&armed), Arc::default());
            thread::spawn(move || pass_on(from, to, &armed));
            thread::spawn(move || pass_on(server, client, &never));
        }
    });
    port
}

fn pass_on(mut from: TcpStream, mut to: TcpStream, armed: &AtomicBool) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        let bytes = &buffer[..length];
        let commits = bytes.windows(6).any(|part| part == b"COMMIT");
        if commits && armed.load(Ordering::SeqCst) {
            // The client learns nothing more, and the server gets the end of what was sent.
            let _ = from.shutdown(Shutdown::Both);
            let _ = to.write_all(bytes);
            break;
        }
        if to.write_all(bytes).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}

#[test]
fn one_that_was_lost_while_idle_goes_unnoticed() {
    let Some(t) = TestStore::new(Db::Postgres) else {
        return;
    };
    for round in 0..5 {
        let name = format!("u{round}");
        t.write(move |c| users::insert(c, &user(&name), &name))
            .unwrap();
        end_connections(&t);
        assert_eq!(t.read(users::count), Ok(round + 1));
    }
}

#[test]
fn one_that_was_lost_before_anything_was_sent_goes_unnoticed() {
    let Some(t) = TestStore::new(Db::Postgres) else {
        return;
    };
    let Place::Database { name } = &t.place else {
        unreachable!()
    };
    // With a query, which is sent at once, and with deferred statements only, which are sent with the commit.
    for with_query in [true, false] {
        t.write(move |c| insert_later(c, &format!("first {with_query}")))
            .unwrap();
        let name = name.clone();
        let written = t.write(move |c| {
            insert_later(c, &format!("second {with_query}"))?;
            end_connections_to(&name);
            wait_until_gone(&name);
            if with_query {
                assert_eq!(users::count(c)?, 0);
            }
            insert_later(c, &format!("third {with_query}"))
        });
        assert_eq!(written, Ok(()));
    }
    assert_eq!(keys(&t).len(), 6);
}

/// Waits for the end of all sessions that are being terminated.
fn wait_until_gone(name: &str) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while sessions(name) > 0 {
        assert!(Instant::now() < deadline, "sessions are left");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn one_that_is_lost_between_two_round_trips_is_unavailable_and_nothing_is_kept() {
    let Some(t) = TestStore::new(Db::Postgres) else {
        return;
    };
    let Place::Database { name } = &t.place else {
        unreachable!()
    };
    // Once before another query, and once before the commit.
    for with_query in [true, false] {
        let name = name.clone();
        let result = t.write(move |c| {
            insert_later(c, "a")?;
            assert_eq!(users::count(c)?, 0);
            end_connections_to(&name);
            insert_later(c, "b")?;
            if with_query {
                users::count(c)?;
            }
            Ok(())
        });
        assert!(
            matches!(result, Err(StoreError::Unavailable(_))),
            "{result:?}"
        );
        assert_eq!(keys(&t), Vec::<String>::new());
    }
    t.write(|c| insert_later(c, "a")).unwrap();
    assert_eq!(keys(&t), ["a"]);
}

#[test]
fn a_commit_whose_answer_is_lost_is_unavailable_and_not_written_twice() {
    let Some(place) = Place::with_schema(Db::Postgres) else {
        return;
    };
    let Location::Postgres(url) = place.location() else {
        unreachable!()
    };
    let (login, address) = url.split_once('@').unwrap();
    let (server, name) = address.split_once('/').unwrap();
    let armed = Arc::default();
    let port = proxy_that_loses_commits(server.to_owned(), &armed);
    let mut options = place.options();
    options.location = Location::Postgres(format!("{login}@127.0.0.1:{port}/{name}"));
    let t = TestStore::with(place, options);
    let fence = t.write(|c| claimed(c, &source_id("s"), "server")).unwrap();
    let commit = move |c: &mut dyn Conn| {
        match state::advance(c, &source_id("s"), &fence, 1, None)? {
            Advance::Advanced => insert_later(c, "a")?,
            other => assert_eq!(other, Advance::Repeated),
        }
        Ok(())
    };
    armed.store(true, Ordering::SeqCst);
    for _ in 0..3 {
        let result = t.write(commit.clone());
        assert!(
            matches!(result, Err(StoreError::Unavailable(_))),
            "{result:?}"
        );
    }
    armed.store(false, Ordering::SeqCst);
    t.write(commit).unwrap();
    assert_eq!(keys(&t), ["a"]);
}

#[test]
fn one_that_is_lost_in_a_transaction_is_unavailable_and_replaced() {
    let Some(t) = TestStore::new(Db::Postgres) else {
        return;
    };
    let result = t.write(|c| {
        users::insert(c, &user("a"), "f")?;
        c.query(
            "SELECT pg_terminate_backend(pg_backend_pid())",
            &[],
            &mut |_| Ok(()),
        )
    });
    assert!(
        matches!(result, Err(StoreError::Unavailable(_))),
        "{result:?}"
    );
    assert_eq!(t.read(users::count), Ok(0));
    assert_eq!(t.write(|c| users::insert(c, &user("a"), "f")), Ok(()));
}

#[test]
fn a_database_that_went_away_is_unavailable_until_it_is_back() {
    let Some(t) = TestStore::new(Db::Postgres) else {
        return;
    };
    let Place::Database { name } = &t.place else {
        unreachable!()
    };
    assert_eq!(t.read(users::count), Ok(0));
    admin(&format!("ALTER DATABASE {name} ALLOW_CONNECTIONS false"));
    end_connections(&t);
    for _ in 0..10 {
        let result = t.read(users::count);
        assert!(
            matches!(result, Err(StoreError::Unavailable(_))),
            "{result:?}"
        );
    }
    admin(&format!("ALTER DATABASE {name} ALLOW_CONNECTIONS true"));
    let deadline = Instant::now() + Duration::from_secs(10);
    while t.read(users::count).is_err() {
        assert!(Instant::now() < deadline, "it did not recover");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn tls_that_is_required_is_not_left_out() {
    let Some(place) = Place::new(Db::Postgres) else {
        return;
    };
    let Location::Postgres(url) = place.location() else {
        unreachable!()
    };
    let mut options = place.options();
    options.location = Location::Postgres(format!("{url}?sslmode=require"));
    // The test server speaks no TLS.
    let opened = sluice_store::Store::open(options).map(drop);
    assert!(
        matches!(opened, Err(StoreError::Unavailable(_))),
        "{opened:?}"
    );
}
