//! A server with a workflow of three steps under load. Each step tells a receiver that it runs, so that what ran can be
//! held against what the server has on record.

use std::{collections::BTreeSet, time::Duration};

use serde_json::json;
use sluice_testkit::{
    Backend, Plan,
    receiver::{Answer, Receiver},
    wait_for,
};
use tokio::sync::watch;

use super::{
    stage::Stage,
    traffic::{Phase, Sent, Traffic},
};
use crate::{
    support::{Deployed, PATIENCE, deploy, unique_name},
    workflows::fixtures::{self, Workflow},
};

const ARGS: [&str; 3] = ["--allow-private-network", "--event-retention", "10000000"];
const CLIENTS: usize = 3;
const PAUSE: Duration = Duration::from_millis(30);
/// Where steps report, by step and run.
const STEPS: &str = "/steps";
/// Where `$.send.http` goes, by run.
const SENT: &str = "/sent";

pub(super) const NAMES: [&str; 3] = ["first", "second", "third"];
/// The steps that emit.
pub(super) const EMITTERS: [&str; 2] = ["second", "third"];

/// Every step takes a while after its report, so that kills find some under way.
const DOCUMENT: &str = r#"
name: Assembly
triggers:
  - http: {}
steps:
  - name: first
    code: |
      export default defineComponent({
        async run({ steps }) {
          const { id } = steps.trigger.context;
          await fetch(`RECEIVER/steps/first/${id}`, { method: "POST" });
          await new Promise((done) => setTimeout(done, Math.random() * 40));
          return { run: id };
        },
      })
  - name: second
    code: |
      export default defineComponent({
        async run({ steps, $ }) {
          const { run } = steps.first.$return_value;
          await fetch(`RECEIVER/steps/second/${run}`, { method: "POST" });
          $.send.emit({ run, part: "second" });
          await new Promise((done) => setTimeout(done, Math.random() * 40));
          return { run };
        },
      })
  - name: third
    code: |
      export default defineComponent({
        async run({ steps, $ }) {
          const { run } = steps.second.$return_value;
          await fetch(`RECEIVER/steps/third/${run}`, { method: "POST" });
          $.send.emit({ run, part: "third" });
          $.send.http({ method: "POST", url: `RECEIVER/sent/${run}`, data: { run } });
          await new Promise((done) => setTimeout(done, Math.random() * 40));
        },
      })
settings: { concurrency: 8 }
"#;

/// Says what it heard.
const RELAY: &str = r#"export default {
  name: "relay", version: "0.0.1",
  run(event) { this.$emit(event) },
};"#;

/// A run and the name of a step.
pub(super) type StepOfRun = (String, String);

/// The server was down: what was on record then, and how many reports had come.
pub(super) struct Stop {
    pub(super) completed: BTreeSet<StepOfRun>,
    pub(super) reports: usize,
}

pub(super) struct Assembly {
    pub(super) stage: Stage,
    pub(super) workflow: Workflow,
    /// Listens to the workflow.
    pub(super) relay: Deployed,
    pub(super) stops: Vec<Stop>,
    receiver: Receiver,
    phase: watch::Sender<Phase>,
    traffic: Option<Traffic>,
}

impl Assembly {
    /// Starts the server and the load.
    pub(super) async fn start(backend: Backend) -> Assembly {
        let stage = Stage::start(backend, &ARGS).await;
        let receiver = Receiver::start(|_| Answer::status(200));
        let api = stage.user(&unique_name(), Plan::Free).await;
        let document = DOCUMENT.replace("RECEIVER", &receiver.url(""));
        let workflow = fixtures::deploy(&api, &document).await;
        let relay = deploy(&api, RELAY).await;
        let body = json!({ "emitter_id": workflow.id, "listener_id": relay.id });
        api.post("/subscriptions", &body).await.ok();
        let (phase, watch) = watch::channel(Phase::Up);
        let endpoint = workflow.endpoint().await;
        Assembly {
            traffic: Some(Traffic::paced(&endpoint, CLIENTS, PAUSE, &watch)),
            stage,
            workflow,
            relay,
            stops: Vec::new(),
            receiver,
            phase,
        }
    }

    pub(super) async fn kill_and_restart(&mut self) {
        self.phase.send_replace(Phase::Down);
        self.stage.kill9();
        self.start_again().await;
    }

    /// SIGTERM comes while clients still send.
    pub(super) async fn terminate_and_restart(&mut self) {
        let phase = &self.phase;
        let (status, _) = tokio::join!(self.stage.terminate(), async {
            phase.send_replace(Phase::Down)
        });
        assert_eq!(status.code(), Some(0), "{}", self.stage.logs());
        self.start_again().await;
    }

    /// Notes what is on record, and starts the server that is down.
    async fn start_again(&mut self) {
        let completed = self.stage.ledger.completed_steps(&self.workflow.id);
        self.stops.push(Stop {
            completed: completed.into_iter().collect(),
            reports: self.receiver.count(),
        });
        self.stage.restart().await;
        self.phase.send_replace(Phase::Up);
    }

    /// Ends the load, waits until all of it is run, heard and sent, and tells what was sent.
    pub(super) async fn close(&mut self) -> Sent {
        self.phase.send_replace(Phase::Over);
        let traffic = self.traffic.take().expect("it is closed once");
        let sent = traffic.sum().await;
        self.stage.worked_off(&self.workflow.id).await;
        self.stage.worked_off(&self.relay.id).await;
        wait_for(PATIENCE * 3, "everything to be sent", async || {
            (self.stage.ledger.unsent(&self.workflow.id) == 0).then_some(())
        })
        .await;
        self.stage.kill9();
        sent
    }

    /// Every report of a step with its place among all requests, in the order in which they came.
    pub(super) fn reports(&self) -> Vec<(usize, StepOfRun)> {
        let requests = self.receiver.requests().into_iter();
        requests
            .filter_map(|request| {
                let path = request.path.strip_prefix(STEPS)?.strip_prefix('/')?;
                let (step, run) = path.split_once('/')?;
                Some((request.number, (run.to_owned(), step.to_owned())))
            })
            .collect()
    }

    /// The runs whose `$.send.http` arrived, as often as it did.
    pub(super) fn arrived(&self) -> Vec<String> {
        let requests = self.receiver.requests().into_iter();
        requests
            .filter_map(|request| {
                let run = request.path.strip_prefix(SENT)?.strip_prefix('/')?;
                Some(run.to_owned())
            })
            .collect()
    }
}
