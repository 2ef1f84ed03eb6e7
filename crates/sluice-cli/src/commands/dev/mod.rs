//! `sluice dev`

mod session;
mod target;
mod voice;
mod watch;

use std::{path::PathBuf, process::ExitCode};

use anyhow::Context;
use clap::Args;
use tokio::signal::unix::{SignalKind, signal};

use self::{session::Session, target::Wanted, voice::Voice};
use super::{common::Common, form::PropFlags};
use crate::exit::Interrupted;

/// Deploy a component, and update it whenever its file, or one that it imports, is saved
///
/// Its log and its events are shown as they come. A save that does not work is told with the line of the mistake, and changes
/// nothing. The source stays when this ends, and the next `sluice dev` of the same file takes it up again.
#[derive(Debug, Args)]
pub(crate) struct DevOptions {
    /// The file of the component
    #[arg(value_name = "FILE")]
    component: PathBuf,
    /// Update this source, which must run the same component, instead of one that belongs to the file
    #[arg(long, alias = "dc", value_name = "ID|SLUG")]
    source: Option<String>,
    /// Delete the source at the end
    #[arg(long)]
    delete: bool,
    #[command(flatten)]
    props: PropFlags,
    #[command(flatten)]
    common: Common,
}

pub(crate) async fn dev(options: DevOptions) -> anyhow::Result<ExitCode> {
    let client = options.common.connection.client()?;
    let wanted = Wanted {
        client: &client,
        file: &options.component,
        source: options.source.as_deref(),
        props: &options.props,
        is_for_programs: options.common.json,
    };
    let mut session = Session::new(wanted, Voice::new(&options.component, options.common.json)?)?;
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
        .context("the source could not be deleted")?;
    Err(Interrupted.into())
}
