//! `sluice audit` and `sluice sessions`.

use serde_json::{Value, json};
use sluice_testkit::{Backend, Method};

use super::{
    fixtures::{Cli, webhook},
    home::Live,
};
use crate::support::shared_server;

/// Signs in to the console with the key of a user.
async fn sign_in(cli: &Cli) {
    let request = cli
        .api
        .root(Method::POST, "/v1/session")
        .header("x-sluice-console", "1")
        .json(&json!({ "api_key": cli.api.key() }));
    request.send().await.ok();
}

fn entries(json: &str) -> Vec<Value> {
    serde_json::from_str(json).expect("a list of entries")
}

#[tokio::test]
async fn changes_are_listed_and_filtered() {
    let cli = Cli::new().await;
    let hook = webhook(&cli.api, Some("Order desk"), "https://example.com").await;
    for number in 0..120 {
        webhook(
            &cli.api,
            Some(&format!("hook {number}")),
            "https://example.com",
        )
        .await;
    }
    let table = cli.ok(&["audit", "--target", &hook]).await;
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 2, "{table}");
    for word in [
        "(key)",
        "127.0.0.1",
        "webhook.create",
        "webhook Order desk",
        &hook,
    ] {
        assert!(lines[1].contains(word), "{word}: {table}");
    }
    assert_eq!(cli.ok(&["audit"]).await.lines().count(), 21);
    let all = cli.ok(&["audit", "-n", "0", "--json"]).await;
    let all = entries(&all);
    assert_eq!(all.len(), 122);
    assert_eq!(all[121]["action"], "user.create");
    let some = cli
        .ok(&["audit", "-n", "110", "--since", "1h", "--json"])
        .await;
    assert_eq!(entries(&some), all[..110]);
    let found = [
        "audit",
        "--search",
        "ORDER desk",
        "--action",
        "webhook",
        "--json",
    ];
    assert_eq!(entries(&cli.ok(&found).await).len(), 1);
    let none = cli.run(&["audit", "--until", "2020-01-01T00:00:00Z"]).await;
    assert_eq!((none.code, none.err.as_str()), (0, "No entries\n"));
    let wrong = cli.run(&["audit", "--since", "yesterday"]).await;
    assert!(wrong.code != 0 && wrong.err.contains("7d"), "{}", wrong.err);
}

#[tokio::test]
async fn operators_read_other_accounts() {
    let cli = Cli::new().await;
    let hook = webhook(&cli.api, Some("Of another"), "https://example.com").await;
    let name = cli.api.get("/users/me").await.ok()["username"].clone();
    let name = name.as_str().expect("a name");
    let operator = Cli::of(shared_server(Backend::Sqlite).api());
    let table = operator.ok(&["audit", "--user", name]).await;
    assert!(table.contains(&hook), "{table}");
    let table = operator
        .ok(&["audit", "--all-accounts", "--target", &hook])
        .await;
    assert!(table.contains("ACCOUNT") && table.contains(name), "{table}");
    let refused = cli.run(&["audit", "--all-accounts"]).await;
    assert!(
        refused.code != 0 && refused.err.contains("operators"),
        "{}",
        refused.err
    );
    let refused = cli.run(&["audit", "--user", "operator"]).await;
    assert!(refused.err.contains("only the operator"), "{}", refused.err);
}

#[tokio::test]
async fn further_entries_are_followed_once_each() {
    let cli = Cli::new().await;
    let names = ["one", "two", "three", "four"];
    for name in &names[..2] {
        webhook(&cli.api, Some(name), "https://example.com").await;
    }
    let args = [
        "audit", "--action", "webhook", "-n", "1", "--follow", "--json",
    ];
    let mut live = Live::start(&args, &cli.environment());
    let mut next = async || {
        let text = live.line().await;
        let entry: Value = serde_json::from_str(&text).expect("an entry");
        entry["target"]["name"].as_str().expect("a name").to_owned()
    };
    assert_eq!(next().await, "two");
    for name in &names[2..] {
        webhook(&cli.api, Some(name), "https://example.com").await;
        assert_eq!(next().await, *name);
    }
}

#[tokio::test]
async fn sessions_are_listed_and_ended() {
    let cli = Cli::new().await;
    let none = cli.run(&["sessions", "list"]).await;
    assert!(none.err.contains("No sessions"), "{}", none.err);
    for _ in 0..3 {
        sign_in(&cli).await;
    }
    let listed = entries(&cli.ok(&["sessions", "list", "--json"]).await);
    assert_eq!(listed.len(), 3);
    assert_eq!(listed[0]["address"], "127.0.0.1");
    let id = listed[0]["id"].as_str().expect("an id");
    let table = cli.ok(&["sessions", "list"]).await;
    assert!(table.contains(id), "{table}");
    let ended = cli.ok(&["sessions", "end", id]).await;
    assert_eq!(ended, format!("Ended {id}\n"));
    let missing = cli.run(&["sessions", "end", id]).await;
    assert_eq!(missing.code, 5);
    assert_eq!(
        cli.ok(&["sessions", "end", "--all"]).await,
        "Ended all sessions\n"
    );
    let left = cli.ok(&["sessions", "list", "--json"]).await;
    assert_eq!(entries(&left), Vec::<Value>::new());
}
