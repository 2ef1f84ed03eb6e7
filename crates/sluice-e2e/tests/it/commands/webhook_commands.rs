//! `sluice webhooks`, `sluice subscribe` and `sluice unsubscribe`.

use serde_json::{Value, json};

use super::fixtures::{Cli, component, source};

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
    assert_eq!(out, format!("{id} is subscribed to {orders}\n"));
    cli.ok(&["subscribe", "p_*", id, "--channel", "$errors"])
        .await;
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
