//! The store is full or gone while steps run: what a step did is kept until it can be stored, and no step runs twice.

use serde_json::json;
use sluice_testkit::{Api, OwnPostgres, Server, wait_for};

use super::small_disk::SmallDisk;
use crate::{
    gate::{self, Gate},
    support::{PATIENCE, own_server},
    workflows::fixtures::{self, Workflow, returned},
};

const RUNS: usize = 4;

/// What the first step returns needs room in the store.
const DOCUMENT: &str = r#"
name: Patient
steps:
  - name: gated
    code: |
      export default defineComponent({
        async run() {
          await fetch("GATE");
          return "x".repeat(500_000);
        },
      })
  - name: next
    code: |
      export default defineComponent({
        async run({ steps }) {
          await fetch("GATE");
          return steps.gated.$return_value.length;
        },
      })
"#;

/// Runs whose first step stands at the gate.
struct Gated {
    workflow: Workflow,
    gate: Gate,
    runs: Vec<String>,
}

impl Gated {
    async fn start(api: &Api) -> Gated {
        let gate = Gate::shut().await;
        let workflow = fixtures::deploy(api, &DOCUMENT.replace("GATE", gate.url())).await;
        let mut runs = Vec::new();
        for _ in 0..RUNS {
            runs.push(workflow.run(&json!({})).await);
        }
        gate.arrived(RUNS).await;
        Gated {
            workflow,
            gate,
            runs,
        }
    }

    /// Lets the steps end, and waits until what they did could not be stored.
    async fn let_go(&self, server: &Server) {
        self.gate.open();
        wait_for(PATIENCE, "a commit to fail", async || {
            server.logs().contains("commit failed").then_some(())
        })
        .await;
        assert_eq!(self.gate.count(), RUNS, "no next step began");
    }

    /// Every run succeeds, and no step of it ran twice.
    async fn all_succeed(&self) {
        for run in &self.runs {
            let run = self.workflow.ended(run).await;
            assert_eq!(run["state"], "succeeded", "{}", run["error"]);
            assert_eq!(*returned(&run, "next"), 500_000);
            let steps = run["steps"].as_array().expect("steps");
            assert_eq!(steps.len(), 2);
        }
        assert_eq!(self.gate.count(), 2 * RUNS, "a step ran twice");
    }
}

#[tokio::test]
async fn what_a_step_did_is_kept_while_the_disk_is_full_and_the_run_goes_on_when_there_is_room() {
    let disk = SmallDisk::start(&gate::ARGS).await;
    let gated = Gated::start(&disk.server.api()).await;
    disk.fill();
    gated.let_go(&disk.server).await;
    disk.make_room();
    gated.all_succeed().await;
}

#[tokio::test]
async fn what_a_step_did_is_kept_while_postgres_is_gone_and_the_run_goes_on_when_it_is_back() {
    let database = OwnPostgres::start();
    let options = own_server().args(gate::ARGS).postgres(database.url());
    let server = Server::start(options).await;
    let gated = Gated::start(&server.api()).await;
    database.stop().await;
    gated.let_go(&server).await;
    database.start_again_for(&server).await;
    gated.all_succeed().await;
}
