//! Errors of the vault.

use thiserror::Error;

/// Why a secret or a master key cannot be used.
#[derive(Debug, Error)]
pub enum VaultError {
    #[error("sealed with another key")]
    OtherKey,
    #[error("not a sealed secret, or changed since it was sealed")]
    Damaged,
    #[error("a master key is 64 hexadecimal characters")]
    BadKey,
    #[error("master key file {path}: {source}")]
    KeyFile {
        path: String,
        source: std::io::Error,
    },
}
