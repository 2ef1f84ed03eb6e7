//! `sluice export`: an account as files.

use serde_json::json;
use sluice_testkit::Backend;

use super::fixtures::{Cli, Folder, component, source, subscribe, webhook};
use crate::support::{shared_server, unique_name};

const PROPS: &str = "http: \"$.interface.http\", db: \"$.service.db\", url: \"string\", \
     token: { type: \"string\", secret: true }, timer: { type: \"$.interface.timer\", default: { intervalSeconds: 60 } }, \
     note: { type: \"string\", optional: true }, map: { type: \"object\", optional: true }";

#[tokio::test]
async fn everything_is_written_by_name_and_in_block_style() {
    let cli = Cli::new().await;
    let code = component("Poller", PROPS);
    let props = json!({ "url": "https://a.test", "token": "hidden", "note": "one\n  two\n" });
    let id = source(&cli.api, &code, "My Poller", props).await;
    let hook = webhook(&cli.api, Some("Ops"), "https://ops.test/in").await;
    subscribe(&cli.api, &id, "$errors", &hook).await;
    subscribe(&cli.api, "dc_*", "", &hook).await;
    let folder = Folder::new();
    let out = cli.ok(&["export", folder.path()]).await;
    assert!(out.starts_with("4 files in"), "{out}");

    let files = folder.files();
    let names: Vec<&String> = files.keys().collect();
    assert_eq!(
        names,
        [
            ".sluice-export",
            "components/poller.mjs",
            "sources/my-poller.yaml",
            "subscriptions.yaml",
            "webhooks.yaml"
        ]
    );
    assert_eq!(files["components/poller.mjs"], code);
    assert_eq!(
        files["sources/my-poller.yaml"],
        "name: My Poller\n\
         component: ../components/poller.mjs\n\
         active: true\n\
         props:\n  url: https://a.test\n  token:\n    secret: SOURCE_MY_POLLER_TOKEN\n  timer:\n    interval_seconds: 60\n  note: |\n    one\n      two\n"
    );
    assert_eq!(
        files["webhooks.yaml"],
        "ops:\n  name: Ops\n  url: https://ops.test/in\n  active: true\n"
    );
    assert_eq!(
        files["subscriptions.yaml"],
        "- from: dc_*\n  to: webhooks/ops\n- from: sources/my-poller\n  event: $errors\n  to: webhooks/ops\n"
    );
    let all: String = files.into_values().collect();
    assert!(!all.contains("hidden") && !all.contains("whsec_"), "{all}");
}

#[tokio::test]
async fn exporting_twice_changes_no_byte() {
    let cli = Cli::new().await;
    let code = component("A", "");
    for name in ["x", "y", "x"] {
        source(&cli.api, &code, name, json!({})).await;
    }
    let folder = Folder::new();
    cli.ok(&["export", folder.path()]).await;
    let first = folder.files();
    let out = cli.ok(&["export", folder.path()]).await;
    assert_eq!(folder.files(), first);
    assert!(out.ends_with(": 0 changed, 0 removed\n"), "{out}");
    assert!(first.contains_key("sources/x-1.yaml"), "{first:?}");
}

#[tokio::test]
async fn files_of_what_is_gone_are_removed_and_others_never() {
    let cli = Cli::new().await;
    let code = component("A", "");
    let id = source(&cli.api, &code, "Going", json!({})).await;
    let folder = Folder::with(&[
        ("sources/README.md", "mine"),
        ("sources/other.yaml", "mine"),
    ]);
    cli.ok(&["export", folder.path()]).await;
    assert!(folder.join("sources/going.yaml").exists());
    cli.api.delete(&format!("/sources/{id}")).await.expect(204);
    // A list of files that leads out of the folder is not followed.
    let outside = Folder::with(&[("precious", "x")]);
    let outside_path = outside.join("precious");
    let manifest = folder.text(".sluice-export");
    let lure = format!("{manifest}{}\n../{}\n", outside_path.display(), "precious");
    folder.put(".sluice-export", &lure);
    let out = cli.ok(&["export", folder.path()]).await;
    assert!(out.ends_with("1 removed\n"), "{out}");
    assert!(!folder.join("sources/going.yaml").exists());
    assert_eq!(folder.text("sources/README.md"), "mine");
    assert_eq!(folder.text("sources/other.yaml"), "mine");
    assert!(outside_path.exists());
}

#[tokio::test]
async fn code_that_is_no_longer_the_newest_stands_beside_its_source() {
    let cli = Cli::new().await;
    let keyed = |text: &str| {
        component("A", "")
            .replace("0.0.1", text)
            .replace("version", "key: \"a-b\", version")
    };
    source(&cli.api, &keyed("1.0.0"), "Old", json!({})).await;
    source(&cli.api, &keyed("2.0.0"), "New", json!({})).await;
    let folder = Folder::new();
    cli.ok(&["export", folder.path()]).await;
    assert_eq!(folder.text("components/a-b.mjs"), keyed("2.0.0"));
    assert_eq!(folder.text("sources/old.mjs"), keyed("1.0.0"));
    let source = folder.text("sources/old.yaml");
    assert!(source.contains("component: ./old.mjs\n"), "{source}");
    let source = folder.text("sources/new.yaml");
    assert!(
        source.contains("component: ../components/a-b.mjs\n"),
        "{source}"
    );
}

#[tokio::test]
async fn sources_of_the_registry_have_its_key_and_accounts_their_name() {
    let operator = shared_server(Backend::Sqlite).api();
    let app = unique_name().replace("user", "app");
    let body = json!({ "name_slug": app, "name": "Keyed", "auth_type": "keys", "custom_fields": [{ "name": "api_key" }] });
    operator.post("/apps", &body).await.ok();
    let key = format!("{app}-new-order");
    let code = component("A", &format!("app: {{ type: \"app\", app: \"{app}\" }}"))
        .replace("version", &format!("key: \"{key}\", version"));
    let saved = operator
        .post("/components", &json!({ "component_code": code }))
        .await
        .ok();
    let body = json!({ "component_id": saved["id"] });
    operator.post("/components/registry", &body).await.ok();

    let cli = Cli::new().await;
    let body = json!({ "app": app, "name": "Work", "credentials": { "api_key": "k" } });
    let account = cli.api.post("/accounts", &body).await.ok();
    let props = json!({ "app": { "authProvisionId": account["id"] } });
    let body = json!({ "key": key, "name": "Ours", "configured_props": props });
    cli.api.post("/sources", &body).await.ok();
    let folder = Folder::new();
    cli.ok(&["export", folder.path()]).await;
    assert_eq!(
        folder.text("sources/ours.yaml"),
        format!(
            "name: Ours\nkey: {key}\nactive: true\nprops:\n  app:\n    account: Work\n    app: {app}\n"
        )
    );
    assert!(!folder.join("components").exists());
    let out = cli.ok(&["apply", folder.path()]).await;
    assert_eq!(out, "No changes; 1 unchanged.\n");
}
