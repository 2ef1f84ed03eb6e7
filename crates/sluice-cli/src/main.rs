//! The `sluice` binary.

mod banner;
mod cli;
mod client;
mod command_line;
mod commands;
mod data_folder;
#[cfg(test)]
mod docs;
mod exit;
mod first_profile;
mod logging;
mod maintenance;
mod man_pages;
mod open_files;
mod options;
mod private_file;
mod serve;
mod version;

use std::{
    ffi::OsString,
    io::{self, Write},
    process::ExitCode,
};

use clap::FromArgMatches;
use mimalloc::MiMalloc;
use sluice_runtime::launcher::{self, Confinement};

use crate::{
    cli::{Cli, Command},
    command_line::command_line,
    options::effective::effective_settings,
};

/// A request takes many small allocations, which the allocator of the system does more slowly.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    let outcome = match words.next() {
        Some(word) if word == launcher::SUBCOMMAND => Err(exec_sandboxed(words)),
        Some(word) if word == launcher::PROBE_SUBCOMMAND => sandbox_probe(),
        _ => run(),
    };
    match outcome {
        Ok(code) => code,
        Err(error) => {
            if !error.is::<exit::Interrupted>() {
                eprintln!("sluice: {error:#}");
            }
            exit::code_of(&error)
        }
    }
}

/// Parses the command line and runs the command.
fn run() -> anyhow::Result<ExitCode> {
    let matches = command_line().get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    match cli.command {
        Command::Serve(options) => {
            let settings = matches.subcommand_matches("serve").map(effective_settings);
            serve::serve(*options, settings.unwrap_or_default()).map(|()| ExitCode::SUCCESS)
        }
        Command::Maintenance(command) => maintenance::run(*command).map(|()| ExitCode::SUCCESS),
        Command::Client(command) => commands::run(*command, command_line),
        Command::ManPages(options) => {
            man_pages::write(&options, command_line()).map(|()| ExitCode::SUCCESS)
        }
    }
}

/// Sandboxes this process and executes the given program. Returns only on failure.
///
/// As [`sandbox_probe`], this is not a command of the parser: building the parser takes longer than all the rest.
fn exec_sandboxed(mut words: impl Iterator<Item = OsString>) -> anyhow::Error {
    let (Some(confinement), Some(program)) = (words.next(), words.next()) else {
        return anyhow::anyhow!(
            "{} is an internal command of the server",
            launcher::SUBCOMMAND
        );
    };
    match serde_json::from_slice::<Confinement>(confinement.as_encoded_bytes()) {
        Ok(confinement) => launcher::exec(&confinement, program, words.collect()).into(),
        Err(error) => error.into(),
    }
}

/// Prints the protections of this machine. Then, if a server is there to answer, it prints whether the broker works. Each
/// server runs it at its start.
fn sandbox_probe() -> anyhow::Result<ExitCode> {
    let mut out = io::stdout();
    writeln!(out, "{}", serde_json::to_string(&launcher::probe())?)?;
    writeln!(out, "{}", launcher::probe_broker())?;
    Ok(ExitCode::SUCCESS)
}
