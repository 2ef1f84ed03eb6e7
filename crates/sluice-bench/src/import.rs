//! Section l: importing a large tree of components into the registry, twice, and searching it.

use std::{
    fs,
    path::Path,
    process::Stdio,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use serde_json::Value;
use sluice_testkit::{ComponentTree, Server, TreePlan};
use tokio::{
    process::{Child, Command},
    time::sleep,
};

use crate::{
    histogram::Histogram,
    proc_fs::{descendants, usage},
    report::{Measurement, SectionResult, megabytes},
    settings::Settings,
};

/// About five of a hundred are broken.
const BROKEN_ONE_IN: usize = 21;
/// A tree of 15,000 components is imported in three minutes.
const MAX_SECONDS_PER_COMPONENT: f64 = 0.012;
const MAX_SECONDS_AGAIN: f64 = 5.0;
const MAX_MEGABYTES: f64 = 500.0;
/// A tree of 15,000 components adds 300 MB to the database.
const MAX_GROWTH_PER_COMPONENT: f64 = 0.02;
const MAX_SEARCH_MILLISECONDS: f64 = 10.0;
const SEARCHES: [&str; 4] = ["http", "create", "new item", "service_001-copy-item"];
const SEARCH_ROUNDS: usize = 50;
/// The interval between samples of the memory. A sample takes CPU time that the import needs.
const PERIOD: Duration = Duration::from_secs(2);

pub(crate) async fn measure(settings: Arc<Settings>) -> SectionResult {
    let folder = sluice_testkit::scratch_folder();
    let plan = TreePlan {
        apps: settings.apps,
        broken_one_in: BROKEN_ONE_IN,
    };
    let tree = ComponentTree::write(folder.path(), plan);
    let components = tree.components.len();
    eprintln!("l: importing {components} components");
    let server = settings.start_server(&[]).await?;
    let before = database_bytes(&server)?;
    let first = import(&settings, &server, folder.path()).await?;
    let valid = components - tree.broken();
    ensure!(
        first.counts == [valid, 0, 0, tree.broken()],
        "the first import returned {:?}, with {valid} valid components",
        first.counts
    );
    let again = import(&settings, &server, folder.path()).await?;
    ensure!(
        again.counts == [0, 0, valid, tree.broken()],
        "the second import returned {:?}",
        again.counts
    );
    let growth = database_bytes(&server)?.saturating_sub(before);
    let search = search(&server).await?;
    let many = f64::from(u32::try_from(components)?);
    let label = |name: &str| format!("{name} of {components} components");
    Ok(vec![
        Measurement::new('l', &label("import"), first.seconds, "s")
            .at_most(MAX_SECONDS_PER_COMPONENT * many),
        Measurement::new('l', "second import without changes", again.seconds, "s")
            .at_most(MAX_SECONDS_AGAIN),
        Measurement::new('l', "memory of all processes", first.megabytes, "MB")
            .at_most(MAX_MEGABYTES),
        Measurement::new('l', "growth of the database", megabytes(growth), "MB")
            .at_most(MAX_GROWTH_PER_COMPONENT * many),
        Measurement::new('l', "search of the registry, p99", search, "ms")
            .at_most(MAX_SEARCH_MILLISECONDS),
    ])
}

/// The size of the database with its write-ahead log.
fn database_bytes(server: &Server) -> anyhow::Result<u64> {
    let entries = fs::read_dir(server.data_dir())?;
    let mut bytes = 0;
    for entry in entries {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with("sluice.db") {
            bytes += entry.metadata()?.len();
        }
    }
    Ok(bytes)
}

/// The time of a search request, in milliseconds.
async fn search(server: &Server) -> anyhow::Result<f64> {
    let api = server.api();
    let mut times = Histogram::default();
    for _ in 0..SEARCH_ROUNDS {
        for words in SEARCHES {
            let start = Instant::now();
            let path = format!("/components?scope=registry&q={}", words.replace(' ', "%20"));
            let answer = api.get(&path).await;
            ensure!(
                answer.status == 200,
                "the search returned {}",
                answer.status
            );
            times.record(start.elapsed());
        }
    }
    Ok(times.quantile(990).as_secs_f64() * 1000.0)
}

struct Import {
    seconds: f64,
    /// The peak memory of the command, the server and its processes together.
    megabytes: f64,
    /// Registered, updated, unchanged and broken.
    counts: [usize; 4],
}

async fn import(settings: &Settings, server: &Server, folder: &Path) -> anyhow::Result<Import> {
    let start = Instant::now();
    let command = Command::new(settings.binary()?)
        .args(["registry", "import", "--json"])
        .arg(folder)
        .env("SLUICE_URL", server.url())
        .env("SLUICE_API_KEY", server.api_key())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .context("the command does not start")?;
    let command_id = command.id().context("the command has ended")?;
    let mut ending = Box::pin(ended(command));
    let mut most = 0;
    let report = loop {
        tokio::select! {
            report = &mut ending => break report?,
            () = sleep(PERIOD) => most = most.max(memory(server.pid(), command_id)?),
        }
    };
    Ok(Import {
        seconds: start.elapsed().as_secs_f64(),
        megabytes: megabytes(most),
        counts: ["registered", "updated", "unchanged", "broken"]
            .map(|name| serde_json::from_value(report[name].clone()).unwrap_or_default()),
    })
}

async fn ended(command: Child) -> anyhow::Result<Value> {
    let output = command.wait_with_output().await?;
    ensure!(
        output.status.success(),
        "the import ended with {}",
        output.status
    );
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Memory of all processes together. Shared pages count once.
fn memory(server: u32, command: u32) -> anyhow::Result<u64> {
    let mut processes = descendants(server)?;
    processes.extend([server, command]);
    // A process that has just ended uses no memory.
    let used = processes.into_iter().filter_map(|pid| usage(pid).ok());
    Ok(used.map(|usage| usage.proportional).sum())
}
