//! The server's own log, on standard error, as text or JSON. Repeated lines are rate-limited: see [`rate_limit`].

mod json_fields;
mod rate_limit;

use anyhow::Context;
use tracing_subscriber::{
    EnvFilter, Layer, Registry, fmt, layer::SubscriberExt, util::SubscriberInitExt,
};

use self::{json_fields::JsonFields, rate_limit::RateLimit};
use crate::options::LogFormat;

pub(crate) fn start(format: LogFormat, directives: &str) -> anyhow::Result<()> {
    let levels = EnvFilter::try_new(directives)
        .with_context(|| format!("--log {directives} is not a level or a list of directives"))?;
    let limit = RateLimit::start().context("cannot start the thread of the log")?;
    let lines = fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr()));
    let lines: Box<dyn Layer<Registry> + Send + Sync> = match format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().fmt_fields(JsonFields).boxed(),
    };
    tracing_subscriber::registry()
        .with(lines)
        .with(levels)
        .with(limit)
        .try_init()
        .context("cannot start the log")
}
