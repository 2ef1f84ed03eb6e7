//! PostgreSQL connections that are lost.

use std::time::{Duration, Instant};

use sluice_store::{Location, StoreError, users};

use crate::support::{Db, Place, TestStore, admin, user};

/// Ends every connection to the test's database, as a restart of the server would.
fn end_connections(t: &TestStore) {
    let Place::Database { name } = &t.place else {
        unreachable!()
    };
    admin(&format!(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
    ));
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
