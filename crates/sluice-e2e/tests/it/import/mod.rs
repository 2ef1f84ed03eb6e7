//! `sluice registry import`, `check` and `undo`, and the requests behind them.

mod apps;
mod archives;
mod changes;
mod check;
mod command;
mod habits;
mod packages;
mod requests;
mod undo;
pub(crate) mod upload;
mod whole_tree;

use std::{collections::BTreeMap, path::Path, process::Stdio};

use serde_json::{Value, json};
use sluice_testkit::{Api, ComponentTree, Registry, Server, TreePlan, sluice_binary};
use tempfile::TempDir;
use tokio::process::Command;

use crate::support::own_server;

/// A server with a registry of its own, and a checkout.
struct Stage {
    server: Server,
    tree: ComponentTree,
    _folder: TempDir,
}

/// How an import ended.
#[derive(Debug)]
struct Ran {
    code: i32,
    out: String,
    err: String,
}

impl Stage {
    /// With so many apps of ten sound components each.
    async fn with_apps(apps: usize) -> Stage {
        let broken_one_in = usize::MAX;
        Stage::set(TreePlan {
            apps,
            broken_one_in,
        })
        .await
    }

    async fn set(plan: TreePlan) -> Stage {
        let folder = sluice_testkit::scratch_folder();
        let tree = ComponentTree::write(folder.path(), plan);
        let options = own_server().registry(Registry::installed());
        Stage {
            server: Server::start(options).await,
            tree,
            _folder: folder,
        }
    }

    fn api(&self) -> Api {
        self.server.api()
    }

    fn root(&self) -> &Path {
        &self.tree.root
    }

    /// Imports the checkout, with further arguments.
    async fn run(&self, args: &[&str]) -> Ran {
        self.run_at(self.root(), self.server.api_key(), args).await
    }

    async fn run_at(&self, path: &Path, key: &str, args: &[&str]) -> Ran {
        let path = path.to_str().expect("a path in UTF-8");
        self.registry(key, &[&["import", path], args].concat())
            .await
    }

    /// Runs `sluice registry`.
    async fn registry(&self, key: &str, args: &[&str]) -> Ran {
        let output = Command::new(sluice_binary())
            .arg("registry")
            .args(args)
            .env_clear()
            .env("SLUICE_URL", self.server.url())
            .env("SLUICE_API_KEY", key)
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

    /// What an import that must succeed reports.
    async fn import(&self, args: &[&str]) -> Report {
        let ran = self.run(&[&["--json"], args].concat()).await;
        assert_eq!(ran.code, 0, "{ran:#?}");
        Report(serde_json::from_str(&ran.out).expect("JSON"))
    }
}

struct Report(Value);

impl Report {
    /// How many were registered, updated, unchanged and broken.
    fn counts(&self) -> [u64; 4] {
        ["registered", "updated", "unchanged", "broken"]
            .map(|name| self.0[name].as_u64().expect("a number"))
    }

    /// The components by their paths.
    fn components(&self) -> BTreeMap<&str, &Value> {
        let components = self.0["components"].as_array().expect("a list");
        components
            .iter()
            .map(|component| (component["path"].as_str().expect("a path"), component))
            .collect()
    }

    /// The paths of what came out so.
    fn with_outcome(&self, outcome: &str) -> Vec<&str> {
        let components = self.components();
        components
            .into_iter()
            .filter(|(_, component)| component["outcome"] == json!(outcome))
            .map(|(path, _)| path)
            .collect()
    }
}
