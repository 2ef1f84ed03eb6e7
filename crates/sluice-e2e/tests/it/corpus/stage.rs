//! Where the components of the tree are tried: a server that may reach loopback, and a user with accounts at Acme.

use std::{collections::BTreeMap, fs, path::Path, sync::LazyLock};

use serde_json::{Value, json};
use sluice_testkit::{Answer, Api, Plan, ServerInfo, ServerOptions, shared};
use tokio::sync::OnceCell;

use super::{acme_api::AcmeApi, loopback::serve_files};
use crate::support::{Deployed, own_server, unique_name};

/// The apps of the tree; all of them are front ends of the same web API.
const APPS: [&str; 3] = ["acme", "bolt", "crane"];

/// How a component of several files comes to the server.
#[derive(Debug, Clone, Copy)]
pub(super) enum Way {
    /// By its address, from where the server follows its imports.
    Url,
    /// With the files of its tree.
    Files,
}

/// A new user, who has a workspace at Acme and an account with each app.
pub(super) struct Stage {
    pub(super) api: Api,
    /// The API key at Acme.
    pub(super) key: String,
    accounts: Value,
}

pub(super) fn tree() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/corpus/tree"))
}

/// The address of a file of the tree.
pub(super) fn address(path: &str) -> String {
    static URL: LazyLock<String> = LazyLock::new(|| serve_files(tree()));
    format!("{}/{path}", *URL)
}

/// A file of the tree, and the other files of the tree. The server selects the files that are imported.
fn with_others(path: &str) -> Value {
    let mut others = files_below(tree());
    let code = others.remove(path).expect("a file of the tree");
    json!({
        "component_code": code,
        "component_files": { "path": path, "files": others },
    })
}

/// The texts of the files below a folder, by their paths from there.
pub(super) fn files_below(folder: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in inner.read_dir().expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = fs::read_to_string(&path).expect("a text");
                let name = path.strip_prefix(folder).expect("a file below it");
                files.insert(name.to_string_lossy().into_owned(), text);
            }
        }
    }
    files
}

/// Options for a server that may reach loopback.
pub(super) fn options() -> ServerOptions {
    own_server().arg("--allow-private-network")
}

fn server() -> &'static ServerInfo {
    shared("corpus", options)
}

/// A new user of the server, without accounts.
pub(super) async fn user() -> Api {
    server().user(&unique_name(), Plan::Free).await
}

/// The one who registers apps.
pub(super) fn operator() -> Api {
    server().api()
}

impl Stage {
    pub(super) async fn enter() -> Stage {
        static REGISTERED: OnceCell<()> = OnceCell::const_new();
        REGISTERED.get_or_init(|| register_apps(operator())).await;
        Stage::of(user().await).await
    }

    /// On a server of the test's own.
    pub(super) async fn on(server: &ServerInfo) -> Stage {
        register_apps(server.api()).await;
        Stage::of(server.user(&unique_name(), Plan::Free).await).await
    }

    async fn of(api: Api) -> Stage {
        let key = unique_name();
        AcmeApi::shared().open(&key);
        let mut accounts = json!({});
        for app in APPS {
            let credentials = json!({ "api_key": key, "api_url": AcmeApi::shared().url() });
            let body = json!({ "app": app, "credentials": credentials });
            let account = api.post("/accounts", &body).await.ok();
            accounts[app] = json!({ "authProvisionId": account["id"] });
        }
        Stage { api, key, accounts }
    }

    /// Values of props, with the account of the app that the component belongs to.
    pub(super) fn props(&self, app: &str, mut props: Value) -> Value {
        props[app] = self.accounts[app].clone();
        props
    }

    /// What names a component of the tree in a request.
    pub(super) fn named(way: Way, path: &str) -> Value {
        match way {
            Way::Url => json!({ "component_url": address(path) }),
            Way::Files => with_others(path),
        }
    }

    /// Deploys a component of the tree; `props` join the account of its app.
    pub(super) async fn deploy(&self, way: Way, path: &str, props: Value) -> Deployed {
        let app = path.split('/').next().unwrap_or_default();
        self.deploy_for(app, way, path, props).await
    }

    /// As [`Stage::deploy`], for a component that uses another app than its own.
    pub(super) async fn deploy_for(
        &self,
        app: &str,
        way: Way,
        path: &str,
        props: Value,
    ) -> Deployed {
        let mut body = Stage::named(way, path);
        body["configured_props"] = self.props(app, props);
        deployed(&self.api, self.api.post("/sources", &body).await)
    }

    /// Saves a component of the tree.
    pub(super) async fn save(&self, way: Way, path: &str) -> Value {
        let body = Stage::named(way, path);
        self.api.post("/components", &body).await.ok()
    }
}

/// The source that a request made.
#[track_caller]
pub(super) fn deployed(api: &Api, answer: Answer) -> Deployed {
    let source = answer.ok();
    let id = source["id"].as_str().expect("an id").to_owned();
    Deployed {
        api: api.clone(),
        id,
        source,
    }
}

async fn register_apps(operator: Api) {
    for app in APPS {
        let fields = json!([{ "name": "api_key", "type": "password" }, { "name": "api_url" }]);
        let body = json!({ "name_slug": app, "auth_type": "keys", "custom_fields": fields });
        operator.post("/apps", &body).await.ok();
    }
}
