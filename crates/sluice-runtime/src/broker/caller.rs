//! The process whose calls the broker answers: its memory and its descriptors.

use std::{
    os::fd::{OwnedFd, RawFd},
    sync::OnceLock,
};

use rustix::{
    io::Errno,
    net::{AddressFamily, sockopt},
    process::{Pid, PidfdFlags, PidfdGetfdFlags, Signal},
};

use super::{
    listener::{CallId, Listener},
    memory::Memory,
};

pub(super) struct Caller {
    pid: Pid,
    /// The process itself, because its id may be reused.
    handle: OwnedFd,
    memory: OnceLock<Memory>,
}

impl Caller {
    /// The process must not have been waited for, so that its id is still its own.
    pub(super) fn open(pid: Pid) -> rustix::io::Result<Caller> {
        Ok(Caller {
            pid,
            handle: rustix::process::pidfd_open(pid, PidfdFlags::empty())?,
            memory: OnceLock::new(),
        })
    }

    /// A copy of a descriptor of the process.
    pub(super) fn descriptor(&self, number: RawFd) -> Result<OwnedFd, Errno> {
        rustix::process::pidfd_getfd(&self.handle, number, PidfdGetfdFlags::empty())
    }

    /// A copy of an internet socket of the process. With any other socket the server would lend its own rights.
    pub(super) fn socket(&self, argument: u64) -> Result<OwnedFd, Errno> {
        let socket = self.descriptor(int(argument))?;
        match sockopt::socket_domain(&socket)? {
            AddressFamily::INET | AddressFamily::INET6 => Ok(socket),
            _ => Err(Errno::ACCESS),
        }
    }

    /// Its memory since it became Deno: the launcher makes no call with an address.
    pub(super) fn memory(&self, listener: &Listener, call: CallId) -> Result<&Memory, Errno> {
        if let Some(memory) = self.memory.get() {
            return Ok(memory);
        }
        let process = self.pid.as_raw_nonzero().get().unsigned_abs();
        let memory = Memory::of(process).map_err(|_| Errno::FAULT)?;
        if !listener.is_waiting(call) {
            return Err(Errno::SRCH);
        }
        Ok(self.memory.get_or_init(|| memory))
    }

    pub(super) fn kill(&self) {
        let _ = rustix::process::pidfd_send_signal(&self.handle, Signal::KILL);
    }
}

/// An argument that the kernel reads as an `int`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "the kernel ignores the upper half of the register"
)]
pub(super) fn int(argument: u64) -> i32 {
    argument as u32 as i32
}
