//! The trace of a run: from the request that starts it, through a wait, to what its steps send and to the collector.

use rstest::rstest;
use serde_json::json;
use sluice_testkit::{
    Backend, Method, Postgres, Server,
    receiver::{Answer, Receiver},
    wait_for,
};

use super::fixtures::deploy;
use crate::support::{PATIENCE, own_server};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";

const WAITS_AND_SENDS: &str = r#"
name: Traced
steps:
  - name: waits
    code: |
      export default defineComponent({
        async run({ steps, $ }) {
          await $.send.http({ method: "POST", url: `${steps.trigger.event.url}/before` });
          $.flow.delay(200);
        },
      })
  - name: goes_on
    code: |
      export default defineComponent({
        async run({ steps, $ }) {
          const { url } = steps.trigger.event;
          await $.send.http({ method: "POST", url: `${url}/after` });
          await $.send.http({ method: "POST", url: `${url}/own`, headers: { traceparent: "own" } });
        },
      })
"#;

#[rstest]
#[tokio::test]
async fn a_run_goes_on_in_its_trace_after_a_wait(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let collector = Receiver::start(|_| Answer::status(200));
    let receiver = Receiver::start(|_| Answer::status(200));
    let options = own_server().arg("--allow-private-network").args([
        "--otlp-endpoint",
        &collector.url(""),
        "--otlp-headers",
        "x-key=a%20secret",
    ]);
    let server = Server::start(match backend {
        Backend::Sqlite => options,
        Backend::Postgres => options.postgres(&Postgres::database()),
    })
    .await;
    let workflow = deploy(&server.api(), WAITS_AND_SENDS).await;
    let api = server.api();
    let request = api.request(Method::POST, &workflow.path("/run"));
    let parent = format!("00-{TRACE}-b7ad6b7169203331-01");
    let request = request.header("traceparent", &parent);
    let body = json!({ "event": { "url": receiver.url("") } });
    request.json(&body).send().await.expect(200);

    let requests = receiver.wait_for(3).await;
    let parent_at = |path: &str| {
        let request = requests.iter().find(|request| request.path == path);
        let parent = request.and_then(|request| request.header("traceparent"));
        parent.expect("it has a parent").to_owned()
    };
    let (before, after) = (parent_at("/before"), parent_at("/after"));
    let prefix = format!("00-{TRACE}-");
    assert!(before.starts_with(&prefix) && before.ends_with("-01"));
    assert!(after.starts_with(&prefix) && after != before && before != parent);
    assert_eq!(parent_at("/own"), "own");

    // The names of spans are readable in the binary body.
    wait_for(PATIENCE, "the spans of the run", async || {
        let exports = collector.requests();
        let has = |text: &str| exports.iter().any(|export| export.body.contains(text));
        ["step", "goes_on", "run", "commit", "send", "inbox"]
            .into_iter()
            .all(has)
            .then_some(())
    })
    .await;
    let export = &collector.requests()[0];
    assert_eq!(export.path, "/v1/traces");
    assert_eq!(export.header("x-key"), Some("a secret"));
    let content_type = export.header("content-type");
    assert_eq!(content_type, Some("application/x-protobuf"));
}
