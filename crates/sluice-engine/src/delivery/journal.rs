//! Successes that the store does not know yet.
//!
//! Between a receiver's answer and the durable record of it lie milliseconds in which the server may be killed, and would
//! deliver again. So a success is noted in a file first: written and not synced, which survives the death of the process.
//! The next start records what it finds. The file is in segments, each removed when all it notes is recorded.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use parking_lot::Mutex;
use sluice_model::DeliveryId;
use sluice_store::deliveries::Attempt;

const NAME: &str = "deliveries.journal";
const SEGMENT_BYTES: usize = 1024 * 1024;

pub(super) struct Journal {
    folder: PathBuf,
    segment_bytes: usize,
    inner: Mutex<Inner>,
}

struct Inner {
    /// The one that is written; none when it could not be made.
    current: Option<File>,
    number: u64,
    bytes: usize,
    /// How many notes of each segment are not recorded yet.
    open: BTreeMap<u64, usize>,
    warned: bool,
}

/// That a success is noted, until it is recorded.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub(super) struct Note {
    segment: u64,
}

/// A success as the last run of the server left it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Success {
    pub(super) id: DeliveryId,
    pub(super) attempt: Attempt,
}

/// What the last run left: to be recorded, and then forgotten.
#[derive(Debug, Default)]
pub(crate) struct Leftover {
    pub(super) successes: Vec<Success>,
    segments: Vec<PathBuf>,
}

impl Leftover {
    /// What it says is recorded.
    pub(super) fn forget(self) {
        for segment in self.segments {
            if let Err(error) = fs::remove_file(&segment) {
                tracing::warn!(%error, file = %segment.display(), "an old journal of deliveries could not be removed");
            }
        }
    }
}

impl Journal {
    /// Opens the journal in the data folder, and gives what the last run left there.
    pub(super) fn open(folder: &Path) -> (Journal, Leftover) {
        Journal::with_segments(folder, SEGMENT_BYTES)
    }

    fn with_segments(folder: &Path, segment_bytes: usize) -> (Journal, Leftover) {
        let (leftover, last) = leftover(folder).unwrap_or_else(|error| {
            tracing::warn!(%error, "the journal of deliveries cannot be read: some may be delivered again");
            (Leftover::default(), 0)
        });
        let journal = Journal {
            folder: folder.to_owned(),
            segment_bytes,
            inner: Mutex::new(Inner {
                current: None,
                number: last,
                bytes: 0,
                open: BTreeMap::new(),
                warned: false,
            }),
        };
        (journal, leftover)
    }

    /// Notes a success. None when that is not possible: the delivery is then made all the same.
    pub(super) fn note(&self, id: &DeliveryId, attempt: &Attempt) -> Option<Note> {
        let mut inner = self.inner.lock();
        match self.append(&mut inner, &line(id, attempt)) {
            Ok(segment) => {
                *inner.open.entry(segment).or_default() += 1;
                Some(Note { segment })
            }
            Err(error) => {
                // A line that is half there must not be continued.
                inner.current = None;
                if !inner.open.contains_key(&inner.number) {
                    let _ = fs::remove_file(path(&self.folder, inner.number));
                }
                if !inner.warned {
                    inner.warned = true;
                    tracing::warn!(%error, "the journal of deliveries cannot be written: after a crash some may be delivered again");
                }
                None
            }
        }
    }

    /// The success that a note stands for is in the store.
    pub(super) fn recorded(&self, notes: impl IntoIterator<Item = Note>) {
        let mut inner = self.inner.lock();
        for Note { segment } in notes {
            if let Some(open) = inner.open.get_mut(&segment) {
                *open -= 1;
            }
        }
        let kept = inner.current.is_some().then_some(inner.number);
        inner.open.retain(|segment, open| {
            let done = *open == 0 && Some(*segment) != kept;
            if done {
                // What cannot be removed is removed at the next start.
                let _ = fs::remove_file(path(&self.folder, *segment));
            }
            !done
        });
    }

    /// Writes a line and says to which segment.
    fn append(&self, inner: &mut Inner, line: &str) -> io::Result<u64> {
        if inner.current.is_none() || inner.bytes >= self.segment_bytes {
            inner.current = None;
            inner.number += 1;
            inner.bytes = 0;
            let file = OpenOptions::new()
                .create_new(true)
                .append(true)
                .open(path(&self.folder, inner.number))?;
            inner.current = Some(file);
        }
        if let Some(file) = &mut inner.current {
            file.write_all(line.as_bytes())?;
        }
        inner.bytes += line.len();
        Ok(inner.number)
    }
}

fn path(folder: &Path, segment: u64) -> PathBuf {
    folder.join(format!("{NAME}.{segment}"))
}

/// What is left of the last run, and the number of its last segment.
fn leftover(folder: &Path) -> io::Result<(Leftover, u64)> {
    let mut leftover = Leftover::default();
    let mut last = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let number = name
            .to_str()
            .and_then(|name| name.strip_prefix(NAME)?.strip_prefix('.')?.parse().ok());
        let Some(number) = number else { continue };
        last = last.max(number);
        let text = String::from_utf8_lossy(&fs::read(entry.path())?).into_owned();
        leftover.successes.extend(successes(&text));
        leftover.segments.push(entry.path());
    }
    Ok((leftover, last))
}

fn line(id: &DeliveryId, attempt: &Attempt) -> String {
    let Attempt {
        at,
        status,
        latency_ms,
        ..
    } = attempt;
    format!("{id} {at} {} {latency_ms}\n", status.unwrap_or_default())
}

/// The whole lines; the last one may be torn.
fn successes(text: &str) -> impl Iterator<Item = Success> {
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    whole.lines().filter_map(parse)
}

fn parse(line: &str) -> Option<Success> {
    let mut words = line.split(' ');
    let success = Success {
        id: DeliveryId::parse(words.next()?)?,
        attempt: Attempt {
            at: words.next()?.parse().ok()?,
            status: Some(words.next()?.parse().ok()?),
            latency_ms: words.next()?.parse().ok()?,
            response: None,
            error: None,
        },
    };
    words.next().is_none().then_some(success)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn success(tail: &str) -> Success {
        Success {
            id: DeliveryId::parse(&format!("dlv_{tail}")).unwrap(),
            attempt: Attempt {
                at: 1_700_000_000_000,
                status: Some(204),
                latency_ms: 12,
                response: None,
                error: None,
            },
        }
    }

    fn note(journal: &Journal, tail: &str) -> Note {
        let Success { id, attempt } = success(tail);
        journal.note(&id, &attempt).unwrap()
    }

    fn segments(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn what_is_noted_is_found_by_the_next_start_until_it_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let (journal, leftover) = Journal::open(folder.path());
        assert_eq!(leftover.successes, []);
        let _ = (note(&journal, "a"), note(&journal, "b"));
        drop(journal);

        let (journal, leftover) = Journal::open(folder.path());
        assert_eq!(leftover.successes, [success("a"), success("b")]);
        let _ = note(&journal, "c");
        leftover.forget();
        drop(journal);
        let (_, leftover) = Journal::open(folder.path());
        assert_eq!(leftover.successes, [success("c")]);
    }

    #[test]
    fn a_torn_line_and_what_is_no_line_are_ignored() {
        let Success { id, attempt } = success("a");
        let whole = line(&id, &attempt);
        for torn in ["dlv_b", "dlv_b 1 200", "dlv_b 1 200 5", "\u{fffd}"] {
            let found: Vec<Success> = successes(&format!("{whole}{torn}")).collect();
            assert_eq!(found, [success("a")], "{torn:?}");
        }
        let mixed = format!("dlv_b 1 x 5\ndlv_b 1 200 5 6\nnonsense\n\n{whole}");
        assert_eq!(successes(&mixed).collect::<Vec<_>>(), [success("a")]);
        assert_eq!(successes("").count(), 0);
    }

    #[test]
    fn a_full_segment_goes_when_all_it_notes_is_recorded() {
        let folder = tempfile::tempdir().unwrap();
        let (journal, _) = Journal::with_segments(folder.path(), 1);
        let (a, b) = (note(&journal, "a"), note(&journal, "b"));
        assert_eq!(segments(folder.path()), 2);
        journal.recorded([b]);
        assert_eq!(segments(folder.path()), 2, "the last one is still written");
        journal.recorded([a]);
        assert_eq!(segments(folder.path()), 1);
        let c = note(&journal, "c");
        journal.recorded([c]);
        assert_eq!(segments(folder.path()), 1, "that of b went with it");
    }

    #[test]
    fn a_journal_that_cannot_be_written_holds_nothing_up() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("missing");
        let (journal, _) = Journal::open(&missing);
        let Success { id, attempt } = success("a");
        assert_eq!(journal.note(&id, &attempt), None);
        fs::create_dir(&missing).unwrap();
        assert!(journal.note(&id, &attempt).is_some(), "it works again");
    }
}
