//! Publishing into an account: each user's own components, by key.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Answer, Api, Backend};

use super::{emitter, operator, registered, unique_key};
use crate::{
    api::fixtures::{EMITTER, refused, save},
    support::{new_user, new_user_on},
    workflows::fixtures::{deploy, returned},
};

async fn publish(api: &Api, code: &str) -> Answer {
    let body = json!({ "component_code": code });
    api.post("/components/published", &body).await
}

async fn deployed(api: &Api, key: &str) -> Value {
    api.post("/sources", &json!({ "key": key })).await.ok()["component_id"].clone()
}

#[rstest]
#[tokio::test]
async fn what_an_account_published_is_deployed_by_its_key_by_that_account_alone(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let api = new_user_on(backend).await;
    let published = publish(&api, &emitter("mine", "1.0.0")).await.ok();
    assert_eq!(published["key"], "mine");
    assert_eq!(deployed(&api, "mine").await, published["id"]);
    let newer = publish(&api, &emitter("mine", "1.10.0")).await.ok();
    publish(&api, &emitter("mine", "1.9.0")).await.expect(200);
    assert_eq!(deployed(&api, "mine").await, newer["id"]);
    let stranger = new_user_on(backend).await;
    let theirs = stranger.post("/sources", &json!({ "key": "mine" })).await;
    refused(theirs, 404);
    refused(registered("mine").await, 404);
}

#[tokio::test]
async fn a_saved_component_of_ones_own_is_published_by_its_id() {
    let api = new_user().await;
    let id = save(&api, &emitter("saved", "1.0.0")).await;
    let body = json!({ "component_id": id });
    let stranger = new_user().await;
    refused(stranger.post("/components/published", &body).await, 404);
    let published = api.post("/components/published", &body).await.ok();
    assert_eq!(published["id"], id);
    assert_eq!(deployed(&api, "saved").await, id);
}

#[tokio::test]
async fn publishing_needs_a_key_of_plain_characters() {
    let api = new_user().await;
    for (code, word) in [
        (EMITTER.to_owned(), "key"),
        (emitter("a b", "1.0.0"), "key"),
        (emitter("a/b", "1.0.0"), "key"),
    ] {
        let message = refused(publish(&api, &code).await, 422);
        assert!(message.contains(word), "{message}");
    }
    for body in [json!({}), json!({ "component_code": null })] {
        refused(api.post("/components/published", &body).await, 400);
    }
    publish(&api, &emitter("No_App-Needed", "0.0.1-beta.1"))
        .await
        .expect(200);
}

#[tokio::test]
async fn a_version_of_an_account_is_any_text_and_the_last_one_is_the_newest() {
    let api = new_user().await;
    for version in ["v2", "1", "2026-11 (final)"] {
        let code = emitter("own", version);
        publish(&api, &code).await.expect(200);
        let newest = api.get("/components/own").await.ok();
        assert_eq!(newest["version"], version);
    }
    publish(&api, &emitter("own", "0.0.1")).await.expect(200);
    let newest = api.get("/components/own").await.ok();
    assert_eq!(newest["version"], "0.0.1", "semantic versions come first");
}

#[tokio::test]
async fn a_refused_publish_leaves_no_saved_component_behind() {
    let api = new_user().await;
    refused(publish(&api, EMITTER).await, 422);
    let none = api.get("/components").await.expect(200);
    assert_eq!(none["page_info"]["total_count"], 0);
    let first = publish(&api, &emitter("once", "1.0.0")).await.ok();
    let other = emitter("once", "1.0.0").replace("Emitter", "Other");
    let message = refused(publish(&api, &other).await, 409);
    assert_eq!(
        message,
        "version 1.0.0 is already published under this key: publish again under a higher one"
    );
    assert_eq!(api.get("/components/once").await.ok(), first);
}

#[tokio::test]
async fn of_several_that_publish_a_version_at_once_one_succeeds() {
    let api = new_user().await;
    let code = emitter("raced", "1.0.0");
    let (a, b, c) = tokio::join!(
        publish(&api, &code),
        publish(&api, &code),
        publish(&api, &code)
    );
    let mut statuses = [a, b, c].map(|answer| answer.status);
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409, 409]);
}

#[tokio::test]
async fn the_account_goes_before_the_registry_until_it_unpublishes() {
    let (api, key) = (new_user().await, unique_key());
    let body = json!({ "component_code": emitter(&key, "2.0.0") });
    let common = operator().post("/components/registry", &body).await.ok();
    assert_eq!(deployed(&api, &key).await, common["id"]);
    let own = publish(&api, &emitter(&key, "1.0.0")).await.ok();
    assert_eq!(deployed(&api, &key).await, own["id"]);
    assert_eq!(registered(&key).await.ok(), common);
    let path = format!("/components/published/{key}");
    refused(new_user().await.delete(&path).await, 404);
    api.delete(&path).await.expect(204);
    refused(api.delete(&path).await, 404);
    assert_eq!(deployed(&api, &key).await, common["id"]);
}

#[tokio::test]
async fn an_action_of_a_workflow_is_what_the_account_published_before_what_it_saved_later() {
    let api = new_user().await;
    let action = |version: &str| {
        format!(
            "export default {{ key: 'acme-say', name: 'Say', version: '{version}', type: 'action', run() {{ return '{version}'; }} }};"
        )
    };
    publish(&api, &action("1.0.0")).await.expect(200);
    save(&api, &action("2.0.0")).await;
    let step = json!({ "name": "say", "action": "acme-say" });
    let document = json!({ "name": "Says", "steps": [step] }).to_string();
    let run = deploy(&api, &document).await.run_and_wait(&json!({})).await;
    assert_eq!(returned(&run, "say"), "1.0.0", "{run}");
}

#[tokio::test]
async fn forms_ask_for_what_a_key_deploys_and_not_for_what_is_only_saved() {
    let (api, key) = (new_user().await, unique_key());
    let choosing = |choice: &str| {
        format!(
            "module.exports = {{ key: '{key}', name: 'C', version: '1.0.0',
             props: {{ p: {{ type: 'string', options() {{ return ['{choice}']; }} }} }}, run() {{}} }};"
        )
    };
    let choices = async || {
        let body = json!({ "id": key, "prop_name": "p" });
        let answer = api.post("/components/configure", &body).await.expect(200);
        answer["stringOptions"].clone()
    };
    save(&api, &choosing("saved")).await;
    assert_eq!(choices().await, json!(["saved"]));
    let body = json!({ "component_code": choosing("registry") });
    operator()
        .post("/components/registry", &body)
        .await
        .expect(200);
    assert_eq!(choices().await, json!(["registry"]));
    publish(&api, &choosing("account")).await.expect(200);
    assert_eq!(choices().await, json!(["account"]));
}
