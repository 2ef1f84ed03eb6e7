//! Limits of components and their processes.

use std::{path::PathBuf, time::Duration};

use bytesize::ByteSize;
use clap::Args;
use sluice_runtime::{ComponentUsers, Isolation, Limits};

use super::{
    control_group::ControlGroupOption,
    isolation::IsolationOption,
    size::{bytes, memory},
};

#[derive(Args)]
#[command(next_help_heading = "Components")]
pub(crate) struct ComponentOptions {
    /// Maximum time of one invocation
    #[arg(long, env = "SLUICE_INVOCATION_TIMEOUT", default_value = "30s", value_parser = humantime::parse_duration, value_name = "TIME")]
    pub(crate) invocation_timeout: Duration,
    /// Maximum time for loading a component
    #[arg(long, env = "SLUICE_LOAD_TIMEOUT", default_value = "15s", value_parser = humantime::parse_duration, value_name = "TIME")]
    pub(crate) load_timeout: Duration,
    /// Maximum JavaScript heap of a component process
    #[arg(
        long,
        env = "SLUICE_HEAP",
        default_value = "256MiB",
        value_parser = memory,
        value_name = "SIZE"
    )]
    pub(crate) heap: ByteSize,
    /// Maximum memory of a component process, including its heap
    #[arg(
        long,
        env = "SLUICE_MAX_MEMORY",
        default_value = "512MiB",
        value_parser = memory,
        value_name = "SIZE"
    )]
    pub(crate) max_memory: ByteSize,
    /// Maximum size of the temporary files of a component process
    #[arg(
        long,
        env = "SLUICE_MAX_TMP",
        default_value = "512MiB",
        value_name = "SIZE"
    )]
    pub(crate) max_tmp: ByteSize,
    /// Maximum size of one emitted event
    #[arg(
        long,
        env = "SLUICE_MAX_EMIT",
        default_value = "1MiB",
        value_name = "SIZE"
    )]
    pub(crate) max_emit: ByteSize,
    /// Maximum total size of the events of one invocation
    #[arg(
        long,
        env = "SLUICE_MAX_EMITS",
        default_value = "64MiB",
        value_name = "SIZE"
    )]
    pub(crate) max_emits: ByteSize,
    /// Maximum total size of the log lines of one invocation
    #[arg(
        long,
        env = "SLUICE_MAX_LOG",
        default_value = "256KiB",
        value_name = "SIZE"
    )]
    pub(crate) max_log: ByteSize,
    /// Maximum total size of the `$.service.db` of one source
    #[arg(
        long,
        env = "SLUICE_MAX_DB",
        default_value = "16MiB",
        value_name = "SIZE"
    )]
    pub(crate) max_db: ByteSize,
    /// Maximum total size of one data store
    #[arg(
        long,
        env = "SLUICE_MAX_DATA_STORE",
        default_value = "64MiB",
        value_name = "SIZE"
    )]
    pub(crate) max_data_store: ByteSize,
    /// Maximum size of one value in a data store
    #[arg(
        long,
        env = "SLUICE_MAX_DATA_STORE_VALUE",
        default_value = "1MiB",
        value_name = "SIZE"
    )]
    pub(crate) max_data_store_value: ByteSize,
    /// Maximum concurrent invocations of one source
    #[arg(
        long,
        env = "SLUICE_SOURCE_CONCURRENCY",
        default_value_t = 128,
        value_name = "COUNT"
    )]
    pub(crate) source_concurrency: usize,
    /// Number of requests of one source in progress from which on further ones run before they are stored, and are answered when
    /// their events are. That takes one write in place of two. A request that takes longer than 10 ms is stored meanwhile
    #[arg(
        long,
        env = "SLUICE_DIRECT_FROM",
        default_value_t = 32,
        value_name = "COUNT"
    )]
    pub(crate) direct_from: usize,
    /// Store every request before it runs
    #[arg(long, env = "SLUICE_STORE_FIRST")]
    pub(crate) store_first: bool,
    /// Sources that may share a process. `component`: sources of one account with the same code, if the code keeps all its state
    /// in its own modules. `account`: all such sources of an account, in one heap, for operators who trust all its code.
    /// `process`: none
    #[arg(long, env = "SLUICE_ISOLATION", value_enum, default_value_t = IsolationOption::Component, value_name = "MODE")]
    isolation: IsolationOption,
    /// Maximum number of component processes
    #[arg(
        long,
        env = "SLUICE_MAX_PROCESSES",
        default_value_t = 200,
        value_name = "COUNT"
    )]
    pub(crate) max_processes: usize,
    /// Total memory of component processes above which idle ones are stopped, the one that is due last first
    /// [default: half of the memory of the machine or of its container]
    #[arg(long, env = "SLUICE_MEMORY_BUDGET", value_name = "SIZE")]
    pub(crate) memory_budget: Option<ByteSize>,
    /// Time after which an idle component process is stopped, unless a timer of its source is due within 90 seconds
    #[arg(long, env = "SLUICE_IDLE_TIMEOUT", default_value = "60s", value_parser = humantime::parse_duration, value_name = "TIME")]
    pub(crate) idle_timeout: Duration,
    /// Number of empty component processes kept ready for sources that start. One more is kept with the npm packages that
    /// were needed last
    #[arg(
        long,
        env = "SLUICE_WARM_PROCESSES",
        default_value_t = 2,
        value_name = "COUNT"
    )]
    pub(crate) warm_processes: usize,
    /// Maximum attempts of an invocation whose process dies
    #[arg(
        long,
        env = "SLUICE_MAX_ATTEMPTS",
        default_value_t = 3,
        value_name = "COUNT"
    )]
    pub(crate) max_attempts: u32,
    /// Time for running invocations to finish when the server stops
    #[arg(long, env = "SLUICE_DRAIN_TIMEOUT", default_value = "35s", value_parser = humantime::parse_duration, value_name = "TIME")]
    pub(crate) drain_timeout: Duration,
    /// User ids for component processes, such as 100000-100999: each process gets the next one, so that components own no file of
    /// the server or of each other. Needs root [default: the user of the server]
    #[arg(long, env = "SLUICE_COMPONENT_UIDS", value_name = "FIRST-LAST")]
    pub(crate) component_uids: Option<ComponentUsers>,
    /// Control group of version 2 in which the server makes one group for each account, so that the kernel limits the memory,
    /// the CPU time and the threads of all its processes together. `auto`: that of the server, if systemd delegated it
    /// (`Delegate=cpu memory pids`). `off`: none
    #[arg(
        long,
        env = "SLUICE_CONTROL_GROUP",
        default_value = "auto",
        value_name = "auto|off|FOLDER"
    )]
    pub(crate) control_group: ControlGroupOption,
    /// Do not register the starter components that come with this program
    #[arg(long, env = "SLUICE_NO_STARTER")]
    pub(crate) no_starter: bool,
    /// Deno binary that runs components [default: found or installed]
    #[arg(long, env = "SLUICE_DENO", value_name = "FILE")]
    pub(crate) deno: Option<PathBuf>,
}

/// Time between the timeout of an invocation and the kill of its process.
const GRACE: Duration = Duration::from_secs(1);

impl ComponentOptions {
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            heap_mb: u32::try_from(self.heap.as_u64() / (1024 * 1024)).unwrap_or(u32::MAX),
            memory_bytes: self.max_memory.as_u64(),
            tmp_bytes: self.max_tmp.as_u64(),
            emit_bytes: bytes(self.max_emit),
            emits_bytes: bytes(self.max_emits),
            log_bytes: bytes(self.max_log),
            db_bytes: bytes(self.max_db),
            data_store_value_bytes: bytes(self.max_data_store_value),
            load_timeout: self.load_timeout,
            grace: GRACE,
        }
    }

    pub(crate) fn isolation(&self) -> Isolation {
        self.isolation.into()
    }

    pub(crate) fn direct_from(&self) -> Option<usize> {
        (!self.store_first).then_some(self.direct_from)
    }

    pub(crate) fn memory_budget(&self) -> u64 {
        self.memory_budget
            .map_or_else(|| available_memory() / 2, |budget| budget.as_u64())
    }
}

fn available_memory() -> u64 {
    sluice_runtime::memory_limit()
        .map_or(memory_of_machine(), |limit| limit.min(memory_of_machine()))
}

/// Unlimited where `/proc/meminfo` cannot be read.
fn memory_of_machine() -> u64 {
    let kilobytes = std::fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| {
            let line = text
                .lines()
                .find_map(|line| line.strip_prefix("MemTotal:"))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        });
    kilobytes.map_or(u64::MAX, |kilobytes| kilobytes * 1024)
}
