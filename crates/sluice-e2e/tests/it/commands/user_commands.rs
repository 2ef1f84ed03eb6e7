//! `sluice users`, for the operator.

use serde_json::Value;
use sluice_testkit::{Api, Backend, Server};

use super::{
    fixtures::{Cli, component, source},
    home::Home,
};
use crate::support::{own_server, shared_server, unique_name};

fn operator() -> Cli {
    Cli::of(shared_server(Backend::Sqlite).api())
}

async fn created(name: &str) -> Api {
    let told = operator()
        .ok(&["users", "create", name, "a@b.c", "--json"])
        .await;
    let told: Value = serde_json::from_str(&told).unwrap();
    let key = told["api_key"].as_str().unwrap();
    Api::new(shared_server(Backend::Sqlite).url(), key)
}

#[tokio::test]
async fn the_operator_makes_lists_and_deletes_users() {
    let (operator, name) = (operator(), unique_name());
    let out = operator
        .ok(&["users", "create", &name, "a@b.c", "--paid"])
        .await;
    assert!(out.contains("sluice login --url"), "{out}");
    let table = operator.ok(&["users", "list"]).await;
    let line = table
        .lines()
        .find(|line| line.contains(&name))
        .expect("the user");
    let cells: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(cells[1..5], [&name, "a@b.c", "paid", "no"]);
    let listed: Vec<Value> =
        serde_json::from_str(&operator.ok(&["users", "list", "--json"]).await).unwrap();
    assert!(listed.iter().any(|user| user["username"] == *name));
    assert_eq!(
        operator.ok(&["users", "delete", &name]).await,
        format!("Deleted {name}\n")
    );
    let ran = operator.run(&["users", "delete", &name]).await;
    assert_eq!(ran.code, 5);
    assert!(ran.err.contains("sluice users list"), "{}", ran.err);
}

#[tokio::test]
async fn a_user_with_sources_stays_and_the_reason_is_told() {
    let name = unique_name();
    let api = created(&name).await;
    source(
        &api,
        &component("Kept", ""),
        "Kept",
        Value::Object(serde_json::Map::new()),
    )
    .await;
    let ran = operator().run(&["users", "delete", &name]).await;
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("1 source"), "{}", ran.err);
}

#[tokio::test]
async fn a_rotated_key_is_printed_and_the_old_one_is_worthless() {
    let name = unique_name();
    let api = created(&name).await;
    let key = operator().ok(&["users", "rotate-key", &name]).await;
    api.get("/users/me").await.expect(401);
    let renewed = Api::new(shared_server(Backend::Sqlite).url(), key.trim());
    let id = renewed.get("/users/me").await.ok()["id"].clone();
    let told = operator()
        .ok(&["users", "rotate-key", id.as_str().unwrap(), "--json"])
        .await;
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["id"], id);
}

#[tokio::test]
async fn the_operators_own_new_key_goes_into_the_profile() {
    let home = Home::new();
    let options = home
        .env()
        .into_iter()
        .fold(own_server(), |options, (name, value)| {
            options.env(name, value)
        });
    let server = Server::start(options).await;
    let ran = home.run(&["users", "rotate-key", "operator"]).await;
    assert_eq!(ran.code, 0, "{ran:#?}");
    assert!(home.config().contains(ran.out.trim()), "{}", home.config());
    assert_eq!(home.run(&["whoami"]).await.code, 0);
    server.api().get("/users/me").await.expect(401);
}

#[tokio::test]
async fn everyone_else_is_told_that_it_is_the_operators() {
    let cli = Cli::new().await;
    for args in [
        &["users", "list"][..],
        &["users", "create", "a", "b"],
        &["users", "delete", "a"],
    ] {
        let ran = cli.run(args).await;
        assert_eq!(ran.code, 1, "{args:?}");
        assert!(ran.err.contains("operator"), "{args:?}: {}", ran.err);
    }
}
