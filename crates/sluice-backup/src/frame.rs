//! A dump is a list of frames: a tag, a length, and bytes.

use std::io::{Read, Write};

use serde::{Serialize, de::DeserializeOwned};

use crate::{BackupError, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tag {
    Header,
    Table,
    Row,
    Manifest,
}

impl Tag {
    const ALL: [Tag; 4] = [Tag::Header, Tag::Table, Tag::Row, Tag::Manifest];

    fn byte(self) -> u8 {
        match self {
            Tag::Header => b'H',
            Tag::Table => b'T',
            Tag::Row => b'R',
            Tag::Manifest => b'M',
        }
    }
}

pub(crate) fn write(out: &mut dyn Write, tag: Tag, bytes: &[u8]) -> Result<()> {
    let length = (bytes.len() as u64).to_le_bytes();
    out.write_all(&[tag.byte()])
        .and_then(|()| out.write_all(&length))
        .and_then(|()| out.write_all(bytes))
        .map_err(BackupError::Write)
}

/// Reads a frame into `bytes`, and returns its tag.
pub(crate) fn read(input: &mut dyn Read, bytes: &mut Vec<u8>) -> Result<Tag> {
    let (mut tag, mut length) = ([0], [0; 8]);
    let start = input.read_exact(&mut tag);
    start
        .and_then(|()| input.read_exact(&mut length))
        .map_err(BackupError::reading)?;
    let tag = Tag::ALL.into_iter().find(|it| [it.byte()] == tag);
    let tag = tag.ok_or_else(|| BackupError::damaged("a part of it is unknown"))?;
    let length = u64::from_le_bytes(length);
    bytes.clear();
    // A wrong length meets the end of the file before it fills the memory.
    let read = input.take(length).read_to_end(bytes);
    if read.map_err(BackupError::reading)? as u64 == length {
        Ok(tag)
    } else {
        Err(BackupError::Incomplete)
    }
}

pub(crate) fn to_json(description: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(description).map_err(|error| BackupError::Write(error.into()))
}

pub(crate) fn from_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|error| BackupError::damaged(error.to_string()))
}
