//! Copies of the journal in backups.

use std::{
    fs::{self, File},
    io::{self, Read, Seek},
    path::{Path, PathBuf},
};

use sluice_store::{Conn, StoreError, deliveries};

use super::segments::{path, segments, successes};

/// The segments of a data folder, while a server may write and remove them.
///
/// Open it before the snapshot of the store, and read it after that has begun. Then each success is in one of them: a segment
/// that is removed in between was opened before.
pub struct JournalCopy {
    folder: PathBuf,
    files: Vec<(u64, File)>,
}

impl JournalCopy {
    /// Opens the segments. A missing folder has none.
    pub fn open(folder: &Path) -> io::Result<JournalCopy> {
        let mut copy = JournalCopy {
            folder: folder.to_owned(),
            files: Vec::new(),
        };
        copy.add_new()?;
        Ok(copy)
    }

    /// The text of all segments.
    pub fn read(mut self) -> io::Result<String> {
        self.add_new()?;
        let mut all = Vec::new();
        for (_, file) in &mut self.files {
            let start = all.len();
            file.rewind()?;
            file.read_to_end(&mut all)?;
            // The last line may be incomplete.
            let end = all[start..].iter().rposition(|byte| *byte == b'\n');
            all.truncate(end.map_or(start, |end| start + end + 1));
        }
        Ok(String::from_utf8_lossy(&all).into_owned())
    }

    fn add_new(&mut self) -> io::Result<()> {
        for number in found(&self.folder)? {
            if self.files.iter().any(|(known, _)| *known == number) {
                continue;
            }
            match File::open(path(&self.folder, number)) {
                Ok(file) => self.files.push((number, file)),
                // All its successes are in the store.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Records the successes of a copy in the database that was restored.
    pub fn record(c: &mut dyn Conn, text: &str, now_ms: i64) -> Result<(), StoreError> {
        successes(text).try_for_each(|success| {
            deliveries::record_late(c, &success.id, &success.attempt, now_ms)
        })
    }
}

/// The numbers of the segments in a folder, in their order.
fn found(folder: &Path) -> io::Result<Vec<u64>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut numbers = segments(entries).collect::<io::Result<Vec<u64>>>()?;
    numbers.sort_unstable();
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, number: u64, text: &str) {
        fs::write(path(folder, number), text).unwrap();
    }

    #[test]
    fn a_copy_has_segments_that_were_removed_and_added_meanwhile() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        fs::write(folder.join("master.key"), "other").unwrap();
        write(folder, 2, "b\n");
        write(folder, 1, "a\n");
        let copy = JournalCopy::open(folder).unwrap();
        fs::remove_file(path(folder, 1)).unwrap();
        write(folder, 3, "c\nincomplete");
        assert_eq!(copy.read().unwrap(), "a\nb\nc\n");
    }

    #[test]
    fn a_missing_folder_has_no_journal() {
        let folder = tempfile::tempdir().unwrap();
        let copy = JournalCopy::open(&folder.path().join("missing")).unwrap();
        assert_eq!(copy.read().unwrap(), "");
    }
}
