//! `/subscriptions`: who listens to whom.

use serde_json::{Value, json};
use sluice_testkit::{Answer, Api, Method};

use super::fixtures::{escaped, field_names, idle_source, refused, text};
use crate::support::new_user;

const PATH: &str = "/subscriptions";
const LIST: &str = "/users/me/subscriptions";

/// The id of a new webhook.
pub(super) async fn webhook(api: &Api) -> String {
    let body = json!({ "url": "https://example.com/hook" });
    text(&api.post("/webhooks", &body).await.ok()["id"])
}

pub(super) async fn subscriptions(api: &Api) -> Vec<Value> {
    let body = api.get(LIST).await.expect(200);
    assert_eq!(field_names(&body), ["data"]);
    body["data"].as_array().expect("a list").clone()
}

/// All parameters in the query string, and no body.
async fn by_query(api: &Api, method: Method, parameters: &[(&str, &str)]) -> Answer {
    let query: Vec<_> = parameters
        .iter()
        .map(|(name, value)| format!("{name}={}", escaped(value)))
        .collect();
    let path = format!("{PATH}?{}", query.join("&"));
    api.request(method, &path).send().await
}

async fn remove(api: &Api, body: &Value) -> Answer {
    api.request(Method::DELETE, PATH).json(body).send().await
}

#[tokio::test]
async fn a_subscription_has_its_four_fields_and_the_same_again_changes_nothing() {
    let api = new_user().await;
    let (source, hook) = (idle_source(&api).await.id, webhook(&api).await);
    let body = json!({ "emitter_id": source, "listener_id": hook, "event_name": "$errors" });
    let made = api.post(PATH, &body).await.ok();
    assert_eq!(
        field_names(&made),
        ["id", "emitter_id", "listener_id", "event_name"]
    );
    assert!(text(&made["id"]).starts_with("sub_"));
    for field in ["emitter_id", "listener_id", "event_name"] {
        assert_eq!(made[field], body[field]);
    }
    assert_eq!(api.post(PATH, &body).await.ok(), made);
    assert_eq!(subscriptions(&api).await, [made]);
}

#[tokio::test]
async fn the_same_many_times_at_once_is_one_subscription() {
    let api = new_user().await;
    let (source, hook) = (idle_source(&api).await.id, webhook(&api).await);
    let calls: Vec<_> = (0..12)
        .map(|_| {
            let api = api.clone();
            let body = json!({ "emitter_id": source, "listener_id": hook });
            tokio::spawn(async move { api.post(PATH, &body).await.ok() })
        })
        .collect();
    let mut answers = Vec::new();
    for call in calls {
        answers.push(call.await.expect("an answer"));
    }
    let listed = subscriptions(&api).await;
    assert_eq!(listed.len(), 1);
    assert!(answers.iter().all(|answer| *answer == listed[0]));
}

#[tokio::test]
async fn parameters_come_in_the_query_string_or_the_body_of_both_methods() {
    let api = new_user().await;
    let (source, hook) = (idle_source(&api).await.id, webhook(&api).await);
    let query = [
        ("emitter_id", source.as_str()),
        ("listener_id", &hook),
        ("event_name", "a b"),
    ];
    let body = json!({ "emitter_id": source, "listener_id": hook, "event_name": "a b" });
    let made = by_query(&api, Method::POST, &query).await.ok();
    assert_eq!(made["event_name"], "a b");
    remove(&api, &body).await.expect(204);

    let path = format!("{PATH}?emitter_id={source}&listener_id={hook}&event_name=a+b");
    let empty_json = api
        .request(Method::POST, &path)
        .header("Content-Type", "application/json");
    assert_eq!(empty_json.send().await.ok()["event_name"], "a b");
    by_query(&api, Method::DELETE, &query).await.expect(204);

    let path = format!("{PATH}?emitter_id=unknown&listener_id={hook}");
    let mixed = json!({ "emitter_id": source, "event_name": "a b" });
    api.post(&path, &mixed).await.expect(200);
    let empty_json = api
        .request(
            Method::DELETE,
            &format!("{PATH}?emitter_id={source}&listener_id={hook}&event_name=a%20b"),
        )
        .header("Content-Type", "application/json");
    empty_json.send().await.expect(204);
    assert!(subscriptions(&api).await.is_empty());
}

#[tokio::test]
async fn include_and_exclude_choose_fields() {
    let api = new_user().await;
    let hook = webhook(&api).await;
    let body = json!({ "emitter_id": "dc_*", "listener_id": hook, "include": "id,event_name" });
    let made = api.post(PATH, &body).await.ok();
    assert_eq!(field_names(&made), ["id", "event_name"]);
    let listed = api.get(&format!("{LIST}?exclude=id,event_name")).await.ok();
    let expected = json!([{ "emitter_id": "dc_*", "listener_id": hook }]);
    assert_eq!(listed, expected);
}

#[tokio::test]
async fn emitter_and_listener_are_required() {
    let api = new_user().await;
    let hook = webhook(&api).await;
    for method in [Method::POST, Method::DELETE] {
        let given = [("listener_id", hook.as_str())];
        let error = refused(by_query(&api, method.clone(), &given).await, 400);
        assert_eq!(error, "emitter_id is required");
        for given in [
            vec![("emitter_id", "dc_*")],
            vec![("emitter_id", "dc_*"), ("listener_id", "")],
        ] {
            let error = refused(by_query(&api, method.clone(), &given).await, 400);
            assert_eq!(error, "listener_id is required");
        }
    }
    let wrong_type = json!({ "emitter_id": 5, "listener_id": hook });
    refused(api.post(PATH, &wrong_type).await, 400);
}

#[tokio::test]
async fn a_star_is_for_auto_subscriptions() {
    let api = new_user().await;
    let body = json!({ "emitter_id": "*", "listener_id": webhook(&api).await });
    let error = refused(api.post(PATH, &body).await, 400);
    assert!(error.contains("/auto_subscriptions"), "{error}");
}

#[tokio::test]
async fn unknown_and_foreign_ids_are_404() {
    let (api, stranger) = (new_user().await, new_user().await);
    let (source, hook) = (idle_source(&api).await.id, webhook(&api).await);
    let foreign_source = idle_source(&stranger).await.id;
    let foreign_hook = webhook(&stranger).await;
    for emitter in [
        "dc_unknown",
        &foreign_source,
        "p_abc123",
        &hook,
        "dc_**",
        "p_",
        "garbage",
        "u_*",
        "o_abc",
        "a\u{202e}",
    ] {
        let body = json!({ "emitter_id": emitter, "listener_id": hook });
        let error = refused(api.post(PATH, &body).await, 404);
        assert_eq!(error, "emitter not found", "{emitter}");
        refused(remove(&api, &body).await, 404);
    }
    for listener in [
        "wh_unknown",
        "dc_unknown",
        &foreign_hook,
        &foreign_source,
        "p_abc123",
        "dc_*",
        "*",
        "garbage",
    ] {
        let body = json!({ "emitter_id": source, "listener_id": listener });
        let error = refused(api.post(PATH, &body).await, 404);
        assert_eq!(error, "listener not found", "{listener}");
        refused(remove(&api, &body).await, 404);
    }
    assert!(subscriptions(&api).await.is_empty());
}

#[tokio::test]
async fn globs_and_sources_that_listen_to_sources_and_to_themselves_are_taken() {
    let api = new_user().await;
    let (one, two) = (idle_source(&api).await.id, idle_source(&api).await.id);
    for (emitter, listener) in [("dc_*", &one), ("p_*", &one), (&*one, &two), (&*one, &one)] {
        let body = json!({ "emitter_id": emitter, "listener_id": listener });
        let made = api.post(PATH, &body).await.ok();
        assert_eq!(made["emitter_id"], *emitter);
        assert_eq!(made["event_name"], "");
    }
    assert_eq!(subscriptions(&api).await.len(), 4);
}

#[tokio::test]
async fn event_names_are_kept_as_they_were_sent_and_reserved_ones_refused() {
    let api = new_user().await;
    let hook = webhook(&api).await;
    let longest = "ä".repeat(250);
    for name in [
        "", "default", "$errors", "$logs", "custom", "Default", " ", &longest,
    ] {
        let body = json!({ "emitter_id": "dc_*", "listener_id": hook, "event_name": name });
        let made = api.post(PATH, &body).await.ok();
        assert_eq!(made["event_name"], *name);
    }
    let count = subscriptions(&api).await.len();
    assert_eq!(count, 8);
    for name in [
        "$",
        "$error",
        "$ERRORS",
        "$custom",
        "a\0b",
        &"x".repeat(501),
    ] {
        let body = json!({ "emitter_id": "dc_*", "listener_id": hook, "event_name": name });
        refused(api.post(PATH, &body).await, 400);
    }
    // Null is as good as nothing.
    let body = json!({ "emitter_id": "p_*", "listener_id": hook, "event_name": null });
    assert_eq!(api.post(PATH, &body).await.ok()["event_name"], "");
}

#[tokio::test]
async fn deleting_takes_either_name_of_the_default_channel_and_else_the_exact_one() {
    let api = new_user().await;
    let hook = webhook(&api).await;
    let body =
        |name: &str| json!({ "emitter_id": "dc_*", "listener_id": hook, "event_name": name });
    let names = async || {
        let listed = subscriptions(&api).await;
        let mut names: Vec<_> = listed.iter().map(|row| text(&row["event_name"])).collect();
        names.sort();
        names
    };
    for name in ["", "default", "$logs", "custom"] {
        api.post(PATH, &body(name)).await.expect(200);
    }
    refused(remove(&api, &body("$errors")).await, 404);
    refused(remove(&api, &body("Custom")).await, 404);
    let unnamed = json!({ "emitter_id": "dc_*", "listener_id": hook });
    remove(&api, &unnamed).await.expect(204);
    assert_eq!(names().await, ["$logs", "custom", "default"]);
    remove(&api, &unnamed).await.expect(204);
    assert_eq!(names().await, ["$logs", "custom"]);
    let error = refused(remove(&api, &unnamed).await, 404);
    assert_eq!(error, "subscription not found");
    api.post(PATH, &unnamed).await.expect(200);
    remove(&api, &body("default")).await.expect(204);
    remove(&api, &body("custom")).await.expect(204);
    assert_eq!(names().await, ["$logs"]);
}

#[tokio::test]
async fn subscriptions_of_other_users_are_neither_listed_nor_deleted() {
    let (owner, stranger) = (new_user().await, new_user().await);
    let body = json!({ "emitter_id": "dc_*", "listener_id": webhook(&owner).await });
    owner.post(PATH, &body).await.expect(200);
    assert!(subscriptions(&stranger).await.is_empty());
    refused(remove(&stranger, &body).await, 404);
    assert_eq!(subscriptions(&owner).await.len(), 1);
}

#[tokio::test]
async fn the_list_has_all_of_them_newest_first() {
    let api = new_user().await;
    let hook = webhook(&api).await;
    let mut made = Vec::new();
    for number in 0..30 {
        let name = format!("channel-{number}");
        let body = json!({ "emitter_id": "dc_*", "listener_id": hook, "event_name": name });
        made.push(api.post(PATH, &body).await.ok());
        // Order is told by the millisecond.
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    made.reverse();
    assert_eq!(subscriptions(&api).await, made);
}

#[tokio::test]
async fn subscriptions_go_with_their_emitter_and_their_listener() {
    let api = new_user().await;
    let (one, two) = (idle_source(&api).await.id, idle_source(&api).await.id);
    let hook = webhook(&api).await;
    for (emitter, listener) in [(&one, &two), (&two, &one), (&two, &hook), (&two, &two)] {
        let body = json!({ "emitter_id": emitter, "listener_id": listener });
        api.post(PATH, &body).await.expect(200);
    }
    api.delete(&format!("/sources/{one}")).await.expect(204);
    assert_eq!(subscriptions(&api).await.len(), 2);
    api.delete(&format!("/webhooks/{hook}")).await.expect(204);
    let left = subscriptions(&api).await;
    assert_eq!(left.len(), 1);
    assert_eq!(left[0]["listener_id"], *two);
}
