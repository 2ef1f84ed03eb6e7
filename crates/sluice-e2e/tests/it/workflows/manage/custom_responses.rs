//! Who answers a request to a workflow: the server, or a step.

use serde_json::json;
use sluice_testkit::Method;

use crate::{
    support::new_user,
    workflows::fixtures::{ECHO, deploy, returned},
};

const RESPONDING: &str = r#"
name: Responding
triggers:
  - http: {}
steps:
  - name: answer
    code: |
      export default defineComponent({
        async run({ steps, $ }) {
          await $.respond({ status: 201, headers: { "x-own": "yes" }, body: { got: steps.trigger.event.body } });
        },
      })
"#;

#[tokio::test]
async fn a_step_that_calls_respond_answers_unless_the_document_says_otherwise() {
    let api = new_user().await;
    let workflow = deploy(&api, RESPONDING).await;
    assert_eq!(workflow.shown["triggers"][0]["custom_response"], true);
    let answer = workflow.send(&json!({ "n": 1 })).await;
    assert_eq!(answer.header("x-own"), Some("yes"));
    assert_eq!(answer.expect(201), json!({ "got": { "n": 1 } }));
    let told = RESPONDING.replace("http: {}", "http: { custom_response: false }");
    assert_eq!(
        workflow.redeploy(&told).await["triggers"][0]["custom_response"],
        false
    );
    let answer = workflow.send(&json!({})).await.expect(200);
    assert!(answer["id"].is_string(), "{answer}");
}

#[tokio::test]
async fn without_a_call_of_respond_the_server_answers_at_once() {
    let api = new_user().await;
    let workflow = deploy(&api, ECHO).await;
    assert_eq!(workflow.shown["triggers"][0]["custom_response"], false);
    let told = ECHO.replace("http: {}", "http: { custom_response: true }");
    workflow.redeploy(&told).await;
    let answer = workflow.send(&json!({})).await;
    assert!(
        (400..500).contains(&answer.status),
        "nobody answered: {}",
        answer.text
    );
}

#[tokio::test]
async fn files_of_a_multipart_request_can_be_read_by_steps() {
    let api = new_user().await;
    let document = r#"
name: Uploads
triggers:
  - http: {}
steps:
  - name: read
    code: |
      import fs from "fs";
      export default defineComponent({
        async run({ steps }) { return fs.readFileSync(steps.trigger.event.body.photo.path, "utf8") },
      })
"#;
    let workflow = deploy(&api, document).await;
    let body = "--cut\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"cat.txt\"\r\nContent-Type: text/plain\r\n\r\nmeow\r\n--cut--\r\n";
    let endpoint = workflow.endpoint().await;
    let request = api.absolute(Method::POST, &endpoint).body(body);
    let request = request.header("content-type", "multipart/form-data; boundary=cut");
    let accepted = request.send().await.expect(200);
    let run = workflow
        .ended(accepted["id"].as_str().expect("an id"))
        .await;
    assert_eq!(returned(&run, "read"), "meow", "{run}");
}
