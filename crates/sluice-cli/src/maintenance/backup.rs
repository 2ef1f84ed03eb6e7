//! `sluice backup`

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use sluice_backup::{BackupWriter, Header, Manifest, Passphrase, dump};
use sluice_infra::Ids;
use sluice_model::SystemClock;
use sluice_outbox::JournalCopy;
use sluice_store::{Location, MasterKey, transfer::snapshot};

use super::{
    master_key::KeysOf,
    output::{Output, STANDARD},
    passphrase::PassphraseOptions,
    source::describe,
};
use crate::options::place::PlaceOptions;

const EXAMPLES: &str = "\
Examples:
  sluice backup /backup/sluice.backup
  sluice backup --with-key --passphrase-file /root/passphrase /backup/sluice.backup
  sluice backup - | ssh backup@example.com 'cat > sluice.backup'";

/// Back up the database of a server, also while it runs
///
/// The backup is one consistent snapshot with everything that was acknowledged before the command began. It has the same form
/// for SQLite and PostgreSQL, so it can be restored into either. Run it on the machine of the server, as its user and with its
/// settings. The file gets its name when it is complete.
///
/// It does not contain the master key unless you ask for it. Caches are left out. Without a passphrase the events in the
/// backup can be read by everyone who has the file.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct BackupOptions {
    /// File to write, which is replaced if it exists. `-` is standard output
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    place: PlaceOptions,
    /// Include the master key. The backup must be encrypted then
    #[arg(long)]
    with_key: bool,
    /// Encrypt the backup. Implied by --with-key, --passphrase-file and `SLUICE_BACKUP_PASSPHRASE`
    #[arg(long)]
    encrypt: bool,
    #[command(flatten)]
    passphrase: PassphraseOptions,
    /// Master key of the server, for --with-key [default: from a file in the data folder]
    #[arg(
        long,
        env = "SLUICE_MASTER_KEY",
        hide_env_values = true,
        value_name = "KEY"
    )]
    master_key: Option<String>,
}

pub(super) fn backup(options: &BackupOptions) -> anyhow::Result<()> {
    let key = options.key()?;
    let passphrase = options
        .passphrase
        .choose(options.encrypt || options.with_key)?;
    let output = Output::create(&options.file)?;
    let from = Source {
        location: options.place.location(&options.place.data_dir),
        folder: &options.place.data_dir,
    };
    let (manifest, output) = write(&from, key.as_ref(), passphrase.as_ref(), output)?;
    output.publish()?;
    if options.file.as_os_str() != STANDARD {
        let file = options.file.display();
        let (rows, tables) = (manifest.rows(), manifest.tables.len());
        eprintln!("{file} written: {rows} rows of {tables} tables");
    }
    Ok(())
}

impl BackupOptions {
    fn key(&self) -> anyhow::Result<Option<KeysOf>> {
        if !self.with_key {
            return Ok(None);
        }
        let folder = &self.place.data_dir;
        let key = match KeysOf::given(self.master_key.as_deref())? {
            None => KeysOf::folder(folder)?,
            given => given,
        };
        if key.is_none() {
            bail!(
                "there is no master key in {}: set SLUICE_MASTER_KEY, or leave out --with-key",
                folder.display()
            );
        }
        Ok(key)
    }
}

/// The data of a server.
struct Source<'o> {
    location: Location,
    folder: &'o Path,
}

fn write(
    from: &Source<'_>,
    key: Option<&KeysOf>,
    passphrase: Option<&Passphrase>,
    output: Output,
) -> anyhow::Result<(Manifest, Output)> {
    let ids = Ids::from_entropy(std::sync::Arc::new(SystemClock));
    let mut file = BackupWriter::new(output, passphrase, &mut ids.rng())?;
    let journal = open_journal(from.folder)?;
    let manifest = snapshot(&from.location, |c| -> anyhow::Result<Manifest> {
        let master_key = key.map(|key| key.fitting(c)).transpose()?;
        // It reads the database, with which the snapshot begins. The journal is read afterwards.
        let header = describe(c, key)?;
        let header = Header {
            master_key: master_key.map(MasterKey::hex),
            journal: journal.read().context(JOURNAL_FAILED)?,
            ..header
        };
        Ok(dump(c, &header, &mut file)?)
    });
    let manifest = manifest.context("cannot back up")?;
    Ok((manifest, file.finish()?))
}

const JOURNAL_FAILED: &str = "cannot read the delivery journal";

fn open_journal(folder: &Path) -> anyhow::Result<JournalCopy> {
    JournalCopy::open(folder)
        .with_context(|| format!("{JOURNAL_FAILED} in the folder {}", folder.display()))
}
