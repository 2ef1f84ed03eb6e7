//! A move: a dump of one database fills another, through a pipe.

use std::{
    io::{self, BufReader, BufWriter, ErrorKind, PipeReader, PipeWriter, Write},
    thread,
};

use sluice_store::{
    Conn, Location,
    transfer::{fill, snapshot},
};

use crate::{BackupError, Dump, Header, Manifest, Result, dump};

/// Copies a database, which `header` describes, into an empty one, and verifies it. The source must not change meanwhile.
/// `finish` adds to the new database what the old one lacks.
pub fn migrate(
    from: &Location,
    to: &Location,
    header: &Header,
    finish: impl FnOnce(&mut dyn Conn) -> Result<()>,
) -> Result<Manifest> {
    let (reader, writer) = io::pipe().map_err(BackupError::Write)?;
    thread::scope(|scope| {
        let exporting = scope.spawn(move || write(from, writer, header));
        let filled = fill(to, |c| {
            let manifest = read(c, reader)?;
            finish(c)?;
            Ok(manifest)
        });
        let exported = exporting
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        match exported {
            // The reader has ended, and knows why.
            Err(BackupError::Write(error)) if error.kind() == ErrorKind::BrokenPipe => filled,
            Err(error) => Err(error),
            Ok(()) => filled,
        }
    })
}

fn write(from: &Location, pipe: PipeWriter, header: &Header) -> Result<()> {
    let mut out = BufWriter::new(pipe);
    snapshot(from, |c| dump(c, header, &mut out))?;
    out.flush().map_err(BackupError::Write)
}

fn read(c: &mut dyn Conn, pipe: PipeReader) -> Result<Manifest> {
    let (manifest, _) = Dump::open(BufReader::new(pipe))?.fill(c)?;
    Ok(manifest)
}
