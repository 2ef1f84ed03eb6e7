//! Checks that one tenant does not harm others: code that does not give way, computes a lot, or fills the memory.

use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use rustix::process::Pid;

use super::{state::DenoProcess, tenant::Tenant};
use crate::{kill_reason::KillReason, pace::cpu_time, protocol};

/// CPU time without a message after which the process is asked for one.
const QUIET: Duration = Duration::from_millis(200);
/// CPU time without an answer after which the process counts as blocked.
const BLOCKED: Duration = Duration::from_secs(1);
/// Of the time between two checks. Then the process is busy.
const BUSY_FRACTION: u32 = 2;

pub(super) struct Health {
    pid: Option<Pid>,
    reads: u64,
    /// The CPU time when a message was read last.
    cpu_at_read: Duration,
    /// The CPU time when it was asked for a message.
    cpu_at_ping: Option<Duration>,
    /// The CPU time and the time at the last check of the load.
    load: (Duration, Instant),
}

impl Health {
    pub(super) fn new(pid: Option<Pid>) -> Health {
        let cpu = pid.and_then(cpu_time).unwrap_or_default();
        Health {
            pid,
            reads: 0,
            cpu_at_read: cpu,
            cpu_at_ping: None,
            load: (cpu, Instant::now()),
        }
    }

    fn cpu(&self) -> Duration {
        self.pid.and_then(cpu_time).unwrap_or_default()
    }
}

impl DenoProcess {
    pub(super) fn check_health(&self, health: &mut Health) {
        let now = Instant::now();
        let (is_overdue, is_shared, is_stale) = {
            let tenants = self.tenants.lock();
            let mut all = tenants.all();
            let is_overdue = all.any(|tenant| tenant.inflight.lock().is_overdue(now));
            let is_stale = tenants.are_stale() && !tenants.is_retiring();
            (is_overdue, tenants.len() > 1, is_stale)
        };
        if is_overdue {
            return self.kill_for(None, KillReason::Overdue);
        }
        if is_shared {
            self.check_progress(health);
            self.check_memory();
        }
        if is_stale {
            self.retire();
        } else {
            self.let_tenants_leave();
        }
    }

    /// One tenant may keep all others waiting. CPU time counts, and not time, because the machine may be busy.
    fn check_progress(&self, health: &mut Health) {
        let (reads, cpu) = (self.reads.load(Ordering::Relaxed), health.cpu());
        if reads != health.reads {
            (health.reads, health.cpu_at_read, health.cpu_at_ping) = (reads, cpu, None);
        } else if let Some(since) = health.cpu_at_ping {
            if cpu.saturating_sub(since) >= BLOCKED {
                self.kill_for(None, KillReason::Blocked);
            }
        } else if cpu.saturating_sub(health.cpu_at_read) >= QUIET {
            health.cpu_at_ping = Some(cpu);
            let _ = self.lines.send(protocol::PING.to_owned());
        }
    }

    /// Memory that code keeps is freed by starting the tenants elsewhere.
    fn check_memory(&self) {
        if self.memory.is_above(self.limits.memory_bytes / 2) && !self.tenants.lock().is_retiring()
        {
            tracing::info!("shared process uses much memory; its sources move to others");
            if let Some(membership) = &self.membership {
                membership.crashed(&[]);
            }
            self.retire();
        }
    }

    /// The tenant that had most to do moves out of a busy process.
    pub(super) fn check_load(&self, health: &mut Health, busiest: &Arc<Tenant>, time: Duration) {
        let (cpu, now) = (health.cpu(), Instant::now());
        let (cpu_before, before) = std::mem::replace(&mut health.load, (cpu, now));
        let period = now - before;
        let is_busy = cpu.saturating_sub(cpu_before) * BUSY_FRACTION >= period;
        if is_busy
            && time * BUSY_FRACTION >= period
            && let Some(membership) = &self.membership
        {
            tracing::info!(owner = ?busiest.owner, "busy source moves to a process of its own");
            membership.separate(&busiest.owner);
            self.move_out(busiest);
        }
    }
}
