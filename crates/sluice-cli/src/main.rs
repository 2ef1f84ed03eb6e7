//! The `sluice` binary.

mod banner;
mod logging;
mod options;
mod serve;

use std::{ffi::OsString, process::ExitCode};

use clap::{Parser, Subcommand};
use sluice_runtime::launcher;

use crate::options::ServeOptions;

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
    /// Wall this process in and become the given program
    #[command(name = launcher::SUBCOMMAND, hide = true)]
    SandboxExec {
        server: u32,
        program: OsString,
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Serve(options) => serve::serve(*options),
        Command::SandboxExec {
            server,
            program,
            arguments,
        } => Err(launcher::exec(server, program, arguments).into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("sluice: {error:#}");
            ExitCode::FAILURE
        }
    }
}
