//! Popular npm packages do something real in components under the sandbox: one component for each, in `components`.
//!
//! By default only those run whose packages the repository has installed, without a network. With `SLUICE_POPULAR=all`,
//! as `make packages` sets it, all of them run, with packages from the registry that npm uses.

mod echo;

use std::{env, fs, path::PathBuf, time::Duration};

use serde_json::{Value, json};
use sluice_testkit::{Api, Server, ServerOptions, sluice_binary, wait_for};

const PATIENCE: Duration = Duration::from_mins(2);

struct Component {
    name: String,
    code: String,
}

#[tokio::test(flavor = "multi_thread")]
async fn popular_packages_work_in_components() {
    let all = env::var("SLUICE_POPULAR").is_ok_and(|which| which == "all");
    let components = components(|code| all || is_installed(code));
    assert!(components.len() >= if all { 50 } else { 10 });
    let echo = echo::start().await;
    let options = ServerOptions::new(sluice_binary()).arg("--allow-private-network");
    let options = if all {
        options.public_registry()
    } else {
        options
    };
    let server = Server::start(options).await;
    let mut failures = Vec::new();
    for component in &components {
        match attempt(&server.api(), &echo, component).await {
            Ok(()) => eprintln!("{}: ok", component.name),
            Err(reason) => {
                eprintln!("{}: {reason}", component.name);
                failures.push(&component.name);
            }
        }
    }
    assert!(failures.is_empty(), "of {}: {failures:?}", components.len());
}

async fn attempt(api: &Api, echo: &str, component: &Component) -> Result<(), String> {
    let saved = api
        .post("/sources", &json!({ "component_code": component.code }))
        .await;
    if saved.status != 200 {
        return Err(saved.text);
    }
    let source = saved.ok();
    let path = format!("/sources/{}", source["id"].as_str().unwrap_or_default());
    api.post(&format!("{path}/run"), &json!({ "event": { "url": echo } }))
        .await
        .ok();
    let outcome = wait_for(PATIENCE, &component.name, async || {
        let events = api
            .get(&format!("{path}/event_summaries"))
            .await
            .expect(200);
        let errors = api
            .get(&format!("{path}/event_summaries?event_name=$errors"))
            .await
            .expect(200);
        let first = |page: &Value| page["data"][0]["event"].clone();
        match (first(&events), first(&errors)) {
            (Value::Null, Value::Null) => None,
            (Value::Null, error) => Some(Err(error["error"].to_string())),
            (event, _) => Some(if event == "ok" {
                Ok(())
            } else {
                Err(event.to_string())
            }),
        }
    })
    .await;
    api.delete(&path).await;
    outcome
}

fn components(wanted: impl Fn(&str) -> bool) -> Vec<Component> {
    let folder = repository("crates/sluice-e2e/tests/popular/components");
    let mut components: Vec<Component> = fs::read_dir(folder)
        .expect("the folder of components")
        .map(|entry| entry.expect("an entry").path())
        .map(|path| Component {
            name: path
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned(),
            code: fs::read_to_string(&path).expect("a component is text"),
        })
        .filter(|component| wanted(&component.code))
        .collect();
    components.sort_by(|a, b| a.name.cmp(&b.name));
    components
}

fn is_installed(code: &str) -> bool {
    let manifest = fs::read(repository("package.json")).expect("the manifest can be read");
    let manifest: Value = serde_json::from_slice(&manifest).expect("the manifest is JSON");
    // What others brought along may be of any version.
    let named = &manifest["devDependencies"];
    packages(code).all(|package| named.get(package).is_some())
}

/// The names of the packages that a component imports. Each import of the components is on one line.
fn packages(code: &str) -> impl Iterator<Item = String> {
    let specifiers = code.lines().filter_map(|line| {
        let starts = [" from \"", "import \"", "import(\"", "require(\""];
        let (_, rest) = starts.iter().find_map(|start| line.split_once(start))?;
        rest.split('"').next()
    });
    let from_npm = specifiers.filter(|specifier| !specifier.starts_with("node:"));
    from_npm.map(|specifier| {
        let segments = if specifier.starts_with('@') { 2 } else { 1 };
        let segments: Vec<_> = specifier.split('/').take(segments).collect();
        segments.join("/")
    })
}

fn repository(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}
