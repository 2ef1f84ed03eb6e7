//! What PostgreSQL knows: who owns a source, who waits for a lock, and the process of the server.

use std::time::Duration;

use anyhow::Context;
use tokio_postgres::{Client, NoTls};

use crate::{proc_fs::parent, process_tree::cpu_time};

const OWNER: &str = "SELECT n.name FROM emitter_state s JOIN nodes n ON n.incarnation = s.owner \
     WHERE s.emitter_id = $1";
const WAITING: &str = "SELECT count(*) FROM pg_stat_activity \
     WHERE datname = current_database() AND wait_event_type = 'Lock'";
const BACKEND: &str = "SELECT pg_backend_pid()";

pub(crate) struct DatabaseView {
    client: Client,
    /// The process that started all processes of PostgreSQL. It is on this machine.
    server: u32,
}

impl DatabaseView {
    pub(crate) async fn open(url: &str) -> anyhow::Result<DatabaseView> {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
        tokio::spawn(connection);
        let backend: i32 = client.query_one(BACKEND, &[]).await?.try_get(0)?;
        let server =
            parent(u32::try_from(backend)?).context("PostgreSQL is not on this machine")?;
        Ok(DatabaseView { client, server })
    }

    /// The name of the node that owns a source.
    pub(crate) async fn owner(&self, source: &str) -> anyhow::Result<String> {
        let row = self.client.query_opt(OWNER, &[&source]).await?;
        Ok(row.context("nobody owns the source")?.try_get(0)?)
    }

    /// How many sessions wait for a lock.
    pub(crate) async fn waiting_sessions(&self) -> anyhow::Result<i64> {
        Ok(self.client.query_one(WAITING, &[]).await?.try_get(0)?)
    }

    /// The CPU time of PostgreSQL.
    pub(crate) fn cpu_time(&self) -> anyhow::Result<Duration> {
        cpu_time(self.server)
    }
}
