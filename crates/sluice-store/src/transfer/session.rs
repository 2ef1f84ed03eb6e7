//! One transaction on a database, without the threads of a store.

use crate::{
    conn::Conn, error::StoreError, postgres::whole as postgres, sqlite::whole as sqlite,
    store::Location,
};

/// Runs `work` on one snapshot of a database, also while servers use it. They go on meanwhile. It must not run on a thread of
/// an async runtime.
pub fn snapshot<T, E: From<StoreError>>(
    location: &Location,
    work: impl FnOnce(&mut dyn Conn) -> Result<T, E>,
) -> Result<T, E> {
    match location {
        Location::Sqlite(path) => sqlite::snapshot(path, work),
        Location::Postgres(url) => postgres::snapshot(url, work),
    }
}

/// Runs `work` in one transaction on a database with a schema, also while servers use it. An error undoes everything. It must
/// not run on a thread of an async runtime.
pub fn update<T, E: From<StoreError>>(
    location: &Location,
    work: impl FnOnce(&mut dyn Conn) -> Result<T, E>,
) -> Result<T, E> {
    let work = |c: &mut dyn Conn| {
        super::schema_version(c)?;
        work(c)
    };
    match location {
        Location::Sqlite(path) => sqlite::update(path, work),
        Location::Postgres(url) => postgres::update(url, work),
    }
}

/// Runs `work` in one transaction on an empty database. If it fails, PostgreSQL stays empty. A SQLite file must not exist, and
/// is useless after an error or a crash: use another name until this has returned.
pub fn fill<T, E: From<StoreError>>(
    location: &Location,
    work: impl FnOnce(&mut dyn Conn) -> Result<T, E>,
) -> Result<T, E> {
    match location {
        Location::Sqlite(path) => sqlite::fill(path, work),
        Location::Postgres(url) => postgres::fill(url, work),
    }
}

/// Runs `work` while no server can use a database. An error if one does.
pub fn while_unused<T, E: From<StoreError>>(
    location: &Location,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    match location {
        Location::Sqlite(path) => sqlite::while_unused(path, work),
        Location::Postgres(url) => postgres::while_unused(url, work),
    }
}
