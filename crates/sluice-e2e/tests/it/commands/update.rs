//! `sluice update`: what is not named stays as it is.

use serde_json::{Value, json};

use super::fixtures::{Cli, Folder, component, source};

const PROPS: &str = "http: '$.interface.http', text: 'string', token: { type: 'string', secret: true }, count: { type: 'integer', default: 1 }";

async fn made(cli: &Cli) -> String {
    let props = json!({ "text": "a", "token": "hush", "count": 2 });
    let code = component("Old", PROPS).replace("run() {}", "run() { this.$emit(this.token); }");
    source(&cli.api, &code, "Old one", props).await
}

async fn now(cli: &Cli) -> Value {
    cli.only_source().await
}

#[tokio::test]
async fn one_prop_is_changed_and_secrets_and_addresses_stay() {
    let cli = Cli::new().await;
    let id = made(&cli).await;
    let before = now(&cli).await;
    let out = cli.ok(&["update", "old-one", "--prop", "count=3"]).await;
    assert!(out.starts_with("Updated old-one\n"), "{out}");
    let after = now(&cli).await;
    let mut expected = before["configured_props"].clone();
    expected["count"] = json!(3);
    assert_eq!(after["configured_props"], expected);
    cli.api
        .post(&format!("/sources/{id}/run"), &json!({}))
        .await
        .ok();
    let token = sluice_testkit::wait_for(crate::support::PATIENCE, "the token", async || {
        let events = cli
            .api
            .get(&format!("/sources/{id}/event_summaries"))
            .await
            .ok();
        events[0]["event"].as_str().map(str::to_owned)
    })
    .await;
    assert_eq!(token, "hush");
}

#[tokio::test]
async fn new_code_takes_over_the_values_that_it_has_props_for() {
    let cli = Cli::new().await;
    let id = made(&cli).await;
    let before = now(&cli).await;
    let folder = Folder::with(&[
        ("same.mjs", &component("New", PROPS)),
        (
            "more.mjs",
            &component(
                "More",
                "text: 'string', more: { type: 'string', label: 'One more' }",
            ),
        ),
    ]);
    let (same, more) = (folder.join("same.mjs"), folder.join("more.mjs"));
    let (same, more) = (same.to_str().unwrap(), more.to_str().unwrap());
    cli.ok(&["update", &id, "--code", same]).await;
    let after = now(&cli).await;
    assert_ne!(after["component_id"], before["component_id"]);
    assert_eq!(after["configured_props"], before["configured_props"]);
    let ran = cli.run(&["update", &id, "--code", more]).await;
    assert_eq!(ran.code, 1);
    assert!(
        ran.err.contains("--prop more=<string>    One more"),
        "{}",
        ran.err
    );
    let mut terminal = cli.terminal(&["update", &id, "--code", more]);
    terminal.wait_for_text("One more").await;
    terminal.type_line("asked for");
    assert_eq!(terminal.exit_code().await, 0);
    assert_eq!(
        now(&cli).await["configured_props"],
        json!({ "text": "a", "more": "asked for" })
    );
}

#[tokio::test]
async fn a_name_and_an_activity_are_changed_alone() {
    let cli = Cli::new().await;
    let id = made(&cli).await;
    cli.ok(&["update", &id, "--deactivate"]).await;
    assert_eq!(now(&cli).await["active"], false);
    let out = cli
        .ok(&["update", &id, "--name", "New name", "--json"])
        .await;
    let shown: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(
        (&shown["name_slug"], &shown["active"]),
        (&json!("new-name"), &json!(false))
    );
    cli.ok(&["update", "new-name", "--prop", "text=b"]).await;
    assert_eq!(
        now(&cli).await["active"],
        false,
        "only --activate activates"
    );
    cli.ok(&["update", "new-name", "--activate"]).await;
    assert_eq!(now(&cli).await["active"], true);
}

#[tokio::test]
async fn with_prompt_all_every_value_is_shown_and_kept_with_enter() {
    let cli = Cli::new().await;
    let id = made(&cli).await;
    let before = now(&cli).await;
    let mut terminal = cli.terminal(&["update", &id, "--prompt-all"]);
    terminal.wait_for_text("text (a)").await;
    terminal.type_line("");
    terminal
        .wait_for_text("Enter keeps the current value")
        .await;
    terminal.type_line("");
    terminal.wait_for_text("count (2)").await;
    terminal.type_line("5");
    assert_eq!(terminal.exit_code().await, 0);
    let mut expected = before["configured_props"].clone();
    expected["count"] = json!(5);
    assert_eq!(now(&cli).await["configured_props"], expected);
}

#[tokio::test]
async fn nothing_to_change_and_nobody_of_that_name_are_told() {
    let cli = Cli::new().await;
    let id = made(&cli).await;
    let ran = cli.run(&["update", &id]).await;
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("nothing to change"), "{}", ran.err);
    assert_eq!(cli.run(&["update", "nobody", "--activate"]).await.code, 5);
    assert_eq!(
        cli.run(&["update", &id, "--activate", "--deactivate"])
            .await
            .code,
        2
    );
}
