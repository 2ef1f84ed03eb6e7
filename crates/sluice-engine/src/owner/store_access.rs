//! Reads and writes that an owner cannot do without: retried while the store is unavailable.

use sluice_infra::{Backoff, Infra};
use sluice_model::EmitterId;
use sluice_store::{Conn, StoreError};

/// Reads `subject`; `None` once the server drains and the store is still unavailable.
pub(super) async fn read<T: Send + 'static>(
    infra: &Infra,
    emitter: &EmitterId,
    subject: &'static str,
    read: impl Fn(&mut dyn Conn) -> Result<T, StoreError> + Clone + Send + 'static,
) -> Option<T> {
    retry(infra, emitter, subject, || infra.store.read(read.clone())).await
}

/// As [`read`], for a write that may be repeated.
pub(super) async fn write<T: Send + 'static>(
    infra: &Infra,
    emitter: &EmitterId,
    subject: &'static str,
    write: impl Fn(&mut dyn Conn) -> Result<T, StoreError> + Clone + Send + 'static,
) -> Option<T> {
    retry(infra, emitter, subject, || {
        infra.store.commit(write.clone())
    })
    .await
}

async fn retry<T, A: Future<Output = Result<T, StoreError>>>(
    infra: &Infra,
    emitter: &EmitterId,
    subject: &'static str,
    attempt: impl Fn() -> A,
) -> Option<T> {
    let mut backoff = Backoff::store();
    loop {
        match attempt().await {
            Ok(value) => return Some(value),
            Err(error) => {
                tracing::warn!(%emitter, subject, %error, "store access failed; retrying");
                infra.shutdown.sleep(backoff.next_delay()).await;
                if infra.shutdown.is_draining() {
                    return None;
                }
            }
        }
    }
}
