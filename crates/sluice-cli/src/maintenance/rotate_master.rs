//! `sluice keys rotate-master`

mod rotation;

use std::{path::PathBuf, sync::Arc};

use anyhow::{Context, bail};
use clap::Args;
use sluice_infra::Ids;
use sluice_model::SystemClock;
use sluice_store::MasterKey;

use self::rotation::{Outcome, of_file, of_settings};
use super::{master_key::key_file, tls::install_tls};
use crate::{
    commands::secret_file::read_secret, data_folder::KEY_FILE, options::place::PlaceOptions,
};

const EXAMPLES: &str = "\
Examples:
  sluice keys rotate-master --data-dir /var/lib/sluice/data
  sluice keys rotate-master --new-master-key-file /root/new.key";

/// Replace the master key, also while servers run
///
/// It takes seconds for a database of any size: the master key seals only the data key, which seals everything else. Run it on
/// the machine of the server, as its user and with its settings. Running servers go on, and API keys and sessions stay valid.
///
/// The new key is made, unless you give it. The file `master.key` in the data folder is replaced. A command that was interrupted
/// can be repeated, and the server starts after it.
///
/// If the server has its key from `SLUICE_MASTER_KEY`, set that to the old key, and give the new one. Then change the settings
/// of all servers.
///
/// Backups that were made before need the old key, unless they contain it: keep it as long as you keep them.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct RotateMasterOptions {
    #[command(flatten)]
    place: PlaceOptions,
    /// Old master key [default: from the file in the data folder]
    #[arg(
        long,
        env = "SLUICE_MASTER_KEY",
        hide_env_values = true,
        value_name = "KEY"
    )]
    master_key: Option<String>,
    /// New master key: 64 hexadecimal characters [default: generated]
    #[arg(
        long,
        env = "SLUICE_NEW_MASTER_KEY",
        hide_env_values = true,
        value_name = "KEY"
    )]
    new_master_key: Option<String>,
    /// Read the new master key from this file. `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "new_master_key")]
    new_master_key_file: Option<PathBuf>,
}

pub(crate) fn rotate_master(options: &RotateMasterOptions) -> anyhow::Result<()> {
    install_tls();
    let folder = &options.place.data_dir;
    let location = options.place.location(folder);
    let ids = Ids::from_entropy(Arc::new(SystemClock));
    let new = options.new_key()?;
    let Some(old) = &options.master_key else {
        let outcome = of_file(&location, &key_file(folder), new, &ids)?;
        report(&outcome, &folder.join(KEY_FILE).display().to_string());
        return Ok(());
    };
    let old = MasterKey::from_hex(old).context("cannot use SLUICE_MASTER_KEY")?;
    let Some(new) = new else {
        bail!(
            "the server has its master key from SLUICE_MASTER_KEY, so a new one cannot be saved for it: make one with `openssl \
             rand -hex 32`, store it, and give it with --new-master-key-file or SLUICE_NEW_MASTER_KEY"
        );
    };
    let outcome = of_settings(&location, &old, &new, &ids)?;
    report(&outcome, "SLUICE_MASTER_KEY");
    Ok(())
}

impl RotateMasterOptions {
    fn new_key(&self) -> anyhow::Result<Option<MasterKey>> {
        if let Some(file) = &self.new_master_key_file {
            let text = read_secret(file)?;
            let key = MasterKey::from_hex(&text);
            return key
                .map(Some)
                .with_context(|| format!("cannot use {}", file.display()));
        }
        let key = self.new_master_key.as_deref().map(MasterKey::from_hex);
        key.transpose().context("cannot use SLUICE_NEW_MASTER_KEY")
    }
}

/// `place` is the file or the setting with the key.
fn report(outcome: &Outcome, place: &str) {
    let in_file = place != "SLUICE_MASTER_KEY";
    match outcome {
        Outcome::Unchanged => eprintln!("The database uses the new master key already."),
        Outcome::Rotated { .. } => eprintln!("The master key is rotated."),
    }
    if in_file {
        eprintln!("{place} has the new key. Store a copy of it outside of this machine.");
    } else {
        eprintln!("Set SLUICE_MASTER_KEY to the new key in the settings of all servers now.");
    }
    if let Outcome::Rotated { servers } = outcome
        && servers.len() > 1
    {
        let servers = servers.join(", ");
        eprintln!("Running servers go on, and need the new key for their next start: {servers}.");
        if in_file {
            eprintln!("Copy {KEY_FILE} to the data folders of the others.");
        }
    }
    eprintln!("Backups that were made before need the old key, unless they contain it.");
}
