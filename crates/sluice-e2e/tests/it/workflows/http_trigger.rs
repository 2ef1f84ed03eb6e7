//! The endpoint of a workflow: what requests become.

use serde_json::{Value, json};
use sluice_testkit::{Method, Request};

use crate::{
    support::new_user,
    workflows::fixtures::{Workflow, deploy_running, returned},
};

/// Answers with its event.
async fn echoing() -> Workflow {
    let bodies = [(
        "only",
        "$.respond({ status: 200, body: steps.trigger.event })",
    )];
    deploy_running(&new_user().await, &bodies).await
}

async fn request(workflow: &Workflow, method: Method, rest: &str) -> Request {
    let endpoint = workflow.endpoint().await;
    workflow.api.absolute(method, &format!("{endpoint}{rest}"))
}

#[tokio::test]
async fn every_method_path_query_and_header_is_in_the_event() {
    let workflow = echoing().await;
    for method in [
        Method::GET,
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
        Method::OPTIONS,
    ] {
        let request = request(&workflow, method.clone(), "/a/b?x=1&x=2&y=z").await;
        let event = request.header("X-Mixed-Case", "v").send().await.expect(200);
        assert_eq!(event["method"], method.as_str());
        assert_eq!(event["path"], "/a/b");
        assert_eq!(event["query"], json!({ "x": ["1", "2"], "y": "z" }));
        assert_eq!(event["headers"]["x-mixed-case"], "v");
        assert!(event["url"].is_string() && event["client_ip"].is_string());
    }
    let head = request(&workflow, Method::HEAD, "").await.send().await;
    assert_eq!((head.status, head.text.as_str()), (200, ""));
}

#[tokio::test]
async fn bodies_are_parsed_as_their_type_says() {
    let workflow = echoing().await;
    for (kind, text, body) in [
        ("application/json", r#"{"a":[1]}"#, json!({ "a": [1] })),
        ("application/json", "no json", json!("no json")),
        (
            "application/x-www-form-urlencoded",
            "a=1&b=2&b=3",
            json!({ "a": "1", "b": ["2", "3"] }),
        ),
        ("text/plain", "ä", json!("ä")),
    ] {
        let request = request(&workflow, Method::POST, "").await;
        let request = request.header("content-type", kind).body(text);
        let event = request.send().await.expect(200);
        assert_eq!(event["body"], body, "{kind}");
        assert_eq!(event["bodyRaw"], text, "{kind}");
    }
    let bytes = request(&workflow, Method::POST, "").await;
    let event = bytes.body(vec![0xff, 0xfe]).send().await.expect(200);
    assert_eq!(
        (&event["bodyRaw"], &event["isBase64"]),
        (&json!("//4="), &json!(true))
    );
}

#[tokio::test]
async fn a_file_is_readable_in_every_step() {
    let read = "const fs = await import('node:fs'); return fs.readFileSync(steps.trigger.event.body.photo.path, 'hex')";
    let bodies = [("first", read), ("second", read)];
    let workflow = deploy_running(&new_user().await, &bodies).await;
    let form = b"--cut\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"cat.png\"\r\nContent-Type: image/png\r\n\r\n\xff\x00\xfe\r\n--cut--\r\n";
    let request = request(&workflow, Method::POST, "").await;
    let answer = request
        .header("content-type", "multipart/form-data; boundary=cut")
        .body(form.to_vec())
        .send()
        .await
        .expect(200);
    let run = workflow.ended(answer["id"].as_str().expect("an id")).await;
    for step in ["first", "second"] {
        assert_eq!(returned(&run, step), "ff00fe", "{run}");
    }
    let photo = &run["event"]["body"]["photo"];
    assert_eq!(photo["filename"], "cat.png", "{run}");
}

#[tokio::test]
async fn a_file_is_there_after_a_pause_too() {
    let bodies = [
        ("first", "$.flow.delay(300)"),
        (
            "second",
            "const fs = await import('node:fs'); return fs.readFileSync(steps.trigger.event.body.f.path, 'utf8')",
        ),
    ];
    let workflow = deploy_running(&new_user().await, &bodies).await;
    let form = "--cut\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f.txt\"\r\n\r\nkept\r\n--cut--\r\n";
    let request = request(&workflow, Method::POST, "").await;
    let answer = request
        .header("content-type", "multipart/form-data; boundary=cut")
        .body(form)
        .send()
        .await
        .expect(200);
    let run = workflow.ended(answer["id"].as_str().expect("an id")).await;
    assert_eq!(returned(&run, "second"), "kept", "{run}");
}

#[tokio::test]
async fn a_page_of_another_site_may_post_and_is_told_so() {
    let bodies = [("only", "return 1")];
    let workflow = deploy_running(&new_user().await, &bodies).await;
    let request = request(&workflow, Method::OPTIONS, "").await;
    let answer = request
        .header("origin", "https://example.com")
        .header("access-control-request-method", "POST")
        .send()
        .await;
    assert!(answer.status < 300, "{}", answer.status);
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    assert_eq!(workflow.runs("").await, Vec::<Value>::new());
}

#[tokio::test]
async fn many_requests_at_once_are_each_answered_with_their_own() {
    let bodies = [(
        "only",
        "await new Promise((go) => setTimeout(go, Math.random() * 50)); $.respond({ status: 200, body: steps.trigger.event.body })",
    )];
    let workflow = deploy_running(&new_user().await, &bodies).await;
    let endpoint = workflow.endpoint().await;
    let requests = (0..40).map(|n| {
        let request = workflow.api.absolute(Method::POST, &endpoint);
        async move { request.json(&json!({ "n": n })).send().await.expect(200)["n"].clone() }
    });
    let answers = futures_util::future::join_all(requests).await;
    let expected: Vec<Value> = (0..40).map(|n| json!(n)).collect();
    assert_eq!(answers, expected);
}
