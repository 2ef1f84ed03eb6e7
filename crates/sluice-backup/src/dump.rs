//! Writing a dump.

use std::io::Write;

use sluice_store::{
    Conn, StoreError,
    transfer::{self, Table},
};

use crate::{
    BackupError, Header, Manifest, Result, TableSummary,
    digest::ListDigest,
    frame::{self, Tag, to_json},
    manifest::TableHeader,
    row,
};

/// Writes all tables of a snapshot. `header` describes it.
pub fn dump(c: &mut dyn Conn, header: &Header, out: &mut dyn Write) -> Result<Manifest> {
    let mut headers = ListDigest::default();
    let mut describe = |tag, bytes: Vec<u8>, out: &mut dyn Write| {
        headers.add(&bytes);
        frame::write(out, tag, &bytes)
    };
    describe(Tag::Header, to_json(header)?, out)?;
    let mut summaries = Vec::new();
    for table in transfer::tables(c)? {
        let table_header = TableHeader {
            name: table.name().to_owned(),
            columns: table.columns().to_vec(),
        };
        describe(Tag::Table, to_json(&table_header)?, out)?;
        let summary = each_row(c, &table, &mut |bytes| frame::write(out, Tag::Row, bytes))?;
        summaries.push(summary);
    }
    let manifest = Manifest {
        tables: summaries,
        sequences: transfer::sequences(c)?,
        headers: headers.finish(),
    };
    frame::write(out, Tag::Manifest, &to_json(&manifest)?)?;
    Ok(manifest)
}

/// Reads a table, and hands the bytes of each row to `each`.
pub(crate) fn each_row(
    c: &mut dyn Conn,
    table: &Table,
    each: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<TableSummary> {
    let (mut rows, mut digest, mut bytes) = (0, ListDigest::default(), Vec::new());
    let mut failure = None;
    let scanned = transfer::scan(c, table, &mut |values| {
        row::encode(values, &mut bytes);
        digest.add(&bytes);
        rows += 1;
        each(&bytes).map_err(|error| {
            failure = Some(error);
            // Ends the scan. The error is in `failure`.
            StoreError::Internal("not written".to_owned())
        })
    });
    match (failure, scanned) {
        (Some(error), _) => Err(error),
        (None, Err(error)) => Err(BackupError::Store(error)),
        (None, Ok(())) => Ok(TableSummary {
            name: table.name().to_owned(),
            rows,
            sha256: digest.finish(),
        }),
    }
}
