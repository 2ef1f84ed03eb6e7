//! An engine with one source, whose process is scripted.

use std::{path::Path, sync::Arc, time::Duration};

use serde_json::{Map, Value, value::to_raw_value};
use sluice_cluster::Cluster;
use sluice_engine::{Engine, EngineError};
use sluice_infra::{Infra, Settings, testing};
use sluice_model::{
    CodeFiles, ComponentId, ComponentKind, ComponentShape, ManualClock, ModuleFormat, SourceId,
    TimerSpec, UserId,
};
use sluice_runtime::{
    ProcessOwner, Processes,
    scripted::{ScriptedInvocation, ScriptedOutcome, ScriptedProcesses},
};
use sluice_store::{
    components::{self, Component, Packages},
    events::{self, ChannelFilter},
    sources::{self, Phase, Retention, Source},
    timers,
};
use sluice_testkit::wait_for;
use tempfile::TempDir;

pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// How requests to a running source are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keeping {
    /// They run at once. Their outcome is committed, or they are stored if that takes long.
    Direct,
    /// They are stored before they run.
    StoreFirst,
}

impl Keeping {
    fn infra(self, folder: &Path) -> (Infra, ManualClock) {
        let clock = ManualClock::new(testing::NOW);
        let settings = Settings {
            direct_from: (self == Keeping::Direct).then_some(0),
            ..testing::settings(folder)
        };
        let infra = testing::infra_at(folder, Arc::new(clock.clone()), settings);
        (infra, clock)
    }
}

pub(crate) struct Fixture {
    pub(crate) engine: Engine,
    pub(crate) infra: Infra,
    pub(crate) clock: ManualClock,
    pub(crate) processes: ScriptedProcesses,
    _folder: Option<TempDir>,
}

impl Fixture {
    /// Starts an engine. `run` decides the outcome of each invocation.
    pub(crate) async fn start(
        run: impl Fn(&ScriptedInvocation) -> ScriptedOutcome + Send + Sync + 'static,
    ) -> Fixture {
        Fixture::with_timer(None, run).await
    }

    /// The same with this way of keeping requests.
    pub(crate) async fn start_with(
        keeping: Keeping,
        run: impl Fn(&ScriptedInvocation) -> ScriptedOutcome + Send + Sync + 'static,
    ) -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        let fixture = Fixture::new_in(folder.path(), None, keeping, run).await;
        Fixture {
            _folder: Some(folder),
            ..fixture
        }
    }

    /// The same for a source with a timer, which is due at the start.
    pub(crate) async fn with_timer(
        timer: Option<TimerSpec>,
        run: impl Fn(&ScriptedInvocation) -> ScriptedOutcome + Send + Sync + 'static,
    ) -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        let fixture = Fixture::new_in(folder.path(), timer, Keeping::Direct, run).await;
        Fixture {
            _folder: Some(folder),
            ..fixture
        }
    }

    /// Starts an engine on a new database in `folder`.
    pub(crate) async fn new_in(
        folder: &Path,
        timer: Option<TimerSpec>,
        keeping: Keeping,
        run: impl Fn(&ScriptedInvocation) -> ScriptedOutcome + Send + Sync + 'static,
    ) -> Fixture {
        let (infra, clock) = keeping.infra(folder);
        let stored = infra.store.write(move |c| {
            components::insert(c, &component())?;
            sources::insert(c, &source("a"))?;
            match &timer {
                Some(spec) => timers::upsert(c, &source_id(), "timer", spec, Some(testing::NOW)),
                None => Ok(()),
            }
        });
        stored.await.unwrap();
        Fixture::on(infra, clock, run).await
    }

    /// Starts an engine on a node whose lease has run out.
    pub(crate) async fn without_lease(
        run: impl Fn(&ScriptedInvocation) -> ScriptedOutcome + Send + Sync + 'static,
    ) -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        let (mut infra, clock) = Keeping::StoreFirst.infra(folder.path());
        infra.cluster = sluice_cluster::testing::without_lease(&infra.store);
        let stored = infra.store.write(move |c| {
            components::insert(c, &component())?;
            sources::insert(c, &source("a"))
        });
        stored.await.unwrap();
        let fixture = Fixture::on(infra, clock, run).await;
        Fixture {
            _folder: Some(folder),
            ..fixture
        }
    }

    /// Waits until a source has an owner that has read it.
    pub(crate) async fn has_owner(&self) {
        wait_for(PATIENCE, "an owner", async || {
            (self.infra.metrics.live_sources.get() > 0).then_some(())
        })
        .await;
    }

    /// Starts an engine with sources of these names and timers, none of which is due before the clock moves, and with these
    /// settings and processes.
    pub(crate) async fn with_sources(
        sources: Vec<(&'static str, Option<(TimerSpec, i64)>)>,
        change: impl FnOnce(&mut Settings),
        processes: ScriptedProcesses,
    ) -> Fixture {
        Fixture::on_node(None, sources, change, processes).await
    }

    /// As [`Fixture::with_sources`], on a node that others know.
    pub(crate) async fn on_node(
        node: Option<Cluster>,
        sources: Vec<(&'static str, Option<(TimerSpec, i64)>)>,
        change: impl FnOnce(&mut Settings),
        processes: ScriptedProcesses,
    ) -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = testing::settings(folder.path());
        change(&mut settings);
        let clock = ManualClock::new(testing::NOW);
        let mut infra = testing::infra_at(folder.path(), Arc::new(clock.clone()), settings);
        infra.cluster = node.unwrap_or(infra.cluster);
        let stored = infra.store.write(move |c| {
            components::insert(c, &component())?;
            for (name, timer) in &sources {
                sources::insert(c, &source(name))?;
                if let Some((spec, due)) = timer {
                    timers::upsert(c, &source_named(name), "timer", spec, Some(*due))?;
                }
            }
            Ok(())
        });
        stored.await.unwrap();
        let fixture = Fixture::on_processes(infra, clock, processes).await;
        Fixture {
            _folder: Some(folder),
            ..fixture
        }
    }

    /// Starts an engine on the database that an earlier one left in `folder`.
    pub(crate) async fn again_in(
        folder: &Path,
        keeping: Keeping,
        run: impl Fn(&ScriptedInvocation) -> ScriptedOutcome + Send + Sync + 'static,
    ) -> Fixture {
        let (infra, clock) = keeping.infra(folder);
        Fixture::on(infra, clock, run).await
    }

    async fn on(
        infra: Infra,
        clock: ManualClock,
        run: impl Fn(&ScriptedInvocation) -> ScriptedOutcome + Send + Sync + 'static,
    ) -> Fixture {
        Fixture::on_processes(infra, clock, ScriptedProcesses::new(run)).await
    }

    async fn on_processes(
        infra: Infra,
        clock: ManualClock,
        processes: ScriptedProcesses,
    ) -> Fixture {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let started: Arc<dyn Processes> = Arc::new(processes.clone());
        let engine = Engine::start(&infra, &started).await.unwrap();
        Fixture {
            engine,
            infra,
            clock,
            processes,
            _folder: None,
        }
    }

    /// Runs the source with an event.
    pub(crate) async fn run(&self, event: &Value) {
        self.run_source("a", event).await;
    }

    /// The same for the source of this name.
    pub(crate) async fn run_source(&self, name: &str, event: &Value) {
        let event = to_raw_value(event).unwrap();
        self.engine
            .accept
            .run(&user_id(), &source_named(name).into(), event, None, |_| {
                None
            })
            .await
            .unwrap();
    }

    /// As [`Fixture::run`], where it may fail.
    pub(crate) async fn try_run(&self, event: &Value) -> Result<(), EngineError> {
        let event = to_raw_value(event).unwrap();
        let (user, source) = (user_id(), source_id());
        let accept = &self.engine.accept;
        let accepted = accept.run(&user, &source, event, None, |_| None).await;
        accepted.map(drop)
    }

    /// Moves the clock, and wakes the scheduler.
    pub(crate) fn set_clock(&self, now_ms: i64) {
        self.clock.set(now_ms);
        self.engine.timers.arm(now_ms);
    }

    /// Waits for so many invocations, and returns the names of their sources.
    pub(crate) async fn invoked(&self, count: usize) -> Vec<String> {
        wait_for(PATIENCE, "invocations", async || {
            let invocations = self.processes.invocations();
            (invocations.len() >= count).then_some(())
        })
        .await;
        let invocations = self.processes.invocations();
        invocations.iter().map(source_name).collect()
    }

    /// Waits for so many events and returns their data in order.
    pub(crate) async fn events(&self, count: usize) -> Vec<Value> {
        wait_for(PATIENCE, "events to be committed", async || {
            let events = self.committed_events().await;
            (events.len() >= count).then_some(events)
        })
        .await
    }

    /// The data of all committed events, in order.
    pub(crate) async fn committed_events(&self) -> Vec<Value> {
        let page = sluice_store::BatchLimit {
            rows: 1_000,
            bytes: u64::MAX,
        };
        let read = self.infra.store.read(move |c| {
            let all = ChannelFilter::AllButSystem;
            events::after(c, &source_id(), &all, None, page)
        });
        let events = read.await.unwrap();
        let data = |event: &events::StoredEvent| serde_json::from_str(&event.data).unwrap();
        events.iter().map(data).collect()
    }
}

pub(crate) fn source_id() -> SourceId {
    source_named("a")
}

pub(crate) fn source_named(name: &str) -> SourceId {
    SourceId::parse(&format!("dc_{name}")).unwrap()
}

/// The name of the source of an invocation.
fn source_name(invocation: &ScriptedInvocation) -> String {
    match &invocation.owner {
        ProcessOwner::Source(id) => id.as_str().trim_start_matches("dc_").to_owned(),
        other => panic!("{other:?}"),
    }
}

pub(crate) fn user_id() -> UserId {
    UserId::parse("u_a").unwrap()
}

fn component() -> Component {
    let shape = ComponentShape {
        name: "Scripted".to_owned(),
        key: None,
        version: "0.0.1".to_owned(),
        description: None,
        kind: ComponentKind::Source,
        dedupe: None,
        props: Vec::new(),
        hooks: Vec::new(),
        has_run: true,
        format: ModuleFormat::CommonJs,
        has_additional_props: false,
        warnings: Vec::new(),
    };
    Component {
        id: ComponentId::parse("sc_a").unwrap(),
        user_id: user_id(),
        key: None,
        name: "Scripted".to_owned(),
        version: "0.0.1".to_owned(),
        code: CodeFiles::single("module.exports = {}", ModuleFormat::CommonJs),
        code_hash: "hash".to_owned(),
        url: None,
        packages: Packages::Resolved(None),
        shape,
        created_at: testing::NOW,
        updated_at: testing::NOW,
        workflow_id: None,
        imported: false,
    }
}

fn source(name: &str) -> Source {
    Source {
        id: source_named(name),
        user_id: user_id(),
        component_id: ComponentId::parse("sc_a").unwrap(),
        name: "Scripted".to_owned(),
        name_slug: format!("scripted-{name}"),
        phase: Phase::Live,
        active: true,
        configured_props: Map::new(),
        dynamic_props: Vec::new(),
        retention: Retention::default(),
        version: 1,
        created_at: testing::NOW,
        updated_at: testing::NOW,
    }
}
