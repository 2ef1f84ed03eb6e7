//! Names of sources and their slugs.

use serde_json::{Value, json};
use sluice_testkit::Api;

use super::fixtures::{IDLE, save};
use crate::support::new_user;

async fn named(api: &Api, component: &str, name: Option<&str>) -> Value {
    let body = json!({ "component_id": component, "name": name });
    api.post("/sources", &body).await.ok()
}

#[tokio::test]
async fn rule_3_without_a_name_the_name_slug_of_the_component_is_the_name() {
    let api = new_user().await;
    let code =
        r#"module.exports = { "name": "New RSS Items, dailyDigest", "version": "1", "run": {} };"#;
    let component = save(&api, code).await;
    let source = named(&api, &component, None).await;
    assert_eq!(source["name"], "new-rss-items--daily-digest");
    assert_eq!(source["name_slug"], "new-rss-items--daily-digest");
}

#[tokio::test]
async fn a_name_is_kept_as_given_and_its_slug_splits_camel_case_and_keeps_runs_of_dashes() {
    let api = new_user().await;
    let component = save(&api, IDLE).await;
    for (name, slug) in [
        (
            "My first project - exu_oedidz",
            "my-first-project---exu-oedidz",
        ),
        ("exu_2LniLm", "exu-2-lni-lm"),
        ("cronjob.js", "cronjob-js"),
        ("camelCaseName", "camel-case-name"),
        ("HTTP API", "http-api"),
        ("Grüße 🦀", "gr--e--"),
        ("日本語", "source"),
        ("--flag", "flag"),
    ] {
        let source = named(&api, &component, Some(name)).await;
        assert_eq!(
            (&source["name"], &source["name_slug"]),
            (&json!(name), &json!(slug))
        );
    }
}

#[tokio::test]
async fn slugs_that_are_taken_are_counted_up() {
    let api = new_user().await;
    let component = save(&api, IDLE).await;
    for (name, slug) in [
        (Some("My source"), "my-source"),
        (Some("My source"), "my-source-1"),
        (Some("my_source"), "my-source-2"),
        (Some("My source 1"), "my-source-1-1"),
        (None, "idle"),
        (None, "idle-1"),
    ] {
        assert_eq!(
            named(&api, &component, name).await["name_slug"],
            slug,
            "{name:?}"
        );
    }
}

#[tokio::test]
async fn sources_that_are_made_at_the_same_moment_get_slugs_of_their_own() {
    let api = new_user().await;
    let component = save(&api, IDLE).await;
    let mut requests = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (api, component) = (api.clone(), component.clone());
        requests.spawn(async move { named(&api, &component, Some("same")).await });
    }
    let sources = requests.join_all().await;
    let mut slugs: Vec<String> = sources
        .iter()
        .map(|source| source["name_slug"].to_string())
        .collect();
    slugs.sort();
    let counted = (1..8).map(|number| format!("\"same-{number}\""));
    assert_eq!(
        slugs,
        ["\"same\"".to_owned()]
            .into_iter()
            .chain(counted)
            .collect::<Vec<_>>()
    );
}

#[tokio::test]
async fn slugs_are_unique_within_an_account_not_across_accounts() {
    for api in [new_user().await, new_user().await] {
        let component = save(&api, IDLE).await;
        assert_eq!(
            named(&api, &component, Some("Shared name")).await["name_slug"],
            "shared-name"
        );
    }
}

#[tokio::test]
async fn renaming_to_a_taken_slug_counts_up_and_renaming_to_itself_keeps_it() {
    let api = new_user().await;
    let component = save(&api, IDLE).await;
    named(&api, &component, Some("Taken")).await;
    let source = named(&api, &component, Some("Other")).await;
    let path = format!("/sources/{}", source["id"].as_str().expect("an id"));
    let renamed = api.put(&path, &json!({ "name": "Taken" })).await.ok();
    assert_eq!(
        (&renamed["name"], &renamed["name_slug"]),
        (&json!("Taken"), &json!("taken-1"))
    );
    let same = api.put(&path, &json!({ "name": "Taken" })).await.ok();
    assert_eq!(same["name_slug"], "taken-1");
}

#[tokio::test]
async fn a_source_is_found_by_its_slug_among_those_of_its_owner() {
    let api = new_user().await;
    let component = save(&api, IDLE).await;
    let source = named(&api, &component, Some("My orders")).await;
    let found = api.get("/sources/my-orders").await.ok();
    assert_eq!(found["id"], source["id"]);
    api.get("/sources/other-orders").await.expect(404);
    new_user().await.get("/sources/my-orders").await.expect(404);
}
