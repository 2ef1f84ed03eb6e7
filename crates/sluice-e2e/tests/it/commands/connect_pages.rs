//! The pages of `docs/connect`: their components deploy, and their scopes and fields are those of the catalogue.

use std::fs;

use rstest::rstest;
use serde_json::{Value, json};

use super::fixtures::{Cli, Folder};

fn page(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/connect");
    fs::read_to_string(format!("{folder}/{name}.md")).expect("the page")
}

/// The first block of JavaScript on a page.
fn component(page: &str) -> &str {
    let (_, rest) = page.split_once("```js\n").expect("a component");
    rest.split_once("```").expect("its end").0
}

#[rstest]
#[case::github("github", "github", &["repo=acme/things"])]
#[case::slack("slack", "slack_v2", &["channel=C024BE91L"])]
#[case::google("google", "google_sheets", &["spreadsheet=abc", "range=A1:Z"])]
#[case::stripe("stripe", "stripe", &[])]
#[case::notion("notion", "notion", &["database=abc"])]
#[case::hubspot("hubspot", "hubspot", &[])]
#[case::airtable("airtable", "airtable_oauth", &["base=app1", "table=tbl1"])]
#[tokio::test]
async fn the_component_of_a_page_deploys(
    #[case] name: &str,
    #[case] slug: &str,
    #[case] props: &[&str],
) {
    let (cli, page) = (Cli::new().await, page(name));
    let folder = Folder::with(&[("source.mjs", component(&page))]);
    let app = cli.api.get(&format!("/apps/{slug}")).await.ok();
    let credential = match app["auth_type"].as_str() {
        Some("oauth") => "oauth_access_token",
        _ => "api_key",
    };
    let body = json!({ "app": slug, "name": "Work", "credentials": { credential: "x" } });
    cli.api.post("/accounts", &body).await.ok();
    let file = folder.join("source.mjs");
    let account = format!("{slug}=Work");
    let mut deploy = vec!["deploy", file.to_str().unwrap(), "--inactive", "--json"];
    deploy.extend(["--account", &account]);
    for prop in props {
        deploy.extend(["--prop", prop]);
    }
    cli.ok(&deploy).await;
    let command = format!("--account {account}");
    assert!(page.contains(&command), "the page has {command}");
}

#[rstest]
#[case("github", &["github"])]
#[case("slack", &["slack_v2"])]
#[case("google", &["gmail", "google_sheets", "google_drive", "google_calendar"])]
#[case("stripe", &["stripe"])]
#[case("notion", &["notion"])]
#[case("hubspot", &["hubspot"])]
#[case("airtable", &["airtable_oauth", "airtable"])]
#[tokio::test]
async fn a_page_agrees_with_the_catalogue(#[case] name: &str, #[case] slugs: &[&str]) {
    let (cli, page) = (Cli::new().await, page(name));
    for slug in slugs {
        let app = cli.api.get(&format!("/apps/{slug}")).await.ok();
        let scopes = app["oauth"]["scopes"].as_array().cloned();
        let fields = app["custom_fields_json"].as_str().expect("JSON");
        let fields: Vec<Value> = serde_json::from_str(fields).expect("a list");
        let names = fields.iter().map(|field| &field["name"]);
        let scopes = scopes.unwrap_or_default();
        for text in scopes.iter().chain(names).filter_map(Value::as_str) {
            assert!(page.contains(text), "{slug}: {text} is missing");
        }
        if let Some(place) = app["oauth"]["developer_url"].as_str() {
            assert!(page.contains(place), "{slug}: {place} is missing");
        }
    }
}
