//! Where a server has its data.

use std::path::{Path, PathBuf};

use clap::Args;
use sluice_store::Location;

use crate::data_folder::DATABASE_FILE;

#[derive(Debug, Args)]
pub(crate) struct PlaceOptions {
    /// Folder for the database, the master key and the working files of components
    #[arg(
        long,
        env = "SLUICE_DATA_DIR",
        default_value = "sluice-data",
        value_name = "FOLDER"
    )]
    pub(crate) data_dir: PathBuf,
    /// Use this PostgreSQL database, such as `postgres://user@host/db` [default: a SQLite file in the data folder]
    #[arg(
        long,
        env = "SLUICE_DATABASE_URL",
        hide_env_values = true,
        value_name = "URL"
    )]
    pub(crate) database_url: Option<String>,
}

impl PlaceOptions {
    /// The database, with the data folder `data_dir`.
    pub(crate) fn location(&self, data_dir: &Path) -> Location {
        match &self.database_url {
            Some(url) => Location::Postgres(url.clone()),
            None => Location::Sqlite(data_dir.join(DATABASE_FILE)),
        }
    }
}
