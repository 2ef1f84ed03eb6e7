//! The pages of `docs/connect`: their scopes and fields are those of the catalogue. `pages` runs their commands.

use std::fs;

use rstest::rstest;
use serde_json::Value;

use super::fixtures::Cli;

fn page(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/connect");
    fs::read_to_string(format!("{folder}/{name}.md")).expect("the page")
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
