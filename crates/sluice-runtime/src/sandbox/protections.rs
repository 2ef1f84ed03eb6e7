//! The protections that this machine supports, and the consequences of missing ones.

use std::{
    io,
    os::{fd::OwnedFd, unix::net::UnixStream},
    path::Path,
    process::{Command, Stdio},
};

use rustix::process::Pid;

use super::network::{Network, PrivateNetworks};
use crate::{
    broker,
    launcher::{self, Landlock, Namespaces, Protections},
};

/// Asks the launcher, which tries them.
pub fn probe_protections(launcher: &Path) -> io::Result<Protections> {
    let (inside, outside) = UnixStream::pair()?;
    let mut child = Command::new(launcher)
        .arg(launcher::PROBE_SUBCOMMAND)
        .env_clear()
        .stdin(OwnedFd::from(inside))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Err(error) = broker::answer_calls(process_id(child.id())?, &outside) {
        tracing::debug!(%error, "cannot broker connections");
        // It may wait for an answer.
        child.kill()?;
    }
    let output = child.wait_with_output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines = text.lines();
    let protections: Protections =
        serde_json::from_str(lines.next().unwrap_or_default()).map_err(|error| {
            let stderr = String::from_utf8_lossy(&output.stderr);
            io::Error::other(format!(
                "cannot probe the sandbox of the kernel: {error} {}",
                stderr.trim()
            ))
        })?;
    Ok(Protections {
        broker: lines.next() == Some("true"),
        ..protections
    })
}

/// The id as a type that is never zero.
pub(super) fn process_id(id: u32) -> io::Result<Pid> {
    let id = i32::try_from(id).ok().and_then(Pid::from_raw);
    id.ok_or_else(|| io::Error::other("the process has ended already"))
}

/// One line for the operator; `None` if nothing is missing.
pub(super) fn missing(
    protections: Protections,
    private_tmp: bool,
    network: &Network,
) -> Option<String> {
    let mut lacks = Vec::new();
    if protections.landlock == Landlock::None {
        lacks.push("no Landlock, so Deno's permissions alone keep components from files");
    }
    if !protections.seccomp {
        lacks.push("no seccomp, so system calls are not filtered");
        if !network.ipv6 && matches!(network.private, PrivateNetworks::Blocked(_)) {
            lacks.push("without it, private IPv6 addresses are not blocked either");
        }
    } else if !protections.broker {
        lacks.push("no seccomp notifications, so Deno's permissions alone keep components from private addresses, ports of --allow-network are ignored, and IPv6 is off unless --allow-ipv6 is set");
    } else if !protections.network_namespace {
        lacks.push(
            "no network namespaces, so seccomp alone keeps components from private addresses",
        );
    }
    if protections.namespaces == Namespaces::None {
        lacks.push("no private mounts, so components have TMPDIR but no /tmp of their own, and can change modes and times of the server's files if Deno's permissions fail");
    } else if !private_tmp {
        lacks.push("the data folder or Deno is below /tmp, so components have TMPDIR but no /tmp of their own");
    }
    let has_ports = protections.broker || protections.landlock == Landlock::FilesAndPorts;
    if network.proxy.is_some() && !has_ports {
        lacks.push("no TCP rules in Landlock, so components can connect past the egress proxy");
    }
    (!lacks.is_empty()).then(|| lacks.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPLETE: Protections = Protections {
        landlock: Landlock::FilesAndPorts,
        seccomp: true,
        broker: true,
        namespaces: Namespaces::Direct,
        network_namespace: true,
    };

    #[test]
    fn a_complete_sandbox_has_nothing_to_report() {
        assert_eq!(missing(COMPLETE, true, &Network::default()), None);
    }

    #[test]
    fn each_missing_protection_is_named_with_its_consequence() {
        let protections = Protections {
            landlock: Landlock::None,
            seccomp: false,
            broker: false,
            namespaces: Namespaces::None,
            network_namespace: false,
        };
        let report = missing(protections, false, &Network::default()).expect("a report");
        for part in ["no Landlock", "no seccomp", "IPv6", "no private mounts"] {
            assert!(report.contains(part), "{report}");
        }
        assert_eq!(report.lines().count(), 1);
    }

    #[test]
    fn without_the_broker_the_report_names_its_rules() {
        let protections = Protections {
            broker: false,
            ..COMPLETE
        };
        let report = missing(protections, true, &Network::default()).expect("a report");
        assert!(report.contains("--allow-ipv6"), "{report}");
        let protections = Protections {
            network_namespace: false,
            ..COMPLETE
        };
        let report = missing(protections, true, &Network::default()).expect("a report");
        assert!(report.contains("no network namespaces"), "{report}");
    }
}
