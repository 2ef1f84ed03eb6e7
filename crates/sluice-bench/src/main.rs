//! Measures Sluice on this machine: throughput against a bare Deno handler, latency, memory, and
//! how events reach those who listen.
//!
//! Each section starts what it needs, and a section that fails does not stop the others. A section is a future on the
//! one thread of this program, so that the load it makes takes no more than one core from the server.

mod cold_start;
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
mod yardstick;

use std::{path::PathBuf, process::ExitCode, sync::Arc};

use anyhow::Context;
use clap::{Parser, ValueEnum};
use tokio::task::LocalSet;

use crate::{
    report::{Measurement, Report},
    settings::Settings,
};

#[derive(Debug, Parser)]
#[command(about = "Measures Sluice on this machine")]
struct Arguments {
    /// The sections to run, such as `a,b`: all of them by default. `a` and `b` run interleaved.
    #[arg(long, value_delimiter = ',', value_enum, default_values_t = Section::ALL)]
    only: Vec<Section>,
    /// Also write the measurements to this file, as JSON.
    #[arg(long)]
    json: Option<PathBuf>,
    #[command(flatten)]
    settings: Settings,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Section {
    /// Durable events per second through an HTTP source
    A,
    /// The same load on a bare Deno handler, the yardstick
    B,
    /// Latency of the first event to a source whose process is not running
    C,
    /// Memory with 10,000 idle sources, and what a running source adds
    D,
    /// Time from tick to run for 1,000 timers due in the same second
    E,
    /// Events per second delivered to one webhook
    F,
    /// Events per second delivered to 1,000 webhooks that hear one source
    G,
    /// Events per second to 1,000 readers of one stream, and the memory of a reader
    H,
    /// Delay from commit to delivery while idle
    I,
    /// Runs per second of a workflow of three steps
    J,
    /// What a step of a workflow costs, and how long an idle run takes
    K,
    /// Time and memory to import 2,000 components into the registry, and to do it again
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

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<ExitCode> {
    open_files::raise_limit();
    let Arguments {
        only,
        json,
        settings,
    } = Arguments::parse();
    let report = LocalSet::new()
        .run_until(run(&only, Arc::new(settings)))
        .await;
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

async fn run(only: &[Section], settings: Arc<Settings>) -> Report {
    let mut report = Report::default();
    let wants = |section| only.contains(&section);
    let ingest = wants(Section::A);
    let yardstick = wants(Section::B);
    if ingest || yardstick {
        let rounds = throughput::Rounds { ingest, yardstick };
        report
            .add(
                "throughput (a, b)",
                throughput::measure(Arc::clone(&settings), rounds),
            )
            .await;
    }
    if wants(Section::C) {
        report
            .add(
                "first event (c)",
                cold_start::measure(Arc::clone(&settings)),
            )
            .await;
    }
    if wants(Section::D) {
        report
            .add("memory (d)", memory::measure(Arc::clone(&settings)))
            .await;
    }
    if wants(Section::E) {
        report
            .add("timers (e)", timers::measure(Arc::clone(&settings)))
            .await;
    }
    if wants(Section::F) {
        report
            .add("one webhook (f)", delivery::to_one(Arc::clone(&settings)))
            .await;
    }
    if wants(Section::G) {
        report
            .add(
                "many webhooks (g)",
                delivery::to_many(Arc::clone(&settings)),
            )
            .await;
    }
    if wants(Section::H) {
        report
            .add(
                "stream readers (h)",
                fan_out::measure(Arc::clone(&settings)),
            )
            .await;
    }
    if wants(Section::I) {
        report
            .add("delay (i)", delay::measure(Arc::clone(&settings)))
            .await;
    }
    if wants(Section::J) {
        report
            .add("runs (j)", workflows::throughput(Arc::clone(&settings)))
            .await;
    }
    if wants(Section::K) {
        report
            .add("steps (k)", workflows::step_cost(Arc::clone(&settings)))
            .await;
    }
    if wants(Section::L) {
        report.add("import (l)", import::measure(settings)).await;
    }
    report
}

/// What a section gives back.
type Outcome = anyhow::Result<Vec<Measurement>>;
