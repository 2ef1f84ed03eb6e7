//! A PostgreSQL that stops responding without closing its connections.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use sluice_store::{Conn, Location, Result, StoreError, users};

use crate::support::{Db, Place, TestStore, user};

/// A connection that was lost without a sign is detected and replaced within this time.
const DETECTED: Duration = Duration::from_secs(5);

/// Passes bytes on in both directions, until it is told to drop them. Connections stay open.
struct SilentProxy {
    port: u16,
    /// Of the connections so far.
    silences: Arc<parking_lot::Mutex<Vec<Arc<AtomicBool>>>>,
    /// Of new connections.
    is_silent: Arc<AtomicBool>,
}

impl SilentProxy {
    fn before(server: String) -> SilentProxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy = SilentProxy {
            port: listener.local_addr().unwrap().port(),
            silences: Arc::default(),
            is_silent: Arc::default(),
        };
        let (silences, is_silent) = (Arc::clone(&proxy.silences), Arc::clone(&proxy.is_silent));
        thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server) = (client.unwrap(), TcpStream::connect(&server).unwrap());
                let silence = Arc::new(AtomicBool::new(is_silent.load(Ordering::SeqCst)));
                silences.lock().push(Arc::clone(&silence));
                let (from, to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                let other = Arc::clone(&silence);
                thread::spawn(move || pass_on(from, to, &silence));
                thread::spawn(move || pass_on(server, client, &other));
            }
        });
        proxy
    }

    /// All connections so far lead nowhere from now on.
    fn silence_connections(&self) {
        for silence in self.silences.lock().iter() {
            silence.store(true, Ordering::SeqCst);
        }
    }
}

fn pass_on(mut from: TcpStream, mut to: TcpStream, silence: &AtomicBool) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        if !silence.load(Ordering::SeqCst) && to.write_all(&buffer[..length]).is_err() {
            break;
        }
    }
}

fn store_behind_a_proxy() -> Option<(TestStore, SilentProxy)> {
    let place = Place::with_schema(Db::Postgres)?;
    let Location::Postgres(url) = place.location() else {
        unreachable!()
    };
    let (login, address) = url.split_once('@').unwrap();
    let (server, name) = address.split_once('/').unwrap();
    let proxy = SilentProxy::before(server.to_owned());
    let mut options = place.options();
    options.location = Location::Postgres(format!("{login}@127.0.0.1:{}/{name}", proxy.port));
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
    proxy.is_silent.store(true, Ordering::SeqCst);
    proxy.silence_connections();
    let begun = Instant::now();
    let result = t.read(users::count);
    assert!(
        matches!(result, Err(StoreError::Unavailable(_))),
        "{result:?}"
    );
    // The time of one attempt to connect is added, which must fail too.
    assert!(begun.elapsed() < DETECTED + Duration::from_secs(3));

    proxy.is_silent.store(false, Ordering::SeqCst);
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
