//! `/users/me/notifications`

use serde_json::{Value, json};
use sluice_infra::SmtpSettings;
use sluice_testkit::receiver::{Answer, Receiver};

use super::fixtures::refused;
use crate::{
    server::TestServer,
    support::{EMITTER, deploy, new_user},
};

const PATH: &str = "/users/me/notifications";

#[tokio::test]
async fn a_new_user_has_the_defaults_and_changes_stay() {
    let api = new_user().await;
    let defaults = api.get(PATH).await.ok();
    let address = &defaults["mail_address"];
    let expected = json!({
        "mail": false,
        "mail_to": null,
        "mail_address": address,
        "mail_available": false,
        "webhook_url": null,
        "sources": true,
        "workflows": true,
        "webhooks": true,
        "failures": 3,
        "webhook_seconds": 60,
        "quiet_seconds": 3_600,
        "last_mail": null,
        "last_webhook": null,
    });
    assert_eq!(defaults, expected);
    let change = json!({
        "mail": true,
        "mail_to": "ops@example.com",
        "workflows": false,
        "failures": 10,
        "webhook_seconds": 0,
        "quiet_seconds": 60,
    });
    let changed = api.put(PATH, &change).await.ok();
    assert_eq!(changed["mail_address"], "ops@example.com");
    assert_eq!(api.get(PATH).await.ok(), changed);
    for (name, value) in change.as_object().unwrap() {
        assert_eq!(&changed[name], value, "{name}");
    }
    let back = api.put(PATH, &json!({ "mail_to": null })).await.ok();
    assert_eq!(&back["mail_address"], address);
    assert_eq!(back["failures"], 10);
}

#[tokio::test]
async fn mail_is_on_for_users_of_a_server_that_can_send_it() {
    let server = TestServer::with(|settings| {
        settings.sends.smtp = Some(SmtpSettings {
            url: "smtp://127.0.0.1:1".to_owned(),
            from: "sluice@example.com".to_owned(),
        });
    })
    .await;
    let settings = server.user().await.get(PATH).await.ok();
    assert_eq!(
        (&settings["mail"], &settings["mail_available"]),
        (&json!(true), &json!(true))
    );
    // The address of the first user is on this machine.
    let settings = server.operator().get(PATH).await.ok();
    assert_eq!(settings["mail"], false);
    let (user, test) = (server.user().await, format!("{PATH}/test"));
    let failed = user.post(&test, &json!({})).await.ok();
    assert_eq!(failed["mail"]["sent"], false);
    assert!(
        failed["mail"]["result"].to_string().contains("mail server"),
        "{failed}"
    );
}

#[tokio::test]
async fn a_webhook_gets_test_messages_that_its_secret_has_signed() {
    let receiver = Receiver::start(|_| Answer::status(200));
    let api = new_user().await;
    let rotate = format!("{PATH}/rotate_secret");
    api.post(&rotate, &json!({})).await.expect(400);
    let body = json!({ "webhook_url": receiver.url("/alerts") });
    let set = api.put(PATH, &body).await.ok();
    let secret = set["signing_secret"].as_str().unwrap();
    assert_eq!(api.get(PATH).await.ok().get("signing_secret"), None);
    let result = api.post(&format!("{PATH}/test"), &json!({})).await.ok();
    assert_eq!(result["webhook"]["sent"], true, "{result}");
    assert_eq!(result["mail"], Value::Null);
    let request = receiver.wait_for(1).await.remove(0);
    assert_eq!(request.json()["type"], "test");
    assert!(
        request
            .header("webhook-signature")
            .unwrap()
            .starts_with("v1,")
    );
    let rotated = api.post(&rotate, &json!({})).await.ok();
    assert_ne!(rotated["signing_secret"], secret);
    api.post(&format!("{PATH}/test"), &json!({})).await.ok();
    let signatures = receiver.wait_for(2).await[1].headers["webhook-signature"].clone();
    assert_eq!(signatures.split(' ').count(), 2, "{signatures}");
}

#[tokio::test]
async fn wrong_values_are_refused_and_tests_are_limited() {
    let api = new_user().await;
    for (body, field) in [
        (json!({ "webhook_url": "ftp://x" }), "webhook_url"),
        (json!({ "mail_to": "nobody" }), "mail_to"),
        (json!({ "failures": 0 }), "failures"),
        (json!({ "failures": 101 }), "failures"),
        (json!({ "webhook_seconds": -1 }), "webhook_seconds"),
        (json!({ "quiet_seconds": 59 }), "quiet_seconds"),
        (json!({ "mail": "yes" }), "mail"),
    ] {
        let error = api.put(PATH, &body).await.expect(400);
        let error = error["error"].as_str().unwrap();
        assert!(error.starts_with(field), "{body}: {error}");
    }
    let test = format!("{PATH}/test");
    let error = api.post(&test, &json!({})).await.expect(400);
    assert!(
        error["error"].to_string().contains("webhook_url"),
        "{error}"
    );
    let receiver = Receiver::start(|_| Answer::status(200));
    let body = json!({ "webhook_url": receiver.url("/") });
    api.put(PATH, &body).await.ok();
    for _ in 0..10 {
        api.post(&test, &json!({})).await.ok();
    }
    api.post(&test, &json!({})).await.expect(429);
    api.server.clock.advance(3_600_000);
    api.post(&test, &json!({})).await.ok();
}

#[tokio::test]
async fn a_private_address_is_refused_unless_the_operator_allows_it() {
    let receiver = Receiver::start(|_| Answer::status(200));
    let server = TestServer::with(|settings| settings.allow_private_network = false).await;
    let api = server.user().await;
    let url = receiver.url("/");
    refused(api.put(PATH, &json!({ "webhook_url": url })).await, 400);
    let named = url.replace("127.0.0.1", "localhost");
    api.put(PATH, &json!({ "webhook_url": named })).await.ok();
    let test = api.post(&format!("{PATH}/test"), &json!({})).await.ok();
    assert_eq!(test["webhook"]["sent"], false);
    assert_eq!(test["webhook"]["result"], "the address is private");
    assert_eq!(receiver.count(), 0);
}

#[tokio::test]
async fn failing_invocations_are_reported_with_their_error_and_the_first_success_as_recovery() {
    let receiver = Receiver::start(|_| Answer::status(200));
    let server = TestServer::start().await;
    let api = server.user().await;
    let body = json!({ "webhook_url": receiver.url("/"), "quiet_seconds": 60 });
    api.put(PATH, &body).await.ok();
    let source = deploy(&api, EMITTER).await;
    // The description fails on this event.
    for count in 1..=3 {
        server.notify().await;
        assert_eq!(receiver.count(), 0, "{count}");
        source.run(json!({ "emits": 1 })).await;
        source.errors(count).await;
    }
    server.notify().await;
    let failing = receiver.wait_for(1).await.remove(0).json();
    assert_eq!(failing["type"], "source.failing", "{failing}");
    assert_eq!(failing["count"], 3);
    assert_eq!(failing["subject"]["id"], source.id);
    let url = format!("{}/sources/{}", server.url(), source.id);
    assert_eq!(failing["subject"]["url"], url);
    assert!(!failing["error"]["message"].as_str().unwrap().is_empty());

    source.run(json!({ "emits": [["ok"]] })).await;
    source.events(1).await;
    server.notify().await;
    assert_eq!(receiver.count(), 1);
    server.clock.advance(60_000);
    server.notify().await;
    let recovered = receiver.wait_for(2).await.remove(1).json();
    assert_eq!(recovered["type"], "source.recovered", "{recovered}");
    assert_eq!(recovered["count"], 3);
    assert_eq!(recovered["since"], failing["since"]);
    let last = &api.get(PATH).await.ok()["last_webhook"];
    assert!(
        last["state"] == "sent" || last["state"] == "pending",
        "{last}"
    );
}
