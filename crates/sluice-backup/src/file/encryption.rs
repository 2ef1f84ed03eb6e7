//! Encryption of a stream in blocks (STREAM with XChaCha20-Poly1305): a block that is changed, moved, missing or added fails.

use std::io::{self, ErrorKind, Read, Write};

use aead_stream::{NewStream, StreamBE32, StreamPrimitive, aead::Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305};

use super::key::Key;

const BLOCK: usize = 64 * 1024;
const TAG: usize = 16;

/// The beginning of the file is authenticated with each block.
struct Cipher {
    stream: StreamBE32<XChaCha20Poly1305>,
    start: Vec<u8>,
    position: u32,
}

impl Cipher {
    fn new(key: &Key, nonce: [u8; 19], start: Vec<u8>) -> Cipher {
        let aead = XChaCha20Poly1305::new(&(*key).into());
        Cipher {
            stream: StreamBE32::from_aead(aead, &nonce.into()),
            start,
            position: 0,
        }
    }

    fn advance(&mut self) -> io::Result<()> {
        let next = self.position.checked_add(1);
        self.position =
            next.ok_or_else(|| io::Error::other("more than 256 TB cannot be encrypted"))?;
        Ok(())
    }

    fn seal(&mut self, block: &[u8], is_last: bool) -> io::Result<Vec<u8>> {
        let payload = Payload {
            msg: block,
            aad: &self.start,
        };
        let sealed = self.stream.encrypt(self.position, is_last, payload);
        self.advance()?;
        sealed.map_err(|_| io::Error::other("a block cannot be encrypted"))
    }

    fn open(&mut self, block: &[u8], is_last: bool) -> io::Result<Vec<u8>> {
        let decrypt = |is_last| {
            let payload = Payload {
                msg: block,
                aad: &self.start,
            };
            self.stream.decrypt(self.position, is_last, payload)
        };
        let opened = decrypt(is_last);
        if opened.is_err() && is_last && decrypt(false).is_ok() {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        let opened = opened.map_err(|_| {
            let text = "a block was changed or cut off";
            io::Error::new(ErrorKind::InvalidData, text)
        })?;
        self.advance()?;
        Ok(opened)
    }
}

/// Encrypts what is written. Call [`EncryptWriter::finish`] at the end.
pub(super) struct EncryptWriter<W> {
    cipher: Cipher,
    block: Vec<u8>,
    out: W,
}

impl<W: Write> EncryptWriter<W> {
    pub(super) fn new(key: &Key, nonce: [u8; 19], start: Vec<u8>, out: W) -> EncryptWriter<W> {
        EncryptWriter {
            cipher: Cipher::new(key, nonce, start),
            block: Vec::with_capacity(BLOCK),
            out,
        }
    }

    /// Writes the last block.
    pub(super) fn finish(mut self) -> io::Result<W> {
        let sealed = self.cipher.seal(&self.block, true)?;
        self.out.write_all(&sealed)?;
        Ok(self.out)
    }
}

impl<W: Write> Write for EncryptWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A full block is written when more comes: the last one is marked.
        if self.block.len() == BLOCK && !bytes.is_empty() {
            let sealed = self.cipher.seal(&self.block, false)?;
            self.out.write_all(&sealed)?;
            self.block.clear();
        }
        let (taken, _) = bytes.split_at(bytes.len().min(BLOCK - self.block.len()));
        self.block.extend_from_slice(taken);
        Ok(taken.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Decrypts what is read. Bytes are given out only when their block was authenticated.
pub(super) struct DecryptReader<R> {
    cipher: Cipher,
    input: R,
    /// Bytes after the current block, to know whether it is the last.
    ahead: Vec<u8>,
    block: io::Cursor<Vec<u8>>,
    is_over: bool,
}

impl<R: Read> DecryptReader<R> {
    pub(super) fn new(key: &Key, nonce: [u8; 19], start: Vec<u8>, input: R) -> DecryptReader<R> {
        DecryptReader {
            cipher: Cipher::new(key, nonce, start),
            input,
            ahead: Vec::new(),
            block: io::Cursor::default(),
            is_over: false,
        }
    }

    fn next_block(&mut self) -> io::Result<()> {
        let sealed = BLOCK + TAG;
        let missing = (sealed + 1).saturating_sub(self.ahead.len());
        let input = self.input.by_ref();
        input.take(missing as u64).read_to_end(&mut self.ahead)?;
        let is_last = self.ahead.len() <= sealed;
        let rest = self.ahead.split_off(sealed.min(self.ahead.len()));
        let block = std::mem::replace(&mut self.ahead, rest);
        self.block = io::Cursor::new(self.cipher.open(&block, is_last)?);
        self.is_over = is_last;
        Ok(())
    }
}

impl<R: Read> Read for DecryptReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.block.read(out)?;
            if read > 0 || out.is_empty() || self.is_over {
                return Ok(read);
            }
            self.next_block()?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: Key = [7; 32];

    fn sealed(plain: &[u8]) -> Vec<u8> {
        let mut writer = EncryptWriter::new(&KEY, [1; 19], b"start".to_vec(), Vec::new());
        writer.write_all(plain).unwrap();
        writer.finish().unwrap()
    }

    fn opened(sealed: &[u8], start: &[u8]) -> io::Result<Vec<u8>> {
        let mut reader = DecryptReader::new(&KEY, [1; 19], start.to_vec(), sealed);
        let mut plain = Vec::new();
        reader.read_to_end(&mut plain).map(|_| plain)
    }

    #[test]
    fn streams_of_all_lengths_come_back() {
        for length in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 3 * BLOCK + 5] {
            let plain: Vec<u8> = (0..=250).cycle().take(length).collect();
            assert_eq!(opened(&sealed(&plain), b"start").unwrap(), plain);
        }
    }

    #[test]
    fn a_change_a_cut_and_another_start_fail() {
        let whole = sealed(&vec![3; 2 * BLOCK + 10]);
        assert!(opened(&whole, b"other").is_err());
        for at in [0, BLOCK, BLOCK + TAG, whole.len() - 1] {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            let error = opened(&changed, b"start").unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidData, "{at}");
        }
        let sealed_block = BLOCK + TAG;
        for length in [0, 1, sealed_block - 1, sealed_block + 1, whole.len() - 1] {
            assert!(opened(&whole[..length], b"start").is_err(), "{length}");
        }
        for length in [sealed_block, 2 * sealed_block] {
            let error = opened(&whole[..length], b"start").unwrap_err();
            assert_eq!(error.kind(), ErrorKind::UnexpectedEof, "{length}");
        }
        let mut longer = whole.clone();
        longer.push(0);
        assert!(opened(&longer, b"start").is_err());
        let swapped = [
            &whole[sealed_block..2 * sealed_block],
            &whole[..sealed_block],
        ]
        .concat();
        assert!(opened(&[&swapped, &whole[2 * sealed_block..]].concat(), b"start").is_err());
    }
}
