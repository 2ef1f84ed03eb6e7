//! The process of a test run.

use std::time::Duration;

use sluice_model::InvocationId;
use sluice_runtime::{Invocation, Outcome, ProcessEvent, Reply};

use crate::{
    commit::builder::failure,
    error::EngineError,
    owner::workflow::events::PROCESS_DIED,
    process::{HostEvent, Hosts, LiveProcess},
};

pub(super) struct TestProcess {
    /// Of one process.
    hosts: Hosts<(), ()>,
    /// Compute time that was reported so far.
    pub(super) computed: Duration,
    /// The first immediate response.
    pub(super) reply: Option<Reply>,
}

impl TestProcess {
    /// Waits until the process has loaded its code.
    pub(super) async fn start(
        process: impl Future<Output = Result<LiveProcess, sluice_runtime::LoadError>> + Send + 'static,
    ) -> Result<TestProcess, EngineError> {
        let mut hosts = Hosts::default();
        hosts.get_or_insert((), || ()).start(process);
        match hosts.next().await.1 {
            HostEvent::Started => Ok(TestProcess {
                hosts,
                computed: Duration::ZERO,
                reply: None,
            }),
            HostEvent::StartFailed(error) => Err(error.into()),
            HostEvent::Events(_) | HostEvent::BackoffElapsed | HostEvent::Exited => Err(ended()),
        }
    }

    pub(super) fn live(&mut self) -> Result<&mut LiveProcess, EngineError> {
        let host = self.hosts.get_mut(&());
        host.and_then(|host| host.live_mut()).ok_or_else(ended)
    }

    /// Runs a step to its end. A step whose process dies has failed.
    pub(super) async fn invoke(&mut self, invocation: Invocation) -> Result<Outcome, EngineError> {
        let id = invocation.id;
        self.live()?.invoke(&[invocation]);
        loop {
            match self.hosts.next().await.1 {
                HostEvent::Events(events) => {
                    let mut end = None;
                    for event in events {
                        end = end.or(self.handle(id, event));
                    }
                    if let Some(outcome) = end {
                        return Ok(outcome);
                    }
                }
                HostEvent::Exited => return Ok(died("it exited")),
                HostEvent::Started | HostEvent::StartFailed(_) | HostEvent::BackoffElapsed => {}
            }
        }
    }

    fn handle(&mut self, step: InvocationId, event: ProcessEvent) -> Option<Outcome> {
        match event {
            ProcessEvent::Replied(_, reply) => {
                self.reply.get_or_insert(reply);
            }
            ProcessEvent::Ended(id, outcome) if id == step => return Some(outcome),
            ProcessEvent::Ended(..) | ProcessEvent::Stray(..) => {}
            ProcessEvent::Asked(ask) => {
                if let Ok(live) = self.live() {
                    live.request_data_store(ask);
                }
            }
            ProcessEvent::Computed(time) => self.computed += time,
            ProcessEvent::Exited {
                reason, unfinished, ..
            } => {
                let logs = unfinished.into_iter().flat_map(|one| one.logs);
                return Some(Outcome {
                    logs: logs.collect(),
                    ..died(&reason)
                });
            }
        }
        None
    }
}

fn died(reason: &str) -> Outcome {
    let message = format!("the process of the test died: {reason}");
    Outcome {
        failure: Some(failure(PROCESS_DIED, message)),
        ..Outcome::default()
    }
}

fn ended() -> EngineError {
    EngineError::Unavailable("the process of the test has ended".to_owned())
}
