//! The job against a real store, with a clock that the test moves.

use std::sync::Arc;

use serde_json::Value;
use sluice_infra::{
    Infra, SmtpSettings,
    testing::{self, NOW},
};
use sluice_model::{ManualClock, SourceId, TextChange, UserId, WebhookId};
use sluice_outbox::{DeliveryObserver, Outbox};
use sluice_store::{
    Conn, StoreError,
    audit::Credential,
    query_all, query_one,
    sends::{SendKind, SendState, outbox},
    sources::{self, Phase, Retention, Source},
    subject_health::{self, StreakChange},
    users::{self, Plan, User},
    webhooks::{self, Webhook},
};
use tempfile::TempDir;

use super::{NotificationChange, Notifications, Notifier};
use crate::audit::Actor;

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;

struct NoObserver;

impl DeliveryObserver for NoObserver {
    fn attempted(&self, _: &UserId, _: &WebhookId, _: u64, _: u64) {}
}

struct Fixture {
    infra: Infra,
    clock: ManualClock,
    notifier: Notifier,
    notifications: Notifications,
    user: User,
    _folder: TempDir,
}

impl Fixture {
    /// A user who gets mail, with a source.
    async fn new() -> Fixture {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folder = tempfile::tempdir().unwrap();
        let mut settings = testing::settings(folder.path());
        settings.sends.smtp = Some(SmtpSettings {
            url: "smtp://127.0.0.1:1".to_owned(),
            from: "sluice@example.com".to_owned(),
        });
        let clock = ManualClock::new(NOW);
        let infra = testing::infra_at(folder.path(), Arc::new(clock.clone()), settings);
        let outbox = outbox_of(&infra);
        let user = User {
            id: UserId::parse("u_a").unwrap(),
            username: "ada".to_owned(),
            email: "ada@example.com".to_owned(),
            plan: Plan::Free,
            operator: false,
            key_sealed: String::new(),
            created_at: NOW,
        };
        let fixture = Fixture {
            notifier: Notifier::new(&infra, outbox.clone()),
            notifications: Notifications::new(&infra, outbox),
            infra,
            clock,
            user: user.clone(),
            _folder: folder,
        };
        fixture
            .write(move |c| {
                users::insert(c, &user, "fingerprint")?;
                sources::insert(c, &source("dc_a", "Orders"))
            })
            .await;
        fixture
    }

    async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut dyn Conn) -> Result<T, StoreError> + Send + 'static,
    ) -> T {
        self.infra.store.write(work).await.unwrap()
    }

    fn actor(&self) -> Actor {
        Actor::new(&self.user, Credential::Key, None)
    }

    async fn set(&self, change: NotificationChange) {
        self.notifications
            .update(&self.actor(), &self.user, change)
            .await
            .unwrap();
    }

    /// The source fails, so many times in a row since `since`.
    async fn fails(&self, failures: u64, since: i64) {
        self.streak(failures, since, None).await;
    }

    async fn works(&self, failures: u64, since: i64) {
        self.streak(failures, since, Some(self.infra.now_ms()))
            .await;
    }

    async fn streak(&self, failures: u64, failing_since: i64, recovered_at: Option<i64>) {
        let now = self.infra.now_ms();
        let user = self.user.id.clone();
        let change = StreakChange {
            failures,
            failing_since,
            recovered_at,
            error: recovered_at.is_none().then(|| "Error: oops".to_owned()),
        };
        self.write(move |c| subject_health::record(c, &user, "dc_a", &change, now))
            .await;
    }

    async fn webhook(&self, number: usize) -> WebhookId {
        let id = WebhookId::parse(&format!("wh_{number}")).unwrap();
        let webhook = Webhook {
            id: id.clone(),
            user_id: self.user.id.clone(),
            name: Some(format!("Hook {number}")),
            description: None,
            url: "https://example.com".to_owned(),
            active: true,
            concurrency: 1,
            secret: String::new(),
            previous: None,
            created_at: NOW,
            updated_at: NOW,
        };
        self.write(move |c| webhooks::insert(c, &webhook)).await;
        id
    }

    async fn webhook_fails(&self, id: &WebhookId) {
        let (id, now) = (id.clone(), self.infra.now_ms());
        self.write(move |c| webhooks::failed(c, &id, now, "no answer"))
            .await;
    }

    async fn webhook_works(&self, id: &WebhookId) {
        let (id, now) = (id.clone(), self.infra.now_ms());
        self.write(move |c| webhooks::delivered(c, &id, now)).await;
    }

    /// Moves the clock and runs the job. Returns the subjects of the mails that it wrote.
    async fn after(&self, ms: i64) -> Vec<String> {
        self.clock.advance(ms);
        self.pass().await
    }

    async fn pass(&self) -> Vec<String> {
        self.notifier.pass().await.unwrap();
        let mails = self.take(SendKind::NotificationEmail).await;
        let subjects = mails.into_iter().map(|mail| {
            let subject = mail["subject"].as_str().unwrap();
            subject.trim_start_matches("[Sluice] ").to_owned()
        });
        subjects.collect()
    }

    /// Takes the messages of a kind from the outbox.
    async fn take(&self, kind: SendKind) -> Vec<Value> {
        let payloads: Vec<String> = self
            .write(move |c| {
                let sql = format!(
                    "SELECT payload FROM sends WHERE kind = '{}' AND due_at = 0 ORDER BY id",
                    kind.as_str()
                );
                let rows = query_all(c, &sql, &[])?;
                c.execute("DELETE FROM sends", &[])?;
                Ok(rows)
            })
            .await;
        let parsed = payloads.iter().map(|text| serde_json::from_str(text));
        parsed.map(Result::unwrap).collect()
    }

    async fn count(&self, table: &'static str) -> i64 {
        let sql = format!("SELECT COUNT(*) FROM {table}");
        let read = self.infra.store.read(move |c| query_one(c, &sql, &[]));
        read.await.unwrap()
    }
}

fn outbox_of(infra: &Infra) -> Outbox {
    Outbox::new(infra.clone(), Arc::new(NoObserver)).unwrap()
}

fn source(id: &str, name: &str) -> Source {
    Source {
        id: SourceId::parse(id).unwrap(),
        user_id: UserId::parse("u_a").unwrap(),
        component_id: sluice_model::ComponentId::parse("sc_a").unwrap(),
        name: name.to_owned(),
        name_slug: name.to_lowercase(),
        phase: Phase::Live,
        active: true,
        retention: Retention::default(),
        version: 1,
        configured_props: serde_json::Map::new(),
        dynamic_props: Vec::new(),
        created_at: NOW,
        updated_at: NOW,
    }
}

const FAILING: &str = "Source \"Orders\" is failing";
const WORKING: &str = "Source \"Orders\" works again";

#[tokio::test]
async fn a_source_is_reported_at_the_threshold_and_once() {
    let f = Fixture::new().await;
    for failures in 1..3 {
        f.fails(failures, NOW).await;
        assert!(f.after(SECOND).await.is_empty(), "{failures}");
    }
    f.fails(3, NOW).await;
    assert_eq!(f.after(SECOND).await, [FAILING]);
    for failures in 4..100 {
        f.fails(failures, NOW).await;
        assert!(f.after(MINUTE).await.is_empty(), "{failures}");
    }
    f.works(500, NOW).await;
    assert_eq!(f.after(SECOND).await, [WORKING]);
    assert!(f.after(2 * HOUR).await.is_empty());
    assert_eq!(f.count("subject_health").await, 0);
}

#[tokio::test]
async fn a_few_failures_that_pass_are_never_reported() {
    let f = Fixture::new().await;
    for _ in 0..10 {
        f.fails(2, f.infra.now_ms()).await;
        assert!(f.after(MINUTE).await.is_empty());
        f.works(2, NOW).await;
        assert!(f.after(MINUTE).await.is_empty());
        assert_eq!(f.count("subject_health").await, 0);
    }
}

#[tokio::test]
async fn changes_within_the_quiet_period_are_one_message_at_its_end() {
    let f = Fixture::new().await;
    f.fails(3, NOW).await;
    assert_eq!(f.pass().await, [FAILING]);
    for _ in 0..5 {
        f.works(3, NOW).await;
        assert!(f.after(MINUTE).await.is_empty());
        f.fails(9, NOW).await;
        assert!(f.after(MINUTE).await.is_empty());
    }
    f.works(9, NOW).await;
    assert!(f.after(HOUR - 11 * MINUTE).await.is_empty());
    assert_eq!(f.after(MINUTE).await, [WORKING]);
    // It fails at once again.
    f.fails(3, NOW).await;
    assert!(f.after(HOUR - SECOND).await.is_empty());
    assert_eq!(f.after(SECOND).await, [FAILING]);
}

#[tokio::test]
async fn a_state_that_was_reported_last_is_not_reported_at_the_end_of_the_quiet_period() {
    let f = Fixture::new().await;
    f.fails(3, NOW).await;
    assert_eq!(f.pass().await, [FAILING]);
    f.works(3, NOW).await;
    assert!(f.after(MINUTE).await.is_empty());
    f.fails(3, NOW).await;
    assert!(f.after(MINUTE).await.is_empty());
    assert!(f.after(2 * HOUR).await.is_empty());
    f.works(3, NOW).await;
    assert_eq!(f.after(SECOND).await, [WORKING]);
}

#[tokio::test]
async fn a_webhook_is_reported_after_a_minute_and_when_it_works() {
    let f = Fixture::new().await;
    let hook = f.webhook(1).await;
    f.webhook_fails(&hook).await;
    assert!(f.after(30 * SECOND).await.is_empty());
    f.webhook_works(&hook).await;
    assert!(f.after(HOUR).await.is_empty());
    assert_eq!(f.count("subject_health").await, 0);

    f.webhook_fails(&hook).await;
    assert!(f.pass().await.is_empty());
    assert_eq!(f.after(MINUTE).await, ["Webhook \"Hook 1\" is failing"]);
    f.webhook_works(&hook).await;
    assert!(f.after(MINUTE).await.is_empty());
    assert_eq!(f.after(HOUR).await, ["Webhook \"Hook 1\" works again"]);
}

#[tokio::test]
async fn ten_thousand_webhooks_that_fail_are_one_message() {
    let f = Fixture::new().await;
    let url = "https://example.com/alerts".to_owned();
    f.set(NotificationChange {
        webhook_url: TextChange::Set(url),
        ..NotificationChange::default()
    })
    .await;
    let user = f.user.id.clone();
    f.write(move |c| {
        let secret = String::new();
        for number in 0..10_000 {
            let id = WebhookId::parse(&format!("wh_{number}")).unwrap();
            let webhook = Webhook {
                id: id.clone(),
                user_id: user.clone(),
                name: None,
                description: None,
                url: "https://example.com".to_owned(),
                active: true,
                concurrency: 1,
                secret: secret.clone(),
                previous: None,
                created_at: NOW,
                updated_at: NOW,
            };
            webhooks::insert(c, &webhook)?;
            webhooks::failed(c, &id, NOW, "network unreachable")?;
        }
        Ok(())
    })
    .await;
    assert!(f.pass().await.is_empty());
    f.clock.advance(MINUTE);
    f.notifier.pass().await.unwrap();
    assert_eq!(f.count("sends").await, 2);
    let digest = f.take(SendKind::NotificationWebhook).await.remove(0);
    assert_eq!(digest["type"], "digest");
    assert_eq!(digest["count"], 10_000);
    assert!(digest["notifications"].as_array().unwrap().len() <= 50);
    assert!(f.after(HOUR).await.is_empty());
}

#[tokio::test]
async fn messages_to_a_user_come_at_growing_distances() {
    let f = Fixture::new().await;
    let mut messages = 0;
    // Another webhook fails in each minute of a day.
    for number in 0..24 * 60 {
        let hook = f.webhook(number).await;
        f.webhook_fails(&hook).await;
        messages += f.after(MINUTE).await.len();
    }
    assert!((24..=32).contains(&messages), "{messages}");
}

#[tokio::test]
async fn two_nodes_and_a_restart_write_one_message() {
    let f = Fixture::new().await;
    let other = Notifier::new(&f.infra, outbox_of(&f.infra));
    f.fails(3, NOW).await;
    let (one, two) = tokio::join!(f.notifier.pass(), other.pass());
    one.and(two).unwrap();
    assert_eq!(f.count("sends").await, 1);
    let restarted = Notifier::new(&f.infra, outbox_of(&f.infra));
    f.clock.advance(2 * HOUR);
    restarted.pass().await.unwrap();
    assert_eq!(f.count("sends").await, 1);
    f.works(3, NOW).await;
    restarted.pass().await.unwrap();
    assert_eq!(f.count("sends").await, 2);
}

#[tokio::test]
async fn a_clock_that_was_set_back_delays_a_message_by_the_quiet_period_at_most() {
    let f = Fixture::new().await;
    f.clock.advance(48 * HOUR);
    f.fails(3, NOW).await;
    assert_eq!(f.pass().await, [FAILING]);
    f.clock.advance(-47 * HOUR);
    f.works(3, NOW).await;
    assert!(f.pass().await.is_empty());
    assert!(f.after(HOUR - SECOND).await.is_empty());
    assert_eq!(f.after(SECOND).await, [WORKING]);
}

#[tokio::test]
async fn a_kind_that_is_switched_on_again_is_reported_as_it_is() {
    let f = Fixture::new().await;
    f.set(NotificationChange {
        sources: Some(false),
        ..NotificationChange::default()
    })
    .await;
    f.fails(50, NOW).await;
    assert!(f.after(HOUR).await.is_empty());
    f.set(NotificationChange {
        sources: Some(true),
        failures: Some(51),
        ..NotificationChange::default()
    })
    .await;
    assert!(f.after(SECOND).await.is_empty());
    f.set(NotificationChange {
        failures: Some(50),
        mail: Some(false),
        ..NotificationChange::default()
    })
    .await;
    assert!(f.after(SECOND).await.is_empty());
    f.set(NotificationChange {
        mail: Some(true),
        ..NotificationChange::default()
    })
    .await;
    assert_eq!(f.after(SECOND).await, [FAILING]);
}

#[tokio::test]
async fn a_subject_that_is_gone_is_not_reported() {
    let f = Fixture::new().await;
    f.fails(3, NOW).await;
    f.write(|c| c.execute("DELETE FROM sources", &[])).await;
    assert!(f.pass().await.is_empty());
    assert_eq!(f.count("subject_health").await, 0);
    // A webhook with another address has not failed.
    let hook = f.webhook(1).await;
    f.webhook_fails(&hook).await;
    let user = f.user.id.clone();
    f.write(move |c| {
        let mut webhook = webhooks::get(c, &user, &hook)?.unwrap();
        webhook.url.push_str("/new");
        webhooks::update(c, &webhook)
    })
    .await;
    assert_eq!(f.count("subject_health").await, 0);
}

#[tokio::test]
async fn a_user_without_a_way_to_be_told_gets_nothing() {
    let f = Fixture::new().await;
    f.write(|c| c.execute("UPDATE users SET email = 'operator@localhost'", &[]))
        .await;
    f.fails(3, NOW).await;
    assert!(f.pass().await.is_empty());
    f.write(|c| c.execute("DELETE FROM users", &[])).await;
    f.fails(4, NOW).await;
    assert!(f.pass().await.is_empty());
    assert_eq!(f.count("sends").await, 0);
}

#[tokio::test]
async fn the_secret_of_the_webhook_is_shown_when_it_is_new() {
    let f = Fixture::new().await;
    let actor = f.actor();
    let error = f
        .notifications
        .rotate_secret(&actor, &f.user)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("webhook_url"), "{error}");
    let url = |url: &str| NotificationChange {
        webhook_url: TextChange::Set(url.to_owned()),
        ..NotificationChange::default()
    };
    let update = |change| f.notifications.update(&actor, &f.user, change);
    let first = update(url("https://a.example")).await.unwrap();
    let secret = first.signing_secret.unwrap();
    assert!(secret.starts_with("whsec_"), "{secret}");
    let second = update(url("https://b.example")).await.unwrap();
    assert_eq!(second.signing_secret, None);
    let rotated = f
        .notifications
        .rotate_secret(&actor, &f.user)
        .await
        .unwrap();
    assert_ne!(rotated.signing_secret.unwrap(), secret);
    let clear = NotificationChange {
        webhook_url: TextChange::Clear,
        ..NotificationChange::default()
    };
    assert_eq!(update(clear).await.unwrap().webhook_url, None);
    let again = update(url("https://a.example")).await.unwrap();
    assert_ne!(again.signing_secret.unwrap(), secret);
}

#[tokio::test]
async fn the_last_message_shows_its_result() {
    let f = Fixture::new().await;
    assert_eq!(f.notifications.get(&f.user).await.unwrap().last_mail, None);
    f.fails(3, NOW).await;
    f.notifier.pass().await.unwrap();
    let pending = f.notifications.get(&f.user).await.unwrap().last_mail;
    assert_eq!(pending.unwrap().state, SendState::Pending);
    f.write(|c| {
        let queue = outbox::SendQueue {
            user_id: UserId::parse("u_a").unwrap(),
            kind: SendKind::NotificationEmail,
        };
        let limit = sluice_store::BatchLimit {
            rows: 10,
            bytes: 1_000_000,
        };
        let mut rows = outbox::due(c, &queue, NOW, &std::collections::BTreeSet::new(), limit)?;
        let mut row = rows.remove(0);
        (row.state, row.due_at, row.result) = (SendState::Failed, None, Some("refused".to_owned()));
        outbox::record(c, &row)
    })
    .await;
    let failed = f
        .notifications
        .get(&f.user)
        .await
        .unwrap()
        .last_mail
        .unwrap();
    assert_eq!(
        (failed.state, failed.result.as_deref()),
        (SendState::Failed, Some("refused"))
    );
}
