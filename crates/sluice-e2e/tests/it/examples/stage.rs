//! A server, a copy of an example's folder, and somebody outside whom it talks to.

use std::{env, fs, path::Path};

use sluice_testkit::{
    Api, Server, ServerOptions,
    receiver::{Answer, Delivery, Receiver},
    sluice_binary,
};
use tempfile::TempDir;
use tokio::process::Command;

use crate::workflows::fixtures::Workflow;

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
/// Where READMEs have the server, and where they have everybody else.
const SERVER: &str = "http://127.0.0.1:3000";
const OUTSIDE: &str = "https://example.com";

pub(super) struct Stage {
    pub(super) api: Api,
    /// Answers for everybody else.
    pub(super) outside: Receiver,
    server: Server,
    folder: TempDir,
}

impl Stage {
    pub(super) async fn start(
        example: &str,
        options: ServerOptions,
        answer: impl Fn(&Delivery) -> Answer + Send + Sync + 'static,
    ) -> Stage {
        let folder = tempfile::tempdir().expect("a folder");
        copy(&Path::new(EXAMPLES).join(example), folder.path());
        let server = Server::start(options.arg("--allow-private-network")).await;
        Stage {
            api: server.api(),
            outside: Receiver::start(answer),
            server,
            folder,
        }
    }

    /// The blocks of shell in the README, in their order.
    pub(super) fn blocks(&self) -> Vec<String> {
        let readme = fs::read_to_string(self.folder.path().join("README.md")).expect("a README");
        let blocks = readme.split("```sh\n").skip(1);
        blocks
            .map(|block| block.split("```").next().unwrap_or_default().to_owned())
            .collect()
    }

    /// Runs all blocks in one shell, as a reader would.
    pub(super) async fn run_all(&self) {
        self.run(&self.blocks().concat(), &[]).await;
    }

    /// Runs shell in the folder, which must succeed.
    pub(super) async fn run(&self, script: &str, variables: &[(&str, &str)]) {
        let script = script
            .replace(SERVER, self.server.url())
            .replace(OUTSIDE, &self.outside.url(""));
        let binary = sluice_binary();
        let programs = binary.parent().expect("a folder").display();
        let path = env::var("PATH").unwrap_or_default();
        let output = Command::new("bash")
            .args(["-euo", "pipefail", "-c", &script])
            .current_dir(&self.folder)
            .env("PATH", format!("{programs}:{path}"))
            .env("SLUICE_URL", self.server.url())
            .env("SLUICE_API_KEY", self.server.api_key())
            .envs(variables.iter().copied())
            .output()
            .await
            .expect("bash");
        assert!(output.status.success(), "{script}\n{output:#?}");
    }

    /// A workflow that the README has deployed.
    pub(super) async fn workflow(&self, slug: &str) -> Workflow {
        let all = self.api.get("/workflows?limit=100").await.ok();
        let all = all.as_array().expect("workflows");
        let shown = all.iter().find(|workflow| workflow["name_slug"] == slug);
        let shown = shown.unwrap_or_else(|| panic!("no {slug} in {all:?}"));
        Workflow {
            api: self.api.clone(),
            id: shown["id"].as_str().expect("an id").to_owned(),
            shown: shown.clone(),
        }
    }
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("the example") {
        let entry = entry.expect("a file");
        fs::copy(entry.path(), to.join(entry.file_name())).expect("a copy");
    }
}
