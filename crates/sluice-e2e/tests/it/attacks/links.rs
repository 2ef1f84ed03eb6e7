//! Links of waiting runs that programs open, as chats do for a preview. Only a person who presses a button answers.

use serde_json::{Value, json};
use sluice_testkit::{Api, Method};

use crate::{
    support::new_user,
    workflows::{
        fixtures::{Workflow, deploy, exports, running},
        link_page::{open, press},
    },
};

/// A workflow with a name that is markup, and a run of it that waits.
async fn waiting(api: &Api) -> (Workflow, Value) {
    let mut document = running(&[("ask", "$.flow.suspend(60_000)"), ("pay", "return 'paid'")]);
    document["name"] = json!("Pay <b>Ada</b>");
    let workflow = deploy(api, &document.to_string()).await;
    let id = workflow.run(&json!({})).await;
    let run = workflow.run_in(&id, "waiting").await;
    (workflow, run)
}

fn link(run: &Value, name: &str) -> String {
    let url = run["waits_for"][name].as_str().expect("an address");
    url.to_owned()
}

fn id(run: &Value) -> &str {
    run["id"].as_str().expect("an id")
}

#[tokio::test]
async fn programs_that_open_links_neither_resume_nor_cancel() {
    let api = new_user().await;
    let (workflow, run) = waiting(&api).await;
    for name in ["resume_url", "cancel_url"] {
        for (method, status) in [
            (Method::GET, 405),
            (Method::HEAD, 405),
            (Method::TRACE, 405),
            (Method::OPTIONS, 204),
        ] {
            let request = api.absolute(method.clone(), &link(&run, name));
            let answer = request.send().await;
            assert_eq!(answer.status, status, "{method}: {}", answer.text);
            let allowed = answer.header("allow").expect("the methods");
            assert!(allowed.contains("POST"), "{allowed}");
        }
        assert_eq!(open(&api, &link(&run, name)).await.status, 200);
    }
    let now = workflow.run_of(id(&run)).await;
    assert_eq!(
        (&now["state"], &now["waits_for"]),
        (&json!("waiting"), &run["waits_for"])
    );
}

#[tokio::test]
async fn a_person_sees_what_waits_and_resumes_it_with_the_data_of_the_link() {
    let api = new_user().await;
    let (workflow, run) = waiting(&api).await;
    let url = format!(
        "{}?approved=true&note=%3Ci%3E%22a%26b",
        link(&run, "resume_url")
    );
    let page = open(&api, &url).await;
    assert_eq!(
        page.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    let policy = page.header("content-security-policy").expect("a policy");
    assert!(
        policy.starts_with("default-src 'none'; style-src 'nonce-"),
        "{policy}"
    );
    assert!(
        policy.ends_with("form-action 'self'; base-uri 'none'; frame-ancestors 'none'"),
        "{policy}"
    );
    for shown in [
        "Pay &lt;b&gt;Ada&lt;/b&gt;",
        "<code>ask</code>",
        "<dt>approved</dt><dd>true</dd>",
        "<dd>&lt;i&gt;&quot;a&amp;b</dd>",
    ] {
        assert!(page.text.contains(shown), "{shown}: {}", page.text);
    }
    let resumed = press(&api, &url, "Resume").await;
    assert_eq!(resumed.status, 200, "{}", resumed.text);
    assert!(
        resumed.text.contains("The workflow continues"),
        "{}",
        resumed.text
    );
    let ended = workflow.ended(id(&run)).await;
    assert_eq!(ended["state"], "succeeded", "{ended}");
    assert_eq!(
        exports(&ended, "ask")["$resume_data"],
        json!({ "approved": "true", "note": "<i>\"a&b" })
    );
}

#[tokio::test]
async fn a_person_who_cancels_is_told_so_and_so_is_the_next_one() {
    let api = new_user().await;
    let (workflow, run) = waiting(&api).await;
    // Either link shows both buttons.
    let cancelled = press(&api, &link(&run, "resume_url"), "Cancel run").await;
    assert!(
        cancelled.text.contains("<h1>Cancelled</h1>"),
        "{}",
        cancelled.text
    );
    assert_eq!(workflow.run_of(id(&run)).await["state"], "cancelled");
    for name in ["resume_url", "cancel_url"] {
        let late = open(&api, &link(&run, name)).await;
        assert_eq!(late.status, 404);
        assert!(late.text.contains("No run waits here"), "{}", late.text);
        let pressed = api.absolute(Method::POST, &link(&run, name));
        let pressed = pressed.header("accept", "text/html").send().await;
        assert_eq!(pressed.status, 404);
        assert!(
            pressed.text.contains("Nothing was changed"),
            "{}",
            pressed.text
        );
    }
}
