//! Registration with scripted processes.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use serde_json::json;
use sluice_engine::Engine;
use sluice_infra::{Infra, testing};
use sluice_runtime::{
    Processes,
    scripted::{ScriptedOutcome, ScriptedProcesses},
};
use sluice_store::registry::{self, Shelf};
use tempfile::TempDir;

use super::{
    registration::{self, Claim},
    set::StarterSet,
};
use crate::{components::Components, import::Imports};

/// A server whose components load unless they are broken.
struct Fixture {
    infra: Infra,
    imports: Imports,
    is_broken: Arc<AtomicBool>,
    _folder: TempDir,
}

impl Fixture {
    async fn start() -> Fixture {
        // Components are fetched over TLS. The error only means that a provider is installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folder = tempfile::tempdir().unwrap();
        let (infra, _) = testing::infra(folder.path());
        let is_broken = Arc::new(AtomicBool::new(false));
        let broken = Arc::clone(&is_broken);
        let processes = ScriptedProcesses::new(|_| ScriptedOutcome::success());
        let processes = processes.with_shape(move |tree| {
            // The key is between the only quotes of the code.
            let key = tree.code().split('"').nth(1).unwrap_or_default();
            let has_run = !broken.load(Ordering::SeqCst);
            json!({ "key": key, "name": key, "version": "1.0.0", "hasRun": has_run })
        });
        let processes: Arc<dyn Processes> = Arc::new(processes);
        let engine = Engine::start(&infra, &processes).await.unwrap();
        let components = Components::new(&infra, &processes, &engine).unwrap();
        let credentials = engine.credentials.clone();
        Fixture {
            imports: Imports::new(&infra, &processes, components, credentials),
            infra,
            is_broken,
            _folder: folder,
        }
    }

    async fn register(&self, set: &StarterSet) {
        assert_eq!(self.claim(set).await, Claim::Here);
        let registered = registration::register(&self.infra, &self.imports, set);
        registered.await.unwrap();
        assert_eq!(self.claim(set).await, Claim::Registered);
    }

    async fn claim(&self, set: &StarterSet) -> Claim {
        registration::claim(&self.infra, set).await.unwrap()
    }

    async fn keys(&self) -> Vec<String> {
        let listed = self
            .infra
            .store
            .read(|c| registry::entries(c, &Shelf::Server));
        let mut keys: Vec<String> = listed
            .await
            .unwrap()
            .into_iter()
            .map(|one| one.key)
            .collect();
        keys.sort();
        keys
    }

    async fn unpublish(&self, key: &'static str) {
        let unpublish = self
            .infra
            .store
            .write(move |c| registry::unpublish(c, &Shelf::Server, key));
        assert!(unpublish.await.unwrap());
    }
}

/// A set of components with these keys. `note` makes it differ from others. A function makes each one, so its shape comes from a
/// process.
fn set(keys: &[&str], note: &str) -> StarterSet {
    let text = |key: &str| {
        format!("const make = (key) => ({{ key }}); export default make(\"{key}\"); // {note}")
    };
    let texts = keys
        .iter()
        .map(|key| (format!("group/sources/{key}/{key}.mjs"), text(key)));
    StarterSet {
        texts: texts.collect(),
    }
}

#[tokio::test]
async fn a_new_set_replaces_the_one_before() {
    let fixture = Fixture::start().await;
    fixture.register(&set(&["one", "two"], "")).await;
    assert_eq!(fixture.keys().await, ["one", "two"]);
    fixture.register(&set(&["two", "three"], "")).await;
    assert_eq!(fixture.keys().await, ["three", "two"]);
}

#[tokio::test]
async fn an_unpublished_component_comes_back_with_a_new_set() {
    let fixture = Fixture::start().await;
    let first = set(&["one", "two"], "");
    fixture.register(&first).await;
    fixture.unpublish("one").await;
    assert_eq!(fixture.claim(&first).await, Claim::Registered);
    assert_eq!(fixture.keys().await, ["two"]);
    fixture.register(&set(&["one", "two"], "new")).await;
    assert_eq!(fixture.keys().await, ["one", "two"]);
}

#[tokio::test]
async fn a_set_with_an_error_is_tried_again() {
    let fixture = Fixture::start().await;
    let set = set(&["one"], "");
    fixture.is_broken.store(true, Ordering::SeqCst);
    let failed = registration::register(&fixture.infra, &fixture.imports, &set).await;
    let error = failed.unwrap_err().to_string();
    assert!(error.contains("group/sources/one/one.mjs"), "{error}");
    fixture.is_broken.store(false, Ordering::SeqCst);
    fixture.register(&set).await;
    assert_eq!(fixture.keys().await, ["one"]);
}
