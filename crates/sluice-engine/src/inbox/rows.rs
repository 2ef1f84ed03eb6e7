//! Work and its files as rows.

use std::collections::{BTreeSet, HashMap};

use sluice_model::EmitterId;
use sluice_store::{
    Conn, StoreError,
    audit::{self, AuditEntry},
    inbox::{self, NewInboxItem},
    placement::{Place, places},
    uploads::{self, Upload},
};

use crate::work::Work;

/// A file of a multipart request; the event names it as `$tmp:<id>/<file name>`.
#[derive(Debug)]
pub struct NewUpload {
    pub id: String,
    pub filename: String,
    pub mimetype: String,
    pub content: Vec<u8>,
}

/// Work that is to be stored.
pub(super) struct NewRow {
    pub(super) emitter: EmitterId,
    pub(super) work: Work,
    pub(super) files: Vec<NewUpload>,
    /// The number of the definition that the caller knows; `None` when any will do.
    pub(super) generation: Option<i64>,
    /// The node at which a client waits for the reply.
    pub(super) reply_to: Option<String>,
    /// The entry of the audit log about it, if it has one.
    pub(super) entry: Option<Box<AuditEntry>>,
}

/// What became of several rows.
pub(super) struct Verdicts {
    /// The owners of the emitters that have new rows.
    pub(super) owners: HashMap<EmitterId, Option<String>>,
    /// For each row the files that are given back, if it was not stored because its definition is outdated.
    pub(super) outdated: Vec<Option<Vec<NewUpload>>>,
}

pub(super) fn emitters(rows: &[NewRow]) -> Vec<EmitterId> {
    let distinct: BTreeSet<&EmitterId> = rows.iter().map(|row| &row.emitter).collect();
    distinct.into_iter().cloned().collect()
}

/// Stores direct requests of an emitter that take too long.
pub(crate) fn insert_direct(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    works: Vec<Work>,
) -> Result<(), StoreError> {
    let rows = works.into_iter().map(|work| NewRow {
        emitter: emitter.clone(),
        work,
        files: Vec::new(),
        generation: None,
        reply_to: None,
        entry: None,
    });
    insert(c, rows.collect())
}

/// Inserts the rows whose definition is current, if the node still holds its lease.
pub(super) fn insert_current(
    c: &mut dyn Conn,
    node: &str,
    rows: Vec<NewRow>,
) -> Result<Verdicts, StoreError> {
    let Some(places) = places(c, node, &emitters(&rows))? else {
        let message = "this node has lost its lease";
        return Err(StoreError::Unavailable(message.to_owned()));
    };
    let mut verdicts = Verdicts {
        owners: HashMap::new(),
        outdated: Vec::with_capacity(rows.len()),
    };
    let mut current = Vec::with_capacity(rows.len());
    for row in rows {
        match places.get(&row.emitter) {
            Some(Place { owner, generation }) if row.is_current(*generation) => {
                verdicts.owners.insert(row.emitter.clone(), owner.clone());
                verdicts.outdated.push(None);
                current.push(row);
            }
            Some(_) | None => verdicts.outdated.push(Some(row.files)),
        }
    }
    insert(c, current)?;
    Ok(verdicts)
}

impl NewRow {
    fn is_current(&self, generation: i64) -> bool {
        self.generation.is_none_or(|known| known == generation)
    }
}

/// Inserts work of any emitters with its files and entries.
pub(super) fn insert(c: &mut dyn Conn, rows: Vec<NewRow>) -> Result<(), StoreError> {
    let items = rows.iter().map(|row| {
        let work = &row.work;
        let item = NewInboxItem {
            id: &work.id,
            kind: work.kind,
            prop: work.prop.as_deref(),
            payload: &work.event,
            accepted_at: work.accepted_at,
            depth: work.depth,
            reply_to: row.reply_to.as_deref(),
            trace: work.trace.as_ref(),
        };
        (&row.emitter, item)
    });
    inbox::insert_all(c, items)?;
    for NewRow {
        emitter,
        work,
        files,
        entry,
        ..
    } in rows
    {
        if let Some(entry) = entry {
            audit::insert(c, &entry)?;
        }
        for NewUpload {
            id,
            filename,
            mimetype,
            content,
        } in files
        {
            let upload = Upload {
                id,
                emitter_id: emitter.clone(),
                invocation_id: work.id,
                filename,
                mimetype: mimetype.replace('\0', ""),
                content,
                created_at: work.accepted_at,
            };
            uploads::insert(c, &upload)?;
        }
    }
    Ok(())
}
