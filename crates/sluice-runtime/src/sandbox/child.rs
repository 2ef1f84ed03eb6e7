//! A process in the sandbox, and the broker of its connections.

use std::{io, path::PathBuf, process, sync::Arc};

use tokio::process::{Child, Command};

use super::{Sandbox, protections::process_id};
use crate::{
    broker::{Announcements, Broker, Guard},
    deno_process::InstanceFolder,
};

pub(crate) struct SandboxedChild {
    pub(crate) child: Child,
    /// Without it, calls of the process would wait forever.
    pub(crate) broker: Option<Broker>,
}

impl Sandbox {
    /// Starts a process in `folder` that dies when the handle is dropped.
    pub(crate) fn spawn(
        &self,
        command: process::Command,
        folder: &InstanceFolder,
    ) -> io::Result<SandboxedChild> {
        spawn(command, self.announcements(folder), Arc::clone(&self.guard))
    }
}

/// Starts a process whose launcher announces its listener on the pipe.
pub(super) fn spawn(
    command: process::Command,
    announcements: Option<PathBuf>,
    guard: Arc<Guard>,
) -> io::Result<SandboxedChild> {
    let announcements = announcements.map(Announcements::create).transpose()?;
    let child = Command::from(command).kill_on_drop(true).spawn()?;
    let attach = |announcements| {
        let pid = process_id(child.id().unwrap_or_default())?;
        Broker::attach(pid, announcements, guard)
    };
    let broker = announcements.map(attach).transpose()?;
    Ok(SandboxedChild { child, broker })
}
