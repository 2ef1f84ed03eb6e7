//! Reading a dump into an empty database.

use std::io::Read;

use sluice_store::{
    Conn,
    transfer::{self, Table},
};

use crate::{
    BackupError, Header, Manifest, Result, TableSummary,
    digest::ListDigest,
    dump::each_row,
    frame::{self, Tag, from_json},
    manifest::TableHeader,
    row,
};

/// Rows are stored together up to these limits.
const BATCH_BYTES: usize = 4 * 1024 * 1024;
const BATCH_ROWS: usize = 1_000;

/// A dump of which the header was read.
pub struct Dump<R> {
    input: R,
    header: Header,
    headers: ListDigest,
}

impl<R: Read> Dump<R> {
    /// Reads the header. An error if this program does not know its schema.
    pub fn open(mut input: R) -> Result<Dump<R>> {
        let mut bytes = Vec::new();
        if frame::read(&mut input, &mut bytes)? != Tag::Header {
            return Err(BackupError::damaged("its header is missing"));
        }
        let header: Header = from_json(&bytes)?;
        let newest = transfer::newest_schema();
        if header.schema > newest {
            return Err(BackupError::NewerSchema {
                version: header.schema,
                newest,
                sluice: header.sluice,
            });
        }
        if !transfer::makes_schema_of(&header.migrations) {
            return Err(BackupError::OtherSchema {
                sluice: header.sluice,
            });
        }
        let mut headers = ListDigest::default();
        headers.add(&bytes);
        Ok(Dump {
            input,
            header,
            headers,
        })
    }

    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Creates the schema, adds all rows, and verifies them. Returns the input as well, which may have an end of its own.
    pub fn fill(mut self, c: &mut dyn Conn) -> Result<(Manifest, R)> {
        transfer::create_schema(c, self.header.schema)?;
        let tables = transfer::tables(c)?;
        let mut summaries = Vec::new();
        let mut bytes = Vec::new();
        let mut tag = frame::read(&mut self.input, &mut bytes)?;
        while tag == Tag::Table {
            self.headers.add(&bytes);
            let table = find(&tables, &from_json(&bytes)?)?;
            let (summary, next) = self.rows(c, table, &mut bytes)?;
            summaries.push(summary);
            tag = next;
        }
        if tag != Tag::Manifest {
            return Err(BackupError::damaged("a row is outside of a table"));
        }
        let manifest: Manifest = from_json(&bytes)?;
        check_read(&manifest, &tables, &summaries, &self.headers.finish())?;
        check_stored(c, &manifest, &tables)?;
        transfer::advance_sequences(c, &manifest.sequences)?;
        transfer::finish(c)?;
        Ok((manifest, self.input))
    }

    /// Adds the rows of a table. Returns the tag of the frame after them, which is in `bytes`.
    fn rows(
        &mut self,
        c: &mut dyn Conn,
        table: &Table,
        bytes: &mut Vec<u8>,
    ) -> Result<(TableSummary, Tag)> {
        let (mut rows, mut digest) = (0, ListDigest::default());
        let mut batch = Batch::default();
        let next = loop {
            let tag = frame::read(&mut self.input, bytes)?;
            if tag != Tag::Row {
                break tag;
            }
            rows += 1;
            digest.add(bytes);
            batch.add(std::mem::take(bytes));
            if batch.is_full() {
                batch.store(c, table)?;
            }
        };
        batch.store(c, table)?;
        let summary = TableSummary {
            name: table.name().to_owned(),
            rows,
            sha256: digest.finish(),
        };
        Ok((summary, next))
    }
}

/// Rows that are not stored yet.
#[derive(Default)]
struct Batch {
    rows: Vec<Vec<u8>>,
    bytes: usize,
}

impl Batch {
    fn add(&mut self, row: Vec<u8>) {
        self.bytes += row.len();
        self.rows.push(row);
    }

    fn is_full(&self) -> bool {
        self.bytes >= BATCH_BYTES || self.rows.len() >= BATCH_ROWS
    }

    fn store(&mut self, c: &mut dyn Conn, table: &Table) -> Result<()> {
        let width = table.columns().len();
        let mut values = Vec::with_capacity(self.rows.len() * width);
        for row in &self.rows {
            row::decode(row, width, &mut values)?;
        }
        if !values.is_empty() {
            transfer::insert(c, table, &values)?;
        }
        *self = Batch::default();
        Ok(())
    }
}

fn find<'t>(tables: &'t [Table], header: &TableHeader) -> Result<&'t Table> {
    let found = tables.iter().find(|table| table.name() == header.name);
    let found = found.filter(|table| table.columns() == header.columns);
    found.ok_or_else(|| {
        let name = &header.name;
        BackupError::damaged(format!("its table {name} is not of its schema version"))
    })
}

/// Compares the description at the end with the rows that were read.
fn check_read(
    manifest: &Manifest,
    tables: &[Table],
    read: &[TableSummary],
    headers: &str,
) -> Result<()> {
    if manifest.headers != headers {
        return Err(BackupError::damaged("a description in it was changed"));
    }
    for table in tables {
        let name = table.name();
        let mut of_table = read.iter().filter(|it| it.name == name);
        let (Some(summary), None) = (of_table.next(), of_table.next()) else {
            return Err(BackupError::damaged(format!("the table {name} is missing")));
        };
        if !manifest.tables.contains(summary) {
            let text = format!("the rows of the table {name} were changed");
            return Err(BackupError::damaged(text));
        }
    }
    Ok(())
}

/// Reads the filled database again.
fn check_stored(c: &mut dyn Conn, manifest: &Manifest, tables: &[Table]) -> Result<()> {
    for table in tables {
        let stored = each_row(c, table, &mut |_| Ok(()))?;
        if !manifest.tables.contains(&stored) {
            return Err(BackupError::NotEqual(stored.name));
        }
    }
    Ok(())
}
