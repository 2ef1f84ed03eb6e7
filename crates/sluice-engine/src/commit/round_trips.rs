//! A commit takes at most two round trips to PostgreSQL, whatever it contains.

use std::env;

use serde_json::value::RawValue;
use sluice_model::{
    DeploymentId, EmitId, EmitterId, EventId, IdGen, InvocationId, SubscriptionId, TimerSpec,
    UserId, WebhookId, WorkflowId, workflow::RunOrigin,
};
use sluice_runtime::{LogLevel, LogLine};
use sluice_store::{
    Location, Store, StoreOptions, deliveries,
    events::{self, ChannelFilter},
    held_events,
    inbox::{self, InboxKind, NewInboxItem},
    kv, logs,
    routes::Listener,
    run_steps::{StepRecord, StepState},
    runs::{Run, RunState},
    sends::{SendKind, SendRow, SendState},
    sources::{self, Phase, Retention, Source},
    subscriptions::{self, Connection, Emitter, Subscription},
    timers::{self, LastTick},
    usage::Usage,
    webhooks::{self, Webhook},
    workflows::{self, Workflow},
};
use sluice_testkit::Postgres;

use super::{
    batch::{
        Audience, Batch, EventRow, LogRow, ReleasedEvent, RunChange, RunChangeKind, RunEnd,
        StateRow, TickRow,
    },
    write::write,
};
use crate::tick_health::SkippedTicks;

const NOW: i64 = 1_700_000_000_000;
/// Events, log lines and so on of each commit.
const ROWS: usize = 40;

struct Fixture {
    store: Store,
    ids: IdGen,
    commit_no: i64,
    last_event: i64,
}

impl Fixture {
    /// `None` when PostgreSQL is left out of this run. With three connections there is one for commits.
    fn new() -> Option<Fixture> {
        if env::var("SLUICE_TEST_SKIP_POSTGRES").as_deref() == Ok("1") {
            return None;
        }
        let options = StoreOptions {
            postgres_connections: 3,
            ..StoreOptions::new(Location::Postgres(Postgres::database()))
        };
        Some(Fixture {
            store: Store::open(options).unwrap(),
            ids: IdGen::new(1),
            commit_no: 0,
            last_event: 0,
        })
    }

    fn invocations(&mut self, count: usize) -> Vec<InvocationId> {
        (0..count)
            .map(|_| InvocationId::generate(&mut self.ids, NOW))
            .collect()
    }

    fn event_id(&mut self) -> EventId {
        self.last_event += 1;
        EventId {
            ms: NOW,
            seq: self.last_event,
        }
    }

    fn event(&mut self, channel: &str, held_until: Option<i64>) -> EventRow {
        EventRow {
            id: self.event_id(),
            channel: channel.to_owned(),
            emit_id: EmitId::generate(&mut self.ids, NOW),
            meta: "{}".to_owned(),
            data: RawValue::from_string("{\"n\":1}".to_owned()).unwrap(),
            listener_data: None,
            audience: Audience::Listeners,
            depth: 0,
            held_until,
            loop_error: None,
        }
    }

    fn batch(&mut self, emitter: &EmitterId) -> Batch {
        self.commit_no += 1;
        let user = user();
        let mut batch = Batch::new(emitter.clone(), user, self.commit_no, NOW, 8);
        batch.usage = Usage {
            invocations: 1,
            compute_ms: 1,
        };
        batch
    }

    /// A batch with some of everything that a source has: held events are those of the batch before.
    fn source_batch(&mut self, held: Vec<EventId>) -> Batch {
        let mut batch = self.batch(&source_id());
        for _ in 0..ROWS {
            batch.events.push(self.event("", None));
            batch.events.push(self.event("", Some(NOW + 100)));
            batch.logs.push(LogRow {
                invocation: None,
                line: LogLine {
                    ts: NOW,
                    kind: "stdout".to_owned(),
                    level: LogLevel::Info,
                    message: "a line".to_owned(),
                },
                emit_id: EmitId::generate(&mut self.ids, NOW),
                depth: 0,
            });
        }
        for held in held {
            let id = self.event_id();
            batch.released.push(ReleasedEvent { held, id, depth: 0 });
        }
        for key in 0..ROWS {
            let json = RawValue::from_string(key.to_string()).unwrap();
            let deleted = key % 2 == 0;
            let value = (!deleted).then_some(json);
            batch.writes.insert(format!("key {key}"), value);
        }
        batch.state = Some(StateRow {
            last_event: batch.events.last().map(|event| event.id),
            dedupe: None,
        });
        batch.done = self.invocations(ROWS);
        batch.attempts = self.invocations(2);
        batch.ticks.push(TickRow {
            prop: "timer".to_owned(),
            due_at: NOW + 1_000,
            last: LastTick {
                due_at: NOW,
                lateness_ms: 1,
            },
            skipped: SkippedTicks::default(),
        });
        batch
    }

    fn workflow_batch(&mut self, runs: &[Run]) -> Batch {
        let mut batch = self.batch(&workflow_id().into());
        for run in runs {
            let sends = (0..3).map(|_| self.send(run)).collect();
            let change = |kind| RunChange {
                run: run.clone(),
                kind,
            };
            batch
                .runs
                .push(change(RunChangeKind::Started { resumed: None }));
            let attempt = u32::try_from(self.commit_no).unwrap();
            batch.runs.push(change(RunChangeKind::Step {
                record: step(attempt),
                sends,
                end: Some(RunEnd {
                    released: vec![self.send(run)],
                }),
            }));
            batch.events.push(self.event("", None));
        }
        batch.done = runs.iter().map(|run| run.id).collect();
        batch
    }

    fn send(&mut self, run: &Run) -> SendRow {
        SendRow {
            id: EmitId::generate(&mut self.ids, NOW),
            workflow_id: workflow_id(),
            user_id: user(),
            run_id: run.id,
            step: "step".to_owned(),
            kind: SendKind::Http,
            state: SendState::Pending,
            due_at: Some(NOW),
            tries: 0,
            result: None,
            created_at: NOW,
            updated_at: NOW,
            payload: "{}".to_owned(),
        }
    }

    /// Puts work into the inbox of the source.
    async fn accept(&self, ids: Vec<InvocationId>) {
        let accepted = self.store.commit(move |c| {
            let source = source_id();
            let items = ids.iter().map(|id| {
                let item = NewInboxItem {
                    id,
                    kind: InboxKind::Http,
                    prop: None,
                    payload: "{}",
                    accepted_at: NOW,
                    depth: 0,
                };
                (&source, item)
            });
            inbox::insert_all(c, items)
        });
        accepted.await.unwrap();
    }

    /// Commits a batch, and returns how many round trips that took.
    async fn commit(&self, batch: Batch) -> u64 {
        let before = self.store.commit_round_trips();
        let applied = self.store.commit(move |c| write(c, &batch)).await.unwrap();
        assert!(applied.more_events.is_some(), "the commit was new");
        self.store.commit_round_trips() - before
    }

    /// Adds listeners: webhooks, a source and a workflow, for events and for log lines.
    async fn add_listeners(&self) {
        let stored = self.store.write(|c| {
            let listeners = ["wh_a", "wh_b", "dc_listener", "p_listener"];
            for (number, listener) in listeners.into_iter().enumerate() {
                match Listener::parse(listener).unwrap() {
                    Listener::Webhook(id) => webhooks::insert(c, &webhook(id))?,
                    Listener::Source(id) => sources::insert(c, &source(&id, "listener"))?,
                    Listener::Workflow(id) => workflows::insert(c, &workflow(id))?,
                }
                for (event_name, kind) in [("default", 'e'), ("$logs", 'l')] {
                    for (emitter, of) in [("dc_a", 's'), ("p_a", 'w')] {
                        let tail = format!("{kind}{of}{number}");
                        let subscription = Subscription {
                            id: SubscriptionId::parse(&format!("sub_{tail}")).unwrap(),
                            user_id: user(),
                            connects: Connection {
                                emitter: Emitter::parse(emitter).unwrap(),
                                event_name: event_name.to_owned(),
                                listener: Listener::parse(listener).unwrap(),
                            },
                            created_at: NOW,
                        };
                        subscriptions::ensure(c, &subscription)?;
                    }
                }
            }
            Ok(())
        });
        stored.await.unwrap();
    }
}

fn user() -> UserId {
    UserId::parse("u_a").unwrap()
}

fn source_id() -> EmitterId {
    EmitterId::parse("dc_a").unwrap()
}

fn workflow_id() -> WorkflowId {
    WorkflowId::parse("p_a").unwrap()
}

fn source(id: &EmitterId, slug: &str) -> Source {
    Source {
        id: sluice_model::SourceId::parse(id.as_str()).unwrap(),
        user_id: user(),
        component_id: sluice_model::ComponentId::parse("sc_a").unwrap(),
        name: slug.to_owned(),
        name_slug: slug.to_owned(),
        phase: Phase::Live,
        active: true,
        configured_props: serde_json::Map::new(),
        dynamic_props: Vec::new(),
        retention: Retention::default(),
        created_at: NOW,
        updated_at: NOW,
    }
}

fn workflow(id: WorkflowId) -> Workflow {
    Workflow {
        name_slug: id.to_string(),
        id,
        user_id: user(),
        name: "W".to_owned(),
        active: true,
        deployment_id: DeploymentId::parse("d_a").unwrap(),
        created_at: NOW,
        updated_at: NOW,
    }
}

fn webhook(id: WebhookId) -> Webhook {
    Webhook {
        id,
        user_id: user(),
        name: None,
        description: None,
        url: "https://example.com".to_owned(),
        active: true,
        concurrency: 1,
        secret: "sealed".to_owned(),
        previous: None,
        created_at: NOW,
        updated_at: NOW,
    }
}

fn run(id: InvocationId) -> Run {
    Run {
        id,
        workflow_id: workflow_id(),
        deployment_id: DeploymentId::parse("d_a").unwrap(),
        state: RunState::Running,
        origin: RunOrigin {
            source_type: "http".to_owned(),
            emitter_id: None,
            replay_of: None,
        },
        depth: 0,
        accepted_at: NOW,
        started_at: NOW,
        finished_at: None,
        due_at: None,
        pause: None,
        pause_key: None,
        error: None,
        exit_reason: None,
        event: "{}".to_owned(),
    }
}

fn step(attempt: u32) -> StepRecord {
    StepRecord {
        position: 0,
        attempt,
        name: "step".to_owned(),
        state: StepState::Completed,
        started_at: NOW,
        duration_ms: 1,
        error: None,
        logs: "[]".to_owned(),
        exports: "{}".to_owned(),
        pause: None,
    }
}

fn held(batch: &Batch) -> Vec<EventId> {
    let held = batch
        .events
        .iter()
        .filter(|event| event.held_until.is_some());
    held.map(|event| event.id).collect()
}

#[tokio::test]
async fn a_commit_of_a_source_takes_two_round_trips_to_postgres() {
    let Some(mut fixture) = Fixture::new() else {
        return;
    };
    let stored = fixture.store.write(|c| {
        sources::insert(c, &source(&source_id(), "a"))?;
        let timer = TimerSpec::Interval { seconds: 60 };
        timers::upsert(c, &source_id(), "timer", &timer, None)
    });
    stored.await.unwrap();
    let mut released = Vec::new();
    // The first commits prepare their statements: the second one is the first that releases events, and from the fourth one
    // on there are listeners.
    let expected = [None, None, Some(2), None, Some(2), Some(2)];
    for (commit, expected) in expected.into_iter().enumerate() {
        if commit == 3 {
            fixture.add_listeners().await;
        }
        let batch = fixture.source_batch(std::mem::take(&mut released));
        released = held(&batch);
        fixture.accept(batch.done.clone()).await;
        let round_trips = fixture.commit(batch).await;
        assert!(
            expected.is_none_or(|expected| round_trips <= expected),
            "{round_trips}"
        );
    }
    let empty = fixture.batch(&source_id());
    assert!(fixture.commit(empty).await <= 2);
    let read = fixture.store.read(|c| {
        let events = events::count(c, &source_id(), &ChannelFilter::AllButSystem)?;
        assert_eq!(events, (6 * 2 * ROWS) as u64);
        assert_eq!(logs::count(c, &source_id())?, (6 * ROWS) as u64);
        assert_eq!(kv::load_all(c, &source_id())?.len(), ROWS / 2);
        assert_eq!(held_events::due(c, NOW + 100, 1_000)?.len(), ROWS);
        let listener = EmitterId::parse("dc_listener").unwrap();
        let waiting = inbox::counts(c, &[source_id(), listener.clone()])?;
        // Events, released events and log lines of three commits.
        assert_eq!(waiting, [(listener, (3 * 3 * ROWS) as u64)].into());
        let webhook = WebhookId::parse("wh_a").unwrap();
        let limit = sluice_store::BatchLimit {
            rows: 10_000,
            bytes: u64::MAX,
        };
        let due = deliveries::due(c, &webhook, NOW, &std::collections::BTreeSet::new(), limit)?;
        assert_eq!(due.len(), 3 * 3 * ROWS);
        Ok(())
    });
    read.await.unwrap();
}

#[tokio::test]
async fn a_commit_of_a_workflow_takes_two_round_trips_to_postgres() {
    let Some(mut fixture) = Fixture::new() else {
        return;
    };
    let stored = fixture
        .store
        .write(|c| workflows::insert(c, &workflow(workflow_id())));
    stored.await.unwrap();
    fixture.add_listeners().await;
    for expected in [None, Some(2), Some(2)] {
        let runs: Vec<Run> = fixture.invocations(ROWS).into_iter().map(run).collect();
        let batch = fixture.workflow_batch(&runs);
        let round_trips = fixture.commit(batch).await;
        assert!(
            expected.is_none_or(|expected| round_trips <= expected),
            "{round_trips}"
        );
    }
}

#[tokio::test]
async fn accepting_requests_takes_one_round_trip_to_postgres() {
    let Some(mut fixture) = Fixture::new() else {
        return;
    };
    for (count, expected) in [(1, None), (1, Some(1)), (256, Some(1))] {
        let ids = fixture.invocations(count);
        let before = fixture.store.commit_round_trips();
        fixture.accept(ids).await;
        let round_trips = fixture.store.commit_round_trips() - before;
        assert!(
            expected.is_none_or(|expected| round_trips == expected),
            "{round_trips}"
        );
    }
}
