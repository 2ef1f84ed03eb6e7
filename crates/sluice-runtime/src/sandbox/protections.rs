//! The protections that this machine supports, and the consequences of missing ones.

use std::{
    io,
    path::Path,
    process::{Command, Stdio},
};

use super::network::{Network, PrivateNetworks};
use crate::launcher::{self, Mounts, Protections};

/// Asks the launcher, which tries them.
pub(super) fn probe(launcher: &Path) -> io::Result<Protections> {
    let output = Command::new(launcher)
        .arg(launcher::PROBE_SUBCOMMAND)
        .env_clear()
        .stdin(Stdio::null())
        .output()?;
    serde_json::from_slice(&output.stdout).map_err(|error| {
        let stderr = String::from_utf8_lossy(&output.stderr);
        io::Error::other(format!(
            "cannot probe the sandbox of the kernel: {error} {}",
            stderr.trim()
        ))
    })
}

/// One line for the operator; `None` if nothing is missing.
pub(super) fn missing(
    protections: Protections,
    private_tmp: bool,
    network: &Network,
) -> Option<String> {
    let mut lacks = Vec::new();
    if !protections.landlock {
        lacks.push("no Landlock, so Deno's permissions alone keep components from files");
    }
    if !protections.seccomp {
        lacks.push("no seccomp, so system calls are not filtered");
        if !network.allows_ipv6() && matches!(network.private, PrivateNetworks::Blocked(_)) {
            lacks.push("without it, private IPv6 addresses are not blocked either");
        }
    }
    if protections.mounts == Mounts::None {
        lacks.push("no private mounts, so components have TMPDIR but no /tmp of their own");
    } else if !private_tmp {
        lacks.push("the data folder or Deno is below /tmp, so components have TMPDIR but no /tmp of their own");
    }
    if network.proxy.is_some() && !protections.landlock_tcp {
        lacks.push("no TCP rules in Landlock, so components can connect past the egress proxy");
    }
    (!lacks.is_empty()).then(|| lacks.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPLETE: Protections = Protections {
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
    fn each_missing_protection_is_named_with_its_consequence() {
        let protections = Protections {
            landlock: false,
            landlock_tcp: false,
            seccomp: false,
            mounts: Mounts::None,
        };
        let report = missing(protections, false, &Network::default()).expect("a report");
        for part in ["no Landlock", "no seccomp", "IPv6", "no private mounts"] {
            assert!(report.contains(part), "{report}");
        }
        assert_eq!(report.lines().count(), 1);
    }
}
