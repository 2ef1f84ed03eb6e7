//! What the files of this folder share: running commands, and folders.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Stdio,
};

use serde_json::{Value, json};
use sluice_testkit::{Api, Backend, Terminal, sluice_binary};
use tempfile::TempDir;
use tokio::process::Command;

use crate::support::{new_user, shared_server};

/// A user of the shared server who works with commands.
pub(super) struct Cli {
    pub(super) api: Api,
    env: Vec<(String, String)>,
}

/// How a command ended.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) code: i32,
    pub(super) out: String,
    pub(super) err: String,
}

impl Cli {
    pub(super) async fn new() -> Cli {
        Cli::of(new_user().await)
    }

    pub(super) fn of(api: Api) -> Cli {
        Cli {
            api,
            env: Vec::new(),
        }
    }

    /// The same user, with one more environment variable.
    pub(super) fn with_env(&self, name: &str, value: &str) -> Cli {
        let mut env = self.env.clone();
        env.push((name.to_owned(), value.to_owned()));
        Cli {
            api: self.api.clone(),
            env,
        }
    }

    pub(super) async fn run(&self, args: &[&str]) -> Ran {
        run(args, &self.environment()).await
    }

    /// Runs a command in a terminal of its own.
    pub(super) fn terminal(&self, args: &[&str]) -> Terminal {
        let program = sluice_binary();
        Terminal::start(program, args, &self.environment(), &std::env::temp_dir())
    }

    /// What its commands find in their environment.
    pub(super) fn environment(&self) -> Vec<(String, String)> {
        let url = shared_server(Backend::Sqlite).url();
        let mut env = vec![
            ("SLUICE_URL".to_owned(), url.to_owned()),
            ("SLUICE_API_KEY".to_owned(), self.api.key().to_owned()),
        ];
        env.extend_from_slice(&self.env);
        env
    }

    /// The only source of the account.
    pub(super) async fn only_source(&self) -> Value {
        let sources = self.api.get("/users/me/sources").await.ok();
        let [source] = sources.as_array().expect("a list").as_slice() else {
            panic!("not one source: {sources}");
        };
        source.clone()
    }

    /// Runs a command that must succeed, and gives what it shows.
    #[track_caller]
    pub(super) fn ok(&self, args: &[&str]) -> impl Future<Output = String> {
        let caller = std::panic::Location::caller();
        async move {
            let ran = self.run(args).await;
            assert_eq!(ran.code, 0, "{caller}: {ran:#?}");
            ran.out
        }
    }

    /// Everything of the account that is a list, with ids and times.
    pub(super) async fn everything(&self) -> Value {
        let mut lists = serde_json::Map::new();
        for path in [
            "/components?limit=100",
            "/users/me/sources?limit=100",
            "/workflows?limit=100",
            "/users/me/webhooks?limit=100",
            "/users/me/subscriptions",
        ] {
            lists.insert(path.to_owned(), self.api.get(path).await.ok());
        }
        Value::Object(lists)
    }
}

/// Runs the binary with nothing in its environment but this.
pub(super) async fn run(args: &[&str], env: &[(String, String)]) -> Ran {
    run_in(Path::new("."), args, env).await
}

/// As [`run`], in this folder.
pub(super) async fn run_in(folder: &Path, args: &[&str], env: &[(String, String)]) -> Ran {
    let output = Command::new(sluice_binary())
        .args(args)
        .current_dir(folder)
        .env_clear()
        .envs(env.iter().cloned())
        .stdin(Stdio::null())
        .output()
        .await
        .expect("the binary starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
    Ran {
        code: output.status.code().expect("it was not killed"),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}

/// A folder that goes away in the end.
pub(super) struct Folder(TempDir);

impl Folder {
    pub(super) fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a temporary folder"))
    }

    /// A folder with these files.
    pub(super) fn with(files: &[(&str, &str)]) -> Folder {
        let folder = Folder::new();
        for (path, text) in files {
            folder.put(path, text);
        }
        folder
    }

    pub(super) fn path(&self) -> &str {
        self.0.path().to_str().expect("a path in UTF-8")
    }

    pub(super) fn join(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    pub(super) fn put(&self, path: &str, text: &str) {
        let path = self.join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(path, text).expect("a file");
    }

    pub(super) fn text(&self, path: &str) -> String {
        fs::read_to_string(self.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    pub(super) fn remove(&self, path: &str) {
        fs::remove_file(self.join(path)).expect("the file is there");
    }

    /// The text of every file, by its path.
    pub(super) fn files(&self) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        gather(self.0.path(), self.0.path(), &mut files);
        files
    }
}

fn gather(root: &Path, folder: &Path, files: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            gather(root, &path, files);
        } else {
            let name = path.strip_prefix(root).expect("below the root");
            let text = fs::read_to_string(&path).expect("text");
            files.insert(name.to_str().expect("UTF-8").to_owned(), text);
        }
    }
}

/// The address that a command asks a person to open.
pub(super) fn address_in(output: &str) -> String {
    let mut lines = output.lines().map(str::trim);
    let address = lines.find(|line| line.starts_with("http"));
    address.expect("the address to open").to_owned()
}

/// A component with the given props that does nothing.
pub(super) fn component(name: &str, props: &str) -> String {
    format!(
        "export default {{\n  name: \"{name}\",\n  version: \"0.0.1\",\n  props: {{ {props} }},\n  run() {{}},\n}};\n"
    )
}

/// A source of the given code; gives its id.
pub(super) async fn source(api: &Api, code: &str, name: &str, props: Value) -> String {
    let body = json!({ "component_code": code, "name": name, "configured_props": props });
    let source = api.post("/sources", &body).await.ok();
    source["id"].as_str().expect("an id").to_owned()
}

/// A webhook; gives its id.
pub(super) async fn webhook(api: &Api, name: Option<&str>, url: &str) -> String {
    let body = json!({ "url": url, "name": name });
    let webhook = api.post("/webhooks", &body).await.ok();
    webhook["id"].as_str().expect("an id").to_owned()
}

pub(super) async fn subscribe(api: &Api, emitter: &str, event: &str, listener: &str) {
    let body = json!({ "emitter_id": emitter, "event_name": event, "listener_id": listener });
    api.post("/subscriptions", &body).await.ok();
}
