//! A process in the sandbox: its standard input, and the broker of its connections.

use std::{io, os::fd::OwnedFd, process, sync::Arc};

use tokio::{
    net::{UnixStream, unix::OwnedWriteHalf},
    process::{Child, Command},
};

use super::{Sandbox, protections::process_id};
use crate::broker::{self, Broker};

pub(crate) struct SandboxedChild {
    pub(crate) child: Child,
    /// Dropping it closes the standard input of the process.
    pub(crate) stdin: OwnedWriteHalf,
    /// Without it, calls of the process would wait forever.
    pub(crate) broker: Option<Broker>,
}

impl Sandbox {
    /// Starts a process that dies when the handle is dropped.
    pub(crate) fn spawn(&self, mut command: process::Command) -> io::Result<SandboxedChild> {
        let (inside, outside) = broker::standard_input()?;
        command.stdin(OwnedFd::from(inside));
        let child = Command::from(command).kill_on_drop(true).spawn()?;
        let (announcements, stdin) = UnixStream::from_std(outside)?.into_split();
        let broker = if self.protections.broker {
            let pid = process_id(child.id().unwrap_or_default())?;
            Some(Broker::attach(pid, announcements, Arc::clone(&self.guard))?)
        } else {
            None
        };
        Ok(SandboxedChild {
            child,
            stdin,
            broker,
        })
    }
}
