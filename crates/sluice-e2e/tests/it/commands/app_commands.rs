//! `sluice apps`: everybody reads, the operator changes.

use serde_json::Value;
use sluice_testkit::{Backend, Server};

use super::{
    fixtures::{Cli, Folder},
    home::Home,
};
use crate::{
    accounts::fixtures::{key_account, unique_slug},
    support::{own_server, shared_server},
};

fn operator() -> Cli {
    Cli::of(shared_server(Backend::Sqlite).api())
}

#[tokio::test]
async fn an_app_with_keys_is_added_found_shown_and_removed() {
    let (operator, user, slug) = (operator(), Cli::new().await, unique_slug());
    let out = operator
        .ok(&[
            "apps",
            "add",
            &slug,
            "--name",
            "Weather",
            "--keys",
            "api_key:API key:secret",
            "region:optional",
        ])
        .await;
    assert_eq!(out, format!("Added Weather ({slug})\n"));
    let table = user.ok(&["apps", "list", "--query", &slug]).await;
    let row: Vec<&str> = table
        .lines()
        .last()
        .expect("a row")
        .split_whitespace()
        .collect();
    assert_eq!(row, [slug.as_str(), "Weather", "keys", "0", "0"]);
    let shown = user.run(&["apps", "show", &slug]).await;
    assert!(shown.out.contains("api_key (API key)"), "{}", shown.out);
    assert!(shown.out.contains("region (optional)"), "{}", shown.out);
    let connect = format!("sluice accounts connect {slug}");
    assert!(shown.err.contains(&connect), "{}", shown.err);

    let account = key_account(&user.api, &slug, "k").await;
    let ran = operator.run(&["apps", "remove", &slug]).await;
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("accounts"), "{}", ran.err);
    user.ok(&["accounts", "delete", &account]).await;
    let removed = operator.ok(&["apps", "remove", &slug]).await;
    assert_eq!(removed, "Deleted Weather\n");
    assert_eq!(operator.run(&["apps", "show", &slug]).await.code, 5);
    assert_eq!(operator.run(&["apps", "remove", &slug]).await.code, 5);
}

#[tokio::test]
async fn the_catalogue_is_listed_with_the_state_of_its_clients() {
    let cli = Cli::new().await;
    let listed = cli.ok(&["apps", "list", "-q", "notion", "--json"]).await;
    let listed: Vec<Value> = serde_json::from_str(&listed).expect("JSON");
    assert!(listed.iter().any(|app| app["name_slug"] == "notion"));
    let table = cli.ok(&["apps", "list", "-q", "notion"]).await;
    assert!(table.contains("OAuth, no client"), "{table}");
    let ran = cli.run(&["apps", "list", "-q", "no such app"]).await;
    assert_eq!((ran.code, ran.out.as_str()), (0, ""));
    let shown = cli.run(&["apps", "show", "notion"]).await;
    let redirect = format!("{}/oauth/callback", shared_server(Backend::Sqlite).url());
    assert!(shown.out.contains(&redirect), "{}", shown.out);
    assert!(shown.out.contains("not set up"), "{}", shown.out);
    assert!(shown.err.contains("apps set-oauth notion"), "{}", shown.err);
}

#[tokio::test]
async fn the_client_of_a_catalogue_app_is_set_up_and_removed() {
    let server = Server::start(own_server()).await;
    let home = Home::new();
    let login = ["--url", server.url(), "--api-key", server.api_key()];
    let set = [
        "apps",
        "set-oauth",
        "shopify",
        "--client-id",
        "client-1",
        "--scope",
        "read_orders",
        "--client-secret-file",
        "-",
    ];
    let ran = home.feed(&[&set[..], &login].concat(), "s3cret\n").await;
    assert_eq!(ran.code, 0, "{ran:#?}");
    let redirect = format!("{}/oauth/callback", server.url());
    let page = "https://partners.shopify.com/";
    for text in ["client-1", "read_orders", redirect.as_str(), page] {
        assert!(ran.out.contains(text), "{text}: {}", ran.out);
    }
    assert!(ran.err.contains(&redirect), "{}", ran.err);
    assert!(!format!("{ran:?}").contains("s3cret"));

    let cli = Cli::of(server.api()).with_env("SLUICE_URL", server.url());
    let shown = cli.run(&["apps", "show", "shopify"]).await;
    assert!(shown.out.contains("client-1"), "{}", shown.out);
    assert!(shown.out.contains("shop_id (Shop; "), "{}", shown.out);
    cli.ok(&["apps", "remove", "shopify"]).await;
    let shown = cli.run(&["apps", "show", "shopify"]).await;
    assert!(shown.out.contains("not set up"), "{}", shown.out);
    let ran = cli.run(&["apps", "remove", "shopify"]).await;
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("catalogue"), "{}", ran.err);
    let ran = cli
        .run(&["apps", "set-oauth", "stripe", "--client-id", "c"])
        .await;
    assert!(ran.err.contains("does not use OAuth"), "{}", ran.err);
}

#[tokio::test]
async fn a_first_client_without_a_secret_is_noted() {
    let server = Server::start(own_server()).await;
    let cli = Cli::of(server.api()).with_env("SLUICE_URL", server.url());
    let set = ["apps", "set-oauth", "github", "--client-id", "c"];
    let ran = cli.run(&set).await;
    assert_eq!(ran.code, 0, "{ran:#?}");
    assert!(ran.err.contains("No client secret"), "{}", ran.err);
    let folder = Folder::with(&[("secret", "s3cret")]);
    let file = folder.join("secret");
    let with_secret = ["--client-secret-file", file.to_str().unwrap()];
    let ran = cli.run(&[&set[..], &with_secret].concat()).await;
    assert_eq!(ran.code, 0, "{ran:#?}");
    let ran = cli.run(&set).await;
    assert!(!ran.err.contains("No client secret"), "{}", ran.err);
}

#[tokio::test]
async fn everyone_else_is_told_that_apps_are_the_operators() {
    let cli = Cli::new().await;
    for args in [
        &["apps", "add", "a", "--none"][..],
        &["apps", "set-oauth", "github", "--client-id", "c"],
        &["apps", "remove", "github"],
    ] {
        let ran = cli.run(args).await;
        assert_eq!(ran.code, 1, "{args:?}");
        assert!(ran.err.contains("only the operator"), "{}", ran.err);
    }
}
