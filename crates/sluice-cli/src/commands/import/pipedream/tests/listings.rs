//! Sources, webhooks, subscriptions and accounts.

use serde_json::json;

use super::fake::{Import, component, fake, list, source};
use crate::commands::snapshot::folder::Runs;

#[tokio::test]
async fn props_become_references_and_values_of_the_server_are_left_out() {
    let props = json!({
        "http": { "endpoint_url": "https://abc.m.pipedream.net" },
        "db": { "type": "$.service.db" },
        "timer": { "cron": null, "interval_seconds": 900 },
        "github": { "authProvisionId": "apn_1" },
        "token": "********",
        "password": "plain text",
        "store": { "storeId": "ds_1" },
        "looks": { "secret": "x" },
        "nothing": null,
        "repo": { "__lv": { "label": "a/b", "value": "a/b" } },
    });
    let mut inactive = source("dc_1", "New issues", "sc_1", &props);
    inactive["active"] = json!(false);
    let declared = json!([
        { "name": "github", "type": "app", "app": "github" },
        { "name": "password", "type": "string", "secret": true },
    ]);
    let row = json!({ "data": { "name": "New Issue", "code": "export default { key: \"github-new-issue\" }",
        "configurable_props": declared } });
    let api = fake(vec![
        ("/users/me/sources", list(&json!([inactive]))),
        ("/components/sc_1", row.clone()),
        ("/components/registry/github-new-issue", row),
        (
            "/accounts",
            list(&json!([
                { "id": "apn_1", "name": "Our | GitHub", "app": { "id": "app_1", "name": "GitHub" } },
                { "id": "apn_2", "name": "Old Slack", "app": { "name": "Slack" } },
            ])),
        ),
    ]);
    let import = Import::new();
    let folder = import.run(Some(&api)).await;
    let new = &folder.sources["new-issues"];
    assert_eq!(new.runs, Runs::Registry("github-new-issue".to_owned()));
    assert!(!new.active);
    assert_eq!(
        json!(new.props),
        json!({
            "timer": { "interval_seconds": 900 },
            "github": { "account": "Our | GitHub", "app": "github" },
            "token": { "secret": "SOURCE_NEW_ISSUES_TOKEN" },
            "password": { "secret": "SOURCE_NEW_ISSUES_PASSWORD" },
            "store": "ds_1",
            "looks": { "value": { "secret": "x" } },
            "repo": { "__lv": { "label": "a/b", "value": "a/b" } },
        })
    );
    let report = import.report();
    for part in [
        "| github | Our \\| GitHub | apn\\_1 | sources/new-issues |",
        "sluice accounts connect github --name 'Our | GitHub'",
        "Nothing in this folder uses these accounts: Old Slack.",
        "- `SOURCE_NEW_ISSUES_TOKEN`: sources/new-issues, prop token",
        "- `github-new-issue`: sources/new-issues",
        "sluice registry import CHECKOUT --app github",
        "- sources/new-issues: https://abc.m.pipedream.net",
        "the data store ds\\_1",
    ] {
        assert!(report.contains(part), "{part}\n---\n{report}");
    }
    let all: String = import.files().into_values().collect();
    assert!(!all.contains("plain text"));
}

#[tokio::test]
async fn code_that_is_not_in_the_registry_is_a_file_and_unknown_code_is_reported() {
    let api = fake(vec![
        (
            "/users/me/sources",
            list(&json!([
                source("dc_1", "One", "sc_1", &json!({})),
                source("dc_2", "Two", "sc_1", &json!({})),
                source("dc_3", "Lost", "sc_9", &json!({})),
                source("dc_4", "Broken", "sc_4", &json!({})),
            ])),
        ),
        ("/components/sc_1", component("My own")),
        (
            "/components/sc_4",
            json!({ "data": { "name": "Broken", "code": "import x from \"./x.mjs\"; export default { name: \"Broken\", run() {} };" } }),
        ),
    ]);
    let import = Import::new();
    let folder = import.run(Some(&api)).await;
    let slugs: Vec<&String> = folder.sources.keys().collect();
    assert_eq!(slugs, ["one", "two"]);
    assert_eq!(folder.components.keys().collect::<Vec<_>>(), ["my-own"]);
    let report = import.report();
    assert!(
        report.contains("**sources/lost**: the API gives neither"),
        "{report}"
    );
    assert!(
        report.contains("**sources/broken**: its component"),
        "{report}"
    );
    assert!(
        import
            .path("moved/not-imported/components/broken.mjs")
            .is_file()
    );
}

#[tokio::test]
async fn webhooks_and_subscriptions_refer_to_names() {
    let api = fake(vec![
        (
            "/users/me/sources",
            list(&json!([source("dc_1", "One", "sc_1", &json!({}))])),
        ),
        ("/components/sc_1", component("My own")),
        (
            "/users/me/webhooks",
            list(&json!([
                { "id": "wh_1", "name": "Ops", "url": "https://a.test/hook", "active": false, "created_at": 2 },
                { "id": "wh_2", "name": null, "url": "ftp://a.test", "created_at": 1 },
            ])),
        ),
        (
            "/users/me/subscriptions",
            list(&json!([
                { "id": "sub_1", "emitter_id": "dc_1", "listener_id": "wh_1", "event_name": "" },
                { "id": "sub_2", "emitter_id": "p_*", "listener_id": "wh_1", "event_name": "$errors" },
                { "id": "sub_3", "emitter_id": "dc_1", "listener_id": "p_9", "event_name": "default" },
                { "id": "sub_4", "emitter_id": "dc_1", "listener_id": "wh_2", "event_name": "" },
                { "id": "sub_5" },
            ])),
        ),
    ]);
    let import = Import::new();
    let folder = import.run(Some(&api)).await;
    assert_eq!(folder.webhooks.len(), 1);
    assert!(!folder.webhooks["ops"].active);
    let routes = folder.subscriptions.iter();
    let routes: Vec<_> = routes
        .map(|it| (it.from.as_str(), it.event.as_str(), it.to.as_str()))
        .collect();
    assert_eq!(
        routes,
        [
            ("p_*", "$errors", "webhooks/ops"),
            ("sources/one", "", "webhooks/ops")
        ]
    );
    let report = import.report();
    for part in [
        "dc\\_1 → p\\_9",
        "webhooks/a-test",
        "a row of the subscriptions is not readable",
    ] {
        assert!(report.contains(part), "{part}\n---\n{report}");
    }
}
