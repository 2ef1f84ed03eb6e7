//! Which walls this machine has, and what it means when one is missing.

use std::{
    io,
    path::Path,
    process::{Command, Stdio},
};

use super::{Network, PrivateNetworks};
use crate::launcher::{self, Mounts, Walls};

/// Asks the launcher, which tries them.
pub(super) fn find(launcher: &Path) -> io::Result<Walls> {
    let output = Command::new(launcher)
        .arg(launcher::PROBE_SUBCOMMAND)
        .env_clear()
        .stdin(Stdio::null())
        .output()?;
    serde_json::from_slice(&output.stdout).map_err(|error| {
        let said = String::from_utf8_lossy(&output.stderr);
        io::Error::other(format!(
            "what the kernel can wall off could not be found out: {error} {}",
            said.trim()
        ))
    })
}

/// What an operator must know, in one line; none when nothing is missing.
pub(super) fn missing(walls: Walls, private_tmp: bool, network: &Network) -> Option<String> {
    let mut lacks = Vec::new();
    if !walls.landlock {
        lacks.push("no Landlock, so Deno's permissions alone keep components from files");
    }
    if !walls.seccomp {
        lacks.push("no seccomp, so system calls are not filtered");
        if !network.allows_ipv6() && matches!(network.private, PrivateNetworks::Refused(_)) {
            lacks.push("without it, private IPv6 addresses are not refused either");
        }
    }
    if walls.mounts == Mounts::None {
        lacks.push("no private mounts, so components have TMPDIR but no /tmp of their own");
    } else if !private_tmp {
        lacks.push("the data folder or Deno is below /tmp, so components have TMPDIR but no /tmp of their own");
    }
    if network.proxy.is_some() && !walls.landlock_tcp {
        lacks.push("no TCP rules in Landlock, so components can connect past the egress proxy");
    }
    (!lacks.is_empty()).then(|| {
        format!(
            "part of the sandbox is missing on this machine: {}; the rest applies",
            lacks.join("; ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPLETE: Walls = Walls {
        landlock: true,
        landlock_tcp: true,
        seccomp: true,
        mounts: Mounts::Direct,
    };

    #[test]
    fn a_complete_sandbox_has_nothing_to_report() {
        assert_eq!(missing(COMPLETE, true, &Network::default()), None);
    }

    #[test]
    fn each_missing_wall_is_named_with_what_it_means() {
        let walls = Walls {
            landlock: false,
            landlock_tcp: false,
            seccomp: false,
            mounts: Mounts::None,
        };
        let said = missing(walls, false, &Network::default()).expect("a report");
        for part in ["no Landlock", "no seccomp", "IPv6", "no private mounts"] {
            assert!(said.contains(part), "{said}");
        }
        assert_eq!(said.lines().count(), 1);
    }
}
