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

use super::{database, deno, operator_email, stop_signal::stop_signal};
use crate::options::ServeOptions;

/// The result of these steps.
pub(super) struct Prepared {
    pub(super) store: Store,
    pub(super) deno: PathBuf,
    /// The address for the first user.
    pub(super) operator_email: Option<String>,
}

/// Opens the database, finds Deno, and asks for the address of the first user. All can take long, so requests are answered
/// meanwhile. `None` if a signal stops the server.
pub(super) async fn prepare(
    options: &ServeOptions,
    data_dir: &Path,
    ids: &Ids,
    listener: &TcpListener,
    tls: Option<&Arc<Tls>>,
) -> anyhow::Result<Option<Prepared>> {
    let prepared = async {
        let (store, deno) = tokio::try_join!(
            database::open(&options.storage, data_dir, ids),
            deno::find(options.components.deno.as_deref(), data_dir),
        )?;
        let email = options.keys.operator_email.as_deref();
        Ok(Prepared {
            operator_email: operator_email::find(email, &store).await?,
            store,
            deno,
        })
    };
    tokio::select! {
        prepared = prepared => anyhow::Result::map(prepared, Some),
        never = sluice_server::stand_by(listener, tls) => match never {},
        signal = stop_signal(future::pending()) => signal.map(|_| None),
    }
}
