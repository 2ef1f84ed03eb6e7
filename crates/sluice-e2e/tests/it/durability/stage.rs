//! A server of a test's own, with a view of its database.

use std::ops::{Deref, DerefMut};

use sluice_testkit::{Backend, Plan, Postgres, Server, ServerOptions, wait_for};

use crate::{
    ledger::Ledger,
    support::{Deployed, PATIENCE, deploy, own_server, unique_name},
};

pub(super) struct Stage {
    pub(super) server: Server,
    pub(super) ledger: Ledger,
}

impl Stage {
    pub(super) async fn start(backend: Backend, args: &[&str]) -> Stage {
        // Every process is that of a source, so that tests can count them.
        let options = args.iter().fold(own_server(), ServerOptions::arg);
        match backend {
            Backend::Sqlite => {
                let server = Server::start(options).await;
                let ledger = Ledger::Sqlite(server.data_dir().join("sluice.db"));
                Stage { server, ledger }
            }
            Backend::Postgres => {
                let url = Postgres::database();
                let server = Server::start(options.postgres(&url)).await;
                let ledger = Ledger::Postgres(url);
                Stage { server, ledger }
            }
        }
    }

    /// Deploys code for a user who has nothing else, so that what is counted for the user is the source's.
    pub(super) async fn deploy(&self, code: &str) -> Deployed {
        let api = self.server.user(&unique_name(), Plan::Free).await;
        deploy(&api, code).await
    }

    /// Waits until everything the source accepted is committed.
    pub(super) async fn settled(&self, source: &Deployed) {
        self.worked_off(&source.id).await;
    }

    /// The same for a source or a workflow.
    pub(super) async fn worked_off(&self, emitter: &str) {
        wait_for(PATIENCE * 3, "the inbox to run empty", async || {
            (self.ledger.waiting(emitter) == 0).then_some(())
        })
        .await;
    }

    /// One counter of `/metrics`.
    pub(super) async fn metric(&self, name: &str) -> u64 {
        let request = self
            .server
            .api()
            .root(sluice_testkit::Method::GET, "/metrics");
        let text = request.send().await.text;
        let value = text
            .lines()
            .find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
        value.unwrap_or_else(|| panic!("no {name} in {text}"))
    }
}

impl Deref for Stage {
    type Target = Server;

    fn deref(&self) -> &Server {
        &self.server
    }
}

impl DerefMut for Stage {
    fn deref_mut(&mut self) -> &mut Server {
        &mut self.server
    }
}
