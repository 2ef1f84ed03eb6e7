//! `sluice accounts`.

use serde_json::Value;
use sluice_testkit::Backend;

use super::fixtures::Cli;
use crate::{accounts::fixtures::key_app, support::shared_server};

#[tokio::test]
async fn an_account_is_connected_with_keys_looked_at_and_deleted() {
    let cli = Cli::new().await;
    let app = key_app(shared_server(Backend::Sqlite)).await;
    let out = cli
        .ok(&[
            "accounts",
            "connect",
            &app,
            "--name",
            "Our shop",
            "--field",
            "api_key=s3cret",
        ])
        .await;
    assert!(out.starts_with("Connected Our shop (apn_"), "{out}");
    let table = cli.ok(&["accounts"]).await;
    assert!(
        table.contains("Our shop") && table.contains(&app),
        "{table}"
    );
    assert!(
        table.contains("healthy") && !table.contains('\u{1b}'),
        "{table}"
    );
    assert_eq!(cli.ok(&["accounts", "list"]).await, table);
    assert_eq!(cli.ok(&["list", "accounts"]).await, table);
    assert_eq!(cli.ok(&["accounts", "--app", "other"]).await, "");

    let told = cli
        .ok(&["accounts", "describe", "Our shop", "--json"])
        .await;
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["app"]["name_slug"], app);
    assert!(!told.to_string().contains("s3cret"), "{told}");
    let id = told["id"].as_str().unwrap();
    assert!(
        cli.ok(&["accounts", "describe", id])
            .await
            .contains("Our shop")
    );
    assert_eq!(
        cli.ok(&["accounts", "delete", "Our shop"]).await,
        "Deleted Our shop\n"
    );
    assert_eq!(cli.run(&["accounts", "delete", id]).await.code, 5);
}

#[tokio::test]
async fn what_is_missing_or_unknown_is_told() {
    let cli = Cli::new().await;
    let app = key_app(shared_server(Backend::Sqlite)).await;
    let ran = cli.run(&["accounts", "connect", &app]).await;
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("api_key"), "{}", ran.err);
    let ran = cli.run(&["accounts", "connect", "no-such-app"]).await;
    assert_eq!(ran.code, 5);
    assert!(ran.err.contains("no-such-app"), "{}", ran.err);
    let ran = cli
        .run(&["accounts", "connect", &app, "--field", "x"])
        .await;
    assert!(ran.err.contains("NAME=VALUE"), "{}", ran.err);
    let ran = cli.run(&["accounts", "describe", "nobody"]).await;
    assert_eq!(ran.code, 5);
}
