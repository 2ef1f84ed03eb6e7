//! Backlogs of the whole database, for metrics.

use rstest::rstest;
use sluice_model::{DeliveryId, EmitId, EmitterId, IdGen, InvocationId, TimerSpec};
use sluice_store::{
    Conn, Result,
    backlog::{self, Backlog},
    deliveries::DeliveryState,
    inbox::{self, InboxKind, NewInboxItem},
    params,
    queue_claims::{self, OpenBreaker},
    sends::{self, SendKind, SendRow, SendState},
    sources::{self, Source},
    timers, webhook_health,
    webhooks::{self, Webhook},
    workflows,
};

use crate::{
    delivery_history::{end, payloads, send},
    support::{
        Db, TestStore, invocation_ids, source, user_id, webhook, webhook_id, workflow, workflow_id,
    },
};

fn backlog(items: u64, due_since: Option<i64>) -> Backlog {
    Backlog { items, due_since }
}

fn accept(
    c: &mut dyn Conn,
    emitter: impl Into<EmitterId>,
    id: &InvocationId,
    accepted_at: i64,
) -> Result<()> {
    let item = NewInboxItem {
        id,
        kind: InboxKind::Http,
        prop: None,
        payload: "{}",
        accepted_at,
        depth: 0,
        reply_to: None,
        trace: None,
    };
    inbox::insert(c, &emitter.into(), &item)
}

#[rstest]
fn the_inboxes_of_sources_and_workflows_count_apart(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        assert_eq!(backlog::of_sources(c)?, backlog(0, None));
        let user = user_id("a");
        let inactive = Source {
            active: false,
            ..source("inactive", &user, 1)
        };
        for row in [source("a", &user, 1), source("b", &user, 1), inactive] {
            sources::insert(c, &row)?;
        }
        workflows::insert(c, &workflow("w", &user, 1))?;
        let ids = invocation_ids(6);
        let row = |tail: &str| source(tail, &user, 1).id;
        accept(c, row("inactive"), &ids[0], 10)?;
        assert_eq!(backlog::of_sources(c)?, backlog(1, None));
        // A run that resumed is listed by the time at which it began.
        accept(c, row("b"), &ids[1], 90)?;
        accept(c, row("b"), &ids[2], 20)?;
        accept(c, row("a"), &ids[3], 30)?;
        accept(c, workflow_id("w"), &ids[4], 40)?;
        assert_eq!(backlog::of_sources(c)?, backlog(4, Some(20)));
        assert_eq!(backlog::of_workflows(c)?, backlog(1, Some(40)));
        Ok(())
    })
    .unwrap();
}

fn pause(c: &mut dyn Conn, webhook: &Webhook, open_until: i64) -> Result<()> {
    queue_claims::claim(c, webhook.id.as_str(), "node", false)?;
    let breaker = OpenBreaker {
        peer: String::new(),
        failures: 5,
        opened_at: 1,
        open_until,
    };
    queue_claims::save_breakers(c, webhook.id.as_str(), "node", &[breaker])
}

#[rstest]
fn deliveries_are_late_unless_their_webhook_is_paused_or_inactive(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let user = user_id("a");
        let rows = ["works", "paused", "inactive"].map(|tail| Webhook {
            active: tail != "inactive",
            ..webhook(tail, &user, 1)
        });
        for row in &rows {
            webhooks::insert(c, row)?;
        }
        let [works, paused, inactive] = &rows;
        let payloads = payloads(4);
        send(c, &payloads[0], &[&inactive.id], 10)?;
        send(c, &payloads[1], &[&paused.id], 20)?;
        pause(c, paused, 200)?;
        assert_eq!(backlog::of_deliveries(c, 100)?, backlog(2, None));
        assert_eq!(backlog::of_deliveries(c, 200)?, backlog(2, Some(20)));
        send(c, &payloads[2], &[&works.id], 30)?;
        send(c, &payloads[3], &[&works.id], 40)?;
        assert_eq!(backlog::of_deliveries(c, 100)?, backlog(4, Some(30)));
        let first = DeliveryId::of(&payloads[2], &works.id);
        let second = DeliveryId::of(&payloads[3], &works.id);
        // A retry is late from its own time on.
        let retry = "UPDATE deliveries SET due_at = 50 WHERE id = ?1";
        c.execute(retry, params![&second])?;
        end(c, &first, DeliveryState::Delivered)?;
        assert_eq!(backlog::of_deliveries(c, 49)?, backlog(3, None));
        assert_eq!(backlog::of_deliveries(c, 100)?, backlog(3, Some(50)));
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn sends_and_timers_are_late_when_they_are_due(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let mut ids = IdGen::new(1);
        let mut insert = |user: &str, kind, due_at| {
            let row = SendRow {
                id: EmitId::generate(&mut ids, 1),
                step: None,
                user_id: user_id(user),
                kind,
                state: SendState::Pending,
                due_at,
                tries: 0,
                result: None,
                created_at: 5,
                updated_at: 5,
                payload: "{}".to_owned(),
                trace: None,
            };
            sends::insert(c, &row)
        };
        insert("a", SendKind::Http, None)?;
        insert("a", SendKind::Http, Some(30))?;
        insert("b", SendKind::Http, Some(20))?;
        insert("b", SendKind::S3, Some(0))?;
        assert_eq!(backlog::of_sends(c, 25)?, backlog(3, Some(5)));
        c.execute("DELETE FROM sends WHERE due_at = 0", &[])?;
        assert_eq!(backlog::of_sends(c, 25)?, backlog(2, Some(20)));
        assert_eq!(backlog::of_sends(c, 10)?, backlog(2, None));

        let spec = TimerSpec::Interval { seconds: 60 };
        let emitter: EmitterId = source("a", &user_id("a"), 1).id.into();
        timers::upsert(c, &emitter, "early", &spec, Some(10))?;
        timers::upsert(c, &emitter, "late", &spec, Some(20))?;
        assert_eq!(backlog::of_timers(c, 9)?, backlog(0, None));
        assert_eq!(backlog::of_timers(c, 20)?, backlog(2, Some(10)));
        assert_eq!(backlog::of_waiting_runs(c, 20)?, backlog(0, None));
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn failing_and_paused_webhooks_are_counted(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let user = user_id("a");
        for tail in ["works", "fails", "paused"] {
            webhooks::insert(c, &webhook(tail, &user, 1))?;
        }
        for tail in ["fails", "paused"] {
            webhooks::failed(c, &webhook_id(tail), 10, "an error")?;
        }
        pause(c, &webhook("paused", &user, 1), 30)?;
        let counts = |c: &mut dyn Conn, now| {
            let failing = webhook_health::failing_of_all_users(c, now)?;
            Ok::<_, sluice_store::StoreError>((failing.all, failing.paused))
        };
        assert_eq!(counts(c, 29)?, (2, 1));
        assert_eq!(counts(c, 30)?, (2, 0));
        Ok(())
    })
    .unwrap();
}
