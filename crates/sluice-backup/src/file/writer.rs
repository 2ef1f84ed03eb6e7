//! Writing a backup file.

use std::io::{self, Write};

use flate2::{Compression, write::GzEncoder};
use rand::CryptoRng;

use super::{
    ENCRYPTED, FORMAT, MAGIC, PLAIN, START_LENGTH,
    encryption::EncryptWriter,
    key::{KeyHeader, Passphrase},
};
use crate::{BackupError, Result};

/// Compresses and encrypts what is written. Call [`BackupWriter::finish`] at the end.
pub struct BackupWriter<W: Write>(GzEncoder<Body<W>>);

enum Body<W> {
    Plain(W),
    Encrypted(EncryptWriter<W>),
}

impl<W: Write> BackupWriter<W> {
    /// Writes the beginning of the file.
    pub fn new(
        mut out: W,
        passphrase: Option<&Passphrase>,
        rng: &mut impl CryptoRng,
    ) -> Result<BackupWriter<W>> {
        let mut start = Vec::with_capacity(START_LENGTH);
        start.extend_from_slice(MAGIC);
        start.push(FORMAT);
        let body = if let Some(passphrase) = passphrase {
            let (header, key) = KeyHeader::create(passphrase, rng)?;
            start.push(ENCRYPTED);
            start.extend_from_slice(&header.to_bytes());
            out.write_all(&start).map_err(BackupError::Write)?;
            Body::Encrypted(EncryptWriter::new(&key, header.nonce, start, out))
        } else {
            start.push(PLAIN);
            out.write_all(&start).map_err(BackupError::Write)?;
            Body::Plain(out)
        };
        Ok(BackupWriter(GzEncoder::new(body, Compression::fast())))
    }

    /// Writes the end of the file.
    pub fn finish(self) -> Result<W> {
        let finish = || {
            let mut out = match self.0.finish()? {
                Body::Plain(out) => out,
                Body::Encrypted(writer) => writer.finish()?,
            };
            out.flush()?;
            Ok(out)
        };
        finish().map_err(BackupError::Write)
    }
}

impl<W: Write> Write for BackupWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<W: Write> Write for Body<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Body::Plain(out) => out.write(bytes),
            Body::Encrypted(writer) => writer.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Body::Plain(out) => out.flush(),
            Body::Encrypted(writer) => writer.flush(),
        }
    }
}
