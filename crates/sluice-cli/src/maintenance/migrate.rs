//! `sluice migrate`

use std::{
    path::{Path, PathBuf},
    str::FromStr,
};

use anyhow::{Context, bail};
use clap::Args;
use sluice_backup::Manifest;
use sluice_outbox::JournalCopy;
use sluice_store::{
    Location, MasterKey,
    transfer::{snapshot, while_unused},
};

use super::{
    master_key::{KeysOf, save},
    source::describe,
    target_folder::TargetFolder,
};
use crate::data_folder::{DATABASE_FILE, KEY_FILE};

const EXAMPLES: &str = "\
Examples:
  sluice migrate --from /var/lib/sluice/data --to postgres://sluice@db/sluice
  sluice migrate --from postgres://sluice@db/sluice --to /var/lib/sluice/new";

/// Move the data of a server from SQLite to PostgreSQL, or back
///
/// Everything is copied: users and keys, sources with their ids, endpoint URLs and state, events, runs, accounts and secrets.
/// Counts and hashes of all rows are verified. The source stays as it is, and the target must be empty.
///
/// No server may use the source. It cannot be started before the command has ended. Then start the server on the target
/// only.
///
/// Secrets stay encrypted with the master key. A folder as target gets the key of the source folder, or must have it already.
/// With PostgreSQL as target, start the server with the master key of the source.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct MigrateOptions {
    /// Data folder or `postgres://` URL to read
    #[arg(
        long,
        env = "SLUICE_MIGRATE_FROM",
        hide_env_values = true,
        value_name = "PLACE"
    )]
    from: Place,
    /// Empty data folder or `postgres://` URL of an empty database
    #[arg(
        long,
        env = "SLUICE_MIGRATE_TO",
        hide_env_values = true,
        value_name = "PLACE"
    )]
    to: Place,
    /// Master key of the server [default: from a file in the folders]
    #[arg(
        long,
        env = "SLUICE_MASTER_KEY",
        hide_env_values = true,
        value_name = "KEY"
    )]
    master_key: Option<String>,
}

/// Where data is.
#[derive(Debug, Clone)]
enum Place {
    Folder(PathBuf),
    /// Its password is in no message.
    Postgres(String),
}

impl FromStr for Place {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_url = ["postgres://", "postgresql://"]
            .iter()
            .any(|scheme| text.starts_with(scheme));
        Ok(if is_url {
            Place::Postgres(text.to_owned())
        } else {
            Place::Folder(text.into())
        })
    }
}

impl Place {
    fn location(&self) -> Location {
        match self {
            Place::Folder(folder) => Location::Sqlite(folder.join(DATABASE_FILE)),
            Place::Postgres(url) => Location::Postgres(url.clone()),
        }
    }

    fn key(&self) -> anyhow::Result<Option<KeysOf>> {
        match self {
            Place::Folder(folder) => KeysOf::folder(folder),
            Place::Postgres(_) => Ok(None),
        }
    }

    /// The delivery journal, which has something if the last server was killed.
    fn journal(&self) -> anyhow::Result<String> {
        match self {
            Place::Folder(folder) => JournalCopy::open(folder)
                .and_then(JournalCopy::read)
                .context("cannot read the delivery journal"),
            Place::Postgres(_) => Ok(String::new()),
        }
    }
}

pub(super) fn migrate(options: &MigrateOptions) -> anyhow::Result<()> {
    let given = KeysOf::given(options.master_key.as_deref())?;
    let keys = Keys {
        of_source: options.from.key()?,
        of_target: options.to.key()?,
        given,
    };
    let manifest = match &options.to {
        Place::Folder(path) => {
            keys.require(path)?;
            let folder = TargetFolder::open(path)?;
            folder.fill(|to| {
                let (manifest, of_source) = copy(&options.from, to, &keys)?;
                if let (Some(key), None) = (of_source, &keys.given) {
                    save(&key, folder.path())?;
                }
                Ok(manifest)
            })?
        }
        Place::Postgres(url) => copy(&options.from, &Location::Postgres(url.clone()), &keys)?.0,
    };
    let (rows, tables) = (manifest.rows(), manifest.tables.len());
    eprintln!("{rows} rows of {tables} tables copied and verified");
    if let Place::Postgres(_) = options.to {
        eprintln!(
            "Start the server with --database-url and the same master key: the data folder with {KEY_FILE}, or SLUICE_MASTER_KEY."
        );
    }
    Ok(())
}

/// The master keys that were found. All must be the one of the database.
struct Keys {
    of_source: Option<KeysOf>,
    of_target: Option<KeysOf>,
    given: Option<KeysOf>,
}

impl Keys {
    fn all(&self) -> impl Iterator<Item = &KeysOf> {
        [&self.of_source, &self.of_target, &self.given]
            .into_iter()
            .flatten()
    }

    /// A new server in a folder without the key would not start.
    fn require(&self, target: &Path) -> anyhow::Result<()> {
        if self.all().next().is_none() {
            bail!(
                "the master key is missing: copy {KEY_FILE} from the data folder of the server to {}, or set SLUICE_MASTER_KEY",
                target.display()
            );
        }
        Ok(())
    }
}

/// The source does not change meanwhile, so it can be looked at first. Returns its key too, if it was found there.
fn copy(from: &Place, to: &Location, keys: &Keys) -> anyhow::Result<(Manifest, Option<MasterKey>)> {
    let location = from.location();
    while_unused(&location, || -> anyhow::Result<_> {
        let journal = from.journal()?;
        let (header, of_source) = snapshot(&location, |c| -> anyhow::Result<_> {
            let of_source = keys.of_source.as_ref();
            let of_source = of_source.map(|keys| keys.fitting(c).cloned());
            Ok((describe(c, keys.all())?, of_source.transpose()?))
        })?;
        let manifest = sluice_backup::migrate(&location, to, &header, |c| {
            Ok(JournalCopy::record(c, &journal, header.created_at)?)
        })?;
        Ok((manifest, of_source))
    })
    .context("not migrated")
}
