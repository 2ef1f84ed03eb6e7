//! The end of a process: by itself, or by a kill and its reason.

use std::{
    os::unix::process::ExitStatusExt,
    process::ExitStatus,
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::{process::Child, task::JoinHandle};

use super::{
    health::Health,
    state::{DenoProcess, KillCause},
    tenant::Tenant,
};
use crate::{
    broker::Broker,
    kill_reason::KillReason,
    meter::Meter,
    outcome::ProcessEvent,
    process_group::{kill_group, process_id},
    spec::ProcessOwner,
    watchdog::Watchdog,
};

const HEALTH_PERIOD: Duration = Duration::from_millis(500);
/// Compute time is reported this often while it is used.
const CHARGE_PERIOD: Duration = Duration::from_secs(5);

/// The parts of a process that its supervisor holds until the end.
pub(super) struct Supervised {
    child: Child,
    readers: [JoinHandle<()>; 2],
    watchdog: Watchdog,
    broker: Option<Broker>,
}

impl Supervised {
    pub(super) fn new(
        child: Child,
        readers: [JoinHandle<()>; 2],
        watchdog: Watchdog,
        broker: Option<Broker>,
    ) -> Supervised {
        Supervised {
            child,
            readers,
            watchdog,
            broker,
        }
    }
}

impl DenoProcess {
    pub(super) async fn wait_for_end(self: Arc<Self>, supervised: Supervised) {
        let Supervised {
            mut child,
            readers,
            watchdog,
            broker,
        } = supervised;
        let mut health_check = tokio::time::interval(HEALTH_PERIOD);
        let mut charge_check = tokio::time::interval(CHARGE_PERIOD);
        let mut meter = Meter::new(process_id(&child));
        let mut health = Health::new(process_id(&child));
        let status = loop {
            tokio::select! {
                status = child.wait() => break status.ok(),
                () = self.kill.cancelled() => {
                    kill_group(&child);
                    break child.wait().await.ok();
                }
                _ = health_check.tick() => self.check_health(&mut health),
                _ = charge_check.tick() => self.charge_all(&mut meter, &mut health),
            }
        };
        let killed_by_kernel = !self.kill.is_cancelled()
            && status.and_then(|status| status.signal()) == Some(libc::SIGKILL);
        drop(broker);
        // A reader that waits for room reads the rest, which is short.
        self.kill.cancel();
        for reader in readers {
            // Its last output is reported before its end.
            let _ = reader.await;
        }
        let overuse = watchdog
            .overuse()
            .or_else(|| watchdog.overuse_of_account().filter(|_| killed_by_kernel));
        if let Some(overuse) = overuse {
            *self.kill_cause.lock() = Some(KillCause {
                tenant: None,
                reason: KillReason::Overused(overuse),
            });
        }
        self.report_end(status, &mut meter).await;
    }

    /// Reports the compute time since the last report, to owners that take it now. Others get it later.
    fn charge_all(&self, meter: &mut Meter, health: &mut Health) {
        let tenants: Vec<Arc<Tenant>> = {
            let tenants = self.tenants.lock();
            meter.set_loads(tenants.joins());
            tenants.all().cloned().collect()
        };
        let mut busiest: Option<(Duration, &Arc<Tenant>)> = None;
        for tenant in &tenants {
            let Ok(place) = tenant.events.try_reserve() else {
                continue;
            };
            let (running, ended) = tenant.take_times();
            meter.add(running + ended);
            if busiest.is_none_or(|(time, _)| time <= running + ended) {
                busiest = Some((running + ended, tenant));
            }
            if !running.is_zero() {
                place.send(vec![ProcessEvent::Computed(running)]);
            }
        }
        let Some((time, tenant)) = busiest else {
            return;
        };
        // It is unknown which of them computed without an invocation. They are of one account.
        if let Ok(place) = tenant.events.try_reserve()
            && let Some(excess) = meter.excess()
        {
            place.send(vec![ProcessEvent::Computed(excess)]);
        }
        if tenants.len() > 1 {
            self.check_load(health, tenant, time);
        }
    }

    async fn report_end(&self, status: Option<ExitStatus>, meter: &mut Meter) {
        let cause = self.kill_cause.lock().clone();
        let reason = self.reason(cause.as_ref().map(|cause| &cause.reason), status);
        let tenants: Vec<Arc<Tenant>> = self.tenants.lock().all().cloned().collect();
        self.tell_group(&tenants, cause.as_ref());
        for tenant in &tenants {
            let is_at_fault = match &cause {
                _ if tenants.len() == 1 => true,
                Some(cause) => cause.tenant == Some(tenant.number),
                None => false,
            };
            let batch = last_events(tenant, &reason, cause.as_ref(), is_at_fault, meter);
            let _ = tenant.events.send(batch).await;
            self.tenants.lock().remove(tenant.number);
        }
    }

    /// Sources that ran something when their process crashed start in processes of their own for a while.
    fn tell_group(&self, tenants: &[Arc<Tenant>], cause: Option<&KillCause>) {
        let (Some(membership), true) = (&self.membership, tenants.len() > 1) else {
            return;
        };
        let culprit = match cause {
            // Its owner stopped it.
            Some(cause) if matches!(cause.reason, KillReason::Stopped) => return,
            cause => cause.and_then(|cause| cause.tenant),
        };
        let suspects = tenants.iter().filter(|tenant| match culprit {
            Some(number) => tenant.number == number,
            None => tenant.is_loading() || !tenant.inflight.lock().is_idle(),
        });
        let suspects: Vec<ProcessOwner> = suspects.map(|tenant| tenant.owner.clone()).collect();
        membership.crashed(&suspects);
    }

    fn reason(&self, kill_reason: Option<&KillReason>, status: Option<ExitStatus>) -> String {
        match kill_reason {
            Some(KillReason::Overdue) => "it overran its time".to_owned(),
            Some(KillReason::Blocked) => "it computed without giving way to others".to_owned(),
            Some(KillReason::Stopped) => "another source in its process was stopped".to_owned(),
            Some(KillReason::Overused(overuse)) => overuse.to_string(),
            Some(KillReason::Overreported(exceeded)) => exceeded.to_string(),
            Some(KillReason::ProtocolError(how)) => {
                format!("it broke the protocol: {how}")
            }
            None if self.last_errors.lock().contains("out of memory") => {
                format!("it ran out of memory (limit {} MB)", self.limits.heap_mb)
            }
            None => match status {
                Some(status) => match (status.code(), status.signal()) {
                    (Some(code), _) => format!("it exited with code {code}"),
                    (None, Some(signal)) => format!("it was killed by signal {signal}"),
                    (None, None) => "it ended".to_owned(),
                },
                None => "it ended".to_owned(),
            },
        }
    }
}

fn last_events(
    tenant: &Tenant,
    reason: &str,
    cause: Option<&KillCause>,
    is_at_fault: bool,
    meter: &mut Meter,
) -> Vec<ProcessEvent> {
    let (running, ended) = tenant.take_times();
    meter.add(running + ended);
    let computed = running + meter.excess().unwrap_or_default();
    let mut batch = Vec::new();
    if !computed.is_zero() {
        batch.push(ProcessEvent::Computed(computed));
    }
    let mut inflight = tenant.inflight.lock();
    inflight.close();
    let failure = cause.filter(|_| is_at_fault);
    if let Some(failure) = failure.and_then(|cause| cause.reason.as_failure()) {
        let ended = inflight.fail_sole(Instant::now(), failure);
        batch.extend(ended.map(|(id, outcome)| ProcessEvent::Ended(id, outcome)));
    }
    batch.push(ProcessEvent::Exited {
        reason: reason.to_owned(),
        unfinished: inflight.abandon(),
        is_at_fault,
    });
    batch
}
