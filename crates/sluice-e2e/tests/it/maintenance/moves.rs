//! `sluice migrate`: the server goes on with everything on the other database.

use std::fs;

use serde_json::{Value, json};
use sluice_testkit::{Api, Backend, Method, Plan, Server};

use super::site::{Site, migrate};
use crate::support::{deploy, unique_name};

const COUNTER: &str = r#"module.exports = {
  name: "counter", version: "0.0.1", dedupe: "unique",
  props: { http: "$.interface.http", db: "$.service.db", token: { type: "string", secret: true, default: "s3cret" } },
  async run(event) {
    const count = (this.db.get("count") ?? 0) + 1;
    this.db.set("count", count);
    this.$emit({ n: event.body.n, count, token: this.token }, { id: event.body.n });
  },
};"#;

/// The definitions and events of a user, without addresses: the port is that of the server.
async fn account(server: &Server, api: &Api, source: &str) -> Value {
    let mut lists = Vec::new();
    for path in [
        "/users/me".to_owned(),
        "/users/me/sources".to_owned(),
        format!("/sources/{source}/event_summaries?limit=100&expand=event"),
    ] {
        lists.push(api.get(&path).await.expect(200));
    }
    let text = Value::from(lists).to_string();
    serde_json::from_str(&text.replace(server.addr(), "ADDRESS")).expect("JSON")
}

/// Posts a number to the endpoint that the server shows, and waits for its event.
async fn count(api: &Api, source: &str, n: u64) {
    let shown = api.get(&format!("/sources/{source}")).await.ok();
    let url = shown["configured_props"]["http"]["endpoint_url"].as_str();
    let request = api.absolute(Method::POST, url.expect("an endpoint"));
    request.json(&json!({ "n": n })).send().await.expect(200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_moves_to_postgresql_and_back_with_everything() {
    let here = Site::new(Backend::Sqlite);
    let mut server = here.start().await;
    let api = server.user(&unique_name(), Plan::Free).await;
    let (key, source) = (api.key().to_owned(), deploy(&api, COUNTER).await);
    for n in 1..=3 {
        source.send(&json!({ "n": n })).await.expect(200);
    }
    source.events(3).await;
    let there = Site::new(Backend::Postgres);
    let error = migrate(&here, &there, None).await.error();
    assert!(error.contains("is in use by another server"), "{error}");
    let before = account(&server, &api, &source.id).await;
    server.terminate().await;
    migrate(&here, &there, None).await.ok();

    // PostgreSQL has no folder for the key: it goes along with the new data folder.
    fs::create_dir_all(there.folder()).expect("a folder");
    let key_file = |site: &Site| site.folder().join("master.key");
    fs::copy(key_file(&here), key_file(&there)).expect("the key");
    let mut server = there.start().await;
    let api = Api::new(server.url(), &key);
    assert_eq!(account(&server, &api, &source.id).await, before);
    // A known id and a new one: dedupe and state were moved.
    count(&api, &source.id, 3).await;
    count(&api, &source.id, 4).await;
    let moved = crate::support::Deployed {
        api: api.clone(),
        ..source.clone()
    };
    let events = moved.events(4).await;
    assert_eq!(events[3], json!({ "n": 4, "count": 5, "token": "s3cret" }));
    let before = account(&server, &api, &source.id).await;

    let back = Site::new(Backend::Sqlite);
    let error = migrate(&there, &back, None).await.error();
    assert!(error.contains("the master key is missing"), "{error}");
    let master_key = fs::read_to_string(key_file(&here)).expect("the key");
    let error = migrate(&there, &back, Some(&master_key)).await.error();
    assert!(
        error.contains("uses the database: stop it first"),
        "{error}"
    );
    server.terminate().await;
    let error = migrate(&there, &back, Some(&"ab".repeat(32))).await.error();
    assert!(error.contains("is not the one of this database"), "{error}");
    let error = migrate(&there, &here, None).await.error();
    assert!(error.contains("is not empty"), "{error}");
    fs::create_dir_all(back.folder()).expect("a folder");
    fs::copy(key_file(&here), key_file(&back)).expect("the key");
    migrate(&there, &back, None).await.ok();

    let server: Server = back.start().await;
    let api = Api::new(server.url(), &key);
    assert_eq!(account(&server, &api, &source.id).await, before);
}
