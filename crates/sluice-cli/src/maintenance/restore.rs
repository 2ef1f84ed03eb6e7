//! `sluice restore`

use std::{
    fs::File,
    io::{self, BufReader, Read},
    path::{Path, PathBuf},
};

use anyhow::Context;
use clap::Args;
use sluice_backup::{BackupReader, Dump, Header, Manifest};
use sluice_model::{Clock, SystemClock};
use sluice_outbox::JournalCopy;
use sluice_store::{Location, audit::Action, transfer::fill};

use super::{
    audit::MachineChange,
    master_key::{KeysOf, save},
    output::STANDARD,
    passphrase::PassphraseOptions,
    target_folder::TargetFolder,
};
use crate::{
    data_folder::{DataFolder, KEY_FILE},
    options::place::PlaceOptions,
};

const EXAMPLES: &str = "\
Examples:
  sluice restore --data-dir /var/lib/sluice/data /backup/sluice.backup
  sluice restore --database-url postgres://sluice@db/sluice /backup/sluice.backup";

/// Restore a backup into an empty data folder or an empty PostgreSQL database
///
/// Counts and hashes of all rows are verified, in the file and in the database. If anything is wrong, or the command is
/// interrupted, there is no database. Stop the old server first: two servers on the same data both run timers and send
/// webhooks.
///
/// The folder may already have the master key. If the backup has it, it is written to the folder.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct RestoreOptions {
    /// Backup to restore. `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    place: PlaceOptions,
    #[command(flatten)]
    passphrase: PassphraseOptions,
    /// Master key of the server. It must be the one of the backup [default: from the backup, or from a file in the data folder]
    #[arg(
        long,
        env = "SLUICE_MASTER_KEY",
        hide_env_values = true,
        value_name = "KEY"
    )]
    master_key: Option<String>,
}

type Input = BackupReader<Box<dyn Read>>;

pub(super) fn restore(options: &RestoreOptions) -> anyhow::Result<()> {
    let file = options.file.display();
    let input = open(&options.file)?;
    let input = BackupReader::open(input, || options.passphrase.require())
        .with_context(|| format!("cannot restore {file}"))?;
    let dump = Dump::open(input).with_context(|| format!("cannot restore {file}"))?;
    let keys = Keys::find(options, &dump)?;
    let (manifest, place) = if let Some(url) = &options.place.database_url {
        let location = Location::Postgres(url.clone());
        (keys.restore(dump, &location)?, "the database".to_owned())
    } else {
        let folder = TargetFolder::open(&options.place.data_dir)?;
        let manifest = folder.fill(|location| keys.restore(dump, location))?;
        (manifest, folder.path().display().to_string())
    };
    let (rows, tables) = (manifest.rows(), manifest.tables.len());
    eprintln!("{file} restored into {place}: {rows} rows of {tables} tables, verified");
    if keys.is_missing() {
        let folder = options.place.data_dir.display();
        eprintln!(
            "The backup has no master key. Before you start the server, copy {KEY_FILE} to {folder}, or set SLUICE_MASTER_KEY."
        );
    }
    Ok(())
}

fn open(path: &Path) -> anyhow::Result<Box<dyn Read>> {
    if path.as_os_str() == STANDARD {
        return Ok(Box::new(io::stdin().lock()));
    }
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    Ok(Box::new(BufReader::new(file)))
}

/// The master keys that were found. All must be the one of the database.
struct Keys<'o> {
    in_backup: Option<KeysOf>,
    given: Option<KeysOf>,
    in_folder: Option<KeysOf>,
    folder: &'o Path,
}

impl<'o> Keys<'o> {
    fn find(options: &'o RestoreOptions, dump: &Dump<Input>) -> anyhow::Result<Keys<'o>> {
        let in_backup = dump.header().master_key.as_deref();
        let in_backup = in_backup.map(|hex| KeysOf::new(hex, "the backup"));
        Ok(Keys {
            in_backup: in_backup.transpose()?,
            given: KeysOf::given(options.master_key.as_deref())?,
            in_folder: KeysOf::folder(&options.place.data_dir)?,
            folder: &options.place.data_dir,
        })
    }

    fn is_missing(&self) -> bool {
        self.in_backup.is_none() && self.given.is_none() && self.in_folder.is_none()
    }

    /// The file is read to its end before anything is committed. The key is there before the database is.
    fn restore(&self, dump: Dump<Input>, location: &Location) -> anyhow::Result<Manifest> {
        let Header {
            created_at: made_at,
            journal,
            ..
        } = dump.header().clone();
        fill(location, |c| -> anyhow::Result<Manifest> {
            let (manifest, input) = dump.fill(c)?;
            input.finish()?;
            let keys = [&self.in_backup, &self.given, &self.in_folder];
            keys.into_iter()
                .flatten()
                .try_for_each(|keys| keys.fitting(c).map(drop))?;
            if let (Some(keys), None) = (&self.in_backup, &self.given) {
                DataFolder::create(self.folder)?;
                save(keys.fitting(c)?, self.folder)?;
            }
            JournalCopy::record(c, &journal, SystemClock.now_ms())?;
            MachineChange::of_server(Action::ServerRestore)
                .with("backup_made_at", made_at)
                .record(c)?;
            Ok(manifest)
        })
        .context("not restored")
    }
}
