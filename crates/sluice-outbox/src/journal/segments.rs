//! The files of the journal: segments, each removed when all its notes are recorded. All of it blocks.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions, ReadDir},
    io::{self, Write},
    path::{Path, PathBuf},
};

use sluice_model::DeliveryId;
use sluice_store::deliveries::Attempt;

const NAME: &str = "deliveries.journal";
const SEGMENT_BYTES: usize = 1024 * 1024;

pub(super) struct Segments {
    folder: PathBuf,
    segment_bytes: usize,
    /// The segment that is written; none when it could not be created.
    current: Option<File>,
    number: u64,
    bytes: usize,
    /// The number of notes in each segment that are not recorded yet.
    open: BTreeMap<u64, usize>,
    warned: bool,
}

/// A success in the journal, until it is recorded in the store.
#[derive(Debug, Clone, Copy)]
#[must_use]
pub(crate) struct Note {
    segment: u64,
}

/// A success of the last run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Success {
    pub(crate) id: DeliveryId,
    pub(crate) attempt: Attempt,
}

/// Successes of the last run, to be recorded, and the segments that have them.
#[derive(Debug, Default)]
pub(crate) struct Leftover {
    pub(crate) successes: Vec<Success>,
    segments: Vec<PathBuf>,
}

impl Leftover {
    /// Removes its segments once its successes are recorded.
    pub(super) fn remove(&self) {
        for segment in &self.segments {
            if let Err(error) = fs::remove_file(segment) {
                tracing::warn!(%error, file = %segment.display(), "old journal segment not removed");
            }
        }
    }
}

impl Segments {
    /// Opens the journal in the data folder, and reads what the last run left there.
    pub(super) fn open(folder: &Path) -> (Segments, Leftover) {
        Segments::with_size(folder, SEGMENT_BYTES)
    }

    fn with_size(folder: &Path, segment_bytes: usize) -> (Segments, Leftover) {
        let (leftover, last) = leftover(folder).unwrap_or_else(|error| {
            tracing::warn!(%error, "delivery journal not read; deliveries may be repeated");
            (Leftover::default(), 0)
        });
        let segments = Segments {
            folder: folder.to_owned(),
            segment_bytes,
            current: None,
            number: last,
            bytes: 0,
            open: BTreeMap::new(),
            warned: false,
        };
        (segments, leftover)
    }

    /// Writes a line, in one piece. When that fails, the note is lost: the delivery was made all the same.
    pub(super) fn write(&mut self, line: &str) -> Option<Note> {
        match self.append(line) {
            Ok(segment) => {
                *self.open.entry(segment).or_default() += 1;
                Some(Note { segment })
            }
            Err(error) => {
                // A line that was written in part must not be continued.
                self.current = None;
                if !self.open.contains_key(&self.number) {
                    let _ = fs::remove_file(path(&self.folder, self.number));
                }
                if !self.warned {
                    self.warned = true;
                    tracing::warn!(%error, "delivery journal not written; a crash may repeat deliveries");
                }
                None
            }
        }
    }

    /// The store has the successes of these notes.
    pub(super) fn recorded(&mut self, notes: impl IntoIterator<Item = Note>) {
        for Note { segment } in notes {
            if let Some(open) = self.open.get_mut(&segment) {
                *open = open.saturating_sub(1);
            }
        }
        let kept = self.current.is_some().then_some(self.number);
        let folder = &self.folder;
        self.open.retain(|segment, open| {
            let done = *open == 0 && Some(*segment) != kept;
            if done {
                // A segment that cannot be removed is removed at the next start.
                let _ = fs::remove_file(path(folder, *segment));
            }
            !done
        });
    }

    /// Writes to a segment and returns its number.
    fn append(&mut self, line: &str) -> io::Result<u64> {
        if self.current.is_none() || self.bytes >= self.segment_bytes {
            self.current = None;
            self.number += 1;
            self.bytes = 0;
            let file = OpenOptions::new()
                .create_new(true)
                .append(true)
                .open(path(&self.folder, self.number))?;
            self.current = Some(file);
        }
        if let Some(file) = &mut self.current {
            file.write_all(line.as_bytes())?;
        }
        self.bytes += line.len();
        Ok(self.number)
    }
}

pub(super) fn path(folder: &Path, segment: u64) -> PathBuf {
    folder.join(format!("{NAME}.{segment}"))
}

/// The numbers of the segments among the entries of a folder.
pub(super) fn segments(entries: ReadDir) -> impl Iterator<Item = io::Result<u64>> {
    entries.filter_map(|entry| match entry {
        Ok(entry) => number(entry.file_name().to_str()?).map(Ok),
        Err(error) => Some(Err(error)),
    })
}

fn number(name: &str) -> Option<u64> {
    name.strip_prefix(NAME)?.strip_prefix('.')?.parse().ok()
}

/// The notes of the last run, and the number of its last segment.
fn leftover(folder: &Path) -> io::Result<(Leftover, u64)> {
    let mut leftover = Leftover::default();
    let mut last = 0;
    for number in segments(fs::read_dir(folder)?) {
        let number = number?;
        let path = path(folder, number);
        last = last.max(number);
        let text = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
        leftover.successes.extend(successes(&text));
        leftover.segments.push(path);
    }
    Ok((leftover, last))
}

pub(super) fn line(id: &DeliveryId, attempt: &Attempt) -> String {
    let Attempt {
        at,
        status,
        latency_ms,
        ..
    } = attempt;
    format!("{id} {at} {} {latency_ms}\n", status.unwrap_or_default())
}

/// The whole lines. The last one may be incomplete.
pub(super) fn successes(text: &str) -> impl Iterator<Item = Success> {
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

    fn line_of(tail: &str) -> String {
        let Success { id, attempt } = success(tail);
        line(&id, &attempt)
    }

    fn note(segments: &mut Segments, tail: &str) -> Note {
        segments.write(&line_of(tail)).unwrap()
    }

    fn files(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn notes_are_found_by_the_next_start_until_they_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let (mut segments, leftover) = Segments::open(folder.path());
        assert_eq!(leftover.successes, []);
        let _ = (note(&mut segments, "a"), note(&mut segments, "b"));
        drop(segments);

        let (mut segments, leftover) = Segments::open(folder.path());
        assert_eq!(leftover.successes, [success("a"), success("b")]);
        let _ = note(&mut segments, "c");
        leftover.remove();
        drop(segments);
        let (_, leftover) = Segments::open(folder.path());
        assert_eq!(leftover.successes, [success("c")]);
    }

    #[test]
    fn incomplete_and_invalid_lines_are_ignored() {
        let whole = line_of("a");
        for torn in ["dlv_b", "dlv_b 1 200", "dlv_b 1 200 5", "\u{fffd}"] {
            let found: Vec<Success> = successes(&format!("{whole}{torn}")).collect();
            assert_eq!(found, [success("a")], "{torn:?}");
        }
        let mixed = format!("dlv_b 1 x 5\ndlv_b 1 200 5 6\nnonsense\n\n{whole}");
        assert_eq!(successes(&mixed).collect::<Vec<_>>(), [success("a")]);
        assert_eq!(successes("").count(), 0);
    }

    #[test]
    fn a_full_segment_is_removed_when_all_its_notes_are_recorded() {
        let folder = tempfile::tempdir().unwrap();
        let (mut segments, _) = Segments::with_size(folder.path(), line_of("a").len() + 1);
        let (a, a2) = (note(&mut segments, "a"), note(&mut segments, "a2"));
        let b = note(&mut segments, "b");
        assert_eq!(files(folder.path()), 2);
        segments.recorded([b]);
        assert_eq!(files(folder.path()), 2, "the last one is still written");
        segments.recorded([a]);
        assert_eq!(files(folder.path()), 2, "one note is left");
        segments.recorded([a2]);
        assert_eq!(files(folder.path()), 1);
        let (c, _) = (note(&mut segments, "c"), note(&mut segments, "d"));
        segments.recorded([c]);
        assert_eq!(files(folder.path()), 1, "the segment of b is removed too");
    }

    #[test]
    fn a_journal_that_cannot_be_written_works_again_later() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("missing");
        let (mut segments, _) = Segments::open(&missing);
        assert!(segments.write(&line_of("a")).is_none());
        fs::create_dir(&missing).unwrap();
        let _written = note(&mut segments, "b");
        let (_, leftover) = Segments::open(&missing);
        assert_eq!(leftover.successes, [success("b")]);
    }
}
