//! Landlock rules: the files that a process may open.

use std::io;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, NetPort, PathBeneath,
    PathFd, RestrictionStatus, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr,
    RulesetError, RulesetStatus, Scope,
};

use super::confinement::Confinement;

/// The newest supported version. Older kernels apply the rules they know.
const NEWEST: ABI = ABI::V9;

/// Paths that Deno, V8 and the C library read. Missing ones are left out.
const SYSTEM_FILES: [&str; 36] = [
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/nix/store",
    "/usr/share/zoneinfo",
    "/etc/ld.so.cache",
    "/etc/ld.so.preload",
    "/etc/ld-musl-x86_64.path",
    "/etc/ld-musl-aarch64.path",
    "/etc/localtime",
    "/etc/timezone",
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/host.conf",
    "/etc/gai.conf",
    "/etc/nsswitch.conf",
    "/etc/services",
    "/etc/protocols",
    // For os.userInfo() and os.homedir().
    "/etc/passwd",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    // Only of this process, because the rule is for the folder of its pid.
    "/proc/self",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/loadavg",
    "/proc/uptime",
    "/proc/version",
    "/proc/sys/kernel/osrelease",
    "/proc/sys/vm/overcommit_memory",
    "/sys/devices/system/cpu",
    "/sys/kernel/mm/transparent_hugepage",
];
/// The loaders of dynamic programs, which the kernel executes together with the program.
const LOADERS: [&str; 5] = [
    "/lib64/ld-linux-x86-64.so.2",
    "/lib/ld-linux-x86-64.so.2",
    "/lib/ld-linux-aarch64.so.1",
    "/lib/ld-musl-x86_64.so.1",
    "/lib/ld-musl-aarch64.so.1",
];

pub(super) fn restrict(confinement: &Confinement) -> io::Result<()> {
    let status = enforce(confinement).map_err(io::Error::other)?;
    if status.ruleset == RulesetStatus::NotEnforced {
        return Err(io::Error::other("Landlock is no longer available"));
    }
    Ok(())
}

/// Applies an empty ruleset to this process, which forbids all files, and returns the status.
pub(super) fn restrict_to_nothing() -> Result<RestrictionStatus, RulesetError> {
    rules(true)?.restrict_self()
}

fn rules(ports: bool) -> Result<RulesetCreated, RulesetError> {
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))?
        .handle_access(AccessNet::BindTcp)?
        .scope(Scope::from_all(NEWEST))?;
    if ports {
        rules = rules.handle_access(AccessNet::ConnectTcp)?;
    }
    rules.create()
}

fn enforce(
    confinement: &Confinement,
) -> Result<RestrictionStatus, Box<dyn std::error::Error + Send + Sync>> {
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let execute = AccessFs::ReadFile | AccessFs::Execute;
    let mut rules = rules(confinement.connect_ports.is_some())?;
    for path in SYSTEM_FILES {
        rules = if_there(rules, path, read)?;
    }
    for path in LOADERS {
        rules = if_there(rules, path, execute)?;
    }
    rules = if_there(rules, "/dev/null", AccessFs::ReadFile | AccessFs::WriteFile)?;
    for path in &confinement.executable {
        rules = rules.add_rule(PathBeneath::new(PathFd::new(path)?, execute))?;
    }
    for path in &confinement.readable {
        rules = rules.add_rule(PathBeneath::new(PathFd::new(path)?, read))?;
    }
    for path in &confinement.writable {
        rules = rules.add_rule(PathBeneath::new(PathFd::new(path)?, ordinary_files()))?;
    }
    if let Some(pipe) = &confinement.writable_pipe {
        rules = rules.add_rule(PathBeneath::new(PathFd::new(pipe)?, AccessFs::WriteFile))?;
    }
    for port in confinement.connect_ports.iter().flatten() {
        rules = rules.add_rule(NetPort::new(*port, AccessNet::ConnectTcp))?;
    }
    Ok(rules.restrict_self()?)
}

fn if_there(
    rules: RulesetCreated,
    path: &str,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    match PathFd::new(path) {
        // The library drops rights that do not apply to files, such as listing.
        Ok(file) => rules.add_rule(PathBeneath::new(file, access)),
        Err(_) => Ok(rules),
    }
}

/// All operations on regular files, but no execution, devices, sockets or pipes.
fn ordinary_files() -> BitFlags<AccessFs> {
    AccessFs::ReadFile
        | AccessFs::ReadDir
        | AccessFs::WriteFile
        | AccessFs::Truncate
        | AccessFs::MakeReg
        | AccessFs::MakeDir
        | AccessFs::MakeSym
        | AccessFs::RemoveFile
        | AccessFs::RemoveDir
        | AccessFs::Refer
}
