//! Sluice with its default settings, on SQLite: a source with an HTTP interface that emits one event for each request.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::{Context, ensure};
use serde_json::{Value, json};
use sluice_testkit::{Api, Method, unique_hex};
use tokio::time::{Instant, sleep};

use super::program::{Kept, Place, Program};
use crate::{
    deployment::{Source, counter, deploy, save_component},
    settings::deno,
    throughput::split_url,
};

const INVOCATIONS: &str = "sluice_invocations_total";
/// More than any round emits, so that the events can be counted. The default is 10,000 for each source.
const KEEP_ALL_EVENTS: &str = "100000000";
const START_DEADLINE: Duration = Duration::from_secs(30);
const POLL_INTERVAL: Duration = Duration::from_millis(50);

#[derive(Debug)]
pub(crate) struct Sluice {
    binary: PathBuf,
    deno: PathBuf,
    version: String,
    api_key: String,
    source: Option<Source>,
}

impl Sluice {
    pub(crate) fn new(binary: &Path) -> anyhow::Result<Self> {
        let missing = || format!("{} does not exist: run `make compare`", binary.display());
        let binary = binary.canonicalize().with_context(missing)?;
        let output = Command::new(&binary).arg("--version").output()?;
        let output = String::from_utf8(output.stdout)?;
        let version = output
            .split_whitespace()
            .nth(1)
            .context("it tells no version")?;
        Ok(Self {
            deno: deno()?,
            version: version.to_owned(),
            api_key: unique_hex(),
            source: None,
            binary,
        })
    }

    fn api(&self, place: Place<'_>) -> Api {
        let url = format!("http://127.0.0.1:{}", place.port);
        Api::new(&url, &self.api_key)
    }
}

impl Program for Sluice {
    fn version(&self) -> &str {
        &self.version
    }

    async fn prepare(&self, _folder: &Path) -> anyhow::Result<()> {
        Ok(())
    }

    fn command(&self, place: Place<'_>) -> Command {
        let mut command = Command::new(&self.binary);
        command
            .args(["serve", "--event-retention", KEEP_ALL_EVENTS, "--listen"])
            .arg(format!("127.0.0.1:{}", place.port))
            .arg("--data-dir")
            .arg(place.folder)
            .env("SLUICE_DENO", &self.deno)
            .env("SLUICE_API_KEY", &self.api_key)
            // The first start writes a profile, which must not replace that of the developer.
            .env("XDG_CONFIG_HOME", place.folder);
        command
    }

    async fn deploy(&mut self, place: Place<'_>) -> anyhow::Result<String> {
        let api = self.api(place);
        wait_until_healthy(&api).await?;
        let component = save_component(&api, "compare/order_source.mjs").await?;
        let sources = deploy(&api, &component, &json!({}), 1).await?;
        let source = sources.into_iter().next().context("no source")?;
        let (_, path) = split_url(source.endpoint()?)?;
        self.source = Some(source);
        Ok(path)
    }

    async fn processed(&self, place: Place<'_>) -> anyhow::Result<Option<u64>> {
        Ok(Some(counter(&self.api(place), INVOCATIONS).await))
    }

    async fn kept(&self, place: Place<'_>) -> anyhow::Result<Kept> {
        let api = self.api(place);
        let source = self.source.as_ref().context("no source")?;
        let mut kept = Kept::default();
        let mut after = String::new();
        loop {
            // With a time, all stored events are listed.
            let path = format!(
                "/sources/{}/event_summaries?since=0&limit=100&expand=event{after}",
                source.id
            );
            let page = api.get(&path).await.expect(200);
            let summaries = page["data"].as_array().context("the page has no data")?;
            let ids = summaries.iter().map(|summary| &summary["event"]["id"]);
            let ids = ids.filter_map(Value::as_str);
            kept.processed.extend(ids.map(str::to_owned));
            match page["page_info"]["end_cursor"].as_str() {
                Some(cursor) if !summaries.is_empty() => after = format!("&after={cursor}"),
                _ => return Ok(kept),
            }
        }
    }
}

async fn wait_until_healthy(api: &Api) -> anyhow::Result<()> {
    let deadline = Instant::now() + START_DEADLINE;
    loop {
        let answer = api.root(Method::GET, "/healthz").try_send().await;
        if answer.is_ok_and(|answer| answer.status == 200) {
            return Ok(());
        }
        ensure!(Instant::now() < deadline, "Sluice did not become healthy");
        sleep(POLL_INTERVAL).await;
    }
}
