//! `sluice doctor`

use std::{env, fmt::Write, process::ExitCode};

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use sluice_runtime::{
    Controllers,
    launcher::{Landlock, Namespaces, Protections},
    offered_controllers, probe_protections,
};

use super::output::{BAD, FAINT, GOOD, Table, show, show_json, styled};

const EXAMPLES: &str = "\
Examples:
  sluice doctor
  sluice doctor --json";

/// Report which protections against components this machine has
///
/// Each protection is tried, not looked up. The command fails if one is missing that the server cannot replace. docs/security.md describes them.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct DoctorOptions {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// One protection, for people.
#[derive(Serialize)]
struct Wall {
    name: &'static str,
    present: bool,
    /// What it keeps from components.
    keeps: &'static str,
    /// What it needs.
    needs: &'static str,
    /// The server has a weaker limit of its own, so that the command does not fail without it.
    is_optional: bool,
}

impl Wall {
    fn here(&self) -> String {
        match (self.present, self.is_optional) {
            (true, _) => styled(GOOD, "yes"),
            (false, true) => styled(FAINT, "no (optional)"),
            (false, false) => styled(BAD, "no"),
        }
    }
}

pub(crate) fn doctor(options: &DoctorOptions) -> anyhow::Result<ExitCode> {
    let launcher = env::current_exe().context("cannot find the path of this program")?;
    let walls = walls(probe_protections(&launcher)?, offered_controllers());
    if options.json {
        show_json(&walls)?;
    } else {
        show(&report(&walls))?;
    }
    let complete = walls.iter().all(|wall| wall.present || wall.is_optional);
    Ok(if complete {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn walls(protections: Protections, controllers: Controllers) -> Vec<Wall> {
    let wall = |name, present, keeps, needs| Wall {
        name,
        present,
        keeps,
        needs,
        is_optional: false,
    };
    vec![
        wall(
            "files",
            protections.landlock != Landlock::None,
            "opening files other than their own",
            "Landlock: Linux 5.13, enabled in the list of security modules",
        ),
        wall(
            "ports",
            protections.landlock == Landlock::FilesAndPorts,
            "listening, and connecting past an egress proxy",
            "Landlock with TCP rules: Linux 6.7",
        ),
        wall(
            "system calls",
            protections.seccomp,
            "new processes, other processes, and rarely used parts of the kernel",
            "seccomp filters",
        ),
        wall(
            "connections",
            protections.broker,
            "addresses that the server has not checked",
            "seccomp notifications: Linux 5.9, and the right to copy descriptors of child processes; in a container, CAP_SYS_PTRACE",
        ),
        wall(
            "network",
            protections.network_namespace,
            "every network, should the check of connections fail",
            "network namespaces: root, or user namespaces for everyone",
        ),
        wall(
            "mounts",
            protections.namespaces != Namespaces::None,
            "changing files outside of their /tmp, also modes and times",
            "mount namespaces: root, or user namespaces for everyone",
        ),
        Wall {
            name: "accounts",
            present: controllers.is_complete(),
            keeps: "memory, CPU time and threads beyond the share of their account",
            needs: "control groups of version 2 with cpu, memory and pids, of which the server is given one; without it the server limits accounts itself",
            is_optional: true,
        },
    ]
}

fn report(walls: &[Wall]) -> String {
    let mut table = Table::new(&["PROTECTION", "HERE", "KEEPS COMPONENTS FROM"]);
    for wall in walls {
        table.row(vec![
            wall.name.to_owned(),
            wall.here(),
            wall.keeps.to_owned(),
        ]);
    }
    let mut text = table.to_text();
    for wall in walls.iter().filter(|wall| !wall.present) {
        let needs = styled(FAINT, wall.needs);
        let _ = writeln!(text, "\n{} is missing. It needs {needs}", wall.name);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named_with_what_it_needs() {
        let protections = Protections {
            landlock: Landlock::FilesAndPorts,
            seccomp: true,
            broker: false,
            namespaces: Namespaces::Direct,
            network_namespace: true,
        };
        let walls = walls(protections, Controllers::default());
        let text = report(&walls);
        assert!(text.contains("connections is missing"), "{text}");
        assert!(text.contains("CAP_SYS_PTRACE"), "{text}");
        assert!(text.contains("accounts is missing"), "{text}");
        assert!(text.contains("no (optional)"), "{text}");
        assert_eq!(text.matches("is missing").count(), 2);
    }
}
