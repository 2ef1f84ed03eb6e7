//! Runs a command beside a broker of shared test servers, and exits with the command's code.
//!
//!     with-broker cargo nextest run

use std::{
    env, io,
    process::{Command, ExitCode},
};

use sluice_testkit::ServerBroker;

fn main() -> io::Result<ExitCode> {
    let mut args = env::args_os().skip(1);
    let Some(program) = args.next() else {
        return Err(io::Error::other("usage: with-broker COMMAND [ARGUMENT…]"));
    };
    let broker = ServerBroker::start()?;
    let status = Command::new(program)
        .args(args)
        .envs(broker.env())
        .status()?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(ExitCode::from(code.unwrap_or(1)))
}
