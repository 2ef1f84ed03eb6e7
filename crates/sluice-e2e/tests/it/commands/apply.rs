//! `sluice apply`: what it shows, what it does, and what it leaves alone.

use serde_json::json;

use super::fixtures::{Cli, Folder, component, source, webhook};

fn one_source(name: &str, rest: &str) -> Folder {
    Folder::with(&[
        (
            "components/a.mjs",
            &component(
                "A",
                "url: \"string\", count: { type: \"integer\", default: 5 }",
            ),
        ),
        (
            "sources/mine.yaml",
            &format!("name: {name}\ncomponent: ../components/a.mjs\n{rest}"),
        ),
    ])
}

#[tokio::test]
async fn a_dry_run_shows_the_difference_and_exits_with_2_when_there_is_one() {
    let cli = Cli::new().await;
    let folder = one_source("Mine", "props: { url: https://a.test }\n");
    let ran = cli.run(&["apply", folder.path(), "--dry-run"]).await;
    assert_eq!(ran.code, 2, "{ran:?}");
    assert_eq!(
        ran.out,
        "+ components/a\n+ sources/mine\n2 changes: 2 to create; 0 unchanged.\n"
    );
    assert_eq!(
        cli.everything().await["/users/me/sources?limit=100"],
        json!([])
    );
    cli.ok(&["apply", folder.path(), "--yes"]).await;
    let ran = cli.run(&["apply", folder.path(), "--dry-run"]).await;
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (0, "No changes; 2 unchanged.\n")
    );
}

#[tokio::test]
async fn without_a_terminal_it_wants_yes_and_does_nothing() {
    let cli = Cli::new().await;
    let folder = one_source("Mine", "props: { url: https://a.test }\n");
    let ran = cli.run(&["apply", folder.path()]).await;
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("--yes"), "{}", ran.err);
    assert_eq!(cli.everything().await["/components?limit=100"], json!([]));
}

#[tokio::test]
async fn an_update_names_the_changed_fields_and_keeps_the_id() {
    let cli = Cli::new().await;
    let folder = one_source("Mine", "props: { url: https://a.test }\n");
    cli.ok(&["apply", folder.path(), "--yes"]).await;
    let path = "/users/me/sources";
    let before = cli.api.get(path).await.ok()[0].clone();
    let changed = component(
        "A",
        "url: \"string\", count: { type: \"integer\", default: 5 }, more: { type: \"string\", optional: true }",
    );
    folder.put("components/a.mjs", &changed);
    folder.put(
        "sources/mine.yaml",
        "name: Mine\ncomponent: ../components/a.mjs\nactive: false\nprops: { url: https://b.test, count: 6 }\nretention: { max_events: 9 }\n",
    );
    let out = cli.ok(&["apply", folder.path(), "--yes"]).await;
    for line in [
        "~ components/a\n    code\n",
        "~ sources/mine\n    component: components/a.mjs\n",
        "    props.url: \"https://a.test\" → \"https://b.test\"\n",
        "    props.count: 5 → 6\n",
        "    active: true → false\n",
        "    retention: null → {\"max_events\":9,",
        "2 changes: 2 to update; 0 unchanged.\n",
        "updated sources/mine\n",
    ] {
        assert!(out.contains(line), "{line}\n---\n{out}");
    }
    let after = cli.api.get(path).await.ok()[0].clone();
    assert_eq!(after["id"], before["id"]);
    assert_eq!(after["active"], false);
    assert_eq!(
        after["configured_props"],
        json!({ "url": "https://b.test", "count": 6 })
    );
    assert_eq!(after["retention"]["max_events"], 9);
    // What the file no longer mentions goes back to the default.
    folder.put(
        "sources/mine.yaml",
        "name: Mine\ncomponent: ../components/a.mjs\nprops: { url: https://b.test }\n",
    );
    cli.ok(&["apply", folder.path(), "--yes"]).await;
    let last = cli.api.get(path).await.ok()[0].clone();
    assert_eq!(
        last["configured_props"],
        json!({ "url": "https://b.test", "count": 5 })
    );
    assert_eq!(
        (&last["active"], last.get("retention")),
        (&json!(true), None)
    );
    let out = cli.ok(&["apply", folder.path(), "--yes"]).await;
    assert_eq!(out, "No changes; 2 unchanged.\n");
}

#[tokio::test]
async fn a_new_name_in_the_same_file_is_a_change_and_stays_one_source() {
    let cli = Cli::new().await;
    let folder = one_source("Mine", "props: { url: https://a.test }\n");
    cli.ok(&["apply", folder.path(), "--yes"]).await;
    let before = cli.everything().await;
    folder.put(
        "sources/mine.yaml",
        "name: Renamed\ncomponent: ../components/a.mjs\nprops: { url: https://a.test }\n",
    );
    let out = cli.ok(&["apply", folder.path(), "--yes", "--prune"]).await;
    assert!(out.contains("name: \"Mine\" → \"Renamed\""), "{out}");
    let out = cli.ok(&["apply", folder.path(), "--yes", "--prune"]).await;
    assert!(out.starts_with("No changes"), "{out}");
    let after = cli.everything().await;
    let list = "/users/me/sources?limit=100";
    assert_eq!(after[list][0]["id"], before[list][0]["id"]);
    assert_eq!(after[list][0]["name_slug"], "renamed");
}

#[tokio::test]
async fn only_prune_deletes_what_the_folder_does_not_have() {
    let cli = Cli::new().await;
    let folder = one_source("Mine", "props: { url: https://a.test }\n");
    cli.ok(&["apply", folder.path(), "--yes"]).await;
    let other = source(&cli.api, &component("B", ""), "Other", json!({})).await;
    let hook = webhook(&cli.api, Some("Hook"), "https://h.test").await;
    let body = json!({ "emitter_id": other, "listener_id": hook });
    cli.api.post("/subscriptions", &body).await.ok();
    let mine = cli.api.get("/users/me/sources").await.ok()[1]["id"].clone();
    let body = json!({ "emitter_id": mine, "listener_id": other });
    cli.api.post("/subscriptions", &body).await.ok();

    let ran = cli.run(&["apply", folder.path(), "--dry-run"]).await;
    assert_eq!(ran.code, 0, "{ran:?}");
    for name in ["sources/other", "webhooks/hook"] {
        let line = format!("? {name} (not in the folder; --prune deletes it)\n");
        assert!(ran.out.contains(&line), "{}", ran.out);
    }
    let out = cli.ok(&["apply", folder.path(), "--prune", "--yes"]).await;
    assert!(
        out.contains("- sources/other\n- webhooks/hook\n2 changes: 2 to delete"),
        "{out}"
    );
    let left = cli.everything().await;
    assert_eq!(
        left["/users/me/sources?limit=100"].as_array().map(Vec::len),
        Some(1)
    );
    assert_eq!(left["/users/me/webhooks?limit=100"], json!([]));
    assert_eq!(left["/users/me/subscriptions"], json!([]));
}

#[tokio::test]
async fn a_key_in_a_folder_may_be_one_that_the_account_published() {
    let cli = Cli::new().await;
    let code = component("A", "").replace("version: ", "key: \"ours\", version: ");
    let body = json!({ "component_code": code });
    let published = cli.api.post("/components/published", &body).await.ok();
    let folder = Folder::with(&[("sources/ours.yaml", "name: Ours\nkey: ours\n")]);
    cli.ok(&["apply", folder.path(), "--yes"]).await;
    assert_eq!(cli.only_source().await["component_id"], published["id"]);
    let again = cli.ok(&["apply", folder.path()]).await;
    assert!(again.contains("No changes"), "{again}");
}

#[tokio::test]
async fn what_fails_is_reported_and_the_rest_is_done() {
    let cli = Cli::new().await;
    let folder = one_source("Mine", "props: { url: [5] }\n");
    folder.put("components/bad.mjs", "export default {");
    folder.put(
        "sources/uses-bad.yaml",
        "name: Uses bad\ncomponent: ../components/bad.mjs\n",
    );
    folder.put("sources/no-key.yaml", "name: No key\nkey: no-such-key\n");
    folder.put(
        "webhooks.yaml",
        "good:\n  url: https://good.test\nbad:\n  url: gopher://bad\n",
    );
    folder.put(
        "subscriptions.yaml",
        "- from: dc_*\n  to: webhooks/good\n- from: sources/mine\n  to: webhooks/good\n- from: sources/nowhere\n  to: webhooks/good\n",
    );
    let ran = cli.run(&["apply", folder.path(), "--yes"]).await;
    assert_eq!(ran.code, 1, "{ran:?}");
    for line in [
        "! sources/no-key: key: no component no-such-key in the registry\n",
        "! subscription sources/nowhere → webhooks/good: sources/nowhere exists neither in the folder nor on the server\n",
        "failed components/bad: component code does not load\n",
        "failed sources/uses-bad: cannot save components/bad.mjs: component code does not load\n",
        "failed sources/mine: record invalid\n  configured_props: url must be a string\n",
        "failed webhooks/bad: ",
        "failed subscription sources/mine → webhooks/good: sources/mine does not exist\n",
    ] {
        assert!(ran.err.contains(line), "{line}\n---\n{}", ran.err);
    }
    for line in [
        "created components/a\n",
        "created webhooks/good\n",
        "created subscription dc_* → webhooks/good\n",
        "3 done, 7 failed\n",
    ] {
        assert!(ran.out.contains(line), "{line}\n---\n{}", ran.out);
    }
}

#[tokio::test]
async fn every_mistake_in_the_files_is_told_at_once_and_nothing_is_done() {
    let cli = Cli::new().await;
    let folder = Folder::with(&[
        (
            "components/lost.mjs",
            "import x from \"./nowhere.mjs\";\nexport default x;\n",
        ),
        ("sources/both.yaml", "name: x\nkey: a\ncomponent: b\n"),
        ("sources/out.yaml", "name: x\ncomponent: ../../x.mjs\n"),
        ("sources/typo.yaml", "name: x\nkye: a\n"),
        ("webhooks.yaml", "a:\n  url: [\n"),
        (
            "workflows/w/workflow.yaml",
            "name: w\nsteps:\n  - name: 1x\n    code: a\n",
        ),
    ]);
    let ran = cli.run(&["apply", folder.path(), "--yes"]).await;
    assert_eq!(ran.code, 1);
    for place in [
        "components/lost.mjs:1:",
        "sources/both.yaml: component and key exclude each other",
        "sources/out.yaml: component: ../../x.mjs is outside of the folder",
        "sources/typo.yaml:2:1: unknown field `kye`",
        "webhooks.yaml:",
        "workflows/w/workflow.yaml:3:11: steps[0].name: ",
    ] {
        let place = format!("{}/{place}", folder.path());
        assert!(ran.err.contains(&place), "{place}\n---\n{}", ran.err);
    }
    assert_eq!(ran.out, "");
}

#[tokio::test]
async fn a_component_may_import_files_beside_it() {
    let cli = Cli::new().await;
    let folder = Folder::with(&[
        (
            "components/lib/names.mjs",
            "export const name = \"Joined\";\n",
        ),
        (
            "components/joined.mjs",
            "import { name } from \"./lib/names.mjs\";\nexport default { name, version: \"1\", run() {} };\n",
        ),
    ]);
    cli.ok(&["apply", folder.path(), "--yes"]).await;
    let saved = cli.api.get("/components").await.ok();
    assert_eq!(saved[0]["name"], "Joined");
    let out = cli.ok(&["apply", folder.path(), "--yes"]).await;
    assert_eq!(out, "No changes; 1 unchanged.\n");
}

#[tokio::test]
async fn files_that_would_replace_each_other_are_a_fault() {
    let cli = Cli::new().await;
    let keyed = |version: &str| {
        let keyed = format!("key: \"same\", version: \"{version}\"");
        component("A", "").replace("version: \"0.0.1\"", &keyed)
    };
    let folder = Folder::with(&[
        ("components/a.mjs", &keyed("1")),
        ("components/b.mjs", &keyed("2")),
    ]);
    let ran = cli.run(&["apply", folder.path(), "--yes"]).await;
    assert_eq!(ran.code, 1, "{ran:?}");
    let words = "failed components/a: another file has the same key";
    assert!(ran.err.starts_with(words), "{}", ran.err);
}
