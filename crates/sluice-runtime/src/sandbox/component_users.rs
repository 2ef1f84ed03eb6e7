//! Checks that components can run as users of their own.

use std::{io, process::Stdio};

use rustix::thread::CapabilitySet;

use super::Sandbox;
use crate::{
    component_users::ComponentUsers,
    launcher::{Confinement, Namespaces},
};

/// What the server needs to start processes of other users, to watch them and to make their connections.
const NEEDED: [(CapabilitySet, &str); 6] = [
    (CapabilitySet::SETUID, "CAP_SETUID"),
    (CapabilitySet::SETGID, "CAP_SETGID"),
    (CapabilitySet::CHOWN, "CAP_CHOWN"),
    (CapabilitySet::KILL, "CAP_KILL"),
    (CapabilitySet::SYS_PTRACE, "CAP_SYS_PTRACE"),
    (CapabilitySet::SYS_ADMIN, "CAP_SYS_ADMIN"),
];

impl Sandbox {
    /// Fails with the reason if components cannot run as these users.
    pub(super) fn check_users(&self, users: ComponentUsers) -> io::Result<()> {
        let held = rustix::thread::capabilities(None)?.effective;
        let missing = NEEDED.iter().filter(|(needed, _)| !held.contains(*needed));
        let missing: Vec<&str> = missing.map(|(_, name)| *name).collect();
        if !missing.is_empty() {
            return Err(refused(&format!(
                "it needs root, or {}",
                missing.join(", ")
            )));
        }
        if self.protections.namespaces != Namespaces::Direct {
            return Err(refused("this machine has no mount namespaces"));
        }
        let confinement = Confinement {
            user: Some(users.of_process(0).id()),
            ..self.bare_confinement()
        };
        let mut command = self.launcher_command(&confinement, "--version");
        let output = command.env_clear().stdin(Stdio::null()).output()?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let folder = self.folder.display();
        Err(refused(&format!(
            "a process of these users cannot reach {folder} or Deno: {}",
            said.trim()
        )))
    }
}

fn refused(why: &str) -> io::Error {
    io::Error::other(format!("--component-uids cannot be used: {why}"))
}
