//! Errors of backups and restores.

use std::io::{Error, ErrorKind};

use sluice_store::{StoreError, VaultError};
use thiserror::Error;

/// Why a backup, a restore or a move failed. The target was not changed, or is unusable for servers.
#[derive(Debug, Error)]
pub enum BackupError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Vault(#[from] VaultError),
    #[error("cannot read the backup: {0}")]
    Read(Error),
    #[error("cannot write the backup: {0}")]
    Write(Error),
    #[error("this is no backup of Sluice")]
    NoBackup,
    #[error("the backup has format {0}, which this program does not know: use a newer sluice")]
    UnknownFormat(u8),
    #[error("the backup is encrypted: give its passphrase")]
    PassphraseMissing,
    #[error("wrong passphrase")]
    WrongPassphrase,
    #[error("the backup is incomplete: its end is missing")]
    Incomplete,
    #[error("the backup is damaged: {0}")]
    Damaged(String),
    #[error(
        "the backup is of schema version {version}, made by sluice {sluice}; this program knows versions up to {newest}: use a \
         newer sluice"
    )]
    NewerSchema {
        version: i64,
        newest: i64,
        sluice: String,
    },
    #[error(
        "the backup was made by another development version of sluice ({sluice}), and its schema has changed since: restore it \
         with that version"
    )]
    OtherSchema { sluice: String },
    #[error("verification failed: the table {0} does not have the rows of the source")]
    NotEqual(String),
}

impl BackupError {
    pub(crate) fn damaged(reason: impl Into<String>) -> BackupError {
        BackupError::Damaged(reason.into())
    }

    /// Classifies an error of a reader: the end of the file, data that does not decode, or a failure of the disk.
    pub(crate) fn reading(error: Error) -> BackupError {
        match error.kind() {
            ErrorKind::UnexpectedEof => BackupError::Incomplete,
            ErrorKind::InvalidData | ErrorKind::InvalidInput => {
                BackupError::Damaged(error.to_string())
            }
            _ => BackupError::Read(error),
        }
    }
}

/// The result of everything in this crate.
pub type Result<T, E = BackupError> = std::result::Result<T, E>;
