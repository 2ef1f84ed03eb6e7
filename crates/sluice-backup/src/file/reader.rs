//! Reading a backup file.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::GzDecoder;

use super::{
    ENCRYPTED, FORMAT, MAGIC, PLAIN, START_LENGTH,
    encryption::DecryptReader,
    key::{KEY_HEADER_LENGTH, KeyHeader, Passphrase},
};
use crate::{BackupError, Result};

/// Decrypts and decompresses a backup file. Call [`BackupReader::finish`] after the last byte that is needed.
pub struct BackupReader<R>(GzDecoder<BufReader<Body<R>>>);

enum Body<R> {
    Plain(R),
    Encrypted(DecryptReader<R>),
}

impl<R: Read> BackupReader<R> {
    /// Reads the beginning of the file. `passphrase` is called if it is encrypted.
    pub fn open<E: From<BackupError>>(
        mut input: R,
        passphrase: impl FnOnce() -> Result<Passphrase, E>,
    ) -> Result<BackupReader<R>, E> {
        let mut start = vec![0; START_LENGTH];
        input.read_exact(&mut start).map_err(no_backup)?;
        let Some(&[format, encryption]) = start.strip_prefix(MAGIC) else {
            return Err(BackupError::NoBackup.into());
        };
        let body = match (format, encryption) {
            (FORMAT, PLAIN) => Body::Plain(input),
            (FORMAT, ENCRYPTED) => {
                let mut header = [0; KEY_HEADER_LENGTH];
                input
                    .read_exact(&mut header)
                    .map_err(BackupError::reading)?;
                start.extend_from_slice(&header);
                let header = KeyHeader::from_bytes(&header)?;
                let key = header.key(&passphrase()?)?;
                Body::Encrypted(DecryptReader::new(&key, header.nonce, start, input))
            }
            (FORMAT, _) => return Err(BackupError::damaged("its beginning was changed").into()),
            (other, _) => return Err(BackupError::UnknownFormat(other).into()),
        };
        Ok(BackupReader(GzDecoder::new(BufReader::new(body))))
    }

    /// Checks that the file ends here, and that its checksum is right.
    pub fn finish(mut self) -> Result<()> {
        let is_more = |read: io::Result<usize>| read.map(|length| length > 0);
        let mut ended = is_more(self.0.read(&mut [0]));
        if let Ok(false) = ended {
            ended = self.0.into_inner().fill_buf().map(|rest| !rest.is_empty());
        }
        if ended.map_err(BackupError::reading)? {
            return Err(BackupError::damaged("something follows its end"));
        }
        Ok(())
    }
}

impl<R: Read> Read for BackupReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.0.read(out)
    }
}

impl<R: Read> Read for Body<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Body::Plain(input) => input.read(out),
            Body::Encrypted(reader) => reader.read(out),
        }
    }
}

/// A file that is shorter than the beginning of a backup is none.
fn no_backup(error: io::Error) -> BackupError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => BackupError::NoBackup,
        _ => BackupError::Read(error),
    }
}
