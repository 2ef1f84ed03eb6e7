//! A store on PostgreSQL with one connection for commits, and batches with some of everything.

use std::env;

use serde_json::value::RawValue;
use sluice_model::{
    ComponentId, DeploymentId, EmitId, EmitterId, EventId, IdGen, InvocationId, SourceId,
    SubscriptionId, UserId, WebhookId, WorkflowId, workflow::RunOrigin,
};
use sluice_runtime::{LogLevel, LogLine};
use sluice_store::{
    Conn, Location, Store, StoreError, StoreOptions,
    inbox::{self, InboxKind, NewInboxItem},
    routes::Listener,
    run_steps::{StepRecord, StepState},
    runs::{Run, RunState},
    sends::{SendKind, SendRow, SendState, SendStep},
    sources::{self, Phase, Retention, Source},
    state::{self, Claim, Fence},
    subscriptions::{self, Connection, Emitter, Subscription},
    timers::LastTick,
    usage::Usage,
    webhooks::{self, Webhook},
    workflows::{self, Workflow},
};
use sluice_testkit::Postgres;

use crate::{
    commit::{
        batch::{
            Audience, Batch, EventRow, LogRow, ReleasedEvent, RunChange, RunChangeKind, RunEnd,
            StateRow, TickRow,
        },
        write::write,
    },
    tick_health::SkippedTicks,
};

pub(super) const NOW: i64 = 1_700_000_000_000;
/// Events, log lines and so on of each commit.
pub(super) const ROWS: usize = 40;

pub(super) struct Fixture {
    pub(super) store: Store,
    ids: IdGen,
    /// Of the one emitter that a test claims.
    fence: Fence,
    commit_no: i64,
    last_event: i64,
}

impl Fixture {
    /// `None` when PostgreSQL is left out of this run. With three connections there is one for commits.
    pub(super) fn new() -> Option<Fixture> {
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
            fence: Fence {
                owner: "server".into(),
                epoch: 1,
            },
            commit_no: 0,
            last_event: 0,
        })
    }

    pub(super) fn invocations(&mut self, count: usize) -> Vec<InvocationId> {
        (0..count)
            .map(|_| InvocationId::generate(&mut self.ids, NOW))
            .collect()
    }

    pub(super) fn event_id(&mut self) -> EventId {
        self.last_event += 1;
        EventId {
            ms: NOW,
            seq: self.last_event,
        }
    }

    pub(super) fn event(&mut self, channel: &str, held_until: Option<i64>) -> EventRow {
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
            provenance: None,
            trace: None,
            loop_error: None,
        }
    }

    pub(super) fn batch(&mut self, emitter: &EmitterId) -> Batch {
        self.commit_no += 1;
        let user = user();
        let mut batch = Batch::new(
            emitter.clone(),
            user,
            self.fence.clone(),
            self.commit_no,
            NOW,
            8,
        );
        batch.usage = Usage {
            invocations: 1,
            compute_ms: 1,
        };
        batch
    }

    /// A batch with some of everything that a source has: held events are those of the batch before.
    pub(super) fn source_batch(&mut self, held: Vec<EventId>) -> Batch {
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

    pub(super) fn workflow_batch(&mut self, runs: &[Run]) -> Batch {
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

    pub(super) fn send(&mut self, run: &Run) -> SendRow {
        SendRow {
            id: EmitId::generate(&mut self.ids, NOW),
            step: Some(SendStep {
                workflow_id: workflow_id(),
                run_id: run.id,
                name: "step".to_owned(),
            }),
            user_id: user(),
            kind: SendKind::Http,
            state: SendState::Pending,
            due_at: Some(NOW),
            tries: 0,
            result: None,
            created_at: NOW,
            updated_at: NOW,
            payload: "{}".to_owned(),
            trace: None,
        }
    }

    /// Takes the right to commit for an emitter.
    pub(super) fn claim(c: &mut dyn Conn, emitter: &EmitterId) -> Result<(), StoreError> {
        let claim = state::claim(c, emitter, &"server".into(), true)?;
        assert!(matches!(claim, Claim::Made(fence) if fence.epoch == 1));
        Ok(())
    }

    /// Puts work into the inbox of the source.
    pub(super) async fn accept(&self, ids: Vec<InvocationId>) {
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
                    reply_to: None,
                    trace: None,
                };
                (&source, item)
            });
            inbox::insert_all(c, items)
        });
        accepted.await.unwrap();
    }

    /// Commits a batch, and returns how many round trips that took.
    pub(super) async fn commit(&self, batch: Batch) -> u64 {
        let before = self.store.commit_round_trips();
        let applied = self.store.commit(move |c| write(c, &batch)).await.unwrap();
        assert!(applied.more_events.is_some(), "the commit was new");
        self.store.commit_round_trips() - before
    }

    /// Adds listeners: webhooks, a source and a workflow, for events and for log lines.
    pub(super) async fn add_listeners(&self) {
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

pub(super) fn user() -> UserId {
    UserId::parse("u_a").unwrap()
}

pub(super) fn source_id() -> EmitterId {
    EmitterId::parse("dc_a").unwrap()
}

pub(super) fn workflow_id() -> WorkflowId {
    WorkflowId::parse("p_a").unwrap()
}

pub(super) fn source(id: &EmitterId, slug: &str) -> Source {
    Source {
        id: SourceId::parse(id.as_str()).unwrap(),
        user_id: user(),
        component_id: ComponentId::parse("sc_a").unwrap(),
        name: slug.to_owned(),
        name_slug: slug.to_owned(),
        phase: Phase::Live,
        active: true,
        configured_props: serde_json::Map::new(),
        dynamic_props: Vec::new(),
        retention: Retention::default(),
        version: 1,
        created_at: NOW,
        updated_at: NOW,
    }
}

pub(super) fn workflow(id: WorkflowId) -> Workflow {
    Workflow {
        name_slug: id.to_string(),
        id,
        user_id: user(),
        name: "W".to_owned(),
        active: true,
        deployment_id: DeploymentId::parse("d_a").unwrap(),
        created_at: NOW,
        updated_at: NOW,
        internal: false,
    }
}

pub(super) fn webhook(id: WebhookId) -> Webhook {
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

pub(super) fn run(id: InvocationId) -> Run {
    Run {
        id,
        workflow_id: workflow_id(),
        deployment_id: DeploymentId::parse("d_a").unwrap(),
        state: RunState::Running,
        origin: RunOrigin {
            source_type: "http".to_owned(),
            emitter_id: None,
            event_id: None,
            replay_of: None,
            key_id: None,
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
        trace: None,
    }
}

pub(super) fn step(attempt: u32) -> StepRecord {
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
        inputs: Some("{}".to_owned()),
        pause: None,
    }
}
