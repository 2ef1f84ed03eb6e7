//! Data folders of servers under test.
//!
//! The name of a folder has the id of the process that created it. Servers in statics are never dropped, so their folders
//! remain. The next test process removes folders of processes that have ended.

use std::{env, fs, path::PathBuf, process, sync::Once};

use rustix::process::{Pid, test_kill_process};
use tempfile::TempDir;

const PREFIX: &str = "sluice-test-";

/// Creates an empty folder that is removed when the handle is dropped.
pub fn folder() -> TempDir {
    static SWEEP: Once = Once::new();
    SWEEP.call_once(remove_abandoned);
    tempfile::Builder::new()
        .prefix(&format!("{PREFIX}{}-", process::id()))
        .tempdir_in(place())
        .expect("a temporary folder can be made")
}

fn remove_abandoned() {
    let entries = fs::read_dir(place()).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let abandoned = name.to_str().and_then(maker).is_some_and(is_gone);
        if abandoned {
            // Another test process may remove it at the same time.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Not `/tmp` if possible: a server with its data in `/tmp` cannot give components a private `/tmp`.
fn place() -> PathBuf {
    let beside = PathBuf::from("/var/tmp");
    if beside.is_dir() {
        beside
    } else {
        env::temp_dir()
    }
}

fn maker(folder: &str) -> Option<Pid> {
    let (pid, _) = folder.strip_prefix(PREFIX)?.split_once('-')?;
    Pid::from_raw(pid.parse().ok()?)
}

fn is_gone(pid: Pid) -> bool {
    test_kill_process(pid) == Err(rustix::io::Errno::SRCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_names_its_living_maker() {
        let folder = folder();
        let name = folder.path().file_name().and_then(|name| name.to_str());
        let maker = name.and_then(maker).expect("the name carries a process id");
        assert_eq!(maker.as_raw_nonzero().get().unsigned_abs(), process::id());
        assert!(!is_gone(maker));
    }
}
