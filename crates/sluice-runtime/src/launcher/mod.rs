//! The launcher: a mode of the `sluice` binary that confines its own process and then becomes Deno.
//!
//! It is single-threaded, so calls are safe that are not in a forked child of a threaded server. The protections are
//! independent of Deno's permission checks: a hole in one is not a hole in the other.

mod confinement;
mod files;
mod mounts;
mod namespaces;
mod privileges;
mod probe;
mod revealed;
mod syscalls;

use std::{
    ffi::{CString, OsString},
    fs::File,
    io,
    os::unix::ffi::OsStringExt,
};

pub use confinement::{Confinement, Landlock, Namespaces, Protections};
pub use probe::{probe, probe_broker};
use syscalls::Sockets;

use crate::broker;

/// The hidden subcommand of `sluice` that calls [`exec`].
pub const SUBCOMMAND: &str = "sandbox-exec";
/// The hidden subcommand of `sluice` that prints the result of [`probe`].
pub const PROBE_SUBCOMMAND: &str = "sandbox-probe";

/// Applies the protections to this process and replaces it by `program`. Returns only if that fails.
pub fn exec(confinement: &Confinement, program: OsString, arguments: Vec<OsString>) -> io::Error {
    match confine_and_exec(confinement, program, arguments) {
        Err(error) => error,
        Ok(never) => match never {},
    }
}

fn confine_and_exec(
    confinement: &Confinement,
    program: OsString,
    arguments: Vec<OsString>,
) -> io::Result<std::convert::Infallible> {
    let program = c_string(program)?;
    let mut words = vec![program.clone()];
    for argument in arguments {
        words.push(c_string(argument)?);
    }
    let mut environment = Vec::new();
    for (name, value) in std::env::vars_os() {
        let mut pair = name;
        pair.push("=");
        pair.push(value);
        environment.push(c_string(pair)?);
    }

    let Confinement { protections, .. } = confinement;
    let announcements = confinement.announcements.as_ref();
    // It cannot be opened any more below.
    let announcements = announcements
        .map(|pipe| File::options().write(true).open(pipe))
        .transpose()?;
    if protections.namespaces != Namespaces::None {
        // Without the broker, components use the network of the server.
        let network = announcements.is_some() && protections.network_namespace;
        namespaces::enter(protections.namespaces, network)?;
        if confinement.user.is_some() {
            revealed::reveal(&confinement.revealed)?;
        }
        mounts::make_read_only(&confinement.writable_mounts)?;
    }
    if let Some(tmp) = &confinement.private_tmp {
        mounts::give_private_tmp(tmp)?;
    }
    if let Some(user) = confinement.user {
        privileges::become_user(user)?;
    }
    privileges::die_with(confinement.server)?;
    privileges::limit_resources(confinement.data_bytes)?;
    privileges::drop_all()?;
    std::env::set_current_dir(&confinement.working_folder)?;
    if protections.landlock != Landlock::None {
        files::restrict(confinement)?;
    }
    if protections.seccomp {
        let sockets = Sockets {
            ipv6: confinement.ipv6,
            udp: confinement.udp,
        };
        // From here on only the last call may execute a program.
        syscalls::restrict(sockets, &program)?;
    }
    if let Some(announcements) = announcements {
        broker::hand_over(announcements)?;
    }
    Ok(nix::unistd::execve(&program, &words, &environment)?)
}

fn c_string(text: OsString) -> io::Result<CString> {
    Ok(CString::new(text.into_vec())?)
}
