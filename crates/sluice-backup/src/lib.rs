//! Backups, restores and moves of a whole database, on SQLite and PostgreSQL alike.
//!
//! There is one logical form, a *dump*: the rows of every table, from one snapshot, in the order of a key. A backup is a dump
//! in a file. A restore fills an empty database from it. A move does both at once through a pipe. Everything is streamed, so
//! memory does not depend on the size of the database.
//!
//! A dump is verified twice: while it is read, by the counts and hashes at its end, and before it is committed, by reading
//! the filled database again.

mod digest;
mod dump;
mod error;
mod file;
mod frame;
mod manifest;
mod migrate;
mod restore;
mod row;

pub use dump::dump;
pub use error::{BackupError, Result};
pub use file::{BackupReader, BackupWriter, Passphrase};
pub use manifest::{Database, Header, Manifest, TableSummary};
pub use migrate::migrate;
pub use restore::Dump;
