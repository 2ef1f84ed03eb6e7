//! `make compare`: the same work on Sluice, n8n and Node-RED, one after another.
//!
//! Each program has a webhook and one code step. The load generator is that of the benchmark. A program that cannot be
//! installed or measured does not stop the others.

mod comparison;
mod install;
mod instance;
mod n8n;
mod node_red;
mod order;
mod process;
mod program;
mod results;
mod rows;
mod sluice;
mod survival;
mod table;
mod work;

use std::{
    io::{self, Write},
    path::PathBuf,
    process::ExitCode,
    time::Duration,
};

use clap::{Parser, ValueEnum};
use tokio::{
    signal::unix::{SignalKind, signal},
    task::{LocalSet, spawn_local},
};

use self::{
    comparison::Comparison,
    install::Cache,
    n8n::N8n,
    node_red::{NodeRed, Storage},
    program::Program,
    results::Results,
    sluice::Sluice,
    survival::Kills,
    work::Round,
};
use crate::open_files;

#[derive(Debug, Clone, Parser)]
#[command(
    name = "sluice-compare",
    about = "Compares Sluice with n8n and Node-RED on this machine"
)]
struct Arguments {
    /// The programs to compare. Default: all.
    #[arg(long, value_delimiter = ',', value_enum, default_values_t = Candidate::ALL)]
    only: Vec<Candidate>,
    /// The folder into which n8n and Node-RED are installed.
    #[arg(long, default_value = "target/compare")]
    cache: PathBuf,
    /// The Sluice to measure.
    #[arg(long, default_value = "target/dist/sluice")]
    binary: PathBuf,
    /// The file for the measurements, as JSON.
    #[arg(long, default_value = "target/compare/comparison.json")]
    json: PathBuf,
    /// The numbers of keep-alive connections. Each is measured on its own.
    #[arg(long, value_delimiter = ',', default_values_t = [32, 128])]
    connections: Vec<usize>,
    /// How long each load lasts.
    #[arg(long, default_value_t = 15)]
    seconds: u64,
    /// How long the load before it lasts, which is not measured.
    #[arg(long, default_value_t = 3)]
    warm_up_seconds: u64,
    /// How often each program is killed.
    #[arg(long, default_value_t = 3)]
    kills: usize,
    /// How long a load lasts before each kill.
    #[arg(long, default_value_t = 10)]
    kill_seconds: u64,
    /// How many events a load sends at most before each kill.
    #[arg(long, default_value_t = 20_000)]
    kill_events: u64,
}

/// A program that can be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Candidate {
    Sluice,
    N8n,
    NodeRed,
    /// Node-RED with a file node, which keeps results.
    NodeRedFile,
}

impl Candidate {
    const ALL: [Self; 4] = [Self::Sluice, Self::N8n, Self::NodeRed, Self::NodeRedFile];

    fn name(self) -> &'static str {
        match self {
            Self::Sluice => "Sluice",
            Self::N8n => "n8n",
            Self::NodeRed => "Node-RED",
            Self::NodeRedFile => "Node-RED with a file",
        }
    }
}

/// Runs `sluice-compare`.
#[tokio::main(flavor = "current_thread")]
pub async fn compare() -> anyhow::Result<ExitCode> {
    open_files::raise_limit();
    let arguments = Arguments::parse();
    let tasks = LocalSet::new();
    // Leaving this function drops all tasks, and with them the processes that they have started.
    let Some(comparison) = tasks.run_until(run_unless_interrupted(&arguments)).await? else {
        eprintln!("interrupted");
        return Ok(ExitCode::FAILURE);
    };
    write!(io::stdout().lock(), "\n{}", comparison.text())?;
    comparison.write_json(&arguments.json)?;
    Ok(if comparison.is_complete() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Returns nothing after SIGINT or SIGTERM.
async fn run_unless_interrupted(arguments: &Arguments) -> anyhow::Result<Option<Comparison>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        comparison = run(arguments) => comparison.map(Some),
        _ = interrupt.recv() => Ok(None),
        _ = terminate.recv() => Ok(None),
    }
}

async fn run(arguments: &Arguments) -> anyhow::Result<Comparison> {
    let cache = Cache::new(&arguments.cache)?;
    let mut comparison = Comparison::new();
    for candidate in &arguments.only {
        // A panic fails only this program.
        let task = spawn_local(measure(*candidate, arguments.clone(), cache.clone()));
        let results = task.await.unwrap_or_else(|error| Err(error.into()));
        comparison.add(candidate.name(), results);
    }
    Ok(comparison)
}

async fn measure(
    candidate: Candidate,
    arguments: Arguments,
    cache: Cache,
) -> anyhow::Result<Results> {
    let (name, arguments) = (candidate.name(), &arguments);
    match candidate {
        Candidate::Sluice => {
            measure_program(name, Sluice::new(&arguments.binary)?, arguments).await
        }
        Candidate::N8n => measure_program(name, N8n::new(&cache).await?, arguments).await,
        Candidate::NodeRed => {
            let program = NodeRed::new(&cache, Storage::Nowhere).await?;
            measure_program(name, program, arguments).await
        }
        Candidate::NodeRedFile => {
            let program = NodeRed::new(&cache, Storage::File).await?;
            measure_program(name, program, arguments).await
        }
    }
}

async fn measure_program<P: Program>(
    name: &'static str,
    mut program: P,
    arguments: &Arguments,
) -> anyhow::Result<Results> {
    let version = program.version().to_owned();
    let mut results = Vec::new();
    for &connections in &arguments.connections {
        eprintln!("{name} {version}: {connections} connections");
        let round = Round {
            connections,
            warm_up: Duration::from_secs(arguments.warm_up_seconds),
            duration: Duration::from_secs(arguments.seconds),
        };
        results.push(work::measure(&mut program, round).await?);
    }
    eprintln!("{name} {version}: {} kills", arguments.kills);
    let kills = Kills {
        count: arguments.kills,
        after: Duration::from_secs(arguments.kill_seconds),
        after_events: arguments.kill_events,
        connections: arguments.connections.first().copied().unwrap_or(1),
    };
    let survival = survival::measure(&mut program, kills).await?;
    Ok(Results {
        name,
        version,
        work: results,
        survival,
    })
}
