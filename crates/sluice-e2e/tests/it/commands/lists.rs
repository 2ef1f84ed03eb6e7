//! `sluice list`, of everything.

use serde_json::{Value, json};
use sluice_testkit::{Api, Backend};

use super::fixtures::{Cli, source, subscribe, webhook};
use crate::support::shared_server;

const HTTP: &str = r#"export default { name: "Orders", version: "0.0.1", key: "acme-orders", props: { http: "$.interface.http" }, run() {} };"#;
const TIMED: &str = r#"export default { name: "Timed", version: "0.1.0",
  props: { timer: { type: "$.interface.timer", default: { intervalSeconds: 3600 } } }, run() {} };"#;

async fn json_of(cli: &Cli, args: &[&str]) -> Vec<Value> {
    let mut args = args.to_vec();
    args.push("--json");
    let out = cli.ok(&args).await;
    serde_json::from_str(&out).expect("a list as JSON")
}

fn rows(table: &str) -> Vec<Vec<&str>> {
    let lines = table.lines();
    lines
        .map(|line| {
            line.split("  ")
                .map(str::trim)
                .filter(|cell| !cell.is_empty())
                .collect()
        })
        .collect()
}

async fn two_sources(api: &Api) -> (String, String) {
    let http = source(api, HTTP, "Orders", json!({})).await;
    let timed = source(api, TIMED, "Timed", json!({})).await;
    (http, timed)
}

#[tokio::test]
async fn sources_are_what_is_listed_when_nobody_says_what_and_nobody_can_be_asked() {
    let cli = Cli::new().await;
    let (http, timed) = two_sources(&cli.api).await;
    let table = cli.ok(&["list"]).await;
    let found = rows(&table);
    assert_eq!(found[0], ["SLUG", "ID", "STATE", "TRIGGER", "CHANGED"]);
    assert_eq!(found[1][..4], ["timed", &timed, "active", "every 1h"]);
    assert_eq!(found[2][..4], ["orders", &http, "active", "http"]);
    assert!(!table.contains('\u{1b}'), "{table}");
    assert_eq!(cli.ok(&["list", "so"]).await, table);
    let listed = json_of(&cli, &["list", "sources"]).await;
    let told = cli.api.get("/users/me/sources").await.ok();
    let told = told.as_array().unwrap().clone();
    assert_eq!(without_next_run(listed), without_next_run(told));
}

/// A timer has no next run while it ticks, and its first tick may come between two looks. It also counts in `ticks`.
fn without_next_run(mut sources: Vec<Value>) -> Vec<Value> {
    for source in &mut sources {
        let source = source.as_object_mut().unwrap();
        source.remove("next_run_at");
        source.remove("ticks");
    }
    sources
}

#[tokio::test]
async fn streams_have_their_addresses() {
    let cli = Cli::new().await;
    let (http, _) = two_sources(&cli.api).await;
    let table = cli.ok(&["list", "st"]).await;
    let found = rows(&table);
    assert_eq!(found[0], ["NAME", "TYPE", "VISIBILITY", "SSE"]);
    let url = shared_server(Backend::Sqlite).url();
    let address = format!("{url}/v1/sources/{http}/sse");
    assert_eq!(found[2], ["orders", "source", "private", &address]);
    let listed = json_of(&cli, &["list", "streams"]).await;
    let expected =
        json!({ "name": "orders", "type": "source", "visibility": "private", "sse": address });
    assert_eq!(listed[1], expected);
}

#[tokio::test]
async fn components_and_what_is_published_are_told_apart() {
    let cli = Cli::new().await;
    two_sources(&cli.api).await;
    let table = cli.ok(&["list", "components"]).await;
    let found = rows(&table);
    assert_eq!(found[0], ["ID", "NAME", "VERSION", "UPDATED", "KEY"]);
    assert_eq!(found.len(), 3);
    let body = json!({ "component_code": HTTP.replace("Orders", "Published") });
    cli.api.post("/components/published", &body).await.ok();
    let table = cli.ok(&["list", "published"]).await;
    let found = rows(&table);
    assert_eq!(found.len(), 2, "{table}");
    assert_eq!(
        (found[1][1], found[1][2], found[1][4]),
        ("Published", "0.0.1", "acme-orders")
    );
    let listed = json_of(&cli, &["list", "published", "-q", "orders"]).await;
    assert_eq!(listed[0]["key"], "acme-orders");
    assert!(
        json_of(&cli, &["list", "published", "-q", "nothing-such"])
            .await
            .is_empty()
    );
    assert!(
        json_of(&cli, &["list", "published", "--type", "action"])
            .await
            .is_empty()
    );
}

#[tokio::test]
async fn webhooks_and_subscriptions_are_listed() {
    let cli = Cli::new().await;
    let (http, _) = two_sources(&cli.api).await;
    let hook = webhook(&cli.api, Some("Ops"), "https://example.com/hook").await;
    subscribe(&cli.api, &http, "", &hook).await;
    let table = cli.ok(&["list", "webhooks"]).await;
    let found = rows(&table);
    assert_eq!(found[1][..3], [&hook, "Ops", "healthy"]);
    assert_eq!(found[1][4], "https://example.com/hook");
    let table = cli.ok(&["list", "subscriptions"]).await;
    assert_eq!(rows(&table)[1][1..], [&http, "default", &hook]);
    assert_eq!(json_of(&cli, &["list", "webhooks"]).await[0]["id"], hook);
    assert_eq!(
        json_of(&cli, &["list", "subscriptions"]).await[0]["listener_id"],
        hook
    );
}

#[tokio::test]
async fn an_empty_list_is_empty_and_a_hint_tells_how_to_change_that() {
    let cli = Cli::new().await;
    for (what, hint) in [
        ("sources", "sluice deploy"),
        ("published", "sluice publish"),
        ("accounts", "sluice accounts connect"),
        ("workflows", "sluice workflows deploy"),
    ] {
        let ran = cli.run(&["list", what]).await;
        assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{what}");
        assert!(ran.err.contains(hint), "{what}: {}", ran.err);
        assert!(json_of(&cli, &["list", what]).await.is_empty(), "{what}");
    }
}

#[tokio::test]
async fn filters_are_for_components_and_a_wrong_word_is_bad_usage() {
    let cli = Cli::new().await;
    let ran = cli.run(&["list", "sources", "-q", "x"]).await;
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("components"), "{}", ran.err);
    assert_eq!(cli.run(&["list", "nonsense"]).await.code, 2);
}
