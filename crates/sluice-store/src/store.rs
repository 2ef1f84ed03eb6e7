//! The handle of the store: transactions as closures, on either database.

use std::{
    fmt,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread::JoinHandle,
};

use parking_lot::Mutex;

use crate::{
    conn::Conn,
    driver::{Driver, Queues},
    error::{Result, StoreError},
    job::{Access, job},
    postgres::{self, PostgresOptions},
    sqlite,
};

/// Where the data is.
#[derive(Clone, PartialEq, Eq)]
pub enum Location {
    /// A file, made when missing. Its folder must exist.
    Sqlite(PathBuf),
    /// A `postgres://` address.
    Postgres(String),
}

/// Written by hand because an address may hold a password.
impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Sqlite(path) => f.debug_tuple("Sqlite").field(path).finish(),
            Location::Postgres(_) => f.write_str("Postgres(..)"),
        }
    }
}

/// The address of a pooler in front of a database.
#[derive(Clone, PartialEq, Eq)]
pub struct Pooler(pub String);

/// Written by hand because an address may hold a password.
impl fmt::Debug for Pooler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pooler(..)")
    }
}

/// How to open a [`Store`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreOptions {
    pub location: Location,
    /// PostgreSQL connections, each with its own thread: how many transactions run at once. Half of them are for commits,
    /// and a quarter each for reads and other writes; at least one each.
    pub postgres_connections: usize,
    /// A pooler in front of PostgreSQL that gives a client another session for each transaction. All but the migration and
    /// heartbeats goes through it.
    pub postgres_pooler: Option<Pooler>,
    /// The name of this start of the server: random. Sessions on PostgreSQL have it in their names.
    pub incarnation: String,
    /// The most pages the SQLite file may grow to; beyond it, writes fail as on a full disk.
    pub sqlite_max_pages: Option<u32>,
}

impl StoreOptions {
    /// The defaults for `location`. The incarnation is unique on this machine only.
    pub fn new(location: Location) -> Self {
        static STORES: AtomicU64 = AtomicU64::new(0);
        let number = STORES.fetch_add(1, Ordering::Relaxed);
        StoreOptions {
            location,
            postgres_connections: 32,
            postgres_pooler: None,
            incarnation: format!("{}-{number}", std::process::id()),
            sqlite_max_pages: None,
        }
    }
}

/// A handle to the database. Clones share it. The last one to be dropped waits for accepted jobs.
///
/// Callers are async, the database threads are not: a closure runs on one of them, so it must not
/// wait for anything but the database.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    queues: Queues,
    threads: Mutex<Vec<JoinHandle<()>>>,
    commit_round_trips: Arc<AtomicU64>,
    incarnation: Arc<str>,
}

impl Store {
    /// Opens the database and brings its schema up to date. Blocks; call it off the async threads.
    pub fn open(options: StoreOptions) -> Result<Store> {
        let StoreOptions {
            location,
            postgres_connections,
            postgres_pooler,
            incarnation,
            sqlite_max_pages,
        } = options;
        let Driver {
            queues,
            threads,
            commit_round_trips,
        } = match location {
            Location::Sqlite(path) => sqlite::start(&path, sqlite_max_pages)?,
            Location::Postgres(url) => postgres::start(&PostgresOptions {
                url: &url,
                pooler: postgres_pooler.as_ref().map(|Pooler(url)| url.as_str()),
                connections: postgres_connections,
                incarnation: &incarnation,
            })?,
        };
        let inner = Inner {
            queues,
            threads: Mutex::new(threads),
            commit_round_trips,
            incarnation: incarnation.into(),
        };
        Ok(Store {
            inner: Arc::new(inner),
        })
    }

    /// Runs `work` on one snapshot of the data: all its queries see the same state, which includes
    /// every write that was answered before this call.
    pub async fn read<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut dyn Conn) -> Result<T> + Send + 'static,
    {
        self.inner.submit(Access::Read, work).await
    }

    /// Runs `work` in a transaction and returns when its commit is durable. An `Err` from `work`
    /// rolls it back. Once it is in the queue, the work is done even if the caller is dropped.
    pub async fn write<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut dyn Conn) -> Result<T> + Send + 'static,
    {
        self.inner.submit(Access::Write, work).await
    }

    /// As [`Store::write`], for transactions on the path of an event: accepting it and committing its effects. They do not
    /// wait for other writes, nor for reads.
    pub async fn commit<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut dyn Conn) -> Result<T> + Send + 'static,
    {
        self.inner.submit(Access::Commit, work).await
    }

    /// As [`Store::write`], on a connection of its own. PostgreSQL must answer within a second, or the write fails.
    pub async fn heartbeat<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut dyn Conn) -> Result<T> + Send + 'static,
    {
        self.inner.submit(Access::Heartbeat, work).await
    }

    /// The name of this start of the server, by which it claims emitters.
    pub fn incarnation(&self) -> &Arc<str> {
        &self.inner.incarnation
    }

    /// How often [`Store::commit`] waited for an answer of PostgreSQL, in all. SQLite has no round trips.
    pub fn commit_round_trips(&self) -> u64 {
        self.inner.commit_round_trips.load(Ordering::Relaxed)
    }

    /// Finishes accepted work, then closes the database. Later calls are `Unavailable`. Blocks.
    pub fn close(&self) {
        self.inner.close();
    }
}

impl Inner {
    async fn submit<T, F>(&self, access: Access, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut dyn Conn) -> Result<T> + Send + 'static,
    {
        let queue = match access {
            Access::Read => &self.queues.reads,
            Access::Write => &self.queues.writes,
            Access::Commit => &self.queues.commits,
            Access::Heartbeat => &self.queues.heartbeats,
        };
        let (job, answer) = job(access, work);
        queue.push(job).await?;
        answer
            .await
            .unwrap_or_else(|_| Err(StoreError::Internal("a database thread ended".to_owned())))
    }

    fn close(&self) {
        self.queues.reads.close();
        self.queues.writes.close();
        self.queues.commits.close();
        self.queues.heartbeats.close();
        let this_thread = std::thread::current().id();
        for thread in self.threads.lock().drain(..) {
            // A job may own the last handle; its thread cannot wait for itself.
            if thread.thread().id() != this_thread && thread.join().is_err() {
                tracing::error!("database thread panicked");
            }
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.close();
    }
}
