//! The end of a process: by itself, or by a kill and its reason.

use std::{
    process::ExitStatus,
    sync::Arc,
    time::{Duration, Instant},
};

use rustix::process::Pid;
use tokio::{process::Child, task::JoinHandle};

use super::{folder::InstanceFolder, shared::Shared};
use crate::{
    broker::Broker, kill_reason::KillReason, meter::Meter, outcome::ProcessEvent,
    watchdog::Watchdog,
};

const OVERDUE_PERIOD: Duration = Duration::from_millis(500);
/// Compute time is reported this often while it is used.
const CHARGE_PERIOD: Duration = Duration::from_secs(5);

impl Shared {
    pub(super) async fn supervise(
        self: Arc<Self>,
        mut child: Child,
        readers: [JoinHandle<()>; 2],
        folder: InstanceFolder,
        watchdog: Watchdog,
        broker: Option<Broker>,
    ) {
        let mut overdue_check = tokio::time::interval(OVERDUE_PERIOD);
        let mut charge_check = tokio::time::interval(CHARGE_PERIOD);
        let mut meter = Meter::new(process_id(&child));
        let status = loop {
            tokio::select! {
                status = child.wait() => break status.ok(),
                () = self.kill.cancelled() => {
                    kill_group(&child);
                    break child.wait().await.ok();
                }
                _ = overdue_check.tick() => {
                    if self.inflight.lock().is_overdue(Instant::now()) {
                        self.kill_reason.lock().get_or_insert(KillReason::Overdue);
                        self.kill.cancel();
                    }
                }
                _ = charge_check.tick() => {
                    // If the owner is behind, it gets a report of the same time later.
                    if let Ok(place) = self.events.try_reserve()
                        && let Some(computed) = self.charge(&mut meter)
                    {
                        place.send(vec![computed]);
                    }
                }
            }
        };
        drop(broker);
        // A reader that waits for room reads the rest, which is short.
        self.kill.cancel();
        for reader in readers {
            // Its last output is reported before its end.
            let _ = reader.await;
        }
        if let Some(overuse) = watchdog.overuse() {
            *self.kill_reason.lock() = Some(KillReason::Overused(overuse));
        }
        let _ = self.events.send(self.last_events(status, &mut meter)).await;
        drop(folder);
    }

    /// Reports the compute time since the last report.
    fn charge(&self, meter: &mut Meter) -> Option<ProcessEvent> {
        let (running, ended) = self.inflight.lock().take_times(Instant::now());
        let computed = meter.charge(running, ended);
        (!computed.is_zero()).then_some(ProcessEvent::Computed(computed))
    }

    fn last_events(&self, status: Option<ExitStatus>, meter: &mut Meter) -> Vec<ProcessEvent> {
        let kill_reason = self.kill_reason.lock().clone();
        let mut batch: Vec<ProcessEvent> = self.charge(meter).into_iter().collect();
        let mut inflight = self.inflight.lock();
        if let Some(failure) = kill_reason.as_ref().and_then(KillReason::as_failure) {
            let ended = inflight.fail_sole(Instant::now(), failure);
            batch.extend(ended.map(|(id, outcome)| ProcessEvent::Ended(id, outcome)));
        }
        batch.push(ProcessEvent::Exited {
            reason: self.reason(kill_reason, status),
            unfinished: inflight.abandon(),
        });
        batch
    }

    fn reason(&self, kill_reason: Option<KillReason>, status: Option<ExitStatus>) -> String {
        use std::os::unix::process::ExitStatusExt;
        match kill_reason {
            Some(KillReason::Overdue) => "it overran its time".to_owned(),
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

fn process_id(child: &Child) -> Option<Pid> {
    let id = child.id().and_then(|id| i32::try_from(id).ok());
    id.and_then(Pid::from_raw)
}

/// Kills the process and its children.
pub(crate) fn kill_group(child: &Child) {
    if let Some(pid) = process_id(child) {
        let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
    }
}
