//! Claims of the outbox's queues.

use rstest::rstest;
use sluice_store::{
    Conn, Result, deliveries, nodes, params, query_all,
    queue_claims::{self, OpenBreaker, QueueClaim},
    sends::{
        SendKind,
        outbox::{self, SendQueue},
    },
    users, webhooks,
};

use crate::{
    delivery_history::{payloads, send},
    nodes::node,
    support::{Db, TestStore, user, user_id, webhook, webhook_id},
};

const QUEUE: &str = "wh_w";

/// A store with two nodes that are alive, `a` and `b`.
fn with_nodes(db: Db) -> Option<TestStore> {
    let t = TestStore::new(db)?;
    t.write(|c| {
        nodes::join(c, &node("a"), false)?;
        nodes::join(c, &node("b"), false)?;
        c.execute("UPDATE nodes SET expires_at = ?1", params![i64::MAX])
    })
    .unwrap();
    Some(t)
}

fn claimed() -> QueueClaim {
    QueueClaim::Claimed(Vec::new())
}

fn owned(by: &str) -> QueueClaim {
    QueueClaim::Owned(by.to_owned())
}

fn open_breaker() -> OpenBreaker {
    OpenBreaker {
        peer: "example.com".to_owned(),
        failures: 7,
        opened_at: 500,
        open_until: 1_000,
    }
}

fn claims(c: &mut dyn Conn) -> Result<Vec<(String, Option<String>)>> {
    let sql = "SELECT queue, owner FROM queue_claims ORDER BY queue";
    query_all(c, sql, &[])
}

#[rstest]
fn a_queue_belongs_to_one_node_until_that_stops(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = with_nodes(db) else { return };
    t.write(|c| {
        assert_eq!(queue_claims::claim(c, QUEUE, "a", true)?, claimed());
        assert_eq!(queue_claims::claim(c, QUEUE, "a", false)?, claimed());
        assert_eq!(queue_claims::claim(c, QUEUE, "b", true)?, owned("a"));
        assert_eq!(queue_claims::claim(c, "wh_v", "b", true)?, claimed());
        nodes::leave(c, "a")?;
        assert_eq!(queue_claims::claim(c, QUEUE, "b", false)?, claimed());
        assert_eq!(queue_claims::claim(c, QUEUE, "a", false)?, owned("b"));
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn a_queue_of_a_node_whose_lease_has_run_out_is_taken_over_by_one_that_may(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = with_nodes(db) else { return };
    t.write(|c| {
        queue_claims::claim(c, QUEUE, "a", true)?;
        let sql = "UPDATE nodes SET expires_at = 1 WHERE incarnation = 'a'";
        c.execute(sql, &[])?;
        assert_eq!(queue_claims::claim(c, QUEUE, "b", false)?, owned("a"));
        assert_eq!(queue_claims::claim(c, QUEUE, "b", true)?, claimed());
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn breakers_outlive_the_claim(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = with_nodes(db) else { return };
    t.write(|c| {
        queue_claims::claim(c, QUEUE, "a", true)?;
        queue_claims::claim(c, "wh_v", "a", true)?;
        queue_claims::save_breakers(c, QUEUE, "a", &[open_breaker()])?;
        // Only the node that has the queue saves them.
        queue_claims::save_breakers(c, QUEUE, "b", &[])?;
        queue_claims::release_all(c, "b")?;
        assert_eq!(claims(c)?.len(), 2);
        queue_claims::release_all(c, "a")?;
        assert_eq!(claims(c)?, [(QUEUE.to_owned(), None)]);

        let taken_over = queue_claims::claim(c, QUEUE, "b", false)?;
        assert_eq!(taken_over, QueueClaim::Claimed(vec![open_breaker()]));
        queue_claims::save_breakers(c, QUEUE, "b", &[])?;
        queue_claims::release_all(c, "b")?;
        assert_eq!(claims(c)?, []);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn claims_go_with_their_webhook_and_their_user(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        users::insert(c, &user("a"), "fingerprint")?;
        webhooks::insert(c, &webhook("w", &user_id("a"), 1))?;
        for queue in [QUEUE, "wh_v", "u_a/http", "u_a/s3", "u_ab/http"] {
            queue_claims::claim(c, queue, "a", true)?;
        }
        webhooks::remove(c, &user_id("a"), &webhook_id("w"))?;
        users::remove(c, &user_id("a"))?;
        let left = claims(c)?.into_iter().map(|(queue, _)| queue);
        assert_eq!(left.collect::<Vec<_>>(), ["u_ab/http", "wh_v"]);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn due_webhooks_of_other_nodes_are_left_out(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = with_nodes(db) else { return };
    t.write(|c| {
        let hooks = ["free", "mine", "theirs"].map(webhook_id);
        for tail in ["free", "mine", "theirs"] {
            webhooks::insert(c, &webhook(tail, &user_id("a"), 1))?;
        }
        send(c, &payloads(1)[0], &hooks.each_ref(), 1)?;
        queue_claims::claim(c, hooks[1].as_str(), "a", true)?;
        queue_claims::claim(c, hooks[2].as_str(), "b", true)?;
        assert_eq!(deliveries::webhooks_due(c, 1, "a", true)?, hooks[..2]);
        nodes::leave(c, "b")?;
        assert_eq!(deliveries::webhooks_due(c, 1, "a", false)?, hooks);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn a_webhook_that_was_changed_or_removed_is_noticed(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        for tail in ["same", "new"] {
            webhooks::insert(c, &webhook(tail, &user_id("a"), 1))?;
        }
        webhooks::deactivate(c, &webhook_id("new"), 2)?;
        let known = ["same", "new", "gone"].map(|tail| (webhook_id(tail), 1));
        let changed = webhooks::changed(c, &known)?;
        assert_eq!(changed, [webhook_id("new"), webhook_id("gone")]);
        assert_eq!(webhooks::changed(c, &[])?, []);
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_send_queue_has_a_name() {
    for kind in [SendKind::Http, SendKind::Email, SendKind::S3] {
        let queue = SendQueue {
            user_id: user_id("a"),
            kind,
        };
        assert_eq!(SendQueue::parse(&queue.to_string()), Some(queue));
    }
    for name in ["", "u_a", "u_a/fax", "wh_a/http", "u_a/http/"] {
        assert_eq!(SendQueue::parse(name), None, "{name}");
    }
}

#[rstest]
fn a_due_send_queue_names_the_other_node_that_has_it(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = with_nodes(db) else { return };
    t.write(|c| {
        let sql = "INSERT INTO sends (id, workflow_id, user_id, run_id, step, kind, state, due_at, \
                   tries, created_at, updated_at, payload) \
                   VALUES ('1', 'p_a', 'u_a', '2', 's', 'http', 'pending', 1, 0, 1, 1, '{}')";
        c.execute(sql, &[])?;
        queue_claims::claim(c, "u_a/http", "b", true)?;
        let claimed_by = |c: &mut dyn Conn, node: &str| {
            let mut due = outbox::queues_due(c, 1, node, false)?;
            assert_eq!(due.len(), 1);
            Result::Ok(due.remove(0).claimed_by)
        };
        assert_eq!(claimed_by(c, "a")?.as_deref(), Some("b"));
        assert_eq!(claimed_by(c, "b")?, None);
        nodes::leave(c, "b")?;
        assert_eq!(claimed_by(c, "a")?, None);
        Ok(())
    })
    .unwrap();
}
