//! Credentials at rest and in passing: readable nowhere but where they are meant to be.

use std::{fs, path::Path};

use memchr::memmem;
use serde_json::json;
use sluice_testkit::{Plan, Postgres, Server};

use super::{
    fixtures::{connect, credentials, key_account, key_app, source_with, text},
    provider::provider,
};
use crate::support::{own_server, unique_name};

fn files_with(folder: &Path, needle: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_with(&path, needle));
        } else if let Ok(bytes) = fs::read(&path)
            && memmem::find(&bytes, needle.as_bytes()).is_some()
        {
            found.push(path.display().to_string());
        }
    }
    found
}

#[tokio::test]
async fn no_secret_is_readable_in_the_data_folder_or_the_log_and_accounts_outlive_a_restart() {
    let mut server = Server::start(own_server()).await;
    let api = server.user(&unique_name(), Plan::Free).await;
    let slug = key_app(&server).await;
    key_account(&api, &slug, "key-in-the-clear-1234").await;
    let app = provider().app_on(&server, json!({})).await;
    let connected = connect(&api, &app, "alice").await;
    let tokens = credentials(&api, &connected).await;
    let secrets = [
        "key-in-the-clear-1234".to_owned(),
        app.secret.clone(),
        text(&tokens["oauth_access_token"]),
        text(&tokens["oauth_refresh_token"]),
    ];
    server.kill9();
    for secret in &secrets {
        assert_eq!(files_with(server.data_dir(), secret), Vec::<String>::new());
        assert!(!server.logs().contains(secret.as_str()));
    }

    server.restart().await;
    assert_eq!(credentials(&api, &connected).await, tokens);
    let other = source_with(&api, &app.slug, &connected).await;
    other.run(json!({})).await;
    assert_eq!(other.events(1).await[0]["auth"], tokens);
}

#[tokio::test]
async fn no_secret_is_readable_in_a_postgresql_table() {
    let database = Postgres::database();
    let server = Server::start(own_server().postgres(&database)).await;
    let api = server.user(&unique_name(), Plan::Free).await;
    let slug = key_app(&server).await;
    key_account(&api, &slug, "key-in-the-clear-1234").await;
    let app = provider().app_on(&server, json!({})).await;
    let connected = connect(&api, &app, "alice").await;
    let tokens = credentials(&api, &connected).await;
    let rows = tokio::task::spawn_blocking(move || everything_in(&database))
        .await
        .expect("rows");
    assert!(rows.contains(&slug) && rows.contains(&connected), "{rows}");
    for secret in [
        "key-in-the-clear-1234",
        &app.secret,
        &text(&tokens["oauth_access_token"]),
        &text(&tokens["oauth_refresh_token"]),
    ] {
        assert!(!rows.contains(secret), "{rows}");
    }
}

/// The rows of the tables that hold secrets, as text.
fn everything_in(database: &str) -> String {
    let mut client =
        postgres::Client::connect(database, postgres::NoTls).expect("PostgreSQL is there");
    let rows = client
        .query(
            "SELECT t::text FROM apps t UNION ALL SELECT t::text FROM accounts t UNION ALL SELECT t::text FROM connections t",
            &[],
        )
        .expect("rows");
    rows.iter().map(|row| row.get::<_, String>(0)).collect()
}

#[tokio::test]
async fn client_secrets_are_in_no_answer() {
    let server = Server::start(own_server()).await;
    let app = provider().app_on(&server, json!({})).await;
    let operator = server.api();
    for path in ["/apps".to_owned(), format!("/apps/{}", app.slug)] {
        let answer = operator.get(&path).await;
        assert!(!answer.text.contains(&app.secret), "{path}");
        assert!(!answer.text.contains("secret"), "{path}: {}", answer.text);
    }
    // A change that leaves the secret out keeps it: tokens are still handed out.
    let oauth = json!({
        "authorization_url": provider().at("/auth"), "token_url": provider().at("/token"), "client_id": app.client_id,
        "scopes": ["openid", "offline_access"], "authorize_params": { "prompt": "consent" },
    });
    let body = json!({ "name_slug": app.slug, "auth_type": "oauth", "oauth": oauth });
    operator.post("/apps", &body).await.ok();
    let api = server.user(&unique_name(), Plan::Free).await;
    connect(&api, &app, "alice").await;
}
