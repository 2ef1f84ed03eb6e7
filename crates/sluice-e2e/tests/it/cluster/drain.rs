//! A server that is about to stop, behind a load balancer.

use reqwest::Method;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use sluice_testkit::{Server, wait_for};

use crate::support::{PATIENCE, deploy, own_server};

const ECHO: &str = r#"module.exports = {
  name: "echo", version: "0.0.1", props: { http: "$.interface.http" },
  run(event) { this.$emit(event.body.n); },
};"#;

#[tokio::test]
async fn it_takes_requests_while_its_health_says_that_it_is_out_of_service() {
    let mut server = Server::start(own_server().arg("--drain-grace=3s")).await;
    let api = server.api();
    let source = deploy(&api, ECHO).await;
    let health = async || api.root(Method::GET, "/healthz").send().await.status;
    assert_eq!(health().await, 200);

    let pid = i32::try_from(server.pid()).ok().and_then(Pid::from_raw);
    kill_process(pid.expect("a process id"), Signal::TERM).expect("it runs");
    wait_for(PATIENCE, "the end of its service", async || {
        (health().await == 503).then_some(())
    })
    .await;
    source.send(&json!({ "n": 1 })).await.expect(200);
    assert_eq!(source.events(1).await, [json!(1)]);
    assert!(server.ended().await.success());
}
