//! From an account to a folder, to another account, and to a folder again.

use serde_json::json;
use sluice_testkit::Api;

use super::fixtures::{Cli, Folder, component, source, subscribe, webhook};
use crate::workflows::fixtures::deploy_with;

/// An account with something of everything; the token of its source is `hidden`.
async fn furnished() -> Cli {
    let cli = Cli::new().await;
    let api = &cli.api;
    let keyed = |version: &str| {
        component(
            "Keyed",
            "token: { type: \"string\", secret: true }, map: { type: \"object\", optional: true }",
        )
        .replace(
            "version: \"0.0.1\"",
            &format!("key: \"acme-keyed\", version: \"{version}\""),
        )
    };
    let hook = webhook(api, Some("Ops"), "https://ops.test/a").await;
    let second = webhook(api, Some("Ops"), "https://ops.test/b").await;
    let nameless = webhook(api, None, "https://nameless.test").await;
    let change = json!({ "active": false, "description": "for\nthe team", "concurrency": 3 });
    api.put(&format!("/webhooks/{second}"), &change).await.ok();
    let auto = json!({ "event_name": "$errors", "listener_id": nameless });
    api.post("/auto_subscriptions", &auto).await.ok();
    let tricky = json!({ "token": "hidden", "map": { "secret": "no reference" } });
    let old = source(api, &keyed("1.0.0"), "Old one", tricky).await;
    source(
        api,
        &keyed("2.0.0"),
        "Old one",
        json!({ "token": "hidden" }),
    )
    .await;
    let plain = source(
        api,
        &component("Plain", "t: \"$.interface.timer\""),
        "Plain",
        json!({ "t": { "cron": "0 9 * * *", "timezone": "Asia/Tokyo" } }),
    )
    .await;
    let change = json!({ "active": false, "retention": { "max_events": 7 } });
    api.put(&format!("/sources/{plain}"), &change).await.ok();
    let action =
        "export default { name: \"Unused\", version: \"1\", type: \"action\", run() {} };\n";
    api.post("/components", &json!({ "component_code": action }))
        .await
        .ok();
    several_files(api).await;
    subscribe(api, &old, "default", &second).await;
    subscribe(api, &old, "", &plain).await;
    subscribe(api, "p_*", "$errors", &hook).await;
    workflows(api, &hook).await;
    cli
}

/// A saved component of several files with a source, and a source of an older version of it.
async fn several_files(api: &Api) {
    for version in ["1", "2"] {
        let code = format!(
            "import {{ lib }} from \"../lib\";\nimport app from \"@pipedream/acme\";\nexport default {{ key: \"acme-many\", name: \"Many\", version: \"0.0.{version}\", run() {{ return [lib, app]; }} }};\n"
        );
        let files = json!({ "path": "acme/sources/many.mjs", "files": {
            "acme/lib.mjs": "export const lib = 1;\n", "acme/acme.app.mjs": "export default 2;\n",
        } });
        let body = json!({ "name": format!("Many {version}"), "component_code": code, "component_files": files });
        api.post("/sources", &body).await.ok();
    }
}

/// One workflow with files, a secret and a trigger; one that is inactive, and listens to one whose name comes after its own.
async fn workflows(api: &Api, hook: &str) {
    let files = json!({
        "steps/forward.mjs": "import { same } from \"../lib/same.mjs\";\nexport default defineComponent({ run() { return same(1); } });\n",
        "lib/same.mjs": "export const same = (value) => value;\n",
    });
    let document = "# As its author wrote it.\nname: Forward\nenv: { TOKEN: { secret: true } }\ntriggers:\n  - events: { from: plain }\n  - http: {}\nsteps:\n  - name: forward\n    file: steps/forward.mjs\n";
    let body = json!({ "document": document, "files": files, "secrets": { "TOKEN": "hidden" } });
    let forward = deploy_with(api, &body).await;
    let document = "name: After\ntriggers: [{ events: { from: forward, event_name: $errors } }]\nsteps: [{ name: noop, code: \"export default defineComponent({ run() {} })\" }]\n";
    deploy_with(api, &json!({ "document": document, "active": false })).await;
    subscribe(api, &forward.id, "", hook).await;
}

#[tokio::test]
async fn another_account_becomes_the_same_and_applying_again_changes_nothing() {
    let first = furnished().await;
    let exported = Folder::new();
    first.ok(&["export", exported.path()]).await;
    let unchanged = first.ok(&["apply", exported.path(), "--prune"]).await;
    assert!(unchanged.starts_with("No changes"), "{unchanged}");

    let second = Cli::new()
        .await
        .with_env("SOURCE_OLD_ONE_TOKEN", "a")
        .with_env("SOURCE_OLD_ONE_1_TOKEN", "b")
        .with_env("WORKFLOW_FORWARD_TOKEN", "c");
    let out = second.ok(&["apply", exported.path(), "--yes"]).await;
    assert!(out.ends_with(" done, 0 failed\n"), "{out}");
    let again = Folder::new();
    second.ok(&["export", again.path()]).await;
    assert_eq!(again.files(), exported.files());

    let before = second.everything().await;
    for flags in [&["--yes"][..], &["--yes", "--prune"], &["--dry-run"]] {
        let args = [&["apply", exported.path()], flags].concat();
        let out = second.ok(&args).await;
        assert!(out.contains("No changes"), "{out}");
    }
    assert_eq!(second.everything().await, before);
}
