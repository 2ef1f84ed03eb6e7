//! The field `app` of components, sources, steps and nodes of the map.

use serde_json::{Value, json};

use crate::{
    server::User,
    support::{deploy, new_user, server},
};

fn keyed(key: &str) -> String {
    let component = json!({ "name": "Keyed", "version": "0.0.1", "key": key, "run": {} });
    format!("module.exports = {component}")
}

/// The app of each row of a list, by the name of the row.
async fn apps(user: &User, path: &str) -> Vec<(String, Value)> {
    let list = user.get(path).await.expect(200);
    let rows = list["data"].as_array().expect("rows").iter();
    let mut apps: Vec<_> = rows
        .map(|row| (row["name"].to_string(), row["app"].clone()))
        .collect();
    apps.sort_by(|a, b| a.0.cmp(&b.0));
    apps
}

#[tokio::test]
async fn a_source_has_the_app_of_its_key_if_the_server_knows_it() {
    let user = new_user().await;
    let bakery = json!({ "name_slug": "bakery", "name": "Bakery", "auth_type": "none" });
    let operator = server().await.operator();
    operator.post("/apps", &bakery).await.ok();
    for (key, app) in [
        ("github-new-star", json!("github")),
        ("bakery-new-loaf", json!("bakery")),
        ("unknown_app-thing", Value::Null),
    ] {
        let source = deploy(&user, &keyed(key)).await;
        assert_eq!(source.source["app"], app, "{key}");
        let read = user.get(&source.path("")).await.ok();
        assert_eq!(read["app"], app, "{key}");
        let rename = json!({ "name": key });
        user.put(&source.path(""), &rename).await.ok();
    }
    let expected = [
        (r#""bakery-new-loaf""#.to_owned(), json!("bakery")),
        (r#""github-new-star""#.to_owned(), json!("github")),
        (r#""unknown_app-thing""#.to_owned(), Value::Null),
    ];
    assert_eq!(apps(&user, "/users/me/sources").await, expected);
    let flow = user.get("/users/me/flow").await.ok();
    let nodes = flow["nodes"].as_array().expect("nodes");
    for (name, app) in expected {
        let name: Value = serde_json::from_str(&name).expect("JSON");
        let node = nodes.iter().find(|node| node["name"] == name);
        assert_eq!(node.expect("a node")["app"], app, "{name}");
    }
}

#[tokio::test]
async fn an_app_prop_goes_before_the_key() {
    let user = new_user().await;
    let prop = json!({ "type": "app", "app": "slack", "optional": true });
    let component = json!({ "name": "Both", "version": "0.0.1", "key": "github-both",
        "props": { "slack": prop }, "run": {} });
    let body = json!({ "component_code": format!("module.exports = {component}") });
    let saved = user.post("/components", &body).await.ok();
    assert_eq!(saved["app"], "slack");
    let read = user.get("/components/github-both").await.ok();
    assert_eq!(read["app"], "slack");
    let list = apps(&user, "/components").await;
    assert_eq!(list, [(r#""Both""#.to_owned(), json!("slack"))]);
}

#[tokio::test]
async fn steps_have_the_apps_of_their_components() {
    let user = new_user().await;
    let plain = json!({ "run": {} });
    let document = json!({ "name": "Two", "steps": [
        { "name": "star", "code": keyed("github-star") },
        { "name": "own", "code": format!("module.exports = {plain}") },
    ] });
    let body = json!({ "document": document.to_string() });
    let workflow = user.post("/workflows", &body).await.ok();
    let path = format!("/workflows/{}", workflow["id"].as_str().expect("an id"));
    let version = user.get(&format!("{path}/versions/1")).await.ok();
    let list = user.get("/users/me/workflows").await.expect(200);
    for steps in [
        &workflow["steps"],
        &user.get(&path).await.ok()["steps"],
        &version["steps"],
        &list["data"][0]["steps"],
    ] {
        assert_eq!(steps[0]["app"], "github", "{steps}");
        assert_eq!(steps[1]["name"], "own");
        assert_eq!(steps[1]["app"], Value::Null);
    }
}
