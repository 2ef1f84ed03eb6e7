//! People's content on the console's origin: a browser must not take it for the console.

use serde_json::{Value, json};
use sluice_testkit::{Answer, Method, Server};

use super::fixtures::{Browser, name_and_value, policies};
use crate::{
    support::{Deployed, deploy, new_user, own_server},
    workflows::fixtures as workflows,
};

const SANDBOX: &str = "sandbox allow-scripts allow-forms allow-popups allow-modals allow-downloads";

/// Responds with the headers in the body of the request, or with its event when there are none.
const RESPONDER: &str = r#"
module.exports = {
  name: "Responder", version: "0.0.1", props: { http: { type: "$.interface.http", customResponse: true } },
  run(event) {
    const { headers } = event.body || {};
    this.http.respond(headers ? { status: 200, headers, body: "<script>1</script>" } : { status: 200, body: event });
  },
};"#;

async fn answered_with(source: &Deployed, headers: Value) -> Answer {
    let answer = source.send(&json!({ "headers": headers })).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer
}

#[tokio::test]
async fn what_a_component_answers_has_an_origin_of_its_own() {
    let source = deploy(&new_user().await, RESPONDER).await;
    let html = json!({ "content-type": "text/html" });
    let answer = answered_with(&source, html).await;
    assert_eq!(policies(&answer), [SANDBOX]);
    assert_eq!(answer.text, "<script>1</script>");
}

#[tokio::test]
async fn a_policy_of_the_component_holds_beside_ours() {
    let source = deploy(&new_user().await, RESPONDER).await;
    let own = json!({ "content-security-policy": "default-src 'self'; sandbox allow-same-origin" });
    let answer = answered_with(&source, own).await;
    assert_eq!(
        policies(&answer),
        ["default-src 'self'; sandbox allow-same-origin", SANDBOX]
    );
}

#[tokio::test]
async fn no_answer_of_a_component_speaks_for_the_console() {
    let api = new_user().await;
    let Browser { cookie, .. } = Browser::sign_in(&api).await;
    let source = deploy(&api, RESPONDER).await;
    let answer = answered_with(
        &source,
        json!({
            "Set-Cookie": ["a=1", cookie, format!("={cookie}"), "sluice_session=x; Path=/v1", "b=2; Path=/"],
            "Service-Worker-Allowed": "/",
            "Clear-Site-Data": "\"*\"",
            "x-other": "stays",
        }),
    )
    .await;
    let cookies: Vec<_> = answer.headers.get_all("set-cookie").iter().collect();
    assert_eq!(cookies, ["a=1", "b=2; Path=/"]);
    assert_eq!(answer.header("service-worker-allowed"), None);
    assert_eq!(answer.header("clear-site-data"), None);
    assert_eq!(answer.header("x-other"), Some("stays"));
}

#[tokio::test]
async fn a_component_never_sees_the_cookie() {
    let api = new_user().await;
    let browser = Browser::sign_in(&api).await;
    let source = deploy(&api, RESPONDER).await;
    let (_, token) = name_and_value(&browser.cookie);
    let of_another = format!("sluice_session_0123abcd={token}");
    for (cookies, seen) in [
        (vec![browser.cookie.clone()], json!(null)),
        (
            vec![format!("a=1; {}; b=2; {of_another}", browser.cookie)],
            json!("a=1; b=2"),
        ),
        (
            vec!["a=1".to_owned(), browser.cookie.clone(), "b=2".to_owned()],
            json!("a=1, b=2"),
        ),
        (vec!["a=1;b=2".to_owned()], json!("a=1;b=2")),
    ] {
        let mut request = api.absolute(Method::GET, source.endpoint());
        for cookie in &cookies {
            request = request.header("cookie", cookie);
        }
        let answer = request.send().await;
        assert!(!answer.text.contains(token), "{}", answer.text);
        let event = answer.expect(200);
        assert_eq!(event["headers"]["cookie"], seen, "{cookies:?}");
    }
}

#[tokio::test]
async fn a_workflow_that_is_resumed_never_sees_the_cookie() {
    const WAITING: &str = r"
name: Waiting
steps:
  - name: wait
    code: |
      export default defineComponent({ async run({ $ }) {
        return $.context.run.callback_request ?? $.flow.rerun(3_600_000);
      } })
";
    let api = new_user().await;
    let browser = Browser::sign_in(&api).await;
    let workflow = workflows::deploy(&api, WAITING).await;
    let id = workflow.run(&json!({})).await;
    let run = workflow.run_in(&id, "waiting").await;
    let address = run["waits_for"]["resume_url"].as_str().expect("an address");
    let cookies = format!("a=1; {}", browser.cookie);
    let request = api.absolute(Method::POST, address);
    request.header("cookie", &cookies).send().await.expect(200);
    let ended = workflow.ended(&id).await;
    let seen = workflows::returned(&ended, "wait");
    assert_eq!(seen["headers"]["cookie"], "a=1", "{seen}");
}

#[tokio::test]
async fn an_uploaded_file_has_an_origin_of_its_own() {
    let source = deploy(&new_user().await, RESPONDER).await;
    let form = "--cut\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.html\"\r\n\
                Content-Type: text/html\r\n\r\n<script>1</script>\r\n--cut--\r\n";
    let request = source
        .api
        .absolute(Method::POST, source.endpoint())
        .header("content-type", "multipart/form-data; boundary=cut")
        .body(form);
    let event = request.send().await.expect(200);
    let url = event["body"]["f"]["url"].as_str().expect("an address");
    let answer = source.api.absolute(Method::GET, url).send().await;
    assert_eq!(answer.text, "<script>1</script>");
    assert_eq!(policies(&answer), [SANDBOX]);
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
}

#[tokio::test]
async fn on_a_domain_of_its_own_an_endpoint_answers_as_it_likes_but_sets_no_session() {
    let options = own_server().args(["--endpoint-domain", "hooks.example.com"]);
    let server = Server::start(options).await;
    let source = deploy(&server.api(), RESPONDER).await;
    let host = source.endpoint().trim_start_matches("http://");
    let headers = json!({
        "service-worker-allowed": "/", "set-cookie": "sluice_session_0123abcd=x; Domain=example.com",
    });
    let request = source.api.root(Method::POST, "/").header("host", host);
    let answer = request.json(&json!({ "headers": headers })).send().await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert!(policies(&answer).is_empty());
    assert_eq!(answer.header("service-worker-allowed"), Some("/"));
    assert_eq!(answer.header("set-cookie"), None);
}
