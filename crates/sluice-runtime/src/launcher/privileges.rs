//! Resource limits and dropped privileges of a process.

use std::io;

use nix::unistd::{Gid, Uid};
use rustix::{
    process::{DumpableBehavior, Resource, Rlimit, Signal},
    thread::{CapabilitySet, CapabilitySets},
};

const MAX_FILE_BYTES: u64 = 512 * 1024 * 1024;
const MAX_OPEN_FILES: u64 = 4096;

/// A component must not outlive the server, not even one that spins and never reads its channel.
pub(super) fn die_with(server: u32) -> io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    // The signal only covers a later exit of the server. An earlier one has changed the parent.
    if std::os::unix::process::parent_id() != server {
        return Err(io::Error::other("the server has exited"));
    }
    Ok(())
}

/// Becomes another user, in the group of the same number and in no other. Root's privileges are lost with it.
pub(super) fn become_user(id: u32) -> io::Result<()> {
    drop_bounds();
    let (user, group) = (Uid::from_raw(id), Gid::from_raw(id));
    nix::unistd::setgroups(&[])?;
    nix::unistd::setresgid(group, group, group)?;
    Ok(nix::unistd::setresuid(user, user, user)?)
}

pub(super) fn limit_resources(data_bytes: u64) -> io::Result<()> {
    limit(Resource::Core, 0)?;
    limit(Resource::Fsize, MAX_FILE_BYTES)?;
    limit(Resource::Nofile, MAX_OPEN_FILES)?;
    limit(Resource::Data, data_bytes)?;
    Ok(())
}

/// Root without capabilities is an ordinary user, except for the files it owns.
pub(super) fn drop_all() -> io::Result<()> {
    rustix::thread::set_no_new_privs(true)?;
    drop_capabilities()?;
    // A change of privileges hides a process from others of its user, and so from the broker.
    Ok(rustix::process::set_dumpable_behavior(
        DumpableBehavior::Dumpable,
    )?)
}

fn drop_capabilities() -> io::Result<()> {
    if rustix::thread::capabilities(None)?.effective.is_empty() {
        return Ok(());
    }
    drop_bounds();
    let none = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    };
    Ok(rustix::thread::set_capabilities(None, none)?)
}

/// No program gets capabilities from its file or by inheritance.
fn drop_bounds() {
    for capability in CapabilitySet::all().iter() {
        // The kernel may not know all capabilities, and may refuse to drop one that is not held.
        let _ = rustix::thread::remove_capability_from_bounding_set(capability);
    }
    let _ = rustix::thread::clear_ambient_capability_set();
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
