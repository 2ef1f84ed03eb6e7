//! A source whose creation was interrupted is not there at all; one that was answered is there whole.

use std::{collections::BTreeSet, time::Duration};

use rand::RngExt;
use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Api, Backend, Method, TestRng};

use super::stage::Stage;
use crate::gate::{self, Gate};

const ROUNDS: usize = 4;
const AT_ONCE: usize = 5;
const TABLES: [&str; 7] = [
    "endpoints",
    "timers",
    "emitter_state",
    "kv",
    "inbox",
    "events",
    "logs",
];

/// Both hooks emit and write; `activate` goes through the gate when there is one.
const HOOKED: &str = r#"module.exports = {
  name: "hooked", version: "0.0.1",
  props: {
    http: "$.interface.http", db: "$.service.db", gate: { type: "string", optional: true },
    timer: { type: "$.interface.timer", default: { intervalSeconds: 3600 } },
  },
  hooks: {
    deploy() { this.db.set("deploy", true); this.$emit("deploy"); },
    async activate() {
      this.$emit("activate");
      if (this.gate) await fetch(this.gate);
      this.db.set("activate", true);
    },
  },
  run() {},
};"#;

async fn create(api: Api, props: Value) -> Option<String> {
    let body = json!({ "component_code": HOOKED, "configured_props": props });
    let request = api.request(Method::POST, "/sources").json(&body);
    let answer = request.try_send().await.ok()?;
    Some(answer.ok()["id"].as_str().expect("an id").to_owned())
}

async fn listed(api: &Api) -> BTreeSet<String> {
    let page = api.get("/users/me/sources?limit=100").await.expect(200);
    let sources = page["data"].as_array().expect("a list");
    let ids = sources
        .iter()
        .map(|source| source["id"].as_str().expect("an id"));
    ids.map(str::to_owned).collect()
}

fn nothing_is_half_made(stage: &Stage, listed: &BTreeSet<String>) {
    assert_eq!(
        stage.ledger.sources_in_phase("creating"),
        Vec::<String>::new()
    );
    for table in TABLES {
        let owners = stage.ledger.owners_of_rows(table);
        let strays: Vec<_> = owners.difference(listed).collect();
        assert!(strays.is_empty(), "{table} has rows of {strays:?}");
    }
    for id in listed {
        let events = stage.ledger.events(id);
        let emitted: Vec<_> = events
            .iter()
            .take(2)
            .map(|event| event.data.clone())
            .collect();
        assert_eq!(emitted, ["deploy", "activate"]);
        for key in ["deploy", "activate"] {
            assert_eq!(
                stage.ledger.stored(id, key),
                Some(true.into()),
                "{key} of {id}"
            );
        }
        assert_eq!(stage.ledger.count("endpoints", id), 1);
        assert_eq!(stage.ledger.count("timers", id), 1);
    }
}

#[rstest]
#[case::sqlite(Backend::Sqlite)]
#[case::postgres(Backend::Postgres)]
#[tokio::test]
async fn a_kill_in_the_middle_of_a_hook_leaves_no_half_made_source(#[case] backend: Backend) {
    let mut stage = Stage::start(backend, &gate::ARGS).await;
    let gate = Gate::shut().await;
    let props = json!({ "gate": gate.url() });
    let creating = tokio::spawn(create(stage.api(), props.clone()));
    gate.arrived(1).await;
    stage.restart().await;
    assert_eq!(creating.await.expect("no panic"), None);
    nothing_is_half_made(&stage, &BTreeSet::new());
    assert_eq!(listed(&stage.api()).await, BTreeSet::new());
    // Its name and everything else is free again.
    gate.open();
    let created = create(stage.api(), props).await.expect("an answer");
    nothing_is_half_made(&stage, &BTreeSet::from([created]));
}

#[tokio::test]
async fn creations_killed_at_random_moments_are_whole_or_not_there() {
    let mut stage = Stage::start(Backend::Sqlite, &[]).await;
    let mut answered = BTreeSet::new();
    for _ in 0..ROUNDS {
        let creations: Vec<_> = (0..AT_ONCE)
            .map(|_| tokio::spawn(create(stage.api(), json!({}))))
            .collect();
        let moment = TestRng.random_range(50..600);
        tokio::time::sleep(Duration::from_millis(moment)).await;
        stage.restart().await;
        for creation in creations {
            answered.extend(creation.await.expect("no panic"));
        }
        let listed = listed(&stage.api()).await;
        assert!(listed.is_superset(&answered), "{answered:?} of {listed:?}");
        nothing_is_half_made(&stage, &listed);
    }
}
