//! Paging, rate limits and errors of the API.

use serde_json::json;
use sluice_testkit::receiver::{Answer, Receiver};

use super::fake::{Import, component, fake, list, source};

#[tokio::test]
async fn pages_are_followed_to_the_end() {
    let api = Receiver::start(|request| {
        let path = request.path.trim_start_matches("/v1");
        let row = |number: usize| {
            let id = format!("dc_{number}");
            source(&id, &format!("Source {number}"), "sc_1", &json!({}))
        };
        let page = |numbers: &[usize]| {
            let rows: Vec<_> = numbers.iter().map(|number| row(*number)).collect();
            let cursor = numbers.last().map(|number| format!("c{number}="));
            json!({ "page_info": { "end_cursor": cursor }, "data": rows })
        };
        let body = match path {
            "/users/me/sources?limit=100" => page(&[1, 2]),
            "/users/me/sources?limit=100&after=c2%3D" => page(&[3]),
            "/users/me/sources?limit=100&after=c3%3D" => page(&[]),
            "/components/sc_1" => component("Paged"),
            _ => list(&json!([])),
        };
        Answer::status(200).body(body.to_string())
    });
    let import = Import::new();
    let folder = import.run(Some(&api)).await;
    let slugs: Vec<&String> = folder.sources.keys().collect();
    assert_eq!(slugs, ["source-1", "source-2", "source-3"]);
}

#[tokio::test]
async fn a_rate_limit_is_waited_for() {
    let api = Receiver::start(|request| {
        let is_list = request.path.contains("/users/me/webhooks");
        if is_list && request.number < 4 {
            return Answer::status(429)
                .header("retry-after", "0")
                .body(r#"{"error": "Throttled"}"#);
        }
        let hook = json!([{ "id": "wh_1", "url": "https://a.test/x" }]);
        let rows = if is_list { hook } else { json!([]) };
        Answer::status(200).body(list(&rows).to_string())
    });
    let import = Import::new();
    let folder = import.run(Some(&api)).await;
    assert_eq!(folder.webhooks.len(), 1);
    let asked = api.requests();
    let asked = asked.iter();
    assert_eq!(
        asked
            .filter(|request| request.path.contains("webhooks"))
            .count(),
        2
    );
}

#[tokio::test]
async fn a_wrong_key_and_an_unreachable_server_are_clear_errors() {
    let api = fake(vec![]);
    let import = Import::new();
    let mut options = import.options(Some(&api));
    options.api_key = Some("another-key".to_owned());
    let error = import.error(options).await;
    assert!(error.contains("rejected the API key"), "{error}");
    assert!(!error.contains("another-key"), "{error}");
    let mut options = import.options(Some(&api));
    options.base_url = "http://127.0.0.1:1/v1".to_owned();
    let error = import.error(options).await;
    assert!(
        error.starts_with("cannot reach http://127.0.0.1:1/v1/users/me:"),
        "{error}"
    );
    let mut options = import.options(Some(&api));
    options.api_key = None;
    let error = import.error(options).await;
    assert!(error.contains("PIPEDREAM_API_KEY"), "{error}");
    assert!(!import.path("moved").exists());
    assert_eq!(std::fs::read_dir(import.path("")).unwrap().count(), 0);
}

#[tokio::test]
async fn lists_that_do_not_exist_are_in_the_report() {
    let api = Receiver::start(|request| match request.path.as_str() {
        path if path.contains("/users/me/sources") || path.contains("accounts") => {
            Answer::status(404)
        }
        _ => Answer::status(200).body(r#"{"data": []}"#),
    });
    let import = Import::new();
    import.run(Some(&api)).await;
    let report = import.report();
    assert!(report.contains("/users/me/sources"), "{report}");
    assert!(report.contains("no list of sources"), "{report}");
    assert!(report.contains("no list of accounts"), "{report}");
}

#[tokio::test]
async fn workspaces_are_read_too_and_rows_are_kept_once() {
    let api = fake(vec![
        (
            "/users/me",
            json!({ "data": { "orgs": [{ "id": "o_1" }] } }),
        ),
        (
            "/users/me/sources",
            list(&json!([source("dc_1", "A", "sc_1", &json!({}))])),
        ),
        (
            "/orgs/o_1/sources",
            list(&json!([
                source("dc_1", "A", "sc_1", &json!({})),
                source("dc_2", "B", "sc_1", &json!({}))
            ])),
        ),
        ("/workspaces/o_1/subscriptions", list(&json!([]))),
        ("/workspaces/o_1/accounts", list(&json!([]))),
        ("/components/sc_1", component("X")),
    ]);
    let import = Import::new();
    let folder = import.run(Some(&api)).await;
    let slugs: Vec<&String> = folder.sources.keys().collect();
    assert_eq!(slugs, ["a", "b"]);
    assert_eq!(folder.components.len(), 1);
}
