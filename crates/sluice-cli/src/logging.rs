//! The server's own log: on standard error, for people or for machines.

use anyhow::Context;
use tracing_subscriber::EnvFilter;

use crate::options::LogFormat;

pub(crate) fn start(format: LogFormat, directives: &str) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(directives)
        .with_context(|| format!("--log {directives} is not a level or a list of directives"))?;
    let builder = tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr()))
        .with_env_filter(filter);
    let started = match format {
        LogFormat::Text => builder.try_init(),
        LogFormat::Json => builder.json().try_init(),
    };
    started.map_err(|error| anyhow::anyhow!("the log could not be started: {error}"))
}
