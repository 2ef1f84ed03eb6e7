//! The descriptions in a dump: of the source at its beginning, and of the rows at its end.

use serde::{Deserialize, Serialize};
use sluice_store::{Dialect, transfer::Sequence};

/// Where a dump comes from.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The version of the program that wrote it.
    pub sluice: String,
    pub schema: i64,
    /// The hashes of its migrations. Before the first release, a schema changes without a new version.
    #[serde(default)]
    pub migrations: Vec<String>,
    pub database: Database,
    /// In milliseconds since the epoch.
    pub created_at: i64,
    /// In hexadecimal digits, if it was wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub master_key: Option<String>,
    /// The delivery journal: successful deliveries that the rows may not have yet.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub journal: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Database {
    Sqlite,
    Postgresql,
}

impl From<Dialect> for Database {
    fn from(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Sqlite => Database::Sqlite,
            Dialect::Postgres => Database::Postgresql,
        }
    }
}

/// The beginning of a table in a dump.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TableHeader {
    pub(crate) name: String,
    pub(crate) columns: Vec<String>,
}

/// The rows of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableSummary {
    pub name: String,
    pub rows: u64,
    /// SHA-256 over all rows in their order.
    pub sha256: String,
}

/// The end of a dump.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub tables: Vec<TableSummary>,
    pub sequences: Vec<Sequence>,
    /// SHA-256 over the header and the headers of all tables.
    pub headers: String,
}

impl Manifest {
    /// The number of rows of all tables.
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|table| table.rows).sum()
    }
}
