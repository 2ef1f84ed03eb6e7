//! Servers that the tests of one process share. Each test creates its own user.

use std::{path::Path, sync::OnceLock};

use crate::{Postgres, Server, ServerOptions};

/// The database of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    Sqlite,
    Postgres,
}

/// The server of this test process for `backend`, started on first use. It ends with the process.
///
/// The server on PostgreSQL has a pool of pre-started processes, as by default. The server on SQLite starts processes when
/// they are needed. So tests that run on both cover both ways.
///
/// Blocks until the server has started, so that tests on different runtimes can wait for the same one.
pub fn shared(binary: impl AsRef<Path>, backend: Backend) -> &'static Server {
    static SQLITE: OnceLock<Server> = OnceLock::new();
    static POSTGRES: OnceLock<Server> = OnceLock::new();
    let options = ServerOptions::new(binary);
    match backend {
        Backend::Sqlite => {
            SQLITE.get_or_init(|| Server::start_blocking(options.without_warm_processes()))
        }
        Backend::Postgres => {
            POSTGRES.get_or_init(|| Server::start_blocking(options.postgres(&Postgres::database())))
        }
    }
}
