//! The end of a process: its own, or one that was decided here, and why.

use std::{
    process::ExitStatus,
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::{process::Child, task::JoinHandle};

use super::{InstanceFolder, Shared};
use crate::{outcome::ProcessEvent, verdict::Verdict, watchdog::Watchdog};

const OVERDUE_PERIOD: Duration = Duration::from_millis(500);

impl Shared {
    pub(super) async fn supervise(
        self: Arc<Self>,
        mut child: Child,
        readers: [JoinHandle<()>; 2],
        folder: InstanceFolder,
        watchdog: Watchdog,
    ) {
        let mut overdue_check = tokio::time::interval(OVERDUE_PERIOD);
        let status = loop {
            tokio::select! {
                status = child.wait() => break status.ok(),
                () = self.kill.cancelled() => {
                    kill_group(&child);
                    break child.wait().await.ok();
                }
                _ = overdue_check.tick() => {
                    if self.inflight.lock().is_overdue(Instant::now()) {
                        self.verdict.lock().get_or_insert(Verdict::Overdue);
                        self.kill.cancel();
                    }
                }
            }
        };
        for reader in readers {
            // Whatever it still had to say comes before its end.
            let _ = reader.await;
        }
        if let Some(overuse) = watchdog.overuse() {
            *self.verdict.lock() = Some(Verdict::Overused(overuse));
        }
        let _ = self.events.send(self.last_words(status));
        drop(folder);
    }

    fn last_words(&self, status: Option<ExitStatus>) -> Vec<ProcessEvent> {
        let verdict = self.verdict.lock().clone();
        let mut inflight = self.inflight.lock();
        let mut batch = Vec::new();
        if let Some(failure) = verdict.as_ref().and_then(Verdict::as_failure) {
            let ended = inflight.fail_sole(Instant::now(), failure);
            batch.extend(ended.map(|(id, outcome)| ProcessEvent::Ended(id, outcome)));
        }
        batch.push(ProcessEvent::Exited {
            reason: self.reason(verdict, status),
            unfinished: inflight.abandon(),
        });
        batch
    }

    fn reason(&self, verdict: Option<Verdict>, status: Option<ExitStatus>) -> String {
        use std::os::unix::process::ExitStatusExt;
        match verdict {
            Some(Verdict::Overdue) => "it overran its time".to_owned(),
            Some(Verdict::Overused(overuse)) => overuse.to_string(),
            Some(Verdict::Misbehaved(how)) => {
                format!("it broke the protocol on its standard output: {how}")
            }
            None if self.stderr_tail.lock().contains("out of memory") => {
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

/// Kills the process and whatever it may have started.
pub(crate) fn kill_group(child: &Child) {
    let pid = child
        .id()
        .and_then(|id| i32::try_from(id).ok())
        .and_then(rustix::process::Pid::from_raw);
    if let Some(pid) = pid {
        let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
    }
}
