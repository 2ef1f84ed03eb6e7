//! The PostgreSQL driver: a few threads, each with a connection of its own, on one queue.
//!
//! A write is a READ COMMITTED transaction, a read a read-only snapshot (REPEATABLE READ), always:
//! a closure means the same on both databases, for one more round trip. A read is answered before
//! its transaction ends, so that end costs no latency.
//!
//! Clients live and die on their own threads, because the driver blocks, and must not do so on the
//! threads of an async runtime.

mod conn;
mod connect;
mod errors;
mod placeholders;
mod tls;
mod worker;

use std::sync::Arc;

use self::{connect::Connector, worker::Worker};
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

    let queue = Arc::new(JobQueue::default());
    let threads = (0..connections.max(1))
        .map(|_| {
            let queue = Arc::clone(&queue);
            let mut worker = Worker::new(Arc::clone(&connector));
            spawn("store-postgres", move || worker.run(&queue))
        })
        .collect::<Result<Vec<_>>>()?;
    let queues = Queues {
        reads: Arc::clone(&queue),
        writes: queue,
    };
    Ok(Driver { queues, threads })
}

fn migrate_database(connector: &Connector) -> Result<()> {
    let migrate = || {
        let mut conn = connector.connect()?;
        conn.begin(Access::Write)?;
        // On an error the connection is dropped, and with it the transaction.
        migrate::apply(&mut conn)?;
        conn.end("COMMIT")
    };
    std::thread::scope(|scope| scope.spawn(migrate).join())
        .unwrap_or_else(|_| Err(StoreError::Internal("the migration panicked".to_owned())))
}
