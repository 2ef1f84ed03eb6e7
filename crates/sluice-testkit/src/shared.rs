//! Servers that the tests of one process share. Tests keep out of each other's way by making a user each.

use std::{path::Path, sync::OnceLock};

use crate::{Postgres, Server, ServerOptions};

/// What a server keeps its data in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    Sqlite,
    Postgres,
}

/// The server of this test process for `backend`, started when first asked for. It ends with the process.
///
/// The one on PostgreSQL keeps processes that wait for a component, as a server does unless it is told otherwise; the one on
/// SQLite starts each when it is needed. So tests that run on both see both ways in which a component gets its process.
///
/// Blocks while the server starts, so that tests on different runtimes can wait for the same one.
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
