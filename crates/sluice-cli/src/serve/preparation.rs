//! The first steps of a start, which can take long.

use std::{
    future,
    path::{Path, PathBuf},
    sync::Arc,
};

use sluice_infra::Ids;
use sluice_server::Tls;
use sluice_store::Store;
use tokio::net::TcpListener;

use super::{database, deno, stop_signal::stop_signal};
use crate::options::ServeOptions;

/// Opens the database and finds Deno. Both can take long, so requests are answered meanwhile. `None` if a signal stops the server.
pub(super) async fn prepare(
    options: &ServeOptions,
    data_dir: &Path,
    ids: &Ids,
    listener: &TcpListener,
    tls: Option<&Arc<Tls>>,
) -> anyhow::Result<Option<(Store, PathBuf)>> {
    let prepared = async {
        tokio::try_join!(
            database::open(&options.storage, data_dir, ids),
            deno::find(options.components.deno.as_deref(), data_dir),
        )
    };
    tokio::select! {
        prepared = prepared => prepared.map(Some),
        never = sluice_server::stand_by(listener, tls) => match never {},
        signal = stop_signal(future::pending()) => signal.map(|_| None),
    }
}
