//! Removal of package folders that no component uses, such as those of code that was refused after its packages were
//! installed.

use std::{
    collections::HashSet,
    fs, io,
    path::Path,
    time::{Duration, SystemTime},
};

use crate::trees::Remover;

/// A folder may belong to code that is about to be saved, so it stays this long.
const GRACE: Duration = Duration::from_hours(24);

/// Whether there are folders that are old enough to be removed.
pub(super) fn has_old_folders(packages: &Path, now: SystemTime) -> io::Result<bool> {
    for entry in fs::read_dir(packages)? {
        if is_old(&entry?, now)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Removes old folders that are not in use, and returns their number. A folder first moves to `staging`, so that no process
/// starts with half of it.
pub(super) fn remove_unused(
    packages: &Path,
    staging: &Path,
    remover: &Remover,
    in_use: &HashSet<String>,
    now: SystemTime,
) -> io::Result<usize> {
    let mut count = 0;
    for entry in fs::read_dir(packages)? {
        let entry = entry?;
        let is_used = entry
            .file_name()
            .to_str()
            .is_some_and(|name| in_use.contains(name));
        if is_used || !is_old(&entry, now)? {
            continue;
        }
        let moved = staging.join(entry.file_name());
        fs::rename(entry.path(), &moved)?;
        remover.remove(moved);
        count += 1;
    }
    Ok(count)
}

/// Restarts the grace period of a folder.
pub(super) fn touch(folder: &Path, now: SystemTime) -> io::Result<()> {
    fs::File::open(folder)?.set_modified(now)
}

fn is_old(entry: &fs::DirEntry, now: SystemTime) -> io::Result<bool> {
    let modified = entry.metadata()?.modified()?;
    // A time in the future counts as new: the clock was set back.
    Ok(now.duration_since(modified).is_ok_and(|age| age >= GRACE))
}
