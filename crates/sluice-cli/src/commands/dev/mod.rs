//! `sluice dev`

mod output;
mod session;
mod target;
mod watch;

use std::{path::PathBuf, process::ExitCode};

use anyhow::Context;
use clap::Args;
use tokio::signal::unix::{SignalKind, signal};

use self::{output::DevOutput, session::Session, target::DevTarget};
use super::{common::Common, form::PropFlags};
use crate::exit::Interrupted;

/// Deploy a component, and update it whenever its file or an import is saved
///
/// The command streams events, logs and errors. A save with an error changes nothing; the error is shown with its line. The
/// source keeps running afterwards, and the next `sluice dev` of the same file continues with it.
#[derive(Debug, Args)]
pub(crate) struct DevOptions {
    /// File of the component
    #[arg(value_name = "FILE")]
    component: PathBuf,
    /// Update this source, which must run the same component [default: a source of the file's own]
    #[arg(long, alias = "dc", value_name = "ID|SLUG")]
    source: Option<String>,
    /// Delete the source on exit
    #[arg(long)]
    delete: bool,
    #[command(flatten)]
    props: PropFlags,
    #[command(flatten)]
    common: Common,
}

pub(crate) async fn dev(options: DevOptions) -> anyhow::Result<ExitCode> {
    let client = options.common.connection.client()?;
    let target = DevTarget {
        client: &client,
        file: &options.component,
        source: options.source.as_deref(),
        props: &options.props,
        json: options.common.json,
    };
    let mut session = Session::new(
        target,
        DevOutput::new(&options.component, options.common.json)?,
    )?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        ended = session.run() => ended?,
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    session
        .end(options.delete)
        .await
        .context("cannot delete the source")?;
    Err(Interrupted.into())
}
