//! The listener of a seccomp filter: it receives system calls of a process and answers them.
//!
//! No crate offers this without a C library, so this file calls the kernel itself. Every structure comes from `libc`, is initialized whole, and is only borrowed by the kernel for one call.
#![allow(unsafe_code)]

use std::{
    io,
    os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd},
};

use libc::{c_long, c_ulong};
use rustix::io::Errno;

/// A system call that waits for its answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call {
    pub(crate) id: CallId,
    pub(crate) number: c_long,
    pub(crate) arguments: [u64; 6],
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct CallId(u64);

pub(crate) struct Listener(OwnedFd);

impl Listener {
    /// Adds a filter to this thread. The kernel closes the listener when the thread executes a program.
    pub(crate) fn install(filter: &[libc::sock_filter]) -> io::Result<Listener> {
        // A signal must not interrupt a call that is being answered. Kernels before 5.19 do not know the flag.
        let killable = libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
        let listener = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER;
        install(filter, listener | killable).or_else(|_| install(filter, listener))
    }

    /// Waits for the next call. A call whose thread has been killed is an error of the kind `NotFound`.
    pub(crate) fn receive(&self) -> io::Result<Call> {
        // SAFETY: All fields are integers, so zero is a valid value.
        let mut received: libc::seccomp_notif = unsafe { std::mem::zeroed() };
        uninterrupted(|| {
            // SAFETY: The kernel writes one structure of this type to the pointer, which is valid for the whole call.
            let result = unsafe {
                libc::ioctl(
                    self.0.as_raw_fd(),
                    libc::SECCOMP_IOCTL_NOTIF_RECV,
                    &raw mut received,
                )
            };
            checked(result)
        })?;
        Ok(Call {
            id: CallId(received.id),
            number: c_long::from(received.data.nr),
            arguments: received.data.args,
        })
    }

    /// Whether the thread still waits, so that its process id has not been reused.
    pub(crate) fn is_waiting(&self, call: CallId) -> bool {
        // SAFETY: The kernel reads one integer from the pointer, which is valid for the whole call.
        let result = unsafe {
            libc::ioctl(
                self.0.as_raw_fd(),
                libc::SECCOMP_IOCTL_NOTIF_ID_VALID,
                &raw const call.0,
            )
        };
        result == 0
    }

    /// The call returns `result`.
    pub(crate) fn answer(&self, call: CallId, result: Result<i64, Errno>) -> io::Result<()> {
        let mut answer = libc::seccomp_notif_resp {
            id: call.0,
            val: result.unwrap_or_default(),
            error: result.map_or_else(|errno| -errno.raw_os_error(), |_| 0),
            flags: 0,
        };
        uninterrupted(|| {
            // SAFETY: The kernel reads one structure of this type from the pointer, which is valid for the whole call.
            let result = unsafe {
                libc::ioctl(
                    self.0.as_raw_fd(),
                    libc::SECCOMP_IOCTL_NOTIF_SEND,
                    &raw mut answer,
                )
            };
            checked(result)
        })?;
        Ok(())
    }

    /// Copies a descriptor into the process. The call returns its number there.
    ///
    /// The kernel could also do both at once. But if a signal interrupts that, the call returns zero without a descriptor.
    pub(crate) fn answer_with(
        &self,
        call: CallId,
        descriptor: BorrowedFd<'_>,
        close_on_exec: bool,
    ) -> io::Result<()> {
        let number = self.copy(call, descriptor, close_on_exec)?;
        self.answer(call, Ok(i64::from(number)))
    }

    fn copy(
        &self,
        call: CallId,
        descriptor: BorrowedFd<'_>,
        close_on_exec: bool,
    ) -> io::Result<RawFd> {
        let close_on_exec = if close_on_exec { libc::O_CLOEXEC } else { 0 };
        let mut copied = libc::seccomp_notif_addfd {
            id: call.0,
            flags: 0,
            srcfd: descriptor.as_raw_fd().unsigned_abs(),
            newfd: 0,
            newfd_flags: close_on_exec.unsigned_abs(),
        };
        uninterrupted(|| {
            // SAFETY: The kernel reads one structure of this type from the pointer, which is valid for the whole call.
            let number = unsafe {
                libc::ioctl(
                    self.0.as_raw_fd(),
                    libc::SECCOMP_IOCTL_NOTIF_ADDFD,
                    &raw mut copied,
                )
            };
            checked(number)
        })
    }
}

impl From<OwnedFd> for Listener {
    fn from(descriptor: OwnedFd) -> Listener {
        Listener(descriptor)
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl AsRawFd for Listener {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

fn install(filter: &[libc::sock_filter], flags: c_ulong) -> io::Result<Listener> {
    let program = libc::sock_fprog {
        len: u16::try_from(filter.len()).map_err(io::Error::other)?,
        filter: filter.as_ptr().cast_mut(),
    };
    // SAFETY: The kernel reads `len` instructions from the filter, which outlives the call, and does not write to it.
    let result = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            flags,
            &raw const program,
        )
    };
    let descriptor = RawFd::try_from(checked(result)?).map_err(io::Error::other)?;
    // SAFETY: The kernel has just made this descriptor, so nothing else owns it.
    Ok(Listener(unsafe { OwnedFd::from_raw_fd(descriptor) }))
}

fn checked<T: Default + PartialOrd>(result: T) -> io::Result<T> {
    if result < T::default() {
        return Err(io::Error::last_os_error());
    }
    Ok(result)
}

/// Repeats a call that a signal interrupted.
fn uninterrupted<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}
