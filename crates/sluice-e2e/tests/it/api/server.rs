//! `GET /server`: what the operator sees of the whole server.

use serde_json::{Value, json};
use sluice_testkit::{Plan, Postgres, Server, wait_for};

use super::fixtures::{IDLE, field_names, refused, text};
use crate::{
    support::{PATIENCE, deploy, own_server, unique_name},
    workflows::fixtures::deploy_running,
};

fn setting<'a>(server: &'a Value, name: &str) -> &'a Value {
    let settings = server["settings"].as_array().expect("a list");
    let found = settings.iter().find(|setting| setting["name"] == name);
    found.unwrap_or_else(|| panic!("no setting {name}"))
}

#[tokio::test]
async fn the_operator_sees_what_the_server_uses_and_what_was_given() {
    let options = ["--invocation-timeout", "45s", "--webhook-retries", "1s,2s"];
    let server = Server::start(
        own_server()
            .args(options)
            .env("SLUICE_MAX_STREAMS", "77")
            .env(
                "SLUICE_SMTP_URL",
                "smtps://somebody:hushhush@mail.example.com",
            )
            .env("SLUICE_SMTP_FROM", "a@example.com"),
    )
    .await;
    let answer = server.api().get("/server").await;
    for secret in ["hushhush", "somebody", server.api_key()] {
        assert!(!answer.text.contains(secret), "{secret}");
    }
    let shown = answer.ok();
    let fields = [
        "version",
        "started_at",
        "public_url",
        "database",
        "memory_bytes",
        "storage_bytes",
        "free_bytes",
        "processes",
        "settings",
    ];
    assert_eq!(field_names(&shown), fields);
    assert_eq!(shown["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(shown["public_url"], server.url());
    assert_eq!(shown["database"], "sqlite");
    for number in ["started_at", "memory_bytes", "storage_bytes", "free_bytes"] {
        assert!(
            shown[number].as_u64() > Some(0),
            "{number}: {}",
            shown[number]
        );
    }
    assert_eq!(shown["processes"], json!([]));

    let timeout = json!({
        "name": "--invocation-timeout", "value": "45s", "help": "Maximum time of one invocation",
    });
    assert_eq!(setting(&shown, "--invocation-timeout"), &timeout);
    for (name, value) in [
        ("--webhook-retries", json!("1s,2s")),
        ("--max-streams", json!("77")),
        ("--idle-timeout", json!("60s")),
        ("--allow-signup", json!("false")),
        ("--endpoint-domain", Value::Null),
        ("--listen", json!(server.addr())),
        ("--public-url", json!(server.url())),
        ("--api-key", json!("********")),
        ("--smtp-url", json!("smtps://mail.example.com")),
    ] {
        assert_eq!(setting(&shown, name)["value"], value, "{name}");
    }
    assert!(setting(&shown, "--memory-budget")["value"].is_string());
}

#[tokio::test]
async fn processes_are_shown_with_what_they_run_for_whom_and_how_large_they_are() {
    let server = Server::start(own_server()).await;
    let name = unique_name();
    let api = server.user(&name, Plan::Free).await;
    let source = deploy(&api, IDLE).await;
    let workflow = deploy_running(&server.api(), &[("only", "return 1")]).await;
    source.run(json!({})).await;
    workflow.run_and_wait(&json!({})).await;
    let shown = wait_for(PATIENCE, "two processes and their memory", async || {
        let shown = server
            .api()
            .get("/server?include=processes,started_at")
            .await
            .ok();
        let processes = shown["processes"].as_array().expect("a list");
        let large = |process: &Value| process["memory_bytes"].as_u64() > Some(0);
        (processes.len() == 2 && processes.iter().all(large)).then_some(shown)
    })
    .await;
    let processes = shown["processes"].as_array().expect("a list");
    let of = |id: &str| {
        let found = processes.iter().find(|process| process["emitter_id"] == id);
        found.unwrap_or_else(|| panic!("no process of {id}: {shown}"))
    };
    let of_source = of(&source.id);
    assert_eq!(of_source["name"], source.source["name"]);
    assert_eq!(of_source["username"], name.as_str());
    assert!(of_source["started_at"].as_i64() >= shown["started_at"].as_i64());
    let of_workflow = of(&workflow.id);
    assert_eq!(of_workflow["name"], workflow.shown["name"]);
    assert_eq!(of_workflow["username"], "operator");
    assert!(processes[0]["memory_bytes"].as_u64() >= processes[1]["memory_bytes"].as_u64());

    api.delete(&source.path("")).await.expect(204);
    wait_for(PATIENCE, "one process", async || {
        let shown = server.api().get("/server").await.ok();
        let processes = shown["processes"].as_array().expect("a list");
        (processes.len() == 1 && processes[0]["emitter_id"] == workflow.id).then_some(())
    })
    .await;
}

#[tokio::test]
async fn for_everyone_else_the_path_does_not_exist() {
    let server = Server::start(own_server().postgres(&Postgres::database())).await;
    let api = server.user(&unique_name(), Plan::Free).await;
    let nowhere = refused(api.get("/nowhere").await, 404);
    assert_eq!(refused(api.get("/server").await, 404), nowhere);

    let shown = server.api().get("/server").await.ok();
    assert_eq!(shown["database"], "postgres");
    assert_eq!(shown["free_bytes"], Value::Null);
    assert!(shown["storage_bytes"].as_u64() > Some(0));
    let database = text(&setting(&shown, "--database-url")["value"]);
    assert!(database.starts_with("postgres"), "{database}");
    assert!(!database.contains('@'), "{database}");
}
