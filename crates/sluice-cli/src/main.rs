//! The `sluice` binary.

mod banner;
mod client;
mod command_line;
mod commands;
#[cfg(test)]
mod docs;
mod exit;
mod first_profile;
mod logging;
mod open_files;
mod options;
mod serve;

use std::{ffi::OsString, process::ExitCode};

use clap::{FromArgMatches, Parser, Subcommand};
use sluice_runtime::launcher::{self, Confinement};

use crate::{
    command_line::command_line,
    commands::ClientCommand,
    options::{ServeOptions, told::told},
};

/// Event sources on your own machine: components that receive webhooks or poll APIs, and the events they emit.
#[derive(Parser)]
#[command(name = "sluice", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Start the server
    Serve(Box<ServeOptions>),
    #[command(flatten)]
    Client(ClientCommand),
    /// Wall this process in and become the given program
    #[command(name = launcher::SUBCOMMAND, hide = true)]
    SandboxExec {
        #[arg(value_parser = confinement)]
        confinement: Box<Confinement>,
        program: OsString,
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Say which walls this machine can put up
    #[command(name = launcher::PROBE_SUBCOMMAND, hide = true)]
    SandboxProbe,
}

fn main() -> ExitCode {
    let matches = command_line().get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let outcome = match cli.command {
        Command::Serve(options) => {
            let told = matches.subcommand_matches("serve").map(told);
            serve::serve(*options, told.unwrap_or_default()).map(|()| ExitCode::SUCCESS)
        }
        Command::Client(command) => commands::run(command),
        Command::SandboxExec {
            confinement,
            program,
            arguments,
        } => Err(launcher::exec(&confinement, program, arguments).into()),
        Command::SandboxProbe => sandbox_probe().map(|()| ExitCode::SUCCESS),
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

fn confinement(json: &str) -> Result<Box<Confinement>, serde_json::Error> {
    serde_json::from_str(json)
}

fn sandbox_probe() -> anyhow::Result<()> {
    Ok(serde_json::to_writer(
        std::io::stdout(),
        &launcher::probe(),
    )?)
}
