//! A fresh database for each test, and the rows that tests share.

use std::{env, sync::mpsc};

use serde_json::{Map, json};
use sluice_model::{
    CodeFiles, ComponentId, ComponentKind, ComponentShape, DeploymentId, EndpointKey, EventId,
    IdGen, InvocationId, ModuleFormat, PropDef, SourceId, UserId, WebhookId, WorkflowId,
};
use sluice_store::{
    Conn, Location, Result, Store, StoreOptions,
    components::{Component, Packages},
    params,
    registry::{Publication, Shelf},
    sources::{Phase, Retention, Source},
    state::{self, Claim, Fence},
    users::{Plan, User},
    webhooks::Webhook,
    workflows::Workflow,
};
use tempfile::TempDir;
use tokio::{
    runtime::{Builder, Runtime},
    task::JoinSet,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Db {
    Sqlite,
    Postgres,
}

const TEMPLATE: &str = "sluice_template";

/// A place for one test's data, gone when the test ends.
pub(crate) enum Place {
    Folder(TempDir),
    Database { name: String },
}

/// Tests that run at the same time need databases of different names.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place of these tests that may read the randomness of the machine"
)]
fn unique() -> u64 {
    rand::random()
}

impl Place {
    /// `None` when PostgreSQL is asked for and explicitly left out of this run.
    pub(crate) fn new(db: Db) -> Option<Place> {
        match db {
            Db::Sqlite => Some(Place::Folder(tempfile::tempdir().unwrap())),
            Db::Postgres if skips_postgres() => None,
            Db::Postgres => Some(Place::Database {
                name: create_database(""),
            }),
        }
    }

    /// A place with the schema in it. On PostgreSQL that is a copy, which is faster than creating the schema.
    pub(crate) fn with_schema(db: Db) -> Option<Place> {
        if db == Db::Sqlite || skips_postgres() {
            return Place::new(db);
        }
        ensure_template();
        let name = create_database(&format!("TEMPLATE {TEMPLATE}"));
        Some(Place::Database { name })
    }

    pub(crate) fn location(&self) -> Location {
        match self {
            Place::Folder(folder) => Location::Sqlite(folder.path().join("sluice.db")),
            Place::Database { name } => database(name),
        }
    }

    pub(crate) fn options(&self) -> StoreOptions {
        StoreOptions {
            postgres_connections: 3,
            ..StoreOptions::new(self.location())
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Place::Database { name } = self {
            admin(&format!("DROP DATABASE {name} WITH (FORCE)"));
        }
    }
}

fn skips_postgres() -> bool {
    env::var("SLUICE_TEST_SKIP_POSTGRES").as_deref() == Ok("1")
}

fn create_database(options: &str) -> String {
    let name = format!("sluice_{:016x}", unique());
    admin(&format!("CREATE DATABASE {name} {options}"));
    name
}

fn database(name: &str) -> Location {
    let address = server_address();
    let (server, _) = address
        .rsplit_once('/')
        .expect("an address with a database");
    Location::Postgres(format!("{server}/{name}"))
}

/// Creates a database with the schema, for copying, unless the test of another process did. It gets its name when it is
/// complete.
fn ensure_template() {
    let mut client = postgres::Client::connect(&server_address(), postgres::NoTls).unwrap();
    let lock = "SELECT pg_advisory_lock(hashtext($1))";
    client.execute(lock, &[&TEMPLATE]).unwrap();
    let find = "SELECT 1 FROM pg_database WHERE datname = $1";
    if client.query_opt(find, &[&TEMPLATE]).unwrap().is_none() {
        let name = create_database("");
        Store::open(StoreOptions::new(database(&name)))
            .unwrap()
            .close();
        let rename = format!("ALTER DATABASE {name} RENAME TO {TEMPLATE}");
        client.batch_execute(&rename).unwrap();
    }
}

/// Runs one statement on the server's own database.
pub(crate) fn admin(sql: &str) {
    postgres::Client::connect(&server_address(), postgres::NoTls)
        .and_then(|mut client| client.batch_execute(sql))
        .unwrap();
}

/// The number of sessions of a database.
pub(crate) fn sessions(name: &str) -> i64 {
    let mut client = postgres::Client::connect(&server_address(), postgres::NoTls).unwrap();
    let count = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = $1";
    client.query_one(count, &[&name]).unwrap().get(0)
}

fn server_address() -> String {
    env::var("SLUICE_TEST_POSTGRES_URL").expect(
        "SLUICE_TEST_POSTGRES_URL is not set: run `make test`, which starts a PostgreSQL, or set \
         SLUICE_TEST_SKIP_POSTGRES=1 to leave it out",
    )
}

/// A store on a fresh database, driven from a test that is not async.
pub(crate) struct TestStore {
    // Dropped in this order: the store lets go of its database before that is removed.
    pub(crate) store: Store,
    pub(crate) runtime: Runtime,
    pub(crate) place: Place,
}

impl TestStore {
    pub(crate) fn new(db: Db) -> Option<TestStore> {
        Some(TestStore::at(Place::with_schema(db)?))
    }

    pub(crate) fn at(place: Place) -> TestStore {
        let options = place.options();
        TestStore::with(place, options)
    }

    pub(crate) fn with(place: Place, options: StoreOptions) -> TestStore {
        TestStore {
            store: Store::open(options).unwrap(),
            runtime: Builder::new_current_thread().build().unwrap(),
            place,
        }
    }

    /// Closes the store and opens it again on the same data.
    pub(crate) fn reopen(self) -> TestStore {
        let TestStore {
            store,
            runtime,
            place,
        } = self;
        // Its tasks may hold handles too.
        drop(runtime);
        drop(store);
        TestStore::at(place)
    }

    pub(crate) fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut dyn Conn) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.runtime.block_on(self.store.write(work))
    }

    pub(crate) fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut dyn Conn) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.runtime.block_on(self.store.read(work))
    }
}

pub(crate) type Work = Box<dyn FnOnce(&mut dyn Conn) -> Result<()> + Send>;

/// Starts all of `works` while the store is busy, so that on SQLite they form one group.
pub(crate) fn write_together(t: &TestStore, works: Vec<Work>) -> Vec<Result<()>> {
    let (signal, started) = mpsc::channel();
    let (release, busy) = mpsc::channel::<()>();
    t.runtime.block_on(async {
        let store = t.store.clone();
        let blocker = tokio::spawn(async move {
            let hold = move |_: &mut dyn Conn| {
                signal.send(()).unwrap();
                busy.recv().unwrap();
                Ok(())
            };
            store.write(hold).await
        });
        tokio::task::yield_now().await;
        started.recv().unwrap();

        let mut tasks = JoinSet::new();
        for (number, work) in works.into_iter().enumerate() {
            let store = t.store.clone();
            tasks.spawn(async move { (number, store.write(work).await) });
        }
        tokio::task::yield_now().await;
        release.send(()).unwrap();
        blocker.await.unwrap().unwrap();
        let mut results = tasks.join_all().await;
        results.sort_by_key(|(number, _)| *number);
        results.into_iter().map(|(_, result)| result).collect()
    })
}

pub(crate) fn user_id(tail: &str) -> UserId {
    UserId::parse(&format!("u_{tail}")).unwrap()
}

pub(crate) fn component_id(tail: &str) -> ComponentId {
    ComponentId::parse(&format!("sc_{tail}")).unwrap()
}

pub(crate) fn source_id(tail: &str) -> SourceId {
    SourceId::parse(&format!("dc_{tail}")).unwrap()
}

pub(crate) fn endpoint_key(digit: char) -> EndpointKey {
    EndpointKey::parse(&digit.to_string().repeat(32)).unwrap()
}

/// `count` invocation ids in ascending order.
pub(crate) fn invocation_ids(count: usize) -> Vec<InvocationId> {
    let mut ids = IdGen::new(7);
    (0..count)
        .map(|_| InvocationId::generate(&mut ids, 1_000))
        .collect()
}

pub(crate) fn user(tail: &str) -> User {
    User {
        id: user_id(tail),
        username: format!("name-{tail}"),
        email: format!("{tail}@example.com"),
        plan: Plan::Free,
        operator: false,
        key_sealed: "sealed".to_owned(),
        created_at: 1_000,
    }
}

pub(crate) fn component(tail: &str, owner: &UserId) -> Component {
    Component {
        id: component_id(tail),
        user_id: owner.clone(),
        key: Some("key".to_owned()),
        name: "Name".to_owned(),
        version: "0.0.1".to_owned(),
        code: CodeFiles::single("module.exports = {}", ModuleFormat::CommonJs),
        code_hash: "hash".to_owned(),
        url: None,
        packages: Packages::Resolved(None),
        shape: ComponentShape {
            name: "Name".to_owned(),
            key: Some("key".to_owned()),
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
        },
        created_at: 1_000,
        updated_at: 1_000,
        workflow_id: None,
        imported: false,
    }
}

/// A version of a published component.
pub(crate) fn publication(shelf: &Shelf, component: &Component) -> Publication {
    Publication {
        shelf: shelf.clone(),
        key: component.key.clone().unwrap(),
        version: component.version.clone(),
        component_id: component.id.clone(),
        app: Some("app".to_owned()),
        kind: ComponentKind::Action,
        name: component.name.clone(),
        description: None,
        published_at: 7,
    }
}

/// A live, active source.
pub(crate) fn source(tail: &str, owner: &UserId, created_at: i64) -> Source {
    let mut configured_props = Map::new();
    configured_props.insert("zeta".to_owned(), json!({ "b": [1, null], "a": "ä\u{0}" }));
    configured_props.insert("alpha".to_owned(), json!(true));
    Source {
        id: source_id(tail),
        user_id: owner.clone(),
        component_id: component_id("c"),
        name: format!("Source {tail}"),
        name_slug: format!("source-{tail}"),
        phase: Phase::Live,
        active: true,
        configured_props,
        dynamic_props: Vec::new(),
        retention: Retention::default(),
        version: 1,
        created_at,
        updated_at: created_at,
    }
}

pub(crate) fn workflow_id(tail: &str) -> WorkflowId {
    WorkflowId::parse(&format!("p_{tail}")).unwrap()
}

/// An active workflow.
pub(crate) fn workflow(tail: &str, owner: &UserId, created_at: i64) -> Workflow {
    Workflow {
        id: workflow_id(tail),
        user_id: owner.clone(),
        name: "W".to_owned(),
        name_slug: format!("w-{tail}"),
        active: true,
        deployment_id: DeploymentId::parse("d_a").unwrap(),
        created_at,
        updated_at: created_at,
        internal: false,
    }
}

pub(crate) fn webhook_id(tail: &str) -> WebhookId {
    WebhookId::parse(&format!("wh_{tail}")).unwrap()
}

/// An active webhook.
pub(crate) fn webhook(tail: &str, owner: &UserId, created_at: i64) -> Webhook {
    Webhook {
        id: webhook_id(tail),
        user_id: owner.clone(),
        name: None,
        description: None,
        url: format!("https://example.com/{tail}"),
        active: true,
        concurrency: 1,
        secret: "sealed".to_owned(),
        previous: None,
        created_at,
        updated_at: created_at,
    }
}

pub(crate) fn prop(name: &str) -> PropDef {
    PropDef::from_declaration(name, json!({ "type": "string", "label": name })).unwrap()
}

/// Holds an event for a time that does not come.
pub(crate) fn hold(c: &mut dyn Conn, source: &str, id: EventId) -> Result<()> {
    c.execute(
        "INSERT INTO held_events (emitter_id, ms, seq, due_at, depth) VALUES (?1, ?2, ?3, ?4, 0)",
        params![&source_id(source), id.ms, id.seq, i64::MAX],
    )?;
    Ok(())
}

/// The held events, by their sources and ids.
pub(crate) fn held(c: &mut dyn Conn) -> Result<Vec<String>> {
    let mut held = Vec::new();
    let sql = "SELECT emitter_id, ms, seq FROM held_events ORDER BY emitter_id, ms, seq";
    c.query(sql, &[], &mut |row| {
        let (source, ms, seq) = (row.get::<SourceId>(0)?, row.get(1)?, row.get(2)?);
        held.push(format!("{source} {}", EventId { ms, seq }));
        Ok(())
    })?;
    Ok(held)
}

/// The state of a source, claimed by a server of this name.
pub(crate) fn claimed(c: &mut dyn Conn, source: &SourceId, owner: &str) -> Result<Fence> {
    state::insert(c, source)?;
    claim(c, source, owner)
}

/// Claims a source whose owner is not alive.
pub(crate) fn claim(c: &mut dyn Conn, source: &SourceId, owner: &str) -> Result<Fence> {
    match state::claim(c, source, &owner.into(), true)? {
        Claim::Made(fence) => Ok(fence),
        refused => panic!("{refused:?}"),
    }
}
