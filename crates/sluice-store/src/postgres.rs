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
mod session;
mod tls;
mod transaction;
mod worker;

use std::{
    sync::{Arc, atomic::AtomicU64},
    thread::JoinHandle,
};

use self::{connect::Connector, session::Link, transaction::Transaction, worker::Worker};
use crate::{
    driver::{Driver, Queues, spawn},
    error::{Result, StoreError},
    job::Access,
    migrate,
    queue::JobQueue,
};

/// Connects once to migrate, then starts the threads, which connect when they get work.
pub(crate) fn start(url: &str, connections: usize) -> Result<Driver> {
    let connector = Arc::new(Connector::new(url)?);
    migrate_database(&connector)?;

    let commit_round_trips: Arc<AtomicU64> = Arc::default();
    let others = (connections / 4).max(1);
    let commits = connections.saturating_sub(2 * others).max(1);
    let mut threads = Vec::new();
    let mut pool = |access, size| -> Result<Arc<JobQueue>> {
        let queue = Arc::new(JobQueue::default());
        for _ in 0..size {
            let counter = match access {
                Access::Commit => Arc::clone(&commit_round_trips),
                Access::Read | Access::Write => Arc::default(),
            };
            threads.push(start_thread(&connector, access, counter, &queue)?);
        }
        Ok(queue)
    };
    let queues = Queues {
        reads: pool(Access::Read, others)?,
        writes: pool(Access::Write, others)?,
        commits: pool(Access::Commit, commits)?,
    };
    Ok(Driver {
        queues,
        threads,
        commit_round_trips,
    })
}

fn start_thread(
    connector: &Arc<Connector>,
    access: Access,
    round_trips: Arc<AtomicU64>,
    queue: &Arc<JobQueue>,
) -> Result<JoinHandle<()>> {
    let name = match access {
        Access::Read => "store-read",
        Access::Write => "store-write",
        Access::Commit => "store-commit",
    };
    let link = Link::new(Arc::clone(connector), access, round_trips)?;
    let queue = Arc::clone(queue);
    spawn(name, move || Worker::new(link).run(&queue))
}

fn migrate_database(connector: &Arc<Connector>) -> Result<()> {
    let migrate = || {
        let link = Link::new(Arc::clone(connector), Access::Write, Arc::default())?;
        let session = link.connect()?;
        let mut transaction = Transaction::new(&link, session, false, Access::Write);
        // On an error the connection is dropped, and with it the transaction.
        migrate::apply(&mut transaction)?;
        transaction.commit()
    };
    // An async runtime cannot be driven on a thread of another one.
    std::thread::scope(|scope| scope.spawn(migrate).join())
        .unwrap_or_else(|_| Err(StoreError::Internal("the migration panicked".to_owned())))
}
