//! n8n with its default settings, on its SQLite database: a webhook that responds immediately, and a code node.
//!
//! Executions are saved and task runners are used, as by default. Everything that calls outside is switched off.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;
use tokio::time::sleep;

use super::{
    install::{Cache, Node, Package},
    order, process,
    program::{Kept, Place, Program},
};
use crate::{baseline::free_port, settings::script};

const PACKAGE: Package = Package {
    name: "n8n",
    version: "2.41.1",
    // The driver of its database and the sandbox of expressions have native code.
    scripts: &["sqlite3", "isolated-vm"],
    // n8n names ranges of versions. The newest in these ranges depend on versions that npm did not have.
    overrides: &[
        ("linkedom", "0.18.13"),
        ("@aws-sdk/lib-storage", "3.1164.0"),
        ("@langchain/langgraph", "1.4.18"),
        ("@langchain/langgraph-sdk", "1.12.3"),
    ],
};
const QUEUE_DEADLINE: Duration = Duration::from_mins(5);
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// The id in the file of the workflow.
const WORKFLOW: &str = "sluiceCompare001";
/// Switches off everything that calls outside: telemetry, checks for versions, templates, licences, banners and lists of
/// packages and servers.
const OFFLINE: [(&str, &str); 10] = [
    ("N8N_DIAGNOSTICS_ENABLED", "false"),
    ("N8N_VERSION_NOTIFICATIONS_ENABLED", "false"),
    ("N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED", "false"),
    ("N8N_DYNAMIC_BANNERS_ENABLED", "false"),
    ("N8N_TEMPLATES_ENABLED", "false"),
    ("N8N_PERSONALIZATION_ENABLED", "false"),
    ("N8N_LICENSE_AUTO_RENEW_ENABLED", "false"),
    ("N8N_COMMUNITY_PACKAGES_ENABLED", "false"),
    ("N8N_DISABLED_MODULES", "mcp-registry"),
    ("EXTERNAL_FRONTEND_HOOKS_URLS", ""),
];

#[derive(Debug)]
pub(crate) struct N8n {
    node: Node,
    program: PathBuf,
    /// Of its task broker, which has a fixed port by default.
    broker_port: u16,
}

impl N8n {
    /// Installs it.
    pub(crate) async fn new(cache: &Cache) -> anyhow::Result<Self> {
        let node = cache.node().await?;
        let folder = cache.package(&PACKAGE, &node).await?;
        Ok(Self {
            node,
            program: folder.join("node_modules/n8n/bin/n8n"),
            broker_port: free_port()?,
        })
    }

    fn run(&self, folder: &Path) -> Command {
        let mut command = Command::new(self.node.program());
        command
            .arg(&self.program)
            .current_dir(folder)
            .env("PATH", self.node.search_path())
            .env("NODE_ENV", "production")
            .env("N8N_USER_FOLDER", folder)
            .env("N8N_RUNNERS_BROKER_PORT", self.broker_port.to_string())
            .envs(OFFLINE);
        command
    }
}

impl Program for N8n {
    fn version(&self) -> &str {
        PACKAGE.version
    }

    async fn prepare(&self, folder: &Path) -> anyhow::Result<()> {
        let log = folder.join("prepare.log");
        let mut import = self.run(folder);
        let workflow = script("compare/n8n_workflow.json");
        import
            .arg("import:workflow")
            .arg(format!("--input={}", workflow.display()));
        process::run(import, &log).await?;
        let mut publish = self.run(folder);
        publish
            .arg("publish:workflow")
            .arg(format!("--id={WORKFLOW}"));
        process::run(publish, &log).await
    }

    fn command(&self, place: Place<'_>) -> Command {
        let mut command = self.run(place.folder);
        command
            .arg("start")
            .env("N8N_PORT", place.port.to_string())
            .env("N8N_LISTEN_ADDRESS", "127.0.0.1");
        command
    }

    async fn deploy(&mut self, _place: Place<'_>) -> anyhow::Result<String> {
        Ok("/webhook/orders".to_owned())
    }

    async fn processed(&self, place: Place<'_>) -> anyhow::Result<Option<u64>> {
        let ended = "SELECT count(*) FROM execution_entity WHERE status NOT IN ('new', 'running', 'waiting')";
        let count = database(place)?.query_row(ended, [], |row| row.get::<_, u32>(0));
        Ok(Some(count.context("cannot count the executions")?.into()))
    }

    async fn kept(&self, place: Place<'_>) -> anyhow::Result<Kept> {
        let database = database(place)?;
        wait_for_queue(&database).await?;
        let mut executions = database.prepare(
            "SELECT entity.status, data.data FROM execution_entity entity JOIN execution_data data ON data.executionId = entity.id",
        )?;
        let mut rows = executions.query([])?;
        let mut kept = Kept::default();
        while let Some(row) = rows.next()? {
            let (status, data): (String, String) = (row.get(0)?, row.get(1)?);
            let ids = if status == "success" {
                &mut kept.processed
            } else {
                &mut kept.unprocessed
            };
            ids.extend(ids_of(&data));
        }
        Ok(kept)
    }
}

/// Waits until no execution is queued or running. After a crash n8n runs those that had not started, and marks those that
/// had started as crashed.
async fn wait_for_queue(database: &Connection) -> anyhow::Result<()> {
    let queued = "SELECT count(*) FROM execution_entity WHERE status IN ('new', 'running')";
    let deadline = Instant::now() + QUEUE_DEADLINE;
    while database.query_row(queued, [], |row| row.get::<_, u32>(0))? > 0 {
        ensure!(Instant::now() < deadline, "executions are still queued");
        sleep(POLL_INTERVAL).await;
    }
    Ok(())
}

/// n8n has no command that lists executions.
fn database(place: Place<'_>) -> anyhow::Result<Connection> {
    let path = place.folder.join(".n8n/database.sqlite");
    Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)
        .with_context(|| format!("cannot open {}", path.display()))
}

/// The ids of orders in the data of an execution, each once. The data is a flat JSON array of all values.
fn ids_of(data: &str) -> BTreeSet<String> {
    let values = serde_json::from_str::<Vec<Value>>(data).unwrap_or_default();
    let texts = values.iter().filter_map(Value::as_str);
    texts
        .filter(|text| order::is_id(text))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn ids_are_found_among_all_values() {
        let data = r#"[{"id":"1","body":"2"},"ord_00042",{"id":"1"},"order.paid","ord_00042"]"#;
        let ids: Vec<String> = ids_of(data).into_iter().collect();
        assert_eq!(ids, ["ord_00042"]);
        assert!(ids_of("").is_empty());
    }

    #[test]
    fn the_workflow_has_the_id_that_is_published() {
        let text = fs::read_to_string(script("compare/n8n_workflow.json")).expect("it is there");
        let workflow: Value = serde_json::from_str(&text).expect("it is JSON");
        assert_eq!(workflow["id"], WORKFLOW);
    }
}
