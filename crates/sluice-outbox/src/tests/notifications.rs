//! Notifications to the webhook of a user.

use sluice_model::UserId;
use sluice_store::{
    notification_settings::{self, NotificationSettings, NotificationWebhook},
    query_one,
    sends::{self, SendKind, SendRow, SendState},
};
use sluice_testkit::receiver::{Answer, Receiver};
use standardwebhooks::Webhook as Reference;

use super::fixtures::{Fixture, NOW};

const SECRET: &str = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";

fn user() -> UserId {
    UserId::parse("u_a").unwrap()
}

impl Fixture {
    async fn notification_webhook(&self, url: Option<&str>) {
        let secret = self
            .infra
            .vault
            .seal(SECRET.as_bytes(), &mut self.infra.ids.rng());
        let settings = NotificationSettings {
            webhook: url.map(|url| NotificationWebhook {
                url: url.to_owned(),
                secret,
                previous: None,
            }),
            ..NotificationSettings::default()
        };
        self.write(move |c| {
            notification_settings::hold(c, &user())?;
            notification_settings::save(c, &user(), &settings)
        })
        .await;
    }

    fn notification(&self) -> SendRow {
        SendRow {
            id: self.infra.ids.emit(),
            step: None,
            user_id: user(),
            kind: SendKind::NotificationWebhook,
            state: SendState::Pending,
            due_at: Some(0),
            tries: 0,
            result: None,
            created_at: NOW,
            updated_at: NOW,
            payload: r#"{"type":"test"}"#.to_owned(),
            trace: None,
        }
    }

    async fn notify(&self) {
        let row = self.notification();
        self.write(move |c| sends::insert(c, &row)).await;
        self.outbox.wake_sends(0);
    }
}

#[tokio::test]
async fn a_notification_is_signed_and_retried_with_the_same_id() {
    let receiver = Receiver::start(|request| match request.number {
        1 => Answer::status(500),
        _ => Answer::status(204),
    });
    let fixture = Fixture::new();
    fixture
        .notification_webhook(Some(&receiver.url("/alerts")))
        .await;
    fixture.outbox.start().await.unwrap();
    fixture.notify().await;
    fixture.wait_for("sends", &[("pending", 1)]).await;
    fixture.clock.advance(1_000);
    fixture.outbox.wake_sends(0);
    fixture.wait_for("sends", &[("sent", 2)]).await;
    let requests = receiver.requests();
    assert_eq!(requests.len(), 2);
    let [first, last] = [0, 1].map(|index| &requests[index]);
    assert_eq!(first.header("webhook-id"), last.header("webhook-id"));
    assert_eq!(last.body, r#"{"type":"test"}"#);
    let seconds: i64 = last.header("webhook-timestamp").unwrap().parse().unwrap();
    let signature = Reference::new(SECRET)
        .unwrap()
        .sign(
            last.header("webhook-id").unwrap(),
            seconds,
            last.body.as_bytes(),
        )
        .unwrap();
    assert_eq!(last.header("webhook-signature"), Some(signature.as_str()));
}

#[tokio::test]
async fn a_webhook_that_fails_is_given_up_and_causes_no_notification() {
    let receiver = Receiver::start(|_| Answer::status(500));
    let fixture = Fixture::new();
    fixture.notification_webhook(Some(&receiver.url("/"))).await;
    fixture.outbox.start().await.unwrap();
    fixture.notify().await;
    fixture.wait_for("sends", &[("pending", 1)]).await;
    fixture.clock.advance(1_000);
    fixture.outbox.wake_sends(0);
    fixture.wait_for("sends", &[("failed", 2)]).await;
    let count = fixture
        .infra
        .store
        .read(|c| query_one::<i64>(c, "SELECT COUNT(*) FROM subject_health", &[]));
    assert_eq!(count.await.unwrap(), 0);
}

#[tokio::test]
async fn a_message_that_waits_is_not_sent_when_the_webhook_is_removed() {
    let fixture = Fixture::new();
    fixture.notification_webhook(None).await;
    fixture.notify().await;
    fixture.outbox.start().await.unwrap();
    fixture.wait_for("sends", &[("failed", 1)]).await;
}

#[tokio::test]
async fn a_new_address_ends_the_pause_of_a_webhook_that_is_down() {
    let down = Receiver::start(|_| Answer::status(500));
    let up = Receiver::start(|_| Answer::status(200));
    let fixture = Fixture::new();
    fixture.notification_webhook(Some(&down.url("/"))).await;
    fixture.outbox.start().await.unwrap();
    for _ in 0..5 {
        fixture.notify().await;
    }
    fixture.wait_for("sends", &[("pending", 1); 5]).await;
    fixture.clock.advance(1_000);
    fixture.notification_webhook(Some(&up.url("/"))).await;
    fixture.outbox.notification_settings_changed(&user());
    fixture.wait_for("sends", &[("sent", 2); 5]).await;
    assert_eq!(up.count(), 5);
}

#[tokio::test]
async fn a_test_message_shows_the_answer_and_is_not_kept() {
    let receiver = Receiver::start(|_| Answer::status(404));
    let fixture = Fixture::new();
    fixture.notification_webhook(Some(&receiver.url("/"))).await;
    let result = fixture.outbox.try_send(fixture.notification()).await;
    let result = result.unwrap();
    assert!(!result.sent);
    assert!(result.result.contains("404 Not Found"), "{}", result.result);
    assert_eq!(fixture.states("sends").await, []);
}
