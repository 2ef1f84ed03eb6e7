//! The delivery journal: successes that the store does not have yet.
//!
//! Between a receiver's response and its durable record lie milliseconds in which the server may be killed, and would
//! deliver again. So a success is noted in a file first: written and not synced, which survives the death of the process.
//! The next start records what it finds. One thread does all file operations, so that no async thread blocks. Workers do not
//! wait for it: a write takes microseconds, and the next request begins meanwhile.

mod segments;

use std::{
    io,
    path::Path,
    sync::{
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    thread,
};

use sluice_infra::Infra;
use sluice_model::DeliveryId;
use sluice_store::{
    StoreError,
    deliveries::{self, Attempt},
};
use tokio::sync::oneshot;

use self::segments::Segments;
pub(crate) use self::segments::{Leftover, NoteId};

/// Notes in one write to the file.
const MAX_GROUP: usize = 256;
/// Successes of the last run in one transaction.
const LATE_GROUP: usize = 500;

/// A handle to the journal's thread, which ends with it.
pub(crate) struct Journal {
    commands: mpsc::Sender<Command>,
    next_note: AtomicU64,
}

enum Command {
    Note(NoteId, String),
    Recorded(Vec<NoteId>),
    Leftover(oneshot::Sender<Leftover>),
    Remove(Leftover, oneshot::Sender<()>),
}

impl Journal {
    /// Starts the thread, which opens the journal in the data folder.
    pub(crate) fn start(folder: &Path) -> io::Result<Journal> {
        let (commands, received) = mpsc::channel();
        let folder = folder.to_owned();
        thread::Builder::new()
            .name("delivery-journal".to_owned())
            .spawn(move || run(&folder, &received))?;
        Ok(Journal {
            commands,
            next_note: AtomicU64::new(0),
        })
    }

    /// Notes a success. Its line is written at once, and the caller does not wait for that.
    pub(crate) fn note(&self, id: &DeliveryId, attempt: &Attempt) -> NoteId {
        let note = NoteId(self.next_note.fetch_add(1, Ordering::Relaxed));
        let line = segments::line(id, attempt);
        let _ = self.commands.send(Command::Note(note, line));
        note
    }

    /// The store has the successes of these notes.
    pub(crate) fn recorded(&self, notes: Vec<NoteId>) {
        if !notes.is_empty() {
            let _ = self.commands.send(Command::Recorded(notes));
        }
    }

    /// Records the successes that the last run could not record.
    pub(crate) async fn record_leftover(&self, infra: &Infra) -> Result<(), StoreError> {
        let leftover = self.ask(Command::Leftover).await.unwrap_or_default();
        let mut successes = leftover.successes.iter();
        loop {
            let group = successes.by_ref().take(LATE_GROUP);
            let group: Vec<_> = group
                .map(|success| (success.id.clone(), success.attempt.clone()))
                .collect();
            if group.is_empty() {
                break;
            }
            let now = infra.now_ms();
            let record = infra.store.write(move |c| {
                group
                    .iter()
                    .try_for_each(|(id, attempt)| deliveries::record_late(c, id, attempt, now))
            });
            record.await?;
        }
        self.ask(|reply| Command::Remove(leftover, reply)).await;
        Ok(())
    }

    async fn ask<T>(&self, command: impl FnOnce(oneshot::Sender<T>) -> Command) -> Option<T> {
        let (reply, answer) = oneshot::channel();
        self.commands.send(command(reply)).ok()?;
        answer.await.ok()
    }
}

fn run(folder: &Path, commands: &mpsc::Receiver<Command>) {
    let (mut segments, leftover) = Segments::open(folder);
    let mut leftover = Some(leftover);
    let mut next = commands.recv().ok();
    while let Some(command) = next.take() {
        match command {
            Command::Note(note, mut lines) => {
                let mut notes = vec![note];
                next = collect(commands, &mut notes, &mut lines);
                segments.write(&lines, &notes);
            }
            Command::Recorded(notes) => segments.recorded(&notes),
            Command::Leftover(reply) => {
                let _ = reply.send(leftover.take().unwrap_or_default());
            }
            Command::Remove(leftover, reply) => {
                leftover.remove();
                let _ = reply.send(());
            }
        }
        next = next.or_else(|| commands.recv().ok());
    }
}

/// Adds the notes that wait already, and returns the command behind them.
fn collect(
    commands: &mpsc::Receiver<Command>,
    notes: &mut Vec<NoteId>,
    lines: &mut String,
) -> Option<Command> {
    while notes.len() < MAX_GROUP {
        match commands.try_recv().ok()? {
            Command::Note(note, line) => {
                notes.push(note);
                lines.push_str(&line);
            }
            other => return Some(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn notes_are_in_the_file_when_a_later_command_is_answered() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::start(folder.path()).unwrap();
        let id = DeliveryId::parse("dlv_a").unwrap();
        let attempt = Attempt {
            at: 1,
            status: Some(200),
            latency_ms: 3,
            response: None,
            error: None,
        };
        let notes = [journal.note(&id, &attempt), journal.note(&id, &attempt)];
        assert_ne!(notes[0], notes[1]);
        // Commands are handled in their order, so an answer means that the notes are written.
        journal.ask(Command::Leftover).await.unwrap();
        let (_, leftover) = Segments::open(folder.path());
        assert_eq!(leftover.successes.len(), 2);
        assert!(leftover.successes.iter().all(|success| success.id == id));
    }
}
