//! Looking at one source, running it, and deleting sources.

use serde_json::{Value, json};
use sluice_testkit::wait_for;

use super::fixtures::{Cli, Folder, source};
use crate::support::PATIENCE;

const ECHO: &str = r#"export default {
  name: "Echo", version: "0.0.1", props: { http: "$.interface.http", town: "string", pin: { type: "string", secret: true } },
  run(event) { console.log("ran", event.n); this.$emit(event); },
};"#;

async fn echo(cli: &Cli) -> String {
    source(
        &cli.api,
        ECHO,
        "My echo",
        json!({ "town": "Ulm", "pin": "1234" }),
    )
    .await
}

#[tokio::test]
async fn describe_shows_a_source_by_id_and_by_slug() {
    let cli = Cli::new().await;
    let id = echo(&cli).await;
    let text = cli.ok(&["describe", "my-echo"]).await;
    let endpoint = cli.api.get(&format!("/sources/{id}")).await.ok();
    let endpoint = endpoint["configured_props"]["http"]["endpoint_url"].clone();
    for words in [
        "My echo",
        &id,
        "active",
        "Echo 0.0.1",
        endpoint.as_str().unwrap(),
        &format!("/v1/sources/{id}/sse"),
        "\"Ulm\"",
        "********",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(!text.contains('\u{1b}') && !text.contains("1234"), "{text}");
    assert_eq!(cli.ok(&["describe", &id]).await, text);
    let told: Value = serde_json::from_str(&cli.ok(&["describe", &id, "--json"]).await).unwrap();
    assert_eq!(told, cli.api.get(&format!("/sources/{id}")).await.ok());
}

#[tokio::test]
async fn describe_code_prints_the_code_and_nothing_else() {
    let cli = Cli::new().await;
    echo(&cli).await;
    let code = cli.ok(&["describe", "my-echo", "--code"]).await;
    assert_eq!(code, format!("{ECHO}\n"));
}

#[tokio::test]
async fn run_takes_an_event_from_a_flag_or_a_file() {
    let cli = Cli::new().await;
    let id = echo(&cli).await;
    let folder = Folder::with(&[("event.json", "{\"n\": 2}")]);
    let file = format!("@{}", folder.join("event.json").display());
    let invocation = cli.ok(&["run", "my-echo", "--event", "{\"n\": 1}"]).await;
    assert!(
        !invocation.trim().is_empty() && !invocation.contains(' '),
        "{invocation}"
    );
    wait_for_events(&cli, &id, 1).await;
    let told = cli.ok(&["run", &id, "--event", &file, "--json"]).await;
    let told: Value = serde_json::from_str(&told).unwrap();
    assert!(told["id"].is_string(), "{told}");
    wait_for_events(&cli, &id, 2).await;
    assert_eq!(
        cli.ok(&["events", "my-echo"]).await,
        "{\"n\":1}\n{\"n\":2}\n"
    );
    let ran = cli.run(&["run", "my-echo", "--event", "{"]).await;
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("--event is not JSON"), "{}", ran.err);
}

#[tokio::test]
async fn delete_takes_several_and_a_wrong_name_deletes_nothing() {
    let cli = Cli::new().await;
    let id = echo(&cli).await;
    source(
        &cli.api,
        ECHO,
        "Other",
        json!({ "town": "Ulm", "pin": "1" }),
    )
    .await;
    let ran = cli.run(&["delete", "my-echo", "no-such"]).await;
    assert_eq!(ran.code, 5);
    assert!(
        ran.err.contains("no-such") && ran.err.contains("sluice list"),
        "{}",
        ran.err
    );
    cli.api.get(&format!("/sources/{id}")).await.expect(200);
    let out = cli.ok(&["delete", &id, "other"]).await;
    assert_eq!(out, "Deleted my-echo\nDeleted other\n");
    cli.api.get(&format!("/sources/{id}")).await.expect(404);
    let id = echo(&cli).await;
    let told = cli.ok(&["delete", "my-echo", "--yes", "--json"]).await;
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told, json!({ "deleted": [id] }));
}

#[tokio::test]
async fn a_source_whose_hook_fails_is_deleted_when_told_so() {
    let cli = Cli::new().await;
    let code = r#"export default { name: "Stubborn", version: "0.0.1", hooks: { deactivate() { throw new Error("no way"); } }, run() {} };"#;
    source(&cli.api, code, "Stubborn", json!({})).await;
    let ran = cli.run(&["delete", "stubborn"]).await;
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("no way"), "{}", ran.err);
    cli.ok(&["delete", "stubborn", "--ignore-hook-errors"])
        .await;
}

#[tokio::test]
async fn versions_are_listed_and_rolled_back_to() {
    let cli = Cli::new().await;
    let id = echo(&cli).await;
    let change = json!({ "configured_props": { "town": "Bonn", "pin": "1234" } });
    cli.api.put(&format!("/sources/{id}"), &change).await.ok();
    let text = cli.ok(&["rollback", "my-echo", "1"]).await;
    assert_eq!(text, "my-echo is now at version 3, a copy of version 1\n");
    let table = cli.ok(&["versions", "my-echo"]).await;
    let lines: Vec<&str> = table.lines().map(str::trim_end).collect();
    assert_eq!(lines.len(), 4, "{table}");
    assert!(lines[0].starts_with("VERSION"), "{table}");
    assert!(lines[1].ends_with("running, rollback to 1"), "{table}");
    assert!(lines[3].starts_with('1'), "{table}");
    let told: Value = serde_json::from_str(&cli.ok(&["versions", &id, "--json"]).await).unwrap();
    let listed = cli.api.get(&format!("/sources/{id}/versions")).await.ok();
    assert_eq!(told, listed);
    let ran = cli.run(&["rollback", "my-echo", "9"]).await;
    assert_ne!(ran.code, 0, "{ran:#?}");
    assert!(ran.err.contains("version"), "{}", ran.err);
}

#[tokio::test]
async fn a_source_that_is_not_there_exits_with_5() {
    let cli = Cli::new().await;
    for args in [
        &["describe", "nobody"][..],
        &["events", "nobody"],
        &["logs", "dc_nobody"],
        &["run", "nobody"],
        &["delete", "nobody"],
        &["versions", "nobody"],
        &["rollback", "nobody", "1"],
    ] {
        let ran = cli.run(args).await;
        assert_eq!(ran.code, 5, "{args:?}: {ran:#?}");
        assert!(
            ran.err.contains("sluice list sources"),
            "{args:?}: {}",
            ran.err
        );
    }
}

pub(super) async fn wait_for_events(cli: &Cli, source: &str, count: u64) {
    let path = format!("/sources/{source}/event_summaries");
    wait_for(PATIENCE, &format!("{count} events"), async || {
        let page = cli.api.get(&path).await.expect(200);
        (page["page_info"]["total_count"].as_u64() >= Some(count)).then_some(())
    })
    .await;
}
