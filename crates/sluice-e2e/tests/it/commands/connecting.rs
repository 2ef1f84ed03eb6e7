//! `sluice accounts connect` for apps with OAuth: in a browser, with fields, and with a token.

use serde_json::json;
use sluice_testkit::Backend;

use super::fixtures::{Cli, Folder, address_in};
use crate::{
    accounts::{
        browser::Browser,
        fixtures::{agree, unique_slug},
        provider::provider,
    },
    support::shared_server,
};

#[tokio::test]
async fn an_app_is_added_with_its_client_and_an_account_is_connected() {
    let server = shared_server(Backend::Sqlite);
    let (operator, user) = (Cli::of(server.api()), Cli::new().await);
    let client = provider().app_on(server, json!({})).await;
    let folder = Folder::with(&[("secret", &client.secret)]);
    let (slug, file) = (unique_slug(), folder.join("secret"));
    let (authorize, tokens) = (provider().at("/auth"), provider().at("/token"));
    let added = operator
        .run(&[
            "apps",
            "add",
            &slug,
            "--name",
            "Tracker",
            "--oauth",
            "--authorization-url",
            &authorize,
            "--token-url",
            &tokens,
            "--userinfo-url",
            &provider().at("/me"),
            "--scope",
            "openid",
            "--scope",
            "offline_access",
            "--param",
            "prompt=consent",
            "--client-id",
            &client.client_id,
            "--client-secret-file",
            file.to_str().unwrap(),
        ])
        .await;
    assert_eq!(added.code, 0, "{added:#?}");
    assert!(!format!("{added:?}").contains(&client.secret));

    let mut terminal = user.terminal(&["accounts", "connect", &slug]);
    terminal.wait_for_text("Waiting for the browser").await;
    agree(&user.api, &address_in(&terminal.output()), "alice").await;
    assert_eq!(terminal.exit_code().await, 0);
    let table = user.ok(&["accounts"]).await;
    assert!(table.contains("healthy"), "{table}");
    assert!(!table.contains("not renewable"), "{table}");
    let told = user.ok(&["accounts", "describe", "alice"]).await;
    assert!(told.contains("renewed before they expire"), "{told}");
}

#[tokio::test]
async fn the_fields_of_an_oauth_app_are_asked_for_or_given() {
    let server = shared_server(Backend::Sqlite);
    let fields = json!({
        "authorization_url": "https://{shop}.example.com/authorize", "token_url": "https://{shop}.example.com/token",
        "fields": [
            { "name": "shop", "label": "Shop" },
            { "name": "region", "label": "Region", "optional": true },
            { "name": "host", "label": "Host", "default": "eu" },
        ],
    });
    let app = provider().app_on(server, fields).await;
    let cli = Cli::new().await;
    let connect = ["accounts", "connect", &app.slug];
    let ran = cli.run(&connect).await;
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("shop is required"), "{}", ran.err);

    let terminal_with = |args: &[&str]| cli.terminal(&[&connect[..], args].concat());
    let mut terminal = terminal_with(&[]);
    terminal.wait_for_text("Shop").await;
    terminal.type_line("asked");
    terminal.wait_for_text("Waiting for the browser").await;
    assert!(!terminal.output().contains("Region"));
    assert!(!terminal.output().contains("Host"));
    let mut browser = Browser::signed_in(&cli.api).await;
    let asked = browser.confirm(&address_in(&terminal.output())).await;
    assert!(asked.starts_with("https://asked.example.com/"), "{asked}");

    let terminal = terminal_with(&["--field", "shop=given"]);
    terminal.wait_for_text("Waiting for the browser").await;
    let given = browser.confirm(&address_in(&terminal.output())).await;
    assert!(given.starts_with("https://given.example.com/"), "{given}");
}

#[tokio::test]
async fn an_app_without_a_client_takes_a_token() {
    let cli = Cli::new().await;
    let connect = ["accounts", "connect", "notion"];
    let ran = cli.run(&connect).await;
    assert_eq!(ran.code, 1);
    for text in ["apps set-oauth notion", "oauth_access_token=@FILE"] {
        assert!(ran.err.contains(text), "{}", ran.err);
    }
    let folder = Folder::with(&[("token", "tok-1\n")]);
    let field = format!("oauth_access_token=@{}", folder.join("token").display());
    let flags = ["--name", "From a file", "--field", &field];
    let out = cli.ok(&[&connect[..], &flags].concat()).await;
    assert!(out.starts_with("Connected From a file (apn_"), "{out}");
    let table = cli.ok(&["accounts"]).await;
    assert!(table.contains("healthy, not renewable"), "{table}");
    let told = cli.ok(&["accounts", "describe", "From a file"]).await;
    assert!(told.contains("until it is revoked"), "{told}");
    let accounts = cli.api.get("/accounts").await.expect(200);
    let path = format!(
        "/accounts/{}?include_credentials=true",
        accounts["data"][0]["id"].as_str().unwrap()
    );
    let credentials = &cli.api.get(&path).await.ok()["credentials"];
    assert_eq!(credentials["oauth_access_token"], "tok-1");
}

#[tokio::test]
async fn a_token_is_typed_hidden_or_not_at_all() {
    let cli = Cli::new().await;
    let connect = ["accounts", "connect", "notion"];
    let mut terminal = cli.terminal(&connect);
    terminal.wait_for_text("no OAuth client is set up").await;
    terminal.wait_for_text("Enter a token of Notion").await;
    terminal.type_line("n");
    assert_eq!(terminal.exit_code().await, 1);
    let mut terminal = cli.terminal(&connect);
    terminal.wait_for_text("Enter a token of Notion").await;
    terminal.type_line("y");
    terminal.wait_for_text("Access token of Notion").await;
    terminal.type_line("tok-typed");
    assert_eq!(terminal.exit_code().await, 0);
    assert!(!terminal.output().contains("tok-typed"));
    assert!(cli.ok(&["accounts"]).await.contains("not renewable"));
}
