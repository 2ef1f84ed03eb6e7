//! Backup files: a dump, compressed, and encrypted if there is a passphrase.
//!
//! A file begins with [`MAGIC`], the version of the format, and a byte that tells whether it is encrypted.

mod encryption;
mod key;
mod reader;
mod writer;

pub use key::Passphrase;
pub use reader::BackupReader;
pub use writer::BackupWriter;

const MAGIC: &[u8; 13] = b"SLUICE-BACKUP";
const FORMAT: u8 = 1;
const PLAIN: u8 = 0;
const ENCRYPTED: u8 = 1;
/// The magic, the format, and the byte of encryption.
const START_LENGTH: usize = MAGIC.len() + 2;
