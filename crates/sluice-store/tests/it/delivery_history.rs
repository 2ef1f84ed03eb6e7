//! The history of deliveries: lists, replays, and removal with a webhook.

use rstest::rstest;
use sluice_model::{DeliveryId, EmitId, EventId, IdGen, TraceContext, WebhookId};
use sluice_store::{
    Conn, Result,
    deliveries::{self, DeliveryState, Outgoing},
    delivery_history::{self, Delivery, Finished, Replay, ReplayProgress},
    params, query_all, query_one, webhooks,
};

use crate::support::{Db, TestStore, source_id, user_id, webhook, webhook_id};

const ATTEMPTS: &str = r#"[{"at":1,"status":500,"latency_ms":2,"response":"no","error":"500"}]"#;

pub(crate) fn payloads(count: usize) -> Vec<EmitId> {
    let mut ids = IdGen::new(7);
    (0..count)
        .map(|_| EmitId::generate(&mut ids, 1_000))
        .collect()
}

/// Stores an event that is to go to `webhooks`, at `at`.
pub(crate) fn send(
    c: &mut dyn Conn,
    payload: &EmitId,
    webhooks: &[&WebhookId],
    at: i64,
) -> Result<()> {
    let outgoing = Outgoing {
        emit_id: payload,
        emitter: &source_id("s"),
        id: EventId { ms: at, seq: 0 },
        channel: "custom",
        meta: "{}",
        data: r#"{"n": 1.0}"#,
        trace: None,
    };
    deliveries::insert_payload(c, &outgoing)?;
    for webhook in webhooks {
        deliveries::insert(c, payload, webhook, at)?;
    }
    Ok(())
}

pub(crate) fn end(c: &mut dyn Conn, id: &DeliveryId, state: DeliveryState) -> Result<()> {
    c.execute(
        "UPDATE deliveries SET state = ?2, due_at = NULL, tries = 3, attempts = ?3 WHERE id = ?1",
        params![id, state, ATTEMPTS],
    )?;
    Ok(())
}

fn pending(c: &mut dyn Conn) -> Result<Vec<i64>> {
    query_all(
        c,
        "SELECT created_at FROM deliveries WHERE state = 'pending' AND due_at = 99 AND tries = 0 \
         ORDER BY created_at",
        &[],
    )
}

#[rstest]
fn a_delivery_is_shown_to_its_user_with_what_it_carries(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let (a, b) = (user_id("a"), user_id("b"));
        let hook = webhook("w", &a, 1);
        webhooks::insert(c, &hook)?;
        let payload = payloads(1)[0];
        send(c, &payload, &[&hook.id], 5)?;
        let id = DeliveryId::of(&payload, &hook.id);
        let whole = Delivery {
            id: id.clone(),
            webhook_id: hook.id.clone(),
            emitter_id: source_id("s").into(),
            event_id: EventId { ms: 5, seq: 0 },
            channel: "custom".to_owned(),
            summary: r#"{"n": 1.0}"#.to_owned(),
            state: DeliveryState::Pending,
            attempts: "[]".to_owned(),
            due_at: Some(5),
            created_at: 5,
            event: Some(r#"{"n": 1.0}"#.to_owned()),
        };
        assert_eq!(delivery_history::get(c, &a, &id)?, Some(whole));
        assert_eq!(delivery_history::get(c, &b, &id)?, None);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn a_replayed_delivery_is_due_at_once_and_keeps_what_is_known_of_it(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let a = user_id("a");
        let hook = webhook("w", &a, 1);
        webhooks::insert(c, &hook)?;
        let payload = payloads(1)[0];
        send(c, &payload, &[&hook.id], 5)?;
        let id = DeliveryId::of(&payload, &hook.id);
        end(c, &id, DeliveryState::Failed)?;
        delivery_history::replay(c, &id, 99, 99)?;
        let replayed = delivery_history::get(c, &a, &id)?.unwrap();
        assert_eq!(replayed.state, DeliveryState::Pending);
        assert_eq!(replayed.due_at, Some(99));
        assert_eq!(replayed.attempts, ATTEMPTS);
        assert_eq!(replayed.created_at, 5);
        assert_eq!(pending(c)?, [5]);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn a_range_is_replayed_in_batches_and_each_delivery_once(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let (hook, other) = (webhook_id("w"), webhook_id("other"));
        for (at, payload) in (1..=8).zip(payloads(8)) {
            send(c, &payload, &[&hook, &other], at)?;
            let state = match at {
                8 => continue,
                3 => DeliveryState::Delivered,
                _ => DeliveryState::Failed,
            };
            end(c, &DeliveryId::of(&payload, &hook), state)?;
            end(c, &DeliveryId::of(&payload, &other), state)?;
        }
        let failed = Replay {
            which: Finished::Failed,
            since: 2,
            until: 6,
            with_traces: false,
        };
        let ReplayProgress { count, next, .. } =
            delivery_history::replay_batch(c, &hook, &failed, None, 2, 99)?;
        assert_eq!((count, pending(c)?), (2, vec![2, 4]));
        // One that fails again meanwhile is not replayed twice.
        end(
            c,
            &DeliveryId::of(&payloads(2)[1], &hook),
            DeliveryState::Failed,
        )?;
        let next = next.as_ref().unwrap();
        let last = delivery_history::replay_batch(c, &hook, &failed, Some(next), 3, 99)?;
        assert_eq!(
            last,
            ReplayProgress {
                count: 2,
                traces: Vec::new(),
                next: None
            }
        );
        assert_eq!(pending(c)?, [4, 5, 6]);
        let all = Replay {
            which: Finished::Either,
            since: i64::MIN,
            until: 7,
            with_traces: true,
        };
        let rest = delivery_history::replay_batch(c, &hook, &all, None, 100, 99)?;
        assert_eq!(rest.count, 4);
        assert_eq!(pending(c)?, [1, 2, 3, 4, 5, 6, 7]);
        let delivered = Replay {
            which: Finished::Delivered,
            ..all
        };
        let rest = delivery_history::replay_batch(c, &other, &delivered, None, 100, 99)?;
        assert_eq!(rest.count, 1);
        // With the spans that emitted the events.
        let context = TraceContext::root(1, 2, true);
        c.execute(
            "UPDATE payloads SET trace = ?1 WHERE id = ?2",
            params![&context, &payloads(3)[2]],
        )?;
        let one = DeliveryId::of(&payloads(3)[2], &other);
        end(c, &one, DeliveryState::Delivered)?;
        assert_eq!(delivery_history::trace(c, &one)?, Some(context.clone()));
        let traced = delivery_history::replay_batch(c, &other, &delivered, None, 100, 99)?;
        assert_eq!((traced.count, traced.traces), (1, vec![context]));
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn what_two_webhooks_get_goes_with_the_second(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        // The ids of the second begin like those of the first.
        let (hook, other) = (webhook_id("w"), webhook_id("wx"));
        let ids = payloads(5);
        for (at, payload) in (1..).zip(&ids) {
            send(c, payload, &[&hook, &other], at)?;
        }
        let count = |c: &mut dyn Conn, table: &str| {
            query_one::<u64>(c, &format!("SELECT COUNT(*) FROM {table}"), &[])
        };
        assert_eq!(delivery_history::remove_batch(c, &hook, 3)?, 3);
        assert_eq!(delivery_history::remove_batch(c, &hook, 3)?, 2);
        assert_eq!(delivery_history::remove_batch(c, &hook, 3)?, 0);
        assert_eq!((count(c, "deliveries")?, count(c, "payloads")?), (5, 5));
        assert_eq!(delivery_history::remove_batch(c, &other, 3)?, 3);
        assert_eq!((count(c, "deliveries")?, count(c, "payloads")?), (2, 2));
        let left: Vec<String> = query_all(c, "SELECT id FROM payloads ORDER BY id", &[])?;
        assert_eq!(left, [ids[3].as_str(), ids[4].as_str()]);
        Ok(())
    })
    .unwrap();
}
