//! Performs each audited operation once. Its entry names the author and the target, and never a secret.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use sluice_model::UserId;
use sluice_store::data_stores::{
    StoreRef,
    entries::{self as store_entries, Expiry},
};
use sluice_testkit::{Api, Method, Request, wait_for};

use super::{
    actions::AUDITED,
    log::{Log, entries, server, targets, username},
    sign_ins::{cookie, sign_in, sign_in_request},
    tree,
};
use crate::{
    api::fixtures::IDLE,
    server::User,
    support::{EMITTER, PATIENCE},
};

const SECRET: &str = "topsecret";

/// Changes one prop, which is a secret.
const WITH_SECRET: &str = r#"module.exports = { "name": "Secretive", "version": "0.0.1",
    "props": { "token": { "type": "string", "secret": true }, "city": "string" }, "run": {} };"#;

fn keyed(key: &str) -> Value {
    let code = IDLE.replace("\"Idle\"", &format!("\"Idle\", \"key\": \"{key}\""));
    json!({ "component_code": code.replace("0.0.1", "1.0.0") })
}

fn post(api: &Api, path: &str, body: &Value) -> Request {
    api.request(Method::POST, path).json(body)
}

fn put(api: &Api, path: &str, body: &Value) -> Request {
    api.request(Method::PUT, path).json(body)
}

fn delete(api: &Api, path: &str) -> Request {
    api.request(Method::DELETE, path)
}

fn id(value: &Value) -> &str {
    value["id"].as_str().expect("an id")
}

#[tokio::test]
async fn every_audited_operation_leaves_one_entry() {
    let server = server().await;
    let (operator, user) = (server.operator(), server.user().await);
    let name = username(&user).await;
    let mut log = Log::new(&server);
    sources(&mut log, &user, &name).await;
    webhooks(&mut log, &user, &name).await;
    workflows(&mut log, &user, &name).await;
    components(&mut log, &user, &name, &operator).await;
    actions(&mut log, &user, &name).await;
    accounts(&mut log, &user, &name, &operator).await;
    data_stores(&mut log, &user, &name).await;
    users(&mut log, &operator).await;
    let audited: BTreeSet<&str> = AUDITED.iter().map(|(id, _)| *id).collect();
    assert_eq!(log.seen, audited);
    let all = serde_json::to_string(&entries(&server).await).unwrap();
    assert!(!all.contains(SECRET), "{all}");
}

async fn sources(log: &mut Log, user: &User, name: &str) {
    let body = json!({ "component_code": WITH_SECRET, "name": "audited",
        "configured_props": { "token": SECRET, "city": "Ulm" } });
    let created = post(user, "/sources", &body);
    let (source, entry) = log.expect("createSource", name, created).await;
    targets(&entry, "source", &source["id"]);
    assert_eq!(entry["target"]["name"], "audited");
    let path = format!("/sources/{}", id(&source));
    let change = json!({ "active": true, "name": "renamed",
        "configured_props": { "token": format!("{SECRET}2"), "city": "Ulm" } });
    let updated = put(user, &path, &change);
    let (_, entry) = log.expect("updateSource", name, updated).await;
    let changed =
        json!({ "fields": ["name", "configured_props"], "props": ["token"], "version": 2 });
    assert_eq!(entry["details"], changed);
    let rolled_back = post(user, &format!("{path}/rollback"), &json!({ "version": 1 }));
    let (_, entry) = log.expect("rollBackSource", name, rolled_back).await;
    targets(&entry, "source", &source["id"]);
    let restored = json!({ "version": 3, "restored": 1, "props": ["token"] });
    assert_eq!(entry["details"], restored);
    let event = json!({ "event": { "key": SECRET } });
    let ran = post(user, &format!("{path}/run"), &event);
    let (run, entry) = log.expect("runSource", name, ran).await;
    targets(&entry, "source", &source["id"]);
    assert_eq!(entry["details"], json!({ "run": run["id"] }));
    user.put(&path, &json!({ "active": false })).await.ok();
    assert_eq!(entries(&log.server).await[0]["action"], "source.deactivate");

    let saved = put(user, &format!("{path}/saved_events/Paid"), &event);
    let (_, entry) = log.expect("saveEvent", name, saved).await;
    targets(&entry, "source", &source["id"]);
    assert_eq!(entry["details"], json!({ "event": "Paid" }));
    let deleted = delete(user, &format!("{path}/saved_events/Paid"));
    let (_, entry) = log.expect("deleteSavedEvent", name, deleted).await;
    assert_eq!(entry["details"], json!({ "event": "Paid" }));

    let deleted = delete(user, &format!("{path}/events"));
    let (_, entry) = log.expect("deleteEvents", name, deleted).await;
    targets(&entry, "source", &source["id"]);
    let deleted = delete(user, &path);
    let (_, entry) = log.expect("deleteSource", name, deleted).await;
    targets(&entry, "source", &source["id"]);
    assert_eq!(entry["target"]["name"], "renamed");
}

async fn webhooks(log: &mut Log, user: &User, name: &str) {
    let body = json!({ "url": format!("http://127.0.0.1:9/{SECRET}") });
    let created = post(user, "/webhooks", &body);
    let (webhook, entry) = log.expect("createWebhook", name, created).await;
    targets(&entry, "webhook", &webhook["id"]);
    let path = format!("/webhooks/{}", id(&webhook));
    let change = json!({ "name": "hook", "url": format!("http://127.0.0.1:9/{SECRET}2") });
    let updated = put(user, &path, &change);
    let (_, entry) = log.expect("updateWebhook", name, updated).await;
    assert_eq!(entry["details"], json!({ "fields": ["url", "name"] }));
    assert_eq!(entry["target"]["name"], "hook");
    let rotated = post(user, &format!("{path}/rotate_secret"), &json!({}));
    let (_, entry) = log.expect("rotateWebhookSecret", name, rotated).await;
    targets(&entry, "webhook", &webhook["id"]);

    let source = post(user, "/sources", &json!({ "component_code": EMITTER }));
    let source = source.send().await.ok();
    let ends = json!({ "emitter_id": source["id"], "listener_id": webhook["id"] });
    let created = post(user, "/subscriptions", &ends);
    let (subscription, entry) = log.expect("createSubscription", name, created).await;
    targets(&entry, "subscription", &subscription["id"]);
    let before = entries(&log.server).await.len();
    user.post("/subscriptions", &ends).await.ok();
    assert_eq!(entries(&log.server).await.len(), before);
    let later = json!({ "event_name": "", "listener_id": webhook["id"] });
    let created = post(user, "/auto_subscriptions", &later);
    log.expect("createAutoSubscription", name, created).await;

    deliveries(log, user, name, &source, &webhook).await;
    let query = format!("emitter_id={}&listener_id={}", id(&source), id(&webhook));
    let deleted = delete(user, &format!("/subscriptions?{query}"));
    let (_, entry) = log.expect("deleteSubscription", name, deleted).await;
    assert_eq!(entry["details"]["emitter"], source["id"]);
    let deleted = delete(user, &path);
    let (_, entry) = log.expect("deleteWebhook", name, deleted).await;
    targets(&entry, "webhook", &webhook["id"]);
}

async fn deliveries(log: &mut Log, user: &User, name: &str, source: &Value, webhook: &Value) {
    let path = format!("/sources/{}", id(source));
    let event = json!({ "event": { "emits": [[SECRET, {}]] } });
    user.post(&format!("{path}/run"), &event).await.ok();
    let delivery = wait_for(
        PATIENCE,
        "a delivery that waits for its retry",
        async || {
            let page = user.get("/deliveries").await.expect(200);
            let row = page["data"][0].clone();
            (row["attempts"]
                .as_array()
                .is_some_and(|list| !list.is_empty()))
            .then_some(row)
        },
    )
    .await;
    let replayed = post(
        user,
        &format!("/deliveries/{}/replay", id(&delivery)),
        &json!({}),
    );
    let (_, entry) = log.expect("replayDelivery", name, replayed).await;
    targets(&entry, "delivery", &delivery["id"]);
    assert_eq!(entry["details"]["webhook"], webhook["id"]);
    let hook = format!("/webhooks/{}", id(webhook));
    let retried = post(user, &format!("{hook}/retry"), &json!({}));
    let (_, entry) = log.expect("retryWebhook", name, retried).await;
    targets(&entry, "webhook", &webhook["id"]);
    let replayed = post(user, &format!("{hook}/replay"), &json!({}));
    let (_, entry) = log.expect("replayWebhook", name, replayed).await;
    targets(&entry, "webhook", &webhook["id"]);
    let replayed = post(user, "/deliveries/replay", &json!({}));
    log.expect("replayDeliveries", name, replayed).await;
    let replayed = post(user, &format!("{path}/events/replay"), &json!({}));
    let (_, entry) = log.expect("replayEvents", name, replayed).await;
    targets(&entry, "source", &source["id"]);
}

async fn workflows(log: &mut Log, user: &User, name: &str) {
    let action = IDLE.replace("\"Idle\"", "\"Idle\", \"type\": \"action\"");
    let action = post(user, "/components", &json!({ "component_code": action }));
    let (action, entry) = log.expect("createComponent", name, action).await;
    targets(&entry, "component", &action["id"]);
    let document = |name: &str| {
        let steps = json!([{ "name": "act", "action": action["id"] }]);
        let env = json!({ "TOKEN": { "secret": true } });
        json!({ "name": name, "env": env, "steps": steps }).to_string()
    };
    let secrets = json!({ "TOKEN": SECRET });
    let body = json!({ "document": document("one"), "secrets": secrets });
    let created = post(user, "/workflows", &body);
    let (workflow, entry) = log.expect("createWorkflow", name, created).await;
    targets(&entry, "workflow", &workflow["id"]);
    assert_eq!(entry["details"], json!({ "secrets": ["TOKEN"] }));
    let path = format!("/workflows/{}", id(&workflow));
    for (body, action, details) in [
        (
            json!({ "document": document("two") }),
            "workflow.deploy",
            json!({ "version": 2 }),
        ),
        (
            json!({ "secrets": secrets }),
            "workflow.update",
            json!({ "secrets": ["TOKEN"] }),
        ),
        (
            json!({ "active": false }),
            "workflow.deactivate",
            json!({ "active": false }),
        ),
        (
            json!({ "active": true }),
            "workflow.activate",
            json!({ "active": true }),
        ),
    ] {
        let before = entries(&log.server).await.len();
        user.put(&path, &body).await.ok();
        let entries = entries(&log.server).await;
        assert_eq!(entries.len(), before + 1);
        assert_eq!(entries[0]["action"], action);
        assert_eq!(entries[0]["details"], details);
        assert_eq!(entries[0]["target"]["name"], "two");
    }
    let rolled_back = post(user, &format!("{path}/rollback"), &json!({ "version": 1 }));
    let (_, entry) = log.expect("rollBackWorkflow", name, rolled_back).await;
    assert_eq!(entry["details"], json!({ "version": 1 }));
    let test = json!({ "workflow": id(&workflow), "send": true });
    let tested = post(user, "/workflows/test", &test);
    let (_, entry) = log.expect("testWorkflow", name, tested).await;
    targets(&entry, "workflow", &workflow["id"]);
    let saved = put(
        user,
        &format!("{path}/saved_events/a%2Fb"),
        &json!({ "event": 1 }),
    );
    let (_, entry) = log.expect("saveEventOfWorkflow", name, saved).await;
    assert_eq!(entry["details"], json!({ "event": "a/b" }));
    let deleted = delete(user, &format!("{path}/saved_events/a%2Fb"));
    let (_, entry) = log
        .expect("deleteSavedEventOfWorkflow", name, deleted)
        .await;
    targets(&entry, "workflow", &workflow["id"]);
    runs(log, user, name, &path).await;
    let deleted = delete(user, &path);
    let (_, entry) = log.expect("deleteWorkflow", name, deleted).await;
    targets(&entry, "workflow", &workflow["id"]);
}

async fn runs(log: &mut Log, user: &User, name: &str, workflow: &str) {
    let event = json!({ "event": SECRET });
    let ran = post(user, &format!("{workflow}/run"), &event);
    let (run, entry) = log.expect("runWorkflow", name, ran).await;
    assert_eq!(entry["target"]["kind"], "workflow");
    assert_eq!(entry["details"], json!({ "run": run["id"] }));
    let path = format!("{workflow}/runs/{}", id(&run));
    wait_for(PATIENCE, "the end of the run", async || {
        let run = user.get(&path).await;
        let is_over = run.status == 200 && !run.body["data"]["finished_at_ms"].is_null();
        is_over.then_some(())
    })
    .await;
    let replayed = post(user, &format!("{path}/replay"), &json!({}));
    let (_, entry) = log.expect("replayRun", name, replayed).await;
    targets(&entry, "run", &run["id"]);
    let replayed = post(user, &format!("{workflow}/runs/replay"), &json!({}));
    let (_, entry) = log.expect("replayRuns", name, replayed).await;
    assert_eq!(entry["target"]["kind"], "workflow");
}

async fn actions(log: &mut Log, user: &User, name: &str) {
    let code = WITH_SECRET.replace(
        "\"Secretive\"",
        "\"Act\", \"key\": \"act\", \"type\": \"action\"",
    );
    let component = json!({ "component_code": code });
    let created = post(user, "/components", &component);
    let (component, _) = log.expect("createComponent", name, created).await;
    let props = json!({ "token": SECRET, "city": "Ulm" });
    let body = json!({ "component_id": component["id"], "configured_props": props });
    let ran = post(user, "/actions/run", &body);
    let (run, entry) = log.expect("runAction", name, ran).await;
    targets(&entry, "run", &run["id"]);
    assert_eq!(entry["details"], json!({ "component": "act" }));
    let replayed = post(
        user,
        &format!("/actions/runs/{}/replay", id(&run)),
        &json!({}),
    );
    let (again, entry) = log.expect("replayActionRun", name, replayed).await;
    targets(&entry, "run", &again["id"]);

    let body = json!({ "component": component["id"], "configured_props": { "token": SECRET } });
    let enabled = put(user, "/tools/act", &body);
    let (tool, entry) = log.expect("enableTool", name, enabled).await;
    targets(&entry, "tool", &tool["name"]);
    let body = json!({ "configured_props": { "city": "Ulm" } });
    let ran = post(user, "/tools/act/run", &body);
    let (_, entry) = log.expect("runTool", name, ran).await;
    assert_eq!(
        entry["details"],
        json!({ "component": "act", "tool": "act" })
    );
    let disabled = delete(user, "/tools/act");
    let (_, entry) = log.expect("disableTool", name, disabled).await;
    targets(&entry, "tool", &json!("act"));
}

async fn components(log: &mut Log, user: &User, name: &str, operator: &User) {
    let published = post(user, "/components/published", &keyed("own"));
    let (component, entry) = log.expect("publishToAccount", name, published).await;
    targets(&entry, "component", &component["id"]);
    assert_eq!(entry["target"]["name"], "own");
    let removed = delete(user, "/components/published/own");
    let (_, entry) = log.expect("unpublishFromAccount", name, removed).await;
    assert_eq!(entry["target"]["name"], "own");
    let published = post(operator, "/components/registry", &keyed("http-idle"));
    log.expect("publishComponent", "operator", published).await;
    let removed = delete(operator, "/components/registry/http-idle");
    log.expect("unpublishComponent", "operator", removed).await;

    let code =
        "module.exports = { key: 'app-idle', name: 'Idle', version: '1.0.0', run: () => {} };";
    let import = operator
        .request(Method::POST, "/components/registry/imports?tree=mine")
        .body(tree::archive("app/sources/idle/idle.mjs", code));
    let (_, entry) = log.expect("importComponents", "operator", import).await;
    assert_eq!(entry["target"]["name"], "mine");
    let import = entry["target"]["id"].as_str().unwrap();
    let undone = delete(operator, &format!("/components/registry/imports/{import}"));
    let (_, entry) = log.expect("undoImport", "operator", undone).await;
    assert_eq!(entry["target"]["id"], import);
}

async fn accounts(log: &mut Log, user: &User, name: &str, operator: &User) {
    let app = json!({ "name_slug": "audited", "auth_type": "oauth", "oauth": {
        "authorization_url": "https://example.com/a", "token_url": "https://example.com/t",
        "client_id": "me", "client_secret": SECRET } });
    let registered = post(operator, "/apps", &app);
    let (app, entry) = log.expect("registerApp", "operator", registered).await;
    targets(&entry, "app", &app["id"]);
    let client = json!({ "client_id": "you", "client_secret": SECRET });
    let set = put(operator, "/apps/audited/oauth_client", &client);
    let (_, entry) = log.expect("setOauthClient", "operator", set).await;
    targets(&entry, "app", &app["id"]);

    let tokens = json!({ "oauth_access_token": SECRET });
    let new = json!({ "app": "audited", "name": "mine", "credentials": tokens });
    let created = post(user, "/accounts", &new);
    let (account, entry) = log.expect("createAccount", name, created).await;
    targets(&entry, "account", &account["id"]);
    assert_eq!(entry["details"], json!({ "app": "audited" }));
    let path = format!("/accounts/{}", id(&account));
    let updated = put(user, &path, &json!({ "credentials": tokens }));
    let (_, entry) = log.expect("updateAccount", name, updated).await;
    assert_eq!(entry["details"]["fields"], json!(["credentials"]));
    let deleted = delete(user, &path);
    let (_, entry) = log.expect("deleteAccount", name, deleted).await;
    assert_eq!(entry["target"]["name"], "mine");
    let removed = delete(operator, "/apps/audited");
    let (_, entry) = log.expect("removeApp", "operator", removed).await;
    targets(&entry, "app", &app["id"]);
}

async fn data_stores(log: &mut Log, user: &User, name: &str) {
    let owner = user.get("/users/me").await.ok();
    let owner = UserId::parse(id(&owner)).expect("an id");
    let filled = user.server.infra.store.write(move |c| {
        let store = StoreRef {
            user: &owner,
            name: "counts",
        };
        store_entries::set(c, store, ("key", "1"), Expiry::Never, 1_000, 1)
    });
    filled.await.unwrap();
    let deleted = delete(user, "/data_stores/counts");
    let (_, entry) = log.expect("deleteDataStore", name, deleted).await;
    targets(&entry, "data_store", &json!("counts"));
}

async fn users(log: &mut Log, operator: &User) {
    let body = json!({ "username": "ada", "email": "ada@example.com" });
    let created = post(operator, "/users", &body);
    let (ada, entry) = log.expect("createUser", "operator", created).await;
    targets(&entry, "user", &ada["id"]);
    // The entry is in the log of the new user.
    assert_eq!(entry["user_id"], ada["id"]);
    let path = format!("/users/{}", id(&ada));
    let rotated = post(operator, &format!("{path}/rotate_key"), &json!({}));
    let (ada, entry) = log.expect("rotateUserKey", "operator", rotated).await;
    assert_eq!(
        (&entry["user_id"], &entry["target"]["name"]),
        (&ada["id"], &json!("ada"))
    );
    let key = ada["api_key"].as_str().expect("a key");
    let api = &Api::new(operator.server.url(), key);
    let updated = put(operator, &path, &json!({ "plan": "paid" }));
    let (_, entry) = log.expect("updateUser", "operator", updated).await;
    let details = json!({ "fields": ["plan"], "plan": "paid" });
    assert_eq!(entry["details"], details);
    let before = entries(&log.server).await.len();
    operator.put(&path, &json!({ "plan": "paid" })).await.ok();
    assert_eq!(entries(&log.server).await.len(), before);
    for is_operator in [true, false] {
        let body = json!({ "operator": is_operator });
        operator.put(&path, &body).await.ok();
        let entry = &entries(&log.server).await[0];
        let details = json!({ "fields": ["operator"], "operator": is_operator });
        assert_eq!(entry["details"], details);
    }
    let updated = put(api, "/users/me", &json!({ "email": "ada@example.net" }));
    let (_, entry) = log.expect("updateCurrentUser", "ada", updated).await;
    assert_eq!(entry["details"], json!({ "fields": ["email"] }));
    named_keys(log, api).await;
    notifications(log, api).await;

    let signed_in = sign_in(operator, key).await;
    let session = cookie(&signed_in);
    let second = sign_in_request(operator, key);
    let (_, entry) = log.expect("signIn", "ada", second).await;
    assert_eq!(entry["user_id"], ada["id"]);
    let sessions = api.get("/users/me/sessions").await.expect(200);
    let newest = id(&sessions["data"][0]).to_owned();
    let ended = delete(api, &format!("/users/me/sessions/{newest}"));
    let (_, entry) = log.expect("endSession", "ada", ended).await;
    targets(&entry, "session", &json!(newest));
    let ended = operator
        .root(Method::DELETE, "/v1/users/me/sessions")
        .header("x-sluice-console", "1")
        .header("cookie", &session);
    log.expect("endOtherSessions", "ada", ended).await;
    let sign_out = operator
        .root(Method::DELETE, "/v1/session")
        .header("x-sluice-console", "1")
        .header("cookie", &session);
    let (_, entry) = log.expect("signOut", "ada", sign_out).await;
    assert_eq!(entry["actor"]["credential"], "session");
    let rotated = post(api, "/users/me/rotate_key", &json!({}));
    let (rotated, entry) = log.expect("rotateOwnKey", "ada", rotated).await;
    targets(&entry, "user", &ada["id"]);

    let api = Api::new(operator.server.url(), rotated["api_key"].as_str().unwrap());
    let hook = json!({ "url": "https://example.com" });
    let hook = api.post("/webhooks", &hook).await.ok();
    api.delete(&format!("/webhooks/{}", id(&hook))).await;
    let deleted = delete(operator, &path);
    let (_, entry) = log.expect("deleteUser", "operator", deleted).await;
    assert_eq!(
        (&entry["user_id"], &entry["target"]["name"]),
        (&ada["id"], &json!("ada"))
    );
    // The log of a deleted user stays.
    let kept = operator.get(&format!("/audit?user={}", id(&ada))).await;
    assert!(kept.expect(200)["page_info"]["total_count"].as_u64() > Some(6));

    let body = json!({ "username": "eve", "email": "eve@example.com" });
    let signed_up = operator.root(Method::POST, "/v1/signup").json(&body);
    let (eve, entry) = log.expect("signUp", "eve", signed_up).await;
    targets(&entry, "user", &eve["id"]);
    assert_eq!(entry["actor"]["credential"], "none");
}

async fn named_keys(log: &mut Log, api: &Api) {
    let body = json!({ "name": "deploys", "scopes": ["read", "deploy"] });
    let created = post(api, "/users/me/keys", &body);
    let (key, entry) = log.expect("createKey", "ada", created).await;
    targets(&entry, "named_key", &key["id"]);
    let details = json!({ "scopes": ["read", "deploy"], "expires_at": null });
    assert_eq!(entry["details"], details);
    let named = Api::new(log.server.url(), key["api_key"].as_str().expect("a key"));
    let hook = named
        .post("/webhooks", &json!({ "url": "https://example.com" }))
        .await
        .ok();
    let author = &entries(&log.server).await[0]["actor"];
    assert_eq!(
        (&author["credential"], &author["credential_id"]),
        (&json!("named_key"), &key["id"])
    );
    assert_eq!(author["credential_name"], "deploys");
    let of_key = format!("/audit?actor={}", id(&key));
    let of_key = api.get(&of_key).await.expect(200);
    assert_eq!(of_key["page_info"]["total_count"], 1);
    let deleted = delete(api, &format!("/users/me/keys/{}", id(&key)));
    log.expect("deleteKey", "ada", deleted).await;
    let author = &entries(&log.server).await[1]["actor"];
    assert_eq!(author["credential_name"], Value::Null);
    api.delete(&format!("/webhooks/{}", id(&hook))).await;
}

async fn notifications(log: &mut Log, api: &Api) {
    let body = json!({ "webhook_url": "https://example.com/alerts" });
    let updated = put(api, "/users/me/notifications", &body);
    let (_, entry) = log.expect("updateNotifications", "ada", updated).await;
    assert_eq!(entry["details"], json!({ "fields": ["webhook_url"] }));
    targets(&entry, "user", &entry["user_id"]);
    let rotated = post(api, "/users/me/notifications/rotate_secret", &json!({}));
    log.expect("rotateNotificationSecret", "ada", rotated).await;
}

#[tokio::test]
async fn deleting_a_user_records_what_goes_with_them() {
    let server = server().await;
    let (operator, user) = (server.operator(), server.user().await);
    let me = user.get("/users/me").await.ok();
    user.post("/webhooks", &json!({ "url": "https://example.com" }))
        .await
        .ok();
    operator
        .delete(&format!("/users/{}", id(&me)))
        .await
        .expect(204);
    let entries = entries(&server).await;
    let newest: Vec<_> = entries[..2]
        .iter()
        .map(|entry| (&entry["action"], &entry["actor"]["name"], &entry["user_id"]))
        .collect();
    let by_operator = json!("operator");
    let (deleted, webhook) = (json!("user.delete"), json!("webhook.delete"));
    assert_eq!(
        newest,
        [
            (&deleted, &by_operator, &me["id"]),
            (&webhook, &by_operator, &me["id"])
        ]
    );
}
