//! Benchmarks of Sluice on this machine: throughput compared with a bare Deno handler, latency, memory, and delivery to
//! listeners. A second program, in `compare`, runs the same work on n8n and Node-RED.
//!
//! Each section starts its own server, and a failed section does not stop the others. All sections run on the one thread of
//! this program, so that the load generator uses at most one core.

mod baseline;
mod cold_start;
mod compare;
mod cpu_parts;
mod delay;
mod delivery;
mod deployment;
mod fan_out;
mod histogram;
mod import;
mod listeners;
mod load;
mod memory;
mod open_files;
mod proc_fs;
mod report;
mod response;
mod settings;
mod stream_readers;
mod throughput;
mod timers;
mod workflows;

use std::{path::PathBuf, process::ExitCode, sync::Arc};

use anyhow::Context;
use clap::{Parser, ValueEnum};
use sluice_testkit::Backend;
use tokio::task::LocalSet;

pub use crate::compare::compare;
use crate::{report::Report, settings::Settings};

/// The target for the rate on PostgreSQL relative to SQLite.
const POSTGRES_RATIO: f64 = 0.6;

#[derive(Debug, Parser)]
#[command(about = "Benchmarks Sluice on this machine")]
struct Arguments {
    /// The sections to run, such as `a,b`. Default: all. `a` and `b` run interleaved.
    #[arg(long, value_delimiter = ',', value_enum, default_values_t = Section::ALL)]
    only: Vec<Section>,
    /// Also write the measurements to this file, as JSON.
    #[arg(long)]
    json: Option<PathBuf>,
    /// Measure nothing, and print the difference between two such files.
    #[arg(long, num_args = 2, value_names = ["BEFORE", "AFTER"], conflicts_with = "json")]
    compare: Option<Vec<PathBuf>>,
    #[command(flatten)]
    settings: Settings,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Section {
    /// Durable events per second through an HTTP source
    A,
    /// The same load on a bare Deno handler, as the baseline
    B,
    /// Latency of the first event to a source whose process is not running
    C,
    /// Memory with 10,000 idle sources, and memory of a running source
    D,
    /// Time from tick to run for 1,000 timers due in the same second
    E,
    /// Events per second delivered to one webhook
    F,
    /// Events per second delivered to 1,000 webhooks that listen to one source
    G,
    /// Events per second to 1,000 readers of one stream, and memory of each reader
    H,
    /// Delay from commit to delivery while idle
    I,
    /// Runs per second of a workflow of three steps
    J,
    /// Time of a workflow step, and latency of a run while idle
    K,
    /// Time and memory to import 2,000 components into the registry, twice
    L,
}

impl Section {
    const ALL: [Self; 12] = [
        Self::A,
        Self::B,
        Self::C,
        Self::D,
        Self::E,
        Self::F,
        Self::G,
        Self::H,
        Self::I,
        Self::J,
        Self::K,
        Self::L,
    ];
}

/// Runs `sluice-bench`.
#[tokio::main(flavor = "current_thread")]
pub async fn bench() -> anyhow::Result<ExitCode> {
    open_files::raise_limit();
    let Arguments {
        only,
        json,
        compare,
        settings,
    } = Arguments::parse();
    if let Some([before, after]) = compare.as_deref() {
        Report::read_json(before)?
            .print_changes(&Report::read_json(after)?)
            .context("cannot print the comparison")?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut report = Report::default();
    for backend in settings.databases() {
        let settings = Arc::new(settings.on(backend));
        let database = match backend {
            Backend::Sqlite => "sqlite",
            Backend::Postgres => "postgres",
        };
        LocalSet::new()
            .run_until(run(&mut report, &only, database, settings))
            .await;
    }
    report.add_database_ratio(throughput::DURABLE_EVENTS, POSTGRES_RATIO);
    report.print().context("cannot print the report")?;
    if let Some(path) = json {
        report
            .write_json(&path)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(if report.is_good() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

async fn run(
    report: &mut Report,
    only: &[Section],
    database: &'static str,
    settings: Arc<Settings>,
) {
    let wants = |section| only.contains(&section);
    let ingest = wants(Section::A);
    let baseline = wants(Section::B);
    if ingest || baseline {
        let rounds = throughput::Rounds { ingest, baseline };
        report
            .add(
                database,
                "throughput (a, b)",
                throughput::measure(Arc::clone(&settings), rounds),
            )
            .await;
    }
    if wants(Section::C) {
        report
            .add(
                database,
                "first event (c)",
                cold_start::measure(Arc::clone(&settings)),
            )
            .await;
    }
    if wants(Section::D) {
        report
            .add(
                database,
                "memory (d)",
                memory::measure(Arc::clone(&settings)),
            )
            .await;
    }
    if wants(Section::E) {
        report
            .add(
                database,
                "timers (e)",
                timers::measure(Arc::clone(&settings)),
            )
            .await;
    }
    if wants(Section::F) {
        report
            .add(
                database,
                "one webhook (f)",
                delivery::to_one(Arc::clone(&settings)),
            )
            .await;
    }
    if wants(Section::G) {
        report
            .add(
                database,
                "many webhooks (g)",
                delivery::to_many(Arc::clone(&settings)),
            )
            .await;
    }
    if wants(Section::H) {
        report
            .add(
                database,
                "stream readers (h)",
                fan_out::measure(Arc::clone(&settings)),
            )
            .await;
    }
    if wants(Section::I) {
        report
            .add(database, "delay (i)", delay::measure(Arc::clone(&settings)))
            .await;
    }
    if wants(Section::J) {
        report
            .add(
                database,
                "runs (j)",
                workflows::throughput(Arc::clone(&settings)),
            )
            .await;
    }
    if wants(Section::K) {
        report
            .add(
                database,
                "steps (k)",
                workflows::step_cost(Arc::clone(&settings)),
            )
            .await;
    }
    if wants(Section::L) {
        report
            .add(database, "import (l)", import::measure(settings))
            .await;
    }
}
