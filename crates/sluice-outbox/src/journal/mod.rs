//! The delivery journal: successes that the store does not have yet.
//!
//! Between a receiver's response and its durable record lie milliseconds in which the server may be killed, and would
//! deliver again. So a success is noted in a file first: written and not synced, which survives the death of the process.
//! The next start records what it finds. A write reaches only the page cache and takes microseconds, so the worker makes it
//! itself: handing it to another thread would lengthen the time in which a kill repeats the delivery.

mod copy;
mod segments;

use std::path::Path;

use parking_lot::Mutex;
use sluice_infra::Infra;
use sluice_model::DeliveryId;
use sluice_store::{
    StoreError,
    deliveries::{self, Attempt},
};

pub use self::copy::JournalCopy;
pub(crate) use self::segments::Note;
use self::segments::{Leftover, Segments};

/// Successes of the last run in one transaction.
const LATE_GROUP: usize = 500;

pub(crate) struct Journal {
    segments: Mutex<Segments>,
    /// Taken by [`Journal::record_leftover`].
    leftover: Mutex<Leftover>,
}

impl Journal {
    /// Opens the journal in the data folder, and reads what the last run left there.
    pub(crate) fn open(folder: &Path) -> Journal {
        let (segments, leftover) = Segments::open(folder);
        Journal {
            segments: Mutex::new(segments),
            leftover: Mutex::new(leftover),
        }
    }

    /// Notes a success. None if the note could not be written.
    pub(crate) fn note(&self, id: &DeliveryId, attempt: &Attempt) -> Option<Note> {
        let line = segments::line(id, attempt);
        self.segments.lock().write(&line)
    }

    /// The store has the successes of these notes.
    pub(crate) fn recorded(&self, notes: impl IntoIterator<Item = Note>) {
        self.segments.lock().recorded(notes);
    }

    /// Records the successes that the last run could not record.
    pub(crate) async fn record_leftover(&self, infra: &Infra) -> Result<(), StoreError> {
        let leftover = std::mem::take(&mut *self.leftover.lock());
        let recorded = record(&leftover, infra).await;
        match recorded {
            Ok(()) => leftover.remove(),
            Err(_) => *self.leftover.lock() = leftover,
        }
        recorded
    }
}

async fn record(leftover: &Leftover, infra: &Infra) -> Result<(), StoreError> {
    for group in leftover.successes.chunks(LATE_GROUP) {
        let group = group.to_vec();
        let now = infra.now_ms();
        let record = infra.store.write(move |c| {
            group.iter().try_for_each(|success| {
                deliveries::record_late(c, &success.id, &success.attempt, now)
            })
        });
        record.await?;
    }
    Ok(())
}
