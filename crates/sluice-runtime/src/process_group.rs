//! The operating system's view of a child: its id, and the group of processes that it leads.

use rustix::process::Pid;
use tokio::process::Child;

pub(crate) fn process_id(child: &Child) -> Option<Pid> {
    let id = child.id().and_then(|id| i32::try_from(id).ok());
    id.and_then(Pid::from_raw)
}

/// Kills the process and its children.
pub(crate) fn kill_group(child: &Child) {
    if let Some(pid) = process_id(child) {
        let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
    }
}
