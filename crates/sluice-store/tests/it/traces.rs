//! Causes of events, and finding the parts of a trace.

use rstest::rstest;
use sluice_model::{
    EmitId, EmitterId, EventAddress, EventId, IdGen, InvocationId, TraceContext, UserId,
};
use sluice_store::{
    BatchLimit, Conn, Result,
    deliveries::{self, Outgoing},
    delivery_history, event_replays,
    events::{self, ChannelFilter, NewEvent},
    inbox::InboxKind,
    provenance::{Cause, Provenance},
    pruning, query_one, sources, traces, webhooks,
};

use crate::support::{Db, TestStore, source, source_id, user_id, webhook};

const NOW: i64 = 1_700_000_000_000;
const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

fn invocations(count: usize) -> Vec<InvocationId> {
    let mut ids = IdGen::new(3);
    (0..count)
        .map(|_| InvocationId::generate(&mut ids, NOW))
        .collect()
}

fn emit_id(seed: u64) -> EmitId {
    EmitId::generate(&mut IdGen::new(seed), NOW)
}

fn provenance(invocation: InvocationId, cause: &str) -> Provenance {
    Provenance {
        invocation,
        cause: Cause::new(cause),
        duration_ms: Some(7),
        trace: TraceContext::from_headers(PARENT, ""),
    }
}

/// Stores events of a source, one after another: for each the emit id and the cause.
fn store(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    rows: &[(EmitId, Option<Provenance>)],
) -> Result<()> {
    let rows = (0_i64..).zip(rows).map(|(seq, (emit, provenance))| {
        let event = NewEvent {
            id: EventId { ms: NOW, seq },
            channel: "",
            emit_id: emit.as_str(),
            meta: "{}",
            data: "1",
        };
        (event, provenance.as_ref())
    });
    events::insert_all(c, emitter, rows)
}

fn emitter() -> EmitterId {
    source_id("s").into()
}

fn own_source(c: &mut dyn Conn) -> Result<UserId> {
    let user = user_id("owner");
    sources::insert(c, &source("s", &user, NOW))?;
    Ok(user)
}

#[rstest]
fn an_event_keeps_its_cause(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let user = own_source(c)?;
        let cause = provenance(invocations(1)[0], "dc_other/1-2");
        store(
            c,
            &emitter(),
            &[(emit_id(1), Some(cause.clone())), (emit_id(2), None)],
        )?;
        let found = traces::events_with_id(c, &user, EventId { ms: NOW, seq: 0 }, 5)?;
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].provenance, Some(cause));
        let caused_by = found[0]
            .provenance
            .as_ref()
            .and_then(|one| one.cause.event());
        assert_eq!(caused_by, EventAddress::parse("dc_other/1-2"));
        let address = EventAddress {
            emitter: emitter(),
            id: EventId { ms: NOW, seq: 1 },
        };
        let without = traces::event(c, &address)?.expect("an event");
        assert_eq!(without.provenance, None);
        let of_emit = traces::event_of_emit(c, &user, &emit_id(2))?;
        assert_eq!(of_emit, Some(without));
        let stranger = user_id("stranger");
        assert_eq!(traces::event_of_emit(c, &stranger, &emit_id(2))?, None);
        assert!(traces::owns(c, &user, &emitter())?);
        assert!(!traces::owns(c, &stranger, &emitter())?);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn the_contexts_of_events_are_read_together(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let traced = || Some(provenance(invocations(1)[0], "http"));
        let rows = [
            (emit_id(1), traced()),
            (emit_id(2), None),
            (emit_id(3), traced()),
            (emit_id(4), traced()),
        ];
        store(c, &emitter(), &rows)?;
        let id = |seq| EventId { ms: NOW, seq };
        let context = TraceContext::from_headers(PARENT, "").unwrap();
        let of = |c: &mut dyn Conn, ids: &[EventId]| traces::contexts(c, &emitter(), ids);
        assert_eq!(of(c, &[id(0), id(1), id(3)])?, vec![context; 2]);
        assert_eq!(of(c, &[id(1)])?, vec![]);
        assert_eq!(of(c, &[])?, vec![]);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn the_events_of_an_invocation_are_found_among_others(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let user = own_source(c)?;
        let ids = invocations(2);
        // More than one page of others before, and some after.
        let mut rows = vec![(emit_id(1), Some(provenance(ids[0], "timer"))); 700];
        rows.extend(vec![(emit_id(2), Some(provenance(ids[1], "http"))); 3]);
        rows.extend(vec![(emit_id(3), None); 2]);
        store(c, &emitter(), &rows)?;
        let found = traces::emitted_by(c, &emitter(), &ids[1], 10_000, 10)?;
        let seqs: Vec<i64> = found.events.iter().map(|one| one.address.id.seq).collect();
        assert_eq!((seqs, found.is_cut), (vec![700, 701, 702], false));
        assert_eq!(found.scanned, 1_000);
        let first = traces::emitted_by(c, &emitter(), &ids[1], 10_000, 2)?;
        assert_eq!((first.events.len(), first.is_cut), (2, true));
        let beyond = traces::emitted_by(c, &emitter(), &ids[1], 500, 10)?;
        assert_eq!((beyond.events.len(), beyond.is_cut), (0, true));
        assert_eq!(beyond.scanned, 500);
        let none = traces::emitted_by(c, &emitter(), &invocations(3)[2], 10_000, 10)?;
        assert_eq!((none.events.len(), none.is_cut), (0, false));
        assert_eq!(none.scanned, 1_000);
        let unread = traces::emitted_by(c, &emitter(), &ids[1], 0, 10)?;
        assert_eq!((unread.scanned, unread.is_cut), (0, true));
        let at = traces::emitted_at(c, &emitter(), &ids[1], NOW, 10)?;
        assert_eq!(at.len(), 3);
        assert_eq!(traces::emitter_of(c, &user, &ids[0])?, Some(emitter()));
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn a_trace_of_opentelemetry_has_its_events(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let user = own_source(c)?;
        let cause = provenance(invocations(1)[0], "http");
        store(
            c,
            &emitter(),
            &[(emit_id(1), Some(cause)), (emit_id(2), None)],
        )?;
        let trace = 0x0af7_6519_16cd_43dd_8448_eb21_1c80_319c;
        let found = traces::in_trace(c, &user, trace, 5)?;
        assert_eq!(found.events.len(), 1);
        assert_eq!(found.runs, []);
        assert_eq!(
            traces::in_trace(c, &user, trace + 1, 5)?,
            traces::InTrace::default()
        );
        let stranger = user_id("stranger");
        assert_eq!(
            traces::in_trace(c, &stranger, trace, 5)?,
            traces::InTrace::default()
        );
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn deliveries_are_found_by_their_event(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let user = own_source(c)?;
        let hook = webhook("w", &user, NOW);
        webhooks::insert(c, &hook)?;
        let emit = emit_id(1);
        let outgoing = Outgoing {
            emit_id: &emit,
            emitter: &emitter(),
            id: EventId { ms: NOW, seq: 0 },
            channel: "",
            meta: "{}",
            data: "1",
            trace: None,
        };
        deliveries::insert_payload(c, &outgoing)?;
        deliveries::insert(c, &emit, &hook.id, NOW)?;
        let found = traces::deliveries(c, &user, emit.as_str(), 5)?;
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].delivery.webhook_id, hook.id);
        let other = traces::deliveries(c, &user, emit_id(2).as_str(), 5)?;
        assert_eq!(other, []);
        let of_stranger = traces::deliveries(c, &user_id("stranger"), emit.as_str(), 5)?;
        assert_eq!(of_stranger, []);
        let address = traces::payload(c, &user, &emit)?.expect("the event");
        assert_eq!(address.to_string(), format!("dc_s/{NOW}-0"));
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn replays_of_events_are_found_until_their_event_is_deleted(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        own_source(c)?;
        store(c, &emitter(), &[(emit_id(1), None), (emit_id(2), None)])?;
        let id = |seq| EventId { ms: NOW, seq };
        let mut generated = IdGen::new(9);
        let replays: Vec<EmitId> = (0..3)
            .map(|_| EmitId::generate(&mut generated, NOW + 1))
            .collect();
        let rows = [
            (id(0), replays[0]),
            (id(1), replays[1]),
            (id(0), replays[2]),
        ];
        event_replays::insert_all(c, &emitter(), &rows)?;
        let of = |c: &mut dyn Conn, seq| {
            let address = EventAddress {
                emitter: emitter(),
                id: id(seq),
            };
            event_replays::of_event(c, &address)
        };
        assert_eq!(of(c, 0)?, [replays[2], replays[0]]);
        let batch = BatchLimit {
            rows: 9,
            bytes: u64::MAX,
        };
        pruning::events(c, &emitter(), id(0), batch)?;
        assert_eq!((of(c, 0)?, of(c, 1)?), (vec![], vec![replays[1]]));
        events::delete_range(c, &emitter(), &ChannelFilter::AllButSystem, None, None)?;
        assert_eq!(of(c, 1)?, []);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn a_delivery_keeps_the_time_of_its_first_replay(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let user = own_source(c)?;
        let hook = webhook("w", &user, NOW);
        webhooks::insert(c, &hook)?;
        let emit = emit_id(1);
        let outgoing = Outgoing {
            emit_id: &emit,
            emitter: &emitter(),
            id: EventId { ms: NOW, seq: 0 },
            channel: "",
            meta: "{}",
            data: "1",
            trace: None,
        };
        deliveries::insert_payload(c, &outgoing)?;
        deliveries::insert(c, &emit, &hook.id, NOW)?;
        let found = traces::deliveries(c, &user, emit.as_str(), 5)?;
        let id = found[0].delivery.id.clone();
        let mut replay = |at: i64, is_over: bool| {
            if is_over {
                c.execute("UPDATE deliveries SET state = 'failed'", &[])?;
            }
            delivery_history::replay(c, &id, at, at)?;
            let found = traces::delivery(c, &user, &id)?.expect("a delivery");
            Ok::<_, sluice_store::StoreError>(found.replayed_at)
        };
        assert_eq!(replay(NOW + 1, false)?, None, "it is attempted at once");
        assert_eq!(replay(NOW + 2, true)?, Some(NOW + 2));
        assert_eq!(replay(NOW + 3, true)?, Some(NOW + 2));
        Ok(())
    })
    .unwrap();
}

#[test]
fn the_cause_of_an_inbox_row_is_its_event_or_its_kind() {
    let event = Cause::of(InboxKind::Event, Some("dc_a/1-0"));
    assert_eq!((event.kind(), event.event().is_some()), ("event", true));
    let request = Cause::of(InboxKind::Http, Some("http"));
    assert_eq!((request.kind(), request.event()), ("http", None));
}

#[rstest]
fn the_newest_replays_of_an_event_are_kept(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        own_source(c)?;
        store(c, &emitter(), &[(emit_id(1), None), (emit_id(2), None)])?;
        let address = |seq| EventAddress {
            emitter: emitter(),
            id: EventId { ms: NOW, seq },
        };
        let mut generated = IdGen::new(9);
        let replays: Vec<EmitId> = (0..120)
            .map(|number| EmitId::generate(&mut generated, NOW + number))
            .collect();
        for pair in replays.chunks(2) {
            let rows: Vec<_> = pair.iter().map(|id| (address(0).id, *id)).collect();
            event_replays::insert_all(c, &emitter(), &rows)?;
        }
        event_replays::insert_all(c, &emitter(), &[(address(1).id, replays[0])])?;
        let kept: Vec<EmitId> = replays[70..].iter().rev().copied().collect();
        assert_eq!(event_replays::of_event(c, &address(0))?, kept);
        assert_eq!(event_replays::of_event(c, &address(1))?, [replays[0]]);
        let rows: i64 = query_one(c, "SELECT COUNT(*) FROM event_replays", &[])?;
        assert_eq!(rows, 51);
        Ok(())
    })
    .unwrap();
}
