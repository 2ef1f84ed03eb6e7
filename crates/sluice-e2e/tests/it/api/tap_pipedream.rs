//! `tap-pipedream`, a client from `PyPI`, runs unmodified except for its base URL.

use std::{env, fs, path::Path, process::Stdio, time::Duration};

use serde_json::{Value, json};
use sluice_testkit::{Backend, skip_without};
use tokio::process::Command;

use crate::support::{deploy, new_user, shared_server};

/// The Python of an environment with the client. `make test` makes one. Without it the test is skipped, except in continuous integration.
const PYTHON: &str = "SLUICE_TEST_TAP_PYTHON";
/// A client that loops would not end at all.
const PATIENCE: Duration = Duration::from_mins(2);

const EMITTER: &str = r#"module.exports = { name: "Numbers", version: "0.0.1", props: { http: "$.interface.http" },
    run(event) { this.$emit({ n: event.body.n }, { id: event.body.n, summary: `number ${event.body.n}` }); } };"#;

/// Sets the base URL, and runs the command line of the client.
const RUN: &str = "import sys; from tap_pipedream.client import PipedreamStream; \
    PipedreamStream.url_base = sys.argv.pop(1); from tap_pipedream.tap import TapPipedream; TapPipedream.cli()";

#[tokio::test]
async fn the_client_reads_everything_once_and_ends() {
    let Some(python) = env::var_os(PYTHON).filter(|path| Path::new(path).exists()) else {
        return skip_without("an environment with tap-pipedream");
    };
    let api = new_user().await;
    let source = deploy(&api, EMITTER).await;
    for n in 1..=3 {
        source.send(&json!({ "n": n })).await.expect(200);
    }
    source.events(3).await;
    let webhook = json!({ "url": "https://example.com/", "name": "W", "description": "" });
    let webhook = api.post("/webhooks", &webhook).await.ok();
    let subscription = json!({ "emitter_id": source.id, "listener_id": webhook["id"] });
    api.post("/subscriptions", &subscription).await.ok();

    let base_url = format!("{}/v1", shared_server(Backend::Sqlite).url());
    let folder = sluice_testkit::scratch_folder();
    let config = folder.path().join("config.json");
    fs::write(&config, json!({ "token": api.key() }).to_string()).expect("a config file");
    let ran = Command::new(python)
        .args(["-c", RUN, &base_url, "--config"])
        .arg(&config)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let ran = tokio::time::timeout(PATIENCE, ran).await.expect("it ends");
    let ran = ran.expect("it starts");
    let errors = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{errors}");

    let output = String::from_utf8_lossy(&ran.stdout);
    let messages = output.lines().map(serde_json::from_str::<Value>);
    let records: Vec<Value> = messages
        .map(|message| message.expect("a message is JSON"))
        .filter(|message| message["type"] == "RECORD")
        .collect();
    let of = |stream: &str| -> Vec<&Value> {
        let records = records.iter().filter(|record| record["stream"] == stream);
        records.map(|record| &record["record"]).collect()
    };
    assert_eq!(of("user_sources").len(), 1);
    assert_eq!(of("user_sources")[0]["id"], json!(source.id));
    assert_eq!(of("user_subscriptions").len(), 1);
    assert_eq!(of("user_source_events").len(), 3);
    assert_eq!(of("webhooks").len(), 1);
}
