//! The launcher: a mode of our own binary that walls itself in and then becomes Deno.
//!
//! It is single-threaded, so it may do what a forked child of a threaded server may not.

use std::{ffi::OsString, io, os::unix::process::CommandExt, process::Command};

use rustix::process::{Resource, Rlimit, Signal};

/// The hidden subcommand of `sluice` that calls [`exec`].
pub const SUBCOMMAND: &str = "sandbox-exec";

const MAX_FILE_BYTES: u64 = 512 * 1024 * 1024;
const MAX_OPEN_FILES: u64 = 4096;

/// Applies the limits to this process and replaces it by `program`; returns only when that failed.
/// `server` is the process that started this one.
pub fn exec(server: u32, program: OsString, arguments: Vec<OsString>) -> io::Error {
    match confine(server) {
        Ok(()) => Command::new(program).args(arguments).exec(),
        Err(error) => error,
    }
}

fn confine(server: u32) -> io::Result<()> {
    // A component must not outlive the server, not even one that spins and never reads its pipe.
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    // The signal is for a death that is still to come; one that came before is seen by who the parent is now.
    if std::os::unix::process::parent_id() != server {
        return Err(io::Error::other("the server is gone"));
    }
    rustix::thread::set_no_new_privs(true)?;
    limit(Resource::Core, 0)?;
    limit(Resource::Fsize, MAX_FILE_BYTES)?;
    limit(Resource::Nofile, MAX_OPEN_FILES)?;
    Ok(())
}

fn limit(resource: Resource, value: u64) -> rustix::io::Result<()> {
    let hard = rustix::process::getrlimit(resource).maximum;
    let value = hard.map_or(value, |hard| hard.min(value));
    rustix::process::setrlimit(
        resource,
        Rlimit {
            current: Some(value),
            maximum: Some(value),
        },
    )
}
