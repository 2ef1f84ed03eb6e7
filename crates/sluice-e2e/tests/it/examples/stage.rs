//! A server, a copy of an example's folder, and a receiver that stands for everything else.

use std::{fs, path::Path};

use sluice_testkit::{
    Api, Server, ServerOptions,
    receiver::{Answer, Delivery, Receiver},
};

use crate::{
    pages::{Place, markdown::Page, runner, session, session::Session},
    workflows::fixtures::Workflow,
};

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");

pub(super) struct Stage {
    pub(super) api: Api,
    /// Answers for everybody else.
    pub(super) outside: Receiver,
    page: Page,
    session: Session,
    _server: Server,
}

impl Stage {
    pub(super) async fn start(
        example: &str,
        options: ServerOptions,
        answer: impl Fn(&Delivery) -> Answer + Send + Sync + 'static,
    ) -> Stage {
        let server = Server::start(options.arg("--allow-private-network")).await;
        let outside = Receiver::start(answer);
        let place = Place {
            url: server.url(),
            key: server.api_key(),
        };
        let session = session(&place, &outside);
        let folder = Path::new(EXAMPLES).join(example);
        copy(&folder, &session);
        let page = fs::read_to_string(folder.join("README.md")).expect("a README");
        Stage {
            api: server.api(),
            outside,
            page: Page::parse(&page),
            session,
            _server: server,
        }
    }

    /// The blocks of shell in the README, in their order.
    pub(super) fn blocks(&self) -> Vec<String> {
        let blocks = self.page.shell().into_iter();
        blocks.map(|block| block.text.clone()).collect()
    }

    /// Follows the README from its beginning to its end.
    pub(super) async fn run_all(&mut self) {
        let result = runner::run(
            &self.page,
            &mut self.session,
            Some(&self.api),
            Path::new(EXAMPLES),
        )
        .await;
        result.expect("the README is right");
    }

    /// Runs shell in the folder, which must succeed.
    pub(super) async fn run(&mut self, script: &str) {
        let ended = self.session.run(script).await;
        assert!(ended.succeeded, "{script}\n{}", ended.output);
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

/// Copies the files, with the addresses of this machine.
fn copy(from: &Path, session: &Session) {
    for entry in fs::read_dir(from).expect("the example") {
        let entry = entry.expect("a file");
        let text = fs::read_to_string(entry.path()).expect("text");
        let copy = session.folder().join(entry.file_name());
        fs::write(copy, session.localized(&text)).expect("a copy");
    }
}
