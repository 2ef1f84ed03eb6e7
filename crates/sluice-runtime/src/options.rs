//! The options of the runtime.

use std::{path::PathBuf, time::Duration};

use crate::{limits::Limits, sandbox::network::Network};

pub struct RuntimeOptions {
    pub deno: PathBuf,
    /// The `sluice` binary, whose launcher mode starts Deno.
    pub launcher: PathBuf,
    /// Holds the harness and the private folders of processes, which are emptied at start.
    pub folder: PathBuf,
    pub limits: Limits,
    pub network: Network,
    /// The number of processes that may be starting at once.
    pub starting_at_once: usize,
    /// The number of idle processes that are kept ready for a component.
    pub warm_processes: usize,
    /// The time limit for fetching a component's packages.
    pub package_timeout: Duration,
}
