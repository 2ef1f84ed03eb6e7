//! Quotas: limits of one account.

use std::time::Duration;

use bytesize::ByteSize;
use clap::Args;
use sluice_runtime::PermitLimits;

use super::size::bytes;

#[derive(Args)]
#[command(next_help_heading = "Quotas")]
pub(crate) struct QuotaOptions {
    /// Invocations per day for a user of the free plan [default: no limit]
    #[arg(long, env = "SLUICE_DAILY_INVOCATIONS_QUOTA", value_name = "COUNT")]
    pub(super) daily_invocations_quota: Option<u64>,
    /// Compute time per day for a user of the free plan, such as 30m [default: no limit]
    #[arg(long, env = "SLUICE_DAILY_COMPUTE_QUOTA", value_parser = humantime::parse_duration, value_name = "TIME")]
    daily_compute_quota: Option<Duration>,
    /// Maximum number of component processes of one account. Events wait until one of its processes is idle. An account has to
    /// wait earlier if it has three times as many processes as are left for others
    /// [default: three quarters of --max-processes]
    #[arg(long, env = "SLUICE_MAX_PROCESSES_PER_ACCOUNT", value_name = "COUNT")]
    max_processes_per_account: Option<usize>,
    /// Total memory of the component processes of one account. Above it, its idle processes are stopped, and its events wait
    /// instead of starting further processes. With control groups, the kernel stops a process of an account that uses this and
    /// --max-memory together [default: three quarters of --memory-budget]
    #[arg(long, env = "SLUICE_MAX_MEMORY_PER_ACCOUNT", value_name = "SIZE")]
    max_memory_per_account: Option<ByteSize>,
    /// Memory of the server for what components of one account have reported and is not stored yet. Beyond it, the server reads
    /// no more reports of the account until some are stored. One process may always report what its limits allow
    #[arg(
        long,
        env = "SLUICE_MAX_UNSTORED_PER_ACCOUNT",
        default_value = "256MiB",
        value_name = "SIZE"
    )]
    max_unstored_per_account: ByteSize,
    /// Disk space of one account: data stores, `$.service.db`, events and npm packages. Beyond it, its oldest events are deleted
    /// until they use half of it, and then nothing else can be stored [default: no limit]
    #[arg(long, env = "SLUICE_MAX_DISK_PER_ACCOUNT", value_name = "SIZE")]
    max_disk_per_account: Option<ByteSize>,
    /// Maximum concurrent installs of npm packages of one account. The server does 4 at once
    #[arg(
        long,
        env = "SLUICE_MAX_INSTALLS_PER_ACCOUNT",
        default_value_t = 3,
        value_name = "COUNT"
    )]
    pub(crate) max_installs_per_account: usize,
}

impl QuotaOptions {
    pub(super) fn daily_compute_ms(&self) -> Option<u64> {
        let quota = self.daily_compute_quota?;
        Some(u64::try_from(quota.as_millis()).unwrap_or(u64::MAX))
    }

    /// Of this number of processes.
    pub(crate) fn max_processes(&self, total: usize) -> usize {
        self.max_processes_per_account
            .unwrap_or(PermitLimits::three_quarters(total).per_user)
    }

    /// In bytes.
    pub(super) fn max_disk(&self) -> Option<u64> {
        self.max_disk_per_account.map(|quota| quota.as_u64())
    }

    /// In bytes.
    pub(crate) fn max_unstored(&self) -> usize {
        bytes(self.max_unstored_per_account)
    }

    /// Of this memory of all processes, in bytes.
    pub(crate) fn max_memory(&self, budget: u64) -> u64 {
        self.max_memory_per_account
            .map_or(budget / 4 * 3, |quota| quota.as_u64())
    }
}
