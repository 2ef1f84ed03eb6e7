//! An event that somebody gives by hand.

use std::{
    fs,
    io::{self, Read},
};

use anyhow::Context;
use clap::Args;
use serde_json::Value;

#[derive(Debug, Args)]
pub(crate) struct GivenEvent {
    /// What it runs with: JSON, @FILE with JSON, or - for JSON on standard input
    #[arg(long, value_name = "JSON|@FILE|-", default_value = "{}")]
    event: String,
}

impl GivenEvent {
    pub(crate) fn read(&self) -> anyhow::Result<Value> {
        read(&self.event)
    }
}

/// The event that the value of `--event` stands for.
pub(crate) fn read(given: &str) -> anyhow::Result<Value> {
    let text = if given == "-" {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text)?;
        text
    } else if let Some(path) = given.strip_prefix('@') {
        fs::read_to_string(path).with_context(|| format!("cannot read {path}"))?
    } else {
        given.to_owned()
    };
    serde_json::from_str(&text).context("--event is not JSON")
}
