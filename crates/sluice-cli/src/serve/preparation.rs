//! The first steps of a start, which can take long.

use std::{
    future,
    path::{Path, PathBuf},
    sync::Arc,
};

use sluice_infra::Ids;
use sluice_server::{StartProgress, Tls};
use sluice_store::Store;
use tokio::net::TcpListener;

use super::{database, deno, operator_email, stop_signal::stop_signal};
use crate::options::ServeOptions;

/// The result of these steps.
pub(super) struct Prepared {
    pub(super) store: Store,
    pub(super) deno: PathBuf,
    /// The address for the first user.
    pub(super) operator_email: Option<String>,
}

/// Opens the database, finds Deno, and asks for the address of the first user. All can take long, so requests are answered with
/// the reason meanwhile. `None` if a signal stops the server.
pub(super) async fn prepare(
    options: &ServeOptions,
    data_dir: &Path,
    ids: &Ids,
    listener: &TcpListener,
    tls: Option<&Arc<Tls>>,
) -> anyhow::Result<Option<Prepared>> {
    let progress = Arc::new(StartProgress::default());
    let prepared = async {
        let (store, deno) = tokio::try_join!(
            open_database(options, data_dir, ids, &progress),
            deno::find(options.components.deno.as_deref(), data_dir, &progress),
        )?;
        let email = options.keys.operator_email.as_deref();
        Ok(Prepared {
            operator_email: operator_email::find(email, &store, &progress).await?,
            store,
            deno,
        })
    };
    tokio::select! {
        prepared = prepared => anyhow::Result::map(prepared, Some),
        never = sluice_server::stand_by(listener, tls, &progress) => match never {},
        signal = stop_signal(future::pending()) => signal.map(|_| None),
    }
}

async fn open_database(
    options: &ServeOptions,
    data_dir: &Path,
    ids: &Ids,
    progress: &StartProgress,
) -> anyhow::Result<Store> {
    let store = database::open(&options.storage, data_dir, ids).await?;
    progress.opened_database();
    Ok(store)
}
