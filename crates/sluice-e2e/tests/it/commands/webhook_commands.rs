//! `sluice webhooks`, `sluice subscribe` and `sluice unsubscribe`.

use serde_json::{Value, json};
use sluice_testkit::{
    Server,
    receiver::{Answer, Receiver},
    webhook::Webhook,
};

use super::fixtures::{Cli, component, source};
use crate::support::{deploy, own_server};

#[tokio::test]
async fn a_webhook_is_made_subscribed_looked_at_and_deleted() {
    let cli = Cli::new().await;
    let orders = source(&cli.api, &component("Orders", ""), "Orders", json!({})).await;
    let told = cli
        .ok(&[
            "webhooks",
            "create",
            "https://example.com/hook",
            "--name",
            "ops",
            "--json",
        ])
        .await;
    let told: Value = serde_json::from_str(&told).unwrap();
    assert!(
        told["signing_secret"]
            .as_str()
            .unwrap()
            .starts_with("whsec_")
    );
    let id = told["id"].as_str().unwrap();

    let out = cli
        .ok(&["subscribe", "orders", "ops", "--channel", "big"])
        .await;
    assert_eq!(out, "ops is subscribed to orders, channel big\n");
    let out = cli
        .ok(&["subscribe", "p_*", id, "--channel", "$errors"])
        .await;
    assert_eq!(out, "ops is subscribed to all workflows, channel $errors\n");
    let me = cli.api.get("/users/me").await.ok();
    let me = me["id"].as_str().unwrap();
    let workspace = me.replacen("u_", "o_", 1);
    for account in [me, workspace.as_str()] {
        let out = cli.ok(&["subscribe", account, &orders]).await;
        assert_eq!(
            out,
            format!(
                "orders is subscribed to all sources and workflows of {account}, channel default\n"
            )
        );
        cli.ok(&["unsubscribe", account, "orders"]).await;
    }
    let all = cli.api.get("/users/me/subscriptions").await.ok();
    assert_eq!(all.as_array().unwrap().len(), 2);
    assert_eq!(cli.run(&["webhooks", "deliveries", "ops"]).await.code, 0);
    cli.ok(&["unsubscribe", "orders", "ops", "--channel", "big"])
        .await;
    let ran = cli
        .run(&["unsubscribe", "orders", "ops", "--channel", "big"])
        .await;
    assert_eq!(ran.code, 5, "{ran:#?}");
    cli.ok(&["webhooks", "delete", "ops"]).await;
    cli.api.get(&format!("/webhooks/{id}")).await.expect(404);
}

#[tokio::test]
async fn ends_that_are_not_there_exit_with_5() {
    let cli = Cli::new().await;
    for args in [
        &["subscribe", "nobody", "ops"][..],
        &["webhooks", "delete", "nobody"],
        &["webhooks", "deliveries", "wh_nobody"],
    ] {
        let ran = cli.run(args).await;
        assert_eq!(ran.code, 5, "{args:?}: {ran:#?}");
        assert!(ran.err.contains("sluice list"), "{}", ran.err);
    }
    assert_eq!(cli.run(&["webhooks", "create", "nonsense"]).await.code, 1);
}

#[tokio::test]
async fn a_webhook_is_changed_gets_a_new_secret_and_failed_deliveries_again() {
    let cli = Cli::new().await;
    let address = "https://example.com/hook";
    let args = ["webhooks", "create", address, "--name", "ops", "--json"];
    let created: Value = serde_json::from_str(&cli.ok(&args).await).unwrap();
    let path = format!("/webhooks/{}", created["id"].as_str().unwrap());

    let args = [
        "webhooks",
        "update",
        "ops",
        "--address",
        "https://example.com/new",
    ];
    let more = [
        "--name",
        "archive",
        "--description",
        "All",
        "--concurrency",
        "4",
        "--deactivate",
    ];
    let out = cli.ok(&[&args[..], &more].concat()).await;
    assert!(out.starts_with("Updated archive\n"), "{out}");
    let webhook = cli.api.get(&path).await.ok();
    assert_eq!(
        (&webhook["url"], &webhook["name"], &webhook["description"]),
        (
            &json!("https://example.com/new"),
            &json!("archive"),
            &json!("All")
        )
    );
    assert_eq!(
        (&webhook["concurrency"], &webhook["active"]),
        (&json!(4), &json!(false))
    );
    cli.ok(&[
        "webhooks",
        "update",
        "archive",
        "--activate",
        "--description",
        "",
    ])
    .await;
    let webhook = cli.api.get(&path).await.ok();
    assert_eq!(
        (&webhook["active"], &webhook["description"]),
        (&json!(true), &Value::Null)
    );
    let ran = cli.run(&["webhooks", "update", "archive"]).await;
    assert_eq!(ran.code, 1);
    assert!(
        ran.err.contains("nothing to change: use --address"),
        "{}",
        ran.err
    );

    let rotated = cli.ok(&["webhooks", "rotate", "archive", "--json"]).await;
    let rotated: Value = serde_json::from_str(&rotated).unwrap();
    assert!(
        rotated["signing_secret"]
            .as_str()
            .unwrap()
            .starts_with("whsec_")
    );
    assert_ne!(rotated["signing_secret"], created["signing_secret"]);

    let out = cli.ok(&["webhooks", "replay", "archive"]).await;
    assert_eq!(out, "0 deliveries queued\n");
    let args = [
        "webhooks",
        "replay",
        "archive",
        "--state",
        "all",
        "--since",
        "yesterday",
    ];
    let ran = cli.run(&args).await;
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("since"), "{}", ran.err);
}

const EMITTER: &str = r#"export default {
  name: "Orders", version: "0.0.1", props: { http: "$.interface.http" },
  run(event) { this.$emit(event); },
};"#;

#[tokio::test]
async fn a_replay_sends_failed_deliveries_again_or_all() {
    let options = own_server().args(["--allow-private-network", "--webhook-retries", "50ms"]);
    let server = Server::start(options).await;
    let cli = Cli::of(server.api()).with_env("SLUICE_URL", server.url());
    let receiver = Receiver::start(|request| {
        let is_replay = request.number > 2;
        Answer::status(if is_replay { 200 } else { 500 })
    });
    let orders = deploy(&cli.api, EMITTER).await;
    let body = json!({ "url": receiver.url("/hook"), "name": "ops" });
    let webhook = Webhook::create(&cli.api, &orders.id, &body, "").await;
    orders.run(json!({ "id": "A-1" })).await;
    webhook.wait_for(&["failed"]).await;
    assert_eq!(receiver.count(), 2);

    let out = cli.ok(&["webhooks", "replay", "ops"]).await;
    assert_eq!(out, "1 delivery queued\n");
    webhook.wait_for(&["delivered"]).await;
    let requests = receiver.requests();
    assert_eq!(requests.len(), 3);
    let id = |number: usize| requests[number].header("webhook-id");
    assert!(id(0).is_some() && id(0) == id(2), "{requests:#?}");
    assert_eq!(requests[0].body, requests[2].body);

    let out = cli.ok(&["webhooks", "replay", "ops"]).await;
    assert_eq!(out, "0 deliveries queued\n");
    let args = ["webhooks", "replay", "ops", "--state", "all", "--json"];
    let replayed: Value = serde_json::from_str(&cli.ok(&args).await).unwrap();
    assert_eq!(replayed["replayed"], 1);
    receiver.wait_for(4).await;
}
