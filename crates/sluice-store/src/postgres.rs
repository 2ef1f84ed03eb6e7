//! The PostgreSQL driver: a few threads, each with a connection of its own, in three pools.
//!
//! A write is a READ COMMITTED transaction, a read a read-only snapshot (REPEATABLE READ), always: a closure means the
//! same on both databases. `BEGIN` goes out with the first query, `COMMIT` with the deferred statements before it, so a
//! write without queries takes one round trip, and one that asks everything at once takes two. A read is answered before
//! its transaction ends, so that end costs no latency.
//!
//! Commits, reads and other writes have threads of their own, so that slow ones delay only their kind. Each thread drives
//! its connection with a small async runtime: while it waits for answers, and at no other time.

mod bulk;
mod columns;
mod connect;
mod encode;
mod errors;
mod flight;
mod placeholders;
mod probe;
mod session;
mod settings;
mod ssl_mode;
mod tls;
mod transaction;
pub(crate) mod whole;
mod worker;

use std::{
    sync::{Arc, atomic::AtomicU64},
    thread::JoinHandle,
};

use self::{
    connect::Connector, probe::Probe, session::Link, transaction::Transaction, worker::Worker,
};
use crate::{
    driver::{Driver, Queues, spawn},
    error::{Result, StoreError},
    job::Access,
    migrate,
    queue::JobQueue,
};

/// How to connect to a database.
#[derive(Clone, Copy)]
pub(crate) struct PostgresOptions<'a> {
    pub(crate) url: &'a str,
    /// Of a pooler in front of it that gives a client another session for each transaction.
    pub(crate) pooler: Option<&'a str>,
    pub(crate) connections: usize,
    pub(crate) incarnation: &'a str,
}

/// Connects once to migrate, then starts the threads, which connect when they get work.
pub(crate) fn start(options: &PostgresOptions<'_>) -> Result<Driver> {
    let PostgresOptions {
        url,
        pooler,
        incarnation,
        ..
    } = *options;
    let probe: Arc<Probe> = Arc::default();
    let direct = Arc::new(Connector::new(url, None, incarnation)?);
    off_runtime(|| migrate_database(direct, &probe))?;
    let connector = Arc::new(Connector::new(url, pooler, incarnation)?);

    let commit_round_trips: Arc<AtomicU64> = Arc::default();
    let others = (options.connections / 4).max(1);
    let commits = options.connections.saturating_sub(2 * others).max(1);
    let mut threads = Vec::new();
    let mut pool = |access, size| -> Result<Arc<JobQueue>> {
        let queue = Arc::new(JobQueue::default());
        for _ in 0..size {
            let counter = match access {
                Access::Commit => Arc::clone(&commit_round_trips),
                Access::Read | Access::Write | Access::Heartbeat => Arc::default(),
            };
            let link = Link::new(Arc::clone(&connector), Arc::clone(&probe), access, counter)?;
            threads.push(start_thread(link, access, &queue)?);
        }
        Ok(queue)
    };
    let queues = Queues {
        reads: pool(Access::Read, others)?,
        writes: pool(Access::Write, others)?,
        commits: pool(Access::Commit, commits)?,
        heartbeats: pool(Access::Heartbeat, 1)?,
    };
    Ok(Driver {
        queues,
        threads,
        commit_round_trips,
    })
}

fn start_thread(link: Link, access: Access, queue: &Arc<JobQueue>) -> Result<JoinHandle<()>> {
    let name = match access {
        Access::Read => "store-read",
        Access::Write => "store-write",
        Access::Commit => "store-commit",
        Access::Heartbeat => "store-heartbeat",
    };
    let queue = Arc::clone(queue);
    spawn(name, move || Worker::new(link).run(&queue))
}

fn migrate_database(connector: Arc<Connector>, probe: &Arc<Probe>) -> Result<()> {
    let link = Link::new(connector, Arc::clone(probe), Access::Write, Arc::default())?;
    let session = link.connect()?;
    let mut transaction = Transaction::new(&link, session, false);
    // On an error the connection is dropped, and with it the transaction.
    migrate::apply(&mut transaction)?;
    transaction.commit()
}

/// An async runtime cannot be driven on a thread of another one.
fn off_runtime<T: Send>(work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    std::thread::scope(|scope| scope.spawn(work).join()).unwrap_or_else(|_| {
        Err(StoreError::Internal(
            "opening the database panicked".to_owned(),
        ))
    })
}
