//! A Deno process with loaded code. Its messages and its end have a file each.

mod ending;
mod folder;
mod reading;
mod shared;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use serde_json::{Map, Value};
use tokio::{io::AsyncWriteExt, net::unix::pipe::Sender, process::Child, sync::mpsc};
use tokio_util::sync::CancellationToken;

use self::shared::Shared;
pub(crate) use self::{
    ending::kill_group,
    folder::{InstanceFolder, STASH},
};
use crate::{
    ask::{Answers, PendingAnswers, pipe_answers},
    broker::Broker,
    channel::Channel,
    inflight::Inflight,
    limits::Limits,
    outcome::{Invocation, LogLine, ProcessEvent},
    output::Output,
    process::{ProcessControl, ProcessEvents},
    protocol,
    report_limits::{ReportLimits, StrayBudget},
    running::Registration,
    tmp_folder::TmpFolder,
    unstored::UnstoredShare,
    watchdog::Watchdog,
};

/// Batches of events that the owner has not taken. Then the channel is not read on.
const MAX_BATCHES: usize = 16;

/// A live process with a loaded component.
pub(crate) struct DenoProcess {
    shared: Arc<Shared>,
    lines: mpsc::UnboundedSender<String>,
    tmp: TmpFolder,
    grace: Duration,
    _registration: Registration,
}

/// The parts of a started process, before it is supervised.
pub(crate) struct StartedChild {
    pub(crate) child: Child,
    pub(crate) channel: Channel,
    pub(crate) output: Output,
    pub(crate) broker: Option<Broker>,
    pub(crate) folder: InstanceFolder,
    pub(crate) tmp: TmpFolder,
    pub(crate) watchdog: Watchdog,
}

impl DenoProcess {
    /// Starts the tasks that write to the process, read from it and wait for its end. `early_logs` are the lines of the load.
    pub(crate) fn supervise(
        started: StartedChild,
        early_logs: Vec<LogLine>,
        registration: Registration,
        unstored: UnstoredShare,
        limits: Limits,
    ) -> (DenoProcess, ProcessEvents) {
        let (events, receiver) = mpsc::channel(MAX_BATCHES);
        let (lines, pending) = mpsc::unbounded_channel();
        if !early_logs.is_empty() {
            let _ = events.try_send(
                early_logs
                    .into_iter()
                    .map(|line| ProcessEvent::Stray(None, line))
                    .collect(),
            );
        }
        let Channel {
            sender,
            lines: messages,
            key,
            ..
        } = started.channel;
        let shared = Arc::new(Shared {
            key,
            room: unstored.room(),
            inflight: Mutex::new(Inflight::new(ReportLimits::of(&limits), unstored)),
            strays: Mutex::new(StrayBudget::new(&limits, Instant::now())),
            events,
            kill: CancellationToken::new(),
            limits,
            pending_answers: PendingAnswers::default(),
            kill_reason: Mutex::new(None),
            last_errors: started.output.tail(),
        });
        tokio::spawn(write_lines(sender, pending));
        let readers = [
            tokio::spawn(Arc::clone(&shared).read_messages(messages)),
            tokio::spawn(Arc::clone(&shared).read_output(started.output)),
        ];
        tokio::spawn(Arc::clone(&shared).supervise(
            started.child,
            readers,
            started.folder,
            started.watchdog,
            started.broker,
        ));
        let process = DenoProcess {
            shared,
            lines,
            tmp: started.tmp,
            grace: limits.grace,
            _registration: registration,
        };
        (process, receiver)
    }
}

impl ProcessControl for DenoProcess {
    fn invoke(&self, invocations: &[Invocation]) {
        let mut text = String::with_capacity(invocations.iter().map(|i| i.event.len() + 128).sum());
        {
            let mut inflight = self.shared.inflight.lock();
            let now = Instant::now();
            for invocation in invocations {
                let allowance = invocation.timeout + self.grace;
                inflight.begin(invocation.id, invocation.call, now, allowance);
                protocol::run_line(invocation, &mut text);
            }
        }
        let _ = self.lines.send(text);
    }

    fn answers(&self) -> Answers {
        pipe_answers(self.lines.clone(), self.shared.pending_answers.clone())
    }

    fn authorize(&self, module: &str, auths: &Map<String, Value>) {
        let _ = self.lines.send(protocol::auth_line(module, auths));
    }

    fn tmp(&self) -> TmpFolder {
        self.tmp.clone()
    }

    fn kill(&self) {
        self.shared.kill.cancel();
    }
}

async fn write_lines(mut channel: Sender, mut pending: mpsc::UnboundedReceiver<String>) {
    while let Some(mut text) = pending.recv().await {
        while let Ok(more) = pending.try_recv() {
            text.push_str(&more);
        }
        if channel.write_all(text.as_bytes()).await.is_err() {
            return;
        }
    }
}
