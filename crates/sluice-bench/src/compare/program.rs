//! A program under comparison: how to start it, and how to read its results.

use std::{path::Path, process::Command};

/// The address and the data folder of one running instance.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) port: u16,
}

/// The events that a program has after a crash. An id that is listed twice was processed twice.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// Ids of events whose code step has run and whose result is stored.
    pub(crate) processed: Vec<String>,
    /// Ids of events that are stored, and whose code step has not run to its end.
    pub(crate) unprocessed: Vec<String>,
}

/// One program. Each has a webhook and one code step, which computes the total of an order.
pub(crate) trait Program {
    fn version(&self) -> &str;

    /// Prepares an empty data folder before the first start.
    async fn prepare(&self, folder: &Path) -> anyhow::Result<()>;

    /// The command that runs the program in the foreground.
    fn command(&self, place: Place<'_>) -> Command;

    /// Finishes the setup after the first start. Returns the path of the webhook.
    async fn deploy(&mut self, place: Place<'_>) -> anyhow::Result<String>;

    /// How many events were processed since the start. None if every response means that its event was processed.
    async fn processed(&self, place: Place<'_>) -> anyhow::Result<Option<u64>>;

    /// The events in the program's store.
    async fn kept(&self, place: Place<'_>) -> anyhow::Result<Kept>;
}
