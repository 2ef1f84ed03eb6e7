//! The passphrase of a backup: from a file, the environment, or a prompt.

use std::{
    env,
    io::{self, IsTerminal},
    path::PathBuf,
};

use anyhow::bail;
use clap::Args;
use sluice_backup::Passphrase;

use crate::commands::secret_file::read_secret;

const VARIABLE: &str = "SLUICE_BACKUP_PASSPHRASE";

#[derive(Debug, Args)]
pub(super) struct PassphraseOptions {
    /// Read the passphrase of the backup from this file [default: the environment variable `SLUICE_BACKUP_PASSPHRASE`, or else
    /// it is asked for]
    #[arg(long, value_name = "FILE")]
    passphrase_file: Option<PathBuf>,
}

impl PassphraseOptions {
    /// For a new backup. It is asked for only if it is `wanted`.
    pub(super) fn choose(&self, wanted: bool) -> anyhow::Result<Option<Passphrase>> {
        match self.given()? {
            None if wanted => {
                let passphrase = ask("Passphrase of the backup: ")?;
                if ask("Repeat the passphrase: ")? != passphrase {
                    bail!("the passphrases differ");
                }
                Ok(Some(Passphrase::new(passphrase)))
            }
            given => Ok(given),
        }
    }

    /// For a backup that is encrypted.
    pub(super) fn require(&self) -> anyhow::Result<Passphrase> {
        match self.given()? {
            Some(passphrase) => Ok(passphrase),
            None => ask("Passphrase of the backup: ").map(Passphrase::new),
        }
    }

    fn given(&self) -> anyhow::Result<Option<Passphrase>> {
        if let Some(file) = &self.passphrase_file {
            return read_secret(file).map(|text| Some(Passphrase::new(text)));
        }
        match env::var(VARIABLE) {
            Err(env::VarError::NotPresent) => Ok(None),
            Err(error) => bail!("cannot use {VARIABLE}: {error}"),
            Ok(text) if text.trim().is_empty() => bail!("{VARIABLE} is empty"),
            Ok(text) => Ok(Some(Passphrase::new(text.trim()))),
        }
    }
}

fn ask(prompt: &str) -> anyhow::Result<String> {
    if !io::stdin().is_terminal() {
        bail!("the passphrase is missing: use --passphrase-file or {VARIABLE}");
    }
    let text = rpassword::prompt_password(prompt)?;
    match text.trim() {
        "" => bail!("the passphrase is empty"),
        text => Ok(text.to_owned()),
    }
}
