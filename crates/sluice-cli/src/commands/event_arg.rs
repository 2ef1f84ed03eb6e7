//! The `--event` and `--sample` options: the event to run with.

use std::{
    fs,
    io::{self, Read},
};

use anyhow::Context;
use clap::Args;
use serde_json::Value;

#[derive(Debug, Args)]
pub(crate) struct EventArg {
    /// Event to run with: JSON, @FILE for a file with JSON, or - for standard input
    #[arg(long, value_name = "JSON|@FILE|-", default_value = "{}")]
    event: String,
    /// Run with the sample event of the component
    #[arg(long, conflicts_with = "event")]
    sample: bool,
}

impl EventArg {
    /// The given event. `None` stands for the sample.
    pub(crate) fn read(&self) -> anyhow::Result<Option<Value>> {
        if self.sample {
            return Ok(None);
        }
        parse_event(&self.event).map(Some)
    }
}

/// Parses the value of `--event`.
pub(crate) fn parse_event(value: &str) -> anyhow::Result<Value> {
    let text = if value == "-" {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text)?;
        text
    } else if let Some(path) = value.strip_prefix('@') {
        fs::read_to_string(path).with_context(|| format!("cannot read {path}"))?
    } else {
        value.to_owned()
    };
    serde_json::from_str(&text).context("--event is not JSON")
}
