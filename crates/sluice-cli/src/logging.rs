//! The server's own log, on standard error, as text or JSON. Repeated lines are rate-limited: see [`rate_limit`]. Lines of a server that
//! shares its database have the name of the node.

#[cfg(test)]
mod captured_lines;
mod json_fields;
mod node_field;
mod rate_limit;

use std::io::{IsTerminal, stderr};

use anyhow::Context;
use tracing_subscriber::{
    EnvFilter, Layer, Registry, fmt, layer::SubscriberExt, util::SubscriberInitExt,
};

use self::{json_fields::JsonFields, node_field::NodeField, rate_limit::RateLimit};
use crate::options::{LogFormat, LoggingOptions};

/// A crate that logs each request at the level of information.
const QUIET: &str = "rmcp=warn";

pub(crate) fn start(options: &LoggingOptions, node: Option<&str>) -> anyhow::Result<()> {
    let directives = &options.log;
    let levels = EnvFilter::try_new(format!("{QUIET},{directives}"))
        .with_context(|| format!("--log {directives} is not a level or a list of directives"))?;
    let limit = RateLimit::start().context("cannot start the thread of the log")?;
    let ansi = stderr().is_terminal();
    let lines = fmt::layer().with_writer(stderr);
    let lines: Box<dyn Layer<Registry> + Send + Sync> = match options.log_format {
        LogFormat::Text => lines
            .with_ansi(ansi)
            .event_format(NodeField::text(node, ansi))
            .boxed(),
        LogFormat::Json => lines
            .with_ansi(false)
            .event_format(NodeField::json(node))
            .fmt_fields(JsonFields)
            .boxed(),
    };
    tracing_subscriber::registry()
        .with(lines)
        .with(levels)
        .with(limit)
        .try_init()
        .context("cannot start the log")
}
