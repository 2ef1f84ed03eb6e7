//! The fake API, and an import from it into a temporary folder.

use std::{collections::BTreeMap, fs, path::Path, path::PathBuf};

use serde_json::{Value, json};
use sluice_testkit::receiver::{Answer, Delivery, Receiver};
use tempfile::TempDir;

use super::super::{PipedreamOptions, import};
use crate::commands::{apply::read::read, snapshot::folder::Folder};

pub(super) const KEY: &str = "the-key";

/// Responds to each path with a body, and to all others with 404. Lists of the account are empty unless given.
pub(super) fn fake(routes: Vec<(&str, Value)>) -> Receiver {
    let lists = [
        "/users/me/sources",
        "/users/me/webhooks",
        "/users/me/subscriptions",
        "/accounts",
    ];
    let mut bodies: BTreeMap<String, Value> = lists
        .map(|path| (path.to_owned(), json!({ "data": [] })))
        .into();
    bodies.insert("/users/me".to_owned(), json!({ "data": { "id": "u_1" } }));
    let routes = routes.into_iter();
    bodies.extend(routes.map(|(path, body)| (path.to_owned(), body)));
    Receiver::start(move |request| respond(&bodies, request))
}

fn respond(bodies: &BTreeMap<String, Value>, request: &Delivery) -> Answer {
    if request.header("authorization") != Some(&format!("Bearer {KEY}")) {
        return Answer::status(401).body("{}");
    }
    let path = request.path.trim_start_matches("/v1");
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    match bodies.get(path) {
        Some(body) => Answer::status(200).body(body.to_string()),
        None => Answer::status(404).body(r#"{"error": "record not found"}"#),
    }
}

/// A list as the API gives it.
pub(super) fn list(rows: &Value) -> Value {
    json!({ "data": rows })
}

/// A source row with these fields.
pub(super) fn source(id: &str, name: &str, component: &str, props: &Value) -> Value {
    json!({ "id": id, "name": name, "component_id": component, "configured_props": props, "active": true,
        "created_at": 1_600_000_000 })
}

/// A component of the user.
pub(super) fn component(name: &str) -> Value {
    let code = format!(
        "export default {{ name: \"{name}\", version: \"0.0.1\", props: {{ http: \"$.interface.http\" }}, run(event) {{ this.$emit(event); }} }};"
    );
    json!({ "data": { "id": "sc_1", "name": name, "code": code, "configurable_props": [] } })
}

/// A temporary folder, in which the import is written to `moved`.
pub(super) struct Import {
    folder: TempDir,
}

impl Import {
    pub(super) fn new() -> Import {
        Import {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(super) fn put(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(super) fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    pub(super) fn report(&self) -> String {
        self.text("moved/REPORT.md")
    }

    pub(super) fn options(&self, api: Option<&Receiver>) -> PipedreamOptions {
        let workflows = self.path("synced");
        PipedreamOptions {
            to: self.path("moved"),
            api_key: api.map(|_| KEY.to_owned()),
            base_url: api.map_or_else(String::new, |api| api.url("/v1")),
            org: None,
            workflows: if workflows.is_dir() {
                vec![workflows]
            } else {
                Vec::new()
            },
            accounts: Vec::new(),
            force: false,
            json: false,
        }
    }

    /// Runs the command, which must succeed, and reads the folder as `sluice apply` does.
    pub(super) async fn run(&self, api: Option<&Receiver>) -> Folder {
        import(self.options(api)).await.unwrap();
        self.read().await
    }

    pub(super) async fn error(&self, options: PipedreamOptions) -> String {
        format!("{:#}", import(options).await.unwrap_err())
    }

    pub(super) async fn read(&self) -> Folder {
        let folder = read(&self.path("moved")).await.unwrap();
        folder.unwrap_or_else(|errors| panic!("{errors:#?}"))
    }

    /// The text of every file of the folder.
    pub(super) fn files(&self) -> BTreeMap<PathBuf, String> {
        let mut files = BTreeMap::new();
        collect(&self.path("moved"), &mut files);
        files
    }
}

fn collect(folder: &Path, files: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.insert(path.clone(), fs::read_to_string(&path).unwrap());
        }
    }
}
