//! Rows whose owner is gone.

use rstest::rstest;
use sluice_model::{EmitId, EventId, IdGen};
use sluice_store::{
    Conn, Result,
    deliveries::{self, Outgoing},
    inbox::{self, InboxKind, NewInboxItem},
    orphans::{self, Orphans, OwnedTable},
    params, query_one, queue_claims, sources, timers, uploads,
    uploads::Upload,
    usage::{self, Usage},
    users, webhooks, workflows,
};

use crate::support::{
    Db, TestStore, invocation_ids, source, source_id, user, user_id, webhook, webhook_id, workflow,
    workflow_id,
};

fn count(c: &mut dyn Conn, table: &str) -> Result<u64> {
    query_one(c, &format!("SELECT COUNT(*) FROM {table}"), &[])
}

fn accept(c: &mut dyn Conn, emitter: &sluice_model::EmitterId, number: usize) -> Result<()> {
    for id in &invocation_ids(number) {
        let item = NewInboxItem {
            id,
            kind: InboxKind::Http,
            prop: None,
            payload: "{}",
            accepted_at: 1,
            depth: 0,
            reply_to: None,
            trace: None,
        };
        inbox::insert(c, emitter, &item)?;
        let upload = Upload {
            id: format!("{emitter}-{id}"),
            emitter_id: emitter.clone(),
            invocation_id: *id,
            filename: "a".to_owned(),
            mimetype: "b".to_owned(),
            content: vec![1],
            created_at: 1,
        };
        uploads::insert(c, &upload)?;
    }
    Ok(())
}

#[rstest]
fn rows_of_emitters_that_are_gone_are_found_and_removed(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        sources::insert(c, &source("kept", &user_id("a"), 1))?;
        workflows::insert(c, &workflow("kept", &user_id("a"), 1))?;
        for emitter in [
            source_id("kept").into(),
            workflow_id("kept").into(),
            source_id("gone").into(),
            workflow_id("gone").into(),
        ] {
            accept(c, &emitter, 3)?;
        }
        for table in [OwnedTable::Inbox, OwnedTable::Uploads] {
            let all = orphans::find(c, table, None, 9)?;
            assert_eq!(all.owners, ["dc_gone", "p_gone"]);
            assert_eq!(all.next, None);
            let removed = orphans::remove(c, table, "dc_gone", 2)?;
            assert_eq!(removed, 2, "{table:?}");
            assert_eq!(orphans::remove(c, table, "dc_gone", 2)?, 1);
            assert_eq!(orphans::remove(c, table, "dc_gone", 2)?, 0);
            assert_eq!(orphans::remove(c, table, "p_gone", 9)?, 3);
            assert_eq!(orphans::remove(c, table, "dc_kept", 9)?, 0);
            assert_eq!(orphans::remove(c, table, "p_kept", 9)?, 0);
            assert_eq!(orphans::find(c, table, None, 9)?.owners, [""; 0]);
        }
        assert_eq!((count(c, "inbox")?, count(c, "uploads")?), (6, 6));
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn a_sweep_looks_at_a_few_owners_at_a_time(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        for tail in ["a", "b", "c"] {
            accept(c, &source_id(tail).into(), 2)?;
        }
        sources::insert(c, &source("a", &user_id("a"), 1))?;
        let found = |owners: &[&str], next: Option<&str>| Orphans {
            owners: owners.iter().map(|id| (*id).to_owned()).collect(),
            next: next.map(str::to_owned),
        };
        let inbox = OwnedTable::Inbox;
        let first = orphans::find(c, inbox, None, 2)?;
        assert_eq!(first, found(&["dc_b"], Some("dc_b")));
        let second = orphans::find(c, inbox, first.next.as_deref(), 2)?;
        assert_eq!(second, found(&["dc_c"], None));
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn every_table_can_be_swept(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        for table in OwnedTable::ALL {
            let none = Orphans {
                owners: Vec::new(),
                next: None,
            };
            assert_eq!(orphans::find(c, table, None, 9)?, none, "{table:?}");
            assert_eq!(orphans::remove(c, table, "wh_gone", 9)?, 0, "{table:?}");
        }
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn rows_of_each_kind_of_owner_are_told_apart(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        users::insert(c, &user("kept"), "fingerprint")?;
        for tail in ["kept", "gone"] {
            let used = Usage {
                invocations: 1,
                compute_ms: 1,
            };
            usage::add(c, &user_id(tail), 7, used)?;
            let spec = sluice_model::TimerSpec::HOURLY;
            timers::upsert(c, &workflow_id(tail), "t", &spec, Some(1))?;
            c.execute(
                "INSERT INTO workflow_secrets (workflow_id, name, sealed) VALUES (?1, 'a', 'b')",
                params![&workflow_id(tail)],
            )?;
        }
        workflows::insert(c, &workflow("kept", &user_id("kept"), 1))?;
        webhooks::insert(c, &webhook("kept", &user_id("kept"), 1))?;
        for queue in ["wh_kept", "wh_gone", "u_kept/http"] {
            queue_claims::claim(c, queue, "node", true)?;
        }
        for (table, gone) in [
            (OwnedTable::QueueClaims, "wh_gone"),
            (OwnedTable::Usage, "u_gone"),
            (OwnedTable::Timers, "p_gone"),
            (OwnedTable::WorkflowSecrets, "p_gone"),
        ] {
            assert_eq!(orphans::find(c, table, None, 9)?.owners, [gone]);
            assert_eq!(orphans::remove(c, table, gone, 9)?, 1);
            assert_eq!(orphans::find(c, table, None, 9)?.owners, [""; 0]);
        }
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn a_payload_goes_with_its_last_delivery(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        webhooks::insert(c, &webhook("kept", &user_id("a"), 1))?;
        let mut ids = IdGen::new(1);
        for webhooks in [&["kept", "gone"][..], &["gone"]] {
            let emit_id = EmitId::generate(&mut ids, 1);
            let event = Outgoing {
                emit_id: &emit_id,
                emitter: &source_id("s").into(),
                id: EventId { ms: 1, seq: 0 },
                channel: "",
                meta: "{}",
                data: "{}",
                trace: None,
            };
            deliveries::insert_payload(c, &event)?;
            for tail in webhooks {
                deliveries::insert(c, &emit_id, &webhook_id(tail), 1)?;
            }
        }
        let table = OwnedTable::Deliveries;
        assert_eq!(orphans::find(c, table, None, 9)?.owners, ["wh_gone"]);
        assert_eq!(orphans::remove(c, table, "wh_kept", 9)?, 0);
        assert_eq!(orphans::remove(c, table, "wh_gone", 9)?, 2);
        assert_eq!((count(c, "deliveries")?, count(c, "payloads")?), (1, 1));
        Ok(())
    })
    .unwrap();
}
