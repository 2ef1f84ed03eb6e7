//! The options of the runtime.

use std::path::PathBuf;

use crate::{
    component_users::ComponentUsers, control_groups::ControlGroupOptions, isolation::Isolation,
    limits::Limits, packages::PackageSettings, sandbox::network::Network,
};

pub struct RuntimeOptions {
    pub deno: PathBuf,
    /// The `sluice` binary, whose launcher mode starts Deno.
    pub launcher: PathBuf,
    /// Holds the harness and the private folders of processes, which are emptied at start.
    pub folder: PathBuf,
    pub limits: Limits,
    /// Reports of the processes of one account that are not stored yet, in bytes. One process may always report what its limits
    /// allow.
    pub unstored_per_user: usize,
    pub network: Network,
    pub deno_permissions: DenoPermissions,
    /// `None` for the user of the server.
    pub users: Option<ComponentUsers>,
    /// `None` for no control groups.
    pub control_groups: Option<ControlGroupOptions>,
    /// The number of processes that may be starting at once.
    pub starting_at_once: usize,
    /// The number of idle processes that are kept ready for a component.
    pub warm_processes: usize,
    /// The sources that may share a process.
    pub isolation: Isolation,
    pub packages: PackageSettings,
}

/// Deno's own permission checks, which stand before the protections of the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DenoPermissions {
    #[default]
    Checked,
    /// For tests of the protections behind them.
    Off,
}
