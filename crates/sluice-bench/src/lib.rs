//! Benchmarks of Sluice on this machine: throughput compared with a bare Deno handler, latency, memory, timers, and delivery
//! to listeners. A second program, in `compare`, runs the same work on n8n and Node-RED.
//!
//! Each section starts its own server, and a failed section does not stop the others. All sections run on the one thread of
//! this program, so that the load generator uses at most one core.

mod account_load;
mod baseline;
mod cold_start;
mod compare;
mod cpu_parts;
mod database_delay;
mod database_view;
mod delay;
mod delivery;
mod deployment;
mod fan_out;
mod histogram;
mod import;
mod listeners;
mod live_sources;
mod load;
mod memory;
mod node_group;
mod open_files;
mod proc_fs;
mod process_tree;
mod report;
mod response;
mod response_overhead;
mod search;
mod section;
mod settings;
mod several_nodes;
mod stream_readers;
mod throughput;
mod ticks;
mod timers;
mod timers_at_scale;
mod workflows;

use std::{path::PathBuf, process::ExitCode, sync::Arc};

use anyhow::Context;
use clap::Parser;
use sluice_testkit::Backend;
use tokio::task::LocalSet;

pub use crate::compare::compare;
use crate::{report::Report, section::Section, settings::Settings, throughput::Rounds};

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
    let rounds = Rounds {
        ingest: only.contains(&Section::A),
        baseline: only.contains(&Section::B),
    };
    if rounds.ingest || rounds.baseline {
        let measured = throughput::measure(Arc::clone(&settings), rounds);
        report.add(database, "throughput (a, b)", measured).await;
    }
    for section in Section::ALL {
        if only.contains(&section)
            && let Some((title, measured)) = section.measure(Arc::clone(&settings))
        {
            report.add(database, title, measured).await;
        }
    }
}
