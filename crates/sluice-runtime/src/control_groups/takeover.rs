//! Taking over the control group that the server was given.

use std::{
    ffi::CStr,
    fs, io,
    path::{Path, PathBuf},
};

use rustix::{
    fs::{Access, access, getxattr},
    process::{geteuid, getpid},
};
use thiserror::Error;

use super::{
    controllers::Controllers,
    group::Group,
    keeper::{ACCOUNT_PREFIX, WAITING},
    own_group::own_group,
};

pub(super) const SERVER: &str = "server";
/// systemd marks groups that it delegates. An account has 100.
const DELEGATION_MARKS: [&CStr; 2] = [c"trusted.delegate", c"user.delegate"];
/// The server works for all accounts, each of which has a weight of 100.
const SERVER_WEIGHT: &str = "1000";

/// The reason for which accounts have no groups.
#[derive(Debug, Error)]
pub(super) enum NoGroups {
    #[error("this machine has no control groups of version 2, or hides them")]
    NoVersion2,
    #[error("the control group of the server is not delegated to it")]
    NotDelegated,
    #[error("{0} is not a control group of version 2")]
    NotAGroup(PathBuf),
    #[error("other processes are in the control group {0}")]
    NotAlone(PathBuf),
    #[error("another server uses the control group {0}")]
    InUse(PathBuf),
    #[error(
        "the control group {0} has none of the controllers cpu, memory and pids; enable them in cgroup.subtree_control of the group above"
    )]
    NoControllers(PathBuf),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The group of this process, if it may use it.
pub(super) fn delegated_group() -> Result<PathBuf, NoGroups> {
    let folder = own_group().ok_or(NoGroups::NoVersion2)?;
    // Root may write to groups of others.
    let is_given = is_marked(&folder) || !geteuid().is_root() && is_writable(&folder);
    is_given.then_some(folder).ok_or(NoGroups::NotDelegated)
}

fn is_marked(folder: &Path) -> bool {
    DELEGATION_MARKS.iter().any(|mark| {
        let mut value = [0u8; 8];
        let length = getxattr(folder, *mark, &mut value);
        length.is_ok_and(|length| value.get(..length) == Some(b"1".as_slice()))
    })
}

fn is_writable(folder: &Path) -> bool {
    let files = ["", "cgroup.procs", "cgroup.subtree_control"];
    files
        .iter()
        .all(|name| access(folder.join(name), Access::WRITE_OK).is_ok())
}

/// Moves the server into a group of its own, so that the others can be made beside it.
pub(super) fn take_over(folder: &Path) -> Result<(Group, Controllers), NoGroups> {
    let group = Group::at(folder);
    if !folder.join("cgroup.procs").exists() {
        return Err(NoGroups::NotAGroup(folder.to_owned()));
    }
    let controllers = Controllers::of(folder);
    if controllers.is_empty() {
        return Err(NoGroups::NoControllers(folder.to_owned()));
    }
    let me = getpid().as_raw_nonzero().get();
    if group.processes().iter().any(|pid| *pid != me) {
        return Err(NoGroups::NotAlone(folder.to_owned()));
    }
    let server = group.inside(SERVER);
    if server.processes().iter().any(|pid| *pid != me) {
        return Err(NoGroups::InUse(folder.to_owned()));
    }
    let origin = own_group();
    server.create()?;
    server.enter(getpid())?;
    if let Err(error) = group.set("cgroup.subtree_control", &controllers.enabling()) {
        give_back(&server, origin.as_deref());
        return Err(error.into());
    }
    if controllers.cpu {
        server.set("cpu.weight", SERVER_WEIGHT)?;
    }
    remove_leftovers(folder)?;
    Ok((group, controllers))
}

fn give_back(server: &Group, origin: Option<&Path>) {
    if let Some(origin) = origin {
        let _ = Group::at(origin).enter(getpid());
    }
    let _ = server.remove();
}

/// Groups of a server that was killed. Its processes died with it, as a rule.
fn remove_leftovers(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name == WAITING || name.starts_with(ACCOUNT_PREFIX) {
            let group = Group::at(&entry.path());
            let _ = group.kill();
            if let Err(error) = group.remove() {
                tracing::debug!(%error, "an old control group stays");
            }
        }
    }
    Ok(())
}
